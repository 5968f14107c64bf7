"""The codes of everything that reading a run can find wrong, with a title for each.

A code is stable: it is what a user searches for, and what ``reportgen explain`` will look up. A test holds this
table against the code, in both directions.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

CODES: Mapping[str, str] = MappingProxyType(
    {
        "RG101": "a file or folder does not exist",
        "RG102": "a folder holds no run",
        "RG103": "a file cannot be read in its format",
        "RG104": "a text file is not UTF-8",
        "RG105": "a file is empty",
        "RG106": "a row does not have the columns of the head",
        "RG107": "two columns have one name",
        "RG110": "run.toml is not TOML",
        "RG111": "run.toml has an unknown key",
        "RG112": "a value in run.toml is not of its kind",
        "RG113": "a path leaves the run folder",
        "RG120": "a column is missing",
        "RG121": "a declared column is in no file",
        "RG122": "columns allow two readings",
        "RG130": "a cell is not a number",
        "RG131": "a probability is outside [0, 1]",
        "RG132": "a truth value is not 0 or 1",
        "RG133": "a state is not NEG, UNCERTAIN or POS",
        "RG134": "a selected K is impossible",
        "RG135": "an id is blank or not an id",
        "RG136": "a count, rank or grade is not a whole number from 0",
        "RG137": "a cell does not hold a list of ids",
        "RG138": "a value computed elsewhere is outside the range of its metric",
        "RG140": "a query occurs twice",
        "RG141": "a document occurs twice in a query",
        "RG142": "predictions are missing",
        "RG143": "a query is unknown",
        "RG144": "files or rows contradict each other",
        "RG145": "a cluster is in two folds",
        "RG146": "the truth contradicts the gold",
        "RG147": "the recorded number of gold contradicts the candidates",
        "RG150": "a system is unknown",
        "RG151": "a fold is unknown or has no threshold",
        "RG152": "a threshold has two values",
        "RG153": "the decision threshold is not recorded",
        "RG154": "a label is unknown",
        "RG155": "runs to be compared are of different queries",
    }
)
