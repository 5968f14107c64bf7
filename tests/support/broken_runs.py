"""One small synthetic run per code: the sound run with the one change that triggers it.

``python -m tests.support.broken_runs`` writes them into sample_runs/broken; a test holds the folders against it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from reportgen.codes import registry
from tests.support.changes import (
    Change,
    Row,
    appended,
    both,
    contract,
    conventions,
    drop,
    each_prediction,
    label_of,
    per_candidate,
    post_of,
    rows,
    setting,
    without,
)
from tests.support.sound_run import LABELS, POSTS, THRESHOLDS, Files, gold, sound, truth
from tests.support.unreadable_runs import ERRORS

FOLDER: Final = Path(__file__).resolve().parent.parent.parent / "sample_runs" / "broken"
NO_STATES = both(without("predictions.csv", "state"), without("thresholds.csv", "tau_neg", "tau_pos"))
NO_K = without("predictions.csv", "selected_k")
"""Where other probabilities would make other states: the run then has neither states nor a selection."""
PROBABILITY_ONLY = both(NO_STATES, NO_K)


def classes(change: Callable[[Row], object]) -> Change:
    """Each post has one of three classes, a row of the file; ``change`` is made to each row."""

    def changed(files: Files) -> None:
        rows_of = [
            {
                "query": f"p{post:02}", "fold": "f1" if post <= 10 else "f2", "y_class": LABELS[post % 3],
                **{f"prob_{name}": _class_probability(post, at) for at, name in enumerate(LABELS)},
            }
            for post in POSTS
        ]  # fmt: skip
        for row in rows_of:
            change(row)
        files.tables.clear()
        files.tables["predictions.csv"] = rows_of
        files.decision = None

    return changed


def _class_probability(post: int, at: int) -> float:
    """Two in three posts have the highest probability for their class."""
    highest = (post + (post % 5 == 0)) % 3
    return round((0.5 + post / 100 if at == highest else 0.25 - post / 200), 3)


# Splits


def tune_meets_eval(files: Files) -> None:
    for row in files.tables["tune_predictions.csv"]:
        if row["query"] == "p01-A":
            row["fold"] = "f1"


def second_truth(files: Files) -> None:
    """A column of another gold standard, which nothing uses."""
    for n, row in enumerate(files.tables["queries.csv"]):
        row["gold_second_reader"] = n % 2


def copied_query(files: Files) -> None:
    """A query of the second fold becomes a copy of one of the first, id included but for its case."""
    for table in files.tables.values():
        for row in table:
            if row.get("query") == "p20-C":
                row["query"] = "P01-c"
    # The pair is one label of two posts; the scores differ, the id is what gives it away.
    for row in files.tables["candidates.csv"]:
        assert row["query"] != "p20-C"


def hole(files: Files) -> None:
    for name in ("queries.csv", "predictions.csv", "candidates.csv", "tune_predictions.csv"):
        files.tables[name] = [row for row in files.tables[name] if row["query"] != "p10-B"]


def repeat(files: Files) -> None:
    for table in ("queries.csv", "predictions.csv", "candidates.csv"):
        for row in list(rows(files, table, query="p10-B")):
            files.tables[table].append({**row, "query": "p10-B-again"})


# Thresholds


def from_eval(files: Files) -> None:
    """Each fold's decision threshold becomes a probability of EVAL, which then does not occur in TUNE."""
    for fold, query, p in (("f1", "p02-B", 0.3737), ("f2", "p12-B", 0.4141)):
        next(rows(files, "thresholds.csv", fold=fold))["tau_f1"] = p
        decided = next(rows(files, "predictions.csv", query=query))
        decided |= {"y_prob": p, "state": "UNCERTAIN", "selected_k": 2}


def second_threshold(files: Files) -> None:
    for row in files.tables["thresholds.csv"]:
        row["tau_youden"] = row["tau_f1"]


def out_of_reach(files: Files) -> None:
    """The highest probability of each tuning part is that of a query without evidence."""
    for query in ("p01-A", "p11-A"):
        assert not truth(int(query[1:3]), 0)
        next(rows(files, "tune_predictions.csv", query=query))["y_prob"] = 0.99


def open_contract(files: Files) -> None:
    """A contract that inherits nothing and says no convention."""
    files.contract = files.contract.replace('inherits = "field-standard"\n', "") + (
        '\n[populations]\nranking = ["positives_only"]\ngate = ["all_queries"]\n'
    )


def observed_rates(files: Files) -> None:
    """Four levels per fold; the probability of each is the share of positives at it."""
    for fold in THRESHOLDS:
        of_fold = [row for row in files.tables["predictions.csv"] if (post_of(row) <= 10) == (fold == "f1")]
        ordered = sorted(of_fold, key=lambda row: (row["y_prob"], row["query"]))
        for start in range(0, 30, 6):
            level = ordered[start : start + 6]
            rate = sum(truth(post_of(row), label_of(row)) for row in level) / 6
            for row in level:
                row["y_prob"] = rate


def inverted(row: Row) -> Row:
    return {"y_prob": round(0.9 - row["y_prob"] / 2 - 0.2 * truth(post_of(row), label_of(row)), 4)}


def certain_and_wrong(row: Row) -> Row:
    return {"y_prob": 1.0} if post_of(row) == 1 and not truth(1, label_of(row)) else {}


def perfect(row: Row) -> Row:
    return {"y_prob": round(0.1 + 0.3 * row["y_prob"] + 0.5 * truth(post_of(row), label_of(row)), 4)}


# Rankings and gold


def unranked_gold(files: Files) -> None:
    first = next(rows(files, "candidates.csv", relevance=1))
    first["score_model"] = ""
    next(rows(files, "predictions.csv", query=first["query"]))["selected_k"] = 1


def foreign_document(files: Files) -> None:
    for row in rows(files, "candidates.csv", query="p05-A"):
        if row["doc_id"] == "p05-s4" and row["relevance"] == 0:
            row["doc_id"] = "p06-s4"
            return
    raise AssertionError("p05-A has no fourth candidate that is not relevant")


def cut_lists(files: Files) -> None:
    """Three or four candidates are selected, and a fourth that was not has no score; the gold is never the fourth."""
    for row in files.tables["predictions.csv"]:
        ranked = sorted(rows(files, "candidates.csv", query=row["query"]), key=lambda other: -other["score_model"])
        last = ranked[-1]
        row["selected_k"] = 3 if (post_of(row) + label_of(row)) % 2 and not last["relevance"] else 4
        if row["selected_k"] == 3:
            last["score_model"] = ""


def gold_first(files: Files) -> None:
    """The gold stands first in the file, and the second and third score are tied, which decides nothing at 1 or 3."""
    for post in POSTS:
        for label in LABELS:
            of_query = list(rows(files, "candidates.csv", query=f"p{post:02}-{label}"))
            for position, row in enumerate(sorted(of_query, key=lambda row: (-row["relevance"], row["doc_id"]))):
                row["position"] = position
            ranked = sorted(of_query, key=lambda row: -row["score_model"])
            ranked[1]["score_model"] = ranked[2]["score_model"]


def true_states(row: Row) -> Row:
    y = truth(post_of(row), label_of(row))
    return {"state": "POS" if y else "NEG", "selected_k": 1 + (post_of(row) + label_of(row)) % 3 if y else 0}


# Labels


def relabelled(change: Callable[[Row], bool | None]) -> Change:
    """Another truth; the gold and with it everything of the ranking is left out."""

    def changed(files: Files) -> None:
        drop("candidates.csv", "tune_predictions.csv")(files)
        without("queries.csv", "n_gold")(files)
        for row in files.tables["queries.csv"]:
            known = change(row)
            row["y_true"] = row["y_true"] if known is None else int(known)

    return both(PROBABILITY_ONLY, changed, drop("thresholds.csv"), setting(decision=None))


def _drifting(row: Row) -> bool:
    """About one in ten positive in the first fold, nine in ten in the second; each label has both classes."""
    rare = (3 * post_of(row) + label_of(row)) % 10 == 0
    return rare if post_of(row) <= 10 else not rare


FINDINGS: Final[Mapping[str, Change]] = {
    "RG240": contract("cutoffs = [1, 3]", "cutoffs = [1, 3, 5]"),
    "RG241": both(
        per_candidate(lambda row, n: {"score_model": round(row["score_model"], 0)}), NO_K
    ),
    "RG242": contract("fpr_budgets = [0.7]", "fpr_budgets = [0.1, 0.7]"),
    "RG243": conventions('tau_neg_rule = "min_sensitivity"', "tau_neg_target = 0.9"),
    "RG244": both(drop("tune_predictions.csv", "thresholds.csv"), setting(decision=None),
                  conventions('tau_neg_rule = "min_sensitivity"')),
    "RG245": both(out_of_reach, conventions('tau_pos_rule = "min_precision"', "tau_pos_target = 1.0")),
    "RG246": per_candidate(lambda row, n: {"relevance": row["relevance"] * (1 + n % 2)}),
    "RG247": conventions("k_hard_cap = 2"),
    "RG248": lambda files: next(rows(files, "predictions.csv", state="POS")).update(selected_k=0),
    "RG250": both(drop("candidates.csv"), without("queries.csv", "n_gold"), NO_K),
    "RG251": open_contract,
    "RG252": appended('[targets]\nauroc = ">= 0.6"'),
    "RG253": appended("[expectations]\nqueries = 61"),
    "RG254": appended('[bands.plausible]\nauroc = [0.5, 0.9]'),
    "RG275": each_prediction(lambda row: {"mrr": 0.5}),
    "RG309": setting(systems=""),
    "RG359": second_truth,
    "RG310": tune_meets_eval,
    "RG311": copied_query,
    "RG312": setting(split="5-fold"),
    "RG313": hole,
    "RG314": repeat,
    "RG320": setting(tail='[comparisons]\nfamily = ["ndcg@3", "ndcg@7"]\n'),
    "RG321": from_eval,
    "RG322": lambda files: next(rows(files, "thresholds.csv", fold="f1")).update(tau_neg=0.7),
    "RG323": both(second_threshold, setting(decision=None)),
    "RG324": both(PROBABILITY_ONLY, observed_rates),
    "RG325": drop("tune_predictions.csv"),
    "RG326": without("thresholds.csv", "tau_neg", "tau_pos"),
    "RG330": both(PROBABILITY_ONLY, each_prediction(lambda row: {"y_prob": 0.5})),
    "RG331": both(PROBABILITY_ONLY, each_prediction(inverted)),
    "RG332": both(PROBABILITY_ONLY, each_prediction(perfect)),
    "RG333": both(
        both(PROBABILITY_ONLY, setting(more='scale = "probability"\n')),
        each_prediction(lambda row: {"y_prob": truth(post_of(row), label_of(row))}),
    ),
    "RG334": both(PROBABILITY_ONLY, each_prediction(certain_and_wrong)),
    "RG335": lambda files: next(rows(files, "predictions.csv", state="POS")).update(state="UNCERTAIN"),
    "RG336": lambda files: next(rows(files, "predictions.csv", state="NEG")).update(selected_k=1),
    "RG337": each_prediction(
        lambda row: {"y_prob_raw": round(0.9 * row["y_prob"] + 0.1 * truth(post_of(row), label_of(row)), 4)}
    ),
    "RG338": classes(lambda row: row["query"] == "p07" and row.update(prob_C=round(row["prob_C"] - 0.1, 2))),
    "RG339": classes(
        lambda row: row.update(predicted_class=max("ABC", key=lambda c: (row["query"] == "p07") * (c == "C") or
                                                   row[f"prob_{c}"]))
    ),
    "RG340": unranked_gold,
    "RG341": foreign_document,
    "RG342": both(NO_STATES, cut_lists),
    "RG343": each_prediction(lambda row: {"selected_k": 0 if row["state"] == "NEG" else 2}),
    "RG344": both(per_candidate(lambda row, n: {"score_model": ""}), NO_K),
    "RG350": relabelled(lambda row: False if post_of(row) <= 10 else None),
    "RG351": relabelled(lambda row: False if label_of(row) == 2 else None),
    "RG352": relabelled(_drifting),
    "RG355": per_candidate(lambda row, n: {"score_model": round(row["score_model"] / 2 + row["relevance"], 4)}),
    "RG356": gold_first,
    "RG357": each_prediction(lambda row: {"selected_k": len(gold(post_of(row), label_of(row))) or row["selected_k"]}),
    "RG358": both(without("thresholds.csv", "tau_neg", "tau_pos"), each_prediction(true_states)),
}  # fmt: skip
"""Code of a finding to the change of the sound run that triggers it and nothing else."""

COMPUTED: Final = frozenset({"RG250", "RG252", "RG254"})
"""Findings about metrics, targets and bands, which an evaluation reports."""
WITH: Final[Mapping[str, frozenset[str]]] = {
    "RG245": frozenset({"RG243"}),
    "RG275": frozenset({"RG309"}),
    "RG338": frozenset({"RG309"}),
    "RG340": frozenset({"RG309"}),
    "RG342": frozenset({"RG309"}),
    "RG359": frozenset({"RG309"}),
    "RG339": frozenset({"RG309"}),
    "RG344": frozenset({"RG240", "RG340"}),
    "RG358": frozenset({"RG326"}),
}
"""What must come with a code: an empty list is a short one, a precision can only be out of reach where states are
assigned anew, what a file supplies or leaves blank is told when it is read, and states that are the truth have no
thresholds behind them."""
_BEYOND = ("RG37", "RG62", "RG65", "RG66", "RG67", "RG68")
BEYOND_DATA: Final = frozenset({"RG255", "RG260", *(code for code in registry() if code.startswith(_BEYOND))})
"""Codes that no folder here is for: few clusters, which all of them have and only intervals make a finding of; two
implementations that agree, and sound results, which no data can trigger in a build. The tests of the publication gate
and of verification change results and bundles instead; those of lint and trace change documents."""


def files_of(code: str) -> Files:
    """The run folder of a code."""
    files = sound(f"Synthetic: {registry()[code].title}")
    (FINDINGS | ERRORS)[code](files)
    return files


def readme() -> str:
    """The page that says what the folders are."""
    codes = registry()
    listed = "\n".join(f"| `{code}` | {codes[code].title} |" for code in FINDINGS | ERRORS)
    return (
        "# Runs with one fault each\n\nAll of it is synthetic: twenty invented posts, three labels, one model. `sound` "
        "is a run in which no check finds anything;\nevery other folder is that run with one change, and bears the "
        "code of what the change triggers. `tests/support/broken_runs.py` makes them.\n\n"
        "    reportgen check sample_runs/broken/RG310\n\n"
        f"| folder | what is wrong |\n|---|---|\n{listed}\n"
    )


def main() -> None:
    """Write all folders anew."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    (FOLDER / "README.md").write_text(readme(), encoding="utf-8")
    sound().write(FOLDER / "sound")
    for code in FINDINGS | ERRORS:
        files_of(code).write(FOLDER / code)


if __name__ == "__main__":
    main()
