"""The outputs of a bundle: its figures, each drawn once, its tables, and the documents that show both.

Each reads the staged metrics_master.json, the values of single queries where a figure shows these, and nothing else
but what is drawn of the figures already. So it can be made
in a process of its own, and its bytes do not depend on what runs beside it.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from reportgen.bundle.target import relative_files
from reportgen.bundle.theme_choice import choose_theme
from reportgen.errors import Diagnostic, RenderError, ReportgenError
from reportgen.formats import (
    FIGURE_DATA,
    Format,
    Made,
    Presentation,
    bundled,
    formats,
    maker_of,
    present,
    render_tables,
    text_area,
)
from reportgen.query_values import NAME as PER_QUERY
from reportgen.workers import Processes

if TYPE_CHECKING:
    from reportgen.domain.presentation import Figure
    from reportgen.render.figure_files import Drawn, Picture

MASTER = "metrics_master.json"
FIGURES, TABLES = "figures", "tables"
"""Folders of the bundle, and the outputs that fill them."""
TITLES = {FIGURES: "Figures", TABLES: "Tables"}

_Result = TypeVar("_Result")
_Task: TypeAlias = tuple[str, Callable[[], Any]]
"""The output that it belongs to, of which it may make one part of several, and what to call."""
_Progress: TypeAlias = Callable[[str, float], None]


def outputs_of(wanted: Sequence[Format]) -> tuple[str, ...]:
    """Return the outputs that some formats need: figures, tables, then a document for each format that has one."""
    needed = {
        FIGURES: any(one.figures for one in wanted),
        TABLES: any(one.tables for one in wanted),
        **{one.name: bool(one.documents) for one in wanted},
    }
    return tuple(output for output, is_needed in needed.items() if is_needed)


def title_of(output: str) -> str:
    """Return what an output is called while it is made."""
    return TITLES.get(output) or formats()[output].title


@lru_cache(maxsize=1)
def staged(directory: Path) -> Presentation:
    """Return the presentation of a staged bundle, read once per process."""
    from reportgen.results import read_results

    results, values = read_results(directory / MASTER), directory / PER_QUERY
    shown = present(results, per_query=lambda: values.read_bytes() if values.is_file() else None)
    return replace(shown, theme=choose_theme(results, directory)[1])


def make_outputs(
    staging: Path, wanted: Sequence[Format], jobs: int, progress: _Progress
) -> tuple[tuple[str, ...], dict[str, Diagnostic]]:
    """Make the outputs of a bundle in its staging folder, which holds the numbers.

    Args:
        staging: The folder.
        wanted: The formats that are asked for.
        jobs: Number of processes; the bytes do not depend on it.
        progress: Called with the name of each output and the share done: 0.0 when it begins, 1.0 when it is done.

    Returns:
        The warnings of the outputs, each text once, in their order; and why what is left out could not be made, its
        renderer having stopped: by the name of the format, of which no document and no table is left in the folder,
        or by ``figure ID``, of which no file is.

    Raises:
        RenderError: An output cannot be made; the problems of all figures together.
    """
    names = tuple(one.name for one in wanted)
    outputs = outputs_of(wanted)
    documents = [name for name in outputs if name not in TITLES]
    warned: list[str] = []
    lost: dict[str, Diagnostic] = {}
    with Processes(jobs) as processes:
        tasks: list[_Task] = []
        with_tables = [one.name for one in wanted if any(form.default for form in one.tables)]
        tasks += [(TABLES, partial(attempted, make_output, TABLES, staging, (name,))) for name in with_tables]
        n_before = len(tasks)
        if FIGURES in outputs:
            (staging / FIGURES).mkdir()
            drawing = range(len(staged(staging).figures))
            tasks += [(FIGURES, partial(attempted, draw_staged, at, staging, names)) for at in drawing]
        results = _results(processes, tasks, progress)
        _take(zip(with_tables, results[:n_before], strict=True), warned, lost)
        drawn: Sequence[tuple[str, Drawn]] = [one for one in results[n_before:] if not isinstance(one, Diagnostic)]
        if problems := [problem for _, one in drawn for problem in one.problems]:
            raise RenderError(problems)
        pictures = {id: one.picture for id, one in drawn if one.picture}
        warned += [text for _, one in drawn for _, text in one.warnings]
        for problem in (one for one in results[n_before:] if isinstance(one, Diagnostic)):
            lost[problem.where] = problem
            # A report without one of its figures would not be the report.
            lost |= {one.name: problem for one in wanted if one.documents}
        parts = [
            (name, part) for name in documents for part in range(len(formats()[name].documents)) if name not in lost
        ]
        tasks = [(name, partial(attempted, make_output, name, staging, names, pictures, part)) for name, part in parts]
        _take(zip((name for name, _ in parts), _results(processes, tasks, progress), strict=True), warned, lost)
    _leave_out(staging, lost)
    return tuple(dict.fromkeys(warned)), lost


def _take(
    made: Iterable[tuple[str, tuple[str, ...] | Diagnostic]], warned: list[str], lost: dict[str, Diagnostic]
) -> None:
    """Put the warnings of outputs, by the names of their formats, to the others; or why one could not be made."""
    for name, told in made:
        if isinstance(told, Diagnostic):
            lost.setdefault(name, told)
        else:
            warned += told


def _leave_out(staging: Path, lost: Collection[str]) -> None:
    """Remove the documents and tables of formats that are left out."""
    for path in relative_files(staging) if lost else ():
        maker = maker_of(path)
        if maker is not None and maker.name in lost:
            (staging / path).unlink()
            if path != Path(path).name and not any((staging / path).parent.iterdir()):
                (staging / path).parent.rmdir()


def attempted(make: Callable[..., _Result], *args: Any) -> _Result | Diagnostic:
    """Return what an output gives; why it cannot be made where its renderer stopped (RG541, RG543).

    Raises:
        RenderError: It cannot be made for a reason that lies in what is to be shown.
    """
    try:
        return make(*args)
    except RenderError as error:
        if error.problems[0].code not in ("RG541", "RG543"):
            raise
        return error.problems[0]


@contextmanager
def _rendering(what: str) -> Iterator[None]:
    """Turn whatever a renderer stumbles over into a RenderError (RG543): the rest of a build is whole without it."""
    try:
        yield
    except ReportgenError:
        raise
    except Exception as error:
        reason = f"its renderer stopped at {type(error).__name__}: {error}"
        raise RenderError(Diagnostic("RG543", what, reason)) from error


def draw_staged(at: int, directory: Path, names: tuple[str, ...]) -> tuple[str, Drawn]:
    """Draw one figure of a staged bundle, write its files, and return its id and what drawing it led to.

    A report has the widths of a page, files those of the run's venue: where these differ, it is drawn for each.
    """
    from reportgen.render.figure_files import draw_once, write_drawn

    shown = staged(directory)
    figure, tokens, page_tokens = shown.figures[at], shown.tokens(), shown.page_tokens()
    wanted = [formats()[name] for name in names]
    kinds = tuple(dict.fromkeys(kind for one in wanted for kind in one.figures))
    files = tuple(kind for kind in kinds if kind != FIGURE_DATA)
    on_page = tuple(dict.fromkeys(kind for one in wanted for kind in one.pictures))
    alike = tokens == page_tokens
    with _rendering(f"figure {figure.id}"):
        drawn = draw_once(figure, files, tokens, on_page=on_page if alike else ())
        page = draw_once(figure, (), page_tokens, on_page=on_page) if on_page and not alike else None
    if page is not None:
        both = (drawn, page)
        drawn = replace(
            drawn,
            picture=page.picture,
            problems=tuple(dict.fromkeys(problem for one in both for problem in one.problems)),
            warnings=tuple(dict.fromkeys(warning for one in both for warning in one.warnings)),
        )
    return figure.id, write_drawn(figure, _fitting(figure, drawn), directory / FIGURES, data=FIGURE_DATA in kinds)


def _fitting(figure: Figure, drawn: Drawn) -> Drawn:
    """Return what was drawn, where a figure that is larger than its page is a problem: a paper would lose its edge."""
    from reportgen.render.figure_files import LargeFigureWarning

    large = [text for category, text in drawn.warnings if category is LargeFigureWarning]
    where = f"figure {figure.id}"
    too_large = [Diagnostic("RG564", where, text.removeprefix(f"{where}: ")) for text in large]
    return replace(drawn, problems=(*drawn.problems, *too_large))


def make_output(
    output: str,
    directory: Path,
    names: tuple[str, ...],
    pictures: Mapping[str, Picture] | None = None,
    part: int = 0,
) -> tuple[str, ...]:
    """Write the files of the tables or of a part of a document into a staged bundle; return its warnings, each once.

    ``pictures`` are those of the figures for a page, by their ids. An output may be made in a process of its own, whose
    warnings would reach nobody in a readable form.
    """
    shown = staged(directory)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if output == TABLES:
            files: dict[str, bytes] = {}
            area = partial(text_area, shown.results, shown.theme)
            for form in (form for name in names for form in formats()[name].tables if form.default):
                with _rendering(f"tables as {form.name}"):
                    rendered = render_tables(bundled(shown.tables, form), [form.name], area=area)
                files |= {name if form.together else f"{TABLES}/{name}": text for name, text in rendered.items()}
        else:
            made = Made(names, directory / FIGURES if (directory / FIGURES).is_dir() else None, pictures)
            with _rendering(title_of(output)):
                files = {**formats()[output].documents[part](shown, made)}
        for name, content in files.items():
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            (directory / name).write_bytes(content)
    return tuple(dict.fromkeys(str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)))


def _results(processes: Processes, tasks: Sequence[_Task], progress: _Progress) -> list[Any]:
    """Call tasks and return their results in order, saying how much of each output is done."""
    all_of = Counter(output for output, _ in tasks)
    done: Counter[str] = Counter()
    results: dict[int, Any] = {}
    for output in all_of:
        progress(output, 0.0)
    for at, result in processes.outcomes([task for _, task in tasks]):
        results[at] = result
        output = tasks[at][0]
        done[output] += 1
        progress(output, done[output] / all_of[output])
    return [results[at] for at in range(len(tasks))]
