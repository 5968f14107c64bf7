"""Words under values: true of each of them, and of nothing else. Design effects and thresholds are set by hand."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from reportgen.domain.presentation import plain
from reportgen.domain.record import Comparison, Estimate, Results, Units
from reportgen.figures import build_figures
from reportgen.tables import build_tables
from reportgen.wording.captions import thresholds_sentence
from reportgen.wording.heads import design_effects, origin
from tests.support.full_results import make_full_results
from tests.support.results import make_results

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
    ("effects", "words"),
    [
        ((0.8634, 1.2591, 2.0), "design effects 0.86 to 2.0"),
        # 1.16 and 1.24 both print 1.2.
        ((1.16, 1.24, 1.2), "design effect 1.2"),
        ((12.4, None, 0.97), "design effects 0.97 to 12, none for 1 of 3 values"),
        ((None, None, 1.3), "design effect 1.3, none for 2 of 3 values"),
        ((None, None, None), ""),
    ],
)
def test_design_effects_are_a_range_and_say_how_many_values_have_none(
    effects: tuple[float | None, ...], words: str
) -> None:
    assert design_effects(RESULTS, with_effects(values(), *effects)) == words


def test_what_has_no_value_counts_neither_with_nor_without_a_design_effect() -> None:
    first, second, third = with_effects(values(), 1.1, 1.5, 9.0)
    gone = msgspec.structs.replace(third, value=None, status="undefined", reason="no_positives")
    assert design_effects(RESULTS, [first, second, gone, None]) == "design effects 1.1 to 1.5"


def test_where_each_query_is_a_cluster_its_design_effect_is_one_and_not_said() -> None:
    alone = each_query_alone(RESULTS)
    assert design_effects(alone, with_effects(values(), 1.0, 1.0, 1.0)) == ""
    assert origin(alone, None, with_effects(values(), 1.0, 1.0, 1.0)) == ""


def test_queries_of_one_subset_and_of_several_are_from_clusters() -> None:
    shown, subset = with_effects(values(), 1.1, 1.2, 1.3), RESULTS.subset_by_id["positives_only"]
    assert origin(RESULTS, subset, shown) == ", from 50 pages (design effects 1.1 to 1.3)"
    assert origin(RESULTS, None, shown) == ", from 50 pages in all (design effects 1.1 to 1.3)"
    assert origin(RESULTS, subset) == ", from 50 pages"


def of_roles(roles: Sequence[str], records: Sequence[Estimate | Comparison]) -> tuple[Results, list[Estimate]]:
    """The records with intervals that treat thresholds in these ways, in their order."""
    names = ("fixed", "resampled", "")
    settings = tuple(msgspec.structs.replace(RESULTS.interval_settings[0], threshold=name) for name in names)
    changed = [
        msgspec.structs.replace(one, intervals=(msgspec.structs.replace(one.intervals[0], settings=names.index(role)),))
        for role, one in zip(roles, records, strict=True)
    ]
    return msgspec.structs.replace(RESULTS, interval_settings=settings), changed  # type: ignore[return-value] # or pairs


@pytest.mark.parametrize(
    ("roles", "sentence"),
    [
        (("fixed", "fixed", "fixed"), " Thresholds stay fixed in the resamples."),
        (("fixed", "", ""), " Thresholds stay fixed in the resamples."),
        (("resampled", "resampled", ""), " Thresholds are chosen again in each resample."),
        (("", "", ""), ""),
        (
            ("fixed", "resampled", ""),
            " Thresholds stay fixed in the resamples, but in those of AUROC they are chosen again.",
        ),
    ],
)
def test_the_sentence_on_thresholds_is_true_of_every_interval(roles: tuple[str, ...], sentence: str) -> None:
    records = [values("tpr@fpr=0.05", "all_queries")[0], values("auroc", "all_queries")[0], values()[0]]
    assert thresholds_sentence(*of_roles(roles, records)) == sentence


def test_within_one_metric_the_systems_whose_thresholds_are_chosen_again_are_named() -> None:
    results, records = of_roles(("fixed", "fixed", "resampled"), values("auroc", "all_queries"))
    last = results.system_by_id[records[-1].system].label
    assert thresholds_sentence(results, records) == (
        f" Thresholds stay fixed in the resamples, but in those of AUROC of {last} they are chosen again."
    )
    pairs = [c for c in RESULTS.comparisons if c.intervals][:2]
    results, compared = of_roles(("fixed", "resampled"), pairs)
    one = pairs[1]
    assert pairs[0].metric == one.metric
    labels = " against ".join(results.system_by_id[id_].label for id_ in (one.system_a, one.system_b))
    name = results.metric_by_id[one.metric].name
    assert thresholds_sentence(results, compared).endswith(f"in those of {name} of {labels} they are chosen again.")


def test_what_has_no_interval_says_nothing_of_thresholds() -> None:
    bare = [msgspec.structs.replace(one, intervals=()) for one in values("tpr@fpr=0.05", "all_queries")]
    assert thresholds_sentence(RESULTS, bare) == ""


def clustered(effect: float | None) -> Results:
    """The full results, every value with this design effect."""
    results = make_full_results(n_systems=3)
    records = tuple(msgspec.structs.replace(r, n=msgspec.structs.replace(r.n, design_effect=effect))
                    for r in results.results)  # fmt: skip
    return msgspec.structs.replace(results, results=records)


def test_every_table_and_caption_that_names_clusters_names_the_design_effect_of_its_values() -> None:
    results = clustered(1.37)
    values_shown = set(results.by_id)
    silent = []
    for one in (*build_tables(results), *build_figures(results)):
        if not set(one.results) & values_shown:
            continue
        words = [plain(one.caption), *(plain(note.text) for note in getattr(one, "notes", ()))]
        words += [plain(group.head) for group in getattr(one, "groups", ())]
        words += [plain(cell.text) for row in getattr(one, "groups", ()) for r in row.rows for cell in r.cells]
        if "design effect 1.4" not in " ".join(words):
            silent.append(one.id)
    # Readings under other contracts are read off other evaluations, whose records the results do not hold.
    assert silent == ["readings", "readings-compact"]


def test_no_table_and_no_figure_speaks_of_a_design_effect_where_no_value_has_one() -> None:
    for one in (*build_tables(clustered(None)), *build_figures(clustered(None))):
        assert "design effect" not in plain(one.caption)
        for group in getattr(one, "groups", ()):
            assert "design effect" not in plain(group.head)
            assert not any("design effect" in plain(cell.text) for row in group.rows for cell in row.cells)


def test_the_sizes_behind_a_subset_are_machine_values() -> None:
    [table] = build_tables(clustered(1.37), ["main-results"])
    at = [column.key for column in table.columns].index("subset")
    cell = next(row.cells[at] for row in table.rows if plain(row.cells[0].text) == "nDCG@10")
    assert plain(cell.text).replace("\u00a0", " ") == "Queries with evidence (n = 100; 50 pages; design effect 1.4)"
    assert dict(cell.extra) == {"n": 100, "n_clusters": 50, "design_effect": 1.37}
    assert table.columns[at].suffixes == ("n", "n_clusters", "design_effect")
