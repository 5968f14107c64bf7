"""Runs small enough to check by hand, written as rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from reportgen.domain.record_facts import DEFAULT_UNITS, Label
from reportgen.domain.retrieved import Retrieved
from reportgen.domain.run import STATES, Candidates, Queries, Run, RunInfo, System, TunePart

MISSING = math.nan
"""Score of a candidate that the system did not retrieve."""


@dataclass(frozen=True)
class Asked:
    """One query and what the system says about it. ``candidates``: (document, relevance grade, score)."""

    id: str
    y: int | None = None
    p: float | None = None
    state: str | None = None
    k: int | None = None
    candidates: Sequence[tuple[str, float, float]] = ()
    cluster: str = "c"
    fold: str = "f1"
    label: str = "A"

    @property
    def truth(self) -> int:
        """As given, else whether a candidate is relevant."""
        return self.y if self.y is not None else int(any(grade > 0 for _, grade, _ in self.candidates))


@dataclass(frozen=True)
class Tuned:
    """One row of the tuning split of a fold's model."""

    p: float
    y: int
    fold: str = "f1"
    cluster: str = "t"


@dataclass(frozen=True)
class Recorded:
    """Thresholds by fold, in the order of the folds' ids, and the name of the one that decides.

    ``states_from``: where the states come from, which is these files where nothing else is said.
    """

    values: Mapping[str, Sequence[float]] = field(default_factory=dict)
    decision: str | None = None
    states_from: str | None = "written by hand"


def in_order(*grades: float) -> list[tuple[str, float, float]]:
    """Candidates a, b, c, … ranked in this order, with these grades."""
    return [(chr(ord("a") + i), grade, float(len(grades) - i)) for i, grade in enumerate(grades)]


def run_of(
    *asked: Asked, tune: Sequence[Tuned] = (), recorded: Recorded | None = None, with_labels: bool = True
) -> Run:
    """A run of one system ``s``; a component that no query has is absent."""
    clusters = sorted({row.cluster for row in (*asked, *tune)})
    folds = sorted({row.fold for row in (*asked, *tune)})
    labels = sorted({row.label for row in asked})
    fold_of = {row.cluster: folds.index(row.fold) for row in asked}
    recorded = recorded or Recorded()
    rows = [(i, j, *cell) for i, query in enumerate(asked) for j, cell in enumerate(query.candidates)]
    system = System(
        id="s",
        label="S",
        y_prob=_floats(query.p for query in asked),
        state=_codes([query.state for query in asked]),
        selected_k=_whole([query.k for query in asked]),
        retrieved=Retrieved.of(np.array([score for *_, score in rows], dtype=np.float64)) if rows else None,
        tune=_tune(tune, clusters, folds),
        states_from=recorded.states_from,
        thresholds={name: np.array(values, dtype=np.float64) for name, values in recorded.values.items()},
    )
    return Run(
        info=RunInfo(title="By hand", synthetic=True, decision=recorded.decision),
        units=DEFAULT_UNITS,
        clusters=tuple(clusters),
        cluster_fold=np.array([fold_of.get(cluster, -1) for cluster in clusters], dtype=np.int64),
        folds=tuple(folds),
        labels=tuple(Label(label, label, "", "", None) for label in labels) if with_labels else (),
        queries=Queries(
            ids=tuple(query.id for query in asked),
            cluster=np.array([clusters.index(query.cluster) for query in asked], dtype=np.int64),
            fold=np.array([folds.index(query.fold) for query in asked], dtype=np.int64),
            label=np.array([labels.index(query.label) if with_labels else 0 for query in asked], dtype=np.int64),
            y_true=np.array([query.truth for query in asked], dtype=np.int64),
        ),
        candidates=_candidates(rows) if rows else None,
        systems=(system,),
        inputs=(),
    )


def _candidates(rows: Sequence[tuple[int, int, str, float, float]]) -> Candidates:
    docs = tuple(dict.fromkeys(doc for _, _, doc, _, _ in rows))
    return Candidates(
        docs=docs,
        doc=np.array([docs.index(doc) for _, _, doc, _, _ in rows], dtype=np.int64),
        query=np.array([query for query, *_ in rows], dtype=np.int64),
        position=np.array([position for _, position, *_ in rows], dtype=np.int64),
        relevance=np.array([grade for *_, grade, _ in rows], dtype=np.float64),
    )


def _tune(tune: Sequence[Tuned], clusters: Sequence[str], folds: Sequence[str]) -> TunePart | None:
    if not tune:
        return None
    return TunePart(
        cluster=np.array([clusters.index(row.cluster) for row in tune], dtype=np.int64),
        fold=np.array([folds.index(row.fold) for row in tune], dtype=np.int64),
        y_true=np.array([row.y for row in tune], dtype=np.int64),
        y_prob=np.array([row.p for row in tune], dtype=np.float64),
    )


def _floats(values):
    listed = list(values)
    return None if None in listed else np.array(listed, dtype=np.float64)


def _codes(states):
    return None if None in states else np.array([STATES.index(state) for state in states], dtype=np.int64)


def _whole(values):
    return None if None in values else np.array(values, dtype=np.int64)


def units_of(frames):
    """The frames of a system by unit, on everything."""
    units = {"query": frames.query, "cluster": frames.cluster, "row": frames.row}
    return {unit: frame for unit, frame in units.items() if frame is not None}
