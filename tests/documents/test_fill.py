"""Numbers filled into an author's text; 0.730 and 100 queries are those of the hand-built results."""

import pytest

from reportgen.documents.quantities import fill, quantities
from reportgen.errors import RenderError
from reportgen.render.escape import markdown
from tests.support.results import make_results


def printed(shown, _):
    return markdown(shown.text)


KNOWN = quantities(make_results(2))


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("nDCG is {{rg ndcg@10 s0}}.", "nDCG is 0.730."),
        ("{{ rg  ndcg@10  s0 }} {{rginterval ndcg@10 s0}}", "0.730 [0.710, 0.750]"),
        ("n = {{rgn ndcg@10 s0}}, SD {{rgsd ndcg@10 s0}}", "n = 100, SD 0.016"),
        ("{{rg ndcg@10 s0 all_queries}}", "0.146"),
        ("{{rg ndcg@10 s0 positives_only|pooled}}", "0.730"),
        (r"\{{rg ndcg@10 s0}}", "{{rg ndcg@10 s0}}"),
        ("{{name}} {% x %} \r\n", "{{name}} {% x %} \r\n"),
        ("", ""),
    ],
)
def test_a_reference_becomes_its_number_and_all_else_stays(text: str, filled: str) -> None:
    assert fill(text, KNOWN, printed) == filled


def test_all_wrong_references_are_named_with_their_lines() -> None:
    with pytest.raises(RenderError) as caught:
        fill(
            "one\n{{rg ndcg@10 s7}}\n{{rg ndcg@10}} and {{rgx ndcg@10 s0}}\n{{rg ndcg@10 s0\n}}",
            KNOWN,
            printed,
            where="a.md",
        )
    assert [(problem.code, problem.where) for problem in caught.value.problems] == [
        ("RG552", "a.md:2"), ("RG554", "a.md:3"), ("RG554", "a.md:3"), ("RG554", "a.md:4"),
    ]  # fmt: skip
