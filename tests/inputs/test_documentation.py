"""The page on input formats names everything the readers recognise, and nothing else as such."""

import re
from pathlib import Path

import pytest

from reportgen.cli import init
from reportgen.inputs.formats import formats
from reportgen.inputs.names import RANKING_ENDINGS, SUPPLIED, SYNONYMS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "input-formats.md").read_text(encoding="utf-8")
ROWS = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| `")]


def names(text):
    return set(re.findall(r"`([^`]+)`", text))


@pytest.mark.parametrize("name", SYNONYMS)
def test_every_column_and_every_name_it_is_recognised_by_is_on_the_page(name):
    (row,) = [row for row in ROWS if name in names(row[0])]
    recognised = set(SYNONYMS[name])
    assert recognised <= names(row[1]) or (row[1] == "themselves" and recognised == {name})


def test_no_name_is_on_the_page_that_is_not_recognised():
    for row in ROWS:
        known = {own for name in names(row[0]) for own in SYNONYMS[name]} | set(RANKING_ENDINGS)
        assert names(row[1]) <= known


def test_the_formats_of_tables_and_their_endings_are_those_of_the_page_in_their_order():
    listed = re.search(r"\| format \| endings \|.*?\n\n", PAGE, re.DOTALL)[0].splitlines()[2:-1]
    rows = [line.strip("| ").split(" | ") for line in listed]
    tables = [one for one in formats() if one.role is None]
    assert [row[0] for row in rows] == [one.name for one in tables]
    for row, one in zip(rows, tables, strict=True):
        assert names(row[1]) | {f"{suffix}.gz" for suffix in names(row[1])} >= set(one.suffixes)
        assert names(row[1]) - {".gz"} == {suffix.removesuffix(".gz") for suffix in one.suffixes}
        assert ("`.gz`" in row[1]) == any(suffix.endswith(".gz") for suffix in one.suffixes)


def test_the_endings_of_judgements_and_runs_are_on_the_page():
    for suffix in (suffix for one in formats() if one.role for suffix in one.suffixes):
        assert f"`{suffix.removesuffix('.gz')}`" in PAGE


def test_the_help_of_init_names_every_format():
    said = init.command.help
    assert all(one.name.removesuffix(" judgements").removesuffix(" run") in said for one in formats())


def test_supplied_metrics_are_named():
    assert set(SUPPLIED) <= names(PAGE)
