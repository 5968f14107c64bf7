"""Cluster weights: multinomial within strata, from a stream that does not depend on how it is cut."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.contracts import load_contract
from reportgen.metrics import weights as module
from reportgen.metrics.weights import draw_weights
from tests.reference.random_runs import random_run

RUN = random_run(1)


def draw(**overrides):
    return draw_weights(RUN, load_contract(overrides={"resamples": 600, **overrides}))


def test_row_zero_is_ones_and_every_resample_draws_as_many_clusters_as_each_fold_has():
    weights = draw()
    assert (weights.counts[0] == 1).all()
    for fold in range(weights.n_folds):
        members = weights.fold == fold
        assert (weights.counts[:, members].sum(axis=1) == members.sum()).all()


def test_without_strata_clusters_move_between_folds():
    weights = draw(interval_strata="none")
    first = weights.fold == 0
    assert (weights.counts.sum(axis=1) == len(weights.fold)).all()
    assert len(set(weights.counts[1:, first].sum(axis=1).tolist())) > 1


def test_a_resample_does_not_depend_on_how_many_are_drawn_or_in_which_blocks(monkeypatch):
    long = draw().counts
    monkeypatch.setattr(module, "_BLOCK", 7)
    assert np.array_equal(draw(resamples=50).counts, long[:51])


def test_another_seed_gives_other_resamples():
    assert not np.array_equal(draw(seed=1).counts, draw(seed=2).counts)


def test_counts_have_the_mean_and_variance_of_a_multinomial():
    # Of m clusters in a stratum each is drawn m times with probability 1/m: mean 1, variance 1 - 1/m.
    weights = draw(resamples=20000)
    members = weights.fold == 0
    m = int(members.sum())
    counts = weights.counts[1:, members].astype(float)
    assert counts.mean(axis=0) == pytest.approx(np.ones(m), abs=0.04)
    assert counts.var(axis=0) == pytest.approx(np.full(m, 1 - 1 / m), abs=0.06)
