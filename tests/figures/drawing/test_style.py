"""Tokens to matplotlib: fonts by file, marks by order."""

from pathlib import Path

import matplotlib as mpl
from matplotlib.font_manager import FontProperties, fontManager

from reportgen.figures.drawing.style import Style, drawing_style, families
from reportgen.styles import font_file, load_tokens


def test_the_fonts_are_the_files_of_the_tokens_never_those_of_the_system():
    tokens = load_tokens()
    with drawing_style(tokens):
        found = [fontManager.findfont(FontProperties(family=name)) for name in families(tokens)]
    wanted = ["STIXGeneral.ttf", "DejaVuSerif.ttf", "DejaVuSans.ttf"]
    paths = [Path(str(path)).resolve() for path in found]
    assert paths[:3] == [font_file(name).resolve() for name in wanted]
    # Other scripts are drawn with the fonts of the extra, where it is installed.
    assert all("weblate_fonts" in path.parts for path in paths[3:])


def test_fonts_are_registered_once():
    with drawing_style(load_tokens()):
        before = len(fontManager.ttflist)
    with drawing_style(load_tokens()):
        assert len(fontManager.ttflist) == before


def test_no_style_needs_a_tex_installation_or_reads_mathematics_into_names():
    with drawing_style(load_tokens()):
        assert not mpl.rcParams["text.usetex"]
        assert not mpl.rcParams["text.parse_math"]


def test_settings_come_back_even_after_an_error():
    before = mpl.rcParams["font.size"]
    try:
        with drawing_style(load_tokens()):
            assert mpl.rcParams["font.size"] == 8.5
            raise RuntimeError
    except RuntimeError:
        pass
    assert mpl.rcParams["font.size"] == before


def test_the_first_35_systems_all_look_different_in_lines_and_the_first_56_in_marks():
    style = Style.of(load_tokens())
    marks = [style.mark(order) for order in range(56)]
    assert len({(mark.colour, mark.dash) for mark in marks[:35]}) == 35
    assert len({(mark.colour, mark.marker) for mark in marks}) == 56


def test_widths_are_those_of_the_venue_in_inches():
    style = Style.of(load_tokens(venue="ieee"))
    assert (round(style.width("single"), 3), round(style.width("double"), 3)) == (3.5, 7.161)
