"""Columns that a run does not use though they could matter: weights are refused until something is said of them, and
others are noted.
"""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.errors import ProblemList
from reportgen.inputs.contents import PROBABLE, TRUTH, content_of, words_of
from reportgen.inputs.declaration import Declaration
from reportgen.inputs.named import NamedTable, used_columns
from reportgen.inputs.names import DECISIONS, WEIGHTS, FileRole

_DESCRIBING = (FileRole.PER_QUERY, FileRole.QUERIES, FileRole.PREDICTIONS)
_SPLITS = frozenset(["fold", "split", "cv", "resample", "partition"])
_MOST_FOLDS = 100
_SURE = PROBABLE - {"p", "score", "risk"}


def refuse_weights(found: Sequence[NamedTable], declaration: Declaration, problems: ProblemList) -> None:
    """Record RG160 for columns that look like weights, where nobody said that they are, or that they are not used."""
    for named in found if "weight" not in declaration.columns else ():
        for own in _unused(named, declaration) if named.role in (*_DESCRIBING, FileRole.TUNE) else ():
            cells = named.table.cells(own) if own.lower() in WEIGHTS else None
            if cells is None or not content_of(named.table, own).number or content_of(named.table, own).distinct == 1:
                continue
            problems.add(
                "RG160",
                named.table.where,
                f"column '{own}' holds weights, and every row would count once",
                f'Use them: weight = "{own}" under [columns] in run.toml (without one: --column weight={own}). Or '
                f'leave them out and say so: ignore = "{own}" (--column ignore={own}).',
            )


def doubts(found: Sequence[NamedTable], declaration: Declaration) -> tuple[str, ...]:
    """Return what could matter in the columns that a run does not use, each with the option that would use it."""
    told: list[str] = []
    for named in found:
        for own in _unused(named, declaration) if named.role in _DESCRIBING else ():
            said = _could_be(named, own)
            if said:
                name, what = said
                told.append(
                    f"{named.table.where}: column '{own}' is not used, and {what}. If it is, say "
                    f"--column {name}={own}; if not, --column ignore={own}."
                )
    return tuple(told)


def _unused(named: NamedTable, declaration: Declaration) -> list[str]:
    used = {*used_columns(named, declaration), *declaration.columns.get("ignore", ())}
    return [own for own in named.table.columns if own not in used]


def _could_be(named: NamedTable, own: str) -> tuple[str, str] | None:
    """Return what an unused column could be, by a word in its name and by what it holds; None for most columns."""
    words = set(words_of(own))
    if own.lower() in DECISIONS:
        return None
    if words & _SPLITS and "fold" not in named:
        content = content_of(named.table, own)
        if content.repeats and content.distinct <= _MOST_FOLDS:
            return "fold", "could say which fold or split a row is of"
    if words & PROBABLE:
        content = content_of(named.table, own)
        # Some cells of a column called a probability may be none: a reason to say so, not to pass it over.
        if content.share or (content.numeric and words & _SURE):
            return "y_prob", "could hold probabilities of another system"
    if words & set(TRUTH.split()) and content_of(named.table, own).binary:
        return "y_true", "could be the truth"
    return None
