"""Paired intervals of the digits run against another implementation's bootstrap, and tests by name against R's pROC."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from reportgen.contracts import load_contract
from reportgen.evaluation import evaluate
from tests.reference.engines import SAMPLE_RUNS

EXPECTED = json.loads((SAMPLE_RUNS / "digits_pages" / "expected.json").read_text(encoding="utf-8"))
BOOTSTRAP = EXPECTED["cluster_bootstrap_reference"]
METRICS = {"auroc": "auroc", "ndcg10_positives": "ndcg@10"}
CASES = [name for name in BOOTSTRAP if ":" in name]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def compared(runs):
    """All pairs of the digits run, pooled, with 2,000 resamples of whole clusters from all folds together."""
    run = runs("digits_pages")
    info = replace(run.info, family=("auroc", "ndcg@10"), pairs="all", tests=("delong_independent",))
    overrides = {"interval_strata": "none", "headline_aggregation": "pooled", "resamples": 2000}
    contract = replace(load_contract("field-standard", overrides), primary=())
    return evaluate(replace(run, info=info), contract, command="test").results


def find(compared, metric, a, b):
    """The comparison and the sign that turns it into a - b."""
    for c in compared.comparisons:
        if c.metric == metric and {c.system_a, c.system_b} == {a, b}:
            return c, 1 if c.system_a == a else -1
    raise LookupError(f"{metric}: {a}, {b}")


@pytest.mark.parametrize("case", CASES)
def test_paired_intervals_without_strata_equal_the_reference(compared, case):
    name, _, pair = case.partition(":")
    c, sign = find(compared, METRICS[name], *pair.split("-"))
    bounds = sorted((sign * c.intervals[0].lower, sign * c.intervals[0].upper))
    # Another implementation's 2,000 resamples with another generator: the ends agree to Monte-Carlo error.
    assert bounds == pytest.approx(BOOTSTRAP[case]["ci95"], abs=0.002)


@pytest.mark.parametrize("case", CASES)
def test_the_smallest_detectable_difference_rests_on_the_reference_standard_error(compared, case):
    name, _, pair = case.partition(":")
    c, _ = find(compared, METRICS[name], *pair.split("-"))
    # 12 comparisons: z(1 - 0.05 / 24) + z(0.8) = 2.865 + 0.842; an SE from 2,000 resamples is known to about 2 %.
    assert c.smallest_detectable == pytest.approx((2.865 + 0.842) * BOOTSTRAP[case]["se"], rel=0.08)


@pytest.mark.parametrize("pair", [k for k in EXPECTED["pROC_delong_iid"] if k.startswith("paired_")])
def test_paired_delong_of_the_pooled_auroc_equals_pROC(compared, pair):
    a, b = pair.removeprefix("paired_").split("_vs_")
    c, sign = find(compared, "auroc", a, b)
    (delong,) = [test for test in c.tests if test.name.startswith("paired DeLong")]
    # The record holds ten significant digits, of a Z of up to 14.
    assert sign * delong.statistic == pytest.approx(EXPECTED["pROC_delong_iid"][pair]["Z"], abs=5.1e-9)
    assert delong.p == pytest.approx(EXPECTED["pROC_delong_iid"][pair]["p"], abs=1e-9)


def test_a_clear_difference_is_shown_and_a_small_one_is_not(compared):
    # The reference interval of centroid - logreg_few_pixels on AUROC holds 0, that of logreg - tree3 is far from it.
    close, _ = find(compared, "auroc", "centroid", "logreg_few_pixels")
    apart, _ = find(compared, "auroc", "logreg_few_pixels", "tree3")
    assert close.verdict == "not_shown"
    assert apart.verdict in ("better", "worse")
