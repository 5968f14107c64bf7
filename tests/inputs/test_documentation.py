"""The page on input formats names everything the readers recognise, and nothing else as such."""

import re
from pathlib import Path

import pytest

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


def test_every_ending_is_on_the_page():
    for module in formats():
        for suffix in module.SUFFIXES:
            assert f"`{suffix.removesuffix('.gz')}`" in PAGE


def test_supplied_metrics_are_named():
    assert set(SUPPLIED) <= names(PAGE)
