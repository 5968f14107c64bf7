"""Figures as files: the right format, the right size, the same bytes, nothing lost."""

import csv
import io
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from xml.etree import ElementTree as ET

import pikepdf
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from matplotlib import rcParams
from matplotlib.figure import Figure as MatplotlibFigure
from PIL import Image

from reportgen.domain.presentation import Figure
from reportgen.errors import OutputError, RenderError
from reportgen.figures import build_figures
from reportgen.figures.drawing.lettering import MissingGlyphWarning, legible
from reportgen.figures.drawing.style import counterparts, drawing_style, styled
from reportgen.render import csv_table
from reportgen.render.figure_files import LargeFigureWarning, draw_figures, figure_svg
from reportgen.render.figure_svg import Palette, inline
from reportgen.styles import load_tokens
from tests.support.documents import pictures, report
from tests.support.figures import full_results
from tests.support.once import folder_once
from tests.support.results import make_results

SVG = "{http://www.w3.org/2000/svg}"
POINTS_PER_MM = 72 / 25.4


@styled
def words(data, tokens):
    """A figure that is one line of text, so that the text can be chosen."""
    x, text, checked = data
    figure = MatplotlibFigure(figsize=(2, 1), layout="constrained")
    figure.text(x, 0.5, legible(text, tokens) if checked else text)
    return figure


def figure_of(text, x=0.1, checked=False, **changes):
    parts = {
        "id": "words", "title": "Words", "caption": "One word.", "alt": "A word.", "columns": ("text",),
        "rows": ((text,),), "results": (), "draw": partial(words, (x, text, checked)),
    }  # fmt: skip
    return Figure(**{**parts, **changes})


@pytest.fixture(scope="module")
def bundle():
    figures = build_figures(full_results(3, 3))
    return figures, folder_once("figures", partial(draw_figures, figures))[1]


def files(bundle, suffix):
    return [path for path in bundle[1] if path.suffix == suffix]


def test_every_figure_comes_in_every_format_with_its_data(bundle):
    figures, paths = bundle
    expected = [f"{figure.id}.{suffix}" for figure in figures for suffix in ("svg", "pdf", "png", "csv")]
    assert [path.name for path in paths] == expected


def test_a_pdf_has_one_page_of_exactly_the_asked_width(bundle):
    venue = load_tokens()["width"]["venues"]["report"]
    for figure, path in zip(bundle[0], files(bundle, ".pdf"), strict=True):
        with pikepdf.open(path) as pdf:
            (page,) = pdf.pages
            assert float(page.mediabox[2]) == pytest.approx(venue[figure.width] * POINTS_PER_MM, abs=0.01)


def test_a_pdf_embeds_truetype_outlines_and_no_type_3_font(bundle):
    for path in files(bundle, ".pdf"):
        with pikepdf.open(path) as pdf:
            fonts = [pdf.pages[0].Resources.Font[name] for name in list(pdf.pages[0].Resources.Font)]
            assert {str(font.Subtype) for font in fonts} == {"/Type0"}
            for font in fonts:
                descendant = font.DescendantFonts[0]
                assert str(descendant.Subtype) == "/CIDFontType2"
                assert "/FontFile2" in descendant.FontDescriptor
                assert re.fullmatch(r"/[A-Z]{6}\+(STIXGeneral-Regular|DejaVuSerif|DejaVuSans)", str(font.BaseFont))


def test_a_pdf_says_its_title_and_no_date_or_program(bundle):
    for figure, path in zip(bundle[0], files(bundle, ".pdf"), strict=True):
        with pikepdf.open(path) as pdf:
            assert {key: str(value) for key, value in pdf.docinfo.items()} == {"/Title": figure.title}


def test_a_png_has_300_dots_per_inch_of_the_asked_width(bundle):
    venue = load_tokens()["width"]["venues"]["report"]
    for figure, path in zip(bundle[0], files(bundle, ".png"), strict=True):
        with Image.open(path) as image:
            assert image.width == pytest.approx(venue[figure.width] / 25.4 * 300, abs=1)
            assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)
            assert "Software" not in image.info


def test_an_svg_stands_alone_without_script_or_reference_to_anything_outside_and_brings_its_fonts(bundle):
    for path in files(bundle, ".svg"):
        text = path.read_text("utf-8")
        root = ET.fromstring(text)
        assert "<!DOCTYPE" not in text
        tags = {element.tag.removeprefix(SVG) for element in root.iter()}
        assert tags.isdisjoint({"script", "image", "foreignObject", "metadata", "a"})
        (sheet,) = root.iter(f"{SVG}style")
        rule = r'@font-face\{font-family:"[\w ]+";font-weight:400;font-style:normal;src:url\("data:font/[^"]+"\)[^}]*\}'
        assert re.fullmatch(rf"(?:{rule}\s*)+", sheet.text)
        links = [value for element in root.iter() for name, value in element.attrib.items() if name.endswith("href")]
        assert links
        assert all(link.startswith("#") for link in links)
        assert set(re.findall(r"https?://[^\"']*", text)) == {
            "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink",
        }  # fmt: skip


def test_an_svg_names_itself_by_title_and_alternative_text(bundle):
    for figure, path in zip(bundle[0], files(bundle, ".svg"), strict=True):
        root = ET.parse(path).getroot()
        assert root.attrib["role"] == "img"
        assert (root.find(f"{SVG}title").text, root.find(f"{SVG}desc").text) == (figure.title, figure.alt)
        labels = root.attrib["aria-labelledby"].split()
        assert [root.find(f"{SVG}{tag}").attrib["id"] for tag in ("title", "desc")] == labels


def test_ids_are_unique_on_a_page_that_shows_figures_in_both_schemes_and_every_reference_resolves():
    # Of each way to draw one: bands and markers, clipped panels, hatches, an image with its colour bar.
    figures = build_figures(full_results(2, 3), ["roc", "score-distribution", "triage", "threshold-grid"])
    assert len(figures) == 4
    page = "".join(figure_svg(figure, scheme=scheme) for figure in figures for scheme in ("light", "dark"))
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    references = set(re.findall(r'href="#([^"]+)"', page)) | set(re.findall(r"url\(#([^)]+)\)", page))
    assert references
    assert references <= set(ids)


def test_the_svg_for_a_page_is_the_svg_file_without_its_first_line(bundle):
    for figure, path in list(zip(bundle[0], files(bundle, ".svg"), strict=True))[::4]:
        head, _, rest = path.read_text("utf-8").partition("\n")
        assert head == '<?xml version="1.0" encoding="utf-8"?>'
        assert figure_svg(figure) == rest.rstrip("\n")


@pytest.mark.slow
def test_hostile_names_are_text_in_title_description_and_data():
    figures, palette = report(hostile=True).figures, Palette()
    for id, picture in pictures(hostile=True).items():
        for drawn in (picture.svg, inline(figures[id], picture.svg, counterparts(load_tokens()), palette)):
            for element in ET.fromstring(drawn).iter():
                assert element.tag.rpartition("}")[2] not in {"img", "script", "style", "foreignObject", "a", "image"}
                for name, value in element.attrib.items():
                    assert not name.rpartition("}")[2].startswith("on")
                    assert not name.endswith("href") or value.startswith("#")
    (roc,) = build_figures(make_results(4, 2, hostile=True), ["roc"])
    rows = list(csv.DictReader(io.StringIO(csv_table.render_data(roc))))
    assert {row["label"] for row in rows} >= {"'=1+1", r"a_b & 50% {x} \input{y}", "<img src=x onerror=alert(1)>"}


def test_the_data_file_has_full_precision_and_empty_fields_for_missing_values():
    figure = figure_of(
        "x", columns=("a", "b", "c", "d"), rows=((1 / 3, None, -0.0, 7), ('he said "1,5"', True, 1e-300, 0))
    )
    assert csv_table.render_data(figure) == 'a,b,c,d\n0.3333333333333333,,0.0,7\n"he said ""1,5""",true,1e-300,0\n'


@pytest.mark.slow
def test_the_bytes_do_not_depend_on_process_hash_seed_or_number_of_jobs(bundle, tmp_path):
    # Each figure is drawn by a function of its own, and each format written by one that all share.
    script = (
        "from pathlib import Path\n"
        "from tests.support.figures import full_results\n"
        "from reportgen.figures import build_figures\n"
        "from reportgen import workers\n"
        "from reportgen.render.figure_files import draw_figures\n"
        "workers._PATIENCE = 0\n"
        "if __name__ == '__main__':\n"
        f"    out, figures = Path({str(tmp_path / 'out')!r}), build_figures(full_results(3, 3))\n"
        "    draw_figures(figures, out, ('svg',), jobs=2)\n"
        "    draw_figures([one for one in figures if one.id in ('roc', 'threshold-grid')], out)\n"
    )
    (tmp_path / "draw.py").write_text(script)
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONHASHSEED": "4711", "PYTHONPATH": str(root), "SOURCE_DATE_EPOCH": "1000000000"}
    subprocess.run([sys.executable, tmp_path / "draw.py"], env=environment, check=True, cwd=tmp_path)
    again = sorted((tmp_path / "out").iterdir())
    assert len(again) == 2 * len(bundle[0]) + 2 * 2  # SVG and data of all, PDF and PNG of two
    here = {path.name: path.read_bytes() for path in bundle[1]}
    assert [path.name for path in again if path.read_bytes() != here[path.name]] == []


def test_a_text_that_sticks_out_is_an_error_that_quotes_it_and_nothing_is_written(tmp_path):
    with pytest.raises(RenderError, match=r"RG561 figure words: 'too long to fit' is cut at the edge; .*50\.8 mm"):
        draw_figures([figure_of("too long to fit", x=0.9)], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_lost_glyph_is_an_error_that_names_figure_and_code_point(tmp_path):
    with pytest.raises(RenderError, match=r"RG562 figure words: no font has the character U\+F1234"):
        draw_figures([figure_of("\U000f1234")], tmp_path)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_replaced_character_is_a_warning_that_names_the_figure_also_from_another_process(tmp_path, jobs):
    figures = build_figures(make_results(1, 2))
    other = [figure for figure in figures if figure.id == "roc"]
    with pytest.warns(
        MissingGlyphWarning,
        match=r"^figure words: no font of the figure has U\+F1234; shown as '\[U\+F1234\]'\. Write the name",
    ):
        draw_figures([figure_of("\U000f1234", checked=True), *other], tmp_path, formats=("svg",), jobs=jobs)


@pytest.fixture
def own_font(tmp_path):
    """A TrueType font of one letter, U+F1234, drawn as a square."""
    pen = TTGlyphPen(None)
    for step, point in enumerate(((0, 0), (0, 800), (800, 800), (800, 0))):
        (pen.lineTo if step else pen.moveTo)(point)
    pen.closePath()
    builder = FontBuilder(1000)
    builder.setupGlyphOrder([".notdef", "square"])
    builder.setupCharacterMap({0xF1234: "square"})
    builder.setupGlyf({".notdef": TTGlyphPen(None).glyph(), "square": pen.glyph()})
    builder.setupHorizontalMetrics({".notdef": (1000, 0), "square": (1000, 0)})
    builder.setupHorizontalHeader(ascent=900, descent=-100)
    builder.setupNameTable({"familyName": "Square", "styleName": "Regular", "psName": "Square"})
    builder.setupOS2()
    builder.setupPost()
    builder.save(tmp_path / "square.ttf")
    return tmp_path / "square.ttf"


def test_a_font_of_the_users_own_shows_what_the_shipped_ones_lack_and_is_embedded(own_font, tmp_path):
    tokens = load_tokens(fonts=(own_font,))
    (pdf, _) = draw_figures(
        [figure_of("Δ \U000f1234", checked=True)], tmp_path / "out", formats=("pdf",), tokens=tokens
    )
    with pikepdf.open(pdf) as document:
        fonts = document.pages[0].Resources.Font
        names = {str(fonts[name].BaseFont).partition("+")[2] for name in list(fonts)}
        assert {str(fonts[name].Subtype) for name in list(fonts)} == {"/Type0"}
    assert any(name.startswith("Square") for name in names)
    assert any(name.startswith("STIXGeneral") for name in names)


def test_figures_drawn_by_four_threads_have_the_bytes_of_one():
    figures = build_figures(full_results(2, 2), ["roc", "triage", "paired-differences", "sweep"])
    serial = [figure_svg(figure) for figure in figures]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(figure_svg, figures)) == serial


def test_drawing_neither_looks_for_fonts_of_the_system_nor_calls_tex(caplog):
    with caplog.at_level("WARNING", logger="matplotlib"):
        figure_svg(build_figures(full_results(2, 2), ["roc"])[0])
    assert caplog.records == []
    with drawing_style(load_tokens()):
        assert (rcParams["text.usetex"], rcParams["mathtext.fontset"]) == (False, "stix")


def test_a_figure_higher_than_a_page_of_its_venue_is_drawn_with_a_warning_that_gives_both_heights(tmp_path):
    figure = figure_of("x")
    short = {**load_tokens()["width"]["venues"], "report": {"single": 85.0, "double": 160.0, "height": 20.0}}
    tokens = {**load_tokens(), "width": {"venue": "report", "venues": short}}
    # The figure is 1 in high.
    with pytest.warns(
        LargeFigureWarning, match=r"^figure words: it is 25 mm high, and a page of the venue 'report' takes 20 mm$"
    ):
        paths = draw_figures([figure], tmp_path, formats=("png",), tokens=tokens)
    assert [path.name for path in paths] == ["words.png", "words.csv"]


def test_a_replaced_character_warns_for_the_svg_of_a_page_too():
    with pytest.warns(MissingGlyphWarning, match="figure words"):
        assert "<svg" in figure_svg(figure_of("\U000f1234", checked=True))


def test_problems_of_all_figures_are_reported_together(tmp_path):
    figures = [figure_of("too long to fit", x=0.9, id="one"), figure_of("\U000f1234", id="two")]
    with pytest.raises(RenderError) as caught:
        draw_figures(figures, tmp_path)
    assert [problem.code for problem in caught.value.problems] == ["RG561", "RG562"]


def test_names_without_room_for_a_plot_are_an_error_instead_of_a_collapsed_figure():
    figure = build_figures(make_results(1, 2), ["roc"])[0]
    tokens = load_tokens()
    narrow = {**tokens["width"]["venues"]["report"], "single": 8.0}
    width = {**tokens["width"], "venues": {**tokens["width"]["venues"], "report": narrow}}
    with pytest.raises(RenderError, match=r"RG56[13] figure roc"):
        figure_svg(figure, {**tokens, "width": width})


def test_an_unknown_format_is_an_error_that_lists_the_known_ones(tmp_path):
    with pytest.raises(
        RenderError, match=r"RG560 figures: there is no format 'gif'\n.*\n  Choose .* svg, pdf, png, pgf\."
    ):
        draw_figures([], tmp_path, formats=("gif",))


def test_a_folder_that_cannot_be_made_is_an_error_that_says_so(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(OutputError, match="RG630"):
        draw_figures([], tmp_path / "taken" / "figures")


def test_drawing_leaves_no_figure_in_pyplot(bundle):
    assert "matplotlib.pyplot" not in sys.modules or __import__("matplotlib.pyplot").pyplot.get_fignums() == []
