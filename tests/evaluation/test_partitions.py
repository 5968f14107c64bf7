"""Candidates that are read partition by partition, and never together, give the numbers and findings of one table."""

from __future__ import annotations

import io
import pickle
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from reportgen.contracts import load_contract
from reportgen.crosscheck import crosscheck
from reportgen.errors import InputError
from reportgen.evaluation import evaluate
from reportgen.evaluation.partitions import gathered, preparing
from reportgen.inputs import read_run
from reportgen.results import encode
from tests.support.broken_runs import FOLDER

OF_CANDIDATES = (
    "RG240", "RG241", "RG246", "RG311", "RG340", "RG341", "RG342", "RG343", "RG344", "RG355", "RG356", "RG357",
)  # fmt: skip
"""Findings in candidates."""


class Keeping:
    """Workers that take the last task first; what stays with them is pickled whenever it moves."""

    n = 3

    def outcomes(self, tasks: Sequence[Callable[[], Any]]) -> Iterator[tuple[int, Any]]:
        for at in reversed(range(len(tasks))):
            yield at, _moved(_moved(tasks[at])())

    def keep(self, tasks: Sequence[Callable[[], Any]]) -> Sequence[Any]:
        return [_moved(task)() for task in tasks]

    later = keep


def _moved(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


@dataclass(eq=False)
class _Staying:
    """What stays with a worker."""

    value: Any


class _Seeing(pickle.Pickler):
    """Notes how long the arrays are that it meets, but for those of what stays where it is."""

    def __init__(self, lengths: list[int], stays: list[_Staying]) -> None:
        super().__init__(io.BytesIO())
        self._lengths, self._stays = lengths, stays

    def persistent_id(self, obj: Any) -> int | None:
        if isinstance(obj, _Staying):
            self._stays.append(obj)
            return 0
        if isinstance(obj, np.ndarray | pa.Array):
            self._lengths.append(len(obj))
        return None


class Watched(Keeping):
    """Workers each of which keeps what it has read; notes the lengths of all arrays that tasks take and return."""

    def __init__(self) -> None:
        self.lengths: list[int] = []

    def _called(self, task: Any, *, stays: bool = False) -> Any:
        kept = list[_Staying]()
        _Seeing(self.lengths, kept).dump(task)
        assert len(kept) <= 1, "what two workers keep would have to move"
        outcome = partial(task.func, *(one.value if isinstance(one, _Staying) else one for one in task.args))()
        if not stays:
            _Seeing(self.lengths, []).dump(outcome)
        return outcome

    def outcomes(self, tasks: Sequence[Callable[[], Any]]) -> Iterator[tuple[int, Any]]:
        yield from enumerate(map(self._called, tasks))

    def keep(self, tasks: Sequence[Callable[[], Any]]) -> Sequence[Any]:
        return [_Staying(self._called(task, stays=True)) for task in tasks]

    def later(self, tasks: Sequence[Callable[[], Any]]) -> Sequence[Any]:
        return list(map(self._called, tasks))


def divided(source: Path, folder: Path, parts: int, by: Callable[[str], int]) -> Path:
    """A run folder with its candidates in partitions; ``by``: a line of the table to the number of its partition."""
    shutil.copytree(source, folder)
    table = folder / "candidates.csv"
    head, *lines = table.read_text("utf-8").splitlines(keepends=True)
    table.unlink()
    (folder / "candidates").mkdir()
    for n in range(parts):
        own = "".join(line for line in lines if by(line) % parts == n)
        (folder / "candidates" / f"part-{n}.csv").write_text(head + own, "utf-8")
    roles = {"tune_predictions": "tune"}
    named = [f'{roles.get(path.stem, path.stem)} = "{path.name}"' for path in sorted(folder.glob("*.csv"))]
    with (folder / "run.toml").open("a", encoding="utf-8") as file:
        file.write("\n".join(["", "[files]", 'candidates = "candidates/"', *named, ""]))
    return folder


def post_of(line: str) -> int:
    """Of a line like ``p07-A,p07-s1,…``; the query of one may be called after another post."""
    query, doc = line.split(",")[:2]
    return 20 if query == "P01-c" else int(query[1:3] if query[0] == "p" else doc[1:3])


def numbers(folder: Path, workers: Keeping | None, **settings: Any) -> bytes:
    run = read_run(folder, prepare=None if workers is None else preparing(workers))
    assert (run.candidates is None) == (workers is not None)
    contract = load_contract("contract.toml", {"resamples": 0, **settings}, beside=folder)
    results = evaluate(run, contract, command="", workers=workers).results
    return encode(results)


@pytest.mark.parametrize("code", OF_CANDIDATES)
def test_findings_and_numbers_are_those_of_one_table(tmp_path, code):
    folder = divided(FOLDER / code, tmp_path / code, 3, post_of)
    whole = numbers(folder, None)
    assert code.encode() in whole
    assert numbers(folder, Keeping()) == whole


def test_copies_are_found_across_partitions(tmp_path):
    # Posts 1 and 11 are in two folds; neither has evidence under the first label.
    source = shutil.copytree(FOLDER / "sound", tmp_path / "source")
    lines = (source / "candidates.csv").read_text("utf-8").splitlines(keepends=True)
    copied = [line.replace("p01-A", "p11-A") for line in lines if line.startswith("p01-A")]
    kept = [line for line in lines if not line.startswith("p11-A")]
    (source / "candidates.csv").write_text("".join([*kept, *copied]), "utf-8")
    folder = divided(source, tmp_path / "run", 3, post_of)
    whole = numbers(folder, None)
    assert b"look like one and are in two folds: p01-A (f1) = p11-A (f2)" in whole
    assert numbers(folder, Keeping()) == whole


@pytest.mark.parametrize("ties", ["docno_desc", "expected", "optimistic", "pessimistic"])
def test_ties_are_resolved_within_partitions(tmp_path, ties):
    folder = divided(FOLDER / "RG241", tmp_path / ties, 2, post_of)
    assert numbers(folder, Keeping(), ties=ties, resamples=20) == numbers(folder, None, ties=ties, resamples=20)


@pytest.fixture
def sound(tmp_path):
    return divided(FOLDER / "sound", tmp_path / "sound", 2, post_of)


def test_candidates_come_together_where_all_are_asked_for(sound):
    workers, contract = Keeping(), load_contract(overrides={"resamples": 0})
    run, whole = read_run(sound, prepare=preparing(workers)), read_run(sound)
    found = gathered(run)
    assert found.candidates.doc_ids == whole.candidates.doc_ids
    assert found.systems[0].score.tolist() == whole.systems[0].score.tolist()
    of_both = [crosscheck(one, contract, workers=workers) for one in (run, whole)]
    assert of_both[0] == of_both[1]
    assert of_both[0].agrees
    assert encode(evaluate(run, contract, command="").results) == encode(evaluate(whole, contract, command="").results)


def test_what_is_wrong_is_told_as_in_one_table(tmp_path):
    # By line: clusters are in both partitions.
    dealt = partial(lambda numbers, line: next(numbers), iter(range(10_000)))
    folder = divided(FOLDER / "sound", tmp_path / "run", 2, dealt)
    with pytest.raises(InputError, match="RG161") as together:
        read_run(folder)
    with pytest.raises(InputError) as apart:
        read_run(folder, prepare=preparing(Keeping()))
    assert str(apart.value) == str(together.value)


def test_no_task_takes_or_returns_rows_of_candidates(tmp_path):
    # Two partitions of 600 candidates, of 12 queries with two relevant ones each.
    rng = np.random.default_rng(0)
    (tmp_path / "candidates").mkdir()
    for part in range(2):
        lines = [
            f"q{query:02},d{doc},{int(doc < 2)},{rng.random() + (doc < 2) / 2}\n"
            for query in range(part * 12, part * 12 + 12)
            for doc in range(50)
        ]
        text = "".join(["query_id,doc_id,relevance,score_model\n", *lines])
        (tmp_path / "candidates" / f"part-{part}.csv").write_text(text, "utf-8")
    lines = [f"q{query:02},c{query},f{query % 3},1\n" for query in range(24)]
    (tmp_path / "queries.csv").write_text("".join(["query_id,cluster_id,fold,y_true\n", *lines]), "utf-8")
    (tmp_path / "run.toml").write_text(
        'title = "Lists"\nsynthetic = true\n[files]\ncandidates = "candidates/"\nqueries = "queries.csv"\n', "utf-8"
    )
    workers = Watched()
    run = read_run(tmp_path, prepare=preparing(workers))
    contract = load_contract(overrides={"resamples": 0})
    found = evaluate(run, contract, command="", workers=workers).results
    assert encode(found) == encode(evaluate(read_run(tmp_path), contract, command="").results)
    assert found.find("auroc[candidate]", "model", "all_queries", "fold_mean").value is not None
    # Places of 48 relevant scores are the most: above, between and below them, in three folds.
    assert max(workers.lengths) <= 2 * 48 + 3


def test_candidates_that_other_tables_speak_of_are_read_together(sound):
    # Lists of gold are statements about candidates, too.
    head, *lines = (sound / "queries.csv").read_text("utf-8").splitlines()
    (sound / "queries.csv").write_text("\n".join([f"{head},gold_ids", *(f"{line}," for line in lines)]), "utf-8")
    run = read_run(sound, prepare=preparing(Keeping()))
    assert (run.prepared, len(run.candidates)) == (None, 240)


def test_rows_of_several_systems_below_each_other_are_read_together(sound):
    for part in (sound / "candidates").iterdir():
        head, *lines = part.read_text("utf-8").splitlines()
        part.write_text("\n".join([f"{head.replace('_model', '')},system", *(f"{x},model" for x in lines)]), "utf-8")
    run = read_run(sound, prepare=preparing(Keeping()))
    assert (run.prepared, len(run.candidates)) == (None, 240)
