"""The histograms of K, on counts that are synthetic and known."""

import msgspec
import pytest
from matplotlib.colors import to_rgba

from reportgen.domain.presentation import plain
from reportgen.domain.record import Distribution
from reportgen.styles import load_tokens
from tests.support.built import figure_of
from tests.support.results import make_results

build = figure_of("selected-k")


def counts(system, by, *n):
    return Distribution(
        id=f"selected_k|{system}|all_queries|{by or 'all'}", kind="selected_k", system=system, subset="all_queries",
        by=by, bins=tuple(str(k) for k in range(len(n))), counts=n,
    )  # fmt: skip


def with_counts(*distributions, systems=2):
    return msgspec.structs.replace(make_results(systems), distributions=distributions)


STATES = (counts("s1", "state=NEG", 30, 0, 0), counts("s1", "state=UNCERTAIN", 0, 5, 10),
          counts("s1", "state=POS", 2, 0, 8))  # fmt: skip
TRUTH = (counts("s1", "y=0", 25, 3, 4), counts("s1", "y=1", 7, 2, 14))


def drawn(results):
    return build(results)[0].draw(load_tokens())


def bars(axes):
    """K, foot and height of every bar, from the left and from below."""
    found = [(round(bar.get_x() + bar.get_width() / 2), bar.get_y(), bar.get_height()) for bar in axes.patches]
    return sorted(found)


def test_there_is_one_bar_for_every_whole_k_and_states_stand_on_each_other():
    (axes,) = drawn(with_counts(*STATES)).axes
    assert bars(axes) == [(0, 0, 30), (0, 30, 2), (1, 0, 5), (2, 0, 10), (2, 10, 8)]


def test_states_differ_in_hatch_and_fill_and_the_key_names_them():
    figure = drawn(with_counts(*STATES))
    by_place = {(round(bar.get_x() + 0.4), bar.get_y()): bar for bar in figure.axes[0].patches}
    neg, uncertain, pos = by_place[0, 0], by_place[2, 0], by_place[2, 10]
    colour = load_tokens()["colour"]["light"]["systems"][1]
    assert (neg.get_hatch(), uncertain.get_hatch() is not None, pos.get_hatch()) == (None, True, None)
    assert pos.get_facecolor() == to_rgba(colour)
    assert neg.get_facecolor() == to_rgba(load_tokens()["colour"]["light"]["context"])
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == ["state NEG", "state UNCERTAIN", "state POS"]


def test_without_states_the_bars_are_divided_by_the_truth_and_without_that_not_at_all():
    figure = drawn(with_counts(counts("s1", "", 32, 5, 18), *TRUTH))
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["negative", "positive"]
    assert bars(figure.axes[0])[:2] == [(0, 0, 25), (0, 25, 7)]
    plain_bars = drawn(with_counts(counts("s1", "", 32, 5, 18)))
    assert plain_bars.legends == []
    assert bars(plain_bars.axes[0]) == [(0, 0, 32), (1, 0, 5), (2, 0, 18)]


def test_a_division_that_one_system_lacks_is_used_for_none():
    figure = build(with_counts(*STATES, *TRUTH, counts("s2", "y=0", 1, 0, 0), counts("s2", "y=1", 0, 1, 0), systems=3))[
        0
    ]
    assert {row[2] for row in figure.rows} == {"negative", "positive"}


def test_a_panel_is_headed_by_name_and_mean_k_and_the_unit_is_said():
    figure = drawn(with_counts(*STATES))
    # tests/support/results.py: mean K of the second system is 2.4 + 0.1, with an interval of ± 0.2.
    assert figure.axes[0].get_title(loc="left") == "Candidate model\nmean 2.50 [2.30, 2.70]"
    assert figure.get_suptitle().split("\n")[0] == "Synthetic data. K: images returned for a query"
    assert "500 queries, 100 positive" in figure.get_suptitle().replace("\n", " ")


@pytest.mark.parametrize(("n", "step"), [(3, 1), (7, 2), (12, 2), (13, 5), (61, 20)])
def test_no_panel_has_more_than_six_tick_labels_and_all_are_whole(n, step):
    (axes,) = drawn(with_counts(counts("s1", "", *range(1, n + 1)))).axes
    assert [label.get_text() for label in axes.get_xticklabels()] == [str(k) for k in range(0, n, step)]


def test_the_caption_tells_the_range_of_the_means():
    three = (counts("s1", "", 1, 2), counts("s2", "", 2, 1))
    # 2.4 + 0.1 and 2.4 + 0.1 × 1.1
    caption = build(with_counts(*three, systems=3))[0].caption
    assert plain(caption).startswith("Mean K ranges from 2.50 (Candidate model) to 2.51 (Model 2).")
    assert plain(build(with_counts(*STATES))[0].caption).startswith(
        "The mean K of Candidate model is 2.50\u00a0[2.30, 2.70]."
    )


def test_without_the_mean_the_histograms_are_drawn_all_the_same():
    results = msgspec.structs.replace(with_counts(*STATES), results=())
    figure = build(results)[0]
    assert figure.draw(load_tokens()).axes[0].get_title(loc="left") == "Candidate model"
    assert plain(figure.caption).startswith("Number of queries for which a system returns K images")
    assert figure.results == tuple(item.id for item in STATES)


def test_the_alternative_text_tells_how_often_nothing_is_returned_and_the_commonest_k():
    assert "Candidate model returns nothing for 32, most often K = 0" in build(with_counts(*STATES))[0].alt
    many = with_counts(*(counts(f"s{i}", "", 1, 2) for i in range(12)), systems=12)
    assert "; and 6 more systems" in build(many)[0].alt


def test_the_data_have_a_row_for_every_part_and_k():
    figure = build(with_counts(*STATES))[0]
    assert figure.rows[5] == ("s1", "Candidate model", "state UNCERTAIN", 2, 10)
    assert len(figure.rows) == 9


def test_without_counts_there_is_no_figure():
    assert build(with_counts()) == ()
