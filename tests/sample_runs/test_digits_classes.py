"""The sample run of several classes with groups has the values that scikit-learn gives."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from lxml import html

import reportgen as rg

FOLDER = Path(__file__).resolve().parents[2] / "sample_runs" / "digits_classes"


def test_each_group_has_the_values_of_scikit_learn() -> None:
    results = rg.evaluate(FOLDER, resamples=0, crosscheck="none").record
    expected = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
    assert len(expected) == 6
    for place, metrics in expected.items():
        system, group = place.split("|")
        assert results.subset_by_id[f"{group}/all_rows"].n_queries == metrics.pop("n")
        for metric, value in metrics.items():
            found = results.find(metric, system, f"{group}/all_rows", "pooled").value
            assert found == pytest.approx(value, abs=1e-12), (place, metric)


@pytest.mark.slow
def test_a_bundle_is_built_and_its_page_shows_the_groups(tmp_path: Path) -> None:
    results = rg.evaluate(FOLDER, resamples=20, crosscheck="none")
    rg.build(results, tmp_path / "v1", formats=["html"])
    page = html.fromstring((tmp_path / "v1" / "report.html").read_text(encoding="utf-8"))
    shown = page.get_element_by_id("tab:subgroups-compact").text_content()
    assert {"0.909", "0.927", "0.924"} <= set(re.findall(r"0\.\d{3}", shown))  # accuracy of Naive Bayes by ink
