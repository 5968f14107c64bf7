import msgspec
import pytest

from reportgen.domain.record import Direction, Estimate
from reportgen.numbers import fixed
from reportgen.tables._lines import MetricLine
from reportgen.tables._marks import marks, read_alone
from tests.support.results import make_results

ONE = next(record for record in make_results().results if record.value is not None)


def records(*values: float | None, decimals: int = 2, signature: int = 0) -> list[Estimate]:
    made = []
    for value in values:
        shown = "—" if value is None else fixed(value, decimals)
        made.append(
            msgspec.structs.replace(
                ONE,
                value=value,
                status="ok" if value is not None else "not_applicable",
                reason=None if value is not None else "component_absent",
                display=msgspec.structs.replace(ONE.display, value=shown),
                signature=signature,
            )
        )
    return made


@pytest.mark.parametrize(
    ("values", "direction", "expected"),
    [
        # ranx 'to_latex': best starts at 0.0 with '<', so only the first of a tie and never zero or less is marked.
        ([0.05, 0.03, 0.03], "lower", ["second", "best", "best"]),
        ([-0.2, -0.1], "higher", ["", "best"]),
        ([0.0, -0.1, -0.2], "higher", ["best", "second", ""]),
        ([0.9, 0.8, 0.7, 0.8], "higher", ["best", "second", "", "second"]),
        ([0.9, 0.8, 0.7], "lower", ["", "second", "best"]),
        ([0.9, 0.8, 0.7], "none", ["", "", ""]),
        ([0.9, None, 0.8], "higher", ["best", "", ""]),
        ([None, None, 0.8], "higher", ["", "", ""]),
        ([0.8, 0.8, 0.8], "higher", ["", "", ""]),
        ([], "higher", []),
    ],
)
def test_marks_follow_direction_and_share_ties(
    values: list[float | None], direction: Direction, expected: list[str]
) -> None:
    assert list(marks(records(*values), direction)) == expected


def test_values_are_marked_before_rounding_though_they_print_the_same() -> None:
    assert marks(records(0.9041, 0.9039, 0.85), "higher") == ("best", "second", "")


def test_values_made_under_different_conventions_are_not_ranked() -> None:
    mixed = [*records(0.9), *records(0.8, signature=1)]
    assert marks(mixed, "higher") == ("", "")


def test_a_value_that_was_not_computed_is_passed_over() -> None:
    assert marks([None, *records(0.9, 0.8)], "higher") == ("", "best", "")


def test_a_value_that_says_little_without_another_is_marked_only_beside_it() -> None:
    results = make_results(2)
    by_id = results.metric_by_id
    alone = MetricLine(by_id["alert_precision"], "all_queries", ())
    rate = MetricLine(by_id["alert_rate"], "all_queries", ())
    tpr, fpr = (MetricLine(by_id[id_], "all_queries", ()) for id_ in ("tpr@fpr=0.05", "fpr_achieved@fpr=0.05"))
    assert not read_alone(alone, [alone, tpr])
    assert read_alone(alone, [alone, rate])
    assert not read_alone(tpr, [tpr, rate])
    assert read_alone(tpr, [tpr, fpr])
    assert read_alone(rate, [])
