"""The tokens: legible colours, existing fonts, exact widths."""

import math

import pytest
from matplotlib.lines import Line2D

from reportgen.errors import RenderError
from reportgen.styles import font_file, load_tokens, venues


def luminance(colour: str) -> float:
    """Relative luminance after WCAG 2.2."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(first: str, second: str) -> float:
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_black_on_white_has_the_contrast_that_wcag_states():
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("role", ["ink", "muted", "accent", "warning"])
@pytest.mark.parametrize("ground", ["surface", "raised"])
def test_text_colours_reach_4_5_to_1(scheme, role, ground):
    colours = load_tokens()["colour"][scheme]
    assert contrast(colours[role], colours[ground]) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("ground", "text"), [("warning_surface", "warning"), ("warning_surface", "ink"),
                                              ("note_surface", "ink")])  # fmt: skip
def test_text_on_a_callout_reaches_4_5_to_1(scheme, ground, text):
    colours = load_tokens()["colour"][scheme]
    assert contrast(colours[text], colours[ground]) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("role", ["focus", "rule", "accent"])
@pytest.mark.parametrize("ground", ["surface", "raised"])
def test_the_edge_of_a_field_and_the_mark_of_the_focus_reach_3_to_1(scheme, role, ground):
    colours = load_tokens()["colour"][scheme]
    assert contrast(colours[role], colours[ground]) >= 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("text", ["ink", "muted", "accent"])
def test_a_number_that_an_address_led_to_reaches_4_5_to_1(scheme, text):
    colours = load_tokens()["colour"][scheme]
    assert contrast(colours[text], colours["note_surface"]) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_system_colours_reach_3_to_1_on_the_surface(scheme):
    colours = load_tokens()["colour"][scheme]
    assert [c for c in colours["systems"] if contrast(c, colours["surface"]) < 3] == []


def test_both_colour_schemes_have_the_same_roles_and_as_many_system_colours():
    light, dark = (load_tokens()["colour"][scheme] for scheme in ("light", "dark"))
    assert light.keys() == dark.keys()
    assert len(light["systems"]) == len(dark["systems"])


def test_colours_dashes_and_markers_have_no_common_factor_so_that_combinations_repeat_late():
    tokens = load_tokens()
    colours = len(tokens["colour"]["light"]["systems"])
    dashes, markers = len(tokens["mark"]["dashes"]), len(tokens["mark"]["markers"])
    assert (math.gcd(colours, dashes), math.gcd(colours, markers), math.gcd(dashes, markers)) == (1, 1, 1)


def test_every_marker_is_one_that_matplotlib_draws():
    assert set(load_tokens()["mark"]["markers"]) <= set(Line2D.filled_markers)


def test_every_font_of_the_tokens_is_a_file_and_every_family_used_has_one():
    font = load_tokens()["font"]
    assert all(font_file(face["file"]).is_file() for face in font["files"])
    assert {font["text"], font["mono"], *font["fallback"]} <= {face["family"] for face in font["files"]}


def test_a_double_column_is_never_narrower_than_a_single_one():
    venues = load_tokens()["width"]["venues"]
    assert [name for name, width in venues.items() if width["double"] < width["single"]] == []


def test_colour_scheme_and_venue_can_be_chosen_and_leave_the_shipped_tokens_alone():
    chosen = load_tokens("dark", "ieee")
    assert (chosen["scheme"], chosen["width"]["venue"]) == ("dark", "ieee")
    assert (load_tokens()["scheme"], load_tokens()["width"]["venue"]) == ("light", "report")


@pytest.mark.parametrize(
    ("scheme", "venue", "message"), [("sepia", None, "colour scheme 'sepia'"), (None, "vogue", "venue 'vogue'")]
)
def test_an_unknown_colour_scheme_or_venue_is_an_error_that_names_the_choices(scheme, venue, message):
    with pytest.raises(RenderError, match=message):
        load_tokens(scheme, venue)


def test_the_venues_are_the_rows_of_the_widths_table_with_the_shipped_one_first():
    assert venues()[0] == load_tokens()["width"]["venue"]
    assert {"acl", "ieee", "nature", "slide"} <= set(venues())


def test_a_font_of_the_users_own_comes_behind_the_shipped_ones(tmp_path):
    file = tmp_path / "Own.ttf"
    file.write_bytes(b"\x00\x01\x00\x00 and outlines")
    shipped, own = load_tokens()["font"], load_tokens(fonts=(file,))["font"]
    assert own["fallback"] == [*shipped["fallback"], str(file)]
    assert font_file(own["files"][-1]["file"]) == file
    assert load_tokens()["font"] == shipped


@pytest.mark.parametrize("content", [b"OTTO: PostScript outlines", b"ttcf: a collection", b"", b"GIF89a"])
def test_a_font_that_is_not_truetype_is_refused_by_its_content(tmp_path, content):
    (tmp_path / "own.ttf").write_bytes(content)
    with pytest.raises(RenderError, match=r"RG575 .*own\.ttf: is not a TrueType font"):
        load_tokens(fonts=(tmp_path / "own.ttf",))


def test_a_font_that_is_not_there_is_an_error_that_says_so(tmp_path):
    with pytest.raises(RenderError, match=r"RG575 .*none\.ttf: cannot be read: No such file"):
        load_tokens(fonts=(tmp_path / "none.ttf",))


def test_a_font_that_does_not_exist_is_an_error_that_names_it():
    with pytest.raises(RenderError, match=r"RG511 Papyrus\.ttf"):
        font_file("Papyrus.ttf")


def test_the_lists_of_css_do_not_depend_on_the_fonts_that_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    with_fonts = load_tokens()["font"]
    monkeypatch.setattr("reportgen.styles.find_spec", lambda name: None)
    without = load_tokens()["font"]
    assert without["css"] == with_fonts["css"]
    assert '"Kurinto Sans JP"' in without["css"]["text"]
    assert len(without["files"]) < len(with_fonts["files"])
