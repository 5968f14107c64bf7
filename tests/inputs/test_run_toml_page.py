"""The page on run.toml has every key and no other, and each of its examples is a run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from reportgen.cli import main
from reportgen.inputs import declaration
from tests.inputs.test_run_toml_keys import every_key

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "run-toml.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE, flags=re.MULTILINE | re.DOTALL))
NAMED = re.compile(r"`([^`]+)`")
ROW = re.compile(r"^\| (?!key |---)(.+) \|$", flags=re.MULTILINE)


def example(head: str) -> str:
    [block] = re.findall(r"^```toml\n(.*?)^```", SECTIONS[head], flags=re.MULTILINE | re.DOTALL)
    return str(block)


def keys_on_the_page() -> set[str]:
    """The keys in the first column of each table, and those that ``[tables.NAME]`` takes."""
    found = set()
    for head, text in SECTIONS.items():
        table = {
            "The head": "",
            "[[systems]]": "systems.*.",
            '[labels."…"]': "labels.*.",
            '[metrics."…"]': "metrics.*.",
            "[subgroups]": "subgroups.*.",
        }.get(head, head.strip("[]") + ".")
        # The keys of [tables.NAME] and [figures.NAME] have a table of their own, behind this line.
        own, _, shaping = text.partition("\nThe keys of `[")
        found |= {f"{table}*.{key}" for row in ROW.findall(shaping) for key in NAMED.findall(row.split(" | ")[0])}
        for row in ROW.findall(own):
            first, second, *_ = (*row.split(" | "), "")
            if first == "the name of the set":
                found.add("label_sets.*")
            elif first.startswith("`[") or head == "[label_sets]":
                found |= {f"{table}*.{key}" for key in NAMED.findall(second if first.startswith("`[") else first)}
            else:
                found |= {table + key for key in NAMED.findall(first)}
    return found


def test_every_key_is_on_the_page_and_no_other() -> None:
    assert keys_on_the_page() == every_key()


def test_every_word_that_a_key_takes_is_on_the_page() -> None:
    words = set(NAMED.findall(SECTIONS["[comparisons]"]))
    assert {f'"{word}"' for word in (*declaration.PAIRS, *declaration.ADJUSTMENTS, *declaration.TESTS)} <= words


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two systems on eight queries with two labels."""
    rows = [(f"q{n}", f"c{n // 2}", f"f{n // 4}", ("A.1", "A.2")[n % 2], int(n % 4 in (0, 3))) for n in range(8)]
    head = "query,cluster,fold,label,system,y_true,y_prob"
    lines = [
        f"{','.join(map(str, row[:4]))},{system},{row[4]},{0.1 * n + shift:.2f}"
        for system, shift in (("bm25", 0.1), ("gnn", 0.2))
        for n, row in enumerate(rows)
    ]
    (tmp_path / "per_query.csv").write_text("\n".join([head, *lines]) + "\n")
    return tmp_path


def files(folder: Path, named: dict[str, str]) -> None:
    (folder / "per_query.csv").unlink()
    for name, text in named.items():
        (folder / name).write_text(text)


TRUTH = "query,cluster,fold,y_true\n" + "".join(f"q{n},c{n // 2},f{n // 4},{int(n % 4 in (0, 3))}\n" for n in range(8))
OUTPUTS = "query,y_prob\n" + "".join(f"q{n},{0.1 * n:.1f}\n" for n in range(8))
OWN = "visit,sign,patient,present,model_output,comment\n" + "".join(
    f"v{n},{'ab'[n % 2]},p{n // 2},{int(n % 4 in (0, 3))},{0.1 * n:.1f},fine\n" for n in range(8)
)
HOLDS = {
    '[metrics."…"]': {
        "per_query.csv": "query,y_true,y_prob,words\n" + "".join(f"q{n},{n % 2},0.{n},{10 * n}\n" for n in range(8))
    },
    "[columns]": {"own.csv": OWN},
    "[subgroups]": {
        "per_query.csv": "query,y_true,y_prob,sex,site\n"
        + "".join(f"q{n},{n % 2},0.{n},{('male', 'female')[n // 2 % 2]},{'ab'[n // 4]}\n" for n in range(8))
    },
    "[files]": {"truth.csv": TRUTH, "outputs.csv": OUTPUTS},
    "[[systems]]": {"truth.csv": TRUTH, "bm25.csv": OUTPUTS, "gnn.csv": OUTPUTS.replace("0.4", "0.9")},
}
"""The files beside an example that names files or columns."""


@pytest.mark.parametrize("head", SECTIONS)
def test_an_example_is_a_run(head: str, folder: Path) -> None:
    if head in HOLDS:
        files(folder, HOLDS[head])
    (folder / "run.toml").write_text(example(head), encoding="utf-8")
    made = [
        "build",
        str(folder),
        "-o",
        str(folder / "v1"),
        "--formats",
        "md",
        "--resamples",
        "20",
        "--crosscheck",
        "none",
    ]
    done = CliRunner().invoke(main, made)
    assert done.exit_code == 0, done.output
    assert "not used" not in done.output


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("titel = 1", "docs/reference/run-toml.md#the-head"),
        ("date = 1", "docs/reference/run-toml.md#the-head"),
        ('[comparisons]\nbase = "a"', "docs/reference/run-toml.md#comparisons"),
        ('[[systems]]\nid = "gnn"\nstep = "two"', "docs/reference/run-toml.md#systems"),
        ("[labels.A]\ntrained = 1", "docs/reference/run-toml.md#labels"),
        ('[metrics.words]\ndecimals = "two"', "docs/reference/run-toml.md#metrics"),
        ("[tables.dataset]\nhead = 1", "docs/reference/run-toml.md#tables"),
    ],
)
def test_an_error_names_the_place_on_the_page(line: str, place: str, folder: Path) -> None:
    (folder / "run.toml").write_text(line + "\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["check", str(folder)])
    assert done.exit_code == 2
    assert place in " ".join(done.output.split())
    anchor = place.partition("#")[2]
    heads = [re.sub(r'[\[\]".…]', "", head).lower().replace(" ", "-") for head in SECTIONS]
    assert anchor in heads
