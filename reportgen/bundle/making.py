"""How the parts of a bundle are made, in one process or several: each figure once, then what shows the figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reportgen.bundle.parts import FIGURES, draw_staged, make_part, staged
from reportgen.errors import RenderError
from reportgen.workers import worker_pool

if TYPE_CHECKING:
    from reportgen.render.figure_drawing import Drawn, OnScreen

_SHOW_FIGURES = ("pdf", "html", "paper")
_Task = tuple[str, Callable[[], Any]]
"""The part it belongs to, of which it may be one of several, and what to call."""
_Progress = Callable[[str, float], None]


def make_parts(
    parts: Sequence[str], staging: Path, formats: tuple[str, ...], jobs: int, progress: _Progress
) -> tuple[str, ...]:
    """Make the parts of a bundle in its staging folder, which holds the numbers.

    Args:
        parts: What :func:`reportgen.bundle.parts.parts_of` gives.
        staging: The folder.
        formats: The formats that are asked for.
        jobs: Number of processes; the bytes do not depend on it.
        progress: Called with the name of each part and the share done: 0.0 when it begins, 1.0 when it is done.

    Returns:
        What the parts warned of, each text once, in the order of the parts.

    Raises:
        RenderError: A part cannot be made; the problems of all figures together.
    """
    warned: dict[str, tuple[str, ...]] = {}
    pictures: dict[str, OnScreen] = {}
    with _workers(jobs) as results_of:
        free = [part for part in parts if part not in _SHOW_FIGURES and part != FIGURES]
        tasks = _drawing(staging, formats) if FIGURES in parts else []
        drawn = len(tasks)
        tasks += [(part, partial(make_part, part, staging, formats, pictures)) for part in free]
        results = results_of(tasks, progress)
        warned[FIGURES] = _collect(results[:drawn], pictures)
        warned |= zip(free, results[drawn:], strict=True)
        shown = [part for part in parts if part in _SHOW_FIGURES]
        tasks = [(part, partial(make_part, part, staging, formats, pictures)) for part in shown]
        warned |= zip(shown, results_of(tasks, progress), strict=True)
    return tuple(dict.fromkeys(text for part in parts for text in warned[part]))


def _drawing(staging: Path, formats: tuple[str, ...]) -> list[_Task]:
    (staging / FIGURES).mkdir()
    return [(FIGURES, partial(draw_staged, at, staging, formats)) for at in range(len(staged(staging).figures))]


def _collect(drawn: Sequence[tuple[str, Drawn]], pictures: dict[str, OnScreen]) -> tuple[str, ...]:
    """Put the pictures of all figures under their ids; returns what drawing them warned of."""
    if problems := [problem for _, one in drawn for problem in one.problems]:
        raise RenderError(problems)
    pictures.update({id: one.picture for id, one in drawn if one.picture})
    return tuple(text for _, one in drawn for _, text in one.warnings)


@contextmanager
def _workers(jobs: int) -> Iterator[Callable[[Sequence[_Task], _Progress], list[Any]]]:
    """A function that calls tasks, in this process or in several, and returns their results in order."""
    if jobs <= 1:
        yield partial(_results, _one_by_one)
        return
    with worker_pool(jobs) as pool:
        try:
            yield partial(_results, partial(_side_by_side, pool))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _results(
    call: Callable[[Sequence[_Task], _Progress], Iterator[tuple[int, Any]]],
    tasks: Sequence[_Task],
    progress: _Progress,
) -> list[Any]:
    all_of = Counter(part for part, _ in tasks)
    done: Counter[str] = Counter()
    results: dict[int, Any] = {}
    for at, result in call(tasks, progress):
        results[at] = result
        part = tasks[at][0]
        done[part] += 1
        progress(part, done[part] / all_of[part])
    return [results[at] for at in range(len(tasks))]


def _one_by_one(tasks: Sequence[_Task], progress: _Progress) -> Iterator[tuple[int, Any]]:
    begun: set[str] = set()
    for at, (part, task) in enumerate(tasks):
        if part not in begun:
            progress(part, 0.0)
            begun.add(part)
        yield at, task()


def _side_by_side(pool: ProcessPoolExecutor, tasks: Sequence[_Task], progress: _Progress) -> Iterator[tuple[int, Any]]:
    running = {pool.submit(task): at for at, (_, task) in enumerate(tasks)}
    for part in dict.fromkeys(part for part, _ in tasks):
        progress(part, 0.0)
    for future in as_completed(running):
        yield running[future], future.result()
