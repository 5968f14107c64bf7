"""The real runs and their evaluations, each made once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from reportgen.contracts import load_contract
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
    """(engine, run name, contract id, conventions) to the values, without resampling."""

    @cache
    def evaluated(engine: str, name: str, contract: str, overrides: tuple[tuple[str, Setting], ...]) -> Numbers:
        return compute(engine, runs(name), load_contract(contract, {"resamples": 0, **dict(overrides)}))

    def lookup(engine: str, name: str, contract: str = "field-standard", **overrides: Setting) -> Numbers:
        return evaluated(engine, name, contract, tuple(sorted(overrides.items())))

    return lookup


@pytest.fixture(scope="session")
def resampled(runs: Callable[[str], Run]) -> Results:
    """The product's results on the digits run with 2,000 resamples of whole clusters from all folds together."""
    contract = load_contract("field-standard", {"interval_strata": "none", "resamples": 2000})
    return fast_results(runs("digits_pages"), contract)
