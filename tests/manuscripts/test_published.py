"""Published tables that contradict themselves: what the audit of them found by hand must be found here.

Source of the expected findings: the arithmetic and identity audit of the tables of "Metric Contract" (dual protocol),
and the description of the published bundle; not the linter's own output.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.manuscripts import LintReport, lint, read

EXTENDED = """
| Metric | Baseline | GNN (HPO) | Improvement |
|--------|----------|-----------|-------------|
| nDCG@1 | 0.5540 ± 0.063 | 0.6497 ± 0.052 | +17.27% |
| nDCG@3 | 0.6660 ± 0.042 | 0.7532 ± 0.039 | +13.09% |
| nDCG@5 | 0.7086 ± 0.037 | 0.7832 ± 0.038 | +10.53% |
| nDCG@10 | 0.7330 ± 0.031 | 0.8206 ± 0.030 | +10.48% |
| nDCG@20 | 0.7566 ± 0.032 | 0.8223 ± 0.026 | +8.68% |
| Precision@1 | 0.5540 ± 0.063 | 0.6605 ± 0.047 | +19.22% |
| Precision@3 | 0.2709 ± 0.008 | 0.3018 ± 0.008 | +11.41% |
| Precision@5 | 0.1859 ± 0.003 | 0.2002 ± 0.005 | +7.69% |
| Precision@10 | 0.1048 ± 0.002 | 0.1079 ± 0.001 | +2.96% |
| Hit@1 | 0.5540 ± 0.063 | 0.6605 ± 0.047 | +19.22% |
| Hit@3 | 0.7691 ± 0.030 | 0.8483 ± 0.027 | +10.30% |
| Hit@5 | 0.8631 ± 0.020 | 0.9187 ± 0.031 | +6.44% |
| Hit@10 | 0.9534 ± 0.017 | 0.9762 ± 0.012 | +2.39% |
| MAP@1 | 0.5540 ± 0.063 | 0.6605 ± 0.047 | +19.22% |
| MAP@3 | 0.6322 ± 0.047 | 0.7308 ± 0.037 | +15.60% |
| MAP@5 | 0.6574 ± 0.044 | 0.7508 ± 0.038 | +14.21% |
| MAP@10 | 0.6732 ± 0.042 | 0.7612 ± 0.035 | +13.07% |
"""
"""The extended table of "Metric Contract" (dual protocol)."""
MODELS = """
| Model | nDCG@10 | MRR | Recall@10 |
|-------|---------|-----|-----------|
| Baseline (Jina-v3) | 0.7330 ± 0.031 | 0.6746 ± 0.037 | 0.9444 ± 0.022 |
| + SAGE+Residual GNN | 0.8206 ± 0.030 | 0.7703 ± 0.035 | 0.9606 ± 0.019 |
| **Improvement** | +10.48% | +12.02% | +1.71% |
"""
"""Its table of models."""


def said(found: LintReport) -> set[tuple[str, str]]:
    """Code, and the cell in which it was found."""
    return {(check.code, check.where.rpartition(", row ")[2]) for check in found.findings}


def test_the_tables_of_the_dual_protocol_document_have_five_contradictions_and_no_more(tmp_path: Path):
    (tmp_path / "t.md").write_text(f"{MODELS}\n## Extended\n{EXTENDED}", encoding="utf-8")
    assert said(lint([read(tmp_path / "t.md")])) == {
        ("RG658", "3, column 'nDCG@10'"),  # +11.95, not +10.48
        ("RG658", "3, column 'MRR'"),  # +14.19, not +12.02
        ("RG658", "4, column 'Improvement'"),
        ("RG651", "1, column 'GNN (HPO)'"),  # 0.6497 and 0.6605, and their spreads
        ("RG654", "4, column 'GNN (HPO)'"),  # a step of 0.0374 where 0.0278 is possible
    }


def test_the_relative_gain_is_given_as_the_audit_computed_it(tmp_path: Path):
    (tmp_path / "t.md").write_text(MODELS, encoding="utf-8")
    messages = [check.message for check in lint([read(tmp_path / "t.md")]).findings]
    assert [message.rpartition(" or ")[2] for message in messages] == ["+11.94 to +11.97 %.", "+14.17 to +14.20 %."]


@pytest.fixture(scope="module")
def bundle(shared_data: Path) -> Path:
    return shared_data / "published_bundle" / "data"


def of(folder: Path) -> LintReport:
    return lint([read(path) for path in sorted(folder.rglob("*")) if path.is_file()])


def test_the_second_published_bundle_has_an_interval_too_narrow_for_its_queries(bundle: Path):
    # 0.8972 [0.8941, 0.9003] with 1,379 and 13,391 queries: 3.6 times narrower than independent queries give.
    found = of(bundle / "v2.0")
    assert {check.code for check in found.findings} == {"RG666"}
    assert "give 0.0111" in found.findings[0].message


def test_the_third_published_bundle_contradicts_itself_where_its_description_says(bundle: Path):
    messages = [(check.code, check.message) for check in of(bundle / "v3.0").findings]

    def has(code: str, *parts: str) -> bool:
        return any(code == of_code and all(part in message for part in parts) for of_code, message in messages)

    assert has("RG665", "[0.7099, 0.7757]", "0.7428", "± 1"), "an interval that is the mean and one SD"
    assert has("RG665", "[0.7838, 0.8362]", "0.8100", "± 1")
    assert has("RG671", "0.8206", "0.8100"), "manifest and JSON on one nDCG@10"
    assert has("RG671", "0.7703", "0.7633"), "and on one MRR"
    assert has("RG671", "0.7633", "0.3801"), "and two MRR without the name of a system"
    assert has("RG671", "0.9726", "0.7042"), "one name for recall at a fixed and at a selected K"
    assert has("RG671", "0.67", "0.66477"), "the AUROC of A.10"
    assert has("RG671", "14770", "13293"), "two populations"
    assert has("RG669", "positive_rate", "0.0933"), "a positive rate of positive queries"
    assert has("RG673", "1,179 of 13,293", "1,293"), "positive queries of nine labels"


def test_nothing_in_the_published_bundles_is_called_impossible_that_is_only_two_runs(bundle: Path):
    assert of(bundle / "v2.0").impossible == ()
    assert of(bundle / "v3.0").impossible == ()
