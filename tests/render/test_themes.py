"""Themes: which file wins, what theme.toml may say, and what a template can reach."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from reportgen.domain.presentation import Document, Paragraph, Section
from reportgen.errors import RenderError
from reportgen.render import report_html, report_latex, report_markdown
from reportgen.render.environment import html_environment, latex_environment, markdown_environment
from reportgen.render.themes import base_theme, load_theme
from reportgen.resources import shipped_themes
from reportgen.styles import font_file, load_tokens
from reportgen.templating import set_template
from tests.support.documents import write_paper

FIRST = 'api = 1\ntitle = "Mine"\n'


def theme_folder(folder: Path, toml: str = "", **files: str) -> Path:
    """A theme called ``mine``; files are named with ``__`` for a slash and without their suffix ``.j2``."""
    own = folder / "mine"
    own.mkdir()
    (own / "theme.toml").write_text(FIRST + toml, encoding="utf-8")
    for name, text in files.items():
        path = own / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return own


def document(text: str = "x") -> Document:
    return Document("Title", "Sub", (), None, "en", (), "", (Section("one", "One", (Paragraph(text),)),))


def markdown(folder: Path, text: str = "x") -> str:
    return report_markdown.render(document(text), theme=load_theme(folder))


def problems(folder: Path) -> str:
    with pytest.raises(RenderError) as caught:
        load_theme(folder)
    return str(caught.value)


def test_a_users_file_comes_before_the_shipped_one_and_all_others_stay(tmp_path: Path) -> None:
    own = theme_folder(tmp_path, markdown__blocks__paragraph_dot_md_dot_j2=">> {{ inline(block.text) }}\n")
    assert ">> x" in markdown(own)
    assert "# Title" in markdown(own)
    assert ">> x" not in report_markdown.render(document())


def test_the_shipped_template_is_reached_by_name_and_its_blocks_are_filled(tmp_path: Path) -> None:
    text = "<% extends 'base::latex/main.tex.j2' %>\n<% block look %>\n\\usepackage{mine}\n<% endblock %>\n"
    own = theme_folder(tmp_path, latex__main_dot_tex_dot_j2=text)
    write_paper(document(), tmp_path / "paper", theme=load_theme(own))
    main = (tmp_path / "paper" / "main.tex").read_text("utf-8")
    assert main.count(r"\usepackage{mine}") == 1
    assert main.index(r"\usepackage{mine}") < main.index(r"\begin{document}")


def test_a_theme_of_a_theme_has_the_files_and_tokens_of_both(tmp_path: Path) -> None:
    own = theme_folder(tmp_path, 'inherits = "journal"\n[tokens.size]\nbody = 8.75\n', css__report_dot_css="h1{top:0}")
    theme, journal = load_theme(own), load_theme("journal")
    assert [layer.name for layer in theme.layers] == ["mine", "journal", "base"]
    assert theme.tokens()["size"]["body"] == 8.75
    assert theme.tokens()["size"]["caption"] == journal.tokens()["size"]["caption"] == 8.5
    assert theme.sheets("report") == (*journal.sheets("report"), "h1{top:0}")
    found = theme.template("journal::latex/main.tex.j2")
    assert found is not None
    assert found[1] == "journal::latex/main.tex.j2"
    assert theme.template("large::latex/main.tex.j2") is None


def test_the_base_theme_is_the_shipped_tokens_as_they_are() -> None:
    assert base_theme().tokens("dark", "acl") == load_tokens("dark", "acl")


@pytest.mark.parametrize("name", shipped_themes())
def test_a_shipped_theme_says_what_it_is_and_has_its_four_papers(name: str) -> None:
    theme = load_theme(name)
    assert theme.title
    assert theme.layers[0].says.description.endswith(".")
    assert set(theme.papers) == {"article", "twocolumn", "ieeetran", "acmart"}
    for paper in theme.papers:
        assert theme.template(f"latex/papers/{paper}.tex.j2") is not None


def test_shipped_themes_differ_in_type_colour_and_font() -> None:
    looks = [load_theme(name).tokens() for name in shipped_themes()]
    assert len({tokens["size"]["body"] for tokens in looks}) == 3
    assert len({tokens["colour"]["light"]["accent"] for tokens in looks}) == 3
    assert {tokens["font"]["text"] for tokens in looks} == {"STIXGeneral", "DejaVu Sans"}


def _luminance(colour: str) -> float:
    # WCAG 2.2, relative luminance.
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("name", shipped_themes())
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_of_every_shipped_theme_reaches_4_5_to_1(name: str, scheme: str) -> None:
    colours = load_theme(name).tokens()["colour"][scheme]
    for ground in ("surface", "raised"):
        for role in ("ink", "muted", "accent", "warning"):
            low, high = sorted(_luminance(colours[key]) for key in (ground, role))
            assert (high + 0.05) / (low + 0.05) >= 4.5, (role, ground)


def test_pure_black_is_written_as_the_colour_next_to_it(tmp_path: Path) -> None:
    own = theme_folder(tmp_path, '[tokens.colour.light]\nink = "#000000"\n')
    assert load_theme(own).tokens()["colour"]["light"]["ink"] == "#000001"


def test_a_font_in_the_folder_is_taken_from_there_and_comes_first(tmp_path: Path) -> None:
    face = 'family = "Own"\nfile = "own.ttf"\nweight = 400\nstyle = "normal"\n'
    own = theme_folder(tmp_path, f'[tokens.font]\ntext = "Own"\n[[tokens.font.files]]\n{face}')
    assert "names 'own.ttf', which is not there" in problems(own)
    (own / "fonts").mkdir()
    shutil.copy(font_file("DejaVuSans.ttf"), own / "fonts" / "own.ttf")
    files = load_theme(own).tokens()["font"]["files"]
    assert files[0]["file"] == str(own / "fonts" / "own.ttf")
    assert files[1:] == load_tokens()["font"]["files"]
    (own / "fonts" / "own.ttf").write_bytes(b"OTTO")
    with pytest.raises(RenderError, match="RG575"):
        load_theme(own).tokens()


def test_options_have_their_defaults_and_take_what_their_type_allows(tmp_path: Path) -> None:
    toml = """
[options.accent]
type = "colour"
default = "#112233"
description = "Links."
sets = ["colour.light.accent", "colour.light.focus"]
[options.size]
type = "number"
default = 10
minimum = 8
maximum = 12
description = "Type."
sets = ["size.body"]
[options.mood]
type = "choice"
choices = ["calm", "wild"]
default = "calm"
description = "Mood."
[options.logo]
type = "boolean"
default = false
description = "Logo."
"""
    text = "{% if option.logo %}LOGO {% endif %}{{ option.mood }}\n"
    own = theme_folder(tmp_path, toml, markdown__report_dot_md_dot_j2=text)
    assert markdown(own) == "calm\n"
    assert load_theme(own).tokens()["colour"]["light"]["focus"] == "#112233"
    chosen = load_theme(own, {"logo": "true", "mood": "wild", "size": "9.5", "accent": "#445566"})
    assert report_markdown.render(document(), theme=chosen) == "LOGO wild\n"
    assert chosen.tokens()["size"]["body"] == 9.5
    assert chosen.tokens()["colour"]["light"]["accent"] == "#445566"
    for name, value, says in (
        ("size", 13, "RG595 theme mine: the option size cannot be 13"),
        ("size", "much", "Give a number from 8 to 12."),
        ("size", True, "cannot be True"),
        ("mood", "odd", "Give one of calm, wild."),
        ("logo", "yes", "Give true or false."),
        ("accent", "red", "Give a colour"),
        ("acent", "#111111", "Did you mean 'accent'?"),
    ):
        with pytest.raises(RenderError) as caught:
            load_theme(own, {name: value})
        assert says in str(caught.value)


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ("colour = 1", "colour is not a key of a theme"),
        ("api = 2", "Cannot overwrite a value"),
        ("[tokens.sizes]\nbody = 1", "tokens.sizes is not a key of a theme"),
        ("[tokens.size]\nbdy = 9", "tokens.size.bdy is not a token"),
        ("[tokens.size]\nbody = 'big'", "tokens.size.body is 'big', not a number over 0"),
        ("[tokens.size]\nbody = -1", "tokens.size.body is -1, not a number over 0"),
        ("[tokens.size]\nheading = [1, 'x']", "tokens.size.heading is [1, 'x'], not a number over 0"),
        ("[tokens.colour.light]\nink = 'black'", "not a colour such as #0f5a94"),
        ("[tokens.colour.light]\nsystems = []", "not a list like the shipped one"),
        ("[tokens.colour]\nlight = 1", "not a table"),
        ("[tokens.font.css]\ntext = 'a;} body{color:red'", "not a text without < > { } ; \\ %"),
        ("[tokens.font.latex]\npackage = 'x}\\\\input{y'", "tokens.font.latex.package"),
        ("[tokens.font.latex]\npackage = 'two words'", "Give the name of a LaTeX package."),
        ("[tokens.font.latex]\nsize = '14pt'", "LaTeX's article class has 10pt, 11pt and 12pt."),
        ("[tokens.font.latex]\nfamily = 'mono'", 'Give "serif" or "sans".'),
        ("[tokens.width.venues.mine]\nsingle = 80.0", "tokens.width.venues.mine is not whole"),
        ("[tokens.font]\nfiles = [1]", "tokens.font.files holds 1"),
        ("[[tokens.font.files]]\nfamily='a'\nfile='b'\nweight='bold'\nstyle='normal'", "See styles/tokens.toml"),
        ("tokens = 1", "tokens is 1"),
        ("options = 1", "options is not a table of tables"),
        ("inherits = 'nobody'", "inherits 'nobody', which is not a shipped theme"),
        ("inherits = 1", "inherits is 1"),
        ("[options.x]\ntype='texts'\ndefault=''\ndescription='d'", "options.x.type is 'texts'"),
        ("[options.x]\ntype='number'\ndefault='a'\ndescription='d'", "options.x.default is 'a'"),
        ("[options.x]\ntype='number'\ndefault=1\nminimum='a'\ndescription='d'", "options.x.minimum is 'a'"),
        ("[options.x]\ntype='choice'\nchoices='a'\ndefault='a'\ndescription='d'", "options.x.choices is 'a'"),
        ("[options.x]\ntype='number'\ndefault=1\ndescription='d'\nsets=['size.no']", "'size.no', which is not a token"),
        ("[options.x]\ntype='text'\ndefault='a'\ndescription='d'\nsets=['size.body']", "which is a number over 0"),
        ("[papers.x]\ntitle='X'\ncolumns=3\nvenue='acl'", "papers.x.columns is 3"),
        ("[papers.x]\ncolums=1\nvenue='acl'", "papers.x.colums is not a key of a theme"),
        ("[papers.x]\ncolums=1\nvenue='acl'", "Did you mean 'columns'?"),
        ("[papers.x]\ncolumns=1\nvenue='acl'", "papers.x.title is missing"),
        ("[papers.x]\ntitle='X'\ncolumns=1\nvenue='acl'\nsize=14", "Give one of 10, 11, 12."),
        ("[papers.x]\ntitle='X'\ncolumns=1\nvenue='acl'\nline=-1", "papers.x.line is -1"),
        ("[papers.x]\ntitle='X'\ncolumns=1\nvenue='natrue'", "Did you mean 'nature'?"),
        ("[papers.'X y']\ntitle='X'\ncolumns=1\nvenue='acl'", "papers.X y is not the name of a file"),
    ],
)
def test_what_a_theme_may_not_say_is_named_with_its_key(toml: str, says: str, tmp_path: Path) -> None:
    own = theme_folder(tmp_path, toml)
    assert problems(own).startswith("RG594 ")
    assert says in problems(own)


def test_a_theme_for_another_release_is_refused(tmp_path: Path) -> None:
    own = theme_folder(tmp_path)
    (own / "theme.toml").write_text('api = 2\ntitle = "Mine"\n')
    assert "api is 2" in problems(own)


def test_a_paper_of_ones_own_is_set_in_its_own_class(tmp_path: Path) -> None:
    text = "<% extends 'latex/main.tex.j2' %><% block class %>\\documentclass{article}% mine<% endblock %>"
    own = theme_folder(
        tmp_path,
        "[papers.mine]\ntitle = 'Mine'\ncolumns = 1\nvenue = 'neurips'\n",
        latex__papers__mine_dot_tex_dot_j2=text,
    )
    write_paper(document(), tmp_path / "paper", theme=load_theme(own), template="mine")
    assert r"\documentclass{article}% mine" in (tmp_path / "paper" / "main.tex").read_text("utf-8")
    with pytest.raises(RenderError, match=r"RG598 theme mine: there is no paper template 'min'"):
        write_paper(document(), tmp_path / "paper", theme=load_theme(own), template="min")


@pytest.mark.parametrize("venue", ["neurips", "plos", "report"])
def test_two_columns_share_the_line_of_a_venue_whose_figures_are_wider_than_half_of_it(venue: str) -> None:
    # 139.7, 132 and 85 mm of a line of 139.7, 190.5 and 160: two of them, side by side, would overlap.
    area = base_theme().text_area("twocolumn", venue)
    assert area.gap == pytest.approx(10)
    assert area.line == pytest.approx({"neurips": 139.7, "plos": 190.5, "report": 160}[venue] * 72.27 / 25.4)
    main = report_latex.sources(document(), base_theme(), "twocolumn", venue)["main.tex"]
    assert r"\setlength{\columnsep}{10.00pt}" in main
    # Where a venue has two columns, the space between them is what is left: 160 - 2 · 77 mm.
    assert base_theme().text_area("twocolumn", "acl").gap == pytest.approx(6 * 72.27 / 25.4)


@pytest.mark.parametrize(
    ("theme", "says"),
    [
        ("nowhere", "RG593 nowhere: is neither a shipped theme nor a folder"),
        (Path("nowhere"), "RG593 nowhere: is neither a shipped theme nor a folder"),
    ],
)
def test_a_theme_that_does_not_exist_is_named(theme: str | Path, says: str) -> None:
    with pytest.raises(RenderError) as caught:
        load_theme(theme)
    assert says in str(caught.value)


def test_a_folder_without_theme_toml_is_no_theme(tmp_path: Path) -> None:
    assert "has no theme.toml" in problems(tmp_path)


@pytest.mark.parametrize("name", ["journal", "Mine", "a b", "base"])
def test_a_folder_whose_name_cannot_be_told_apart_is_refused(name: str, tmp_path: Path) -> None:
    own = theme_folder(tmp_path).rename(tmp_path / name)
    assert "Give the folder another name" in problems(own)


def test_files_that_are_no_part_of_a_theme_are_refused_and_hidden_ones_ignored(tmp_path: Path) -> None:
    own = theme_folder(tmp_path, html__page_dot_html="<p>", _dot_git__config="x", README_dot_md="About.")
    assert "html/page.html is not a file of a theme" in problems(own)
    (own / "html" / "page.html").unlink()
    assert load_theme(own).name == "mine"


def test_a_link_cannot_lead_out_of_a_theme(tmp_path: Path) -> None:
    own = theme_folder(tmp_path)
    (own / "markdown").mkdir()
    (own / "markdown" / "report.md.j2").symlink_to("/etc/hostname")
    assert "markdown/report.md.j2 is a link" in problems(own)


@pytest.mark.parametrize(
    "css",
    ["</style><script>", "@import 'x.css';", "p{background:url(http://x.org/a.png)}", "p{background:url( 'a.png')}"],
)
def test_a_style_sheet_that_refers_outside_is_refused_with_its_line(css: str, tmp_path: Path) -> None:
    own = theme_folder(tmp_path, css__screen_dot_css=f"p {{}}\n{css}")
    assert problems(own).startswith("RG597 mine/css/screen.css, line 2: the style sheet holds")


def test_a_style_sheet_may_hold_pictures_as_data(tmp_path: Path) -> None:
    sheet = "p{background:url('data:image/png;base64,AAAA')}"
    assert load_theme(theme_folder(tmp_path, css__screen_dot_css=sheet)).sheets("screen") == (sheet,)


@pytest.mark.parametrize(
    ("template", "says"),
    [
        ("{% if %}", "RG596 mine::markdown/report.md.j2, line 1: Expected an expression"),
        ("\n{{ nothing }}", "RG596 mine::markdown/report.md.j2, line 2: 'nothing' is undefined"),
        ("{{ document.nothing }}", "has no attribute 'nothing'"),
        ("{% include 'markdown/none.j2' %}", "there is no template 'markdown/none.j2'"),
        ("{% include '../secret' %}", "there is no template '../secret'"),
        ("{% extends 'markdown/report.md.j2' %}", "'base::' before the path names the shipped template"),
        ("{{ option.nothing }}", "has no attribute 'nothing'"),
        ("{{ table('none') }}", "RG596 mine::markdown/report.md.j2, line 1: 'none'"),
        ("{{ ().__class__.__bases__ }}", "access to attribute '__class__' of 'tuple' object is unsafe"),
        ("{{ inline.__globals__ }}", "access to attribute '__globals__' of 'method' object is unsafe"),
        ("{{ option.update({'a': 1}) }}", "access to attribute 'update' of 'dict' object is unsafe"),
        ("{{ range(1000000000) | list }}", "Range too big"),
        ("{{ 1 / 0 }}", "division by zero"),
    ],
)
def test_a_template_that_fails_is_named_with_its_line(template: str, says: str, tmp_path: Path) -> None:
    own = theme_folder(tmp_path, markdown__report_dot_md_dot_j2=template)
    with pytest.raises(RenderError) as caught:
        markdown(own)
    assert "RG596" in str(caught.value)
    assert says in str(caught.value)


def test_an_error_of_the_product_below_a_shipped_template_is_not_called_the_templates() -> None:
    def broken() -> str:
        raise ValueError("ours")

    with pytest.raises(ValueError, match="ours"):
        set_template(html_environment(), "html/masthead.html.j2", {"document": Raising(broken)})


class Raising:
    """A document whose title cannot be had."""

    logo = ""

    def __init__(self, title: object) -> None:
        self._title = title

    @property
    def title(self) -> str:
        return self._title()  # type: ignore[operator,no-any-return] # a function without arguments


def test_text_is_escaped_whatever_a_users_template_is_called(tmp_path: Path) -> None:
    own = theme_folder(
        tmp_path,
        html__masthead_dot_html_dot_j2="{% include 'html/anything.txt.j2' %}",
        html__anything_dot_txt_dot_j2="<h1>{{ document.title }}</h1>",
    )
    shown = Document("<script>alert(1)</script>", "", (), None, "en", (), "", ())
    page = report_html.render(shown, theme=load_theme(own))
    assert "<h1>&lt;script&gt;alert(1)&lt;/script&gt;</h1>" in page
    assert "<script>alert" not in page


def test_each_theme_has_environments_of_its_own() -> None:
    journal = load_theme("journal")
    for make in (html_environment, latex_environment, markdown_environment):
        assert make(journal) is make(journal)
        assert make(journal) is not make()
