"""What the comparisons of systems came to, metric by metric, in as few words as are true."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.documents import prose
from reportgen.documents.prose import Sentence, sentence
from reportgen.domain.presentation import Text
from reportgen.domain.record import Comparison, Results

_PHRASES = (
    ("better", "better: "),
    ("worse", "worse: "),
    ("higher", "higher: "),
    ("lower", "lower: "),
    ("not_shown", "no difference shown: "),
    ("not_tested", "not tested: "),
    ("undefined", "undefined: "),
    ("not_applicable", "does not apply: "),
)
_SHOWN = frozenset({"better", "worse", "higher", "lower"})


def verdict_sentences(results: Results) -> tuple[Sentence, ...]:
    """One sentence per metric of the family: who is better, worse, or not shown to differ."""
    metrics = dict.fromkeys(c.metric for c in results.comparisons)
    return tuple(_of_metric(results, [c for c in results.comparisons if c.metric == metric]) for metric in metrics)


def _of_metric(results: Results, compared: Sequence[Comparison]) -> Sentence:
    name = results.metric_by_id[compared[0].metric].name
    against = {c.system_b for c in compared}
    if len(against) > 1:
        tested = [c for c in compared if c.tests]
        shown = sum(c.verdict in _SHOWN for c in tested)
        return sentence(
            f"{name}: {_pairs(shown)} of {len(tested)} tested {'shows' if shown == 1 else 'show'} a difference."
        )
    parts: list[Text] = []
    for verdict, words in _PHRASES:
        labels = [results.system_by_id[c.system_a].label for c in compared if c.verdict == verdict]
        if labels:
            parts.append(sentence(words, prose.leading(labels)))
    baseline = results.system_by_id[compared[0].system_b].label
    listed: list[Text] = []
    for part in parts:
        listed += ["; ", part] if listed else [part]
    return sentence(f"{name}, against {baseline}: ", *listed, ".")


def _pairs(n: int) -> str:
    return f"{prose.in_words(n)} {'pair' if n == 1 else 'pairs'} of systems"
