"""Each verb from a metrics_master.json, with the real tables, figures and renderers."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import docx
import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from reportgen import cli
from reportgen.domain.record import Results
from reportgen.figures import figure_names
from reportgen.results import encode, read_results, schema
from reportgen.tables import table_names
from tests.support.results import showing

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def master(tmp_path: Path, synthetic: Results) -> Path:
    path = tmp_path / "in" / "metrics_master.json"
    path.parent.mkdir()
    path.write_bytes(encode(showing(synthetic, figures=("roc", "per-fold"))))
    return path


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli.main, [str(argument) for argument in arguments], catch_exceptions=False)


def test_evaluate_writes_the_bytes_of_the_results(tmp_path: Path, master: Path) -> None:
    done = run("evaluate", master, "-o", tmp_path / "out.json")
    assert done.exit_code == 0
    assert (tmp_path / "out.json").read_bytes() == master.read_bytes()
    assert f"results to {tmp_path / 'out.json'}" in done.stdout


def test_evaluate_does_not_write_over_its_input(master: Path) -> None:
    before = master.read_bytes()
    done = run("evaluate", master, "-o", master)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"RG606 {master}: is the input itself\n")
    assert master.read_bytes() == before


def test_tables_writes_each_table_in_the_asked_formats_only(tmp_path: Path, master: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.tex").write_text("mine")
    assert run("tables", master, "-o", tmp_path / "out", "--formats", "latex,csv").exit_code == 0
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {Path(name).suffix for name in names} == {".tex", ".csv"}
    assert {"main-results.tex", "main-results.csv", "per-label.tex", "per-fold.csv", "mine.tex"} <= names
    assert (tmp_path / "out" / "mine.tex").read_text() == "mine"


@pytest.mark.parametrize(
    ("given", "answer"), [("latex,rtf", "unknown format rtf; choose from latex"), (",", "no format named")]
)
def test_a_format_that_does_not_exist_is_answered_with_those_that_do(
    tmp_path: Path, master: Path, given: str, answer: str
) -> None:
    done = run("tables", master, "-o", tmp_path / "out", "--formats", given)
    assert done.exit_code == 2
    assert answer in done.stderr
    assert not (tmp_path / "out").exists()


def test_show_prints_what_was_read_and_the_printed_form_of_the_headline(master: Path, synthetic: Results) -> None:
    done = run("show", master)
    assert done.exit_code == 0
    for system in synthetic.systems:
        record = synthetic.headline("ndcg@10", system.id, "positives_only")
        assert record is not None
        assert system.label in done.stdout
        assert f"{record.display.value} {record.display.interval}" in done.stdout


def test_schema_prints_the_schema(synthetic: Results) -> None:
    done = run("schema")
    assert json.loads(done.stdout) == json.loads(json.dumps(schema()))
    assert json.loads(done.stdout)["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.slow
def test_figures_draws_each_figure_in_the_asked_formats_with_its_data(tmp_path: Path, master: Path) -> None:
    assert run("figures", master, "-o", tmp_path / "out", "--formats", "png", "--jobs", "1").exit_code == 0
    names = {path.name for path in (tmp_path / "out").iterdir()}
    stems = {name.removesuffix(".png") for name in names if name.endswith(".png")}
    assert "roc" in stems
    assert names == {f"{stem}.{suffix}" for stem in stems for suffix in ("png", "csv")}


@pytest.mark.slow
@pytest.mark.parametrize(("verb", "start"), [("pdf", b"%PDF-1."), ("html", b"<!DOCTYPE html>"), ("docx", b"PK")])
def test_a_report_is_one_file_with_its_supplement(tmp_path: Path, synthetic: Results, verb: str, start: bytes) -> None:
    master = tmp_path / "metrics_master.json"
    master.write_bytes(encode(showing(synthetic, tables=("main-results",), figures=("roc",))))
    target = tmp_path / "out" / f"report.{verb}"
    done = run(verb, master, "-o", target)
    assert done.exit_code == 0
    assert target.read_bytes()[: len(start)].lower() == start.lower()
    # A report of pages leaves its supplement to a file of its own.
    supplement = [] if verb == "html" else [f"report-supplement.{verb}"]
    assert sorted(path.name for path in target.parent.iterdir()) == sorted([*supplement, target.name])
    target.unlink()
    assert run("--quiet", verb, master, "-o", target.with_suffix("")).output == ""
    assert target.is_file()  # a name without an ending has got that of the format


@pytest.mark.slow
def test_build_ends_with_what_was_read_the_headline_what_was_written_and_what_to_open(
    tmp_path: Path, master: Path, synthetic: Results
) -> None:
    done = run("build", master, "-o", tmp_path / "v1", "--formats", "html,csv", "--jobs", "1")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[1].startswith("  500 queries (100 positive)")
    assert any("nDCG@10" in line for line in lines)
    assert f" to {tmp_path / 'v1'} in " in lines[-2]
    assert lines[-1] == f"Open {tmp_path / 'v1' / 'report.html'}"
    # The invented numbers contradict each other in places, which the gate adds to the checks.
    written = read_results(tmp_path / "v1" / "metrics_master.json")
    assert replace(written, checks=synthetic.checks, run=synthetic.run) == synthetic
    assert {check.code for check in written.checks[len(synthetic.checks) :]} <= {"RG372", "RG373"}


def test_build_refuses_a_folder_that_is_no_bundle_before_reading_anything(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").touch()
    done = run("build", tmp_path / "absent.csv", "-o", tmp_path / "out")
    assert done.exit_code == 2
    assert done.stderr.startswith(f"RG602 {tmp_path / 'out'}: exists and is not a bundle")


def test_a_source_that_does_not_exist_is_an_error_without_a_traceback(tmp_path: Path) -> None:
    for verb in ("build", "evaluate", "tables", "figures", "pdf", "html", "docx"):
        done = run(verb, tmp_path / "absent", "-o", tmp_path / "out")
        assert done.exit_code == 2
        assert done.stderr.startswith("RG1")
        assert str(tmp_path / "absent") in done.stderr
        assert not (tmp_path / "out").exists()


def test_an_option_that_changes_numbers_needs_a_run(tmp_path: Path, master: Path) -> None:
    done = run("pdf", master, "-o", tmp_path / "r.pdf", "--seed", "1")
    assert done.exit_code == 2
    assert "--seed would change numbers" in done.stderr


@pytest.mark.slow
def test_the_module_runs_as_the_command_does() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "reportgen", "--version"],
        cwd=ROOT, env={**os.environ, "NO_COLOR": "1"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.startswith("reportgen, version ")


def test_fill_puts_the_printed_numbers_into_a_text_and_leaves_the_rest(tmp_path: Path, master: Path) -> None:
    text = tmp_path / "results.md"
    text.write_text("nDCG@10 is {{rg ndcg@10 s0}} {{rginterval ndcg@10 s0}}.\n")
    assert run("fill", text, "--bundle", master).stdout == "nDCG@10 is 0.730 [0.710, 0.750].\n"
    done = run("fill", text, "--bundle", master, "-o", tmp_path / "filled.md")
    assert done.stdout == f"Wrote {tmp_path / 'filled.md'}.\n"
    assert (tmp_path / "filled.md").read_text() == "nDCG@10 is 0.730 [0.710, 0.750].\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{{rg ndcg@10 s9}}", "RG552 results.md:1: there is no system 's9' with ndcg@10"),
        (b"\xff", "RG555 "),
        (None, "RG555 "),
    ],
)
def test_a_text_that_cannot_be_filled_is_an_error_and_nothing_is_written(
    tmp_path: Path, master: Path, content: bytes | None, message: str
) -> None:
    text = tmp_path / "results.md"
    if content is not None:
        text.write_bytes(content)
    done = run("fill", text, "--bundle", master, "-o", tmp_path / "filled.md")
    assert (done.exit_code, done.stderr.startswith(message)) == (2, True)
    assert not (tmp_path / "filled.md").exists()


def test_fill_does_not_write_over_the_text_it_reads(tmp_path: Path, master: Path) -> None:
    text = tmp_path / "results.md"
    text.write_text("{{rg ndcg@10 s0}}")
    assert run("fill", text, "--bundle", master, "-o", text).exit_code == 2
    assert text.read_text() == "{{rg ndcg@10 s0}}"


def test_tables_and_figures_are_listed_with_what_they_are_and_need_no_source() -> None:
    tables, figures = run("tables", "--list"), run("figures", "--list")
    assert (tables.exit_code, figures.exit_code) == (0, 0)
    assert re.search(
        r"^main-results +Main results \(needs the contract's headline metrics\)$", tables.stdout, re.MULTILINE
    )
    assert [line.split()[0] for line in tables.stdout.splitlines()] == [table.name for table in table_names()]
    assert [line.split()[0] for line in figures.stdout.splitlines()] == list(figure_names())
    assert "The ROC curves of all systems" in figures.stdout


@pytest.mark.parametrize(
    ("verb", "name", "files", "unknown", "without"),
    [
        ("tables", "dataset", {"dataset.csv"}, ("datasets", "RG502"), ("class-confusion", "RG502")),
        ("figures", "forest", {"forest.svg", "forest.csv"}, ("forests", "RG512"), ("class-confusion", "RG512")),
    ],
)
def test_what_is_named_is_written_alone_and_what_cannot_be_is_refused(
    tmp_path: Path,
    master: Path,
    verb: str,
    name: str,
    files: set[str],
    unknown: tuple[str, str],
    without: tuple[str, str],
) -> None:
    form = {"tables": "csv", "figures": "svg"}[verb]
    assert run(verb, master, name, "-o", tmp_path / "out", "--formats", form).exit_code == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == files
    for (asked, code), said in ((unknown, f"Did you mean '{name}'?"), (without, "the results hold no data for")):
        done = run(verb, master, name, asked, "-o", tmp_path / "no")
        assert done.exit_code == 2
        assert code in done.stderr
        assert said in " ".join(done.stderr.split())
        assert not (tmp_path / "no").exists()


def test_tables_take_a_form_of_interval(tmp_path: Path, master: Path) -> None:
    done = run("tables", master, "-o", tmp_path, "--formats", "md", "--intervals", "sd-and-interval")
    assert done.exit_code == 0
    written = (tmp_path / "main-results-compact.md").read_text("utf-8")
    assert "0.730 ±\u00a00.016 (95% CI: \\[0.710, 0.750\\])" in written


def test_a_build_keeps_its_form_of_interval_with_the_numbers(tmp_path: Path, master: Path) -> None:
    done = run("build", master, "-o", tmp_path / "v1", "--formats", "md", "--intervals", "sd")
    assert done.exit_code == 0, done.stderr
    assert "0.730 ±\u00a00.016" in (tmp_path / "v1" / "tables" / "main-results-compact.md").read_text("utf-8")
    # Set anew from the bundle, without the option, the tables have the same form.
    assert run("tables", tmp_path / "v1", "-o", tmp_path / "again", "--formats", "md").exit_code == 0
    assert "0.730 ±\u00a00.016" in (tmp_path / "again" / "main-results-compact.md").read_text("utf-8")


def test_tables_for_two_columns_are_written_on_request_alone(tmp_path: Path, master: Path) -> None:
    assert run("tables", master, "-o", tmp_path / "all").exit_code == 0
    assert not list((tmp_path / "all").glob("*.two-column.tex"))
    assert run("tables", master, "-o", tmp_path / "two", "--formats", "latex-two-column").exit_code == 0
    assert {path.suffixes[0] for path in (tmp_path / "two").iterdir()} == {".two-column"}


def test_a_name_in_run_toml_that_nothing_has_is_refused_before_anything_is_computed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(ROOT / "sample_runs" / "tiny", folder)
    with (folder / "run.toml").open("a") as file:
        file.write('\n[tables]\nshow = ["main-result"]\n')
    done = run("html", folder, "-o", tmp_path / "r.html")
    assert done.exit_code == 2
    assert "RG502 run.toml [tables]: there is no table 'main-result'\n" in done.stderr
    assert "\n  Did you mean 'main-results'? The tables are " in done.stderr
    text = (folder / "run.toml").read_text().replace("[tables]", "[figures]").replace("main-result", "rock")
    (folder / "run.toml").write_text(text)
    assert "RG512 run.toml [figures]: there is no figure 'rock'" in run("show", folder).stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--theme", "nope"), "RG593 nope: is neither a shipped theme nor a folder"),
        (("--theme", "journal", "--theme-option", "acent=#112233"), "Did you mean 'accent'?"),
        (("--theme-option", "accent"), "--theme-option 'accent' is not of the form NAME=VALUE."),
    ],
)
@pytest.mark.parametrize("verb", ["build", "html", "pdf", "figures"])
def test_a_theme_or_option_that_does_not_exist_is_refused_and_nothing_written(
    verb: str, arguments: tuple[str, ...], says: str, tmp_path: Path, master: Path
) -> None:
    done = run(verb, master, "-o", tmp_path / "out", *arguments)
    assert done.exit_code == 2
    assert says in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_theme_and_document_class_in_run_toml_are_checked_before_anything_is_computed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(ROOT / "sample_runs" / "tiny", folder)
    with (folder / "run.toml").open("a") as file:
        file.write('\n[report]\ntheme = "mine"\ndocument_class = "acm"\n')
    assert "RG593 theme mine: there is no folder themes/mine beside" in run("show", folder).stderr
    (folder / "themes" / "mine").mkdir(parents=True)
    (folder / "themes" / "mine" / "theme.toml").write_text('api = 1\ntitle = "Mine"\n')
    assert "RG598 theme mine: there is no paper template 'acm'" in run("show", folder).stderr
    done = run("build", folder, "-o", tmp_path / "v1", "--document-class", "nope")
    assert "RG598 theme mine: there is no paper template 'nope'" in done.stderr


def test_figures_take_the_colours_of_a_theme(tmp_path: Path, master: Path) -> None:
    own = tmp_path / "mine"
    own.mkdir()
    (own / "theme.toml").write_text('api = 1\ntitle = "Mine"\n[tokens.colour.dark]\nsurface = "#102030"\n')
    asked = ("--theme", own, "--scheme", "dark", "--formats", "svg", "--jobs", "1")
    assert run("figures", master, "-o", tmp_path / "out", *asked).exit_code == 0
    assert "#102030" in (tmp_path / "out" / "roc.svg").read_text("utf-8")


def test_tables_and_figures_have_the_words_of_a_theme(tmp_path: Path, master: Path) -> None:
    own = tmp_path / "mine"
    for kind, name in (("figures", "roc"), ("tables", "checks")):
        (own / "text" / kind).mkdir(parents=True)
        base = "figure" if kind == "figures" else "table"
        words = "{% block caption %}\nMy caption.\n{% endblock %}\n{% block alt %}\nMy curves.\n{% endblock %}\n"
        text = f'{{% extends "text/{kind}/{base}.md.j2" %}}\n{words}'
        (own / "text" / kind / f"{name}.md.j2").write_text(text)
    (own / "theme.toml").write_text('api = 1\ntitle = "Mine"\n')
    asked = ("-o", tmp_path / "out", "--theme", own)
    assert run("figures", master, *asked, "--formats", "svg", "--jobs", "1").exit_code == 0
    assert run("tables", master, *asked, "--formats", "latex").exit_code == 0
    assert "My curves." in (tmp_path / "out" / "roc.svg").read_text("utf-8")
    assert "My caption." in (tmp_path / "out" / "checks.tex").read_text("utf-8")


def test_a_word_document_of_ones_own_is_filled_and_nothing_else_is_written(tmp_path: Path, master: Path) -> None:
    template = docx.Document()
    template.add_paragraph('{{ rg("ndcg@10", "s1") }} of 1')
    template.save(str(tmp_path / "journal.docx"))
    target = tmp_path / "out" / "paper.docx"
    done = run("docx", master, "-o", target, "--template", tmp_path / "journal.docx")
    assert done.exit_code == 0, done.output
    assert [path.name for path in target.parent.iterdir()] == ["paper.docx"]
    value = read_results(master).headline("ndcg@10", "s1", "positives_only")
    assert value is not None
    assert docx.Document(str(target)).paragraphs[0].text == f"{value.display.value} of 1"


def test_a_word_template_that_is_not_there_or_is_the_target_is_refused(tmp_path: Path, master: Path) -> None:
    missing = run("docx", master, "-o", tmp_path / "paper.docx", "--template", tmp_path / "none.docx")
    assert (missing.exit_code, "RG557" in missing.stderr) == (2, True)
    (tmp_path / "own.docx").write_bytes(b"mine")
    same = run("docx", master, "-o", tmp_path / "own.docx", "--template", tmp_path / "own.docx")
    assert (same.exit_code, "RG606" in same.stderr) == (2, True)
    assert (tmp_path / "own.docx").read_bytes() == b"mine"
