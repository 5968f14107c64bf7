"""Verbs that report do so as text, as JSON, or not at all."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import warnings
from importlib import import_module
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from reportgen.cli import VERBS, main
from reportgen.domain.record import Results
from reportgen.errors import Diagnostic, RenderError
from reportgen.installation import LATEX_FILES, inspect
from reportgen.results import encode
from tests.support.results import showing

ROOT = Path(__file__).resolve().parent.parent.parent
SAY_ONE_THING = {"schema", "completion"}
"""Verbs whose whole output is a file of its own kind: JSON Schema, and a shell script."""


@pytest.fixture
def master(tmp_path: Path, synthetic: Results) -> Path:
    path = tmp_path / "metrics_master.json"
    path.write_bytes(encode(showing(synthetic, figures=("roc",))))
    return path


def commands(verb: str) -> list[click.Command]:
    command: click.Command = import_module(f"reportgen.cli.{verb}").command
    return list(command.commands.values()) if isinstance(command, click.Group) else [command]


@pytest.mark.parametrize("verb", sorted(set(VERBS) - SAY_ONE_THING))
def test_every_verb_that_reports_can_do_so_as_json(verb: str) -> None:
    for command in commands(verb):
        options = {option for p in command.params if isinstance(p, click.Option) for option in p.opts}
        assert "--json" in options or command.name == "reference", f"{verb} {command.name}"


@pytest.mark.parametrize(
    ("words", "written"),
    [
        (("evaluate", "-o", "m.json"), ["m.json"]),
        (("migrate", "-o", "n.json"), ["n.json"]),
        (("html", "-o", "r.html"), ["r.html"]),
        (("export", "flat-json", "-o", "f.json"), ["f.json"]),
        (
            ("export", "ro-crate", "-o", "c"),
            ["c/metrics_master.json", "c/metrics_master.csv", "c/ro-crate-metadata.json"],
        ),
    ],
)
def test_what_was_written_is_said_as_json_and_nothing_else(
    words: tuple[str, ...], written: list[str], master: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(master.parent)
    place = len(words) - 2
    arguments = [*words[:place], str(master), *words[place:]]
    done = CliRunner().invoke(main, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == {"written": written}
    assert all(Path(name).is_file() for name in written)
    assert CliRunner().invoke(main, ["-q", *arguments]).stdout == ""


def test_tables_and_bundles_say_their_files_as_json(master: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["tables", str(master), "-o", str(tmp_path / "t"), "--formats", "md", "--json"])
    named = json.loads(done.stdout)["written"]
    assert named
    assert sorted(named) == sorted(str(path) for path in (tmp_path / "t").iterdir())
    done = CliRunner().invoke(main, ["build", str(master), "-o", str(tmp_path / "b"), "--formats", "md", "--json"])
    assert str(tmp_path / "b" / "SHA256SUMS") in json.loads(done.stdout)["written"]


def test_show_gives_the_headline_as_data(master: Path, synthetic: Results) -> None:
    said = json.loads(CliRunner().invoke(main, ["show", str(master), "--json"]).stdout)
    assert said["synthetic"] is True
    row = next(row for row in said["headline"] if row["value"] is not None and row["interval"])
    record = synthetic.find(row["metric"], row["system"], row["subset"], row["aggregation"])
    assert record is not None
    assert (row["value"], row["interval"]["lower"]) == (record.value, record.intervals[0].lower)
    assert row["display"] == f"{record.display.value} {record.display.interval}"


def test_an_unknown_export_is_answered_with_the_formats(master: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["export", "word", str(master), "-o", str(tmp_path / "x")])
    assert done.exit_code == 2
    assert "there is no format 'word'" in done.stderr
    assert "model-index" in done.stderr


def test_an_export_does_not_write_over_its_source(master: Path) -> None:
    done = CliRunner().invoke(main, ["export", "flat-json", str(master), "-o", str(master)])
    assert done.exit_code == 2
    assert done.stderr.startswith("RG606")


def test_the_doctor_lists_what_is_missing_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = inspect(lambda name: f"lib{name}.so", lambda name: None)
    missing = {part.name: part for part in everything if not part.found}
    assert {"pdflatex", "lualatex", "booktabs.sty"} <= set(missing)
    assert not any(part.required for part in missing.values())
    without = {part.name: part for part in inspect(lambda name: None, lambda name: None)}
    assert without["pango-1.0"].required
    assert "libpango-1.0-0" in without["pango-1.0"].how
    assert without["fonts"].found
    assert {"numpy", "weasyprint"} <= set(without)
    monkeypatch.setattr("reportgen.installation.inspect", lambda: tuple(without.values()))
    done = CliRunner().invoke(main, ["doctor"])
    assert done.exit_code == 1
    assert "pango-1.0" in done.stdout
    assert "numpy" not in done.stdout, "what is there is listed with --all only"
    assert "numpy" in CliRunner().invoke(main, ["doctor", "--all"]).stdout
    said = json.loads(CliRunner().invoke(main, ["doctor", "--json"]).stdout)
    assert {part["name"] for part in said["parts"]} == set(without)


def test_a_tex_file_is_looked_for_by_tex_itself(tmp_path: Path) -> None:
    finder = tmp_path / "kpsewhich"
    finder.write_text('#!/bin/sh\n[ "$1" = booktabs.sty ] && echo /tex/booktabs.sty\n', "utf-8")
    finder.chmod(0o755)
    found = {p.name: p.found for p in inspect(lambda name: "x", lambda name: str(finder))}
    assert found["booktabs.sty"] == "/tex/booktabs.sty"
    assert found["acmart.cls"] == ""


def test_the_doctor_asks_for_the_latex_files_that_the_templates_load_and_for_no_others() -> None:
    sources = "".join(path.read_text("utf-8") for path in sorted((ROOT / "templates").rglob("*.tex.j2")))
    packages = re.findall(r"\\(?:usepackage|RequirePackage|rg@need|rg@want)(?:\[[^]]*\])?\{(\w+)\}", sources)
    classes = re.findall(r"\\documentclass\[[^]]*\]\{(\w+)\}", sources)
    # The files of texlive-latex-base, which pdflatex itself comes with.
    base = {
        "amsmath",
        "array",
        "fontenc",
        "geometry",
        "graphicx",
        "hyperref",
        "inputenc",
        "longtable",
        "rotating",
        "xparse",
    }
    loaded = {f"{name}.sty" for name in set(packages) - base - {"textcomp"}}
    assert loaded | {f"{name}.cls" for name in set(classes) - {"article"}} == set(LATEX_FILES)


def test_what_is_not_installed_has_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> str:
        raise PackageNotFoundError(name)

    def no_style() -> None:
        raise RenderError(Diagnostic("RG590", "", "the shipped folder is missing"))

    monkeypatch.setattr("reportgen.installation.version", nothing)
    monkeypatch.setattr("reportgen.installation.requires", nothing)
    monkeypatch.setattr("reportgen.installation.load_tokens", no_style)
    found = {p.name: p.found for p in inspect(lambda name: "x", lambda name: None)}
    assert (found["pandas"], found["fonts"]) == ("", "")
    assert "numpy" not in found, "a checkout that is not installed declares nothing"


def test_a_healthy_installation_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    inspected = inspect()
    monkeypatch.setattr("reportgen.installation.inspect", lambda: inspected[:1])
    assert CliRunner().invoke(main, ["doctor"]).stdout.splitlines()[-1] == "Everything is there."


def test_quiet_keeps_notes_back_too(master: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def noisy(*_: object) -> dict[str, bytes]:
        warnings.simplefilter("always")  # as it is outside the suite, where a warning is not an error
        warnings.warn("a character is missing", UserWarning, stacklevel=1)
        return {"": b"x"}

    monkeypatch.setattr("reportgen.exports.export", noisy)
    arguments = ["export", "summary", str(master), "-o", str(master.parent / "s.md")]
    assert CliRunner().invoke(main, arguments).stderr == "Note: a character is missing\n"
    assert CliRunner().invoke(main, ["-q", *arguments]).stderr == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_asks_reportgen(shell: str) -> None:
    done = CliRunner().invoke(main, ["completion", shell])
    assert done.exit_code == 0
    assert f"_REPORTGEN_COMPLETE={shell}_complete" in done.stdout


@pytest.mark.parametrize(("line", "expected"), [("reportgen ev", "evaluate"), ("reportgen export mod", "model-index")])
def test_what_the_script_asks_for_is_answered(line: str, expected: str) -> None:
    words = line.split()
    environment = {**os.environ, "_REPORTGEN_COMPLETE": "bash_complete", "COMP_WORDS": line,
                   "COMP_CWORD": str(len(words) - 1), "PYTHONPATH": str(ROOT)}  # fmt: skip
    code = "from reportgen.cli import main; main(prog_name='reportgen')"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert f"plain,{expected}" in done.stdout.splitlines(), done.stderr
