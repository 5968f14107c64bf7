"""A small synthetic run in which no check finds anything, as tables that a test can change.

Twenty posts in two folds, three labels each, four candidates per post; everything follows from the numbers of post,
label and candidate, so that no two computers make another run.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LABELS = ("A", "B", "C")
POSTS = tuple(range(1, 21))
THRESHOLDS = {"f1": (0.255, 0.455, 0.655), "f2": (0.275, 0.475, 0.675)}
"""tau_neg, tau_f1, tau_pos of each fold: between the probabilities, which have other last digits."""

CONTRACT = """\
# The field's standard, cut down to what twenty posts can carry.
id = "small"
inherits = "field-standard"
version = "1.0.0"
title = "Small"
cutoffs = [1, 3]
fpr_budgets = [0.7]
headline = ["ndcg@3", "auroc"]
primary = ["ndcg@3", "auroc"]
"""


def fold_of(post: int) -> str:
    """The first ten posts are one fold, the others the other."""
    return "f1" if post <= 10 else "f2"


def truth(post: int, label: int) -> int:
    """Whether the query of a post and label has evidence: about two in five."""
    return int((post + label) % 3 == 0 or (post + 2 * label) % 10 == 4)


def gold(post: int, label: int) -> frozenset[int]:
    """The relevant candidates of 1 to 4: one, or two, of a query with evidence."""
    if not truth(post, label):
        return frozenset()
    first = 1 + (post + label) % 4
    return frozenset({first, 1 + first % 4} if (post + label) % 2 else {first})


def probability(post: int, label: int, shift: int = 0) -> float:
    """Higher with evidence, but not always: the classes overlap."""
    noise = (7 * post + 5 * label + shift) % 19 / 19
    return round(0.08 + 0.62 * noise + 0.25 * truth(post, label), 4)


def state(p: float, fold: str) -> str:
    """By the fold's thresholds."""
    low, _, high = THRESHOLDS[fold]
    return "NEG" if p < low else "UNCERTAIN" if p < high else "POS"


@dataclass
class Files:
    """A run folder: tables by name as rows, and texts; a test changes them before they are written."""

    tables: dict[str, list[dict[str, Any]]]
    title: str
    split: str = "2-fold"
    decision: str | None = "tau_f1"
    calibrator_fit_on: str = "tune"
    contract: str = CONTRACT
    more: str = ""
    """Further lines at the head of run.toml."""
    systems: str = '[[systems]]\nid = "model"\nlabel = "Model"\n'
    tail: str = ""
    """Further tables of run.toml."""
    texts: dict[str, str | bytes] = field(default_factory=dict)
    """Files that are not tables, or that are in place of one; they are written last."""
    dropped: Sequence[str] = ()

    @property
    def run_toml(self) -> str:
        """What the tables are, and that they are invented."""
        decision = f'decision = "{self.decision}"\n' if self.decision else ""
        return (
            f'# Made by tests/support; do not edit.\ntitle = "{self.title}"\ndataset = "Twenty invented posts"\n'
            f'description = "Synthetic data, made to show one finding."\nsynthetic = true\ncontract = "contract.toml"\n'
            f'split = "{self.split}"\n{decision}calibrator_fit_on = "{self.calibrator_fit_on}"\n{self.more}'
            f"{self.systems}{self.tail}"
        )

    def contents(self) -> Mapping[str, bytes]:
        """File name to bytes."""
        made: dict[str, str | bytes] = {name: _csv(rows) for name, rows in self.tables.items()}
        made |= {"run.toml": self.run_toml, "contract.toml": self.contract, **self.texts}
        return {
            name: text.encode() if isinstance(text, str) else text
            for name, text in made.items()
            if name not in self.dropped
        }

    def write(self, folder: Path) -> Path:
        """Write the folder and return it."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in self.contents().items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(content)
        return folder


def sound(title: str = "Sound: no finding") -> Files:
    """The run that every other one is a change of."""
    pairs = [(post, label) for post in POSTS for label in range(len(LABELS))]
    return Files(
        {
            "queries.csv": [_query(post, label) for post, label in pairs],
            "predictions.csv": [_prediction(post, label) for post, label in pairs],
            "candidates.csv": [_candidate(post, label, n) for post, label in pairs for n in range(1, 5)],
            "thresholds.csv": [
                {"system": "model", "fold": fold, "tau_neg": low, "tau_f1": middle, "tau_pos": high}
                for fold, (low, middle, high) in THRESHOLDS.items()
            ],
            "tune_predictions.csv": [_tuned(post, label) for post, label in pairs],
        },
        title,
    )


def _name(post: int, label: int) -> str:
    return f"p{post:02}-{LABELS[label]}"


def _query(post: int, label: int) -> dict[str, Any]:
    named = {"query": _name(post, label), "cluster": f"p{post:02}", "label": LABELS[label], "fold": fold_of(post)}
    return {**named, "y_true": truth(post, label), "n_gold": len(gold(post, label))}


def _prediction(post: int, label: int) -> dict[str, Any]:
    p = probability(post, label)
    decided = state(p, fold_of(post))
    k = 0 if decided == "NEG" else 1 + (post + label) % 3
    return {"query": _name(post, label), "system": "model", "y_prob": p, "state": decided, "selected_k": k}


def _candidate(post: int, label: int, n: int) -> dict[str, Any]:
    relevant = n in gold(post, label)
    score = (5 * post + 11 * label + 7 * n) % 23 / 23 + 0.3 * relevant + 0.001 * n
    named = {"query": _name(post, label), "doc_id": f"p{post:02}-s{n}", "position": n - 1}
    return {**named, "relevance": int(relevant), "score_model": round(score, 4)}


def _tuned(post: int, label: int) -> dict[str, Any]:
    """The model of a fold was tuned on the posts of the other one."""
    other = "f2" if fold_of(post) == "f1" else "f1"
    return {"query": _name(post, label), "system": "model", "fold": other, "y_prob": probability(post, label, 3)}


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
