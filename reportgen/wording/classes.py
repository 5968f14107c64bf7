"""The confusion of several classes in words: what tables and figures say of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from reportgen.domain.record import Distribution, Results
from reportgen.numbers import mean_count
from reportgen.wording.captions import counts_over
from reportgen.wording.heads import label_name
from reportgen.wording.text import SPACE, percent

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


class FrequentError(NamedTuple):
    """The pair of different classes that is confused most, by the system that confuses it most."""

    true: str
    predicted: str
    rows: str
    """``36 rows``"""
    system: str
    """Empty where there is one system."""
    share: str
    """Of the rows of the true class."""


def most_confused(results: Results, found: Sequence[ClassConfusion]) -> FrequentError | None:
    """Return the most frequent error; None where each row is predicted to be of its own class."""
    errors = [(n, -at, one, true, predicted) for at, one in enumerate(found) for true, predicted, n in one.errors()[:1]]
    if not errors:
        return None
    n, _, one, true, predicted = max(errors, key=lambda error: error[:2])
    names, system = one.names, one.label if len(found) > 1 else ""
    return FrequentError(names[true], names[predicted], rows_counted(results, n), system, percent(n / one.sizes[true]))


def facts_of(results: Results, found: Sequence[ClassConfusion]) -> dict[str, object]:
    """Return what the captions of confusions say: the most frequent error, and what the counts are of."""
    return {
        "error": most_confused(results, found),
        "n_rows": found[0].n,
        "counts_over": counts_over(results, (part for one in found for part in one.parts)),
    }


def rows_counted(results: Results, n: int | float) -> str:
    """Return ``1 row``, ``36 rows``; with one decimal a mean of counts: ``36.3 rows``."""
    row = results.units.row
    return f"{mean_count(n)} {row.one if n == 1 and isinstance(n, int) else row.many}"


def size(n: int) -> str:
    """Return ``n = 174``."""
    return f"n{SPACE}={SPACE}{n:,}"
