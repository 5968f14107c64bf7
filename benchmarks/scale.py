"""Cost against rows, queries, systems and B: TREC runs to a metrics_master.json, each in a process of its own.

Synthetic: the merit of each document is normal, a system sees it with noise, and a run lists the best documents of each
query by what the system sees. A third of the documents is judged. One size is varied at a time. Each is measured
several times and the shortest time counts, since other work on the machine only adds to it; how much longer the longest
took is the noise. The exponent is the slope of the line through log time over log size of all sizes so far; the time of
a process that computes next to nothing is taken off before.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from measuring.report import arguments, machine, table

from reportgen.contracts import load_contract
from reportgen.interactive.computing import compute
from reportgen.recognition import read
from reportgen.results import encode

OTHERS = 9
"""Documents of a query that a run does not list, for each that it lists."""


@dataclass(frozen=True)
class Size:
    systems: int = 10
    queries: int = 250
    listed: int = 100
    """Documents that a run lists for a query."""
    resamples: int = 200

    @property
    def rows(self) -> int:
        return self.systems * self.queries * self.listed


SMALL = Size(systems=2, queries=20, listed=10, resamples=0)
"""What takes as long as starting a process and writing its results."""
QUICK = {
    "listed": [replace(Size(), listed=n) for n in (25, 200)],
    "queries": [replace(Size(), queries=n) for n in (60, 500)],
    "systems": [replace(Size(), systems=n) for n in (5, 40)],
    "resamples": [replace(Size(), resamples=n) for n in (200, 10_000)],
}
FULL = QUICK | {
    "listed": [replace(Size(), listed=n) for n in (25, 100, 400, 4000)],
    "queries": [replace(Size(), queries=n) for n in (60, 250, 1000)],
    "systems": [replace(Size(), systems=n) for n in (10, 40, 143, 300)],
}
CROSSCHECKED = {"systems": [replace(Size(), systems=n) for n in (10, 143)]}
"""By size that is varied, what is measured: in the quick form, in the full one, and there with the cross-check."""


def write(root: Path, size: Size) -> None:
    """Write a folder of TREC runs with their judgements."""
    rng = np.random.default_rng(0)
    pool = size.listed * (1 + OTHERS)
    merit = rng.normal(size=(size.queries, pool))
    grade = np.clip(np.floor(merit - 0.2), 0, 3).astype(int)
    judged = rng.random(merit.shape) < 1 / 3
    root.mkdir()
    lines = (f"q{q} 0 d{q * pool + d} {grade[q, d]}\n" for q, d in zip(*np.nonzero(judged), strict=True))
    (root / "qrels.txt").write_text("".join(lines), encoding="ascii")
    (root / "run.toml").write_text('title = "Synthetic runs"\nsynthetic = true\n', encoding="ascii")
    for system in range(size.systems):
        seen = merit + (1 + system / size.systems) * rng.normal(size=merit.shape)
        with (root / f"s{system:03}.run").open("w", encoding="ascii") as file:
            for query, scores in enumerate(seen):
                best = np.argsort(-scores)[: size.listed]
                file.writelines(
                    f"q{query} Q0 d{query * pool + doc} {rank} {scores[doc]:.4f} s{system:03}\n"
                    for rank, doc in enumerate(best.tolist(), start=1)
                )


def cost(root: Path, size: Size, crosscheck: str) -> tuple[float, float]:
    """Return processor seconds and peak memory in MB of evaluating a folder in one process of its own."""
    command = [sys.executable, __file__, "--evaluate", str(root), str(size.resamples), crosscheck]
    spent, most = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-2:]
    return float(spent), float(most)


def evaluate_here(root: str, resamples: str, crosscheck: str) -> None:
    contract = load_contract("field-standard", {"resamples": int(resamples)})
    run = read(Path(root))
    encode(compute(run, contract, command="", created=None, extent="none" if crosscheck == "none" else "all").results)
    status = Path("/proc/self/status").read_text(encoding="ascii")
    print(time.process_time(), int(status.partition("VmHWM:")[2].split()[0]) / 1024)


def exponent(sizes: list[float], times: list[float]) -> float:
    """Return the slope of the line of least squares through log time over log size."""
    return float(np.polynomial.Polynomial.fit(np.log(sizes), np.log(times), 1).convert().coef[1])


def measured(varied: dict[str, list[Size]], crosscheck: str, repeats: int) -> Iterator[list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        fixed = min(_costs(Path(folder), SMALL, crosscheck, repeats))[0]
        for key, sizes in varied.items():
            times: list[float] = []
            for size in sizes:
                costs = _costs(Path(folder), size, crosscheck, repeats)
                spent, longest, most = min(costs)[0], max(costs)[0], max(most for _, most in costs)
                times.append(spent - fixed)
                per_row = f"{times[-1] / size.rows * 1e6:.1f} µs"
                row = [key, f"{getattr(size, key):,}", f"{size.rows:,}", f"{spent:.1f} s", f"{longest / spent - 1:.0%}"]
                known = [float(getattr(one, key)) for one in sizes[: len(times)]]
                fitted = f"{exponent(known, times):.2f}" if len(times) > 1 else ""
                yield [*row, per_row, f"{most:,.0f} MB", fitted]


def _costs(folder: Path, size: Size, crosscheck: str, repeats: int) -> list[tuple[float, float]]:
    root = folder / "-".join(map(str, (size.systems, size.queries, size.listed)))
    if not root.exists():
        write(root, size)
    return [cost(root, size, crosscheck) for _ in range(repeats)]


def main() -> None:
    full = arguments(__doc__ or "").full
    print(machine("numpy", "pyarrow"))
    print("\nWithout the cross-check:\n")
    show(measured(FULL if full else QUICK, "none", 3 if full else 1))
    if full:
        print("\nWith it:\n")
        show(measured(CROSSCHECKED, "all", 3))


def show(rows: Iterator[list[str]]) -> None:
    """Print a table, each row as it comes: the largest sizes take minutes."""
    print(table(["varied", "size", "rows", "processor", "noise", "per row", "peak memory", "exponent"], []), flush=True)
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--evaluate"]:
        evaluate_here(*sys.argv[2:])
    else:
        main()
