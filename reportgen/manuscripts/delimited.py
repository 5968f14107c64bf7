"""Tables in CSV files."""

from __future__ import annotations

import csv
import io

from reportgen.manuscripts.grid import GridCell, Manuscript, grid

_DELIMITERS = ",;\t|"
_SAMPLE = 4096


def read_csv(name: str, text: str) -> Manuscript:
    """The table of a CSV file of any dialect; its first row holds the heads.

    Raises:
        ValueError: The file is not CSV.
    """
    first = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    try:
        # An apostrophe before a text keeps spreadsheets from running it as a formula; it is no part of the text.
        rows = [
            [GridCell(_uncovered(cell.strip()), line=number) for cell in row]
            for number, row in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), 1)
            if any(cell.strip() for cell in row)
        ]
    except csv.Error as error:
        raise ValueError(str(error)) from error
    made = grid(1, 1, rows, 1)
    return Manuscript(name, "csv", (made,) if made else ())


def _uncovered(text: str) -> str:
    return text[1:] if text[:1] == "'" and text[1:2] in {"=", "+", "-", "@"} else text
