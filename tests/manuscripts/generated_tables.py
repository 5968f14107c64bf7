"""Tables of results that are right: random rankings and decisions, measured from the definitions and printed.

Nothing here comes from the product: the measures are written down once more, and the formats are written by hand.
"""

from __future__ import annotations

import html
import json
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

CUTS = (1, 3, 5, 10, 20)
Measures = dict[str, float]


@dataclass(frozen=True)
class Right:
    """A table that is right, in every format."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    values: Mapping[str, Mapping[str, str]]
    """System to metric to what is printed, for JSON."""


def query(rng: random.Random, share_eff: bool) -> Measures:
    """The measures of one ranking of random length, some of whose documents are relevant."""
    length = rng.randint(1, 25)
    gold = rng.randint(1, 6)
    relevant = [rng.random() < 0.25 for _ in range(length)]
    while sum(relevant) > gold:
        relevant[relevant.index(True)] = False
    first = next((rank for rank, hit in enumerate(relevant, 1) if hit), 0)
    found: Measures = {"MRR": 1 / first if first else 0.0}
    for k in CUTS:
        top = relevant[:k]
        hits = sum(top)
        gain = sum(1 / math.log2(rank + 1) for rank, hit in enumerate(top, 1) if hit)
        ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(gold, k) + 1))
        precisions = sum(sum(top[:rank]) / rank for rank, hit in enumerate(top, 1) if hit)
        found |= {
            f"nDCG@{k}": gain / ideal,
            f"P@{k}": hits / (min(k, length) if share_eff else k),
            f"Recall@{k}": hits / gold,
            f"Hit@{k}": float(hits > 0),
            f"MAP@{k} (min(R,K))": precisions / min(gold, k),
            f"MAP@{k} (/R)": precisions / gold,
            f"MRR@{k}": 1 / first if 0 < first <= k else 0.0,
        }
    return found


def decisions(tp: int, fp: int, fn: int, tn: int) -> Measures:
    """The rates of a confusion matrix; those without a denominator are left out."""
    quotients = {
        "Sensitivity": (tp, tp + fn), "Specificity": (tn, tn + fp), "Precision": (tp, tp + fp), "NPV": (tn, tn + fn),
        "FPR": (fp, tn + fp), "FNR": (fn, tp + fn), "F1": (2 * tp, 2 * tp + fp + fn),
        "Accuracy": (tp + tn, tp + fp + fn + tn),
    }  # fmt: skip
    found = {name: above / below for name, (above, below) in quotients.items() if below}
    found["Balanced accuracy"] = (found["Sensitivity"] + found["Specificity"]) / 2
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    if product:
        found["MCC"] = (tp * tn - fp * fn) / math.sqrt(product)
    return found


def mean(parts: Sequence[float]) -> float:
    return math.fsum(parts) / len(parts)


def deviation(parts: Sequence[float]) -> float:
    return math.sqrt(math.fsum((part - mean(parts)) ** 2 for part in parts) / (len(parts) - 1))


def printer(rng: random.Random) -> Callable[[float, bool], str]:
    """How one table prints: decimals, percent or shares, ties to even or up, for shares and for differences."""
    decimals = rng.randint(2, 4)
    percent, sign = rng.random() < 0.4, rng.random() < 0.5
    ties = rng.choice([ROUND_HALF_EVEN, ROUND_HALF_UP])

    def shown(value: float, is_share: bool) -> str:
        scaled = Decimal(repr(value)) * (100 if percent and is_share else 1)
        places = max(1, decimals - 2) if percent and is_share else decimals
        text = f"{scaled.quantize(Decimal(1).scaleb(-places), rounding=ties):f}"
        return f"{text}%" if percent and is_share and sign else text

    return shown


def ranking(seed: int) -> Right:
    """Ranking metrics of two or three systems on the same queries: means over queries or over folds, ± SD or not."""
    rng = random.Random(seed)
    eff, by_fold = rng.random() < 0.3, rng.random() < 0.5
    systems = ["BM25", "Reranker", "Graph model"][: rng.randint(2, 3)]
    sizes = [rng.randint(2, 12) for _ in range(5 if by_fold else 1)]
    values: dict[str, dict[str, list[float]]] = {}
    for system in systems:
        folds = [[query(rng, eff) for _ in range(size)] for size in sizes]
        values[system] = {name: [mean([one[name] for one in fold]) for fold in folds] for name in folds[0][0]}
    names = sorted(rng.sample(list(values[systems[0]]), rng.randint(6, 20)))
    with_spread = by_fold and rng.random() < 0.5
    shown = printer(rng)

    def cell(parts: list[float]) -> str:
        text = shown(mean(parts), True)
        return f"{text} ± {shown(deviation(parts), True)}" if with_spread else text

    printed = {system: {name: cell(values[system][name]) for name in names} for system in systems}
    caption = "Means over 5 folds." if by_fold else "Means over queries."
    if rng.random() < 0.5:
        rows = [(system, *printed[system].values()) for system in systems]
        heads = ("System", *names)
        if len(systems) == 2:
            gains = [gain(rng, *(mean(values[system][name]) for system in systems)) for name in names]
            rows.append(("Improvement", *gains))
        return Right(caption, heads, tuple(rows), printed)
    rows = [(name, *(printed[system][name] for system in systems)) for name in names]
    if len(systems) == 2:
        rows = [(*row, gain(rng, *(mean(values[system][row[0]]) for system in systems))) for row in rows]
        return Right(caption, ("Metric", *systems, "Improvement"), tuple(rows), printed)
    return Right(caption, ("Metric", *systems), tuple(rows), printed)


def gain(rng: random.Random, base: float, value: float) -> str:
    """A relative improvement in percent, or none where the first number is too small to have one."""
    if base < 0.02:
        return "n/a"
    return f"{(value / base - 1) * 100:+.{rng.randint(1, 2)}f}%"


def confusion(seed: int) -> Right:
    """Rates of decisions: of pooled counts, which the caption says, or means over folds."""
    rng = random.Random(seed)
    pooled = rng.random() < 0.6
    systems = ["BM25", "Reranker"]
    sizes = [(rng.randint(2, 60), rng.randint(2, 200)) for _ in range(1 if pooled else 4)]
    positives, negatives = (sum(size[at] for size in sizes) for at in (0, 1))
    values: dict[str, dict[str, float]] = {}
    counts: dict[str, tuple[int, int, int, int]] = {}
    for system in systems:
        folds = []
        for p, n in sizes:
            tp, tn = rng.randint(0, p), rng.randint(0, n)
            folds.append((tp, n - tn, p - tp, tn))
        counts[system] = tuple(sum(fold[at] for fold in folds) for at in range(4))  # type: ignore[assignment]  # four
        rates = [decisions(*fold) for fold in folds]
        shared = [name for name in rates[0] if all(name in rate for rate in rates)]
        values[system] = {name: mean([rate[name] for rate in rates]) for name in shared}
    names = [name for name in values["BM25"] if name in values["Reranker"] and rng.random() < 0.8]
    shown = printer(rng)
    printed = {system: {name: shown(values[system][name], True) for name in names} for system in systems}
    with_counts = rng.random() < 0.5
    heads = ("System", "Queries", "Positive queries", *(["TP", "FP", "FN", "TN"] if with_counts else []), *names)
    rows = tuple(
        (system, f"{positives + negatives:,}", f"{positives:,}",
         *(f"{count:,}" for count in counts[system] if with_counts), *printed[system].values())
        for system in systems
    )  # fmt: skip
    return Right("Rates of pooled counts." if pooled else "Means over 4 folds.", heads, rows, printed)


def markdown(table: Right) -> str:
    lines = [table.heads, ["---"] * len(table.heads), *table.rows]
    return f"{table.caption}\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def latex(table: Right) -> str:
    def row(cells: Sequence[str]) -> str:
        return " & ".join(cell.replace("%", r"\%").replace("±", r"$\pm$") for cell in cells) + r" \\"

    body = "\n".join(map(row, table.rows))
    return (
        f"\\begin{{table}}\\caption{{{table.caption}}}\n\\begin{{tabular}}{{{'l' + 'r' * len(table.rows[0][1:])}}}\n"
        "\\toprule\n"
        f"{row(table.heads)}\n\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}\n\\end{{table}}\n"
    )


def page(table: Right) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    return (
        f"<table><caption>{table.caption}</caption><thead>{row(table.heads, 'th')}</thead>"
        f"<tbody>{''.join(row(cells, 'td') for cells in table.rows)}</tbody></table>"
    )


def values(table: Right) -> str:
    systems = {
        system: {name: json.loads(text.partition(" ")[0].rstrip("%")) for name, text in metrics.items()}
        for system, metrics in table.values.items()
    }
    return json.dumps({"note": table.caption, "results": systems})
