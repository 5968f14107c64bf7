"""Each rule on a table one can check by hand: one that breaks it and one that is just within it."""

from __future__ import annotations

import pytest

from reportgen.manuscripts import lint
from reportgen.manuscripts.readers import READERS


def found(text: str, kind: str = "md", **options: bool) -> dict[str, list[str]]:
    """Code to the messages of a document."""
    codes: dict[str, list[str]] = {}
    for check in lint([READERS[kind](f"t.{kind}", text)], **options).findings:
        codes.setdefault(check.code, []).append(check.message)
    return codes


def of_files(*texts: tuple[str, str], **options: bool) -> dict[str, list[str]]:
    codes: dict[str, list[str]] = {}
    read = [READERS[name.partition(".")[2]](name, text) for name, text in texts]
    for check in lint(read, **options).findings:
        codes.setdefault(check.code, []).append(check.message)
    return codes


def table(heads: str, *rows: str, before: str = "") -> str:
    lines = [heads, " | ".join("---" for _ in heads.split("|")), *rows]
    return f"{before}\n\n" + "".join(f"| {line} |\n" for line in lines)


# RG651: whether the first document is relevant


def test_ndcg_and_precision_at_1_that_differ_are_impossible():
    text = table("Metric | A", "nDCG@1 | 0.65", "P@1 | 0.67", "Hit@1 | 0.67")
    assert found(text) == {"RG651": ["At K = 1 these are one number for binary relevance: nDCG@1 = 0.65, P@1 = 0.67, "
                                     "Hit@1 = 0.67."]}  # fmt: skip


def test_one_number_printed_with_more_and_fewer_digits_is_one_number():
    # 0.645 rounds to 0.64 or 0.65, whichever way ties go.
    assert found(table("Metric | A", "nDCG@1 | 0.645", "P@1 | 0.65")) == {}
    assert found(table("Metric | A", "nDCG@1 | 0.645", "P@1 | 0.64")) == {}


def test_spreads_of_one_number_are_one_number():
    text = table("Metric | A", "nDCG@1 | 0.65 ± 0.05", "P@1 | 0.65 ± 0.07")
    [message] = found(text)["RG651"]
    assert message.endswith("and so are their spreads: nDCG@1 ± 0.05, P@1 ± 0.07.")


def test_ndcg_at_1_of_graded_relevance_is_another_number():
    rows = ("nDCG@1 | 0.65", "P@1 | 0.67")
    assert found(table("Metric | A", *rows), graded=True) == {}
    assert found(table("Metric | A", *rows, before="Graded relevance.")) == {}


def test_map_at_1_is_that_number_only_where_it_divides_by_min_r_k():
    assert "RG651" in found(table("Metric | A", "MAP@1 (min(R,K)) | 0.60", "P@1 | 0.67"))
    assert found(table("Metric | A", "MAP@1 | 0.60", "P@1 | 0.67")) == {}


# RG652: what rises with K


@pytest.mark.parametrize("name", ["Recall", "Hit", "MRR"])
def test_what_rises_with_the_cut_off_cannot_fall(name):
    assert found(table("Metric | A", f"{name}@5 | 0.81", f"{name}@10 | 0.79")).keys() == {"RG652"}
    assert found(table("Metric | A", f"{name}@5 | 0.80", f"{name}@10 | 0.80")) == {}


def test_precision_may_fall_but_not_the_hits_behind_it():
    # 5 · 0.20 = 1.0 hits, so precision at 10 is at least 0.10.
    assert found(table("Metric | A", "P@5 | 0.200", "P@10 | 0.102")) == {}
    assert found(table("Metric | A", "P@5 | 0.200", "P@10 | 0.098")).keys() == {"RG652"}


def test_ndcg_and_map_over_min_r_k_may_fall():
    # Gold a and b, ranking a, x: nDCG is 1 and then 1/1.6309 = 0.613, AP over min(R, K) is 1 and then 1/2.
    text = table(
        "Metric | A", "nDCG@1 | 1.000", "nDCG@2 | 0.613", "MAP@1 (min(R,K)) | 1.000", "MAP@2 (min(R,K)) | 0.500"
    )
    assert found(text) == {}


def test_map_over_r_rises():
    assert found(table("Metric | A", "MAP@5 (/R) | 0.50", "MAP@10 (/R) | 0.40")).keys() == {"RG652"}


def test_a_column_of_k_is_a_cut_off():
    text = table("System | K | Hit | Recall", "A | 5 | 0.90 | 0.8", "A | 10 | 0.80 | 0.8", "B | 5 | 0.7 | 0.6")
    assert found(text)["RG652"] == ["hit falls from K = 5 to K = 10: Hit = 0.90, Hit = 0.80."]


# RG653: bounds


def test_recall_above_the_hit_rate_is_impossible():
    assert found(table("Metric | A", "Recall@10 | 0.91", "Hit@10 | 0.89")).keys() == {"RG653"}
    assert found(table("Metric | A", "Recall@10 | 0.90", "Hit@10 | 0.90")) == {}


def test_a_hit_rate_above_the_number_of_hits_is_impossible():
    # 10 · 0.0849 = 0.849 hits for each query at most.
    assert found(table("Metric | A", "P@10 | 0.084", "Hit@10 | 0.86")).keys() == {"RG653"}
    assert found(table("Metric | A", "P@10 | 0.085", "Hit@10 | 0.85")) == {}


def test_a_reciprocal_rank_lies_between_the_ranks_that_hit_rates_allow():
    # Hit@1 0.5, Hit@10 0.8: at least 0.5 + 0.3/10 = 0.53, cut at 10 at most 0.5 + 0.3/2 = 0.65,
    # and uncut at most 0.65 + 0.2/11 = 0.6682.
    rows = ("Hit@1 | 0.500", "Hit@10 | 0.800")
    for right in ("MRR@10 | 0.530", "MRR@10 | 0.650", "MRR | 0.668", "MRR | 0.530"):
        assert found(table("Metric | A", *rows, right)) == {}, right
    for wrong in ("MRR@10 | 0.528", "MRR@10 | 0.652", "MRR | 0.670", "MRR | 0.528"):
        assert found(table("Metric | A", *rows, wrong)).keys() == {"RG653"}, wrong


# RG654: the step of nDCG


def test_ndcg_rises_by_no_more_than_new_hits_can_add():
    # P@5 0.20 and P@10 0.11: 0.1 new hits, each worth at most 1/log2(7) = 0.3562, so at most 0.0356 and rounding.
    rows = ("P@5 | 0.2000", "P@10 | 0.1100", "nDCG@5 | 0.7000")
    assert found(table("Metric | A", *rows, "nDCG@10 | 0.7355")) == {}
    assert found(table("Metric | A", *rows, "nDCG@10 | 0.7370")).keys() == {"RG654"}
    assert found(table("Metric | A", *rows, "nDCG@10 | 0.7370"), graded=True) == {}


# RG655 to RG657: decisions


def test_complements_and_means_hold_for_means_over_folds_too():
    heads, before = "System | Sensitivity | Specificity | FPR | FNR | Balanced accuracy", "Means over folds."
    assert found(table(heads, "A | 0.80 | 0.90 | 0.10 | 0.20 | 0.85", before=before)) == {}
    wrong = found(table(heads, "A | 0.80 | 0.90 | 0.12 | 0.18 | 0.87", before=before))
    assert wrong == {"RG655": [
        "FPR = 0.12 and Specificity = 0.90 do not add up to 1.",
        "FNR = 0.18 and Sensitivity = 0.80 do not add up to 1.",
        "Balanced accuracy = 0.87 is not the mean of Sensitivity = 0.80 and Specificity = 0.90.",
    ]}  # fmt: skip


def test_f1_follows_from_its_parts_only_of_pooled_counts():
    # 2 · 0.5 · 1 / 1.5 = 0.667
    text = table("System | Precision | Recall | F1", "A | 0.500 | 1.000 | 0.700")
    assert found(text) == {}
    assert found(text, pooled=True).keys() == {"RG656"}
    assert found(f"Pooled counts.\n{text}").keys() == {"RG656"}
    assert found(text.replace("0.700", "0.667"), pooled=True) == {}


def test_mcc_follows_from_four_rates():
    # tp 40, fn 10, fp 20, tn 30: MCC = (1200 - 200)/sqrt(60 · 50 · 50 · 40) = 0.408.
    text = table("System | Sensitivity | Specificity | PPV | NPV | MCC", "A | 0.800 | 0.600 | 0.667 | 0.750 | 0.408")
    assert found(text, pooled=True) == {}
    assert found(text.replace("0.408", "0.450"), pooled=True).keys() == {"RG656"}


def test_rates_that_no_whole_numbers_give_are_impossible():
    # Of 10 positive queries sensitivity is a multiple of 0.1.
    text = table("System | Queries | Positive queries | Sensitivity | Specificity", "A | 20 | 10 | 0.85 | 0.90")
    assert found(text, pooled=True).keys() == {"RG657"}
    assert found(text.replace("0.85", "0.80"), pooled=True) == {}
    assert found(text.replace("0.85", "0.81")) == {}, "a mean over folds may lie near a rate of the pooled counts"


def test_rates_far_from_any_matrix_are_implausible_where_nothing_says_what_they_are():
    text = table(
        "System | Queries | Positive queries | Sensitivity | Precision | Accuracy", "A | 200 | 100 | 0.90 | 0.90 | 0.50"
    )
    assert found(text).keys() == {"RG672"}
    assert found(f"Means over 5 folds.\n{text}") == {}


# RG658: improvements


def test_an_improvement_is_a_difference_or_a_relative_one():
    heads = "Metric | Base | New | Improvement"
    for right in ("+10.0%", "+5.0 pp", "+0.05", "5.0%"):
        assert found(table(heads, f"nDCG@10 | 0.500 | 0.550 | {right}")) == {}, right
    # 0.5505/0.4995 - 1 = 10.21 % at most, 0.5495/0.5005 - 1 = 9.79 % at least.
    assert found(table(heads, "nDCG@10 | 0.500 | 0.550 | +10.2%")) == {}
    assert found(table(heads, "nDCG@10 | 0.500 | 0.550 | +10.3%")) == {
        "RG658": [
            "'+10.3%' does not follow: nDCG@10 = 0.500 and 0.550 give +4.90 to +5.10 points or +9.79 to +10.21 %."
        ]
    }


def test_a_row_of_improvements_is_held_against_the_rows_above_it():
    text = table("System | MRR | AUROC", "Base | 0.500 | 0.800", "New | 0.550 | 0.900", "Improvement | +10.0% | +20.0%")
    [message] = found(text)["RG658"]
    assert message.startswith("'+20.0%' does not follow: AUROC = 0.800 and 0.900 give")


def test_a_mean_of_the_improvements_of_folds_is_another_number():
    text = table("Metric | Base | New | Improvement (mean over folds)", "nDCG@10 | 0.500 | 0.550 | +10.9%")
    assert found(text) == {}


def test_an_error_that_falls_has_improved():
    # (0.05 - 0.03)/0.05 = 40 %, and 2 points.
    heads = "Metric | Base | New | Improvement"
    assert found(table(heads, "ECE | 0.050 | 0.030 | +40%", "Brier | 0.050 | 0.030 | 2.0 pp")) == {}
    assert found(table(heads, "ECE | 0.050 | 0.030 | +60%")).keys() == {"RG658"}


def test_a_reduction_of_errors_is_relative_to_what_is_missing():
    # From 0.90 to 0.95 half of the errors are gone.
    heads = "Metric | Base | New | Error reduction (%)"
    assert found(table(heads, "Accuracy | 0.900 | 0.950 | 50")) == {}
    assert found(table(heads, "Accuracy | 0.900 | 0.950 | 70")).keys() == {"RG658"}


def test_an_improvement_over_a_system_of_another_table_is_left_alone():
    assert found(table("Metric | Ours | Oracle | Gain vs. BM25", "MRR | 0.50 | 0.90 | +20%")) == {}
    assert found(table("Metric | Ours | BM25 | Gain vs. BM25", "MRR | 0.50 | 0.90 | +20%")).keys() == {"RG658"}


def test_of_three_systems_any_two_may_be_meant():
    heads = "System | MRR"
    rows = ("A | 0.500", "B | 0.550", "C | 0.600")
    assert found(table(heads, *rows, "Gain | +9.1%")) == {}  # 0.6/0.55 - 1
    [message] = found(table(heads, *rows, "Gain | +15.0%"))["RG658"]
    assert message.endswith(", and no two of the numbers beside it give it.")


# RG659, RG671: one name, two values


def test_a_table_that_says_one_thing_twice_must_say_the_same():
    assert found(table("System | MRR", "A | 0.50", "A | 0.52")).keys() == {"RG659"}
    assert found(table("System | MRR", "A | 0.50", "A | 0.50")) == {}


def test_an_empty_name_repeats_the_one_above_it():
    text = table("Data | System | MRR", "X | A | 0.50", " | B | 0.52", "Y | A | 0.40", " | B | 0.42")
    assert found(text) == {}


def test_ticks_are_no_names_and_are_not_repeated():
    text = table("GNN | HPO | MRR", "✓ | | 0.50", "✓ | ✓ | 0.52", " | ✓ | 0.54", " | | 0.48")
    assert found(text) == {}
    rows = r"\checkmark & & 0.50 \\ \checkmark & \checkmark & 0.52 \\ & \checkmark & 0.54 \\"
    assert found(rf"\begin{{tabular}}{{ccc}} GNN & HPO & MRR \\ \midrule {rows} \end{{tabular}}", "tex") == {}


def test_a_cell_beside_a_name_is_empty_and_does_not_repeat():
    assert found(table("System | Size | MRR", "A | large | 0.5", "B | | 0.6", "B | large | 0.7")) == {}


def test_two_columns_under_one_head_are_of_two_things():
    assert found(table("System | P@1 | Hit@1 | P@1 | Hit@1", "A | 0.50 | 0.50 | 0.60 | 0.60")) == {}
    assert found(table("System | P@1 | Hit@1 | P@1 | Hit@1", "A | 0.50 | 0.50 | 0.60 | 0.70")).keys() == {
        "RG651",
        "RG653",
    }


def test_rows_of_one_name_are_not_mixed():
    # The second A may be of other data: what the first lacks is not taken from it.
    assert "RG651" not in found(table("System | P@1 | Hit@1", "A | 0.5 | ", "B | 0.6 | 0.6", "A | | 0.7"))


def test_two_tables_that_name_system_and_queries_alike_must_say_the_same():
    first = table("Metric | Value | Protocol | System", "MRR | 0.50 | positives_only | A")
    second = table("System | Protocol | MRR", "A | positives_only | 0.53")
    assert of_files(("a.md", first), ("b.md", second)).keys() == {"RG659"}
    assert of_files(("a.md", first), ("b.md", second.replace("positives_only", "all_queries"))) == {}


def test_two_tables_that_only_seem_to_speak_of_one_thing_are_implausible():
    first, second = table("System | MRR", "GNN | 0.50"), table("System | MRR", "+ GNN (residual) | 0.53")
    assert of_files(("a.md", first), ("b.md", second)).keys() == {"RG671"}
    both = table("System | MRR", "GNN | 0.50", "+ GNN (residual) | 0.53")
    assert of_files(("a.md", first), ("b.md", both)) == {}


# RG660, RG673: populations


def test_more_positive_queries_than_queries_are_impossible():
    text = table("Label | Queries | Positive queries | AUROC", "A | 100 | 120 | 0.8")
    assert found(text) == {"RG660": ["120 positive queries are more than the 100 queries."]}


def test_the_four_counts_add_up_to_the_population():
    heads = "System | Queries | Positive queries | TP | FP | FN | TN | F1"
    assert found(table(heads, "A | 100 | 50 | 40 | 20 | 10 | 30 | 0.727")) == {}
    assert found(table(heads, "A | 100 | 50 | 40 | 20 | 12 | 30 | 0.714"))["RG660"] == [
        "TP + FN = 52, but there are 50 positive queries.",
        "TP + FP + FN + TN = 102, but there are 100 queries.",
    ]


def test_folds_add_up_to_their_total():
    heads = "Fold | Queries | Positive queries | MRR"
    rows = ("fold 1 | 10 | 4 | 0.5", "fold 2 | 12 | 6 | 0.6")
    assert found(table(heads, *rows, "Total | 22 | 10 | 0.55")) == {}
    assert found(table(heads, *rows, "Total | 22 | 11 | 0.55")) == {
        "RG660": ["The folds add up to 10, not 11 (Positive queries)."]
    }


def test_labels_that_are_the_whole_have_its_positive_queries():
    labels = "label,n_queries,n_positive,auroc\nA,100,20,0.8\nB,100,30,0.9\nC,100,10,0.7\n"
    whole = '{"n_queries": 200, "n_positive": 50, "excluded_criteria": ["C"]}'
    assert of_files(("labels.csv", labels), ("whole.json", whole)) == {}
    assert of_files(("labels.csv", labels), ("whole.json", whole.replace("50", "45")))["RG673"] == [
        "45 of 200 queries are positive here, but the labels that have 200 queries together have 50 positive ones."
    ]


# the other heuristics


def test_an_interval_made_of_a_standard_deviation_is_found():
    heads = "Metric | Value | SD | 95% CI"
    assert found(table(heads, "nDCG@10 | 0.7428 | 0.0329 | [0.7099, 0.7757]")).keys() == {"RG665"}
    assert found(table(heads, "nDCG@10 | 0.7428 | 0.0329 | [0.7253, 0.7610]")) == {}


def test_an_interval_far_narrower_than_that_of_independent_queries_is_found():
    # Hanley and McNeil with 1,379 and 13,391 at 0.8972: standard error 0.0057, half width 0.0111.
    text = '{"n_queries": 14770, "n_positive": 1379, "auroc": {"value": 0.8972, "ci_95": [%s]}}'
    assert found(text % "0.8941, 0.9003", "json").keys() == {"RG666"}
    assert found(text % "0.8861, 0.9083", "json") == {}


def test_one_value_with_a_spread_over_queries_and_one_over_folds_is_found():
    first, second = table("System | nDCG@10", "A | 0.7330 ± 0.309"), table("System | nDCG@10", "A | 0.7330 ± 0.031")
    assert of_files(("a.md", first), ("b.md", second)).keys() == {"RG667"}
    assert of_files(("a.md", first), ("b.md", first)) == {}


def test_two_spreads_of_which_heads_say_what_they_are_over_are_right():
    heads = "Metric | Value | SD over {}"
    first, second, third = (
        table(heads.format(over), f"nDCG@10 | 0.7330 | {sd}")
        for over, sd in (("queries", "0.309"), ("5 folds", "0.031"), ("10 folds", "0.309"))
    )
    assert of_files(("a.md", first), ("b.md", second)) == {}
    assert of_files(("a.md", second), ("b.md", third)).keys() == {"RG667"}
    both = table("Metric | Value | SD over 5 folds | SD over queries", "nDCG@10 | 0.7330 | 0.031 | 0.309")
    assert of_files(("a.md", both), ("b.md", second)) == {}


def test_a_chance_level_of_one_half_for_auprc_is_found():
    assert found(table("System | AUROC | AUPRC", "Random | 0.50 | 0.50", "A | 0.9 | 0.6")).keys() == {"RG668"}
    assert found(table("System | AUROC | AUPRC", "Random | 0.50 | 0.09", "A | 0.9 | 0.6")) == {}


def test_a_protocol_that_does_not_fit_its_value_is_found():
    heads = "Metric | Value | Protocol"
    assert found(table(heads, "positive_rate | 0.09 | positives_only")).keys() == {"RG669"}
    assert found(table(heads, "AUROC | 0.9 | positives_only")).keys() == {"RG669"}
    assert found(table(heads, "AUROC | 0.9 | all_queries", "positive_rate | 0.09 | all_queries")) == {}
    above = table(heads, "positive_rate | 0.09 | all_queries", "nDCG@10 | 0.82 | all_queries")
    assert found(above).keys() == {"RG669"}


def test_bold_on_another_number_than_the_best_is_found():
    heads = "System | MRR | ECE"
    assert found(table(heads, "A | **0.8** | 0.05", "B | 0.7 | **0.03**")) == {}
    assert found(table(heads, "A | 0.8 | **0.05**", "B | **0.7** | 0.03"))["RG670"] == [
        "MRR = 0.7 (B) is marked as the best, but MRR = 0.8 (A) is better.",
        "ECE = 0.05 (A) is marked as the best, but ECE = 0.03 (B) is better.",
    ]
    assert found(table(heads, "A | 0.8 | 0.02", "**B (ours)** | **0.7** | **0.03**")) == {}, "a row set in bold"


def test_bold_may_be_the_best_of_its_row_where_each_system_has_a_column():
    heads = "Label | AUROC A | AUROC B"
    assert found(table(heads, "D0 | 0.97 | **0.99**", "D1 | **0.91** | 0.88")) == {}
    assert found(table(heads, "D0 | **0.97** | 0.99", "D1 | 0.91 | **0.88**")).keys() == {"RG670"}


def test_a_share_outside_its_range_is_found():
    assert found(table("System | AUROC", "A | 104.2", "B | 90.1")).keys() == {"RG661"}


# units


def test_percent_and_shares_are_told_apart_by_sign_head_or_size():
    assert found(table("Metric | A", "nDCG@1 | 65.0%", "P@1 | 0.650")) == {}
    assert found(table("System | P@1 (%) | Hit@1 (%)", "A | 0.6 | 0.6", "B | 65.0 | 66.0")).keys() == {"RG651", "RG653"}
    assert found(table("System | P@1 | Hit@1", "A | 65.0 | 64.0")).keys() == {"RG651", "RG653"}


def test_a_number_whose_unit_cannot_be_told_is_held_against_nothing():
    # Hit@1 may be 0.9 or 0.9 %.
    assert found(table("System | P@1 | Hit@1", "A | 64.0 | 0.9")) == {}


def test_a_table_of_differences_is_no_table_of_values():
    assert found(table("System | nDCG@1 | P@1", "B - A | -0.02 | 0.05")) == {}
