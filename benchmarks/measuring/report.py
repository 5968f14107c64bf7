"""Times, the machine they were taken on, and a table in Markdown."""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def arguments(description: str, **options: Callable[[str], object]) -> argparse.Namespace:
    """``--quick`` (the default, under three minutes) or ``--full``; ``options``: others, and the kind of each."""
    parser = argparse.ArgumentParser(description=description)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="few repetitions of the peers (default)")
    size.add_argument("--full", action="store_true", help="more repetitions and sizes")
    for name, kind in options.items():
        parser.add_argument(f"--{name}", type=kind)
    return parser.parse_args()


def seconds(work: Callable[[], object], repeats: int = 1, clock: Callable[[], float] = time.process_time) -> float:
    """The shortest time of some repetitions: processor time of this process, so that other work does not count.

    With ``time.perf_counter`` as ``clock`` it is what somebody waiting would see.
    """
    times = []
    for _ in range(repeats):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


def machine(*packages: str) -> str:
    """Processor, cores and versions, in one line."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.partition(":")[2].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return ", ".join([model, f"{cores} cores", f"Python {platform.python_version()}", *map(_version, packages)])


def _version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} absent"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
