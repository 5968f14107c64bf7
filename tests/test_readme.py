"""What the README says works: its commands, its Python, its files, its links."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner

from reportgen.cli import VERBS, main
from reportgen.contracts import contract_ids
from reportgen.domain.record import IntervalForm
from reportgen.figures import figure_names
from reportgen.inputs import declaration
from reportgen.tables import table_names

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)
FAST = dict.fromkeys(("html", "evaluate", "show"), ("--resamples", "20")) | {"build": ("--resamples", "20", "-j", "1")}
"""Added to a command that computes; the others start from numbers already computed, which they may not change."""


def commands(first: str) -> list[list[str]]:
    """The commands of all shell blocks that call one program, as words; comments are no part of them."""
    lines = [line for language, block in BLOCKS if language == "sh" for line in block.splitlines()]
    words = [shlex.split(line, comments=True) for line in lines]
    return [found for found in words if found and found[0] == first]


def blocks(language: str) -> list[str]:
    return [text for of, text in BLOCKS if of == language]


def only_block(language: str) -> str:
    [block] = blocks(language)
    return block


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder a user works in: the sample runs, and predictions of their own.

    Six predictions stand in for the large sample run, whose commands differ in nothing but the time they take.
    """
    rows = [f"{y},{p}" for y, p in ((1, 0.9), (0, 0.2), (1, 0.6), (0, 0.4), (1, 0.3), (0, 0.1))]
    (tmp_path / "predictions.csv").write_text("\n".join(["y_true,y_prob", *rows]) + "\n", encoding="utf-8")
    shutil.copytree(ROOT / "sample_runs" / "tiny", tmp_path / "sample_runs" / "tiny")
    with (tmp_path / "sample_runs" / "tiny" / "run.toml").open("a", encoding="utf-8") as file:
        file.write(
            '\n[tables]\nshow = ["main-results", "comparisons-compact"]\n\n[figures]\nshow = ["forest", "roc"]\n'
        )
    for folder in (tmp_path / "sample_runs" / "digits_pages", tmp_path / "outputs", tmp_path / "more_outputs"):
        folder.mkdir()
        shutil.copy(tmp_path / "predictions.csv", folder)
    (tmp_path / "sample_runs" / "digits_pages" / "run.toml").write_text('[figures]\nshow = ["roc"]\n', encoding="utf-8")
    (tmp_path / "results.md").write_text("AUROC is {{rg auroc system}}.\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_commands_run_in_their_order_and_write_what_the_readme_says(home: Path) -> None:
    for _, verb, *arguments in commands("reportgen"):
        from_run = any(
            word.startswith("sample_runs/") or word.endswith(".csv") or word == "outputs" for word in arguments
        )
        done = CliRunner().invoke(main, [verb, *arguments, *(FAST.get(verb, ()) if from_run else ())])
        assert done.exit_code == 0, f"{verb} {' '.join(arguments)}:\n{done.output}"
        assert done.stdout, f"{verb} says nothing"
    targets = [words[words.index("-o") + 1] for words in commands("reportgen") if "-o" in words]
    assert targets
    assert [target for target in targets if not (home / target).exists()] == []
    assert [name for name in listed_files() if not (home / "paper_bundle" / "v1.0" / name).exists()] == []


def listed_files() -> list[str]:
    """The files of a bundle, from the first column of the README's table; ``.csv`` shares its stem with the JSON."""
    rows = re.findall(r"^\| (`.+?`) \|", README, flags=re.MULTILINE)
    names = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
    assert "SHA256SUMS" in names
    return [f"metrics_master{name}" if name.startswith(".") else name for name in names]


def test_every_verb_is_shown() -> None:
    assert {words[1] for words in commands("reportgen")} == set(VERBS)


def test_the_sample_runs_it_names_exist() -> None:
    named = {word for words in commands("reportgen") for word in words if word.startswith("sample_runs/")}
    assert named
    assert all((ROOT / name / "run.toml").is_file() for name in named)


def test_the_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = [words[1] for words in commands("make")]
    assert targets == ["demo", "test"]
    assert all(re.search(rf"^{target}:.*## ", makefile, flags=re.MULTILINE) for target in targets)


def test_the_python_example_prints_a_sentence() -> None:
    # In an interpreter of its own: what a user runs, with few resamples.
    code = only_block("python").replace("resamples=2000", "resamples=20")
    assert "resamples=20)" in code
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    # The first system of the tiny run, whose nDCG@10 its README works out by hand: 0.729 on 6 positive queries.
    assert done.stdout.startswith("The ranking reaches 0.729 of the ideal discounted gain in the top 10 (")


def test_the_run_toml_example_is_a_run(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(blocks("toml")[0], encoding="utf-8")
    rows = ("q1,p1,gnn,1,0.9", "q2,p1,gnn,0,0.2", "q3,p2,gnn,1,0.6", "q4,p2,gnn,0,0.4")
    (tmp_path / "results.csv").write_text("\n".join(["qid,post,system,has_evidence,probability", *rows]), "utf-8")
    done = CliRunner().invoke(main, ["show", str(tmp_path), "--resamples", "20"])
    assert done.exit_code == 0, done.output
    assert "Finding evidence in posts" in done.stdout
    assert "- + GNN" in done.stdout
    assert "columns not used" not in done.stdout


def test_links_and_pictures_are_in_the_repository() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert "docs/images/report.png" in targets
    local = [target for target in targets if "://" not in target]
    assert [target for target in local if not (ROOT / target).exists()] == []


@pytest.mark.parametrize(("name", "least"), [("report.png", 2000), ("pages.png", 1800)])
def test_a_picture_is_sharp_and_small(name: str, least: int) -> None:
    picture = (ROOT / "docs" / "images" / name).read_bytes()
    # The PNG header gives width and height as two big-endian numbers after the first chunk's name.
    width = int.from_bytes(picture[16:20], "big")
    assert picture.startswith(b"\x89PNG")
    assert width >= least, "a picture of a page is shown at half its width on a fine screen"
    assert len(picture) < 200_000


def test_the_example_of_tables_and_figures_names_those_that_exist() -> None:
    said = tomllib.loads(blocks("toml")[2])
    known = {table.name for table in table_names()}
    assert {*said["tables"]["show"], *said["tables"].keys() - {"show", "intervals", "label_systems"}} <= known
    assert said["tables"]["intervals"] in get_args(IntervalForm)
    assert set(said["figures"]["show"]) <= set(figure_names())


def test_the_comparisons_example_says_what_a_run_can_say() -> None:
    said = tomllib.loads(blocks("toml")[1])["comparisons"]
    assert set(said) == {"baseline", "family", "pairs", "adjustment", "contracts", "tests"}
    assert set(said["contracts"]) <= set(contract_ids())
    assert said["pairs"] in declaration.PAIRS
    assert said["adjustment"] in declaration.ADJUSTMENTS
    assert set(said["tests"]) <= set(declaration.TESTS)
