"""``theme.toml``: what a theme says of itself, read against a closed vocabulary.

A theme is data and templates, never code. Its tokens are checked against the shipped ones: it can change any of their
values for one of the same type, and can add nothing but papers, venues, fonts and options of its own.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, cast, get_args

import msgspec
from msgspec import Meta, Struct, field

from reportgen.errors import Diagnostic, RenderError
from reportgen.styles import load_tokens

API = 1
"""The version of the names that themes rely on: blocks, partials, variables, keys of theme.toml."""

Words: TypeAlias = Annotated[str, Meta(pattern=r"\S", description="a text")]
Number: TypeAlias = Annotated[int | float, Meta(description="a number")]
Points: TypeAlias = Annotated[float, Meta(gt=0, description=r"points, as LaTeX says them: \the\textwidth")]
Names: TypeAlias = Annotated[tuple[Words, ...], Meta(description="a list of texts")]
OptionKind: TypeAlias = Literal["boolean", "number", "text", "choice", "colour"]
OptionValue: TypeAlias = str | float | bool

_CHANGEABLE = ("colour", "mark", "font", "size", "stroke", "image", "width", "page")
_COLOUR = r"^#[0-9a-fA-F]{6}$"
_TYPES: Mapping[str, Any] = {
    "boolean": bool, "number": float, "text": str, "choice": str, "colour": Annotated[str, Meta(pattern=_COLOUR)],
}  # fmt: skip
_WORDS = {"boolean": "true or false", "number": "a number", "text": "a text", "choice": "one of its choices",
          "colour": 'a colour such as "#0f5a94"'}  # fmt: skip
# In CSS and LaTeX the characters that are left out would end the value and begin something else.
_Harmless: TypeAlias = Annotated[str, Meta(pattern=r"^[^<>{};\\%]*$")]
_PAPER = re.compile(r"[a-z0-9-]+")
_LATEX_PACKAGE = re.compile(r"[A-Za-z0-9-]*")


class Option(Struct, frozen=True, kw_only=True):
    """A choice that a theme leaves to its user."""

    kind: OptionKind = field(name="type")
    default: OptionValue
    description: Words
    choices: Names = ()
    minimum: Number | None = None
    maximum: Number | None = None
    sets: Names = ()
    """Tokens that have the option's value: ``colour.light.accent``."""


class Face(Struct, frozen=True, forbid_unknown_fields=True):
    """One file of a family of fonts."""

    family: _Harmless
    file: _Harmless
    weight: Annotated[int, Meta(gt=0)]
    style: Literal["normal", "italic"]


class Paper(Struct, frozen=True, kw_only=True):
    """A class that a paper can be set in: its template is ``latex/papers/<name>.tex.j2``."""

    title: Words
    columns: Literal[1, 2]
    """The form that tables and wide figures have."""
    venue: Words
    """The row of the table of column widths that figures are drawn at, unless the run names another."""
    column: Points | None = None
    """The width of a column where the class itself sets it; None where the template sets that of the venue."""
    line: Points | None = None
    """The width of all columns with the space between them, likewise."""
    height: Points | None = None
    """The height of the text of a page, likewise."""
    size: Literal[10, 11, 12] | None = None
    """Points of the running text where they are not those of ``font.latex.size``."""


class ThemeFile(Struct, frozen=True, kw_only=True):
    """The content of a theme.toml."""

    api: Literal[1]
    title: Words
    description: Words = ""
    inherits: Words | None = None
    tokens: Annotated[dict[str, Any], Meta(description="a table: write [tokens.size], … before its keys")] = field(
        default_factory=dict
    )
    options: dict[str, Option] = field(default_factory=dict)
    papers: dict[str, Paper] = field(default_factory=dict)


_S = TypeVar("_S", bound=Struct)


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
    reader = _ThemeReader(content, where, fonts)
    result = reader.read()
    if reader.problems or result is None:
        raise RenderError(reader.problems)
    return result


def theme_problem(where: str, what: str, fix: str) -> Diagnostic:
    """Return RG594, for a theme that cannot be used as it is."""
    return Diagnostic("RG594", where, what, fix)


def option_value(name: str, option: Option, value: object, where: str) -> OptionValue:
    """Return the value of an option, if it is one that the option can have; a text that means it will do.

    Raises:
        RenderError: RG595 with what the option takes.
    """
    given = _from_text(option, value) if isinstance(value, str) else value
    kind = _TYPES[option.kind]
    if option.kind == "number":
        kind = Annotated[kind, Meta(ge=option.minimum, le=option.maximum)]
    if _is(given, kind) and (option.kind != "choice" or given in option.choices):
        return cast(OptionValue, given)
    takes = _WORDS[option.kind]
    if option.choices:
        takes = f"one of {', '.join(option.choices)}"
    if option.kind == "number" and (option.minimum is not None or option.maximum is not None):
        takes += f" from {option.minimum if option.minimum is not None else '-∞'} to "
        takes += f"{option.maximum if option.maximum is not None else '∞'}"
    raise RenderError(
        Diagnostic("RG595", where, f"the option {name} cannot be {value!r}", f"{option.description} Give {takes}.")
    )


def nearest(name: str, known: Iterable[str]) -> str:
    """Say what to choose instead of a name that does not exist."""
    names = sorted(known)
    near = get_close_matches(name, names, n=1)
    return f"Did you mean '{near[0]}'?" if near else f"Choose from: {', '.join(names) or 'none: it has no names'}."


def _from_text(option: Option, value: str) -> object:
    """Return a text from the command line as the value that it writes."""
    if option.kind == "boolean":
        return {"true": True, "false": False}.get(value, value)
    if option.kind == "number":
        try:
            return float(value)
        except ValueError:
            return value
    return value


def _is(value: object, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


class _ThemeReader:
    """One file being read; what is wrong is collected."""

    def __init__(self, content: Mapping[str, Any], where: str, fonts: frozenset[str]) -> None:
        self._content, self._where, self._fonts = content, where, fonts
        self._shipped = load_tokens()
        self.problems: list[Diagnostic] = []

    def read(self) -> ThemeFile | None:
        """Return the content; None where a key of the file itself is wrong."""
        options = {name: self._option(name, table) for name, table in self._tables("options")}
        papers = {name: self._paper(name, table) for name, table in self._tables("papers")}
        plain = {key: value for key, value in self._content.items() if key not in ("options", "papers")}
        said = self._struct(ThemeFile, plain, "")
        if said is None:
            return None
        self._known(said.tokens, _CHANGEABLE, "tokens.")
        for key in said.tokens.keys() & set(_CHANGEABLE):
            self._against(said.tokens[key], self._shipped[key], f"tokens.{key}")
        sound = ({name: one for name, one in found.items() if one is not None} for found in (options, papers))
        return msgspec.structs.replace(said, **dict(zip(("options", "papers"), sound, strict=True)))

    def _wrong(self, key: str, what: str, fix: str) -> None:
        self.problems.append(theme_problem(self._where, f"{key} {what}", fix))

    def _known(self, table: Mapping[str, Any], keys: Iterable[str], place: str) -> None:
        for key in table:
            if key not in keys:
                self._wrong(f"{place}{key}", "is not a key of a theme", nearest(key, tuple(keys)))

    def _tables(self, key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        value = self._content.get(key, {})
        if not isinstance(value, dict) or not all(isinstance(table, dict) for table in value.values()):
            self._wrong(key, "is not a table of tables", f"Write [{key}.NAME] before the keys of each.")
            return
        yield from value.items()

    def _struct(self, kind: type[_S], table: Mapping[str, Any], place: str) -> _S | None:
        """Return a table as its struct, each value by the type of its field; None where something is wrong."""
        fields = {one.encode_name: one for one in msgspec.structs.fields(kind)}
        before, values = len(self.problems), {}
        self._known(table, fields, place)
        for key, one in fields.items():
            try:
                if key in table:
                    values[one.name] = msgspec.convert(table[key], one.type)
                elif one.required:
                    self._wrong(f"{place}{key}", "is missing", f"Give {_takes(one.type)}.")
            except msgspec.ValidationError:
                self._wrong(f"{place}{key}", f"is {table[key]!r}", f"Give {_takes(one.type)}.")
        return kind(**values) if len(self.problems) == before else None

    def _option(self, name: str, table: Mapping[str, Any]) -> Option | None:
        place = f"options.{name}."
        option = self._struct(Option, table, place)
        if option is None:
            return None
        try:
            option_value(name, option, option.default, self._where)
        except RenderError as error:
            self._wrong(f"{place}default", f"is {option.default!r}", error.problems[0].fix)
            return None
        for path in option.sets:
            self._settable(path, option, f"{place}sets")
        return option

    def _settable(self, path: str, option: Option, key: str) -> None:
        at: Any = self._shipped
        for part in path.split("."):
            at = at.get(part) if isinstance(at, Mapping) else None
        if at is None or isinstance(at, Mapping) or path.partition(".")[0] not in _CHANGEABLE:
            self._wrong(
                key, f"names {path!r}, which is not a token", "See styles/tokens.toml for the tokens that exist."
            )
        elif why := _unlike(option.default, at):
            self._wrong(key, f"names {path!r}, which is {why}", "Let the option be of the token's type.")

    def _paper(self, name: str, table: Mapping[str, Any]) -> Paper | None:
        if not _PAPER.fullmatch(name):
            self._wrong(f"papers.{name}", "is not the name of a file", "Use lower-case letters, digits and hyphens.")
        paper = self._struct(Paper, table, f"papers.{name}.")
        tokens: Any = self._content.get("tokens")
        own = tokens.get("width", {}).get("venues", {}) if isinstance(tokens, dict) else {}
        venues = {**self._shipped["width"]["venues"], **own}
        if paper is not None and paper.venue not in venues:
            self._wrong(f"papers.{name}.venue", f"is {paper.venue!r}, which has no widths",
                        nearest(paper.venue, tuple(venues)))  # fmt: skip
        return paper

    def _against(self, value: Any, shipped: Any, place: str) -> None:
        """Check a token against the shipped one that it replaces."""
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
                    self._wrong(f"{place}.{key}", "is not a token", nearest(key, tuple(shipped)))
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
            if not _is(face, Face):
                fix = "Give family, file, weight and style (normal, italic) of each. See styles/tokens.toml."
                self._wrong("tokens.font.files", f"holds {face!r}", fix)
            elif face["file"] not in self._fonts and face["file"] not in _OF_MATPLOTLIB | shipped:
                fix = "Put the file into the folder fonts/ of the theme."
                self._wrong("tokens.font.files", f"names {face['file']!r}, which is not there", fix)


def _takes(kind: Any) -> str:
    """Return what a key takes, in words: of its type, or of the values that it may have."""
    described = [part.description for part in getattr(kind, "__metadata__", ()) if isinstance(part, Meta)]
    if described:
        return str(described[0])
    parts = [part for part in get_args(kind) if part is not type(None)]
    values = [str(part) for part in parts if isinstance(part, str | int)]
    return f"one of {', '.join(values)}" if values else _takes(parts[0]) if parts else "a text"


_OF_MATPLOTLIB = frozenset(
    f"DejaVuSans{face}.ttf" for face in ("", "-Bold", "-Oblique", "-BoldOblique", "Mono", "Mono-Bold", "Mono-Oblique")
)
"""Faces of matplotlib's own data that the shipped tokens do not name."""


def _unlike(value: object, shipped: object) -> str | None:
    """Return what a value should be, if it is not like the shipped one."""
    if isinstance(shipped, str):
        if _is(shipped, _TYPES["colour"]):
            return None if _is(value, _TYPES["colour"]) else "a colour such as #0f5a94"
        return None if _is(value, _Harmless) else "a text without < > { } ; \\ %"
    if isinstance(shipped, int | float):
        return None if _is(value, Annotated[float, Meta(gt=0)]) else "a number over 0"
    if isinstance(shipped, list):
        if not isinstance(value, list) or not value:
            return "a list like the shipped one"
        like = next((item for item in shipped if item != []), None)
        return next((why for item in value if item != [] and (why := _unlike(item, like))), None)
    return "a table"
