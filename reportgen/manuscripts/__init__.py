"""Documents that people type (Markdown, LaTeX, HTML, CSV, JSON), read as tables and passages with their places.

Nothing is run, expanded or loaded: a document is text. What a reader cannot make sense of is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn

from reportgen.errors import Diagnostic, ManuscriptError
from reportgen.manuscripts.delimited import read_csv
from reportgen.manuscripts.grid import Grid, GridCell, Manuscript, Numeral, Passage
from reportgen.manuscripts.html import read_html
from reportgen.manuscripts.latex import read_latex
from reportgen.manuscripts.markdown import read_markdown
from reportgen.manuscripts.numerals import Printed, Reading, printed, reading
from reportgen.manuscripts.statement import Said
from reportgen.manuscripts.structured import from_values
from reportgen.manuscripts.tables import from_grid

__all__ = [
    "Grid", "GridCell", "Manuscript", "Numeral", "Passage", "Printed", "Reading", "is_master", "printed", "read",
    "reading", "said_in",
]  # fmt: skip

_MASTER = "reportgen.metrics_master"
_LARGEST = 2**26
"""Bytes of the largest document that is read: a hundred books."""


def read(path: Path) -> Manuscript:
    """A document, by the ending of its name.

    Raises:
        ManuscriptError: RG690, it cannot be read; RG691, its ending is none that is known; RG692, it is not what its
            ending says.
    """
    ending = path.suffix.lower().lstrip(".")
    reader = READERS.get(ending)
    if reader is None:
        known = ", ".join(f".{name}" for name in READERS)
        raise _error("RG691", path, f"ends in '{path.suffix}'" if ending else "has no ending", f"Known are {known}.")
    try:
        if not path.is_file():
            raise _error("RG690", path, "is not a file" if path.exists() else "does not exist", "Name a file.")
        if path.stat().st_size > _LARGEST:
            raise _error("RG690", path, f"has more than {_LARGEST:,} bytes", "Name a smaller file.")
        return reader(str(path), path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise _error("RG690", path, f"cannot be read: {error.strerror}", "Name a file that you may read.") from None
    except UnicodeDecodeError:
        raise _error("RG692", path, "is not UTF-8 text", "Save it as UTF-8.") from None
    except (ValueError, RecursionError) as error:
        what = str(error) or "nested too deeply"
        raise _error("RG692", path, f"is not {ending.upper()}: {what}", "Mend it, or name another file.") from None


def said_in(manuscript: Manuscript) -> Said:
    """What a document's tables, or the values of its JSON, say about metrics; a file of our own results says nothing.

    The numbers of a metrics_master.json are not rounded and carry their conventions: they have checks of their own.
    """
    if manuscript.kind == "json":
        return Said() if is_master(manuscript.values) else from_values(manuscript.name, manuscript.values)
    return sum((from_grid(manuscript.name, grid) for grid in manuscript.grids), Said())


def is_master(values: Any) -> bool:
    """Whether the content of a JSON file is a metrics_master.json of reportgen."""
    return isinstance(values, dict) and values.get("kind") == _MASTER


def read_json(name: str, text: str) -> Manuscript:
    """The values of a JSON file, numbers by the digits that stand there. Raises ValueError if it is no JSON."""
    values: Any = json.loads(text, parse_float=Numeral, parse_int=Numeral, parse_constant=_no_number)
    return Manuscript(name, "json", values=values)


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number of JSON")


def _error(code: str, path: Path, what: str, fix: str) -> ManuscriptError:
    return ManuscriptError(Diagnostic(code, str(path), what, fix))


READERS: Final[Mapping[str, Callable[[str, str], Manuscript]]] = {
    "md": read_markdown,
    "markdown": read_markdown,
    "tex": read_latex,
    "html": read_html,
    "htm": read_html,
    "csv": read_csv,
    "tsv": read_csv,
    "json": read_json,
}
"""Ending of a name to its reader."""
