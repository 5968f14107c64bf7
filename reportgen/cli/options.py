"""Arguments and options that several verbs share, so that they read and mean the same everywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

import click

from reportgen.cli.sources import Changes, Extent, default_jobs
from reportgen.domain.statements import Statements, columns_said, scales_said

if TYPE_CHECKING:
    from reportgen.domain.table_options import ShownOption

Verb = TypeVar("Verb", bound=Callable[..., Any])

# As reportgen.domain.record.IntervalForm, which would load msgspec before it is known to be needed.
INTERVAL_FORMS = ("brackets", "below", "columns", "sd", "sd-and-interval", "none")
INPUT = click.Path(path_type=Path)
"""Existence is checked by the reader, whose message also says what to do."""


def source(verb: Verb) -> Verb:
    """Add SRC: a run, a metrics_master.json, or a bundle."""
    return click.argument("source", metavar="SRC", type=INPUT)(verb)


def output(default_name: str, what: str) -> Callable[[Verb], Verb]:
    """Add ``-o``: where the result goes."""
    return click.option(
        "-o", "--output", "target", metavar=default_name, type=click.Path(path_type=Path), required=True, help=what
    )


_SEVERAL = (
    click.option(
        "--queries",
        type=click.Choice(("same", "intersect")),
        help="With --beside: refuse runs whose queries differ, or compare on those that all have.  [default: same]",
    ),
    click.option(
        "--beside",
        type=INPUT,
        multiple=True,
        metavar="RUN",
        help="Another run, whose systems are compared with those of SRC on the same queries; may be given again.",
    ),
)
"""Which runs are compared, on which queries."""


def contract(verb: Verb) -> Verb:
    """Add ``--contract``: the conventions to compute under."""
    return click.option(
        "--contract",
        metavar="NAME|FILE",
        help="Conventions to compute under: a shipped contract (see `reportgen contract list`) or a TOML file.  "
        "[default: the run's]",
    )(verb)


def bundle(verb: Verb) -> Verb:
    """Add ``--bundle``: the results that the numbers of a text come from."""
    return click.option(
        "--bundle",
        metavar="BUNDLE",
        type=INPUT,
        required=True,
        help="Where the numbers come from: a bundle or a metrics_master.json.",
    )(verb)


_EVALUATION = (
    click.option(
        "--crosscheck",
        type=click.Choice(get_args(Extent)),
        default="sample",
        show_default=True,
        help="Queries on which a second implementation recomputes every value: a sample above 5,000 queries or "
        "1,000,000 rows, all, or none.",
    ),
    click.option(
        "--seed", type=click.IntRange(min=0), metavar="N", help="Seed of the resampling.  [default: the contract's]"
    ),
    click.option(
        "--resamples",
        type=click.IntRange(min=0),
        metavar="N",
        help="Bootstrap resamples behind each interval.  [default: the contract's]",
    ),
)
"""Options on how a run is evaluated, beside its contract; the last stands first in the help."""


def _read_by(read: Callable[[Sequence[str]], Any]) -> Callable[..., Any]:
    def callback(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> Any:
        try:
            return read(value)
        except ValueError as wrong:
            raise click.BadParameter(str(wrong), ctx, param) from None

    return callback


_STATEMENTS = (
    click.option("--states-from", metavar="TEXT", help="Where recorded states come from, in words."),
    click.option("--scale", "scales", metavar="[SYSTEM=]SCALE", multiple=True, callback=_read_by(scales_said),
                 help="What the numbers of the systems, or of one, are: probability, percent, logit, odds, confidence, "
                 "score or decision. May be given again."),
    click.option("--positive-class", metavar="NAME", help="The positive class, where the truth names two."),
    click.option("--subgroup", "subgroups", metavar="COLUMN", multiple=True,
                 help="A column that divides the queries into groups, such as sex. May be given again."),
    click.option("--column", "own_columns", metavar="NAME=COLUMN", multiple=True, callback=_read_by(columns_said),
                 help="What a column is, such as y_true=diagnosis. May be given again."),
    click.option("--use", metavar="FILE", multiple=True,
                 help="Look at this file of the folder only. May be given again."),
)  # fmt: skip
"""What files do not say where no run.toml declares them; the last stands first in the help."""


def statements(verb: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say what files without run.toml do not, handed to the verb as one ``said``."""

    @wraps(verb)
    def with_statements(
        *args: Any,
        own_columns: Mapping[str, tuple[str, ...]],
        subgroups: tuple[str, ...],
        positive_class: str | None,
        scales: Mapping[str, str],
        states_from: str | None,
        use: tuple[str, ...],
        run_title: str | None = None,
        **others: Any,
    ) -> None:
        groups = (*own_columns.get("subgroup", ()), *subgroups)
        columns = {**own_columns, "subgroup": groups} if groups else own_columns
        verb(*args, said=Statements(columns, positive_class, scales, states_from, run_title, use), **others)

    for option in _STATEMENTS:
        with_statements = option(with_statements)
    return with_statements


def title(verb: Verb) -> Verb:
    """Add ``--title``, which :func:`statements` hands on with the rest."""
    return click.option(
        "--title", "run_title", metavar="TEXT", help="Title of the evaluation, where no run.toml gives it."
    )(verb)


def evaluation(verb: Callable[..., None]) -> Callable[..., None]:
    """Add the options that change numbers, handed to the verb as one ``changes``."""

    @wraps(verb)
    def with_changes(
        *args: Any,
        contract: str | None,
        resamples: int | None,
        seed: int | None,
        crosscheck: Extent,
        beside: tuple[Path, ...],
        queries: Literal["same", "intersect"] | None,
        data: str | None,
        said: Statements,
        **others: Any,
    ) -> None:
        verb(*args, changes=Changes(contract, resamples, seed, crosscheck, beside, queries, data, said), **others)

    command = statements(with_changes)
    for option in (data, *_SEVERAL, *_EVALUATION):
        command = option(command)
    return contract(command)


def anonymous(verb: Verb) -> Verb:
    """Add ``--anonymous``: for double-blind review."""
    return click.option(
        "--anonymous",
        is_flag=True,
        help="Leave out what names the authors: names, links, addresses, paths, the revision. For double-blind review.",
    )(verb)


def as_json(verb: Verb) -> Verb:
    """Add ``--json``: what the verb reports, for programs."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")(verb)


def form(*others: str) -> Callable[[Verb], Verb]:
    """Add ``--format``: ``text``, or one of the other forms in which the verb prints what it found."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(("text", *others)),
        default="text",
        show_default=True,
        help="How to print what was found.",
    )


def link(verb: Verb) -> Verb:
    """Add ``--link``: where the whole report is, for a comment on a pull request."""
    return click.option(
        "--link", metavar="URL", default="", help="With Markdown: the address of the full report, named at the end."
    )(verb)


def jobs(verb: Verb) -> Verb:
    """Add ``--jobs``: processes; never changes a byte."""
    return click.option(
        "-j",
        "--jobs",
        type=click.IntRange(min=1),
        metavar="N",
        default=default_jobs,
        help="Processes to use; changes no output.  [default: one per core, at most 4]",
    )(verb)


def dask(verb: Verb) -> Verb:
    """Add ``--dask``: the cluster that shares the work; never changes a byte."""
    return click.option(
        "--dask",
        metavar="ADDRESS",
        help="Share the work among Dask workers: the address of a scheduler, or local:N for N workers on this machine; "
        "changes no output.",
    )(verb)


def data(verb: Verb) -> Verb:
    """Add ``--data``: where the partitions of a run are."""
    return click.option(
        "--data",
        metavar="ADDRESS",
        help="Folder below which the folders of partitions of a run are: s3://bucket/run, /mnt/run.  "
        "[default: the run folder]",
    )(verb)


def listing(kind: str, lines: Callable[[], Iterable[tuple[str, str]]]) -> Callable[[Verb], Verb]:
    """Add ``--list``: print names and what they are, and stop; nothing else is then needed."""

    def printed(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        if value:
            known = list(lines())
            width = max(len(name) for name, _ in known)
            for name, words in known:
                click.echo(f"{name:<{width}}  {words}")
            ctx.exit()

    return click.option(
        "--list", is_flag=True, is_eager=True, expose_value=False, callback=printed, help=f"List the {kind} and stop."
    )


def theme(verb: Callable[..., None]) -> Callable[..., None]:
    """Add the options that choose a theme, handed to the verb as one ``asked``."""

    @wraps(verb)
    def with_request(*args: Any, theme: str | None, theme_options: tuple[str, ...], **others: Any) -> None:
        from reportgen.bundle import ThemeRequest

        named = dict(_option(text) for text in theme_options)
        document_class = others.pop("document_class", None)
        verb(*args, asked=ThemeRequest(theme, named, document_class), **others)

    for option in (
        click.option(
            "--theme-option",
            "theme_options",
            multiple=True,
            metavar="NAME=VALUE",
            help="An option of the theme, see `reportgen theme show NAME`; may be given again.",
        ),
        click.option(
            "--theme",
            metavar="NAME|DIR",
            help="The look of the output: a shipped theme (see `reportgen theme list`) or the folder of your own.  "
            "[default: the run's, else base]",
        ),
    ):
        with_request = option(with_request)
    return with_request


def _option(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise click.UsageError(f"--theme-option {text!r} is not of the form NAME=VALUE.")
    return name, value


def drawing(verb: Callable[..., None]) -> Callable[..., None]:
    """Add the options that change how figures look, handed to the verb as ``scheme``, ``venue`` and ``fonts``."""
    for option in (
        click.option(
            "--font",
            "fonts",
            type=INPUT,
            multiple=True,
            metavar="FILE",
            help="A TrueType font of your own for characters that the shipped fonts lack; may be given again.",
        ),
        click.option(
            "--scheme",
            type=click.Choice(("light", "dark")),
            default="light",
            show_default=True,
            help="Colours for light or for dark pages and slides.",
        ),
        click.option(
            "--venue",
            metavar="NAME",
            help="Draw at the column widths of this venue: acl, ieee, nature, slide, …  "
            "[default: the run's, else report]",
        ),
    ):
        verb = option(verb)
    return verb


def intervals(verb: Verb) -> Verb:
    """Add ``--intervals``: how values and their uncertainty are set, in all tables."""
    return click.option(
        "--intervals",
        type=click.Choice(INTERVAL_FORMS),
        help="How uncertainty is set, in each table that has room for it.  [default: the run's, else brackets]",
    )(verb)


def table_options(verb: Callable[..., None]) -> Callable[..., None]:
    """Add an option for each of :class:`~reportgen.domain.record.TableOptions`, handed to the verb as one ``given``."""
    from reportgen.domain.table_options import table_options as known

    return _given(verb, known())


def figure_options(verb: Callable[..., None]) -> Callable[..., None]:
    """Add an option for each of :class:`~reportgen.domain.record.FigureOptions`, as :func:`table_options` does.

    And ``--colours``, which are of systems, in all figures.
    """
    from reportgen.domain.figure_options import figure_options as known

    words = "The colour of a system, by its id, such as gnn=#0072b2. May be given again."
    colours = {**_FORMS["names"], "metavar": "SYSTEM=COLOUR"}
    return _given(click.option("--colours", help=words, **colours)(verb), known())


def _given(verb: Callable[..., None], known: Sequence[ShownOption]) -> Callable[..., None]:
    @wraps(verb)
    def with_given(*args: Any, **others: Any) -> None:
        values = {option.name: others.pop(option.name) for option in known}
        verb(*args, given={name: value for name, value in values.items() if value not in (None, ())}, **others)

    for option in reversed(known):
        with_given = _option_of(option)(with_given)
    return with_given


def _option_of(option: ShownOption) -> Callable[[Verb], Verb]:
    words, how = option.help, _FORMS.get(option.kind, {})
    if option.kind == "choice":
        how = {"type": click.Choice(option.choices)}
    elif option.kind == "number":
        how = {"type": click.IntRange(*option.range), "metavar": "N"}
    elif option.kind == "numbers":
        how = {**how, "callback": _numbers_by_name(click.IntRange(*option.range))}
    elif option.kind == "texts" and option.sentences:
        how = {"metavar": "TEXT", "multiple": True}
    if how.get("multiple"):
        words += " May be given again."
    return click.option(f"--{option.name.replace('_', '-')}", option.name, help=words, **how)


def _separated(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    return None if value is None else tuple(part.strip() for part in value.split(",") if part.strip())


def _by_name(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> dict[str, str] | None:
    """Return texts by the name in front of the last ``=``: ids of metrics have one, too."""
    pairs = [text.rpartition("=") for text in value]
    if wrong := [text for name, _, text in pairs if not name]:
        raise click.BadParameter(f"{wrong[0]!r} is not of the form NAME=TEXT.", ctx, param)
    return {name: text for name, _, text in pairs} or None


def _numbers_by_name(kind: click.IntRange) -> Callable[..., dict[str, int] | None]:
    def read(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> dict[str, int] | None:
        return {name: kind(n, param, ctx) for name, n in (_by_name(ctx, param, value) or {}).items()} or None

    return read


_FORMS: Mapping[str, dict[str, Any]] = {
    "flag": {"is_flag": True, "default": None},
    "numbers": {"metavar": "NAME=N", "multiple": True},
    "text": {"metavar": "TEXT"},
    "texts": {"metavar": "NAME,…", "callback": _separated},
    "names": {"metavar": "NAME=TEXT", "multiple": True, "callback": _by_name},
}
"""How an option of each kind is given."""


def formats(known: Mapping[str, bool]) -> Callable[[Verb], Verb]:
    """Add ``--formats``: names separated by commas, which the verb gets as a tuple, each once.

    ``known`` has each name, and whether it is written where no format is named. ``default`` stands for these, ``all``
    for every name.
    """
    groups = {"default": [name for name, is_default in known.items() if is_default], "all": list(known)}

    def chosen(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
        parts = [part.strip() for part in value.split(",") if part.strip()]
        names = tuple(dict.fromkeys(name for part in parts for name in groups.get(part, [part])))
        unknown = [name for name in names if name not in known]
        if unknown or not names:
            problem = f"unknown format {', '.join(unknown)}" if unknown else "no format named"
            raise click.BadParameter(f"{problem}; choose from {', '.join((*known, *groups))}.", ctx, param)
        return names

    on_request = ", ".join(name for name, is_default in known.items() if not is_default)
    more = f"; on request {on_request}, or all" if on_request else ""
    return click.option(
        "--formats",
        callback=chosen,
        default=",".join(groups["default"]),
        show_default=True,
        metavar="NAMES",
        help=f"Formats to write, separated by commas{more}; `default,md` adds to the default ones.",
    )
