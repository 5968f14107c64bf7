"""Sentences about who leads, in captions."""

import msgspec
import pytest

from reportgen.domain.presentation import plain
from reportgen.wording.captions import drawn_level, interval_level
from reportgen.wording.heads import over_folds
from reportgen.wording.rankings import ranking
from reportgen.wording.text import counted, enumeration, percent, value_text
from tests.support import words
from tests.support.results import make_results


def estimates(results, *bounds, values=None):
    """The pooled AUROC records with these intervals; values are the middles."""
    records = [results.find("auroc", system.id, "all_queries", "pooled") for system in results.systems]
    out = []
    for record, (lower, upper) in zip(records, bounds, strict=True):
        value = (lower + upper) / 2
        interval = msgspec.structs.replace(record.intervals[0], lower=lower, upper=upper)
        display = msgspec.structs.replace(record.display, value=f"{value:.2f}", interval=f"[{lower:.2f}, {upper:.2f}]")
        out.append(msgspec.structs.replace(record, value=value, intervals=(interval,), display=display))
    return out


def said(results, records):
    return words.said(results, "leading.leader(at, 'AUROC')", at=ranking(results, records))


@pytest.mark.parametrize(
    ("items", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_lists_are_joined_as_in_prose(items, text):
    assert plain(enumeration([(item,) for item in items])) == text


def test_nouns_agree_with_their_number():
    assert [counted(n, "system", "systems") for n in (1, 2, 1200)] == ["1 system", "2 systems", "1,200 systems"]


def test_levels_are_percent_without_needless_decimals():
    assert [percent(level) for level in (0.95, 0.9, 0.995)] == ["95\u00a0%", "90\u00a0%", "99.5\u00a0%"]


def test_the_leader_is_named_with_its_value_and_compared_with_nobody_untested():
    results = make_results(3)
    records = estimates(results, (0.70, 0.74), (0.90, 0.94), (0.80, 0.84))
    assert said(results, records) == "Candidate model has the highest AUROC."


def test_equal_values_share_the_place_and_equal_roundings_do_not():
    results = make_results(2)
    assert said(results, estimates(results, (0.70, 0.80), (0.70, 0.80))) == (
        "Baseline and Candidate model share the highest AUROC."
    )
    # 0.75 and 0.7505.
    assert said(results, estimates(results, (0.70, 0.80), (0.701, 0.8))) == (
        "Candidate model has the highest AUROC; Baseline has the same value when rounded."
    )


def test_an_interval_without_width_is_not_said():
    results = make_results(2)
    one, other = estimates(results, (0.70, 0.80), (1.0, 1.0))
    flat = msgspec.structs.replace(
        other, intervals=(msgspec.structs.replace(other.intervals[0], lower=1.0, upper=1.0, degenerate=True),)
    )
    assert said(results, [one, flat]) == "Candidate model has the highest AUROC."
    assert value_text(flat) == "1.00"


def test_of_one_system_nothing_is_said_that_the_figure_shows():
    results = make_results(1)
    assert said(results, estimates(results, (0.70, 0.80))) == ""


def test_for_errors_the_lowest_value_leads():
    results = make_results(2)
    ece = [results.find("ece", system, "all_queries", "pooled") for system in ("s0", "s1")]
    assert ece[1].value < ece[0].value
    assert ranking(results, ece).first.system == "s1"


def test_there_is_no_leader_without_a_value():
    results = make_results(2)
    assert ranking(results, [results.find("alert_precision", "s1", "all_queries", "pooled")]) is None


def test_the_level_is_stated_only_if_all_intervals_share_it():
    results = make_results(2)
    records = estimates(results, (0.70, 0.80), (0.80, 0.90))
    assert interval_level(results, records) == "95\u00a0%"
    assert drawn_level(results, records) == "95 %"
    other = msgspec.structs.replace(results.interval_settings[1], level=0.9)
    mixed = msgspec.structs.replace(results, interval_settings=(results.interval_settings[0], other))
    shifted = [records[0], msgspec.structs.replace(
        records[1], intervals=(msgspec.structs.replace(records[1].intervals[0], settings=1),))]  # fmt: skip
    assert interval_level(mixed, shifted) == ""


def test_a_record_that_does_not_exist_prints_nothing_and_an_undefined_one_its_sign():
    results = make_results(2)
    assert value_text(None) == ""
    assert value_text(results.find("alert_precision", "s1", "all_queries", "pooled")) == "—"


def test_folds_are_named_only_where_there_are_several():
    assert over_folds(make_results(n_folds=5), "fold_mean") == "mean of 5 folds"
    assert over_folds(make_results(n_folds=5), "pooled") == "5 folds pooled"
    assert over_folds(make_results(n_folds=1), "pooled") == ""
