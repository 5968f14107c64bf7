"""Distributions: how many queries have which score, which K was returned, and how long the lists are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from msgspec import structs

from reportgen.domain.record import Distribution, RepeatCounts, SeedCounts
from reportgen.domain.run import STATES
from reportgen.metrics.calibration import bin_of
from reportgen.metrics.frames import Frame
from reportgen.metrics.rankings import Rankings

SCORE_BINS = 20


def score_distributions(frame: Frame, system: str, subset: str) -> tuple[Distribution, ...]:
    """Count the probabilities of each true class in 20 bins of equal width from 0 to 1, the last one closed."""
    member = bin_of(frame["p"], SCORE_BINS)
    edges = [f"{i / SCORE_BINS:g}" for i in range(SCORE_BINS + 1)]
    bins = [f"[{low}, {high})" for low, high in pairwise(edges)]
    bins[-1] = f"{bins[-1][:-1]}]"
    return tuple(
        Distribution(
            id=f"score|{system}|{subset}|y={truth}",
            kind="score",
            system=system,
            subset=subset,
            by=f"y={truth}",
            bins=tuple(bins),
            counts=tuple(np.bincount(member[frame["y"] == truth], minlength=SCORE_BINS).tolist()),
        )
        for truth in (0, 1)
    )


def over_parts(
    own: Sequence[Distribution], seeds: Sequence[str], repeats: Sequence[str], labels: Sequence[str]
) -> Distribution:
    """Return the mean counts of a system's parts, with those of each beside them, over the bins that any has.

    The parts are trainings, told apart by ``seeds``, or ``repeats``. Confusions have a bin for each of some ``labels``.
    """
    bins = tuple(dict.fromkeys(bin_ for one in own for bin_ in one.bins))
    if own[0].kind != "score":
        bins = tuple(sorted(bins, key=labels.index if own[0].kind == "confusion" else int))
    counts = [tuple(dict(zip(one.bins, one.counts, strict=True)).get(bin_, 0) for bin_ in bins) for one in own]
    whole = [tuple(map(int, one)) for one in counts]
    return structs.replace(
        own[0],
        bins=bins,
        counts=tuple(sum(at) / len(own) for at in zip(*counts, strict=True)),
        seeds=tuple(SeedCounts(seed, one) for seed, one in zip(seeds, whole, strict=False)),
        repeats=tuple(RepeatCounts(repeat, one) for repeat, one in zip(repeats, whole, strict=False)),
    )


def list_length_distributions(rankings: Rankings, frame: Frame, system: str) -> tuple[Distribution, ...]:
    """Count candidates that a system ranks for a query, and those that are relevant, for all and for positive queries.

    Only lengths that occur have a bin, as lists can be long.
    """
    groups = {"all_queries": np.ones(len(rankings.n_relevant), dtype=bool), "positives_only": frame["y"] == 1}
    found = []
    for kind, lengths in (("ranked", rankings.n_retrieved), ("relevant", rankings.n_relevant)):
        for subset, mask in groups.items():
            values, counts = np.unique(lengths[mask].astype(np.int64), return_counts=True)
            found.append(
                Distribution(
                    id=f"{kind}|{system}|{subset}|all",
                    kind=kind,
                    system=system,
                    subset=subset,
                    by="",
                    bins=tuple(str(value) for value in values.tolist()),
                    counts=tuple(counts.tolist()),
                )
            )
    return tuple(found)


def class_distributions(row: Frame, system: str, labels: Sequence[str]) -> tuple[Distribution, ...]:
    """Count, for the rows of each class of a multi-class run, those predicted to be of each class.

    Only classes that are predicted have a bin, as there can be many.
    """
    found = []
    for at, label in enumerate(labels):
        predicted, counts = np.unique(row["predicted"][row.label == at].astype(np.int64), return_counts=True)
        found.append(
            Distribution(
                id=f"confusion|{system}|all_rows|{label}",
                kind="confusion",
                system=system,
                subset="all_rows",
                by=f"label={label}",
                bins=tuple(labels[index] for index in predicted.tolist()),
                counts=tuple(counts.tolist()),
            )
        )
    return tuple(found)


def selected_k_distributions(
    frame: Frame, system: str, subset: str, labels: Sequence[str] = ()
) -> tuple[Distribution, ...]:
    """Count the returned K over all queries, by truth, by state and by label; one bin for every whole K."""
    k = frame["returned_k"].astype(np.int64)
    groups = {"": np.ones(len(k), dtype=bool), "y=0": frame["y"] == 0, "y=1": frame["y"] == 1}
    if "state" in frame.columns:
        groups |= {f"state={name}": frame["state"] == index for index, name in enumerate(STATES)}
    groups |= {f"label={label}": frame.label == index for index, label in enumerate(labels)}
    bins = range(int(k.max(initial=0)) + 1)
    return tuple(
        Distribution(
            id=f"selected_k|{system}|{subset}|{by or 'all'}",
            kind="selected_k",
            system=system,
            subset=subset,
            by=by,
            bins=tuple(str(value) for value in bins),
            counts=tuple(int(count) for count in np.bincount(k[mask], minlength=len(bins))),
        )
        for by, mask in groups.items()
    )
