"""Small runs that each lack something, evaluated with few resamples: what a report must not speak of."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa

import reportgen as rg
from reportgen.contracts import load_contract
from reportgen.domain.record import Results
from reportgen.domain.run import Run
from reportgen.evaluation import evaluate
from reportgen.inputs import read_run
from tests.support.once import once

_ROOT = Path(__file__).resolve().parents[2]
_N = 60
_RESAMPLES = 40


def _truth() -> list[int]:
    return [int(at % 3 == 0) for at in range(_N)]


def _probabilities(seed: int, gain: float = 0.3) -> list[float]:
    draw = random.Random(seed)
    return [round(min(max(draw.random() * 0.6 + gain * y, 0.01), 0.99), 3) for y in _truth()]


def _two() -> dict[str, list[float]]:
    return {"one": _probabilities(1), "two": _probabilities(2, 0.4)}


def _pages() -> list[str]:
    return [f"p{at // 2}" for at in range(_N)]


def _halves() -> list[int]:
    return [1 + at * 2 // _N for at in range(_N)]


def _ranked(seed: int) -> dict[str, dict[str, float]]:
    draw = random.Random(seed)
    return {f"q{at}": {f"d{n}": draw.random() for n in range(5)} for at in range(30)}


def _supplied() -> Run:
    rows = [
        {"system": one, "query": f"q{at}", "y_true": 1, "mrr": 1 / (n + at % 3), "evidence_recall_at_k": at % 2}
        for n, one in enumerate(("one", "two"), 1)
        for at in range(_N)
    ]
    return rg.from_frame(pa.Table.from_pylist(rows))


def _trained() -> Run:
    rows = [
        {"query": at, "fold": fold, "seed": seed, "y_true": y, "y_prob": p}
        for seed in (1, 2, 3)
        for at, (fold, y, p) in enumerate(zip(_halves(), _truth(), _probabilities(seed), strict=True))
    ]
    return rg.from_frame(pa.Table.from_pylist(rows))


def _ladder() -> Run:
    probabilities = {**_two(), "three": _probabilities(3, 0.5)}
    with tempfile.TemporaryDirectory() as folder:
        lines = ["system,query,y_true,y_prob"]
        lines += [f"{name},{at},{y},{of[at]}" for name, of in probabilities.items() for at, y in enumerate(_truth())]
        (Path(folder) / "predictions.csv").write_text("\n".join(lines) + "\n")
        systems = [f'[[systems]]\nid = "{name}"\nstep = {at}' for at, name in enumerate(probabilities, 1)]
        (Path(folder) / "run.toml").write_text("\n".join(['[files]\npredictions = "predictions.csv"', *systems]))
        return read_run(Path(folder))


_RUNS: Mapping[str, Callable[[], Run]] = {
    "bare": lambda: rg.from_predictions(_truth(), _probabilities(1)),
    "rankings only": lambda: rg.from_rankings(
        {f"q{at}": {f"d{at % 5}": 1} for at in range(30)}, {"one": _ranked(1), "two": _ranked(2)}
    ),
    "supplied metrics only": _supplied,
    "one system": lambda: rg.from_predictions(_truth(), _probabilities(1), clusters=_pages(), folds=_halves()),
    "one fold": lambda: rg.from_predictions(_truth(), _two(), clusters=_pages()),
    "several trainings": _trained,
    "one label": lambda: rg.from_predictions(_truth(), _two(), labels=["A"] * _N, folds=_halves()),
    "ablation ladder": _ladder,
    "no tested family": lambda: rg.from_predictions(_truth(), _two(), folds=_halves()),
    "tuning split and states": lambda: read_run(_ROOT / "sample_runs" / "tiny"),
}
CONTRACTS = ("audit", "dual-protocol", "end-to-end", "gold-standard", "paper")
"""The contracts of the five documents."""
_UNLIKE = ("bare", "rankings only", "one label", "tuning split and states")
"""Runs that the contracts tell apart: what they ask for, and how they sum it up."""
MATRIX = (
    *((name, "field-standard") for name in _RUNS),
    *((name, contract) for name in _UNLIKE for contract in CONTRACTS),
)
"""The names of runs, each with the contract that it is evaluated under."""


def results_of(name: str, contract: str = "field-standard") -> Results:
    """Return the results of a run of the matrix under a contract."""

    def make() -> Results:
        resamples = 0 if name == "no tested family" else _RESAMPLES
        agreed = load_contract(contract, {"resamples": resamples})
        return evaluate(_RUNS[name](), agreed, command="", created=None).results

    return once(f"matrix-{name.replace(' ', '-')}-{contract}", make)
