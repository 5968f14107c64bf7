"""Values of single queries as figures read them: over trainings their mean, by cluster over the queries of all."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.errors import ResultsError
from reportgen.query_values import values_of

COLUMNS = {
    "system": ["a/seed=1", "a/seed=1", "a/seed=1", "a/seed=2", "a/seed=2", "a/seed=2", "b", "b", "b"],
    "query": ["q2", "q1", "q3"] * 3,
    "cluster": ["c1", "c1", "c2"] * 3,
    "m": [0.2, 0.5, 1.0, 0.4, None, 0.0, 0.1, 0.7, 0.9],
    "none": [None] * 9,
}


def test_a_query_has_the_mean_over_trainings_and_no_value_where_one_lacks_it() -> None:
    found = values_of(COLUMNS, "m")
    assert found is not None
    assert (found.queries, found.clusters) == (("q2", "q1", "q3"), ("c1", "c1", "c2"))
    # (0.2 + 0.4) / 2, undefined, (1.0 + 0.0) / 2
    np.testing.assert_allclose(found.of_system["a"], [0.3, np.nan, 0.5])
    # Cluster c1 has q2 alone, since system a has no value of q1.
    np.testing.assert_allclose(found.by_cluster(["a", "b"]), [[0.3, 0.1], [0.5, 0.9]])
    np.testing.assert_allclose(found.by_cluster(["b"]), [[0.4], [0.9]])


def test_a_metric_without_values_of_queries_has_none() -> None:
    assert values_of(COLUMNS, "none") is None
    assert values_of(COLUMNS, "auroc") is None


def test_a_file_that_is_not_parquet_is_an_error() -> None:
    with pytest.raises(ResultsError, match=r"RG406 per_query\.parquet"):
        values_of(b"nothing", "m")
