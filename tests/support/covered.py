"""Measuring which lines and branches of the package the suite runs, by all processes of a test run together.

SlipCover puts a mark beside each line and branch when a module is imported and takes it away once it has been met, so
that code runs at nearly its own speed. A trace function (the other way before Python 3.12) doubles the time of all
that is written in Python, libraries included.
"""

from __future__ import annotations

import io
import json
import os
from typing import Any

import pytest
import slipcover

LEAST = 95
"""Percent of lines and branches below which the run fails."""
_PACKAGE = "reportgen"
_LEFT_OUT = ["if TYPE_CHECKING:", "@overload"]


class Measurement:
    """A plugin of one process: begins when it is made, before the package is imported; reports when tests end."""

    def __init__(self) -> None:
        """Mark every module of the package that is imported from now on."""
        # Files that nobody imports are read once, by the process that leads.
        unseen = None if "PYTEST_XDIST_WORKER" in os.environ else [_PACKAGE]
        self._marks = slipcover.Slipcover(branch=True, source=unseen, exclude_also=_LEFT_OUT)
        slipcover.ImportManager(self._marks, slipcover.FileMatcher(sources=[_PACKAGE])).__enter__()
        self._of_workers: list[dict[str, Any]] = []
        self._all: dict[str, Any] = {}

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take what a worker met."""
        if met := getattr(node, "workeroutput", {}).get("covered"):
            self._of_workers.append(json.loads(met))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hand it to the process that leads, or join what all have met and judge it."""
        met = self._marks.get_coverage()
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["covered"] = json.dumps(met)
            return
        for other in self._of_workers:
            slipcover.merge_coverage(met, other)
        self._all = met
        if met["summary"]["percent_covered"] < LEAST:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print what no test runs, file by file."""
        table = io.StringIO()
        slipcover.print_coverage(self._all, outfile=table, skip_covered=True)
        found = self._all["summary"]["percent_covered"]
        terminalreporter.write(f"{table.getvalue()}\nCoverage: {found:.2f} % of lines and branches ({LEAST} needed)\n")
