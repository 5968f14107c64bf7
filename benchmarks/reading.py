"""A Parquet file of predictions to a run, against pyarrow and pandas: rows per second and peak memory.

Synthetic: two systems on the same queries, five columns that are used and ten that are not. The first peer reads the
five columns into a data frame. The second also brings the rows of both systems together by query, as a comparison
needs them; unlike a run, it neither checks the values nor puts ids in their natural order.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from measuring.report import arguments, machine, seconds, table

from reportgen.domain.run import Run
from reportgen.inputs import read_run

USED = ("query_id", "cluster_id", "fold", "system", "y_true", "y_prob")
UNUSED = 10


def write(path: Path, rows: int) -> None:
    rng = np.random.default_rng(0)
    query = np.arange(rows) % (rows // 2)
    cluster = query // 10
    columns = {
        "query_id": pa.array([f"q{n}" for n in query]),
        "cluster_id": pa.array([f"p{n}" for n in cluster]),
        "fold": pa.array([f"f{n % 5}" for n in cluster]),
        "system": pa.array(["a"] * (rows // 2) + ["b"] * (rows // 2)),
        "y_true": pa.array((np.random.default_rng(1).random(rows // 2) < 0.1).astype(np.int64)[query]),
        "y_prob": pa.array(rng.random(rows)),
    }
    columns |= {f"feature_{n}": pa.array(rng.random(rows)) for n in range(UNUSED)}
    pq.write_table(pa.table(columns), path)


def frame(path: Path) -> None:
    pq.read_table(path, columns=list(USED)).to_pandas()


def by_query(path: Path) -> None:
    rows = pq.read_table(path, columns=list(USED)).to_pandas()
    wide = rows.pivot(index="query_id", columns="system", values="y_prob")
    facts = rows.groupby("query_id")[["cluster_id", "fold", "y_true"]].agg(["first", "nunique"])
    assert len(wide) == len(facts)


def declared(path: Path) -> Run:
    """A run folder that says which file it is: reading, without recognising what the file is."""
    (path.parent / "run.toml").write_text(f'[files]\nper_query = "{path.name}"\n')
    return read_run(path.parent)


WORK = {
    "reportgen": declared,
    "pyarrow.parquet.read_table, to_pandas": frame,
    "the same, pivoted, facts of a query compared": by_query,
}


def peak(work: str, path: Path, small: Path) -> float:
    """MB that the work on a file adds to a process of its own that did the same work on a small one."""
    command = [sys.executable, __file__, "--peak", work, str(path), str(small)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def measure_peak(work: str, path: str, small: str) -> None:
    WORK[work](Path(small))  # what is imported is not counted
    before = _most_held()
    WORK[work](Path(path))
    print(_most_held() - before)


def _most_held() -> float:
    """MB that this process held at most; ``getrusage`` would count its parent's too."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def main() -> None:
    sizes = (1_000_000, 4_000_000) if arguments(__doc__ or "").full else (1_000_000,)
    print(machine("pyarrow", "pandas", "numpy"), end="\n\n")
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.parquet"
        write(small, 1_000)
        for rows in sizes:
            path = Path(folder) / "predictions.parquet"
            write(path, rows)
            held = pq.read_table(path, columns=list(USED)).nbytes / 2**20
            times = {name: seconds(partial(work, path), 3) for name, work in WORK.items()}
            for name, time in times.items():
                ratio = f"{time / times['reportgen']:.2f} ×"
                memory = peak(name, path, small)
                speed = (f"{time:.2f} s", f"{rows / time:,.0f}", ratio)
                lines.append((f"{rows:,}", name, *speed, f"{memory:,.0f} MB", f"{memory / held:.1f} ×"))
    head = ("rows", "work", "time", "rows per second", "time against reportgen", "peak memory", "of the columns used")
    print(table(head, lines))


if __name__ == "__main__":
    # coverage.py of this folder must not stand before the package of that name.
    sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != Path(__file__).resolve().parent]
    if sys.argv[1:2] == ["--peak"]:
        measure_peak(*sys.argv[2:5])
    else:
        main()
