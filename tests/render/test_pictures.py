"""The three formats of a figure show the same picture, each drawn by a program of its own."""

import shutil

import pytest
from PIL import Image, ImageDraw

from reportgen.figures import build_figures
from reportgen.render.figure_files import draw_figures
from tests.support.figures import full_results
from tests.support.pictures import difference, of_pdf, of_png, of_svg

# A word that is missing changes a cell by more than this; anti-aliasing changed none by more than 0.06.
TOLERANCE = 0.12
NAMES = ("forest", "paired-differences", "roc", "reliability", "triage", "sweep")

pytestmark = pytest.mark.skipif(
    shutil.which("pdftoppm") is None, reason="pdftoppm is not installed (poppler-utils has it)"
)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    directory = tmp_path_factory.mktemp("pictures")
    draw_figures(build_figures(full_results(3, 2), NAMES), directory)
    return directory


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_png_pdf_and_svg_of_a_figure_look_the_same(drawn, name, tmp_path):
    png = of_png(drawn / f"{name}.png")
    assert difference(png, of_pdf(drawn / f"{name}.pdf")) < TOLERANCE
    assert difference(png, of_svg(drawn / f"{name}.svg", tmp_path)) < TOLERANCE


def test_a_picture_without_its_last_words_is_told_from_the_whole(drawn):
    whole = of_png(drawn / "paired-differences.png")
    without = whole.copy()
    # The verdicts, at the right end of each row.
    ImageDraw.Draw(without).rectangle((whole.width - 40, 0, whole.width, whole.height), fill=255)
    assert difference(whole, without) > TOLERANCE


def test_black_and_white_differ_by_one_and_a_picture_from_itself_by_nothing():
    black, white = (Image.new("L", (64, 64), tone) for tone in (0, 255))
    assert difference(black, white) == 1.0
    assert difference(white, white) == 0.0
