"""A difference as a comment on a pull request: the verdict first, at most 30 lines of Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.diff.changes import Difference
from reportgen.diff.document import sentence
from reportgen.diff.regressions import Judgement
from reportgen.domain.record import Results
from reportgen.gate import judged, verdict, without_value
from reportgen.render.escape import markdown

LINES = 30
"""Lines that a comment has at most, so that it is read."""
_VALUES, _TARGETS, _FLIPS = 6, 4, 4


def comment_of(
    found: Difference, values: Sequence[Judgement], b: Results, first: str, second: str, link: str = ""
) -> str:
    """Return the comment: what is worse or better, targets, the headline values, conclusions that turned, a link."""
    lines = [
        f"### {_verdict(values, b)}{' (synthetic data)' if b.run.synthetic else ''}",
        "",
        f"{markdown(b.run.title)}: {markdown(second)} compared with {markdown(first)}. {_judged_by(values)}",
        *_table(values),
        *_section("Targets", _targets(b), _TARGETS),
        *_section("Conclusions", _flips(found), _FLIPS),
        "",
        f"<sub>{sentence(found)}</sub>",
    ]
    if link:
        lines.append(f"[Full report]({link})")
    return "\n".join(lines) + "\n"


def _verdict(values: Sequence[Judgement], b: Results) -> str:
    worse = sum(one.worse for one in values)
    parts = [f"{worse} of {len(values)} headline values worse" if worse else "No headline value is worse"]
    return "; ".join([*parts, *([_lower(verdict(b))] if verdict(b) else [])])


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]


def _judged_by(values: Sequence[Judgement]) -> str:
    words = {
        "test": "by a paired test on the same queries",
        "interval": "by the interval of the value before",
        "value": "without a test or an interval",
    }
    changed = [one for one in values if one.changed]
    counts = {how: sum(one.how == how for one in changed) for how in words}
    parts = [f"{n} {words[how]}" for how, n in counts.items() if n]
    if not parts:
        return "No headline value changed."
    return f"{len(changed)} of {len(values)} headline values changed; judged {', '.join(parts)}."


def _table(values: Sequence[Judgement]) -> Iterator[str]:
    changed = sorted((one for one in values if one.changed), key=lambda one: not one.worse)
    if not changed:
        return
    yield from ("", "| System | Metric | Before | After | Change | Judgement |", "|---|---|---:|---:|---:|---|")
    for one in changed[:_VALUES]:
        cells = (one.system, one.metric, one.before, one.after, one.printed)
        yield f"| {' | '.join(map(markdown, cells))} | {'**worse**: ' * one.worse}{markdown(one.why)} |"
    if len(changed) > _VALUES:
        yield f"| … | and {len(changed) - _VALUES} more | | | | |"


def _targets(b: Results) -> list[str]:
    missed = [f"{markdown(one.system)}: {markdown(one.sentence)}" for one in judged(b) if not one.target.met]
    return missed + [markdown(one.message) for one in without_value(b)]


def _flips(found: Difference) -> list[str]:
    return [f"{markdown(one.about)}: {markdown(one.before)} → {markdown(one.after)}" for one in found.flips]


def _section(head: str, lines: list[str], most: int) -> Iterator[str]:
    if not lines:
        return
    more = [f"and {len(lines) - most} more"] if len(lines) > most else []
    yield from ("", f"**{head}**", *(f"- {line}" for line in (*lines[:most], *more)))
