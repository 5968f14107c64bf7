"""What is installed of all that reports are made with, and how to get what is missing."""

from __future__ import annotations

import platform
import shutil
import subprocess
from collections.abc import Callable
from ctypes.util import find_library
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version

from reportgen.errors import RenderError
from reportgen.render.fonts import shipped
from reportgen.styles import load_tokens

_LIBRARIES = {"pango-1.0": "libpango-1.0-0", "pangoft2-1.0": "libpangoft2-1.0-0",
              "harfbuzz-subset": "libharfbuzz-subset0"}  # fmt: skip
"""Library of the text layout to Debian's package."""
LATEX_FILES = {"booktabs.sty": "texlive-latex-recommended", "placeins.sty": "texlive-latex-extra",
               "microtype.sty": "texlive-latex-recommended", "fontspec.sty": "texlive-latex-recommended",
               "xcolor.sty": "texlive-latex-recommended", "lmodern.sty": "lmodern",
               "IEEEtran.cls": "texlive-publishers", "acmart.cls": "texlive-publishers"}  # fmt: skip
"""File that the shipped LaTeX templates load, but those of LaTeX itself (texlive-latex-base), to Debian's package."""
_FRAMES = ("pandas", "polars")


@dataclass(frozen=True, slots=True)
class Needed:
    """One thing that is needed for something."""

    name: str
    found: str
    """What was found, such as a version; empty where it is missing."""
    needed_for: str
    required: bool
    """True if reportgen cannot make its own reports without it."""
    how: str
    """How to get it."""


def inspect(
    library: Callable[[str], str | None] = find_library, program: Callable[[str], str | None] = shutil.which
) -> tuple[Needed, ...]:
    """Look for everything that is needed, the required parts first.

    Args:
        library: gives the file of a shared library by its name, None where there is none.
        program: gives the path of a program by its name, None where there is none.
    """
    parts = [Needed("Python", platform.python_version(), "everything", True, "")]
    parts += [
        Needed(name, _version(name), "everything", True, f"pip install {name}") for name in sorted(_required_packages())
    ]
    parts += [
        Needed(name, library(name) or "", "report.pdf", True, f"apt-get install {debian} (macOS: brew install pango)")
        for name, debian in _LIBRARIES.items()
    ]
    parts.append(Needed("fonts", _fonts(), "report.pdf, report.html", True, "install reportgen and matplotlib again"))
    for name in ("pdflatex", "lualatex"):
        how = "apt-get install texlive-latex-base (or TeX Live, tug.org)"
        parts.append(Needed(name, program(name) or "", "compiling paper/main.tex", False, how))
    finder = program("kpsewhich")
    parts += [
        Needed(name, _tex_file(finder, name), "compiling paper/main.tex", False, f"apt-get install {debian}")
        for name, debian in LATEX_FILES.items()
    ]
    parts += [
        Needed(name, _version(name), "results.frame() in Python", False, f"pip install {name}") for name in _FRAMES
    ]
    return tuple(parts)


def _required_packages() -> list[str]:
    """Return the packages that reportgen says it needs, but those of extras."""
    try:
        declared = requires("reportgen") or []
    except PackageNotFoundError:  # run from a checkout that is not installed
        return []
    return [line.partition(">")[0].strip() for line in declared if "extra ==" not in line]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _fonts() -> str:
    try:
        found = shipped(load_tokens())
    except RenderError:
        return ""
    return f"{len(found)} files" if all(path.is_file() for path in found) else ""


def _tex_file(finder: str | None, name: str) -> str:
    if finder is None:
        return ""
    done = subprocess.run([finder, name], capture_output=True, text=True, check=False, timeout=60)
    return done.stdout.strip() if done.returncode == 0 else ""
