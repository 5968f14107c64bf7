"""Which theme and class some results are set with, and that a bundle carries what it needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.bundle import ThemeRequest, choose_theme, outputs, resolve_theme, with_report, write_bundle
from reportgen.bundle.manifest import regenerate
from reportgen.domain.record import Results
from reportgen.domain.record_facts import ReportRecord
from reportgen.errors import RenderError
from reportgen.formats import Presentation, chosen


def own_theme(folder: Path, name: str = "mine") -> Path:
    own = folder / name
    (own / "markdown").mkdir(parents=True)
    (own / "theme.toml").write_text('api = 1\ntitle = "Mine"\ninherits = "journal"\n')
    (own / "markdown" / "report.md.j2").write_text("{{ document.title }}\n")
    return own


def test_a_run_that_says_nothing_is_set_with_the_base_theme_as_an_article() -> None:
    report, theme = resolve_theme(ReportRecord(), None, ThemeRequest())
    assert report == ReportRecord(theme="base", options={}, document_class="article")
    assert theme.name == "base"


def test_what_the_run_says_is_taken_and_what_is_asked_for_now_comes_first() -> None:
    declared = ReportRecord(theme="journal", options={"accent": "#112233"}, document_class="acmart")
    assert resolve_theme(declared, None, ThemeRequest())[0] == declared
    asked = ThemeRequest(options={"accent_dark": "#445566"}, document_class="ieeetran")
    assert resolve_theme(declared, None, asked)[0] == ReportRecord(
        theme="journal", options={"accent": "#112233", "accent_dark": "#445566"}, document_class="ieeetran"
    )


def test_options_that_the_run_declares_belong_to_its_own_theme() -> None:
    declared = ReportRecord(theme="journal", options={"accent": "#112233"})
    assert resolve_theme(declared, None, ThemeRequest(theme="large"))[0] == ReportRecord(theme="large")
    assert resolve_theme(declared, None, ThemeRequest(theme="journal"))[0] == declared


def test_an_option_at_its_default_is_not_recorded() -> None:
    assert resolve_theme(ReportRecord(), None, ThemeRequest("journal", {"accent": "#8c1d2f"}))[0].options == {}


def test_a_theme_in_the_folder_themes_beside_the_run_is_found_by_its_name(tmp_path: Path) -> None:
    own_theme(tmp_path / "themes")
    report, theme = resolve_theme(ReportRecord(theme="mine"), tmp_path, ThemeRequest())
    assert (report.theme, theme.title) == ("mine", "Mine")
    assert resolve_theme(ReportRecord(), tmp_path, ThemeRequest(theme="mine"))[1].title == "Mine"


@pytest.mark.parametrize("name", ["mine", "../mine", "themes/mine", "/etc", ""])
def test_what_a_run_or_bundle_names_is_no_path(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_theme(tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RenderError, match=r"RG593 theme .*: there is no folder themes/"):
        resolve_theme(ReportRecord(theme=name), tmp_path, ThemeRequest())


def test_what_is_asked_for_now_may_be_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = own_theme(tmp_path)
    assert resolve_theme(ReportRecord(), None, ThemeRequest(theme=own))[0].theme == "mine"
    monkeypatch.chdir(tmp_path)
    assert resolve_theme(ReportRecord(), None, ThemeRequest(theme="mine"))[1].title == "Mine"


def test_a_document_class_that_the_theme_lacks_is_refused() -> None:
    with pytest.raises(RenderError, match=r"RG598 theme base: there is no paper template 'acm'"):
        resolve_theme(ReportRecord(document_class="acm"), None, ThemeRequest())


@pytest.mark.usefixtures("small_outputs")
def test_a_bundle_carries_the_users_theme_and_is_set_with_it_again(tmp_path: Path, synthetic: Results) -> None:
    results, theme = choose_theme(
        synthetic, None, ThemeRequest(own_theme(tmp_path), {"accent": "#112233"}, "twocolumn")
    )
    written = write_bundle(results, tmp_path / "v1", theme=theme)
    assert {"themes/mine/theme.toml", "themes/mine/markdown/report.md.j2"} <= set(written.files)
    manifest = (tmp_path / "v1" / "MANIFEST.md").read_text("utf-8")
    assert "- `themes/`: the theme that the reports are set with (2 files)" in manifest
    said = "--theme BUNDLE/themes/mine --theme-option 'accent=#112233' --document-class twocolumn"
    assert said in manifest
    again = outputs.staged.__wrapped__(tmp_path / "v1")
    assert again.theme is not None
    assert again.theme.name == "mine"
    assert again.theme.tokens()["colour"]["light"]["accent"] == "#112233"
    assert again.results.run.presentation.report == results.run.presentation.report


@pytest.mark.usefixtures("small_outputs")
def test_a_shipped_theme_is_named_and_not_copied(tmp_path: Path, synthetic: Results) -> None:
    results, theme = choose_theme(synthetic, None, ThemeRequest("large"))
    written = write_bundle(results, tmp_path / "v1", theme=theme)
    assert not any(name.startswith("themes/") for name in written.files)
    assert "--theme large" in regenerate(results, chosen(None))


def test_true_and_false_are_written_as_the_command_line_reads_them(synthetic: Results) -> None:
    results = with_report(synthetic, ReportRecord(theme="mine", options={"logo": True, "size": 9.5}))
    assert regenerate(results, chosen(None)).endswith("--theme mine --theme-option logo=true --theme-option size=9.5")


@pytest.mark.parametrize(("document_class", "single"), [("article", 85.0), ("acmart", 84.7), ("ieeetran", 88.9)])
def test_figures_have_the_width_of_the_papers_class_unless_the_run_names_a_venue(
    document_class: str, single: float, synthetic: Results
) -> None:
    results, theme = choose_theme(synthetic, None, ThemeRequest(document_class=document_class))
    tokens = Presentation(results, (), (), None, theme).tokens()  # type: ignore[arg-type] # no document
    assert tokens["width"]["venues"][tokens["width"]["venue"]]["single"] == single
