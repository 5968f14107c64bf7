"""The changes of the synthetic run after which it cannot be read, by the code of the error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tests.support.changes import Change, both, drop, rows, setting
from tests.support.sound_run import Files


def cell(table: str, column: str, value: Any, **where: Any) -> Change:
    """Another value in the first row that has these."""

    def changed(files: Files) -> None:
        next(rows(files, table, **where))[column] = value

    return changed


def text(name: str, old: str, new: str) -> Change:
    """Another text in the file as it is written."""

    def changed(files: Files) -> None:
        content = files.contents()[name].decode()
        assert old in content
        files.texts[name] = content.replace(old, new, 1)

    return changed


def as_latin_1(files: Files) -> None:
    content = files.contents()["queries.csv"].decode()
    files.texts["queries.csv"] = content.replace("p01,A", "p\xe9,A", 1).encode("latin-1")
    files.dropped = ()


def renamed(table: str, old: str, new: str) -> Change:
    def changed(files: Files) -> None:
        files.tables[table] = [{new if k == old else k: v for k, v in row.items()} for row in files.tables[table]]

    return changed


def again(table: str, **where: Any) -> Change:
    """A row twice."""

    def changed(files: Files) -> None:
        files.tables[table].append(dict(next(rows(files, table, **where))))

    return changed


def less(table: str, **where: Any) -> Change:
    """Without the first row that has these values."""

    def changed(files: Files) -> None:
        files.tables[table].remove(next(rows(files, table, **where)))

    return changed


def listed(files: Files) -> None:
    """One file with lists in cells, the first of which holds a blank id."""
    files.tables = {
        "per_query.csv": [
            {"query": "q1", "cluster": "p1", "y_prob": 0.7, "gold_ids": "s1", "ranking": "s1||s2"},
            {"query": "q2", "cluster": "p2", "y_prob": 0.2, "gold_ids": "", "ranking": "s2|s1"},
        ]
    }
    setting(decision=None)(files)


def two_rankings(files: Files) -> None:
    files.tables = {
        "per_query.csv": [
            {"query": "q1", "system": "model", "gold_ids": "s1", "first_topk": "s1|s2", "second_topk": "s2|s1"}
        ]
    }
    setting(decision=None)(files)


def supplied(files: Files) -> None:
    """A reciprocal rank of more than 1, brought along by the run."""
    for row in files.tables["predictions.csv"]:
        row["mrr"] = 1.0
    files.tables["predictions.csv"][0]["mrr"] = 1.5


def hard(files: Files) -> None:
    """Decisions of 0 and 1 where probabilities should be."""
    for row in files.tables["predictions.csv"]:
        row["y_prob"] = int(float(row["y_prob"]) >= 0.5)


def confident(files: Files) -> None:
    """The confidence in the predicted class, beside that class."""
    for row in files.tables["predictions.csv"]:
        p = float(row["y_prob"])
        row["y_prob"], row["prediction"] = round(max(p, 1 - p), 3), int(p >= 0.5)


def weighted(files: Files) -> None:
    """Weights of queries."""
    for n, row in enumerate(files.tables["queries.csv"]):
        row["sample_weight"] = 1 + n % 3


def weighing_nothing(files: Files) -> None:
    """Weights of which one is 0, said to be weights."""
    weighted(files)
    files.tables["queries.csv"][0]["sample_weight"] = 0
    files.tail = '[columns]\nweight = "sample_weight"\n'


def predicted_twice(files: Files) -> None:
    """Predictions of two repeats, but one set of tuning predictions and thresholds."""
    found = files.tables["predictions.csv"]
    files.tables["predictions.csv"] = [{**row, "repeat": repeat} for repeat in (1, 2) for row in found]


def trained_twice(files: Files) -> None:
    """Two trainings of the system, in the predictions alone."""
    rows = files.tables["predictions.csv"]
    files.tables["predictions.csv"] = [{**row, "seed": seed} for seed in (1, 2) for row in rows]


def of_one_training(files: Files) -> None:
    """Two trainings of the system, and tuning predictions of the first."""
    trained_twice(files)
    for row in files.tables["tune_predictions.csv"]:
        row["seed"] = 1


def in_partitions(files: Files, first: int = 28) -> None:
    """Predictions in two files: of some rows, the last of them the first of the tenth post's three, and of the rest."""
    head, *lines = files.contents()["predictions.csv"].decode().splitlines(keepends=True)
    files.dropped = ("predictions.csv",)
    files.tail = FILES.format(queries="queries.csv").replace("predictions.csv", "predictions/")
    files.tail += 'thresholds = "thresholds.csv"\ntune = "tune_predictions.csv"\n'
    for name, some in (("predictions/1.csv", lines[:first]), ("predictions/2.csv", lines[first:])):
        files.texts[name] = head + "".join(some)


def with_other_columns(files: Files) -> None:
    """Predictions in two files of whole posts, the first with a column that the second lacks."""
    in_partitions(files, first=30)
    head, *lines = str(files.texts["predictions/1.csv"]).splitlines()
    files.texts["predictions/1.csv"] = "".join([f"{head},note\n", *(f"{line},checked\n" for line in lines)])


FILES = '[files]\nqueries = "{queries}"\npredictions = "predictions.csv"\n'

ERRORS: Final[Mapping[str, Change]] = {
    "RG101": setting(tail=FILES.format(queries="querys.csv")),
    "RG102": setting(tables={}),
    "RG103": both(drop("queries.csv"), setting(texts={"queries.parquet": b"PAR1"})),
    "RG104": as_latin_1,
    "RG105": setting(texts={"thresholds.csv": ""}),
    "RG106": text("queries.csv", "p01-A,p01,A,f1", "p01-A,p01,A"),
    "RG107": text("queries.csv", "n_gold", "fold"),
    "RG110": text("run.toml", "title = ", "title == "),
    "RG111": setting(more='titel = "A title"\n'),
    "RG112": setting(more="authors = 3\n"),
    "RG113": setting(tail=FILES.format(queries="../queries.csv")),
    "RG120": renamed("predictions.csv", "query", "querry"),
    "RG121": setting(tail='[columns]\ny_prob_raw = "uncalibrated"\n'),
    "RG122": two_rankings,
    "RG130": cell("predictions.csv", "y_prob", "high", query="p01-A"),
    "RG131": cell("predictions.csv", "y_prob", 1.5, query="p01-A"),
    "RG132": cell("queries.csv", "y_true", 2, query="p01-A"),
    "RG133": cell("predictions.csv", "state", "MAYBE", query="p01-A"),
    "RG134": cell("predictions.csv", "selected_k", 5, query="p01-A"),
    "RG135": cell("queries.csv", "cluster", "", query="p01-A"),
    "RG136": cell("candidates.csv", "relevance", -1, query="p01-A"),
    "RG137": listed,
    "RG138": supplied,
    "RG158": hard,
    "RG159": confident,
    "RG160": weighted,
    "RG161": in_partitions,
    "RG162": weighing_nothing,
    "RG163": with_other_columns,
    "RG140": again("predictions.csv", query="p01-A"),
    "RG141": cell("candidates.csv", "doc_id", "p01-s2", doc_id="p01-s1"),
    "RG142": less("predictions.csv", query="p01-A"),
    "RG143": cell("candidates.csv", "query", "p99-A", doc_id="p01-s4", relevance=0),
    "RG144": cell("candidates.csv", "position", 1, query="p01-A"),
    "RG145": cell("queries.csv", "fold", "f2", query="p01-A"),
    "RG146": cell("queries.csv", "y_true", 0, y_true=1),
    "RG147": cell("queries.csv", "n_gold", 3, n_gold=1),
    "RG148": trained_twice,
    "RG149": of_one_training,
    "RG150": setting(tail='[comparisons]\nbaseline = "other"\n'),
    "RG151": less("thresholds.csv", fold="f2"),
    "RG152": again("thresholds.csv", fold="f2"),
    "RG153": setting(decision="tau_best"),
    "RG154": setting(tail='[label_sets]\nall = ["A", "B", "C", "D"]\n'),
    "RG156": setting(tail='[label_sets]\nall = ["A", "B", "C"]\n'),
    "RG157": predicted_twice,
    "RG169": setting(tail='[columns]\nsubgroup = "label"\n[subgroups.label]\nreference = "Z"\n'),
}
"""Code to the change of the sound run; RG155 is about two runs, and has no folder."""
