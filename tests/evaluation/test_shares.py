"""However the work is cut into shares, and whoever takes them in whatever order, the results keep their bytes."""

from __future__ import annotations

import gc
import pickle
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import reportgen as rg
from reportgen.contracts import load_contract
from reportgen.domain.run import Group, Grouping
from reportgen.evaluation import evaluate
from reportgen.evaluation.plan import plan_of
from reportgen.evaluation.shares import CANDIDATE, SCORES, SUMS, Needed, Share, shares_of
from reportgen.evaluation.systems import evaluate_system
from reportgen.inputs import read_run
from reportgen.metrics import weights
from reportgen.metrics.frames import prepare
from reportgen.recognition import read
from reportgen.results import encode
from reportgen.stats.values import MetricValues
from tests.evaluation.test_repeats import lines as lines_of_repeats
from tests.evaluation.test_trainings import write as write_trainings
from tests.support.sound_run import sound

SETTINGS = {
    "clusters": {"resamples": 60},
    "single queries": {"resamples": 60, "interval_unit": "query"},
    "jackknife": {"resamples": 40, "interval_method": "bca"},
    "no resamples": {"resamples": 0},
    "names decide ties": {"resamples": 20, "ties": "docno_desc"},
}


class LastFirst:
    """Workers that take the last task first, each pickled on the way there and back."""

    def __init__(self, n: int) -> None:
        self.n, self.tasks = n, 0

    def outcomes(self, tasks: Sequence[Callable[[], Any]]) -> Iterator[tuple[int, Any]]:
        self.tasks = len(tasks)
        for at in reversed(range(len(tasks))):
            yield at, pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(tasks[at]))()))


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    """Sixteen resamples to a block, so that a few dozen can be cut."""
    monkeypatch.setattr(weights, "_BLOCK_CELLS", 1)


@pytest.fixture(params=["sound", "trainings", "repeats"])
def run(request, tmp_path):
    if request.param == "sound":
        return read_run(sound().write(tmp_path))
    if request.param == "trainings":
        return read_run(write_trainings(tmp_path / "run"))
    path = tmp_path / "predictions.csv"
    path.write_text("\n".join(lines_of_repeats()) + "\n", encoding="utf-8")
    return rg.load(path)


@pytest.mark.slow
@pytest.mark.parametrize("settings", SETTINGS)
def test_shares_give_the_bytes_of_one_process(run, settings):
    contract = load_contract(overrides=SETTINGS[settings])
    whole = evaluate(run, contract, command="")
    n_tasks = []
    for n in (1, 12):
        workers = LastFirst(n)
        assert encode(evaluate(run, contract, command="", workers=workers).results) == encode(whole.results)
        n_tasks.append(workers.tasks)
    assert n_tasks[0] > len(run.systems)
    assert (n_tasks[1] > n_tasks[0]) == (contract.integer("resamples") > weights._LEAST_ROWS)


def test_each_share_has_rows_of_its_own(run):
    contract = load_contract(overrides={"resamples": 100, "interval_method": "bca"})
    draws = weights.draws_of(run, contract)
    for of in (1, 2, 3, 7):
        shares = [Share("all_queries", SUMS, nth, of) for nth in range(of)]
        assert [row for one in shares for row in range(len(draws))[one.rows(draws)]] == list(range(len(draws)))


def test_what_needs_no_candidates_goes_without_them(tmp_path):
    run = read_run(sound().write(tmp_path))
    contract = load_contract(overrides={"resamples": 20})
    plan = plan_of(run, contract, [prepare(run, system, contract) for system in run.systems])
    needed, held = Needed(plan), {}
    for at, share in shares_of(plan, 2):
        frames = needed.system(at, share).frames
        held[share.need] = frames.candidates is not None
        if held[share.need]:
            assert frames.candidates.docs == ()
            assert len(frames.system.score) == len(run.candidates)
        else:
            assert frames.system.retrieved is None
            whole = plan.systems[at].frames.query
            assert {name: frames.query[name].tolist() for name in whole.columns} == {
                name: values.tolist() for name, values in whole.columns.items()
            }
            assert frames.query.columns["y"].itemsize == 1
            assert frames.rankings.n_relevant.sum() == (run.candidates.relevance > 0).sum()
    assert held == {"candidate": True, "query": False, SUMS: False, SCORES: False}
    assert all(system.y_prob is None for system in needed.context.run.systems)


def test_one_of_several_shares_of_resamples_says_what_does_not_depend_on_them(tmp_path):
    run = read_run(sound().write(tmp_path))
    contract = load_contract(overrides={"resamples": 100})
    plan = plan_of(run, contract, [prepare(run, system, contract) for system in run.systems])
    needed, said = Needed(plan), []
    for share in (Share("all_queries", SUMS, nth, 2) for nth in (0, 1)):
        taken = evaluate_system(needed.context, needed.system(0, share), needed.subsets(share), share=share)
        values = [one for part in taken.outcomes for one in part.values() if isinstance(one, MetricValues)]
        said.append((any(one.errors for one in values), any(one.of_queries for one in values)))
        assert not any(one.influence for one in values)
    assert said == [(True, True), (False, False)]


def test_groups_are_compared_when_all_of_their_shares_are_there(tmp_path):
    run = read_run(sound().write(tmp_path))
    groups = (run.queries.label % 2,)
    grouping = Grouping("even", "Parity", (Group("0", "even"), Group("1", "odd")))
    run = replace(run, groupings=(grouping,), queries=replace(run.queries, groups=groups))
    contract, workers = load_contract(overrides={"resamples": 20}), LastFirst(12)
    whole = evaluate(run, contract, command="").results
    assert whole.group_differences
    assert encode(evaluate(run, contract, command="", workers=workers).results) == encode(whole)
    assert workers.tasks > len(run.systems)


def test_queries_keep_their_weights_in_shares(tmp_path):
    run = read_run(sound().write(tmp_path))
    weight = 0.5 + np.arange(len(run.queries)) % 4
    run = replace(run, info=replace(run.info, weight="w"), queries=replace(run.queries, weight=weight))
    contract, workers = load_contract(overrides={"resamples": 60}), LastFirst(12)
    whole = evaluate(run, contract, command="").results
    assert any(one.weights for one in whole.subsets)
    assert encode(evaluate(run, contract, command="", workers=workers).results) == encode(whole)


def _write(folder: Path, n: int) -> Path:
    """A run of n synthetic queries in clusters of ten and five folds; of two candidates of each one may be relevant."""
    rng, folder = np.random.default_rng(n), folder / str(n)
    number = np.arange(n)
    query, y = [f"q{i}" for i in number], rng.integers(2, size=n)
    cluster, fold = [f"c{i // 10}" for i in number], [f"f{i // 10 % 5}" for i in number]
    tables = {
        "queries": {"query": query, "cluster": cluster, "fold": fold, "y_true": y},
        "predictions": {"query": query, "y_prob": 1 / (1 + np.exp(-rng.normal(size=n) - y))},
        "candidates": {
            "query": np.repeat(query, 2),
            "doc_id": ["a", "b"] * n,
            "position": np.tile([0, 1], n),
            "relevance": np.stack([y, np.zeros_like(y)], axis=1).ravel(),
            "score": rng.normal(size=2 * n),
        },
    }
    folder.mkdir()
    for name, columns in tables.items():
        pq.write_table(pa.table(columns), folder / f"{name}.parquet")
    files = "".join(f'{name} = "{name}.parquet"\n' for name in tables)
    (folder / "run.toml").write_text(f"synthetic = true\n[files]\n{files}", encoding="ascii")
    return folder


def _most_bytes(task: Callable[[], Any]) -> int:
    """The most that a task has in memory at a time, beyond what it is given."""
    task()  # what is kept from then on has its memory
    gc.collect()
    tracemalloc.start()
    try:
        task()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_a_share_takes_few_bytes_for_each_query(tmp_path, monkeypatch):
    # Without resamples, whose batches are bounded, what is left is the same for each query: two sizes tell how much.
    monkeypatch.setattr(weights, "_KEPT_BYTES", 0)
    contract, most, sizes = load_contract(overrides={"resamples": 0}), dict[Share, list[int]](), (5_000, 20_000)
    for n in sizes:
        run = read(_write(tmp_path, n))
        plan = plan_of(run, contract, [prepare(run, system, contract) for system in run.systems])
        needed, context = Needed(plan), Needed(plan).context
        for at, share in shares_of(plan, 1):
            if share.need == CANDIDATE:  # of which workers take a partition at a time
                continue
            task = partial(evaluate_system, context, needed.system(at, share), needed.subsets(share), share=share)
            most.setdefault(share, []).append(_most_bytes(task))
    each = {share: (more - few) / (sizes[1] - sizes[0]) for share, (few, more) in most.items()}
    assert {share.need for share in each} == {"query", SUMS, SCORES}
    assert max(each.values()) < 200
