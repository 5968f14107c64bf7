"""What the report's formats share: numbering, environments, fonts, formulas, style sheets."""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path

import jinja2
import pytest
from fontTools.ttLib import TTFont
from markupsafe import Markup

from reportgen.domain.presentation import (
    Callout,
    Cell,
    Column,
    Document,
    Facts,
    Items,
    Math,
    Paragraph,
    Row,
    RowGroup,
    Section,
    ShowFigure,
    ShowTable,
    Table,
)  # fmt: skip
from reportgen.errors import RenderError
from reportgen.metrics.registry import instances
from reportgen.render import fonts, mathematics, stylesheet
from reportgen.render.blocks import kind_of, lay_out
from reportgen.render.environment import Latex, Markdown, html_environment, latex_environment, markdown_environment
from reportgen.render.markup import shortened
from reportgen.render.table_text import LINE, is_stacked, natural_width
from reportgen.render.themes import load_theme
from reportgen.resources import shipped_themes, styles_dir, templates_dir, themes_dir
from reportgen.styles import load_tokens, remedy


def test_sections_tables_and_figures_are_numbered_in_reading_order() -> None:
    document = Document(
        "T", "", (), None, "en", (), "",
        (
            Section("a", "A", (ShowTable("x"),), (Section("a1", "A1", (ShowFigure("x"), ShowTable("y"))),)),
            Section("b", "B", (ShowFigure("z"),)),
        ),
    )  # fmt: skip
    layout = lay_out(document)
    assert dict(layout.labels) == {
        "sec:a": "Section 1", "sec:a1": "Section 1.1", "sec:b": "Section 2",
        "tab:x": "Table 1", "fig:x": "Figure 1", "tab:y": "Table 2", "fig:z": "Figure 2",
    }  # fmt: skip
    walked = [one for section in layout.sections for one in section.walk()]
    assert [(section.number, section.depth) for section in walked] == [
        ("1", 1),
        ("1.1", 2),
        ("2", 1),
    ]


@pytest.mark.parametrize("folder", ["html", "latex", "markdown"])
def test_every_kind_of_block_has_one_partial_in_every_format(folder: str) -> None:
    blocks = (Paragraph("x"), Items(()), Facts(()), Callout("note", "x"), ShowTable("x"), ShowFigure("x"))
    found = {path.name.partition(".")[0] for path in (templates_dir() / folder / "blocks").iterdir()}
    assert found == {kind_of(block) for block in blocks}


def test_templates_hold_no_metric_names_and_no_arithmetic() -> None:
    from reportgen.contracts import load_contract, vocabulary

    # A convention may be called as the metric that it is about.
    names = {instance.id.name for instance in instances(load_contract())} - vocabulary().keys()
    for path in templates_dir().rglob("*.j2"):
        text = path.read_text(encoding="utf-8")
        code = " ".join(re.findall(r"\{[{%].*?[%}]\}|<[<%].*?[%>]>", text, re.DOTALL))
        words = set(re.findall(r"[a-z_0-9]+", code))
        assert not words & names, path
        # A plus joins lists of words.
        assert not re.search(r"\s[-*/]\s|\d \+|\+ \d|\|\s*(round|sum|int|float)\b", re.sub(r'"[^"]*"', "", code)), path


def _table(text: str, detail: str = "", columns: int = 3) -> Table:
    keys = [f"c{n}" for n in range(columns)]
    row = Row(tuple(Cell(text, detail) for _ in keys))
    return Table("t", "T", "C.", tuple(Column(key, "H", "number") for key in keys), (RowGroup("", (row,) * 5),))


def test_a_table_has_intervals_beside_its_values_as_long_as_the_line_has_room() -> None:
    # Beside: 5 + 1 + 9 characters and 2 between, each; below: the longer of 5 and 9, and 2.
    assert (17 * 6, LINE, 17 * 7) == (102, 112, 119)
    assert natural_width(_table("0.900", "[1.2, 3.4]"[:9], columns=6)) == 6 * (5 + 1 + 9 + 2)
    assert natural_width(_table("0.900", "[1.2, 3.4]"[:9], columns=7)) == 7 * (9 + 2)
    # Two columns gain little, however long their values are.
    assert not is_stacked(_table("0" * 60, "[1.2, 3.4]"[:9], columns=2))


def test_a_table_is_shortened_across_its_groups_and_says_so() -> None:
    table = _table("1")
    two = Table("t", "T", "C.", table.columns, (*table.groups, *table.groups, *table.groups))
    cut = shortened(two, 7, "t.csv")
    assert [len(group.rows) for group in cut.groups] == [5, 2]
    assert [note.text for note in cut.notes] == ["The first 7 of 15 rows; all are in t.csv."]
    assert shortened(two, 15, "t.csv") is two


def test_html_escapes_whatever_the_template_is_called() -> None:
    template = html_environment().from_string("{{ value }}{{ ready }}")
    assert template.render(value="<b>&\x00", ready=Markup("<i>")) == "&lt;b&gt;&amp;\ufffd<i>"


def test_latex_and_markdown_escape_everything_that_is_not_typed() -> None:
    assert latex_environment().from_string("<< value >> << ready >>{{x}}").render(
        value="50%", ready=Latex("50\\%")
    ) == "50\\% 50\\%{{x}}"  # fmt: skip
    assert markdown_environment().from_string("{{ value }} {{ ready }}").render(
        value="a_b", ready=Markdown("a_b")
    ) == "a\\_b a_b"  # fmt: skip


@pytest.mark.parametrize("make", [html_environment, latex_environment, markdown_environment])
def test_an_undefined_name_is_an_error(make: object) -> None:
    environment = make()  # type: ignore[operator] # all three take no arguments
    source = f"{environment.variable_start_string} nothing {environment.variable_end_string}"
    with pytest.raises(jinja2.UndefinedError):
        environment.from_string(source).render()


def test_embedded_fonts_hold_the_characters_of_the_text_and_few_others() -> None:
    tokens = load_tokens()
    faces = fonts.faces_embedded(tokens, "naïve ï ≥ ✓")
    families: dict[str, set[int]] = {}
    for family, data in re.findall(r'font-family:"([^"]+)".*?base64,([^"]+)"', faces):
        with TTFont(io.BytesIO(base64.b64decode(data))) as font:
            families.setdefault(family, set()).update(font.getBestCmap())
    text = families[tokens["font"]["text"]]
    assert set(map(ord, "naïve ≥")) <= text
    assert len(text) < 120
    # Fallbacks hold what some face of the text font lacks (its italic has no ≥), and nothing that every face has;
    # ≤ comes along as the mirror image of ≥, and a space, which may stand between letters of theirs.
    fallbacks = set().union(*(families.get(name, set()) for name in tokens["font"]["fallback"]))
    assert set(map(ord, "≥✓")) <= fallbacks <= set(map(ord, "≥≤✓ "))
    assert fonts.faces_embedded(tokens, "naïve ï ≥ ✓") == faces
    assert len(faces) < 700_000


def test_faces_from_files_point_to_files_that_exist() -> None:
    tokens = load_tokens()
    faces = fonts.faces_from_files(tokens, "naïve")
    assert [Path(url) for url in re.findall(r'url\("file://([^"]+)"\)', faces)] == list(fonts.shipped(tokens))
    assert "base64" not in faces


def test_large_fonts_come_cut_to_the_letters_that_only_they_have() -> None:
    faces = fonts.faces_from_files(load_tokens(), "证据 x")
    cut = dict(re.findall(r'font-family:"([^"]+)";font-weight:400.*?base64,([^"]+)"', faces))
    assert list(cut) == ["Kurinto Sans SC"]
    with TTFont(io.BytesIO(base64.b64decode(cut["Kurinto Sans SC"]))) as font:
        # The space of a line of Chinese is taken from its font.
        assert set(font.getBestCmap()) == set(map(ord, "证据 "))


def test_letters_without_a_font_are_named_with_the_package_that_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fonts.uncovered(load_tokens(), "a证\U000f1234\u2068") == "\U000f1234"
    alone = fonts.without_more(load_tokens())
    assert fonts.uncovered(alone, "a证") == "证"
    assert "reportgen[fonts]" not in remedy(alone)  # it is installed
    monkeypatch.setattr("reportgen.styles.find_spec", lambda name: None)
    assert "reportgen[fonts]" in remedy(alone)
    monkeypatch.undo()
    assert fonts.needs_more(load_tokens(), "证")
    assert not fonts.needs_more(load_tokens(), "Модель א")


def test_arabic_letters_keep_what_joins_them() -> None:
    faces = fonts.faces_embedded(load_tokens(), "مصنف")
    (data,) = re.findall(r'"DejaVu Sans";font-weight:400.*?base64,([^"]+)"', faces)
    with TTFont(io.BytesIO(base64.b64decode(data))) as font:
        kept = {record.FeatureTag for record in font["GSUB"].table.FeatureList.FeatureRecord}
    assert {"init", "medi", "fina"} <= kept


def test_the_outline_of_a_formula_fills_its_size_and_stays_within_it() -> None:
    drawn = mathematics.outline(r"\frac{a}{b}", display=True)
    points = [tuple(map(float, pair.split())) for pair in re.findall(r"-?[\d.]+ -?[\d.]+", drawn.path)]
    for along, size in zip(zip(*points, strict=True), (drawn.width, drawn.height), strict=True):
        assert min(along) >= 0
        assert 0.8 * size <= max(along) <= size


@pytest.mark.slow
def test_every_formula_of_the_registry_can_be_drawn() -> None:
    from reportgen.contracts import load_contract

    for instance in instances(load_contract()):
        formula = instance.text(instance.metric.formula)
        for display in (False, True):
            drawn = mathematics.outline(formula, display)
            assert drawn.width > drawn.depth >= 0
            assert drawn.path.startswith("M")


def test_a_formula_that_cannot_be_read_is_named() -> None:
    with pytest.raises(RenderError, match=r"RG540 \\nosuchcommand"):
        mathematics.svg(Math(r"\nosuchcommand{x}"))


def test_a_formula_within_a_line_ends_at_the_baseline() -> None:
    formula = Math("g_y<b")
    inline, display = mathematics.svg(formula), mathematics.svg(formula, display=True)
    heights = [float(re.search(r'height="([\d.]+)em"', svg)[1]) for svg in (inline, display)]  # type: ignore[index] # each has one
    depth = mathematics.outline("g_y<b").depth / 100
    assert heights[1] - heights[0] == pytest.approx(depth, abs=0.002)
    assert 'aria-label="g_y &lt; b"' in inline
    assert f"vertical-align:-{depth:.3f}em" in mathematics.image(formula, colour="#000")


@pytest.mark.parametrize(
    "css",
    [
        css
        for theme in map(load_theme, shipped_themes())
        for css in (
            stylesheet.screen(theme, theme.tokens(), {"light": "", "dark": ""}),
            stylesheet.paged(theme, theme.tokens()),
        )
    ],
)
def test_style_sheets_use_only_variables_that_the_tokens_define(css: str) -> None:
    used = set(re.findall(r"var\((--[a-z0-9-]+)[,)]", css))
    defined = set(re.findall(r"(--[a-z0-9-]+):", css))
    assert used <= defined
    assert "</" not in css


@pytest.mark.parametrize("path", [*(styles_dir() / "css").glob("[prs]*.css"), *themes_dir().glob("*/css/*.css")])
def test_colours_and_fonts_stand_in_the_tokens_alone(path: Path) -> None:
    css = path.read_text(encoding="utf-8")
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b(?!.*\{)|rgb\(|hsl\(", re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL))


@pytest.mark.parametrize("name", shipped_themes())
def test_paper_is_set_without_flex_and_grid(name: str) -> None:
    theme = load_theme(name)
    assert not re.search(r"\b(flex|grid)\b\s*[;:]", stylesheet.paged(theme, theme.tokens()).replace("--grid:", ""))
