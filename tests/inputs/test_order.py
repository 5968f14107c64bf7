"""The order of rows, columns and systems in the files changes nothing."""

import random

import numpy as np
import pytest


def shuffled(text, rng):
    head, *rows = text.splitlines()
    rng.shuffle(rows)
    columns = list(range(len(head.split(","))))
    rng.shuffle(columns)
    return "".join(",".join(line.split(",")[i] for i in columns) + "\n" for line in [head, *rows])


def values(run):
    arrays = [run.cluster_fold, *(getattr(run.queries, n) for n in ("cluster", "fold", "label", "y_true"))]
    arrays += [getattr(run.candidates, name) for name in ("query", "position", "relevance")]
    for system in run.systems:
        arrays += [system.y_prob, system.y_prob_raw, system.state, system.selected_k, system.score]
        arrays += [system.thresholds[name] for name in sorted(system.thresholds)]
        if system.tune:
            arrays += [getattr(system.tune, name) for name in ("cluster", "fold", "y_true", "y_prob")]
    names = (run.clusters, run.folds, run.labels, run.queries.ids, run.candidates.doc_ids)
    return names, [system.id for system in run.systems], arrays


@pytest.mark.parametrize("seed", range(5))
def test_shuffled_rows_and_columns_give_the_same_run(read, sound, seed):
    rng = random.Random(seed)
    names, systems, arrays = values(read(sound))
    other_names, other_systems, other = values(read({name: shuffled(text, rng) for name, text in sound.items()}))
    assert (other_names, other_systems) == (names, systems)
    for one, two in zip(arrays, other, strict=True):
        np.testing.assert_array_equal(one, two)


def test_systems_stand_as_run_toml_lists_them_else_in_natural_order(read, sound):
    assert [s.id for s in read(sound).systems] == ["a", "b"]
    toml = '[[systems]]\nid = "b"\n[[systems]]\nid = "a"\n'
    assert [s.id for s in read({**sound, "run.toml": toml}).systems] == ["b", "a"]
