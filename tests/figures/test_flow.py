"""The flow of rows and queries, on results whose sizes are known."""

from __future__ import annotations

import msgspec
from matplotlib.text import Text

from reportgen.domain.record import Results
from reportgen.figures import build_figures, figure_infos
from reportgen.styles import load_tokens
from tests.support.full_results import make_full_results


def boxes(results: Results) -> list[list[str]]:
    """The lines of each box that is drawn."""
    (figure,) = build_figures(results, ["flow"])
    drawing = figure.draw(load_tokens())
    return [text.get_text().split("\n") for text in drawing.axes[0].findobj(Text) if text.get_text()]


def with_sizes(n_queries: int, rows: int) -> Results:
    """Results on 500 queries, of which 100 are positive, with a file of queries of so many rows."""
    results = make_full_results()
    file = msgspec.structs.replace(results.inputs[0], id="q", path="queries.csv", role="queries", rows=rows)
    subsets = tuple(
        msgspec.structs.replace(one, n_queries=n_queries, n_positive=100) if one.id == "all_queries" else one
        for one in results.subsets
    )
    return msgspec.structs.replace(results, inputs=(file,), subsets=subsets)


def test_the_boxes_say_what_was_read_what_is_evaluated_and_what_a_population_leaves_out() -> None:
    results = with_sizes(500, 512)
    positives = results.subset_by_id["positives_only"]
    found = boxes(results)
    assert ["Read", "queries.csv: 512 rows"] in found
    evaluated = next(box for box in found if box[0] == "Evaluated")
    assert evaluated[1].startswith("500 queries, 100 positive")
    # 512 - 500
    assert evaluated[-1] == "left out: 12 rows of the queries that were read"
    population = next(box for box in found if box[0] == positives.label)
    assert population[1:3] == [
        f"{positives.n_queries} queries", f"left out: {500 - positives.n_queries} that are not positive",
    ]  # fmt: skip


def test_nothing_is_said_to_be_left_out_where_all_was_used() -> None:
    evaluated = next(box for box in boxes(with_sizes(500, 500)) if box[0] == "Evaluated")
    assert not any("left out" in line for line in evaluated)


def test_few_folds_have_a_box_each_and_many_share_one() -> None:
    few = [box[0] for box in boxes(make_full_results())]
    assert [head for head in few if head.startswith("Fold ")] == [
        f"Fold {fold.label}" for fold in make_full_results().folds
    ]
    results = make_full_results()
    folds = tuple(
        msgspec.structs.replace(results.folds[0], id=f"f{at}", label=str(at), n_queries=40 + at, n_tune=0)
        for at in range(12)
    )
    found = boxes(msgspec.structs.replace(results, folds=folds))
    assert ["12 folds", "40 to 51 queries each"] in found


def test_a_metric_without_a_value_on_some_is_counted_where_it_is() -> None:
    results = make_full_results()
    one = next(r for r in results.results if r.metric in results.contract.headline and r.aggregation == "pooled"
               and not results.subset_by_id[r.subset].slice)  # fmt: skip
    changed = msgspec.structs.replace(one, n=msgspec.structs.replace(one.n, undefined=7))
    records = tuple(changed if record is one else record for record in results.results)
    results = msgspec.structs.replace(results, results=records)
    said = f"without a {results.metric_by_id[one.metric].name}: 7"
    assert sum(said in box for box in boxes(results)) == 1
    (figure,) = build_figures(results, ["flow"])
    assert figure.results == (one.id,)


def test_it_is_drawn_on_request_alone_and_the_list_says_so() -> None:
    assert "flow" not in [figure.id for figure in build_figures(make_full_results())]
    assert next(info.title for info in figure_infos() if info.name == "flow").endswith("(on request)")
