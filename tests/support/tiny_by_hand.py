"""The numbers of sample_runs/tiny from its per_query.csv, by the textbook formulas, with fractions.

Standard library only, and nothing of the product: this is the other side of the comparison. What is rational is
exact; nDCG, MCC and log loss are irrational and given as decimals. Run as a script it writes expected.json.
"""

import csv
import json
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

if __package__:
    from tests.support.tiny_probability import of_probabilities
else:  # run as a script
    from tiny_probability import of_probabilities

TINY = Path(__file__).parents[2] / "sample_runs" / "tiny"
CUTOFFS = (1, 3, 5, 10, 20)
BUDGETS = ("0.01", "0.03", "0.05", "0.1")
PREFERENCES = ("0.05", "0.1", "0.2")

Value = Fraction | float | None


@dataclass(frozen=True)
class Row:
    post: str
    label: str
    fold: str
    system: str
    y: int
    p: Fraction
    state: str
    tau_f1: Fraction
    k: int
    gold: tuple[str, ...]
    ranking: tuple[str, ...]

    @property
    def passes(self) -> bool:
        return self.state != "NEG"

    @property
    def predicted(self) -> bool:
        """The run's own decision on the label: the threshold that run.toml names."""
        return self.p >= self.tau_f1

    @property
    def returned(self) -> tuple[str, ...]:
        return self.ranking[: self.k] if self.passes else ()


def read() -> list[Row]:
    with (TINY / "per_query.csv").open(encoding="utf-8", newline="") as file:
        return [
            Row(
                post=r["post_id"],
                label=r["criterion_id"],
                fold=r["fold_id"],
                system=r["system"],
                y=int(r["has_evidence_gold"]),
                p=Fraction(r["p4_prob_calibrated"]),
                state=r["state"],
                tau_f1=Fraction(r["tau_f1"]),
                k=int(r["selected_k"]),
                gold=tuple(r["gold_ids"].split("|")) if r["gold_ids"] else (),
                ranking=tuple(r["ranked_ids"].split("|")),
            )
            for r in csv.DictReader(file)
        ]


def mean(values: Sequence[Value]) -> Value:
    defined = [v for v in values if v is not None]
    # Floats are added exactly: the sum of a list of floats has other last digits from Python 3.12 on.
    total = math.fsum(defined) if any(isinstance(one, float) for one in defined) else sum(defined, Fraction(0))
    return total / len(defined) if defined else None


# One query


def hits(row: Row, k: int) -> list[int]:
    return [rank for rank, doc in enumerate(row.ranking[:k], start=1) if doc in row.gold]


def ndcg(row: Row, k: int) -> float:
    ideal = math.fsum(1 / math.log2(rank + 1) for rank in range(1, min(len(row.gold), k) + 1))
    return math.fsum(1 / math.log2(rank + 1) for rank in hits(row, k)) / ideal if row.gold else 0.0


def ap(row: Row, k: int, denominator: int) -> Fraction:
    found = hits(row, k)
    return Fraction(sum((Fraction(n, rank) for n, rank in enumerate(found, start=1)), Fraction(0)), denominator or 1)


def rr(row: Row, k: int) -> Fraction:
    found = hits(row, k)
    return Fraction(1, found[0]) if found else Fraction(0)


def ranking_metrics() -> dict[str, Callable[[Row], Value]]:
    """Metric to value of one query; a query without gold is 0."""
    metrics: dict[str, Callable[[Row], Value]] = {}
    for k in CUTOFFS:
        metrics[f"ndcg@{k}"] = lambda r, k=k: ndcg(r, k)
        metrics[f"recall@{k}"] = lambda r, k=k: Fraction(len(hits(r, k)), len(r.gold) or 1)
        metrics[f"precision@{k}"] = lambda r, k=k: Fraction(len(hits(r, k)), k)
        metrics[f"hit@{k}"] = lambda r, k=k: Fraction(bool(hits(r, k)))
        metrics[f"map@{k}"] = lambda r, k=k: ap(r, k, min(len(r.gold), k))
        metrics[f"mrr@{k}"] = lambda r, k=k: rr(r, k)
    metrics["ndcg"] = lambda r: ndcg(r, 1000)
    metrics["rprec"] = lambda r: Fraction(len(hits(r, len(r.gold))), len(r.gold) or 1)
    metrics["map"] = lambda r: ap(r, len(r.ranking), len(r.gold))
    metrics["mrr"] = lambda r: rr(r, len(r.ranking))
    return metrics


def reached(rows: Sequence[Row]) -> dict[str, Value]:
    """What the lists hold at any rank, and what no list of ten could exceed."""
    found = [len(hits(r, len(r.ranking))) for r in rows]
    return {
        "coverage": Fraction(sum(found), sum(len(r.gold) for r in rows)),
        "recall@all": mean([Fraction(n, len(r.gold)) for n, r in zip(found, rows, strict=True)]),
        "precision[max]@10": mean([Fraction(min(len(r.gold), 10), 10) for r in rows]),
    }


def median_rank(rows: Sequence[Row]) -> Value:
    """Every positive query of this run has a gold sentence in its list."""
    return quantile([hits(r, len(r.ranking))[0] for r in rows], Fraction(1, 2))


# Several queries


def auroc(rows: Sequence[Row]) -> Value:
    pairs = [(a.p, b.p) for a in rows if a.y for b in rows if not b.y]
    return mean([Fraction(1) if a > b else Fraction(1, 2) if a == b else Fraction(0) for a, b in pairs])


def auprc(rows: Sequence[Row]) -> Value:
    positives = sum(r.y for r in rows)
    if not positives:
        return None
    area, before = Fraction(0), 0
    for threshold in sorted({r.p for r in rows}, reverse=True):
        above = [r for r in rows if r.p >= threshold]
        true = sum(r.y for r in above)
        area += Fraction(true - before, positives) * Fraction(true, len(above))
        before = true
    return area


def ece(rows: Sequence[Row]) -> Value:
    bins: dict[int, list[Row]] = {}
    for row in rows:
        bins.setdefault(min(int(row.p * 10), 9), []).append(row)
    gaps = [abs(sum((r.p for r in b), Fraction(0)) - sum(r.y for r in b)) for b in bins.values()]
    return sum(gaps, Fraction(0)) / len(rows)


def log_loss(rows: Sequence[Row]) -> float:
    # p = 1.0 is clipped to 1 - 2^-52, whose logarithm is below the 15 digits that are compared.
    losses = [-math.log(min(float(r.p if r.y else 1 - r.p), 1 - 2**-52)) for r in rows]
    return math.fsum(losses) / len(rows)


def confusion(rows: Sequence[Row], positive: Callable[[Row], bool]) -> tuple[int, int, int, int]:
    tp = sum(1 for r in rows if r.y and positive(r))
    fp = sum(1 for r in rows if not r.y and positive(r))
    fn = sum(1 for r in rows if r.y and not positive(r))
    return tp, fp, fn, len(rows) - tp - fp - fn


def f1(rows: Sequence[Row], positive: Callable[[Row], bool]) -> Value:
    tp, fp, fn, _ = confusion(rows, positive)
    return Fraction(2 * tp, 2 * tp + fp + fn) if tp + fp + fn else None


def mcc(rows: Sequence[Row], positive: Callable[[Row], bool]) -> Value:
    tp, fp, fn, tn = confusion(rows, positive)
    predicted, actual = (tp + fp) * (tn + fn), (tp + fn) * (tn + fp)
    if not predicted and not actual:
        return None
    return (tp * tn - fp * fn) / math.sqrt(predicted * actual) if predicted and actual else Fraction(0)


def roc_tpr(rows: Sequence[Row], budget: Fraction) -> Value:
    """The largest share of positives above a threshold that at most ``budget`` of the negatives reach."""
    negatives, positives = sum(not r.y for r in rows), sum(r.y for r in rows)
    if not negatives or not positives:
        return None
    best = Fraction(0)
    for threshold in {r.p for r in rows}:
        tp, fp, _, _ = confusion(rows, lambda r, t=threshold: r.p >= t)
        if Fraction(fp, negatives) <= budget:
            best = max(best, Fraction(tp, positives))
    return best


def roc_threshold(rows: Sequence[Row], budget: Fraction) -> Value:
    """Of all thresholds within the budget that of the highest TPR, then the lowest FPR, then the highest."""
    points = []
    for t in {r.p for r in rows}:
        tp, fp, fn, tn = confusion(rows, lambda r, t=t: r.p >= t)
        if tp + fn == 0 or fp + tn == 0:
            return None
        if Fraction(fp, fp + tn) <= budget and tp:
            points.append((Fraction(tp, tp + fn), -Fraction(fp, fp + tn), t))
    return max(points)[2] if points else None


def net_benefit(rows: Sequence[Row], threshold: Fraction) -> Value:
    tp, fp, _, _ = confusion(rows, lambda r: r.p >= threshold)
    return (tp - fp * threshold / (1 - threshold)) / len(rows)


def quantile(values: Sequence[int], q: Fraction) -> Fraction:
    """Linear interpolation between order statistics (Hyndman and Fan's type 7)."""
    ordered = sorted(values)
    at = q * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def classification(rows: Sequence[Row]) -> dict[str, Value]:
    tune, half = (lambda r: r.p >= r.tau_f1), (lambda r: r.p >= Fraction(1, 2))
    values: dict[str, Value] = {
        "auroc": auroc(rows),
        "auprc": auprc(rows),
        "prevalence": Fraction(sum(r.y for r in rows), len(rows)),
        "brier": mean([(r.p - r.y) ** 2 for r in rows]),
        "log_loss": log_loss(rows),
        "ece": ece(rows),
        "f1@tune": f1(rows, tune),
        "mcc@tune": mcc(rows, tune),
        "f1@0.5": f1(rows, half),
        "mcc@0.5": mcc(rows, half),
    }
    values |= {f"roc_tpr@fpr={a}": roc_tpr(rows, Fraction(a)) for a in BUDGETS}
    values |= {f"roc_threshold@fpr={a}": roc_threshold(rows, Fraction(a)) for a in BUDGETS}
    return values | {f"net_benefit@pt={p}": net_benefit(rows, Fraction(p)) for p in PREFERENCES}


def probabilities(rows: Sequence[Row]) -> dict[str, dict[str, Value]]:
    """Of the candidates, the score is minus the rank; gold that is not in the list ranks below all."""
    candidates = [(Fraction(-rank), int(doc in r.gold)) for r in rows for rank, doc in enumerate(r.ranking, start=1)]
    candidates += [(Fraction(-1000), 1) for r in rows for doc in r.gold if doc not in r.ranking]
    return of_probabilities([(r.p, r.y) for r in rows], [r.tau_f1 for r in rows], candidates)


def evidence_recall(rows: Sequence[Row]) -> dict[str, Value]:
    found = [len(set(r.returned) & set(r.gold)) for r in rows]
    passed = [(Fraction(n, len(r.gold)), Fraction(n, r.k)) for n, r in zip(found, rows, strict=True) if r.passes]
    return {
        "evidence_recall[conditional]": mean([recall for recall, _ in passed]),
        # Nothing is returned in state NEG: such a query has no precision.
        "evidence_precision": mean([precision for _, precision in passed]),
        "evidence_recall": mean([Fraction(n, len(r.gold)) for n, r in zip(found, rows, strict=True)]),
        "evidence_recall[pooled]": Fraction(sum(found), sum(len(r.gold) for r in rows)),
    }


def workload(rows: Sequence[Row]) -> dict[str, Value]:
    alerts = [r for r in rows if r.state == "POS"]
    missed = sum(1 for r in rows if r.y and r.state == "NEG")
    positives = sum(r.y for r in rows)
    return {
        "avg_k[pred_pos]": mean([Fraction(len(r.returned)) for r in rows if r.passes]),
        "screening_sensitivity": 1 - Fraction(missed, positives) if positives else None,
        "miss_rate": Fraction(missed, positives) if positives else None,
        "screening_fn": Fraction(1000 * missed, len(rows)),
        "alert_recall": Fraction(sum(r.y for r in alerts), positives) if positives else None,
        "avg_k[all]": mean([Fraction(len(r.returned)) for r in rows]),
        "alert_precision": mean([Fraction(r.y) for r in alerts]),
        "alert_rate": Fraction(1000 * len(alerts), len(rows)),
    }


def deployment(rows: Sequence[Row]) -> dict[str, Value]:
    """Returning anything is a yes."""
    counts = confusion(rows, lambda r: bool(r.returned))
    return {f"{name}[deployment]": Fraction(n) for name, n in zip(("tp", "fp", "fn", "tn"), counts, strict=True)}


def deployment_rates(rows: Sequence[Row]) -> dict[str, Value]:
    tp, fp, fn, tn = confusion(rows, lambda r: bool(r.returned))
    return {
        "recall[deployment]": Fraction(tp, tp + fn) if tp + fn else None,
        "fpr[deployment]": Fraction(fp, fp + tn) if fp + tn else None,
        "precision[deployment]": Fraction(tp, tp + fp) if tp + fp else None,
    }


def multilabel(rows: Sequence[Row]) -> dict[str, Value]:
    labels = sorted({r.label for r in rows})
    posts = sorted({r.post for r in rows})
    exact = [all(r.predicted == bool(r.y) for r in rows if r.post == post) for post in posts]

    def predicted(row: Row) -> bool:
        return row.predicted

    return {
        "f1[micro]": f1(rows, predicted),
        "f1[samples]": mean([f1([r for r in rows if r.post == post], predicted) for post in posts]),
        "hamming_accuracy": mean(
            [mean([Fraction(r.predicted == bool(r.y)) for r in rows if r.post == post]) for post in posts]
        ),
        "f1[macro:label]": mean([f1([r for r in rows if r.label == label], predicted) for label in labels]),
        "exact_match": Fraction(sum(exact), len(exact)),
    }


def values_of(rows: Sequence[Row], subset: str) -> dict[str, Value]:
    """All metrics of a family that is computed on this subset; ``rows`` are its queries."""
    if not rows:
        return {}
    ranking = {name: mean([of(r) for r in rows]) for name, of in ranking_metrics().items()}
    if subset.endswith("positives_only"):
        return ranking | evidence_recall(rows) | reached(rows)
    if subset == "all_queries":
        return (
            ranking
            | classification(rows)
            | probabilities(rows)["means"]
            | workload(rows)
            | multilabel(rows)
            | deployment_rates(rows)
        )
    return classification(rows) | workload(rows)


def in_subset(row: Row, subset: str) -> bool:
    label, _, population = subset.removeprefix("label=").partition("/")
    if not subset.startswith("label="):
        label, population = "", subset
    return (not label or row.label == label) and (population != "positives_only" or row.y == 1)


def spelt(value: Value) -> Any:
    if isinstance(value, Fraction):
        return {"exact": str(value), "value": float(value)}
    return {"value": value}


def expected() -> dict[str, Any]:
    rows = read()
    labels = sorted({r.label for r in rows})
    subsets = ["all_queries", "positives_only"]
    subsets += [f"label={label}{population}" for label in labels for population in ("", "/positives_only")]
    systems: dict[str, Any] = {}
    for system in sorted({r.system for r in rows}):
        systems[system] = {}
        for subset in subsets:
            chosen = [r for r in rows if r.system == system and in_subset(r, subset)]
            folds = {f: values_of([r for r in chosen if r.fold == f], subset) for f in ("1", "2")}
            pooled = values_of(chosen, subset)
            names = list(pooled)
            means = {name: mean([folds[f].get(name) for f in folds]) for name in names if name != "prevalence"}
            if subset == "positives_only":
                pooled["median_rank"] = median_rank(chosen)
            if subset == "all_queries":
                returned = [len(r.returned) for r in chosen]
                pooled["median_k[all]"] = quantile(returned, Fraction(1, 2))
                pooled["p90_k[all]"] = quantile(returned, Fraction(9, 10))
                pooled |= probabilities(chosen)["counts"] | deployment(chosen)
            systems[system][subset] = {
                "pooled": {name: spelt(v) for name, v in pooled.items()},
                "fold_mean": {name: spelt(v) for name, v in means.items()},
                "fold": {f: {name: spelt(folds[f].get(name)) for name in names} for f in folds},
            }
    how = (
        "Computed by tests/support/tiny_by_hand.py with fractions, without reportgen; README.md has the arithmetic. "
        "Conventions: contract field-standard. null = undefined."
    )
    return {"_how": how, "systems": systems}


def text() -> str:
    return json.dumps(expected(), indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    sys.exit(0 if (TINY / "expected.json").write_text(text(), encoding="utf-8") else 1)
