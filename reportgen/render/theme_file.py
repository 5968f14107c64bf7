"""``theme.toml``: what a theme says of itself, read against a closed vocabulary.

A theme is data and templates, never code. What it says is held against the shipped tokens: it can change any of their
values for one of the same type, and can add nothing but papers, venues, fonts and options of its own.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Literal, TypeAlias, cast

from reportgen.errors import Problem, RenderError
from reportgen.styles import load_tokens

API = 1
"""The version of the names that themes rely on: blocks, partials, variables, keys of theme.toml."""

OptionKind: TypeAlias = Literal["boolean", "number", "text", "choice", "colour"]
OptionValue: TypeAlias = str | float | bool

_KEYS = ("api", "title", "description", "inherits", "tokens", "options", "papers")
_CHANGEABLE = ("colour", "mark", "font", "size", "stroke", "image", "width", "page")
_OPTION_KEYS = ("type", "default", "description", "choices", "minimum", "maximum", "sets")
_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "boolean": bool, "number": (int, float), "text": str, "choice": str, "colour": str,
}  # fmt: skip
_WORDS = {"boolean": "true or false", "number": "a number", "text": "a text", "choice": "one of its choices",
          "colour": 'a colour such as "#0f5a94"'}  # fmt: skip
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
# In CSS and LaTeX these would end the value and begin something else.
_ACTING = re.compile(r"[<>{};\\%]")
_PAPER = re.compile(r"[a-z0-9-]+")
_LATEX_PACKAGE = re.compile(r"[A-Za-z0-9-]*")


@dataclass(frozen=True, slots=True)
class Option:
    """A choice that a theme leaves to its user."""

    kind: OptionKind
    default: OptionValue
    description: str
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    sets: tuple[str, ...] = ()
    """Tokens that have the option's value: ``colour.light.accent``."""


@dataclass(frozen=True, slots=True)
class Paper:
    """A class that a paper can be set in: its template is ``latex/papers/<name>.tex.j2``."""

    title: str
    columns: int
    """One or two: the form that tables and wide figures have."""
    venue: str
    """The row of the table of column widths that figures are drawn at, unless the run names another."""
    column: float | None = None
    """Points of a column where the class itself sets it; None where the template sets that of the venue."""
    line: float | None = None
    """Points of all columns with the space between them, likewise."""
    height: float | None = None
    """Points of the text of a page, likewise."""
    size: int | None = None
    """Points of the running text, 10, 11 or 12, where they are not those of ``font.latex.size``."""


@dataclass(frozen=True, slots=True)
class ThemeFile:
    """The content of a theme.toml."""

    title: str
    description: str
    inherits: str | None
    tokens: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Option] = field(default_factory=dict)
    papers: Mapping[str, Paper] = field(default_factory=dict)


def read_theme_file(data: bytes, where: str, fonts: frozenset[str] = frozenset()) -> ThemeFile:
    """Read a theme.toml.

    Args:
        data: The file's content.
        where: What the file is called in messages.
        fonts: Names of the font files that the theme brings, as ``font.files`` may name them.

    Raises:
        RenderError: RG594, all problems together, each with its key.
    """
    try:
        content = tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise RenderError(theme_problem(where, f"is not TOML in UTF-8: {reason}", "See https://toml.io.")) from error
    reader = _Reader(content, where, fonts)
    result = reader.read()
    if reader.problems:
        raise RenderError(reader.problems)
    return result


def theme_problem(where: str, what: str, fix: str) -> Problem:
    """RG594: a theme that cannot be used as it is."""
    return Problem("RG594", where, what, "A theme is read whole before anything is set with it.", fix)


def option_value(name: str, option: Option, value: object, where: str) -> OptionValue:
    """The value of an option, if it is one that the option can have; a text that means it will do.

    Raises:
        RenderError: RG595 with what the option takes.
    """
    given = _from_text(option, value) if isinstance(value, str) else value
    sound = _has_kind(given, option.kind)
    if sound and option.kind == "choice":
        sound = given in option.choices
    if sound and isinstance(given, int | float) and not isinstance(given, bool):
        low, high = option.minimum, option.maximum
        sound = (low is None or low <= given) and (high is None or given <= high)
    if sound and isinstance(given, str | float | int):
        return given
    takes = _WORDS[option.kind]
    if option.choices:
        takes = f"one of {', '.join(option.choices)}"
    if option.kind == "number" and (option.minimum is not None or option.maximum is not None):
        takes += f" from {option.minimum if option.minimum is not None else '-∞'} to "
        takes += f"{option.maximum if option.maximum is not None else '∞'}"
    raise RenderError(
        Problem("RG595", where, f"the option {name} cannot be {value!r}", option.description, f"Give {takes}.")
    )


def nearest(name: str, known: Iterator[str] | tuple[str, ...]) -> str:
    """What to choose instead of a name that does not exist."""
    names = sorted(known)
    near = get_close_matches(name, names, n=1)
    return f"Did you mean '{near[0]}'?" if near else f"Choose from: {', '.join(names) or 'none, as it has none'}."


def _from_text(option: Option, value: str) -> object:
    """A text from the command line as the value that it writes."""
    if option.kind == "boolean":
        return {"true": True, "false": False}.get(value, value)
    if option.kind == "number":
        try:
            return float(value)
        except ValueError:
            return value
    return value


def _has_kind(value: object, kind: str) -> bool:
    if isinstance(value, bool) != (kind == "boolean"):
        return False
    if not isinstance(value, _TYPES[kind]):
        return False
    return kind != "colour" or _COLOUR.fullmatch(str(value)) is not None


class _Reader:
    """One file being read; what is wrong is collected."""

    def __init__(self, content: Mapping[str, Any], where: str, fonts: frozenset[str]) -> None:
        self._content, self._where, self._fonts = content, where, fonts
        self._shipped = load_tokens()
        self.problems: list[Problem] = []

    def read(self) -> ThemeFile:
        self._known(self._content, _KEYS, "")
        if self._content.get("api") != API:
            self._wrong("api", f"is {self._content.get('api')!r}", f"This release reads themes with api = {API}.")
        return ThemeFile(
            title=self._text(self._content, "title", "") or "",
            description=self._text(self._content, "description", "", needed=False) or "",
            inherits=self._text(self._content, "inherits", "", needed=False),
            tokens=self._tokens(),
            options={name: option for name, table in self._tables("options") if (option := self._option(name, table))},
            papers={name: paper for name, table in self._tables("papers") if (paper := self._paper(name, table))},
        )

    def _wrong(self, key: str, what: str, fix: str) -> None:
        self.problems.append(theme_problem(self._where, f"{key} {what}", fix))

    def _known(self, table: Mapping[str, Any], keys: tuple[str, ...], place: str) -> None:
        for key in table:
            if key not in keys:
                self._wrong(f"{place}{key}", "is no key of a theme", nearest(key, keys))

    def _text(self, table: Mapping[str, Any], key: str, place: str, *, needed: bool = True) -> str | None:
        value = table.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if needed or value is not None:
            self._wrong(f"{place}{key}", "is missing" if value is None else f"is {value!r}", "Give a text.")
        return None

    def _tables(self, key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        value = self._content.get(key, {})
        if not isinstance(value, dict) or not all(isinstance(table, dict) for table in value.values()):
            self._wrong(key, "is not a table of tables", f"Write [{key}.NAME] before the keys of each.")
            return
        yield from value.items()

    def _option(self, name: str, table: Mapping[str, Any]) -> Option | None:
        place, before = f"options.{name}.", len(self.problems)
        self._known(table, _OPTION_KEYS, place)
        kind = self._text(table, "type", place)
        if kind is not None and kind not in _TYPES:
            self._wrong(f"{place}type", f"is {kind!r}", nearest(kind, tuple(_TYPES)))
        description = self._text(table, "description", place)
        choices, sets = (self._texts(table, key, place) for key in ("choices", "sets"))
        low, high = table.get("minimum"), table.get("maximum")
        if any(bound is not None and not _has_kind(bound, "number") for bound in (low, high)):
            self._wrong(f"{place}minimum", "and maximum are not numbers", "Give numbers, or leave them out.")
        if len(self.problems) > before:
            return None
        option = Option(cast(OptionKind, kind), table.get("default", ""), description or "", choices, low, high, sets)
        try:
            option_value(name, option, table.get("default"), self._where)
        except RenderError as error:
            self._wrong(f"{place}default", f"is {table.get('default')!r}", error.problems[0].fix)
            return None
        for path in sets:
            self._settable(path, option, f"{place}sets")
        return option

    def _texts(self, table: Mapping[str, Any], key: str, place: str) -> tuple[str, ...]:
        value = table.get(key, [])
        if isinstance(value, list) and all(isinstance(item, str) and item for item in value):
            return tuple(value)
        self._wrong(f"{place}{key}", f"is {value!r}", "Give a list of texts.")
        return ()

    def _settable(self, path: str, option: Option, key: str) -> None:
        at: Any = self._shipped
        for part in path.split("."):
            at = at.get(part) if isinstance(at, Mapping) else None
        if at is None or isinstance(at, Mapping) or path.partition(".")[0] not in _CHANGEABLE:
            self._wrong(key, f"names {path!r}, which is no token", "See styles/tokens.toml for the tokens that exist.")
        elif why := _unlike(option.default, at):
            self._wrong(key, f"names {path!r}, which is {why}", "Let the option be of the token's type.")

    def _paper(self, name: str, table: Mapping[str, Any]) -> Paper | None:
        place, before = f"papers.{name}.", len(self.problems)
        self._known(table, ("title", "columns", "venue", "column", "line", "height", "size"), place)
        if not _PAPER.fullmatch(name):
            self._wrong(f"papers.{name}", "is no name of a file", "Use lower-case letters, digits and hyphens.")
        title, venue = self._text(table, "title", place), self._text(table, "venue", place)
        venues = {
            **self._shipped["width"]["venues"],
            **self._content.get("tokens", {}).get("width", {}).get("venues", {}),
        }
        if venue is not None and venue not in venues:
            self._wrong(f"{place}venue", f"is {venue!r}, which has no widths", nearest(venue, tuple(venues)))
        if table.get("columns") not in (1, 2):
            self._wrong(f"{place}columns", f"is {table.get('columns')!r}", "Give 1 or 2.")
        area = {key: table.get(key) for key in ("column", "line", "height")}
        for key, value in area.items():
            if value is not None and not (_has_kind(value, "number") and value > 0):
                self._wrong(f"{place}{key}", f"is {value!r}", "Give points, as LaTeX says them: \\the\\textwidth.")
        if table.get("size") not in (None, 10, 11, 12):
            self._wrong(f"{place}size", f"is {table.get('size')!r}", "Give 10, 11 or 12.")
        sound = len(self.problems) == before
        return Paper(title or "", table["columns"], venue or "", **area, size=table.get("size")) if sound else None

    def _tokens(self) -> Mapping[str, Any]:
        tokens = self._content.get("tokens", {})
        if not isinstance(tokens, dict):
            self._wrong("tokens", "is not a table", "Write [tokens.size], [tokens.colour.light], … before its keys.")
            return {}
        self._known(tokens, _CHANGEABLE, "tokens.")
        for key in _CHANGEABLE:
            if key in tokens:
                self._against(tokens[key], self._shipped[key], f"tokens.{key}")
        return tokens

    def _against(self, value: Any, shipped: Any, place: str) -> None:
        """Hold a token against the one that it replaces."""
        if place == "tokens.font.files":
            self._font_files(value)
        elif place == "tokens.width.venues" and isinstance(value, dict):
            widths = next(iter(shipped.values()))
            for name, row in value.items():
                self._against(row, widths, f"{place}.{name}")
                if isinstance(row, dict) and name not in shipped and set(row) != set(widths):
                    self._wrong(f"{place}.{name}", "is not whole", "Give single, double and height in millimetres.")
        elif isinstance(shipped, Mapping) and isinstance(value, dict):
            for key, inner in value.items():
                if key in shipped:
                    self._against(inner, shipped[key], f"{place}.{key}")
                else:
                    self._wrong(f"{place}.{key}", "is no token", nearest(key, tuple(shipped)))
        elif why := _unlike(value, shipped):
            self._wrong(place, f"is {value!r}, not {why}", "Give a value like the shipped one in styles/tokens.toml.")
        elif place == "tokens.font.latex.package" and not _LATEX_PACKAGE.fullmatch(value):
            self._wrong(place, f"is {value!r}", "Give the name of a LaTeX package.")
        elif place == "tokens.font.latex.family" and value not in ("serif", "sans"):
            self._wrong(place, f"is {value!r}", 'Give "serif" or "sans".')
        elif place == "tokens.font.latex.size" and value not in ("10pt", "11pt", "12pt"):
            self._wrong(place, f"is {value!r}", "LaTeX's article class has 10pt, 11pt and 12pt.")

    def _font_files(self, value: Any) -> None:
        shipped = {face["file"] for face in self._shipped["font"]["files"]}
        for face in value if isinstance(value, list) else [value]:
            if not isinstance(face, dict) or set(face) != {"family", "file", "weight", "style"}:
                self._wrong("tokens.font.files", f"holds {face!r}", "Give family, file, weight and style of each.")
                continue
            why = next((w for key, like in (("family", ""), ("file", ""), ("weight", 400), ("style", ""))
                        if (w := _unlike(face[key], like))), None)  # fmt: skip
            if why or face["style"] not in ("normal", "italic"):
                self._wrong("tokens.font.files", f"holds {face!r}", "See styles/tokens.toml for the form of an entry.")
            elif face["file"] not in self._fonts and face["file"] not in _OF_MATPLOTLIB | shipped:
                self._wrong("tokens.font.files", f"names {face['file']!r}, which is not there",
                            "Put the file into the folder fonts/ of the theme.")  # fmt: skip


_OF_MATPLOTLIB = frozenset(
    f"DejaVuSans{face}.ttf" for face in ("", "-Bold", "-Oblique", "-BoldOblique", "Mono", "Mono-Bold", "Mono-Oblique")
)
"""Faces of matplotlib's own data that the shipped tokens do not name."""


def _unlike(value: object, shipped: object) -> str | None:
    """What a value should be, if it is not like the shipped one."""
    if isinstance(shipped, str):
        if _COLOUR.fullmatch(shipped):
            return None if _has_kind(value, "colour") else "a colour such as #0f5a94"
        return None if isinstance(value, str) and not _ACTING.search(value) else "a text without < > { } ; \\ %"
    if isinstance(shipped, int | float):
        return (
            None if _has_kind(value, "number") and isinstance(value, int | float) and value > 0 else "a number over 0"
        )
    if isinstance(shipped, list):
        if not isinstance(value, list) or not value:
            return "a list like the shipped one"
        like = next((item for item in shipped if item != []), None)
        return next((why for item in value if item != [] and (why := _unlike(item, like))), None)
    return "a table"
