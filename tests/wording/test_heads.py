import msgspec
import pytest

from reportgen.wording.heads import subset_name, subset_size
from tests.support.results import make_results

RESULTS = make_results()


def test_all_queries_are_counted_in_the_run_s_own_word() -> None:
    assert subset_size(RESULTS, "all_queries") == "500 queries"
    assert subset_size(RESULTS, "all_queries", 1) == "1 query"


@pytest.mark.parametrize(("n", "said"), [(1_279, "1,279 positive queries"), (1, "1 positive query")])
def test_any_other_subset_is_counted_by_its_label(n: int, said: str) -> None:
    whole, positive = RESULTS.subset_by_id["all_queries"], RESULTS.subset_by_id["positives_only"]
    positive = msgspec.structs.replace(positive, label="Positive queries", n_queries=n)
    assert subset_size(msgspec.structs.replace(RESULTS, subsets=(whole, positive)), "positives_only") == said
    assert subset_name(positive) == "positive queries"
