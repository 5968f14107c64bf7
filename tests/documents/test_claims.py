"""The report of many kinds of run claims nothing that its run does not have."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from reportgen.documents import build_report
from reportgen.documents.references import texts_of
from reportgen.domain.presentation import Document, Paragraph, plain
from reportgen.figures import build_figures
from reportgen.tables import build_tables
from tests.support.claims import false_claims
from tests.support.matrix import MATRIX, results_of

MOST_WORDS = 120
ABSENCES = ("read-as",)
"""Sections that say what the files lack, in the reader's words."""


@cache
def report_of(name: str, contract: str) -> Document:
    results = results_of(name, contract)
    return build_report(results, build_tables(results), build_figures(results))


@pytest.mark.parametrize(("name", "contract"), MATRIX)
def test_the_report_claims_nothing_that_the_run_does_not_have(name: str, contract: str) -> None:
    document = report_of(name, contract)
    parts = [part for section in document.all_sections for part in section.walk() if part.id not in ABSENCES]
    said = [plain(text) for part in parts for text in texts_of([replace(part, sections=())])]
    said += [part.title for part in parts]
    assert {text: found for text in said if (found := false_claims(results_of(name, contract), text))} == {}


@pytest.mark.parametrize(("name", "contract"), MATRIX)
def test_the_answer_is_short(name: str, contract: str) -> None:
    answer = [block.text for block in report_of(name, contract).sections[0].blocks if isinstance(block, Paragraph)]
    assert 10 < len(" ".join(plain(text) for text in answer).split()) <= MOST_WORDS
