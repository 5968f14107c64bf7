"""Numbers in text against the tiny run, whose values are worked out by hand in its README.

Neural: nDCG@10 0.7917 (folds 0.9213 and 0.6622, SD 0.183), Recall@10 23/24 = 0.9583, AUROC 1. Lexical: nDCG@10 0.7288,
Recall@10 1, AUROC 23/32 = 0.71875, Brier 0.2342. nDCG@10 differs by 6.29 points, which is 8.63 % of Lexical's.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from reportgen import cli
from reportgen.codes import registry
from reportgen.contracts import load_contract
from reportgen.documents.quantities import fill, quantities
from reportgen.domain.record import Results
from reportgen.errors import RenderError
from reportgen.evaluation import evaluate
from reportgen.inputs import read_run
from reportgen.manuscripts import TracedNumber, trace
from reportgen.manuscripts.readers import READERS
from reportgen.render.escape import markdown
from reportgen.results import encode


@pytest.fixture(scope="module")
def results(tiny: Path) -> Results:
    return evaluate(read_run(tiny), load_contract(overrides={"resamples": 20}), command="test").results


def traced(results: Results, text: str, kind: str = "md") -> list[TracedNumber]:
    return list(trace(READERS[kind](f"doc.{kind}", text), results))


def verdicts(results: Results, text: str, kind: str = "md") -> list[tuple[str, str]]:
    return [(one.text, one.verdict) for one in traced(results, text, kind)]


def test_a_number_is_linked_to_the_result_it_is(results):
    [one] = traced(results, "Neural reaches an nDCG@10 of 0.792.")
    assert (one.verdict, one.result, one.shown) == ("linked", "ndcg@10|neural|positives_only|fold_mean", "0.792")
    assert (one.line, one.macro, one.code) == (1, "{{rg ndcg@10 neural}}", "")


def test_the_spread_of_single_queries_is_linked_where_the_text_speaks_of_it_and_has_no_reference(results):
    # nDCG@10 of Lexical by query: 1, 0.6509, 0.9060, 0.5, 0.3869, 1; mean 0.7406, SD 0.2657, P25 0.5377, median 0.7784.
    said = traced(results, "The nDCG@10 of Lexical is 0.741 ± 0.266 (SD over queries).")
    assert [(one.text, one.verdict) for one in said] == [("0.741", "linked"), ("± 0.266", "linked")]
    assert [bool(one.macro) for one in said] == [True, False]
    text = "The nDCG@10 of Lexical has the median 0.778; its P25 is 0.538 and its mean 0.741."
    assert verdicts(results, text) == [("0.778", "linked"), ("0.538", "linked"), ("0.741", "linked")]


def test_an_sd_over_queries_that_passes_for_one_over_folds_is_none(results):
    text = "The nDCG@10 of Lexical is 0.741 ± 0.266."
    assert [verdict for number, verdict in verdicts(results, text) if number == "± 0.266"] != ["linked"]


@pytest.mark.parametrize("effects", ["design effect 0.91", "design effects 0.61 to 0.91"])
def test_a_design_effect_is_no_value_of_the_metric(results, effects):
    assert verdicts(results, f"Neural has the nDCG@10 0.792 (6 positive queries, {effects}).") == [("0.792", "linked")]


def test_more_and_fewer_digits_and_percent_are_the_same_number(results):
    text = "The nDCG@10 of Neural is 0.79, in full 0.7917242, or 79.2 %."
    assert verdicts(results, text) == [("0.79", "linked"), ("0.7917242", "linked"), ("79.2%", "linked")]


def test_a_number_of_an_older_run_is_stale(results):
    [one] = traced(results, "Neural reaches an nDCG@10 of 0.81.")
    assert (one.verdict, one.code, one.shown) == ("stale", "RG680", "0.792")
    assert one.message == "0.81 is not the value of nDCG@10 of Neural: the bundle has '0.792'"
    assert one.macro == "{{rg ndcg@10 neural}}"


def test_a_number_that_was_cut_off_is_rounded_wrongly(results):
    # AUROC of Lexical is 0.71875: 0.719 and 0.72, not 0.718 and 0.71.
    assert verdicts(results, "AUROC is 0.719 for Lexical.") == [("0.719", "linked")]
    for wrong in ("0.718", "0.71", "0.7187"):
        [one] = traced(results, f"AUROC is {wrong} for Lexical.")
        assert (one.verdict, one.code) == ("rounded", "RG681") if wrong != "0.7187" else ("linked", "")


def test_points_sold_as_percent_have_the_wrong_unit(results):
    text = "Neural improves nDCG@10 over Lexical by {}."
    assert verdicts(results, text.format("6.29 points")) == [("6.29 points", "linked")]
    assert verdicts(results, text.format("8.63 %")) == [("8.63%", "linked")]
    [one] = traced(results, text.format("6.29 %"))
    assert (one.verdict, one.code) == ("unit", "RG682")
    assert one.message == "6.29% is a difference in points, sold as percent: it is +6.29 points"
    [one] = traced(results, text.format("8.63 percentage points"))
    assert (one.verdict, one.message) == ("unit", "8.63 points is a relative change, sold as points: it is +8.63 %")


def test_a_share_with_a_percent_sign_has_the_wrong_unit(results):
    [one] = traced(results, "The nDCG@10 of Neural is 0.792 %.")
    assert (one.verdict, one.message) == ("unit", "0.792% is a share and no percentage: the bundle has '0.792'")


def test_a_metric_the_bundle_does_not_have_is_unknown(results):
    [one] = traced(results, "The nDCG@7 of Neural is 0.9.")
    assert (one.verdict, one.code, one.message) == ("unknown", "RG683", "0.9 the bundle has no metric 'nDCG@7'")


def test_a_number_without_a_system_is_linked_or_unknown_but_never_stale(results):
    assert verdicts(results, "We reach an nDCG@10 of 0.792.") == [("0.792", "linked")]
    assert verdicts(results, "Others reach an nDCG@10 of 0.812.") == [("0.812", "unknown")]


def test_each_number_goes_to_the_system_beside_it(results):
    text = "On nDCG@10, Neural (0.792) is above Lexical (0.729). AUROC is 1.000 for Neural and 0.719 for Lexical."
    assert [one.result.split("|")[:2] for one in traced(results, text)] == [
        ["ndcg@10", "neural"], ["ndcg@10", "lexical"], ["auroc", "neural"], ["auroc", "lexical"],
    ]  # fmt: skip
    swapped = "On nDCG@10, Neural (0.729) is above Lexical (0.792)."
    assert [one.verdict for one in traced(results, swapped)] == ["stale", "stale"]


def test_intervals_and_spreads_are_traced_with_their_value(results):
    record = results.by_id["ndcg@10|neural|positives_only|fold_mean"]
    text = f"Neural has an nDCG@10 of 0.792 ± 0.183 {record.display.interval}."
    assert [(one.verdict, one.macro) for one in traced(results, text)] == [
        ("linked", "{{rg ndcg@10 neural}}"),
        ("linked", "{{rgsd ndcg@10 neural}}"),
        ("linked", "{{rginterval ndcg@10 neural}}"),
    ]
    assert verdicts(results, "Neural has an nDCG@10 of 0.792 ± 0.21 [0.60, 0.70].")[1:] == [
        ("± 0.21", "stale"),
        ("[0.60, 0.70]", "stale"),
    ]


def test_the_subset_that_a_sentence_names_is_held(results):
    # On all queries a query without evidence counts 0: pooled 0.8349 · 6/12, the mean of the folds is another number.
    shown = results.by_id["ndcg@10|neural|all_queries|fold_mean"].display.value
    [one] = traced(results, f"On all queries the nDCG@10 of Neural is {shown}.")
    assert (one.verdict, one.macro) == ("linked", "{{rg ndcg@10 neural all_queries}}")
    [one] = traced(results, f"On positive queries the nDCG@10 of Neural is {shown}.")
    assert one.verdict == "stale"


def test_values_of_folds_are_known_where_the_text_speaks_of_folds(results):
    assert verdicts(results, "The nDCG@10 of Neural is 0.921 in one fold.") == [("0.921", "linked")]
    assert verdicts(results, "The nDCG@10 of Neural is 0.921.") == [("0.921", "stale")]


def test_numbers_that_are_no_results_are_left_alone(results):
    text = (
        "Table 3 lists nDCG@10 of Neural with a 95 % CI (p = 0.03, n = 12, α = 0.05, τ = 0.4). "
        "We use 10,000 resamples and version 1.2.3. AUROC of chance is 0.5. TPR@FPR≤5% of Neural is not applicable. "
        "The nDCG@10 of Neural must be at least 0.85. `nDCG@10 of Neural is 0.1`."
    )
    assert verdicts(results, text) == []


def test_targets_and_parameters_are_not_called_stale(results):
    assert verdicts(results, "Our target for the nDCG@10 of Neural, 0.85, is missed.") == [("0.85", "unknown")]
    table = "| System | γ | nDCG@10 |\n|--|--|--|\n| Neural | 0.7 | 0.85 |\n"
    assert verdicts(results, table) == [("0.85", "unknown")]


def test_a_sentence_that_names_no_metric_goes_on_with_the_last_one(results):
    assert verdicts(results, "We look at nDCG@10 first. Neural reaches 0.792.") == [("0.792", "linked")]
    assert verdicts(results, "We look at nDCG@10 first. Neural reaches 0.85.") == [("0.85", "unknown")]
    assert verdicts(results, "We look at nDCG@10 first. BERTScore is 0.85.") == []


def test_tables_are_traced_too(results):
    text = (
        "| System | nDCG@10 | AUROC (%) |\n|--|--|--|\n| Neural | 0.792 ± 0.183 | 100.0 |\n| Lexical | 0.730 | 71.9 |\n"
        "| Improvement | +6.3 points | |\n"
    )
    found = traced(results, text)
    assert [(one.line, one.text, one.verdict) for one in found] == [
        (3, "0.792", "linked"), (3, "± 0.183", "linked"), (3, "100.0", "linked"), (4, "0.730", "stale"),
        (4, "71.9", "linked"), (4, "+6.3", "linked"),
    ]  # fmt: skip
    assert found[3].place == "table 1 (line 1), row 2, column 'nDCG@10'"


def test_a_table_with_metrics_in_rows_and_cut_offs_in_a_column_is_traced(results):
    rows = "| Metric | Lexical | Neural |\n|--|--|--|\n| Recall@10 | 1.000 | 0.958 |\n| Brier score | 0.234 | 0.096 |\n"
    assert [one.verdict for one in traced(results, rows)] == ["linked"] * 4
    cuts = "| System | K | Recall |\n|--|--|--|\n| Neural | 10 | 0.958 |\n| Neural | 1 | 0.958 |\n"
    assert [one.verdict for one in traced(results, cuts)] == ["linked", "stale"]


def test_latex_gets_macros(results):
    text = (
        "\\documentclass{article}\n\\begin{document}\n% Neural has an nDCG@10 of 0.1\nNeural reaches an nDCG@10 of "
        "$0.792$, \\rg{ndcg@10}{lexical} for Lexical.\n\\begin{tabular}{lr}\\toprule System & nDCG@10 \\\\\\midrule\n"
        "Neural & \\textbf{0.792} \\\\\n\\bottomrule\\end{tabular}\n\\end{document}\n"
    )
    found = traced(results, text, "tex")
    assert [(one.line, one.text, one.macro) for one in found] == [
        (4, "0.792", r"\rg{ndcg@10}{neural}"),
        (6, "0.792", r"\rg{ndcg@10}{neural}"),
    ]
    [one] = traced(results, "On label A nDCG@10 of Neural on positive queries is 0.883.", "tex")
    assert one.macro == r"\rg[label=A/positives_only]{ndcg@10}{neural}"


def test_html_is_read_as_it_is_shown(results):
    page = "<p>Neural has an <b>nDCG@10</b> of <i>0.792</i></p><script>Neural nDCG@10 0.1</script>"
    assert verdicts(results, page, "html") == [("0.792", "linked")]


def test_what_is_offered_gives_the_number_when_it_is_filled_in(results):
    found = traced(results, "Neural reaches an nDCG@10 of 0.81 and Lexical 0.729.")
    text = " and ".join(one.macro for one in found)
    assert fill(text, quantities(results), lambda shown, _: markdown(shown.text)) == "0.792 and 0.729"


def test_the_interval_of_a_difference_is_traced_from_either_side(results):
    pair = results.comparison_by_id["ndcg@10|neural-vs-lexical|positives_only|fold_mean"]
    lower, upper = (f"{100 * bound:.2f}" for bound in (pair.intervals[0].lower, pair.intervals[0].upper))
    text = f"On nDCG@10, Neural is 6.29 points higher (95 % CI {lower} to {upper}) than Lexical."
    assert [(one.verdict, one.macro) for one in traced(results, text)] == [
        ("linked", "{{rg ndcg@10 neural-vs-lexical}}"),
        ("linked", "{{rginterval ndcg@10 neural-vs-lexical}}"),
    ]
    other = (
        f"On nDCG@10, Lexical is 6.29 points lower (95 % CI {-float(upper):.2f} to {-float(lower):.2f}) than Neural."
    )
    assert [one.verdict for one in traced(results, other)] == ["linked", "linked"]
    wrong = "On nDCG@10, Neural is 6.29 points higher (95 % CI 1.00 to 2.00) than Lexical."
    assert [one.verdict for one in traced(results, wrong)] == ["linked", "stale"]


def test_a_difference_that_was_not_compared_is_one_of_values(results):
    # MRR@3 is not a headline metric: 3/4 and 29/48 differ by 7/48, 14.58 points.
    [one] = traced(results, "Neural raises the MRR@3 of Lexical by 14.58 points.")
    assert one.verdict == "linked"
    assert one.result == "mrr@3|neural|positives_only|fold_mean and mrr@3|lexical|positives_only|fold_mean"
    assert one.macro == ""


def test_a_headline_difference_outside_the_family_is_its_record_and_has_no_p(results):
    # Brier 0.23417 and 0.09583: 13.83 points.
    [one] = traced(results, "Neural lowers the Brier score of Lexical by 13.83 points.")
    assert (one.verdict, one.result) == ("linked", "brier|neural-vs-lexical|all_queries|fold_mean")
    assert one.macro == "{{rg brier neural-vs-lexical}}"
    assert results.comparison_by_id[one.result].tests == ()
    with pytest.raises(RenderError, match="brier of neural-vs-lexical"):
        fill("{{rgp brier neural-vs-lexical}}", quantities(results), lambda shown, _: markdown(shown.text))


def test_a_change_with_one_system_or_none_is_looked_for_among_all(results):
    assert verdicts(results, "Neural improves nDCG@10 by 6.29 points.") == [("6.29 points", "linked")]
    assert verdicts(results, "The gain in nDCG@10 is +6.29 points.") == [("+6.29 points", "linked")]
    assert verdicts(results, "The gain in nDCG@10 is +9.99 points.") == [("+9.99 points", "unknown")]


def test_a_result_that_has_no_value_is_no_candidate(results):
    assert verdicts(results, "The TPR@FPR≤5% (TUNE→EVAL) of Neural is 0.5.") == [("0.5", "unknown")]


def test_a_label_narrows_the_queries(results):
    # On label A nDCG@10 of Neural is 1 and 0.7654 in fold 1 and 0.6934 in fold 2, which is 0.788 in the mean.
    [one] = traced(results, "On positive queries of A, the nDCG@10 of Neural is 0.788.")
    assert (one.verdict, one.result) == ("linked", "ndcg@10|neural|label=A/positives_only|fold_mean")


def test_cut_offs_may_stand_behind_the_number(results):
    assert verdicts(results, "Recall of Neural is 0.958 at K = 10.") == [("0.958", "linked")]
    [one] = traced(results, "Recall of Neural is 0.958 at K = 7.")
    assert (one.verdict, one.message) == ("unknown", "0.958 the bundle has no metric 'Recall@7'")


def test_a_number_before_its_metric_is_taken_where_it_stands_right_before(results):
    assert verdicts(results, "With 0.792 nDCG@10 Neural leads.") == [("0.792", "linked")]
    assert verdicts(results, "At 0.792 the threshold of Neural is lower, and nDCG@10 too.") == []
    assert verdicts(results, "Of 90 % of the queries nDCG@10 of Neural is known; 40 % is what is left of it.") == []


def test_standard_errors_absolute_gains_and_counts_of_tables_are_left_alone(results):
    text = (
        "| Metric | Lexical | Neural | SE | Absolute gain |\n|--|--|--|--|--|\n"
        "| nDCG@10 | 0.729 | 0.792 | 0.01 | 0.06 |\n"
        "| n | 6 | 6 | | |\n"
    )
    assert verdicts(results, text) == [("0.729", "linked"), ("0.792", "linked")]


# the verb


def test_the_verb_lists_every_number_and_exits_with_1_where_one_is_wrong(results, tmp_path: Path):
    (tmp_path / "metrics_master.json").write_bytes(encode(results))
    document = tmp_path / "doc.md"
    document.write_text("Neural has an nDCG@10 of 0.792 and Lexical 0.8.\n", encoding="utf-8")
    done = CliRunner().invoke(cli.main, ["trace", str(document), "--bundle", str(tmp_path)])
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        f"{document}:1: 0.792 is ndcg@10|neural|positives_only|fold_mean",
        "  {{rg ndcg@10 neural}}",
        f"RG680 {document}:1: 0.8 is not the value of nDCG@10 of Lexical: the bundle has '0.729'",
        "  {{rg ndcg@10 lexical}}",
        "2 numbers: 1 linked, 1 stale",
    ]
    asked = CliRunner().invoke(cli.main, ["trace", str(document), "--bundle", str(tmp_path), "--json"])
    first, second = json.loads(asked.stdout)["numbers"]
    assert (first["verdict"], first["severity"]) == ("linked", "")
    assert (second["code"], second["severity"], second["fix"]) == ("RG680", "error", registry()["RG680"].fix)


def test_a_text_whose_numbers_are_right_or_unknown_exits_with_0(results, tmp_path: Path):
    master = tmp_path / "metrics_master.json"
    master.write_bytes(encode(results))
    document = tmp_path / "doc.md"
    for text, last in (("No number.", "0 numbers: none that should come from the bundle"),
                       ("An nDCG@7 of 0.3.", "1 numbers: 1 unknown")):  # fmt: skip
        document.write_text(text, encoding="utf-8")
        done = CliRunner().invoke(cli.main, ["trace", str(document), "--bundle", str(master)])
        assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, last)


def test_a_bundle_that_cannot_be_read_exits_with_2(tmp_path: Path):
    (tmp_path / "doc.md").write_text("x", encoding="utf-8")
    done = CliRunner().invoke(cli.main, ["trace", str(tmp_path / "doc.md"), "--bundle", str(tmp_path / "none.json")])
    assert (done.exit_code, done.stderr[:5]) == (2, "RG401")
