"""What the numbers of a system are: probabilities, something that becomes one, scores that only order, or decisions.

run.toml says it as ``scale``; where it does not, numbers are compared with what probabilities look like, and what does
not fit is refused with the scale that would fit it. A score that cannot become a probability is welcome for what needs
an order only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reportgen.domain.run import Scale
from reportgen.errors import ProblemList
from reportgen.inputs.names import DECISIONS, UNNAMED
from reportgen.inputs.table import ParsedNumbers, TableCells, is_text, report, report_numbers

if TYPE_CHECKING:
    from reportgen.domain.run import FloatArray
    from reportgen.inputs.named import SystemRows

_FEWEST = 4
"""Values below which 0 and 1 alone say nothing about what a column holds."""
_YES = pa.array(["1", "1.0", "true"])
_BINARY = {"0", "1", "0.0", "1.0", "true", "false"}
_MOST_WRONG = 0.1
"""Share of cells outside [0, 1] up to which the cells are wrong, and not what the column is taken for."""
_ALLOWED = {
    "percent": ("a percentage between 0 and 100", (0.0, 100.0)),
    "logit": ("a logit", (-math.inf, math.inf)),
    "odds": ("odds from 0", (0.0, math.inf)),
}
_LIKELY = (
    ("percent", "percentages", lambda values: values.min() >= 0 and values.max() <= 100),
    ("odds", "odds", lambda values: values.min() >= 0),
    ("logit", "logits", lambda _: True),
)


@dataclass(frozen=True, slots=True, eq=False)
class Scaled:
    """The numbers of a column, on the scale that metrics take them in."""

    values: FloatArray
    """NaN where a cell is none."""
    scale: Scale = "probability"
    told: str = ""
    """How they were changed, in words."""


def scaled(part: SystemRows, name: str, scale: str | None, problems: ProblemList) -> Scaled:
    """Return a system's column of probabilities; ``scale`` is what run.toml says of it.

    Records RG130 for what is not a number, RG131 for what is not a probability, RG158 for decisions, RG159 for the
    confidence in whichever class is predicted.
    """
    cells = part.cells(name)
    if scale == "decision" and part.source.positive is not None:
        cells = _named_decisions(cells, part.source.positive)
    read, own = _percent_signs(cells) if scale == "percent" else cells.numbers(), cells.column
    column = _NumberColumn(own, None if part.system == UNNAMED else part.system)
    out = f"--column ignore={own}"
    wrong = f"Correct or complete the cells; or leave the column out: {out}."
    if scale is None and np.isnan(read.values).all() and not np.isnan(_percent_signs(cells).values).any():
        wrong = f"If they are percentages, say {column.say('percent')}. Or leave the column out: {out}."
    report_numbers(cells, read, problems, fix=wrong)
    values = read.values
    told = {
        "percent": f"{own} is in percent, and was divided by 100",
        "logit": f"{own} holds logits z, which became 1 / (1 + exp(-z))",
        "odds": f"{own} holds odds, which became odds / (1 + odds)",
    }
    if scale in told:
        _inside(cells, values, problems, f"not {_ALLOWED[scale][0]}", _ALLOWED[scale][1])
        return Scaled(to_probability(values, scale), told=told[scale])
    if scale == "score":
        without = "so the Brier score, log loss and calibration are not given"
        return Scaled(
            values, "score", f"{own} holds scores that order the queries and are not probabilities, {without}"
        )
    if scale == "decision":
        report(cells, ~np.isnan(values) & (values != 0) & (values != 1), problems, "RG131", "not 0 or 1")
        told_of = f"{own} holds decisions, so what needs an order of the queries or probabilities is not given"
        return Scaled(values, "decision", told_of)
    few = (
        f"Correct the cells, or map scores to probabilities on the tuning split first; or leave the column out: {out}."
    )
    likely = _likely(column, values) or few
    _inside(cells, values, problems, "not a probability between 0 and 1", (0, 1), likely)
    if scale == "confidence":
        return _of_confidence(cells, values, decisions_of(part), problems)
    if scale is None:
        _refuse_decisions(cells, column, values, problems, of_classes="row" in part)
        _refuse_confidence(cells, column, values, decisions_of(part), problems)
    return Scaled(values)


def to_probability(values: FloatArray, scale: str | None) -> FloatArray:
    """Return thresholds on the scale that the probabilities they were chosen on have now."""
    match scale:
        case "percent":
            return values / 100
        case "logit":
            return _sigmoid(values)
        case "odds":
            return values / (1 + values)
    return values


@dataclass(frozen=True, slots=True)
class _NumberColumn:
    """A column of numbers as messages name it."""

    own: str
    system: str | None

    def say(self, scale: str) -> str:
        """Return how its scale is said, in run.toml or without one."""
        if self.system is None:
            return f'scale = "{scale}" in run.toml (without one: --column y_prob={self.own} --scale {scale})'
        place = f"under [[systems]] of '{self.system}' in run.toml"
        return f'scale = "{scale}" {place} (without one: {self.option(scale)})'

    def option(self, scale: str) -> str:
        """Return the option that says it."""
        return f"--scale {scale}" if self.system is None else f"--scale {self.system}={scale}"


def _sigmoid(values: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-values)), dtype=np.float64)


def _named_decisions(cells: TableCells, positive: str) -> TableCells:
    """Return decisions that are named by two classes as 1 for the positive one and 0; others as they are."""
    texts = cells.texts()
    words = set(pc.unique(texts).to_pylist()) - {""}
    if {word.lower() for word in words} <= _BINARY or len(words - {positive}) > 1:
        return cells
    decided = pc.equal(texts, positive).cast(pa.int8()).cast(pa.string())
    return cells.with_texts(pc.if_else(pc.equal(texts, ""), "", decided))


def _percent_signs(cells: TableCells) -> ParsedNumbers:
    if not is_text(cells.array().type):
        return cells.numbers()
    return cells.with_texts(pc.utf8_trim_whitespace(pc.replace_substring(cells.texts(), "%", ""))).numbers()


def _inside(
    cells: TableCells,
    values: FloatArray,
    problems: ProblemList,
    what: str,
    limits: tuple[float, float],
    fix: str = "",
) -> None:
    outside = (values < limits[0]) | (values > limits[1])
    report(cells, outside, problems, "RG131", what, fix)
    values[outside] = math.nan


def _likely(column: _NumberColumn, values: FloatArray) -> str:
    """Return what to say of numbers outside [0, 1], by what most of them look like."""
    known = values[~np.isnan(values)]
    outside = (known < 0) | (known > 1)
    if not outside.any() or (outside.sum() == 1 and len(known) > 2):
        return ""
    if outside.mean() <= _MOST_WRONG:
        wrong = f"if not, correct the cells, or leave the column out: --column ignore={column.own}."
        return f"If they are odds, say {column.say('odds')}; {wrong}" if known.min() >= 0 else ""
    scale, word, _ = next(one for one in _LIKELY if one[2](known))
    odds = f"if they are odds, {column.option('odds')}; " if scale == "percent" else ""
    return (
        f"If they are {word}, say {column.say(scale)}; {odds}if they are scores without a scale, say "
        f"{column.option('score')}, and what needs only their order is computed. To leave the column out, say "
        f"--column ignore={column.own}."
    )


def _refuse_decisions(
    cells: TableCells, column: _NumberColumn, values: FloatArray, problems: ProblemList, *, of_classes: bool
) -> None:
    known = values[~np.isnan(values)]
    if len(known) < _FEWEST or not np.isin(known, (0.0, 1.0)).all() or len(np.unique(known)) < 2:
        return
    if of_classes:
        what = "the columns of probabilities of the classes hold 0 and 1 only"
        fix = (
            "Give the probabilities; or name the predicted class in one column, predicted_class. A model that is "
            f"always certain has {column.option('probability')}."
        )
        problems.add("RG158", cells.table.where, what, fix)
        return
    problems.add(
        "RG158",
        cells.table.where,
        f"column '{column.own}', taken for probabilities, holds 0 and 1 only",
        f"Give the probability of the positive class; or say {column.say('decision')}, and what needs decisions only "
        f"is computed. A model that is always certain has {column.option('probability')}.",
    )


def decisions_of(part: SystemRows) -> tuple[str, FloatArray] | None:
    """Return a column of a system's part that says what was decided, as 0 and 1; None without one."""
    source = part.source
    taken = {*source.names.values(), *source.key}
    likely = [own for own in source.table.columns if own.lower() in DECISIONS and own not in taken]
    for own in dict.fromkeys([source.decided, *likely] if source.decided else likely):
        texts = source.table.cells(own, part.rows).texts()
        lower = pc.utf8_lower(texts)
        words = set(pc.unique(lower).to_pylist())
        if words <= _BINARY:
            return own, np.asarray(pc.is_in(lower, _YES).to_numpy(zero_copy_only=False), dtype=np.float64)
        if source.positive and source.positive.lower() in words and len(words) == 2:
            chosen = pc.equal(texts, source.positive)
            return own, np.asarray(chosen.to_numpy(zero_copy_only=False), dtype=np.float64)
    return None


def _of_confidence(
    cells: TableCells, values: FloatArray, decisions: tuple[str, FloatArray] | None, problems: ProblemList
) -> Scaled:
    own = cells.column
    if decisions is None:
        problems.add(
            "RG120",
            cells.table.where,
            f"column '{own}' is said to hold the confidence in the predicted class, and no column holds that class",
            f"Call the column of the predicted class one of {', '.join(sorted(DECISIONS))}.",
        )
        return Scaled(values)
    column, decided = decisions
    told = f"{own} holds the confidence in the class of {column}; of a negative one it became 1 - confidence"
    return Scaled(np.where(decided == 1, values, 1 - values), told=told)


def _refuse_confidence(
    cells: TableCells,
    column: _NumberColumn,
    values: FloatArray,
    decisions: tuple[str, FloatArray] | None,
    problems: ProblemList,
) -> None:
    """Record RG159 where negative decisions have a high number, and nothing lies below one half."""
    if decisions is None or len(values) < _FEWEST or np.isnan(values).any():
        return
    of_class, decided = decisions
    negative = decided == 0
    if values.min() < 0.5 or not negative.any() or not (values[negative] > 0.5).any():
        return
    shown = [f"{text} ({place})" for text, place in cells.places(np.flatnonzero(negative & (values > 0.5))[:3])]
    problems.add(
        "RG159",
        cells.table.where,
        f"column '{column.own}' is never below 0.5, also where '{of_class}' is negative: {', '.join(shown)}",
        f"If it is the confidence in the predicted class, say {column.say('confidence')}; if it is the probability "
        f"of the positive class after all, say {column.option('probability')}.",
    )
