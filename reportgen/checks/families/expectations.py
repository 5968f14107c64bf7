"""What a contract leaves open, and what it says of its source's own data, held beside the run."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen import numbers
from reportgen.checks.rule import Observed, rule
from reportgen.domain.contract import Contract, Expected
from reportgen.domain.run import Run

_NAMES = {
    "clusters": "clusters",
    "queries": "queries",
    "positives": "positive queries",
    "negatives": "negative queries",
    "fold_clusters": "clusters in each fold",
    "tune_share": "share of TUNE among the clusters that are not in the evaluated fold",
}


@rule("RG251")
def omitted_conventions(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield conventions that the contract does not say, with the values that were taken."""
    if contract.omitted:
        said = ", ".join(f"{key} = {contract[key]}" for key in contract.omitted)
        yield Observed(
            f"The contract {contract.id} does not say every convention; the field's standard was taken: {said}."
        )


@rule("RG253")
def expectations(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield every expectation that the run can be compared with."""
    found = _sizes(run)
    for key, expected in contract.expectations.items():
        here = found.get(key)
        if here is not None:
            same = here == expected if key != "tune_share" else abs(_real(here) - _real(expected)) < 0.005
            verdict = "as expected" if same else "not the data the contract was written for"
            yield Observed(
                f"Expected by the contract, {_NAMES[key]}: {_said(expected)}; here {_said(here)} ({verdict}).",
                status="passed" if same else "failed",
            )


def _sizes(run: Run) -> dict[str, Expected]:
    positives = int(run.queries.y_true.sum())
    sizes: dict[str, Expected] = {
        "clusters": len(np.unique(run.queries.cluster)),
        "queries": len(run.queries),
        "positives": positives,
        "negatives": len(run.queries) - positives,
        "fold_clusters": tuple(
            len(np.unique(run.queries.cluster[run.queries.fold == fold])) for fold in range(len(run.folds))
        ),
    }
    tune = next((system.tune for system in run.systems if system.tune is not None), None)
    if tune is not None and len(run.folds) > 1:
        rest = [int((run.cluster_fold != fold).sum()) for fold in range(len(run.folds))]
        used = [len(np.unique(tune.cluster[tune.fold == fold])) for fold in range(len(run.folds))]
        sizes["tune_share"] = sum(used) / sum(rest)
    return sizes


def _real(value: Expected) -> float:
    return float(value) if isinstance(value, int | float) else float("nan")


def _said(value: Expected) -> str:
    if isinstance(value, tuple):
        return ", ".join(numbers.count(part) for part in value)
    return numbers.count(value) if isinstance(value, int) else numbers.fixed(value, 2)
