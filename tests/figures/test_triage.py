"""The bars of the gate's states, on counts that are synthetic and known."""

import msgspec
import pytest
from matplotlib.patches import Rectangle

from reportgen.domain.presentation import plain
from reportgen.styles import load_tokens
from tests.support.built import figure_of
from tests.support.figures import row_names, texts, with_states
from tests.support.results import make_results

build = figure_of("triage")


def spaced(text):
    """The text with ordinary spaces, wherever a line may end."""
    return plain(text).replace("\u00a0", " ")


def drawn(results):
    return build(results)[0].draw(load_tokens())


def bars(axes):
    return [patch for patch in axes.patches if isinstance(patch, Rectangle)]


def test_the_parts_of_a_bar_are_the_shares_of_the_states_from_neg_to_pos():
    first = bars(drawn(with_states(make_results(2))).axes[0])[:3]
    # 300, 150 and 50 of 500.
    assert [bar.get_width() for bar in first] == pytest.approx([0.6, 0.3, 0.1])
    assert [bar.get_x() for bar in first] == pytest.approx([0.0, 0.6, 0.9])


def test_the_states_differ_by_more_than_colour():
    neg, uncertain, pos = bars(drawn(with_states(make_results(1))).axes[0])
    assert (neg.get_hatch(), pos.get_hatch()) == (None, None)
    assert uncertain.get_hatch()
    grey = [0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b, _ in (neg.get_facecolor(), pos.get_facecolor())]
    assert grey[0] - grey[1] > 0.3


def test_counts_stand_in_the_parts_and_a_last_one_without_room_beside_the_bar():
    results = with_states(make_results(2), lambda order: (300, 150, 50) if order == 0 else (400, 98, 2))
    axes = drawn(results).axes[0]
    assert texts(axes) == ["300", "150", "50", "400", "98", "2"]
    beside = axes.texts[-1]
    assert beside.xy == (1.0, 1)
    assert beside.get_color() == load_tokens()["colour"]["light"]["ink"]


def test_a_state_without_queries_has_no_number():
    assert texts(drawn(with_states(make_results(1), lambda order: (500, 0, 0))).axes[0]) == ["500"]


def test_the_axis_states_the_denominator_and_the_key_what_becomes_of_each_state():
    figure = drawn(with_states(make_results(2)))
    assert figure.axes[0].get_xlabel() == "Share of 500 queries"
    (key,) = figure.legends
    assert [text.get_text() for text in key.get_texts()] == [
        "NEG (blocked)", "UNCERTAIN (passed on)", "POS (alert)",
    ]  # fmt: skip


def test_rows_are_the_systems_in_their_order():
    assert row_names(drawn(with_states(make_results(3))).axes[0]) == ["Baseline", "Candidate model", "Model 2"]


def test_the_caption_says_who_leaves_most_and_fewest_uncertain():
    # 150, 160 and 170 of 500.
    assert spaced(build(with_states(make_results(3)))[0].caption).startswith(
        "Baseline leaves the fewest queries uncertain, 30.0 %; Model 2 the most, 34.0 %."
    )
    assert spaced(build(with_states(make_results(2), lambda order: (300, 150, 50)))[0].caption).startswith(
        "All systems leave 30.0 % of the queries uncertain."
    )
    assert spaced(build(with_states(make_results(1)))[0].caption).startswith(
        "Baseline leaves 30.0 % of the queries uncertain."
    )


def test_a_system_without_counts_of_states_is_named_in_the_caption():
    results = with_states(make_results(2))
    without = tuple(d for d in results.distributions if d.system == "s1")
    assert "No counts of states for Baseline." in spaced(
        build(msgspec.structs.replace(results, distributions=without))[0].caption
    )


def test_the_alternative_text_holds_every_count_and_share():
    assert spaced(build(with_states(make_results(1)))[0].alt) == (
        "Stacked bars of 100 % for 1 system, three states each. "
        "Baseline: NEG 300 (60.0 %), UNCERTAIN 150 (30.0 %), POS 50 (10.0 %)."
    )


def test_the_data_hold_counts_and_shares_at_full_precision():
    assert build(with_states(make_results(1)))[0].rows == (
        ("s0", "Baseline", "all_queries", "NEG", 300, 0.6),
        ("s0", "Baseline", "all_queries", "UNCERTAIN", 150, 0.3),
        ("s0", "Baseline", "all_queries", "POS", 50, 0.1),
    )


def test_many_systems_come_in_parts_of_at_most_a_page():
    figures = build(with_states(make_results(40), lambda order: (300, 150, 50)))
    assert [figure.id for figure in figures] == ["triage", "triage-2"]
    height = load_tokens()["width"]["venues"]["report"]["height"]
    assert figures[0].draw(load_tokens()).get_figheight() * 25.4 <= height


def test_a_run_without_states_has_no_such_figure():
    results = make_results(2)
    bare = tuple(d for d in results.distributions if not d.by.startswith("state="))
    assert build(msgspec.structs.replace(results, distributions=bare)) == ()
