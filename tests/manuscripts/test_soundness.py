"""No false alarm among the proofs: tables that are right, hundreds of them, in every format."""

from __future__ import annotations

from collections import Counter

import pytest

from reportgen.manuscripts import Manuscript, lint
from reportgen.manuscripts.linter import RULES
from reportgen.manuscripts.readers import READERS
from tests.manuscripts import generated_tables as tables

WRITERS = {"md": tables.markdown, "tex": tables.latex, "html": tables.page, "json": tables.values}
SEEDS = range(100)
"""800 tables: two kinds in four formats."""

# Tracing doubles the time, and quicker tests run the same lines.
pytestmark = pytest.mark.slow


def manuscript(kind: str, text: str) -> Manuscript:
    return READERS[kind](f"table.{kind}", text)


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("make", [tables.ranking, tables.confusion])
def test_nothing_is_impossible_in_tables_that_are_right(make, kind):
    compared: Counter[str] = Counter()
    for seed in SEEDS:
        text = WRITERS[kind](make(seed))
        found = lint([manuscript(kind, text)])
        assert found.impossible == (), f"seed {seed}: {found.impossible[0].message}\n{text}"
        compared.update(found.n_compared)
    asked = {"RG651", "RG652", "RG653", "RG654"} if make is tables.ranking else {"RG655"}
    assert all(compared[code] > 30 for code in asked), "the rules had something to look at"
    if make is tables.confusion and kind != "json":
        assert min(compared["RG656"], compared["RG657"], compared["RG660"]) > 30


def test_nothing_is_impossible_where_the_user_says_that_rates_are_pooled():
    right = [seed for seed in SEEDS if "pooled" in tables.confusion(seed).caption]
    assert len(right) > 30
    for seed in right:
        table = tables.confusion(seed)
        text = tables.markdown(table).replace(table.caption, "Rates.")
        assert lint([manuscript("md", text)], pooled=True).impossible == ()


def test_every_proof_is_asked_of_right_tables():
    asked: Counter[str] = Counter()
    for seed in SEEDS:
        for make in (tables.ranking, tables.confusion):
            asked.update(lint([manuscript("md", tables.markdown(make(seed)))]).n_compared)
    proofs = set(RULES) - {"RG659"}  # two values under one name: no table here says a thing twice
    assert {code for code in proofs if code < "RG661" and not asked[code]} == set()
