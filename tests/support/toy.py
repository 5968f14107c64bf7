"""A process in which another distribution is installed that extends the product: the sources in ``tests/extending``."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "tests" / "extending" / "toy"
_ANNOUNCED = """\
[reportgen.metrics]
gmean = toy.metric
[reportgen.tables]
gmeans = toy.table
[reportgen.figures]
gmeans = toy.figure
[reportgen.checks]
few-queries = toy.check
[reportgen.codes]
toy = toy.check:CODES
[reportgen.formats]
toy = toy.format:FORMAT
"""

Run: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]
"""Runs ``reportgen`` with arguments where the toy is installed."""


def install(site: Path) -> Run:
    """Install the toy into a folder, and return what runs the command line beside it."""
    shutil.copytree(SOURCES, site / "toy", ignore=shutil.ignore_patterns("__pycache__"))
    about = site / "toy-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(_ANNOUNCED)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(site), str(ROOT)))}

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "reportgen", *map(str, arguments)]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    return run
