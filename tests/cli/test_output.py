from __future__ import annotations

import io
import sys

import pytest

from reportgen.cli.output import StepDisplay, time_left


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_each_step_with_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    steps = StepDisplay(quiet=False)
    with steps.showing():
        with steps.step("Reading the run"):
            pass
        steps.update("Ranking", 0.5)
        steps.update("Ranking", 1.0)
    shown = sys.stderr.getvalue()  # type: ignore[attr-defined]  # the stream set above
    assert "Reading the run" in shown
    assert "Ranking" in shown
    assert "0:00:00" in shown


def test_a_step_that_knows_its_share_shows_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    steps = StepDisplay(quiet=False)
    assert steps._shown is not None
    with steps.showing(), steps.step("Tables") as share:
        assert steps._shown.tasks[0].total is None
        share(0.25)
        assert steps._shown.tasks[0].percentage == 25.0
    assert steps._shown.finished


@pytest.mark.parametrize("quiet", [True, False], ids=["quiet", "no-terminal"])
def test_nothing_is_shown_when_asked_for_quiet_or_without_a_terminal(
    monkeypatch: pytest.MonkeyPatch, quiet: bool
) -> None:
    stream = Terminal() if quiet else io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    steps = StepDisplay(quiet=quiet)
    with steps.showing(), steps.step("Reading the run"):
        steps.update("Ranking", 0.5)
    assert stream.getvalue() == ""
    assert steps.seconds >= 0


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(None, ""), (0.4, ""), (1.2, "about 0:01 left"), (65.0, "about 1:05 left"), (3599.7, "about 60:00 left")],
)
def test_the_time_left_is_said_from_a_second_on(seconds: float | None, said: str) -> None:
    assert time_left(seconds) == said
