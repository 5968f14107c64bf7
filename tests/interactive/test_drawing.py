"""Figures as matplotlib's, on axes that exist, of some systems under names and colours of one's own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure as MatplotlibFigure
from msgspec import structs

import reportgen as rg
from reportgen.errors import RenderError, RequestError
from reportgen.styles import load_tokens
from tests.support.full_results import make_full_results

COLOURS = load_tokens()["colour"]["light"]["systems"]


@pytest.fixture(scope="module")
def results() -> rg.Results:
    return rg.Results(make_full_results(n_systems=3))


def curves(figure: MatplotlibFigure) -> dict[str, str]:
    """Label to colour of each curve of a system."""
    return {
        str(line.get_label()): to_hex(line.get_color()) for line in figure.axes[0].lines if line.get_label()[0] != "_"
    }


def test_a_figure_is_one_of_matplotlibs(results: rg.Results, tmp_path: Path) -> None:
    drawn = rg.figures(results, "roc")["roc"].draw()
    assert curves(drawn) == dict(
        zip([one.label for one in results.record.systems], map(str.lower, COLOURS), strict=False)
    )
    drawn.savefig(tmp_path / "roc.png", dpi=50)
    assert (tmp_path / "roc.png").stat().st_size > 0


def test_curves_are_drawn_on_axes_that_exist_and_leave_their_figure_as_it_is(results: rg.Results) -> None:
    mine = MatplotlibFigure(figsize=(6, 3), dpi=100)
    left, right = mine.subplots(1, 2)
    right.plot([0, 1], [1, 0])
    left.set_title("Mine")
    assert rg.figures(results, "roc")["roc"].draw(ax=left) is mine
    assert len(curves(mine)) == 3
    assert (left.get_title(), left.get_xlabel()) == ("Mine", "False positive rate")
    assert left.get_legend() is not None
    assert len(right.lines) == 1
    assert (tuple(mine.get_size_inches()), mine.dpi) == ((6, 3), 100)


def test_a_decimal_comma_is_in_what_is_drawn_and_not_in_what_was_there(results: rg.Results) -> None:
    record = results.record
    report = structs.replace(record.run.presentation.report, decimal=",")
    presentation = structs.replace(record.run.presentation, report=report)
    with_comma = rg.Results(structs.replace(record, run=structs.replace(record.run, presentation=presentation)))
    axes = MatplotlibFigure().add_subplot(title="Mine 2.5")
    rg.figures(with_comma, "roc")["roc"].draw(ax=axes)
    legend = axes.get_legend()
    assert legend is not None
    assert re.match(r"0,\d{3} \[0,\d{3}; ?0,\d{3}\]|0,\d{3}", legend.get_texts()[0].get_text())
    assert axes.get_title() == "Mine 2.5"


def test_a_figure_of_several_plots_is_refused_on_axes(results: rg.Results) -> None:
    axes = MatplotlibFigure().add_subplot()
    with pytest.raises(RequestError, match="RG713 forest: the figure has several plots"):
        rg.figures(results, "forest")["forest"].draw(ax=axes)


def test_systems_are_chosen_ordered_named_and_coloured(results: rg.Results) -> None:
    first, second, third = (one.id for one in results.record.systems)
    left_out = results.record.system_by_id[second].label
    figure = rg.figures(results, "roc", systems=[third, first], rename={first: "Ours"}, colours={first: "#123456"})[
        "roc"
    ]
    # The third keeps the colour that it has among all.
    assert curves(figure.draw()) == {results.record.system_by_id[third].label: COLOURS[2].lower(), "Ours": "#123456"}
    assert str(figure.spec.caption).rstrip("',)\"").endswith(f"Left out: {left_out}.")
    assert {row[1] for row in figure.spec.rows} == {results.record.system_by_id[third].label, "Ours"}
    assert "#123456" in figure.svg()


@pytest.mark.slow
def test_every_figure_can_be_drawn_of_two_systems_without_the_baseline(results: rg.Results) -> None:
    shown = [one.id for one in results.record.systems if one.id != results.record.run.baseline][:2]
    figures = rg.figures(results, systems=shown)
    assert {"forest", "roc", "reliability", "per-label"} <= set(figures)
    for figure in figures.values():
        assert isinstance(figure.draw(), MatplotlibFigure)


def test_the_width_is_in_millimetres_and_the_venue_has_its_own(results: rg.Results) -> None:
    assert rg.figures(results, "roc", size="100mm")["roc"].draw().get_figwidth() == pytest.approx(100 / 25.4)
    # A column of ACL is 77 mm wide.
    assert rg.figures(results, "roc", venue="acl")["roc"].draw().get_figwidth() == pytest.approx(77 / 25.4)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"systems": ["nobody"]}, "RG701 systems: the results have no system 'nobody'"),
        ({"system": ["s0"]}, "RG701 figures: there is no option 'system'"),
        ({"rename": ["X"]}, "RG701 figures: an option cannot be read: Expected `object`"),
        ({"colours": {"nobody": "red"}}, "RG701 colours: the results have no system 'nobody'"),
        ({"colours": {"s0": "red"}}, "RG701 colours: 'red' cannot be used"),
        ({"size": "5mm"}, "RG701 size: '5mm' cannot be used"),
    ],
)
def test_what_does_not_exist_is_answered_with_what_does(results: rg.Results, options: dict, said: str) -> None:
    with pytest.raises(RequestError, match=said):
        rg.figures(results, "roc", **options)
    with pytest.raises(RenderError, match="RG510"):
        rg.figures(results, "roc", venue="nowhere")
