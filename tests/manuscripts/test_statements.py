"""What tables and JSON say: metric, number, system, queries, spread, interval."""

from __future__ import annotations

import json

from reportgen.manuscripts.extraction import statements_in
from reportgen.manuscripts.readers import READERS
from reportgen.manuscripts.statements import Statements, population_of, size_of


def md(text: str) -> Statements:
    return statements_in(READERS["md"]("t.md", text))


def js(values: object) -> Statements:
    return statements_in(READERS["json"]("t.json", json.dumps(values)))


def brief(said: Statements) -> list[tuple[str, str, str]]:
    return [(one.name, one.system, one.value.text) for one in said.statements]


def test_metrics_in_heads_and_metrics_in_rows_say_the_same():
    heads = md("| System | MRR | AUROC |\n|--|--|--|\n| A | 0.5 | 0.8 |\n| B | 0.6 | 0.9 |\n")
    rows = md("| Metric | A | B |\n|--|--|--|\n| MRR | 0.5 | 0.6 |\n| AUROC | 0.8 | 0.9 |\n")
    assert sorted(brief(heads)) == sorted(brief(rows))


def test_bounds_and_spreads_in_columns_of_their_own_belong_to_the_value_before():
    said = md("| Metric | Value | SD over folds | ci_95_lower | ci_95_upper | Note |\n|--|--|--|--|--|--|\n"
              "| MRR | 0.50 | 0.02 | 0.48 | 0.52 | 3 |\n")  # fmt: skip
    [one] = said.statements
    assert (one.spread and one.spread.text, one.spread_kind) == ("0.02", "sd")
    assert (one.lower and one.lower.text, one.upper and one.upper.text) == ("0.48", "0.52")
    assert one.notes == "3"


def test_columns_named_after_a_metric_with_a_suffix_belong_to_it():
    said = md("| system | mrr | mrr_lower | mrr_upper | auroc | auroc_sd | auroc 95% CI |\n|--|--|--|--|--|--|--|\n"
              "| A | 0.5 | 0.4 | 0.6 | 0.8 | 0.01 | [0.7, 0.9] |\n")  # fmt: skip
    mrr, auroc = said.statements
    assert (mrr.lower and mrr.lower.text, mrr.spread) == ("0.4", None)
    assert (auroc.spread and auroc.spread.text, auroc.upper and auroc.upper.text) == ("0.01", "0.9")


def test_an_interval_column_beside_a_standard_error_is_read():
    said = md("| Metric | Value | SE | 95% CI |\n|--|--|--|--|\n| MRR | 0.50 | 0.01 | [0.48, 0.52] |\n")
    [one] = said.statements
    assert (one.spread_kind, one.upper and one.upper.text) == ("se", "0.52")


def test_a_row_of_one_text_is_a_heading_and_says_the_queries():
    said = md(
        "| Metric | A |\n|--|--|\n| Positive queries (n = 1,279) | |\n| MRR | 0.5 |\n| All queries (n = 2,460) | |\n"
        "| MRR | 0.3 |\n"
    )
    assert [(one.population, one.n) for one in said.statements] == [("positives_only", 1279), ("all_queries", 2460)]
    assert said.statements[0].group != said.statements[1].group


def test_a_text_that_speaks_of_both_protocols_or_none_names_none():
    assert population_of("positives_only", "all_queries") == population_of("test") == ""
    assert size_of("no number") is None


def test_a_column_nobody_knows_keeps_rows_apart():
    said = md("| System | alpha | MRR |\n|--|--|--|\n| A | 0.1 | 0.5 |\n| A | 0.2 | 0.6 |\n")
    assert len({one.group for one in said.statements}) == 2


def test_a_table_without_metrics_says_nothing():
    assert md("| Name | Description |\n|--|--|\n| A | 0.5 |\n").statements == ()


def test_a_table_of_differences_says_nothing():
    assert md("| Pair | MRR |\n|--|--|\n| A - B | -0.20 |\n").statements == ()


def test_json_names_metrics_by_keys_and_systems_by_paths():
    said = js({
        "protocol": "positives_only",
        "ranking_metrics": {
            "bm25": {"metrics": {"mrr": 0.5, "ndcg@10": {"mean": 0.6, "std": 0.03, "ci_95": "[0.57, 0.63]"}}},
            "gnn": {
                "mrr": {"value": 0.7, "ci_95_lower": 0.6, "ci_95_upper": 0.8},
                "ndcg_at_k": {"value": 0.8, "k": 10},
            },
        },
        "gnn_auroc": 0.9,
        "list": [{"retriever": "x", "ndcg_at_10": 0.4}, {"ndcg_at_10": 0.3}],
    })  # fmt: skip
    assert brief(said) == [
        ("mrr", "bm25", "0.5"), ("ndcg@10", "bm25", "0.6"), ("mrr", "gnn", "0.7"), ("ndcg@10", "gnn", "0.8"),
        ("auroc", "gnn", "0.9"), ("ndcg@10", "x", "0.4"), ("ndcg@10", "[1]", "0.3"),
    ]  # fmt: skip
    assert {one.population for one in said.statements} == {"positives_only"}
    ndcg = said.statements[1]
    assert (ndcg.spread and ndcg.spread.text, ndcg.upper and ndcg.upper.text) == ("0.03", "0.63")
    assert said.statements[2].lower is not None


def test_json_keeps_the_digits_that_stand_there():
    said = statements_in(READERS["json"]("t.json", '{"auroc": 0.8740}'))
    assert said.statements[0].value.text == "0.8740"


def test_improvements_of_json_have_their_parents_beside_them():
    said = js({
        "old": {"mrr": 0.5}, "new": {"mrr": 0.6},
        "improvement": {"mrr": {"absolute": 0.1, "relative_pct": 20.0, "n": 3}},
        "fold": {"old_mrr": 0.5, "new_mrr": 0.6, "improvement": 0.1},
    })  # fmt: skip
    units = [(one.value.text, one.unit, len(one.parents)) for one in said.improvements]
    assert units == [("0.1", "absolute", 4), ("20.0", "relative_percent", 4), ("0.1", "", 2)]


def test_json_deeper_than_any_results_is_left_alone():
    values: object = {"mrr": 0.5}
    for _ in range(60):
        values = {"deeper": values}
    assert js(values).statements == ()


def test_a_list_as_an_interval_is_read_and_other_values_are_not_numbers():
    said = js({"auroc": {"value": 0.9, "ci": [0.8, 0.95]}, "mrr": "n/a", "note": "0.5", "f1": None, "ece": True})
    [one] = said.statements
    assert one.lower is not None
    assert one.lower.text == "0.8"
