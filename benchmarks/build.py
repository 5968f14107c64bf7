"""How long does a bundle take, and which parts of it? The whole command, and each part in one process."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from measuring.report import arguments, machine, table

from reportgen.bundle import outputs, write_bundle
from reportgen.contracts import load_contract
from reportgen.evaluation import Evaluation
from reportgen.inputs import read_run
from reportgen.interactive.computing import compute

RUNS = Path(__file__).resolve().parent.parent / "sample_runs"


def whole(name: str, jobs: int) -> list[str]:
    """Wall clock, processor time and files of the command, imports included."""
    with TemporaryDirectory() as folder:
        target = Path(folder) / "v1"
        command = [sys.executable, "-m", "reportgen", "-q", "build", RUNS / name, "-o", target, "-j", str(jobs)]
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, check=True)
        wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        files = [path for path in target.rglob("*") if path.is_file()]
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    size = sum(path.stat().st_size for path in files) if files else 0
    return [name, str(jobs), f"{wall:.1f} s", f"{processor:.1f} s", str(len(files)), f"{size / 1e6:.1f} MB"]


def parts(name: str) -> list[list[str]]:
    """Processor time of each part of a build in one process, after its imports."""
    run, contract = read_run(RUNS / name), load_contract("field-standard")
    spent: dict[str, float] = {}

    def timed(part: str, work: Callable[[], Evaluation]) -> Evaluation:
        began = time.process_time()
        found = work()
        spent[part] = time.process_time() - began
        return found

    evaluation = timed("evaluation", partial(compute, run, contract, command="", created=None, extent="none"))
    checked = timed("with cross-check", partial(compute, run, contract, command="", created=None))
    spent["cross-check"] = spent.pop("with cross-check") - spent["evaluation"]
    begun: dict[str, float] = {}

    def heard(output: str, share: float) -> None:
        if share == 0.0:
            begun[output] = time.process_time()
        else:
            # Outputs of one phase begin together, and are made one after the other.
            since = max([begun[output], *ended.values()])
            spent[outputs.title_of(output)] = spent.get(outputs.title_of(output), 0.0) + time.process_time() - since
            ended[output] = time.process_time()

    ended: dict[str, float] = {}
    with TemporaryDirectory() as folder:
        began = time.process_time()
        write_bundle(checked.results, Path(folder) / "v1", per_query=evaluation.per_query, progress=heard)
        all_of = time.process_time() - began
    of_outputs = sum(spent.values()) - spent["evaluation"] - spent["cross-check"]
    spent["reading, numbers, provenance, sums"] = all_of - of_outputs
    return [[part, f"{seconds:.1f} s"] for part, seconds in spent.items()]


def main() -> None:
    full = arguments(__doc__ or "").full
    print(machine("weasyprint", "matplotlib", "jinja2"), end="\n\n")
    name = "digits_pages" if full else "tiny"
    rows = [whole(name, jobs) for jobs in (2, 2, 1)] if full else [whole(name, 2)]
    print(table(("run", "processes", "wall clock", "processor", "files", "size"), rows), end="\n\n")
    print(table(("part", "processor"), parts(name)))


if __name__ == "__main__":
    main()
