"""Twenty-two ranking metrics of every query against pytrec_eval, ir-measures and ranx, as ratios in one run.

From arrays of coded ids, against pytrec_eval's kernel alone (its dictionaries and its evaluator made before); and from
a data frame with text ids, against the fastest loop into pytrec_eval that we know, ir-measures and ranx, conversion
included, with the peak of memory on top of the frame. Peers that are not installed are named as absent. Synthetic data.
"""

from __future__ import annotations

import math
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytrec_eval
from measuring.report import arguments, machine, seconds, table

from reportgen.contracts import load_contract
from reportgen.metrics.ranked import rank_arrays, rank_frames

CONTRACT = load_contract("trec-eval")
CUTOFFS = (1, 3, 5, 10, 20)
OURS = (*(f"{name}@{k}" for name in ("ndcg", "recall", "hit", "map") for k in CUTOFFS), "map", "mrr")
_CUTS = ",".join(map(str, CUTOFFS))
TREC = {f"{name}.{_CUTS}" for name in ("ndcg_cut", "recall", "success", "map_cut")} | {"map", "recip_rank"}
SHAPES = {"14,770 x 20": (14_770, 20), "6,980 x 1,000": (6_980, 1_000)}
PREVALENCE = 0.0934
PART = 500
"""Queries of the long lists that peers of minutes are timed on; their time is scaled linearly, as their loops are."""


@dataclass(frozen=True)
class Rows:
    """One row per query and document. ``doc`` are codes in the order of the ids, which are their digits."""

    n_queries: int
    query: np.ndarray
    doc: np.ndarray
    score: np.ndarray
    relevance: np.ndarray

    def part(self, n_queries: int) -> Rows:
        """The rows of the first queries."""
        keep = self.query < n_queries
        return Rows(n_queries, *(column[keep] for column in (self.query, self.doc, self.score, self.relevance)))

    def frame(self) -> Any:
        """A data frame with text ids: of pandas where it is installed, else a table of pyarrow."""
        columns = {
            "query_id": [f"q{code}" for code in self.query.tolist()],
            "doc_id": [f"{code:07d}" for code in self.doc.tolist()],
            "score": self.score,
            "relevance": self.relevance,
        }
        if find_spec("pandas") is None:
            return pa.table(columns)
        import pandas as pd  # noqa: PLC0415 # may be absent

        return pd.DataFrame(columns)

    def dictionaries(self) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
        """Relevance and scores by query and document."""
        return loop(self.frame())


def synthetic(n_queries: int, size: int, *, share: float = 1.0, ties: bool = False, shuffled: bool = False) -> Rows:
    """A share of the queries has one relevant document or two. ``ties`` leaves about fourteen scores."""
    rng = np.random.default_rng(0)
    n = n_queries * size
    query = np.repeat(np.arange(n_queries), size)
    score, relevance = rng.random(n), np.zeros(n, dtype=np.int64)
    for chance in (share, 0.3 * share):
        rows = (np.arange(n_queries) * size + rng.integers(0, size, n_queries))[rng.random(n_queries) < chance]
        score[rows] += 0.3 * (relevance[rows] == 0)
        relevance[rows] = 1
    rows = Rows(n_queries, query, rng.permutation(n), np.round(score, 1) if ties else score, relevance)
    if not shuffled:
        return rows
    order = rng.permutation(n)
    return Rows(n_queries, query[order], rows.doc[order], rows.score[order], relevance[order])


def of_arrays(rows: Rows) -> Mapping[str, np.ndarray]:
    ranked = rank_arrays(rows.query, rows.score, rows.relevance, CONTRACT, doc=rows.doc, n_queries=rows.n_queries)
    return ranked.values(*OURS)


def of_frame(frame: Any) -> Mapping[str, np.ndarray]:
    return rank_frames(frame, CONTRACT).values(*OURS)


def loop(frame: Any) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """The dictionaries of a frame whose rows are sorted by query: lists once, then slices of them."""
    lists = (frame[name] for name in ("query_id", "doc_id", "score", "relevance"))
    queries, docs, scores, grades = (column.tolist() for column in lists)
    names = np.array(queries, dtype=object)
    first = np.concatenate([[0], np.flatnonzero(names[1:] != names[:-1]) + 1]).tolist()
    spans = list(zip(first, [*first[1:], len(docs)], strict=True))
    judged = {queries[a]: dict(zip(docs[a:b], grades[a:b], strict=True)) for a, b in spans}
    return judged, {queries[a]: dict(zip(docs[a:b], scores[a:b], strict=True)) for a, b in spans}


def trec(frame: Any) -> object:
    judged, ranked = loop(frame)
    return pytrec_eval.RelevanceEvaluator(judged, TREC).evaluate(ranked)


def ir_measures_values(frame: Any) -> object:
    import ir_measures as ir  # noqa: PLC0415 # a peer that may be absent

    measures = [m @ k for m in (ir.nDCG, ir.R, ir.Success, ir.AP) for k in CUTOFFS] + [ir.AP, ir.RR]
    judged = frame[["query_id", "doc_id", "relevance"]]
    return list(ir.iter_calc(measures, judged, frame[["query_id", "doc_id", "score"]]))


def ranx_values(frame: Any) -> object:
    import ranx  # noqa: PLC0415 # a peer that may be absent

    names = [f"{name}@{k}" for name in ("ndcg", "recall", "hit_rate", "map") for k in CUTOFFS] + ["map", "mrr"]
    frame = frame.astype({"query_id": object, "doc_id": object})  # the only texts it takes
    relevant = frame[frame["relevance"] > 0]
    judged = ranx.Qrels.from_df(relevant, q_id_col="query_id", doc_id_col="doc_id", score_col="relevance")
    run = ranx.Run.from_df(frame, q_id_col="query_id", doc_id_col="doc_id", score_col="score")
    return ranx.evaluate(judged, run, names, make_comparable=True)


PEERS: dict[str, Callable[[Any], object]] = {
    "reportgen": of_frame,
    "pytrec_eval": trec,
    "ir_measures": ir_measures_values,
    "ranx": ranx_values,
}


def check(rows: Rows) -> None:
    """Both sides compute the same thing, or the times mean nothing."""
    ours, theirs = of_arrays(rows), pytrec_eval.RelevanceEvaluator(rows.dictionaries()[0], TREC)
    found = theirs.evaluate(rows.dictionaries()[1])
    names = {"ndcg": "ndcg_cut_{}", "recall": "recall_{}", "hit": "success_{}", "map": "map_cut_{}"}
    for text in OURS:
        name, _, cut = text.partition("@")
        trec_name = names[name].format(cut) if cut else {"mrr": "recip_rank"}.get(name, name)
        for query, value in enumerate(ours[text].tolist()):
            if not math.isnan(value):
                assert math.isclose(value, found[f"q{query}"][trec_name], abs_tol=1e-9), (query, text)
        assert np.array_equal(ours[text], of_frame(rows.frame())[text], equal_nan=True)


def kernel_rows(name: str, repeats: int) -> list[list[str]]:
    """Ours from arrays against the kernel on the same rows."""
    kinds: dict[str, dict[str, Any]] = {
        "9.3 % of queries with relevant documents": {"share": PREVALENCE},
        "every query with relevant documents": {},
        "the same, rows in any order": {"shuffled": True},
        "the same, fourteen distinct scores": {"ties": True},
        "both": {"shuffled": True, "ties": True},
    }
    found = []
    for kind, facts in kinds.items():
        rows = synthetic(*SHAPES[name], **facts)
        judged, ranked = synthetic(*SHAPES[name], **{**facts, "shuffled": False}).dictionaries()
        evaluator = pytrec_eval.RelevanceEvaluator(judged, TREC)
        theirs = seconds(lambda work=evaluator, run=ranked: work.evaluate(run), repeats)
        ours = seconds(lambda rows=rows: of_arrays(rows), 5)
        found.append([name, kind, f"{ours * 1000:.1f} ms", f"{theirs:.3f} s", f"{theirs / ours:.1f} ×"])
    return found


def frame_rows(name: str, repeats: int) -> list[list[str]]:
    """Ours from a frame against each peer, with peaks of memory, each measured in a process of its own."""
    n_queries, size = SHAPES[name]
    rows = synthetic(n_queries, size)
    frame, ours = rows.frame(), 0.0
    found = []
    for peer, work in PEERS.items():
        if peer != "reportgen" and find_spec(peer) is None:
            found.append([name, peer, "absent", "", "", ""])
            continue
        short = peer in ("ir_measures", "ranx") and size > 100
        given = rows.part(PART).frame() if short else frame
        work(given)  # compiles and imports outside the measured time
        took = seconds(lambda work=work, given=given: work(given), repeats) * (n_queries / PART if short else 1)
        ours = ours or took
        peak = "" if short else f"{_peak(peer, name):,.0f} MB"
        measured = f"{PART} queries" if short else "all"
        found.append([name, peer, measured, f"{took:.3f} s", f"{took / ours:.1f} ×", peak])
    return found


def _peak(peer: str, name: str) -> float:
    """MB on top of the frame at the peak, in a process that does nothing else, watched from here."""
    command = [sys.executable, __file__, "--peak", peer, name]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdout.readline()  # the frame is made
        before = peak = _resident(child.pid)
        child.stdin.write("\n")
        child.stdin.close()
        while child.poll() is None:
            peak = max(peak, _resident(child.pid))
            time.sleep(0.001)
    return peak - before


def work_when_told(peer: str, name: str) -> None:
    """The watched process: makes the frame, says so, and works when it is told to."""
    PEERS[peer](synthetic(50, 20).frame())  # what is imported and compiled is not counted
    frame = synthetic(*SHAPES[name]).frame()
    print("ready", flush=True)
    sys.stdin.readline()
    PEERS[peer](frame)


def _resident(pid: int) -> float:
    """MB held by a process; 0 when it is gone."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * resource.getpagesize() / 2**20


def main() -> None:
    repeats = 5 if arguments(__doc__ or "").full else 2
    check(synthetic(1_000, 20, ties=True))
    print(machine("numpy", "pyarrow", "pandas", "pytrec_eval-terrier", "ir-measures", "ranx"), end="\n\n")
    arrays = [row for name in SHAPES for row in kernel_rows(name, repeats)]
    print(table(("rows", "of which", "reportgen", "kernel of pytrec_eval", "ratio"), arrays), end="\n\n")
    frames = [row for name in SHAPES for row in frame_rows(name, repeats)]
    print(table(("rows", "from a data frame", "measured", "time", "against reportgen", "peak memory"), frames))


if __name__ == "__main__":
    # coverage.py of this folder must not stand before the package of that name, which ranx loads through numba.
    sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != Path(__file__).resolve().parent]
    if sys.argv[1:2] == ["--peak"]:
        work_when_told(*sys.argv[2:4])
    else:
        main()
