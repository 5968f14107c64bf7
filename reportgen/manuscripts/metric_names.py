"""Names of metrics as people write them in heads of tables and in sentences.

What is recognised is a metric of the product's own vocabulary, with its cut-off; what else is in the name ("macro",
"attainable", the name of a system) is handed back, since it may make the number another one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from reportgen.domain.metric_id import MetricId

Direction = Literal["higher", "lower", "none"]

_CUT = r"(?:\s*@\s*|_at_|\sat\s|_|\s?@?\s?top-)\(?(?P<k>\d{1,4}|k\b|all\b)\)?"
_NAMES: Final[tuple[tuple[str, bool, str], ...]] = (
    # First come names that hold another name within them. The second entry: whether a cut-off may follow.
    ("tpr_fpr", False, r"(?:roc[- ])?(?:tpr|sensitivity|sens\.?|recall)\s?(?:@|at)\s?"
                       r"(?:fpr\s?[=≤<]?\s?\d+(?:\.\d+)?\s?%?|\d+(?:\.\d+)?\s?%\s?fpr)"),
    ("balanced_accuracy", False, r"balanced[ _-]?acc(?:uracy)?|bal\.? acc\.?|bacc"),
    ("auroc", False, r"area under (?:the )?roc(?: curve)?|au-?roc|roc[- _]?auc|auc[- _]?roc|auc(?![- _]?pr)"),
    ("auprc", False, r"auprc(?: \(ap\))?|pr[- _]?auc|auc[- _]?pr|average precision|"
                     r"area under (?:the )?precision[- ]recall curve"),
    ("prevalence", False, r"positive[ _]rate|prevalence|base rate|has_evidence_rate"),
    ("ndcg", True, r"n-?dcg"),
    ("map", True, r"map|mean average precision"),
    ("map", True, r"ap(?=[@_ ]?@?\d)"),
    ("mrr", True, r"mrr|mean reciprocal rank"),
    ("mrr", True, r"rr(?=@)"),
    ("hit", True, r"hits?(?:[ _]rate)?(?=@|_at_)|hit[ _]rate|hr(?=@)|success(?:[ _]rate)?(?=@|_at_)|hits?(?=$|:)"),
    ("evidence_precision", True, r"evidence[ _]precision"),
    ("evidence_recall", True, r"evidence[ _]recall"),
    ("precision", True, r"precision(?: \(ppv\))?|prec\.?|ppv|positive predictive value|p(?=@)"),
    ("recall", True, r"recall|rec\.?(?=@)|r(?=@)"),
    ("sensitivity", False, r"sensitivity|sens\.?|tpr|true[ _]positive[ _]rate"),
    ("specificity", False, r"specificity|spec\.|spec|tnr|true[ _]negative[ _]rate"),
    ("fpr", False, r"fpr|false[ _]positive[ _]rate"),
    ("fnr", False, r"fnr|false[ _]negative[ _]rate|miss[ _]rate"),
    ("npv", False, r"npv|negative predictive value"),
    ("mcc", False, r"mcc|matthews(?: correlation)?(?: coefficient)?"),
    ("f1", False, r"f[-_ ]?1(?:[-_ ]?score)?"),
    ("accuracy", False, r"accuracy|acc\.?"),
    ("brier_skill", False, r"brier[ _]skill(?:[ _]score)?"),
    ("brier", False, r"brier(?:[ _]score)?"),
    ("ece", False, r"ece|expected calibration error"),
    ("mce", False, r"mce|maximum calibration error"),
    ("log_loss", False, r"log[- _]?loss"),
)  # fmt: skip
_COUNTS: Final = (
    ("n_positive", r"n[ _]positives?|n[ _]queries[ _]with[ _]evidence|positives|positive[ _]samples|n_pos|"
                   r"(?:n |# ?|num_)?positive(?: queries| samples)?s?"),
    ("n_negative", r"n[ _]negatives?|(?:# ?|num_)?negative(?: queries| samples)|negatives|n_neg"),
    ("n_queries", r"n[ _]queries|# ?queries|queries|n[ _]samples|samples|num_queries|n"),
    ("tp", r"tp|true positives"),
    ("fp", r"fp|false positives"),
    ("fn", r"fn|false negatives"),
    ("tn", r"tn|true negatives"),
)  # fmt: skip


def _pattern(pattern: str, ranked: bool) -> re.Pattern[str]:
    cut = f"(?:{_CUT})?" if ranked else ""
    return re.compile(rf"(?<![A-Za-z0-9])(?:{pattern}){cut}(?![A-Za-z0-9@])", re.IGNORECASE)


_PATTERNS = tuple((name, _pattern(pattern, ranked)) for name, ranked, pattern in _NAMES)
_COUNT_PATTERNS = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _COUNTS)
_DENOMINATOR = (
    ("min_R_K", re.compile(r"\(?\s*min\s*\(\s*\|?\s*[RG]\s*\|?\s*,\s*K\s*\)\s*\)?|\bR_cap\b|\(truncated\)", re.I)),
    ("R", re.compile(r"\(\s*/\s*\|?R\|?\s*\)", re.I)),
)
_NEUTRAL = re.compile(
    r"[↑↓:|/()\[\]%,*]|\b(?:score|scores|value|metric|in|mean|average over folds|higher is better|lower is better)\b",
    re.IGNORECASE,
)
_LOWER = frozenset({"brier", "ece", "mce", "log_loss", "fpr", "fnr"})
_NO_DIRECTION = frozenset({"prevalence"})
UNIT_RANGE: Final = frozenset({
    "tpr_fpr", "balanced_accuracy", "auroc", "auprc", "prevalence", "ndcg", "map", "mrr", "hit", "precision", "recall",
    "sensitivity", "specificity", "fpr", "fnr", "npv", "f1", "accuracy", "brier", "ece", "mce", "evidence_recall",
    "evidence_precision",
})  # fmt: skip
"""Metrics that lie between 0 and 1."""
COUNTS: Final = frozenset(name for name, _ in _COUNTS)


@dataclass(frozen=True, slots=True)
class NamedMetric:
    """A metric that a text names."""

    metric: MetricId
    rest: str
    """What else the text says, without words that change nothing."""
    start: int = 0
    end: int = 0


def direction(metric: MetricId) -> Direction:
    """Return which values of a metric are better."""
    if metric.name in _NO_DIRECTION or metric.name in COUNTS:
        return "none"
    return "lower" if metric.name in _LOWER else "higher"


def metric_named(text: str) -> NamedMetric | None:
    """Return the metric a head or a stub names, the first if it names several; None if it names none."""
    if len(text) > 200:
        return None
    if count := next((name for name, pattern in _COUNT_PATTERNS if pattern.fullmatch(text.strip())), None):
        return NamedMetric(MetricId(count), "", 0, len(text))
    found = mentions(text)
    return found[0] if found else None


def mentions(text: str) -> list[NamedMetric]:
    """Return every metric that a text names, in order; a name within another name is not a mention."""
    taken: list[tuple[int, int]] = []
    found: list[NamedMetric] = []
    for name, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            taken.append(match.span())
            found.append(_named(name, match, text))
    return sorted(found, key=lambda one: one.start)


def _named(name: str, match: re.Match[str], text: str) -> NamedMetric:
    cut = (match.groupdict().get("k") or "").lower()
    rest = f"{text[: match.start()]} {text[match.end() :]}"
    variant = ""
    if name == "map":
        variant, rest = _denominator(rest)
    if name == "tpr_fpr":
        return NamedMetric(MetricId(name, parameter=f"fpr={_share(match[0]):g}"), _clean(rest), *match.span())
    if name == "evidence_recall" and cut not in ("", "k"):
        name = "recall"  # at a fixed cut-off it is recall; without one it is that of the selected set
    if name == "evidence_precision" and cut not in ("", "k"):
        name = "precision"
    return NamedMetric(MetricId(name, variant, "" if cut == "k" else cut), _clean(rest), *match.span())


def _denominator(rest: str) -> tuple[str, str]:
    """Return what a mean average precision divides by, where the name says it."""
    for variant, pattern in _DENOMINATOR:
        if pattern.search(rest):
            return variant, pattern.sub(" ", rest)
    return "", rest


def _share(text: str) -> float:
    """Return the budget in ``TPR@FPR≤5%`` and ``TPR@FPR=0.05``: 0.05."""
    level, percent = re.findall(r"(\d+(?:\.\d+)?)\s?(%?)", text)[0]
    return float(level) / 100 if percent or float(level) >= 1 else float(level)


def _clean(text: str) -> str:
    return " ".join(_NEUTRAL.sub(" ", text.replace("_", " ")).lower().split())
