"""The outputs of a bundle: its figures, each drawn once, its tables, and the documents that show both.

Each reads the staged metrics_master.json and nothing else but what is drawn of the figures already. So it can be made
in a process of its own, and its bytes do not depend on what runs beside it.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from reportgen.bundle.theme_choice import choose_theme
from reportgen.errors import RenderError
from reportgen.formats import Format, Made, Presentation, formats, present, render_tables, text_area
from reportgen.workers import worker_pool

if TYPE_CHECKING:
    from reportgen.render.figure_files import Drawn, Picture

MASTER = "metrics_master.json"
FIGURES, TABLES = "figures", "tables"
"""Folders of the bundle, and the outputs that fill them."""
TITLES = {FIGURES: "Figures", TABLES: "Tables"}

_Task: TypeAlias = tuple[str, Callable[[], Any]]
"""The output that it belongs to, of which it may make one part of several, and what to call."""
_Progress: TypeAlias = Callable[[str, float], None]


def outputs_of(wanted: Sequence[Format]) -> tuple[str, ...]:
    """Return the outputs that some formats need: figures, tables, then a document for each format that has one."""
    needed = {
        FIGURES: any(one.figures is not None for one in wanted),
        TABLES: any(one.tables for one in wanted),
        **{one.name: one.document is not None for one in wanted},
    }
    return tuple(output for output, is_needed in needed.items() if is_needed)


def title_of(output: str) -> str:
    """Return what a waiting person is told that an output is."""
    return TITLES.get(output) or formats()[output].title


@lru_cache(maxsize=1)
def staged(directory: Path) -> Presentation:
    """Return the presentation of a staged bundle, read once per process."""
    from reportgen.results import read_results

    results = read_results(directory / MASTER)
    return replace(present(results), theme=choose_theme(results, directory)[1])


def make_outputs(staging: Path, wanted: Sequence[Format], jobs: int, progress: _Progress) -> tuple[str, ...]:
    """Make the outputs of a bundle in its staging folder, which holds the numbers.

    Args:
        staging: The folder.
        wanted: The formats that are asked for.
        jobs: Number of processes; the bytes do not depend on it.
        progress: Called with the name of each output and the share done: 0.0 when it begins, 1.0 when it is done.

    Returns:
        The warnings of the outputs, each text once, in their order.

    Raises:
        RenderError: An output cannot be made; the problems of all figures together.
    """
    names = tuple(one.name for one in wanted)
    outputs = outputs_of(wanted)
    documents = [name for name in outputs if name not in TITLES]
    warned: list[str] = []
    with _workers(jobs) as results_of:
        tasks: list[_Task] = []
        if FIGURES in outputs:
            (staging / FIGURES).mkdir()
            tasks = [(FIGURES, partial(draw_staged, at, staging, names)) for at in range(len(staged(staging).figures))]
        n_figures = len(tasks)
        if TABLES in outputs:
            tasks.append((TABLES, partial(make_output, TABLES, staging, names)))
        results = results_of(tasks, progress)
        drawn: Sequence[tuple[str, Drawn]] = results[:n_figures]
        if problems := [problem for _, one in drawn for problem in one.problems]:
            raise RenderError(problems)
        pictures = {id: one.picture for id, one in drawn if one.picture}
        warned += [text for _, one in drawn for _, text in one.warnings]
        tasks = [(name, partial(make_output, name, staging, names, pictures)) for name in documents]
        for texts in (*results[n_figures:], *results_of(tasks, progress)):
            warned += texts
    return tuple(dict.fromkeys(warned))


def draw_staged(at: int, directory: Path, names: tuple[str, ...]) -> tuple[str, Drawn]:
    """Draw one figure of a staged bundle, write its files, and return its id and what drawing it led to.

    A report has the widths of a page, files those of the run's venue: where these differ, it is drawn for each.
    """
    from reportgen.render.figure_files import draw_once, write_drawn

    shown = staged(directory)
    figure, tokens, page_tokens = shown.figures[at], shown.tokens(), shown.page_tokens()
    wanted = [formats()[name] for name in names]
    files = tuple(dict.fromkeys(kind for one in wanted for kind in one.figures or ()))
    on_page = tuple(dict.fromkeys(kind for one in wanted for kind in one.pictures))
    alike = tokens == page_tokens
    drawn = draw_once(figure, files, tokens, on_page=on_page if alike else ())
    if on_page and not alike:
        page = draw_once(figure, (), page_tokens, on_page=on_page)
        both = (drawn, page)
        drawn = replace(
            drawn,
            picture=page.picture,
            problems=tuple(dict.fromkeys(problem for one in both for problem in one.problems)),
            warnings=tuple(dict.fromkeys(warning for one in both for warning in one.warnings)),
        )
    return figure.id, write_drawn(figure, drawn, directory / FIGURES)


def make_output(
    output: str, directory: Path, names: tuple[str, ...], pictures: Mapping[str, Picture] | None = None
) -> tuple[str, ...]:
    """Write the files of the tables or of one document into a staged bundle; return its warnings, each text once.

    ``pictures`` are those of the figures for a page, by their ids. An output may be made in a process of its own, whose
    warnings would reach nobody in a readable form.
    """
    shown = staged(directory)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if output == TABLES:
            forms = [form.name for name in names for form in formats()[name].tables if form.default]
            rendered = render_tables(shown.tables, forms, area=partial(text_area, shown.results, shown.theme))
            files: Mapping[str, bytes] = {f"{TABLES}/{name}": content for name, content in rendered.items()}
        else:
            document = formats()[output].document
            assert document is not None  # it is an output for having one
            made = Made(names, directory / FIGURES if (directory / FIGURES).is_dir() else None, pictures)
            files = document(shown, made)
        for name, content in files.items():
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            (directory / name).write_bytes(content)
    return tuple(dict.fromkeys(str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)))


@contextmanager
def _workers(jobs: int) -> Iterator[Callable[[Sequence[_Task], _Progress], list[Any]]]:
    """Give a function that calls tasks, in this process or in several, and returns their results in order."""
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
    all_of = Counter(output for output, _ in tasks)
    done: Counter[str] = Counter()
    results: dict[int, Any] = {}
    for at, result in call(tasks, progress):
        results[at] = result
        output = tasks[at][0]
        done[output] += 1
        progress(output, done[output] / all_of[output])
    return [results[at] for at in range(len(tasks))]


def _one_by_one(tasks: Sequence[_Task], progress: _Progress) -> Iterator[tuple[int, Any]]:
    begun: set[str] = set()
    for at, (output, task) in enumerate(tasks):
        if output not in begun:
            progress(output, 0.0)
            begun.add(output)
        yield at, task()


def _side_by_side(pool: ProcessPoolExecutor, tasks: Sequence[_Task], progress: _Progress) -> Iterator[tuple[int, Any]]:
    running = {pool.submit(task): at for at, (_, task) in enumerate(tasks)}
    for output in dict.fromkeys(output for output, _ in tasks):
        progress(output, 0.0)
    for future in as_completed(running):
        yield running[future], future.result()
