"""One registry of formats, which build, command line, manifest, list of artefacts and verification share."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import msgspec
import pytest

from reportgen.domain.record import Results
from reportgen.errors import OutputError, RenderError
from reportgen.formats import chosen, formats, kind_of, maker_of, render_tables, table_forms, text_area
from reportgen.tables import build_tables
from tests.support.results import make_results
from tests.support.tables import small
from tests.support.toy import Run

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, with_toy: Run) -> Path:
    target = tmp_path_factory.mktemp("toy") / "v1"
    # In two processes, each of which must find the format.
    how = ("--resamples", "20", "--crosscheck", "none", "--formats", "toy,md", "--jobs", "2")
    done = with_toy("build", ROOT / "sample_runs" / "tiny", "-o", target, *how)
    assert done.returncode == 0, done.stderr
    return target


@pytest.mark.slow
def test_a_format_from_outside_is_built_with_its_report_and_tables(built: Path) -> None:
    assert "\nMain results: " in (built / "report.toy").read_text()
    assert (built / "tables" / "main-results.toy").is_file()
    assert (built / "tables" / "main-results.md").is_file()
    assert not (built / "figures").exists()


def test_a_format_from_outside_is_in_the_manifest_the_artefacts_and_the_crate(built: Path) -> None:
    manifest = (built / "MANIFEST.md").read_text()
    assert "- `report.toy`: the report for toys\n" in manifest
    assert "--formats md,toy" in manifest
    index = json.loads((built / "artifacts.json").read_text())
    assert index["formats"] == ["md", "toy"]
    shown = {entry["path"]: entry["results"] for entry in index["artifacts"]}
    assert shown["tables/main-results.toy"] == shown["tables/main-results.md"]
    assert set(shown["tables/main-results.toy"]) <= set(shown["report.toy"])
    crate = {one["@id"]: one for one in json.loads((built / "ro-crate-metadata.json").read_text())["@graph"]}
    assert crate["report.toy"]["encodingFormat"] == "text/x-toy"


def test_the_command_line_names_a_format_from_outside(with_toy: Run) -> None:
    for verb, last in (("build", "png, pgf, figure-data, toy, or all"), ("tables", "xlsx-tables, toy, or all")):
        assert last in " ".join(with_toy(verb, "--help").stdout.split())
    refused = with_toy("build", "m.json", "-o", "v1", "--formats", "rtf").stderr
    assert "png, pgf, figure-data, toy, default, all." in " ".join(refused.split())


@pytest.mark.slow
def test_verify_makes_a_format_from_outside_anew_and_reads_it(built: Path, with_toy: Run) -> None:
    assert with_toy("verify", built).returncode == 0
    table = built / "tables" / "main-results.toy"
    before = table.read_text()
    number = next(word for word in before.replace(",", " ").split() if word.startswith("0."))
    table.write_text(before.replace(number, "0.99999", 1))
    found = json.loads(with_toy("verify", built, "--json").stdout)["faults"]
    table.write_text(before)
    by_code = {fault["code"]: fault for fault in found}
    assert set(by_code) == {"RG621", "RG625"}
    assert (by_code["RG625"]["where"], by_code["RG625"]["place"]) == ("tables/main-results.toy", "line 1")
    assert (by_code["RG625"]["shown"], by_code["RG625"]["expected"]) == ("0.99999", number)


def test_the_formats_have_names_suffixes_and_kinds_of_their_own() -> None:
    default = ["html", "pdf", "latex", "csv", "xlsx", "docx-tables"]
    assert {*formats()} == {
        *default,
        "docx",
        "csv-display",
        "md",
        "html-tables",
        "xlsx-tables",
        "png",
        "pgf",
        "figure-data",
    }
    assert [one.name for one in chosen(None)] == default
    suffixes = [form.suffix for form in table_forms().values() if form.render]
    assert len(set(suffixes)) == len(suffixes)
    for one in formats().values():
        assert bool(one.report) == bool(one.documents) == bool(one.title)
        # Each file that it makes is of a known kind.
        made = [path for path in (one.report, one.quantities) if path]
        made += [form.suffix for form in one.tables] + [f".{suffix}" for suffix in one.figures]
        assert all(kind_of(path).suffix for path in made), one.name


def test_the_longest_suffix_tells_the_kind_and_the_path_the_format() -> None:
    assert kind_of("tables/main-results.display.csv").printed
    assert not kind_of("tables/main-results.csv").printed
    assert kind_of("references.bib").media_type == "text/plain"
    made_by = [maker_of(path) for path in ("report.pdf", "paper/x.tex", "tables/x.md", "x.json", "tables.xlsx")]
    assert [one and one.name for one in made_by] == ["pdf", "latex", "md", None, "xlsx"]


def test_formats_are_chosen_in_the_order_of_lists_and_others_refused() -> None:
    assert [one.name for one in chosen(["png", "html", "png"])] == ["html", "png"]
    with pytest.raises(OutputError, match=r"RG604 unknown format rtf"):
        chosen(["html", "rtf"])


def in_class(document_class: str) -> Results:
    """Results whose run names a document class."""
    results = make_results()
    report = msgspec.structs.replace(results.run.presentation.report, document_class=document_class)
    presentation = msgspec.structs.replace(results.run.presentation, report=report)
    return msgspec.structs.replace(results, run=msgspec.structs.replace(results.run, presentation=presentation))


@pytest.mark.parametrize(
    ("document_class", "width"),
    # IEEEtran.cls sets columns of 252 and lines of 516 points; acmart.cls (sigconf) columns of 241.1 points.
    [("ieeetran", "252pt"), ("acmart", "241pt")],
)
def test_a_latex_table_is_set_for_the_class_that_the_run_names(document_class: str, width: str) -> None:
    results = in_class(document_class)
    files = render_tables([small()], ["latex"], area=partial(text_area, results))
    assert f"% width: {width}\n" in files["small.tex"].decode()
    wide = render_tables(build_tables(results, ["main-results"]), ["latex"], area=partial(text_area, results))
    assert b"\\begin{longtable}" not in wide["main-results.tex"]  # which stops in two columns


def test_a_form_for_two_columns_names_its_class_whatever_the_run_names() -> None:
    forms = ["latex-two-column", "md"]
    assert render_tables([small()], forms, area=partial(text_area, in_class("ieeetran"))) == render_tables(
        [small()], forms
    )


def test_the_text_area_of_a_class_that_the_theme_lacks_is_refused_where_a_form_needs_it() -> None:
    area = partial(text_area, in_class("acm"))
    assert set(render_tables([small()], ["csv"], area=area)) == {"small.csv"}
    with pytest.raises(RenderError, match="RG598"):
        render_tables([small()], ["latex"], area=area)
