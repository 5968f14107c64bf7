"""Twenty-two ranking metrics of every query against pytrec_eval, ir-measures and ranx, as ratios in one run.

From a run in memory (ranks or scores as arrays on our side, pytrec_eval's dictionaries on theirs), and from plain
dictionaries, their conversion included. Peers that are not installed are named as absent. Synthetic data.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytrec_eval
from measuring.data import synthetic_run
from measuring.report import arguments, machine, seconds, table

from reportgen.contracts import load_contract
from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import Candidates, Run
from reportgen.metrics.frames import SystemFrames, prepare
from reportgen.metrics.ranking import per_query

Ranked = Mapping[str, Mapping[str, float]]
Judged = Mapping[str, Mapping[str, int]]

CONTRACT = load_contract("trec-eval", {"resamples": 0})
CUTOFFS = (1, 3, 5, 10, 20)
OURS = tuple(
    MetricId.parse(text)
    for text in (*(f"{name}@{k}" for name in ("ndcg", "recall", "hit", "map") for k in CUTOFFS), "map", "mrr")
)
_CUTS = ",".join(map(str, CUTOFFS))
TREC = {f"{name}.{_CUTS}" for name in ("ndcg_cut", "recall", "success", "map_cut")} | {"map", "recip_rank"}


def values(run: Run, contract: Contract = CONTRACT) -> dict[str, np.ndarray]:
    """Metric to values of all queries, NaN where nothing is relevant."""
    return metrics(prepare(run, run.systems[0], contract))


def metrics(frames: SystemFrames) -> dict[str, np.ndarray]:
    return {str(metric): per_query(frames, metric, CONTRACT) for metric in OURS}


def dictionaries(run: Run) -> tuple[Judged, Ranked]:
    """Relevance and scores by query and document."""
    pool, score = run.candidates, run.systems[0].score
    judged: dict[str, dict[str, int]] = {query: {} for query in run.queries.ids}
    ranked: dict[str, dict[str, float]] = {query: {} for query in run.queries.ids}
    rows = zip(pool.query.tolist(), pool.doc_ids, pool.relevance.tolist(), score.tolist(), strict=True)
    for query, document, relevance, value in rows:
        judged[run.queries.ids[query]][document] = relevance
        ranked[run.queries.ids[query]][document] = value
    return judged, ranked


def from_dictionaries(run: Run, judged: Judged, ranked: Ranked) -> dict[str, np.ndarray]:
    """Columns from dictionaries, then the metrics; ``run`` gives queries and clusters."""
    sizes = [len(ranked[query]) for query in run.queries.ids]
    documents = [document for query in run.queries.ids for document in ranked[query]]
    scores = np.array([value for query in run.queries.ids for value in ranked[query].values()])
    grades = [judged[query].get(document, 0) for query in run.queries.ids for document in ranked[query]]
    query = np.repeat(np.arange(len(sizes)), sizes)
    position = np.concatenate([np.arange(size) for size in sizes])
    pool = Candidates(tuple(documents), query, position, np.array(grades))
    return values(replace(run, candidates=pool, systems=(replace(run.systems[0], score=scores),)))


def trec(judged: Judged, ranked: Ranked) -> dict[str, dict[str, float]]:
    return pytrec_eval.RelevanceEvaluator(judged, TREC).evaluate(ranked)


def ir_measures_values(judged: Judged, ranked: Ranked) -> object:
    import ir_measures as ir  # noqa: PLC0415 # a peer that may be absent

    measures = [m @ k for m in (ir.nDCG, ir.R, ir.Success, ir.AP) for k in CUTOFFS] + [ir.AP, ir.RR]
    return list(ir.iter_calc(measures, judged, ranked))


def ranx_values(judged: Judged, ranked: Ranked) -> object:
    import ranx  # noqa: PLC0415 # a peer that may be absent

    names = [f"{name}@{k}" for name in ("ndcg", "recall", "hit_rate", "map") for k in CUTOFFS] + ["map", "mrr"]
    relevant = {query: {d: r for d, r in grades.items() if r} for query, grades in judged.items()}
    kept = {query: grades for query, grades in relevant.items() if grades}
    return ranx.evaluate(ranx.Qrels(kept), ranx.Run({query: dict(ranked[query]) for query in kept}), names)


def check(ours: Mapping[str, np.ndarray], theirs: Mapping[str, Mapping[str, float]], run: Run) -> None:
    """Both sides computed the same thing, or the times mean nothing."""
    names = {"ndcg": "ndcg_cut_{}", "recall": "recall_{}", "hit": "success_{}", "map": "map_cut_{}"}
    for metric in OURS:
        name = names[metric.name].format(metric.parameter) if metric.parameter else {"mrr": "recip_rank"}.get(
            metric.name, metric.name)  # fmt: skip
        for query, value in zip(run.queries.ids, ours[str(metric)].tolist(), strict=True):
            if not math.isnan(value):
                assert math.isclose(value, theirs[query][name], abs_tol=1e-9), (query, name)


def main() -> None:
    full = arguments(__doc__ or "").full
    # coverage.py of this folder must not stand before the package of that name, which ranx loads through numba.
    sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != Path(__file__).resolve().parent]
    run = synthetic_run(14_770 if full else 1_477, candidates=True)
    judged, ranked = dictionaries(run)
    check(values(run), trec(judged, ranked), run)
    evaluator = pytrec_eval.RelevanceEvaluator(judged, TREC)
    arrays = seconds(lambda: values(run), 3)
    plain = seconds(lambda: from_dictionaries(run, judged, ranked), 3)
    frames = prepare(run, run.systems[0], CONTRACT)
    by_input = load_contract("trec-eval", {"ties": "input_order"})
    ready = "pytrec_eval, evaluator made before"
    rows = [
        _row("ranks", seconds(lambda: metrics(frames), 3), ready, lambda: evaluator.evaluate(ranked)),
        _row("scores, ties by document id", arrays, ready, lambda: evaluator.evaluate(ranked)),
        _row("scores, ties by input order", seconds(lambda: values(run, by_input), 3), ready,
             lambda: evaluator.evaluate(ranked)),
    ]  # fmt: skip
    rows.append(_row("dictionaries", plain, "pytrec_eval", lambda: trec(judged, ranked)))
    peers: tuple[tuple[str, Callable[[Judged, Ranked], object]], ...] = (
        ("ir_measures", ir_measures_values),
        ("ranx", ranx_values),
    )
    for package, work in peers:
        if find_spec(package) is None:
            rows.append(["dictionaries", f"{plain:.2f} s", package, "absent", ""])
        else:
            work(judged, ranked)  # compiles and imports outside the measured time
            rows.append(_row("dictionaries", plain, package, lambda work=work: work(judged, ranked)))
    print(machine("numpy", "pytrec_eval-terrier", "ir-measures", "ranx"))
    print(f"{len(run.queries):,} queries, {len(run.candidates):,} candidates, {len(OURS)} metrics", end="\n\n")
    print(table(("from", "reportgen", "peer", "its time", "ratio"), rows))


def _row(what: str, ours: float, peer: str, work: Callable[[], object]) -> list[str]:
    theirs = seconds(work, 3)
    return [what, f"{ours:.2f} s", peer, f"{theirs:.2f} s", f"{theirs / ours:.1f} ×"]


if __name__ == "__main__":
    main()
