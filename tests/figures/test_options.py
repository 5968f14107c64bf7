"""The options of figures: the same at three doors, and what is drawn then."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from matplotlib.colors import to_hex
from matplotlib.figure import Figure as MatplotlibFigure

import reportgen as rg
from reportgen.cli import main
from reportgen.domain.figure_options import figure_options
from reportgen.domain.presentation import Document, Figure, Section, ShowFigure
from reportgen.domain.record import FigureOptions, Results
from reportgen.errors import ProblemList, RequestError
from reportgen.figure_options import colour_of, size_of
from reportgen.figures import build_figures, with_options
from reportgen.inputs.declaration import parse
from reportgen.render.figure_files import draw_once, figure_svg
from reportgen.render.report_html import render
from reportgen.results import decode, encode
from reportgen.styles import contrast, load_tokens
from tests.support.full_results import make_full_results

RESULTS = make_full_results(n_systems=3)
LIGHT, DARK = (load_tokens()["colour"][scheme] for scheme in ("light", "dark"))

EACH: Mapping[str, tuple[str, tuple[str, ...], Any]] = {
    "title": ('"Ours"', ("--title", "Ours"), "Ours"),
    "caption": ('"As seen."', ("--caption", "As seen."), "As seen."),
    "systems": ('["s2", "s0"]', ("--systems", "s2,s0"), ["s2", "s0"]),
    "metrics": ('["auroc", "ndcg@10"]', ("--metrics", "auroc,ndcg@10"), ["auroc", "ndcg@10"]),
    "rename": ('{ s1 = "Ours" }', ("--rename", "s1=Ours"), {"s1": "Ours"}),
    "size": ('"100x60mm"', ("--size", "100x60mm"), "100x60mm"),
    "colours": ('{ s1 = "#123456" }', ("--colours", "s1=#123456"), {"s1": "#123456"}),
}
"""Each option in run.toml, on the command line and in Python; colours are under [figures] there."""


def asked(given: Mapping[str, Any], colours: Mapping[str, str] | None = None, name: str = "roc") -> Figure:
    (figure,) = build_figures(with_options(RESULTS, [name], given, colours or {}), [name])
    return figure


def lines(figure: Figure, scheme: str = "light") -> dict[str, str]:
    """Label to colour of each curve."""
    drawn = figure.draw(load_tokens(scheme)).axes[0].lines  # type: ignore[arg-type]
    return {
        str(line.get_label()): to_hex(line.get_color()) for line in drawn if not str(line.get_label()).startswith("_")
    }


def said_of(figure: Figure) -> tuple[object, ...]:
    """All that options change."""
    drawn = figure.draw(load_tokens())
    return (figure.title, figure.caption, lines(figure), tuple(drawn.get_size_inches()))


def without_fonts(svg: str) -> str:
    return re.sub("<style>.*</style>\n", "", svg)


def test_every_option_is_in_the_table_of_this_file() -> None:
    assert set(EACH) == {option.name for option in figure_options()} | {"colours"}


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("results") / "metrics_master.json"
    path.write_bytes(encode(RESULTS))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("option", EACH)
def test_an_option_does_the_same_at_each_door(option: str, master: Path, tmp_path: Path) -> None:
    declared, typed, given = EACH[option]
    problems = ProblemList()
    figure = "forest" if option == "metrics" else "roc"
    table = "figures" if option == "colours" else f"figures.{figure}"
    read = parse(f"[{table}]\n{option} = {declared}\n".encode(), problems)
    assert not problems
    presented = msgspec.structs.replace(RESULTS.run, presentation=read.presentation)
    from_toml = decode(encode(msgspec.structs.replace(RESULTS, run=presented)), master)
    here = rg.figures(rg.Results(RESULTS), figure, **{option: given})[figure]
    there = rg.figures(rg.Results(from_toml), figure)[figure]
    assert said_of(there.spec) == said_of(here.spec)
    assert said_of(rg.figures(rg.Results(RESULTS), figure)[figure].spec) != said_of(here.spec)
    arguments = ["figures", str(master), figure, "-o", str(tmp_path), "--formats", "svg", "-j", "1", *typed]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    written = (tmp_path / f"{figure}.svg").read_text("utf-8")
    assert without_fonts(written).endswith(without_fonts(here.svg()) + "\n")


def test_a_colour_holds_in_every_figure_and_no_other_system_has_it() -> None:
    # The second of the palette, which the second system would have.
    own = {"s0": LIGHT["systems"][1]}
    assert lines(asked({}, own)) == {
        "Baseline": LIGHT["systems"][1], "Candidate model": LIGHT["systems"][0], "Model 2": LIGHT["systems"][2],
    }  # fmt: skip
    # Also where the system is shown in another place.
    assert lines(asked({"systems": ("s2", "s0")}, own)) == {
        "Model 2": LIGHT["systems"][2], "Baseline": LIGHT["systems"][1],
    }  # fmt: skip


def test_a_colour_is_made_lighter_until_it_shows_on_a_dark_page() -> None:
    figure = asked({}, {"s1": "#000080"})
    light, dark = lines(figure)["Candidate model"], lines(figure, "dark")["Candidate model"]
    assert light == "#000080"
    assert contrast("#000080", DARK["surface"]) < 3 <= contrast(dark, DARK["surface"])
    section = Section("s", "Figures", (ShowFigure("roc"),))
    page = render(Document("T", "", (), None, "en", (), "", (section,), figures={"roc": figure}))
    # A variable of the page, with a value for each scheme.
    assert re.search(rf"--f\d+:{light};", page)
    assert re.search(rf"--f\d+:{dark};", page)


@pytest.mark.parametrize(
    ("text", "millimetres"),
    [("84mm", (84,)), ("8.4 x 6 cm", (84, 60)), ("3.3x2.4", (83.82, 60.96)), ("3.3×2.4in", (83.82, 60.96))],
)
def test_a_size_is_read_in_millimetres(text: str, millimetres: tuple[float, ...]) -> None:
    assert size_of(text) == pytest.approx(millimetres)


@pytest.mark.parametrize("text", ["", "84", "84 mm wide", "84x", "x60mm", "5mm", "84x60x2mm", "84px", "1100mm"])
def test_a_size_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="such as '84x60mm'"):
        size_of(text)


def test_a_colour_that_does_not_show_on_white_is_refused_with_one_that_does() -> None:
    with pytest.raises(ValueError, match=r"'#ffd700' has 1\.4 : 1") as caught:
        colour_of("#FFD700")
    instead = re.findall("#[0-9a-f]{6}", str(caught.value))[-1]
    assert contrast(instead, "#ffffff") >= 3
    assert colour_of("#0072B2") == "#0072b2"


@pytest.mark.parametrize(("name", "size"), [("roc", "84x84mm"), ("score-distribution", "100x60mm")])
def test_a_figure_has_the_size_that_is_asked_for_and_nothing_of_it_is_cut(name: str, size: str) -> None:
    figure = asked({"size": size}, name=name)
    width, height = figure.draw(load_tokens()).get_size_inches() * 25.4
    assert (width, height) == pytest.approx(size_of(size))
    assert draw_once(figure, ("svg",), load_tokens()).problems == ()


def test_a_wide_figure_spans_both_columns_of_a_paper() -> None:
    assert [asked({"size": size}).width for size in ("84mm", "100mm")] == ["single", "double"]


def test_rows_that_do_not_fit_the_height_are_refused_with_the_height_that_they_need() -> None:
    (problem,) = draw_once(asked({"size": "150x30mm"}, name="paired-differences"), ("svg",), load_tokens()).problems
    assert problem.code == "RG563"
    found = re.fullmatch(r"its rows need a height of (\d+) mm", problem.message)
    assert found
    enough = asked({"size": f"150x{found[1]}mm"}, name="paired-differences")
    assert draw_once(enough, ("svg",), load_tokens()).problems == ()


def test_a_text_of_the_figure_is_written_in_other_words_and_an_unknown_one_refused() -> None:
    words = {"False positive rate": "1 − Spezifität", "s0": "Basis"}
    figure = asked({"rename": words})
    assert figure.draw(load_tokens()).axes[0].get_xlabel() == "1 − Spezifität"
    assert "Basis" in figure_svg(figure)
    assert "Basis (0.880)" in figure.alt
    (problem,) = draw_once(asked({"rename": {"False rate": "x"}}), ("svg",), load_tokens()).problems
    assert problem.code == "RG565"
    assert problem.message.startswith("it has no text 'False rate'; its texts are ")
    assert "'True positive rate'" in problem.message


def test_words_are_written_on_axes_of_somebody_and_leave_what_was_there() -> None:
    axes = MatplotlibFigure().add_subplot(title="Recall")
    rg.figures(rg.Results(RESULTS), "pr", rename={"Recall": "Sensitivity"})["pr"].draw(ax=axes)
    assert (axes.get_xlabel(), axes.get_title()) == ("Sensitivity", "Recall")


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('[figures.roc]\nsize = "wide"', "[figures.roc] size is 'wide'"),
        ('[figures]\ncolours = { a = "#ffff00" }', "[figures] colours is {'a': '#ffff00'}"),
        ("[figures.roc]\nsystem = ['a']", "unknown key 'system' in [figures.roc]"),
    ],
)
def test_what_is_wrong_in_run_toml_is_said_there(toml: str, said: str) -> None:
    problems = ProblemList()
    parse(toml.encode(), problems)
    assert [problem.message for problem in problems.problems] == [said]


def test_systems_of_a_results_file_that_it_does_not_have_are_refused() -> None:
    def presenting(**options: Any) -> Results:
        presented = msgspec.structs.replace(RESULTS.run.presentation, **options)
        return msgspec.structs.replace(RESULTS, run=msgspec.structs.replace(RESULTS.run, presentation=presented))

    for results in (
        presenting(colours={"s9": "#123456"}),
        presenting(figure_options={"roc": FigureOptions(systems=("s9",))}),
    ):
        with pytest.raises(RequestError, match=r"RG701 .*: the results have no system 's9'"):
            build_figures(results, ["roc"])
