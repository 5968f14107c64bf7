"""Themes: how a report looks, as a folder of templates, style sheets and tokens over the shipped ones.

A theme is a value: all its files are read once, before anything is set, so that nothing outside its folder can be
reached through it and a bundle can carry it along. Its own files come first, then those of the theme it inherits
from, last those of the base; ``NAME::path`` names the file of one of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from reportgen.errors import Diagnostic, RenderError
from reportgen.render.latex_layout import TextArea
from reportgen.render.theme_file import (
    API,
    Option,
    OptionValue,
    Paper,
    ThemeFile,
    nearest,
    option_value,
    read_theme_file,
    theme_problem,
)
from reportgen.resources import BASE, shipped_themes, templates_dir, themes_dir
from reportgen.styles import ColourScheme, Tokens, load_tokens, truetype

DEFAULT_PAPER = "article"
POINTS_PER_MM = 72.27 / 25.4
"""TeX's points."""
LEAST_GAP = 10.0
"""Points between two columns at least: what LaTeX's classes take."""
_NAME = re.compile(r"[a-z0-9-]+")
_TEMPLATES = ("docx", "html", "latex", "markdown", "pdf", "text")
_FILE = re.compile(
    r"(?:(?:docx|html|latex|markdown|pdf|text)/[A-Za-z0-9_./-]+\.j2|css/(?:report|screen|paged)\.css|fonts/[^/]+\.ttf)"
)
_BLOCK = re.compile(r"(?:\{%|<%)-?\s*block\s+(\w+)")
_LARGEST = 50_000_000
"""Bytes of all files of a theme: a folder that holds more is not a theme but somebody's data."""
_OUTSIDE = re.compile(r"""</|@import|@charset|url\(\s*(?!["']?data:)""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Layer:
    """One folder of a theme's line of inheritance."""

    name: str
    folder: Path
    toml: bytes
    files: Mapping[str, bytes]
    """Path below the folder to content: templates, style sheets, fonts."""
    says: ThemeFile

    def blocks(self, path: str) -> tuple[str, ...]:
        """Return the blocks that a template offers to those that extend it, in its order."""
        return tuple(dict.fromkeys(_BLOCK.findall(self.files[path].decode("utf-8", "replace"))))


@dataclass(frozen=True, slots=True, eq=False)
class Theme:
    """A look that can be set with; compared by identity, since it is read once and then passed on."""

    layers: tuple[Layer, ...]
    """The theme's own first, the base last."""
    options: Mapping[str, OptionValue]
    """Every option of the theme and of those it inherits from, with the values chosen."""

    @property
    def name(self) -> str:
        """The name of its folder; ``base`` for the shipped templates themselves."""
        return self.layers[0].name

    @property
    def title(self) -> str:
        """The theme's name for people."""
        return self.layers[0].says.title

    @property
    def shipped(self) -> bool:
        """True if it comes with the product."""
        return self.name in shipped_themes()

    @property
    def papers(self) -> Mapping[str, Paper]:
        """The classes that a paper can be set in, by name; a theme's own first."""
        return {name: paper for layer in self.layers for name, paper in layer.says.papers.items()}

    @property
    def declared(self) -> Mapping[str, Option]:
        """The options by name."""
        return _declared(self.layers)

    def paper(self, name: str | None) -> Paper:
        """Return the class of this name, ``article`` if None; RG598 where the theme lacks one of that name."""
        wanted = name or DEFAULT_PAPER
        if wanted not in self.papers:
            what = f"there is no paper template '{wanted}'"
            raise RenderError(Diagnostic("RG598", f"theme {self.name}", what, nearest(wanted, tuple(self.papers))))
        return self.papers[wanted]

    def text_area(self, name: str | None = None, venue: str | None = None) -> TextArea:
        """Return the room that a document class gives to text, for a venue where the class leaves that open.

        Raises:
            RenderError: RG598, as :meth:`paper`; RG510 for a venue that does not exist.
        """
        paper = self.paper(name)
        tokens = self.tokens(venue=venue or paper.venue)
        widths = tokens["width"]["venues"][tokens["width"]["venue"]]
        line = paper.line or widths["double"] * POINTS_PER_MM
        column = paper.column or widths["single"] * POINTS_PER_MM
        return TextArea(
            paper.columns,
            # The figures of a venue may be wider than half its line, where it has no two columns of text itself.
            min(column, (line - LEAST_GAP) / 2) if paper.columns == 2 else column,
            line,
            paper.height or widths["height"] * POINTS_PER_MM,
            paper.size or int(tokens["font"]["latex"]["size"].removesuffix("pt")),
        )

    def tokens(
        self, scheme: ColourScheme | None = None, venue: str | None = None, fonts: tuple[Path, ...] = ()
    ) -> Tokens:
        """Return the tokens as the theme has them.

        Arguments and errors as :func:`reportgen.styles.load_tokens`.
        """
        return load_tokens(scheme, venue, fonts, _changes(self.layers, self.options))

    def template(self, name: str) -> tuple[str, str] | None:
        """Return the source of a template, and where it is from for messages; None if nothing in the line has it.

        Args:
            name: A path (``html/report.html.j2``): the first theme's that has it; or ``base::`` and a path.
        """
        wanted, found, path = name.rpartition("::")
        for layer in self.layers:
            if (not found or layer.name == wanted) and path in layer.files:
                return layer.files[path].decode("utf-8", "replace"), f"{layer.name}::{path}"
        return None

    def sheets(self, name: str) -> tuple[str, ...]:
        """Return what the themes of the line add to a style sheet, the base's first.

        Its name is ``report``, ``screen`` or ``paged``.
        """
        path = f"css/{name}.css"
        found = [layer.files[path] for layer in reversed(self.layers) if path in layer.files]
        return tuple(sheet.decode("utf-8", "replace") for sheet in found)


@cache
def base_theme() -> Theme:
    """Return the shipped templates and tokens as they are."""
    return load_theme(BASE)


def load_theme(theme: str | Path | None = None, options: Mapping[str, object] | None = None) -> Theme:
    """Read a theme.

    Args:
        theme: The name of a shipped theme, or the folder of a theme of the user's own; ``base`` if omitted.
        options: Values of the theme's options; the others keep their defaults.

    Raises:
        RenderError: RG593, there is no such theme; RG594, its folder or theme.toml is not sound; RG595, an option
            that it does not have or a value that the option does not take; RG575, a font that is not TrueType.
    """
    wanted = theme if theme is not None else BASE
    if isinstance(wanted, str) and wanted in shipped_themes():
        layers = _shipped_layers(wanted)
    else:
        own = _read_layer(_folder_of(wanted))
        parent = own.says.inherits or BASE
        if parent not in shipped_themes():
            fix = nearest(parent, shipped_themes())
            raise RenderError(theme_problem(str(wanted), f"inherits {parent!r}, which is not a shipped theme", fix))
        layers = (own, *_shipped_layers(parent))
    declared = _declared(layers)
    chosen: dict[str, OptionValue] = {name: option.default for name, option in declared.items()}
    for name, value in (options or {}).items():
        if name not in declared:
            what, fix = f"there is no option '{name}'", nearest(name, tuple(declared))
            raise RenderError(Diagnostic("RG595", f"theme {layers[0].name}", what, fix))
        chosen[name] = option_value(name, declared[name], value, f"theme {layers[0].name}")
    return Theme(layers, chosen)


def is_theme_name(name: str) -> bool:
    """Return True if a folder of this name can be a theme of the user's own."""
    return _NAME.fullmatch(name) is not None and name not in shipped_themes()


def _folder_of(theme: str | Path) -> Path:
    folder = Path(theme)
    if (folder / "theme.toml").is_file():
        return folder.resolve()
    what = "has no theme.toml" if folder.is_dir() else "is neither a shipped theme nor a folder"
    fix = f"Choose from: {', '.join(shipped_themes())}; or begin with: reportgen theme copy {BASE} FOLDER."
    raise RenderError(Diagnostic("RG593", str(theme), what, fix))


@cache
def _shipped_layers(name: str) -> tuple[Layer, ...]:
    if name == BASE:
        folder = templates_dir()
        files = {path: (folder / path).read_bytes() for path in _template_paths(folder)}
        toml = (folder / "theme.toml").read_bytes()
        return (Layer(BASE, folder, toml, files, read_theme_file(toml, BASE)),)
    own = _read_layer(themes_dir() / name, shipped=True)
    return (own, *_shipped_layers(own.says.inherits or BASE))


def _template_paths(folder: Path) -> tuple[str, ...]:
    found = [path for name in _TEMPLATES for path in (folder / name).rglob("*.j2")]
    return tuple(sorted(path.relative_to(folder).as_posix() for path in found))


def _read_layer(folder: Path, *, shipped: bool = False) -> Layer:
    name = folder.name
    if not is_theme_name(name) and not shipped:
        taken = "is the name of a shipped theme" if name in shipped_themes() else "is not made of a-z, 0-9 and hyphens"
        fix = "Give the folder another name: it is what the theme is called in templates and in the bundle."
        raise RenderError(theme_problem(str(folder), f"{name!r} {taken}", fix))
    files = _read_files(folder)
    toml = files.pop("theme.toml")
    fonts = frozenset(path.removeprefix("fonts/") for path in files if path.startswith("fonts/"))
    says = read_theme_file(toml, f"{name}/theme.toml", fonts)
    for path, content in files.items():
        if path.startswith("css/"):
            _check_sheet(name, path, content)
    return Layer(name, folder, toml, files, says)


def _read_files(folder: Path) -> dict[str, bytes]:
    """Read the files of a theme by their paths; anything else in the folder that is not hidden is refused."""
    found: dict[str, bytes] = {}
    problems, size = [], 0
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if any(part.startswith(".") for part in path.relative_to(folder).parts):
            continue
        if path.is_symlink():
            problems.append(theme_problem(folder.name, f"{name} is a link", "Put the file itself into the folder."))
        elif path.is_file() and (name == "theme.toml" or _FILE.fullmatch(name)):
            size += path.stat().st_size
            if size > _LARGEST:
                raise RenderError(
                    theme_problem(folder.name, "holds more than 50 MB", "Keep data and pictures elsewhere.")
                )
            found[name] = path.read_bytes()
        elif path.is_file() and path.name.lower() not in ("readme.md", "license", "licence"):
            folders = ", ".join(f"{folder}/" for folder in _TEMPLATES)
            fix = f"A theme holds {folders} with *.j2, css/{{report,screen,paged}}.css, fonts/*.ttf."
            problems.append(theme_problem(folder.name, f"{name} is not a file of a theme", fix))
    if problems:
        raise RenderError(problems)
    return found


def _check_sheet(theme: str, path: str, content: bytes) -> None:
    """Refuse what would close the style sheet or fetch something; the page's policy and the PDF would refuse it too."""
    text = content.decode("utf-8", "replace")
    if found := _OUTSIDE.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise RenderError(Diagnostic("RG597", f"{theme}/{path}, line {line}", f"the style sheet holds '{found[0]}'"))


def _declared(layers: tuple[Layer, ...]) -> dict[str, Option]:
    return {name: option for layer in reversed(layers) for name, option in layer.says.options.items()}


def _changes(layers: tuple[Layer, ...], options: Mapping[str, OptionValue]) -> Mapping[str, Any]:
    """Return the tokens that a line of themes and the options chosen change."""
    changes: dict[str, Any] = {}
    files: list[Mapping[str, Any]] = list(load_tokens()["font"]["files"])
    for layer in reversed(layers):
        _merge(changes, layer.says.tokens)
        files = [*_faces(layer), *files]
    for name, option in _declared(layers).items():
        for path in option.sets:
            *parents, last = path.split(".")
            at = changes
            for part in parents:
                at = at.setdefault(part, {})
            _merge(at, {last: options[name]})
    # A face that a theme gives comes before the inherited one of the same family, weight and style.
    faces = {(face["family"], face["weight"], face["style"]): face for face in reversed(files)}
    _merge(changes, {"font": {"files": [face for face in files if faces[_face_key(face)] is face]}})
    return changes


def _faces(layer: Layer) -> list[Mapping[str, Any]]:
    faces = layer.says.tokens.get("font", {}).get("files", [])
    own = {path.removeprefix("fonts/") for path in layer.files if path.startswith("fonts/")}
    return [
        {**face, "file": str(truetype(layer.folder / "fonts" / face["file"]))} if face["file"] in own else face
        for face in faces
    ]


def _face_key(face: Mapping[str, Any]) -> tuple[str, int, str]:
    return face["family"], face["weight"], face["style"]


def _merge(into: dict[str, Any], more: Mapping[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, Mapping):
            into[key] = dict(into.get(key, {}))
            _merge(into[key], value)
        else:
            # Matplotlib writes no colour where it is pure black, so a drawing could not follow the page's colours.
            into[key] = "#000001" if value == "#000000" else value


# A theme of the user's own: its first files.


def theme_start(name: str, target: Path, files: Iterable[str]) -> dict[str, bytes]:
    """Return what the folder of a new theme holds, by path.

    It is a theme.toml that changes nothing, and copies of templates.

    Args:
        name: The shipped theme that it inherits from.
        target: The folder; must not exist, and its name is that of the theme.
        files: Templates to copy, as the theme of that name has them: ``html/masthead.html.j2``.

    Raises:
        RenderError: RG593, there is no such shipped theme; RG594, the folder exists or its name is not one of a theme;
            RG596, there is no such template.
    """
    if name not in shipped_themes():
        what = "is not a shipped theme"
        raise RenderError(Diagnostic("RG593", name, what, nearest(name, shipped_themes())))
    if target.exists():
        raise RenderError(theme_problem(str(target), "exists already", "Name a folder that does not exist."))
    if not is_theme_name(target.name):
        fix = "Use lower-case letters, digits and hyphens, and no name of a shipped theme."
        raise RenderError(theme_problem(str(target), f"{target.name!r} cannot be the name of a theme", fix))
    theme = load_theme(name)
    return {"theme.toml": _toml(theme, target.name).encode(), **{path: _source(theme, path) for path in files}}


def _source(theme: Theme, path: str) -> bytes:
    found = theme.template(path)
    if found is None or "::" in path:
        known = tuple(path for layer in theme.layers for path in layer.files if path.endswith(".j2"))
        what = f"there is no template '{path}'"
        raise RenderError(
            Diagnostic("RG596", f"theme {theme.name}", f"{what}; only templates can be copied", nearest(path, known))
        )
    return found[0].encode()


def _toml(theme: Theme, name: str) -> str:
    size, light = theme.tokens()["size"], theme.tokens()["colour"]["light"]
    return f"""# A theme of your own: what is not said here is as in the theme it inherits from.
# Templates beside this file (html/…, pdf/…, latex/…, markdown/…, text/…) come before the shipped ones; css/report.css,
# css/screen.css and css/paged.css follow the shipped style sheets. Try it with: reportgen theme check FOLDER
api = {API}
title = "{name}"
description = "What it looks like, in a sentence."
inherits = "{theme.name}"

# Any value of styles/tokens.toml can be changed:
# [tokens.size]
# body = {size["body"]}
# [tokens.colour.light]
# accent = "{light["accent"]}"

# A choice left to the user (--theme-option accent=#0f5a94); templates read it as option.accent:
# [options.accent]
# type = "colour"                       # or boolean, number, text, choice
# default = "{light["accent"]}"
# description = "Links and headings."
# sets = ["colour.light.accent"]        # tokens that get its value
"""
