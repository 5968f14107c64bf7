from __future__ import annotations

from pathlib import Path

import pytest

import reportgen as rg


@pytest.fixture(scope="session")
def results(tiny: Path) -> rg.Results:
    """The invented run of a dozen queries, evaluated with few resamples."""
    return rg.evaluate(tiny, resamples=100, crosscheck="none")
