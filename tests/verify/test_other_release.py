"""A bundle that another release wrote, which this one cannot make anew."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from reportgen.bundle import write_bundle
from reportgen.evaluation import Evaluation
from reportgen.verify import verify
from tests.support.results import showing
from tests.verify.conftest import NOW, WAS, WRONGED, mend


@pytest.fixture(scope="session")
def written_before(tmp_path_factory: pytest.TempPathFactory, evaluated: Evaluation) -> Path:
    """A bundle of tables and one figure that says another version of reportgen made its numbers."""
    shown = showing(evaluated.results, tables=evaluated.results.run.presentation.tables, figures=("roc",))
    results = replace(shown, generator=replace(shown.generator, version="0.0.9"))
    directory = tmp_path_factory.mktemp("before") / "v1"
    write_bundle(results, directory, per_query=evaluated.per_query, formats=("html", "md", "html-tables"))
    return directory


@pytest.fixture
def older(tmp_path: Path, written_before: Path) -> Path:
    return shutil.copytree(written_before, tmp_path / "v1")


def test_its_numbers_are_sound_and_it_is_said_what_was_not_made_anew(older: Path) -> None:
    outcome = verify(older)
    assert outcome.sound
    assert {fault.severity for fault in outcome.faults} <= {"note"}
    assert any("reportgen 0.0.9 wrote the bundle" in said and "not made anew" in said for said in outcome.checked)


def test_another_layout_is_no_fault(older: Path) -> None:
    page = older / "tables/main-results.html"
    page.write_text(page.read_text(encoding="utf-8").replace("<td", "<td "), encoding="utf-8")
    (older / "tables/by-another-name.md").write_text("no numbers")
    mend(older)
    assert verify(older).sound


def test_a_changed_number_is_named_where_it_is_marked_with_its_result(older: Path) -> None:
    page = older / "tables/main-results.html"
    text = page.read_text(encoding="utf-8")
    cell = re.search(rf'data-result="{re.escape(WRONGED)}"[^>]*>[^<]*{re.escape(WAS)}', text)
    assert cell is not None
    page.write_text(text.replace(cell[0], cell[0].replace(f">{WAS}", f">{NOW}"), 1), encoding="utf-8")
    mend(older)
    (fault,) = (fault for fault in verify(older).faults if fault.severity == "error")
    assert (fault.code, fault.where, fault.results) == ("RG625", "tables/main-results.html", (WRONGED,))
    assert (fault.shown, fault.expected) == (NOW, WAS)
    assert fault.place.startswith("line ")


def test_a_number_that_is_no_result_of_a_table_is_noted(older: Path) -> None:
    table = older / "tables/main-results.md"
    table.write_text(table.read_text(encoding="utf-8").replace(WAS, "0.123"), encoding="utf-8")
    mend(older)
    named = [fault for fault in verify(older).faults if fault.where == "tables/main-results.md"]
    assert [(fault.severity, "'0.123'" in fault.message) for fault in named] == [("note", True)]


def test_a_file_that_is_listed_and_missing_is_a_fault(older: Path) -> None:
    (older / "tables/main-results.md").unlink()
    mend(older)
    assert [(fault.code, fault.where) for fault in verify(older).faults if fault.severity == "error"] == [
        ("RG622", "tables/main-results.md")
    ]


def test_without_a_list_of_artefacts_it_says_that_the_list_is_missing(older: Path) -> None:
    (older / "artifacts.json").write_text("{}")
    mend(older)
    assert ("RG622", "artifacts.json") in [(fault.code, fault.where) for fault in verify(older).faults]


def test_a_file_that_cannot_be_read_is_named(older: Path) -> None:
    (older / "tables/main-results.md").write_bytes(b"\xff\xfe\x00")
    mend(older)
    named = [fault for fault in verify(older).faults if fault.where == "tables/main-results.md"]
    assert ["cannot be read" in fault.message for fault in named] == [True]
