"""Words under values: true of each of them, and of nothing else. Design effects and thresholds are set by hand."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from reportgen.domain.presentation import plain
from reportgen.domain.record import Comparison, Estimate, Results, Units
from reportgen.figures import build_figures
from reportgen.tables import build_tables
from reportgen.wording.heads import design_effects, origin
from tests.support.full_results import make_full_results
from tests.support.results import make_results
from tests.support.words import said

RESULTS = make_results(n_systems=3)


def values(metric: str = "ndcg@10", subset: str = "positives_only") -> list[Estimate]:
    return [e for s in RESULTS.systems if (e := RESULTS.headline(metric, s.id, subset)) is not None]


def with_effects(estimates: Sequence[Estimate], *effects: float | None) -> list[Estimate]:
    return [
        msgspec.structs.replace(one, n=msgspec.structs.replace(one.n, design_effect=effect))
        for one, effect in zip(estimates, effects, strict=True)
    ]


def each_query_alone(results: Results) -> Results:
    units = msgspec.structs.replace(results.units, cluster=results.units.query)
    assert isinstance(units, Units)
    return msgspec.structs.replace(results, units=units)


@pytest.mark.parametrize(
    ("effects", "ends"),
    [
        ((0.8634, 1.2591, 2.0), ("0.86", "2.0")),
        # 1.16 and 1.24 both print 1.2.
        ((1.16, 1.24, 1.2), ("1.2",)),
        ((12.4, None, 0.97), ("0.97", "12")),
        ((None, None, 1.3), ("1.3",)),
        ((None, None, None), ()),
    ],
)
def test_design_effects_have_two_ends_or_one_where_they_print_alike(
    effects: tuple[float | None, ...], ends: tuple[str, ...]
) -> None:
    assert design_effects(RESULTS, with_effects(values(), *effects)) == ends


def test_where_each_query_is_a_cluster_its_design_effect_is_one_and_not_said() -> None:
    alone = each_query_alone(RESULTS)
    assert design_effects(alone, with_effects(values(), 1.0, 1.0, 1.0)) == ()
    assert origin(alone, None) == ""


def test_queries_of_one_subset_and_of_several_are_from_clusters() -> None:
    subset = RESULTS.subset_by_id["positives_only"]
    assert origin(RESULTS, subset) == ", from 50 pages"
    assert origin(RESULTS, subset, comma=False) == " from 50 pages"
    assert origin(RESULTS, None) == ", from 50 pages in all"


def of_roles(roles: Sequence[str], records: Sequence[Estimate | Comparison]) -> tuple[Results, list[Estimate]]:
    """The records with intervals that treat thresholds in these ways, in their order."""
    names = ("fixed", "resampled", "")
    settings = tuple(msgspec.structs.replace(RESULTS.interval_settings[0], threshold=name) for name in names)
    changed = [
        msgspec.structs.replace(one, intervals=(msgspec.structs.replace(one.intervals[0], settings=names.index(role)),))
        for role, one in zip(roles, records, strict=True)
    ]
    return msgspec.structs.replace(RESULTS, interval_settings=settings), changed  # type: ignore[return-value] # or pairs


def of_thresholds(results: Results, records: Sequence[Estimate | Comparison]) -> str:
    return said(results, "intervals.thresholds(records)", records=records)


@pytest.mark.parametrize(
    ("roles", "sentence"),
    [
        (("fixed", "fixed", "fixed"), "Thresholds stay fixed in the resamples."),
        (("fixed", "", ""), "Thresholds stay fixed in the resamples."),
        (("resampled", "resampled", ""), "Intervals include the choice of thresholds."),
        (("", "", ""), ""),
        (("fixed", "resampled", ""), "Intervals of AUROC include the choice of thresholds."),
    ],
)
def test_the_sentence_on_thresholds_is_true_of_every_interval(roles: tuple[str, ...], sentence: str) -> None:
    records = [values("tpr@fpr=0.05", "all_queries")[0], values("auroc", "all_queries")[0], values()[0]]
    assert of_thresholds(*of_roles(roles, records)) == sentence


def test_within_one_metric_the_systems_whose_thresholds_are_chosen_again_are_named() -> None:
    results, records = of_roles(("fixed", "fixed", "resampled"), values("auroc", "all_queries"))
    last = results.system_by_id[records[-1].system].label
    assert of_thresholds(results, records) == f"Intervals of AUROC of {last} include the choice of thresholds."
    pairs = [c for c in RESULTS.comparisons if c.intervals][:2]
    results, compared = of_roles(("fixed", "resampled"), pairs)
    one = pairs[1]
    assert pairs[0].metric == one.metric
    labels = " against ".join(results.system_by_id[id_].label for id_ in (one.system_a, one.system_b))
    name = results.metric_by_id[one.metric].name
    assert of_thresholds(results, compared) == f"Intervals of {name} of {labels} include the choice of thresholds."


def test_what_has_no_interval_says_nothing_of_thresholds() -> None:
    bare = [msgspec.structs.replace(one, intervals=()) for one in values("tpr@fpr=0.05", "all_queries")]
    assert of_thresholds(RESULTS, bare) == ""


def clustered(effect: float | None) -> Results:
    """The full results, every value with this design effect."""
    results = make_full_results(n_systems=3)
    records = tuple(msgspec.structs.replace(r, n=msgspec.structs.replace(r.n, design_effect=effect))
                    for r in results.results)  # fmt: skip
    return msgspec.structs.replace(results, results=records)


def test_the_design_effect_is_said_once_in_the_first_table() -> None:
    said = {
        one.id
        for one in (*build_tables(clustered(1.37)), *build_figures(clustered(1.37)))
        for text in (one.caption, *(note.text for note in getattr(one, "notes", ())))
        if "esign effect" in plain(text)
    }
    assert said == {"main-results", "main-results-compact"}


def test_no_table_and_no_figure_speaks_of_a_design_effect_where_no_value_has_one() -> None:
    for one in (*build_tables(clustered(None)), *build_figures(clustered(None))):
        texts = [one.caption, *(note.text for note in getattr(one, "notes", ()))]
        assert "esign effect" not in " ".join(map(plain, texts))


def test_the_sizes_behind_a_subset_are_machine_values() -> None:
    [table] = build_tables(clustered(1.37), ["main-results"])
    at = [column.key for column in table.columns].index("subset")
    cell = next(row.cells[at] for row in table.rows if plain(row.cells[0].text) == "nDCG@10")
    assert plain(cell.text).replace("\u00a0", " ") == "Queries with evidence (n = 100 in 50 pages)"
    assert dict(cell.extra) == {"n": 100, "n_clusters": 50, "design_effect": 1.37}
    assert table.columns[at].suffixes == ("n", "n_clusters", "design_effect")
