"""Fixtures that tests of several layers share."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.support import once

if TYPE_CHECKING:
    from reportgen.domain.record import Results
    from tests.support.covered import Measurement
    from tests.support.toy import Run

ROOT = Path(__file__).resolve().parent.parent

# No test asserts a time: a busy machine must not fail a property.
settings.register_profile("suite", deadline=None)
settings.load_profile("suite")

# Python looks for cycles among all it holds after some hundred new objects; with the reports and runs that serve many
# tests in memory that was a sixth of the time.
gc.set_threshold(50_000, 20, 50)


def _measurement() -> Measurement | None:
    """The measurement of coverage, where ``make test`` asks for it; it begins before anything imports the package."""
    if not os.environ.get("REPORTGEN_TESTS_COVERED"):
        return None
    from tests.support.covered import Measurement

    return Measurement()


MEASUREMENT = _measurement()


def pytest_configure(config: pytest.Config) -> None:
    once.begin(config)
    if MEASUREMENT:
        config.pluginmanager.register(MEASUREMENT)


def pytest_unconfigure(config: pytest.Config) -> None:
    once.end(config)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start other processes for any work, however little."""
    monkeypatch.setattr("reportgen.workers._PATIENCE", 0)


@pytest.fixture(scope="session")
def with_toy(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run ``reportgen`` beside a distribution that adds one of each kind."""
    from tests.support.toy import install

    return install(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="session")
def synthetic() -> Results:
    """A small hand-built ``Results`` with invented numbers; frozen, so one serves all tests."""
    from tests.support.results import make_results

    return make_results()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of reference data that is too large, or not licensed, to be in the repository."""
    folder = Path(os.environ.get("REPORTGEN_SHARED_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"the shared reference data are not at {folder} (set REPORTGEN_SHARED_DATA)")
    return folder


@pytest.fixture(scope="session")
def digits_pages() -> Path:
    """The shipped sample run: real images and models, four systems, five folds."""
    return ROOT / "sample_runs" / "digits_pages"


@pytest.fixture(scope="session")
def tiny() -> Path:
    """The shipped invented run of a dozen queries, whose numbers are worked out by hand."""
    return ROOT / "sample_runs" / "tiny"
