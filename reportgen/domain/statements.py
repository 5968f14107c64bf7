"""What somebody says of data that no run.toml declares."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

SCALES = ("probability", "percent", "logit", "odds", "confidence", "score", "decision")
"""What the numbers of a system may be; ``confidence`` is the probability of the class that is predicted."""
OPTIONS = ("--use", "--column", "--subgroup", "--positive-class", "--scale", "--states-from", "--title")
"""How each is said on a command line."""


@dataclass(frozen=True, slots=True)
class Statements:
    """What is said of files or frames: by options of a command, by arguments in Python, or by answers."""

    columns: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Canonical name to the data's own columns; under ``metric``, those of values computed elsewhere."""
    positive_class: str | None = None
    """The positive one of two classes."""
    scales: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """System to what its numbers are, one of ``SCALES``; under the empty name, what those of every system are."""
    states_from: str | None = None
    """Where recorded states come from, in words."""
    title: str | None = None
    use: tuple[str, ...] = ()
    """Files to look at, by their paths in the folder; all if empty."""

    def __bool__(self) -> bool:
        return self != NOTHING_SAID

    def words(self) -> Iterator[str]:
        """Yield the words that say the same on a command line."""
        for path in self.use:
            yield from ("--use", path)
        for name, columns in self.columns.items():
            for own in columns:
                yield from ("--subgroup", own) if name == "subgroup" else ("--column", f"{name}={own}")
        if self.positive_class is not None:
            yield from ("--positive-class", self.positive_class)
        for system, scale in self.scales.items():
            yield from ("--scale", f"{system}={scale}" if system else scale)
        for option, text in (("--states-from", self.states_from), ("--title", self.title)):
            if text is not None:
                yield from (option, text)


NOTHING_SAID = Statements()


def statements_in(command: str) -> Statements:
    """Return what a recorded command says of the data, as :meth:`Statements.words` has it.

    A text that somebody has changed, so that it is not such a command, says nothing.
    """
    said: dict[str, list[str]] = {option: [] for option in OPTIONS}
    try:
        words = iter(shlex.split(command))
        for word in words:
            if word in said:
                said[word] += [next(words, "")]
        columns = columns_said([*said["--column"], *(f"subgroup={own}" for own in said["--subgroup"])])
        scales = scales_said(said["--scale"])
    except ValueError:
        return NOTHING_SAID
    single = {option: next(iter(said[option]), None) for option in OPTIONS}
    use = tuple(said["--use"])
    return Statements(columns, single["--positive-class"], scales, single["--states-from"], single["--title"], use)


def columns_said(texts: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Map each canonical name to the columns of texts ``NAME=COLUMN``, several of one name in their order.

    Raises:
        ValueError: with the text that has another form.
    """
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, own = (part.strip() for part in text.split("=", 1)) if "=" in text else ("", "")
        if not name or not own:
            raise ValueError(f"'{text}' is not of the form NAME=COLUMN.")
        found[name] = (*found.get(name, ()), own)
    return found


def scales_said(texts: Sequence[str]) -> dict[str, str]:
    """Map systems to the scales of texts ``SYSTEM=SCALE``; a scale alone is of every system, the empty name.

    Raises:
        ValueError: with a scale that does not exist.
    """
    found = {system: scale for system, _, scale in (text.rpartition("=") for text in texts)}
    if wrong := [scale for scale in found.values() if scale not in SCALES]:
        raise ValueError(f"'{wrong[0]}' is not one of {', '.join(SCALES)}.")
    return found
