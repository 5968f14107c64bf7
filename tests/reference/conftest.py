"""The real runs and their evaluations, each made once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from reportgen.contracts import load_contract
from reportgen.crosscheck import sample_of
from reportgen.domain.contract import Setting
from reportgen.domain.record import Results
from reportgen.domain.run import Run
from reportgen.inputs import read_run
from tests.reference.engines import SAMPLE_RUNS, SHARED_DATA, Numbers, compute, fast_results


@pytest.fixture(scope="session")
def runs() -> Callable[[str], Run]:
    """Name of a sample run or of a shared data set to its run; skips where shared data are absent."""

    @cache
    def read(name: str) -> Run:
        folder = SAMPLE_RUNS / name
        return read_run(folder if folder.is_dir() else _shared(name))

    return read


def _shared(name: str) -> Path:
    folder = SHARED_DATA / name / "run"
    if not folder.is_dir():
        pytest.skip(f"shared data set {name!r} is absent (REPORTGEN_SHARED_DATA says where it is)")
    return folder


@pytest.fixture(scope="session")
def numbers(runs: Callable[[str], Run]) -> Callable[..., Numbers]:
    """(engine, run name, contract id, conventions) to the values, without resampling.

    ``metrics`` and ``system`` narrow what is computed to the metrics and the one system that a test asks for,
    ``queries`` to about so many, in whole clusters.
    """

    @cache
    def evaluated(
        engine: str, name: str, contract: str, metrics: tuple[str, ...], system: str | None,
        queries: int | None, overrides: tuple[tuple[str, Setting], ...],
    ) -> Numbers:  # fmt: skip
        run, chosen = (
            sample_of(runs(name), queries) if queries else runs(name),
            load_contract(contract, {"resamples": 0, **dict(overrides)}),
        )
        if metrics:
            chosen = replace(chosen, metrics=metrics, headline=(), primary=_among(metrics, chosen.primary), targets=())
        if system:
            run = replace(run, systems=tuple(item for item in run.systems if item.id == system))
        return compute(engine, run, chosen)

    def lookup(
        engine: str, name: str, contract: str = "field-standard", *,
        metrics: tuple[str, ...] = (), system: str | None = None, queries: int | None = None, **overrides: Setting,
    ) -> Numbers:  # fmt: skip
        return evaluated(engine, name, contract, metrics, system, queries, tuple(sorted(overrides.items())))

    return lookup


def _among(metrics: tuple[str, ...], ids: tuple[str, ...]) -> tuple[str, ...]:
    """The ids of the metrics named, whatever their cut-off, budget or threshold."""
    names = {metric.partition("@")[0] for metric in metrics}
    return tuple(id for id in ids if id.partition("@")[0] in names)


@pytest.fixture(scope="session")
def resampled(runs: Callable[[str], Run]) -> Results:
    """The product's results on the digits run with 2,000 resamples of whole clusters from all folds together."""
    contract = load_contract("field-standard", {"interval_strata": "none", "resamples": 2000})
    return fast_results(runs("digits_pages"), contract)
