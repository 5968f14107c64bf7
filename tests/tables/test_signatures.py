import re

import msgspec

from reportgen.domain.record import Results
from reportgen.tables import build_tables
from reportgen.tables._marks import aspects, comparable, differing
from tests.support.results import make_results

TEXT = "ndcg@10|gain:linear|ties:input_order|agg:fold_mean|ci:cluster_percentile,unit=post,B=10000,seed=0"


def test_a_signature_is_read_into_its_aspects() -> None:
    assert aspects(TEXT) == {
        "metric": "ndcg@10",
        "gain": "linear",
        "ties": "input_order",
        "agg": "fold_mean",
        "ci": "cluster_percentile,unit=post,B=10000,seed=0",
    }


def mixed() -> Results:
    """The second system's nDCG@10 made under another tie rule than the first's."""
    results = make_results()
    plain, other = TEXT, TEXT.replace("input_order", "docno_desc")
    changed = [
        msgspec.structs.replace(r, signature=len(results.signatures) + (r.system == "s1"))
        if r.metric == "ndcg@10"
        else r
        for r in results.results
    ]
    return msgspec.structs.replace(results, results=tuple(changed), signatures=(*results.signatures, plain, other))


def test_records_of_two_conventions_are_not_comparable_and_the_difference_is_named() -> None:
    results = mixed()
    pair = [results.headline("ndcg@10", system, "positives_only") for system in ("s0", "s1")]
    assert not comparable(pair)
    assert differing(results, pair) == ("ties",)
    assert comparable([pair[0], None])


def test_no_table_lets_two_conventions_stand_side_by_side_without_saying_so() -> None:
    tables = {table.id: table for table in build_tables(mixed())}
    for name in ("main-results", "main-results-compact", "per-label", "ranking-at-k", "per-fold-compact"):
        assert any("ties" in str(note.text) for note in tables[name].notes), name
    ndcg = tables["main-results-compact"].groups[0].rows[0]
    assert [cell.mark for cell in ndcg.cells] == ["", "", ""]


def test_metrics_that_differ_in_the_same_convention_share_one_note() -> None:
    results = mixed()
    at = len(results.signatures)
    other = [TEXT.replace("ndcg@10", "recall@10"), TEXT.replace("ndcg@10", "recall@10").replace("input", "docno")]
    records = [
        msgspec.structs.replace(r, signature=at + (r.system == "s1")) if r.metric == "recall@10" else r
        for r in results.results
    ]
    changed = msgspec.structs.replace(results, results=tuple(records), signatures=(*results.signatures, *other))
    [table] = build_tables(changed, ["main-results-compact"])
    notes = {note.key: str(note.text) for note in table.notes if "comparable" in str(note.text)}
    assert list(notes.values()) == ["Not comparable between systems: ties differ."]
    rows = {str(row.cells[0].text).partition("@")[0]: row for row in table.rows}
    assert all(notes.keys() <= set(cell.notes) for name in ("nDCG", "Recall") for cell in rows[name].cells[1:])


def test_tables_of_one_convention_warn_of_nothing() -> None:
    for table in build_tables(make_results()):
        assert not any(re.search("comparable", str(note.text)) for note in table.notes)
