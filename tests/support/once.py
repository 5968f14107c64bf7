"""What is expensive and the same for every test that asks for it, made once for all processes of a test run."""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from filelock import FileLock

_FOLDER = "REPORTGEN_TESTS_MADE_ONCE"
"""The variable that tells the processes of one run where to look; the first of them sets it."""

Made = TypeVar("Made")


def begin(config: pytest.Config) -> None:
    """Give the run its folder, which the processes it starts find in their environment."""
    if not hasattr(config, "workerinput"):
        os.environ[_FOLDER] = tempfile.mkdtemp(prefix="reportgen-tests-")


def end(config: pytest.Config) -> None:
    """Remove the folder, when the process that made it is through."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ.pop(_FOLDER))


def once(name: str, make: Callable[[], Made]) -> Made:
    """What ``make`` returned in the first process that asked for it under this name; the others read it from a file."""
    kept = Path(os.environ[_FOLDER]) / name
    with FileLock(f"{kept}.lock"):
        if not kept.exists():
            # A value that cannot be read back must not look made.
            content = pickle.dumps(make())
            kept.write_bytes(content)
        made: Made = pickle.loads(kept.read_bytes())
        return made


def folder_once(name: str, make: Callable[[Path], Made]) -> tuple[Path, Made]:
    """The folder of this name that ``make`` filled in the first process that asked for it, and what it returned.

    No test may change the folder.
    """
    folder = Path(os.environ[_FOLDER]) / f"{name}-folder"

    def made() -> Made:
        shutil.rmtree(folder, ignore_errors=True)  # of a process that failed in making it
        folder.mkdir()
        return make(folder)

    return folder, once(name, made)
