"""Cluster weights: multinomial within strata, from a stream that does not depend on how it is cut."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.contracts import load_contract
from reportgen.metrics import weights as module
from reportgen.metrics.weights import draws_of
from tests.reference.random_runs import random_run

RUN = random_run(1)


def draws(**overrides):
    return draws_of(RUN, load_contract(overrides={"resamples": 600, **overrides}))


def counts_of(drawn):
    return np.concatenate([block.counts for block in drawn.blocks()])


def test_row_zero_is_ones_and_every_resample_draws_as_many_clusters_as_each_fold_has():
    drawn = draws()
    counts = counts_of(drawn)
    assert (counts[0] == 1).all()
    for fold in range(drawn.n_folds):
        members = drawn.fold == fold
        assert (counts[:, members].sum(axis=1) == members.sum()).all()


def test_without_strata_clusters_move_between_folds():
    drawn = draws(interval_strata="none")
    counts = counts_of(drawn)
    assert (counts.sum(axis=1) == len(drawn.fold)).all()
    assert len(set(counts[1:, drawn.fold == 0].sum(axis=1).tolist())) > 1


def test_a_resample_does_not_depend_on_how_many_are_drawn_or_in_which_blocks(monkeypatch):
    long = counts_of(draws())
    monkeypatch.setattr(module, "_BLOCK_CELLS", 300)
    assert np.array_equal(counts_of(draws(resamples=50)), long[:51])


def test_another_seed_gives_other_resamples():
    assert not np.array_equal(counts_of(draws(seed=1)), counts_of(draws(seed=2)))


def test_counts_have_the_mean_and_variance_of_a_multinomial():
    # Of m clusters in a stratum each is drawn m times with probability 1/m: mean 1, variance 1 - 1/m.
    drawn = draws(resamples=20000)
    members = drawn.fold == 0
    m = int(members.sum())
    counts = counts_of(drawn)[1:, members].astype(float)
    assert counts.mean(axis=0) == pytest.approx(np.ones(m), abs=0.04)
    assert counts.var(axis=0) == pytest.approx(np.full(m, 1 - 1 / m), abs=0.06)
