"""What the comparisons of systems came to, metric by metric, in as few words as are true."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reportgen.documents import prose
from reportgen.documents.prose import Sentence, sentence
from reportgen.domain.presentation import Text
from reportgen.domain.record import Comparison, Results
from reportgen.verdicts import SHOWN

_CLAUSES = (
    ("better", "{} {is} better than {baseline}"),
    ("worse", "{} {is} worse than {baseline}"),
    ("higher", "{} {is} higher than {baseline}"),
    ("lower", "{} {is} lower than {baseline}"),
    ("not_shown", "no difference from {baseline} is shown for {}"),
    ("not_tested", "{} {is} not tested against {baseline}"),
    ("undefined", "the difference from {baseline} is undefined for {}"),
    ("not_applicable", "a comparison with {baseline} does not apply to {}"),
)
"""Verdict to a clause about the systems it is on; after the first clause, "it" stands for the baseline."""


def verdict_sentences(results: Results) -> tuple[Sentence, ...]:
    """One sentence per metric of the family: who is better, worse, or not shown to differ."""
    metrics = dict.fromkeys(c.metric for c in results.comparisons)
    return tuple(_of_metric(results, [c for c in results.comparisons if c.metric == metric]) for metric in metrics)


def _of_metric(results: Results, compared: Sequence[Comparison]) -> Sentence:
    name = results.metric_by_id[compared[0].metric].name
    against = {c.system_b for c in compared}
    if len(against) > 1:
        tested = [c for c in compared if c.tests]
        if not tested:
            return sentence(f"{name}: no two systems were tested against each other.")
        shown = sum(c.verdict in SHOWN for c in tested)
        return sentence(
            f"{name}: {_pairs(shown)} of {len(tested)} tested {'shows' if shown == 1 else 'show'} a difference."
        )
    baseline = results.system_by_id[compared[0].system_b].label
    parts: list[Text] = []
    for verdict, clause in _CLAUSES:
        labels = [results.system_by_id[c.system_a].label for c in compared if c.verdict == verdict]
        if labels:
            parts += ["; "] if parts else []
            parts.append(_clause(clause, labels, "it" if parts else baseline))
    return sentence(f"{name}: ", *parts, ".")


def _clause(clause: str, labels: Sequence[str], baseline: str) -> Sentence:
    words = {"{is}": "is" if len(labels) == 1 else "are", "{baseline}": baseline, "{}": prose.leading(labels)}
    parts = re.split(r"(\{[a-z]*\})", clause)
    return sentence(*(words.get(part, part) for part in parts))


def _pairs(n: int) -> str:
    return f"{prose.in_words(n)} {'pair' if n == 1 else 'pairs'} of systems"
