"""Compiling what the product writes, with what the log must not say."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pypdf
import pytest

ENGINES = [
    pytest.param(
        engine,
        marks=pytest.mark.skipif(shutil.which(engine) is None, reason=f"{engine} is not installed (TeX Live has it)"),
    )
    for engine in ("pdflatex", "lualatex")
]


def installed(file: str) -> bool:
    """Whether TeX finds a file of this name."""
    return subprocess.run(["kpsewhich", file], capture_output=True, check=False).returncode == 0


def compiled(folder: Path, engine: str, job: str = "main") -> str:
    """Compile main.tex, or another file, twice, check the log, and return the text of the PDF."""
    # The first pass is for the labels alone; without a PDF it takes less.
    for options in (["-draftmode"], []):
        done = subprocess.run(
            [engine, *options, "-halt-on-error", "-interaction=nonstopmode", f"{job}.tex"],
            cwd=folder, capture_output=True, timeout=240, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout.decode(errors="replace")[-2_000:]
    log = (folder / f"{job}.log").read_text(errors="replace")
    assert not re.search(r"Missing character|undefined|multiply defined|Rerun to get", log)
    wide = [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\)", log)]
    assert [points for points in wide if points > 1] == []
    return "".join(page.extract_text() for page in pypdf.PdfReader(folder / f"{job}.pdf").pages)
