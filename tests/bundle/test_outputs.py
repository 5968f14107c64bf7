"""How the outputs are made: figures once and first, and given to what shows them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from matplotlib.figure import Figure as MatplotlibFigure

from reportgen.bundle import outputs, write_bundle
from reportgen.domain.record import Results
from reportgen.errors import RenderError
from reportgen.formats import Presentation
from reportgen.query_values import Obtain
from reportgen.styles import load_tokens
from tests.bundle.small import draw_frame, small_presentation
from tests.support.results import make_results
from tests.support.tables import small

pytestmark = pytest.mark.usefixtures("small_outputs")
POINTS_PER_MM = 72 / 25.4


@pytest.fixture
def pictures(monkeypatch: pytest.MonkeyPatch) -> dict[str, Mapping[str, Any]]:
    """Output to the pictures that it is given."""
    given: dict[str, Mapping[str, Any]] = {}

    def made(
        output: str, directory: Path, names: tuple[str, ...], pictures: Any = None, part: int = 0
    ) -> tuple[str, ...]:
        given[output] = dict(pictures or {})
        return ()

    monkeypatch.setattr(outputs, "make_output", made)
    return given


def presented_with(monkeypatch: pytest.MonkeyPatch, draw: Any, *more: Any) -> None:
    def present(results: Results, per_query: Obtain) -> Presentation:
        small = small_presentation(results)
        (figure,) = small.figures
        figures = tuple(replace(figure, id=f"f{at}", draw=one) for at, one in enumerate((draw, *more)))
        return replace(small, figures=figures)

    monkeypatch.setattr(outputs, "present", present)


def test_a_figure_is_laid_out_once_for_files_page_and_pdf(
    tmp_path: Path, synthetic: Results, monkeypatch: pytest.MonkeyPatch, pictures: Mapping[str, Mapping[str, Any]]
) -> None:
    drawn = []

    def draw(tokens: Any) -> MatplotlibFigure:
        drawn.append(tokens["scheme"])
        return draw_frame(tokens)

    presented_with(monkeypatch, draw)
    write_bundle(synthetic, tmp_path / "v1")
    assert drawn == ["light"]
    assert pictures["html"].keys() == {"f0"}
    assert pictures["html"] == pictures["pdf"]
    svg = (tmp_path / "v1" / "figures" / "f0.svg").read_text()
    # A file brings its fonts, which a page has for all figures.
    assert pictures["html"]["f0"].svg == re.sub(r"<style>.*?</style>\n", "", svg.partition("\n")[2]).rstrip("\n")
    assert pictures["pdf"]["f0"].pdf == (tmp_path / "v1" / "figures" / "f0.pdf").read_bytes()


def test_files_have_the_width_of_the_venue_and_pictures_that_of_the_page(
    tmp_path: Path, synthetic: Results, pictures: Mapping[str, Mapping[str, Any]]
) -> None:
    venues = load_tokens()["width"]["venues"]
    run = msgspec.structs.replace(synthetic.run, venue="acl")
    write_bundle(msgspec.structs.replace(synthetic, run=run), tmp_path / "v1")
    svg = (tmp_path / "v1" / "figures" / "roc.svg").read_text()
    for text, venue in ((svg, "acl"), (pictures["html"]["roc"].svg, "report")):
        width = float(text.partition('width="')[2].partition("pt")[0])
        assert width == pytest.approx(venues[venue]["single"] * POINTS_PER_MM, abs=0.01)
    assert venues["acl"]["single"] != venues["report"]["single"]


def test_formats_without_a_report_have_no_picture_drawn_and_data_alone_no_figure(
    tmp_path: Path, synthetic: Results, monkeypatch: pytest.MonkeyPatch, pictures: Mapping[str, Mapping[str, Any]]
) -> None:
    write_bundle(synthetic, tmp_path / "v1", formats=("latex",))
    assert pictures["latex"] == {}
    presented_with(monkeypatch, None)
    written = write_bundle(synthetic, tmp_path / "v2", formats=("figure-data",))
    assert [name for name in written.files if name.startswith("figures/")] == ["figures/f0.csv"]


def test_the_problems_of_all_figures_are_reported_together_and_nothing_is_written(
    tmp_path: Path, synthetic: Results, monkeypatch: pytest.MonkeyPatch, pictures: Mapping[str, Mapping[str, Any]]
) -> None:
    def cut(tokens: Any) -> MatplotlibFigure:
        figure = draw_frame(tokens)
        figure.text(0.9, 0.5, "much too long for what is left of the width of this figure")
        return figure

    presented_with(monkeypatch, cut, draw_frame, cut)
    with pytest.raises(RenderError) as caught:
        write_bundle(synthetic, tmp_path / "v1")
    assert [problem.where for problem in caught.value.problems] == ["figure f0", "figure f2"]
    assert pictures.keys() == {"tables"}
    assert list(tmp_path.iterdir()) == []


def test_a_figure_that_is_higher_than_its_page_is_an_error_of_the_build(
    tmp_path: Path, synthetic: Results, monkeypatch: pytest.MonkeyPatch, pictures: Mapping[str, Mapping[str, Any]]
) -> None:
    def tall(tokens: Any) -> MatplotlibFigure:
        figure = draw_frame(tokens)
        # A page of the report takes 225 mm.
        figure.set_figheight(230 / 25.4)
        return figure

    presented_with(monkeypatch, tall)
    with pytest.raises(RenderError, match=r"RG564 figure f0: it is 230 mm high, and a page of the venue 'report'"):
        write_bundle(synthetic, tmp_path / "v1")
    assert list(tmp_path.iterdir()) == []


def test_the_latex_tables_of_a_bundle_are_set_for_the_class_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = make_results()
    report = msgspec.structs.replace(results.run.presentation.report, document_class="ieeetran")
    presentation = msgspec.structs.replace(results.run.presentation, report=report)
    results = msgspec.structs.replace(results, run=msgspec.structs.replace(results.run, presentation=presentation))
    shown = Presentation(results, (small(),), (), None)  # type: ignore[arg-type] # no document
    monkeypatch.setattr(outputs, "staged", lambda directory: shown)
    outputs.make_output("tables", tmp_path, ("latex",))
    # IEEEtran.cls sets columns of 252 points.
    assert "% width: 252pt\n" in (tmp_path / "tables" / "small.tex").read_text()


def stops(*arguments: Any, **named: Any) -> Any:
    raise KeyError("layout")


def bundle_of(folder: Path, results: Results) -> tuple[set[str], list[tuple[str, str]]]:
    """The files of a bundle in these formats, and the code and place of what is left out."""
    written = write_bundle(results, folder, formats=("html", "latex", "csv", "xlsx", "docx", "md"))
    assert "KeyError: 'layout'" in "".join(problem.message for problem in written.lacking)
    sums = (folder / "SHA256SUMS").read_text()
    assert all(f"  {name}\n" in sums for name in written.files if name != "SHA256SUMS")
    return set(written.files), [(problem.code, problem.where) for problem in written.lacking]


@pytest.mark.parametrize(
    ("renderer", "place", "missing"),
    [
        ("report_html.render", "HTML report", {"report.html"}),
        ("report_docx.render", "Word report", {"report.docx"}),
        ("report_latex.sources", "LaTeX paper", {"paper/main.tex", "tables/main.tex"}),
        ("xlsx_table.render_workbook", "tables as xlsx", {"tables.xlsx"}),
    ],
)
def test_whichever_renderer_stops_everything_else_is_written(
    tmp_path: Path,
    synthetic: Results,
    monkeypatch: pytest.MonkeyPatch,
    renderer: str,
    place: str,
    missing: set[str],
) -> None:
    monkeypatch.setattr(f"reportgen.render.{renderer}", stops)
    files, lacking = bundle_of(tmp_path / "v1", synthetic)
    assert lacking == [("RG543", place)]
    whole = {"report.html", "report.docx", "paper/main.tex", "tables/main.tex", "tables.xlsx", "tables/main.csv"}
    assert whole & files == whole - missing
    assert "metrics_master.json" in files
    assert not (missing - {"report.html"}) & set((tmp_path / "v1" / "MANIFEST.md").read_text("utf-8").split("`"))


def test_where_a_figure_cannot_be_drawn_other_figures_and_tables_are_written(
    tmp_path: Path, synthetic: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    presented_with(monkeypatch, draw_frame, stops)
    files, lacking = bundle_of(tmp_path / "v1", synthetic)
    assert lacking == [("RG543", "figure f1")]
    assert {"figures/f0.svg", "tables/main.csv", "tables.xlsx", "metrics_master.json"} <= files
    assert not {"figures/f1.svg", "report.html", "report.docx", "paper/main.tex"} & files
