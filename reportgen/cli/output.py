"""What a verb says: the steps it takes, the files it wrote, its answer as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from reportgen.errors import printable

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


def say_json(data: Any) -> None:
    """Print data as JSON, for programs."""
    say_exactly(json.dumps(data, ensure_ascii=False, indent=1) + "\n")


def say_exactly(text: str) -> None:
    """Print a text that a program or another page takes over: in UTF-8, unless a person reads it on a terminal.

    A pipe may have an encoding that lacks characters (cp1252), which a terminal shows as question marks.
    """
    click.echo(text if sys.stdout.isatty() else text.encode(), nl=False)


def say_written(paths: Iterable[Path], sentence: str, *, quiet: bool, as_json: bool) -> None:
    """Print the paths as JSON, or else the sentence; nothing but the JSON where it must be quiet."""
    if as_json:
        say_json({"written": [str(path) for path in paths]})
    elif not quiet:
        click.echo(sentence)


class StepDisplay:
    """Steps on the screen of a waiting person, each with its time and, where known, the share done.

    They are shown on a terminal alone.
    """

    def __init__(self, quiet: bool) -> None:
        self._started = perf_counter()
        self._quiet = quiet
        self._shown: Progress | None = None
        self._running: dict[str, TaskID] = {}
        if not quiet and sys.stderr.isatty():
            self._shown = _progress()

    @property
    def seconds(self) -> float:
        """Return the time since the verb began."""
        return perf_counter() - self._started

    def note(self, text: str) -> None:
        """Say on standard error what the reader may not expect; nothing where it must be quiet."""
        if not self._quiet:
            click.echo(f"Note: {printable(text)}", err=True)

    @contextmanager
    def showing(self) -> Iterator[StepDisplay]:
        """Show the steps of the block; the lines stay on the screen."""
        if self._shown is None:
            yield self
            return
        with self._shown:
            yield self

    @contextmanager
    def step(self, name: str) -> Iterator[Callable[[float], None]]:
        """Show one step; who knows the share done, from 0 to 1, tells it to the function that this gives."""
        self.update(name, 0.0)
        yield partial(self.update, name)
        self.update(name, 1.0)

    def update(self, name: str, share: float) -> None:
        """Say how much of a step is done, from 0 to 1; an unknown name begins a step, 1 ends it."""
        if self._shown is None:
            return
        if name not in self._running:
            self._running[name] = self._shown.add_task(name, total=None if share == 0 else 1.0)
        if share > 0:
            self._shown.update(self._running[name], total=1.0, completed=min(share, 1.0))


def _progress() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
    from rich.text import Text

    class TimeLeft(ProgressColumn):
        """The time left of a step whose share done is known; nothing else is promised."""

        def render(self, task: Task) -> Text:
            return Text(time_left(None if task.finished else task.time_remaining), style="dim")

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
        TimeLeft(),
        console=Console(stderr=True),
    )


def time_left(seconds: float | None) -> str:
    """Return ``about 1:05 left``; nothing where it is not known or less than a second."""
    if seconds is None or seconds < 1:
        return ""
    minutes, rest = divmod(round(seconds), 60)
    return f"about {minutes}:{rest:02} left"
