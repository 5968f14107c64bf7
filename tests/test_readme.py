"""What the README says works: its commands, its Python, its files, its links."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from reportgen.cli import VERBS, main

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)
FAST = {"build": ("--resamples", "20", "-j", "1")}
"""Added to a command that computes."""


def commands(first: str) -> list[list[str]]:
    """The commands of all shell blocks that call one program, as words; comments are not part of them."""
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
    """The folder a user works in, with predictions of their own."""
    rows = [f"{y},{p}" for y, p in ((1, 0.9), (0, 0.2), (1, 0.6), (0, 0.4), (1, 0.3), (0, 0.1))]
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs" / "predictions.csv").write_text("\n".join(["y_true,y_prob", *rows]) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_commands_run_in_their_order_and_write_what_the_readme_says(home: Path) -> None:
    for _, verb, *arguments in commands("reportgen"):
        done = CliRunner().invoke(main, [verb, *arguments, *FAST.get(verb, ())])
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


def test_it_is_one_page() -> None:
    assert len(README.splitlines()) <= 90


def test_the_tour_shows_every_verb() -> None:
    tour = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
    shown = re.findall(r"^reportgen (\w+)", tour, flags=re.MULTILINE)
    assert set(shown) == set(VERBS)


def test_the_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = [words[1] for words in commands("make")]
    assert targets == ["demo", "test"]
    assert all(re.search(rf"^{target}:.*## ", makefile, flags=re.MULTILINE) for target in targets)


@pytest.mark.slow
def test_the_python_example_prints_a_sentence() -> None:
    # In an interpreter of its own: what a user runs, with few resamples.
    code = only_block("python").replace("resamples=2000", "resamples=20")
    assert "resamples=20)" in code
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    # The first system of the tiny run, whose nDCG@10 its README works out by hand: 0.729 on 6 positive queries.
    assert done.stdout.startswith("The ranking reaches 0.729 of the ideal discounted gain in the top 10 (")


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
