"""The confusion of several classes in words: what tables and figures say of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reportgen.domain.record import Distribution, Results
from reportgen.numbers import mean_count
from reportgen.wording.captions import counts_sentence
from reportgen.wording.heads import label_name
from reportgen.wording.text import SPACE, counted, percent

KIND = "confusion"
"""The kind of the distributions that hold it: one for each system and true class."""


@dataclass(frozen=True, slots=True)
class ClassConfusion:
    """How many rows of each class a system predicts to be of which, over all folds together."""

    system: str
    label: str
    names: tuple[str, ...]
    """Of the classes, in the order of the results' labels."""
    table: tuple[tuple[int | float, ...], ...]
    """Rows: true classes; columns: predicted ones. Means where the system has several trainings, or repeats."""
    sizes: tuple[int, ...]
    """The rows of each class, which are the same in every training and repeat."""
    parts: tuple[Distribution, ...]
    """One for each true class."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Return those of the distributions."""
        return tuple(part.id for part in self.parts)

    @property
    def cells(self) -> Iterator[tuple[int, int, int | float]]:
        """Yield true class, predicted class and rows of each pair that occurs."""
        for true, counts in enumerate(self.table):
            for predicted, n in enumerate(counts):
                if n:
                    yield true, predicted, n

    @property
    def n(self) -> int:
        """Return all rows."""
        return sum(self.sizes)

    def errors(self) -> list[tuple[int, int, int | float]]:
        """Return the pairs of different classes that occur, the most frequent first, then by class."""
        return sorted(
            ((true, predicted, n) for true, predicted, n in self.cells if true != predicted), key=lambda one: -one[2]
        )


def confusions(results: Results) -> tuple[ClassConfusion, ...]:
    """Return the confusion of each system that predicts classes, in the order of presentation."""
    places = {label.id: at for at, label in enumerate(results.labels)}
    found = []
    for system in sorted(results.systems, key=lambda system: (system.order, system.id)):
        parts = [one for one in results.distributions if (one.kind, one.system) == (KIND, system.id)]
        table: list[list[int | float]] = [[0] * len(places) for _ in places]
        sizes = [0] * len(places)
        for part in parts:
            true = places[part.by.removeprefix("label=")]
            sizes[true] = sum(part.of_each[0])
            for predicted, n in zip(part.bins, part.counts, strict=True):
                table[true][places[predicted]] = n
        if parts:
            names = tuple(map(label_name, results.labels))
            found.append(
                ClassConfusion(system.id, system.label, names, tuple(map(tuple, table)), tuple(sizes), tuple(parts))
            )
    return tuple(found)


def most_confused(results: Results, found: Sequence[ClassConfusion]) -> str:
    """Return which classes are confused most: ``The most frequent error is 8 predicted as 1: 36 rows by gnb, …``."""
    errors = [(n, -at, one, true, predicted) for at, one in enumerate(found) for true, predicted, n in one.errors()[:1]]
    units = results.units
    if not errors:
        return f"Each of the {units.row.many} is predicted to be of its own {units.label.one}."
    n, _, one, true, predicted = max(errors, key=lambda error: error[:2])
    of_system = f" by {one.label}" if len(found) > 1 else ""
    return (
        f"The most frequent error is {one.names[true]} predicted as {one.names[predicted]}: "
        f"{rows_counted(results, n)}{of_system}, {percent(n / one.sizes[true])} of the {units.label.one}."
    )


def pooled_rows(results: Results, found: Sequence[ClassConfusion]) -> str:
    """Return what the counts are of: ``Counts of 1,797 rows, 10 folds together.``, and what they are means over."""
    n = results.folds_of_repeat
    folds = f", {counted(n, 'fold', 'folds')} together" if n > 1 else ""
    means = counts_sentence(results, (part for one in found for part in one.parts))
    return f"Counts of {results.units.row.count(found[0].n)}{folds}.{f' {means}' if means else ''}"


def rows_counted(results: Results, n: int | float) -> str:
    """Return ``1 row``, ``36 rows``; with one decimal a mean of counts: ``36.3 rows``."""
    row = results.units.row
    return f"{mean_count(n)} {row.one if n == 1 and isinstance(n, int) else row.many}"


def size(n: int) -> str:
    """Return ``n = 174``."""
    return f"n{SPACE}={SPACE}{n:,}"
