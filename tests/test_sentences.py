import msgspec
import pytest

from reportgen.sentences import subset_count, subset_name
from tests.support.results import make_results

RESULTS = make_results()


def test_all_queries_are_counted_in_the_run_s_own_word() -> None:
    assert subset_count(RESULTS.subset_by_id["all_queries"], RESULTS.units) == "500 queries"
    assert subset_count(RESULTS.subset_by_id["all_queries"], RESULTS.units, 1) == "1 query"


@pytest.mark.parametrize(("n", "said"), [(1_279, "1,279 positive queries"), (1, "1 positive query")])
def test_any_other_subset_is_counted_by_its_label(n: int, said: str) -> None:
    subset = msgspec.structs.replace(RESULTS.subset_by_id["positives_only"], label="Positive queries", n_queries=n)
    assert subset_count(subset, RESULTS.units) == said
    assert subset_name(subset) == "positive queries"
