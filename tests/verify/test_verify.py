"""What verification finds in a bundle, by changing one thing at a time."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from reportgen.cli import main
from reportgen.errors import OutputError
from reportgen.evaluation import Evaluation
from reportgen.results import encode
from reportgen.verify import Fault, verify
from tests.verify.conftest import NOW, WAS, WRONGED, mend


def faults_in(directory: Path, file: str) -> list[Fault]:
    return [fault for fault in verify(directory).faults if fault.where == file]


def with_digit_changed(path: Path, pattern: str, by: Callable[[str], str]) -> tuple[str, str]:
    """Change the first match of a pattern; returns what stood there and what stands there now."""
    text = path.read_bytes().decode("utf-8")
    found = re.search(pattern, text)
    assert found is not None
    path.write_bytes((text[: found.start()] + by(found[0]) + text[found.end() :]).encode())
    return found[0], by(found[0])


def turned(number: str) -> str:
    """The number with its last digit turned into another one."""
    return number[:-1] + ("1" if number[-1] != "1" else "2")


def test_nothing_is_found_in_a_bundle_as_it_was_written(bundle: Path) -> None:
    outcome = verify(bundle)
    assert outcome.faults == ()
    assert outcome.sound


def test_a_bundle_that_was_moved_is_still_sound(bundle: Path, tmp_path: Path) -> None:
    assert verify(shutil.copytree(bundle, tmp_path / "elsewhere" / "v2")).sound


def test_a_changed_file_is_found_by_its_checksum_and_by_what_it_shows(bundle: Path) -> None:
    with_digit_changed(bundle / "tables/main-results.md", r"0\.\d{3}", turned)
    assert {fault.code for fault in faults_in(bundle, "tables/main-results.md")} == {"RG621", "RG625"}


@pytest.mark.parametrize("file", ["tables/main-results.md", "metrics_master.csv"])
def test_a_changed_digit_is_named_where_the_checksum_was_mended(bundle: Path, evaluated: Evaluation, file: str) -> None:
    before, after = with_digit_changed(bundle / file, r"(?<=\| )0\.\d{3}|(?<=,)0\.\d+(?=,)", turned)
    mend(bundle)
    (fault,) = verify(bundle).faults
    assert (fault.code, fault.where) == ("RG625", file)
    assert before in fault.expected
    assert after in fault.shown
    (result,) = fault.results
    record = evaluated.results.by_id[result]
    assert before in (record.display.value, repr(record.value))


def test_a_changed_cell_of_a_workbook_is_named_by_its_address(bundle: Path) -> None:
    path = bundle / "tables/main-results.xlsx"
    members = {name: zipfile.ZipFile(path).read(name) for name in zipfile.ZipFile(path).namelist()}
    sheet = members["xl/worksheets/sheet1.xml"].decode()
    found = re.search(r'<c r="([A-Z]+\d+)"[^>]*><v>(0\.\d+)</v>', sheet)
    assert found is not None
    members["xl/worksheets/sheet1.xml"] = sheet.replace(found[0], found[0].replace(found[2], "0.5")).encode()
    with zipfile.ZipFile(path, "w") as book:
        for name, content in members.items():
            book.writestr(name, content)
    mend(bundle)
    (fault,) = verify(bundle).faults
    assert fault.place == f"Main results, cell {found[1]}"
    assert (fault.shown, fault.expected) == ("0.5", found[2])


def test_a_value_changed_in_the_results_contradicts_its_printed_form(bundle: Path, evaluated: Evaluation) -> None:
    record = next(r for r in evaluated.results.results if r.value is not None and r.display.value == f"{r.value:.3f}")
    assert record.value is not None
    wrong = replace(record, value=record.value / 2)
    changed = replace(evaluated.results, results=tuple(wrong if r is record else r for r in evaluated.results.results))
    (bundle / "metrics_master.json").write_bytes(encode(changed))
    mend(bundle)
    named = [fault for fault in faults_in(bundle, "metrics_master.json") if fault.code == "RG624"]
    assert [(fault.results, fault.shown) for fault in named] == [((record.id,), record.display.value)]


def test_a_missing_file_is_named_though_nothing_lists_it_any_more(bundle: Path) -> None:
    (bundle / "tables/main-results.md").unlink()
    mend(bundle)
    assert [fault.code for fault in faults_in(bundle, "tables/main-results.md")] == ["RG622"]


def test_a_file_that_was_added_is_named_though_it_is_listed(bundle: Path) -> None:
    (bundle / "tables/better.md").write_text("0.999\n")
    mend(bundle)
    assert [fault.code for fault in faults_in(bundle, "tables/better.md")] == ["RG622"]


def test_what_a_desktop_leaves_in_a_folder_is_no_fault(bundle: Path) -> None:
    (bundle / ".DS_Store").write_bytes(b"\0")
    assert verify(bundle).sound


def test_a_link_is_named_and_not_followed(bundle: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("of the reader")
    path = bundle / "tables/main-results.md"
    path.unlink()
    path.symlink_to(secret)
    (fault,) = faults_in(bundle, "tables/main-results.md")
    assert fault.code == "RG622"
    assert "of the reader" not in str(fault)


def test_results_that_cannot_be_read_are_one_fault(bundle: Path) -> None:
    (bundle / "metrics_master.json").write_text("{")
    mend(bundle)
    assert [fault.code for fault in verify(bundle).faults] == ["RG623"]


def test_a_bundle_without_checksums_says_so(bundle: Path) -> None:
    (bundle / "SHA256SUMS").unlink()
    assert [(fault.code, fault.where) for fault in verify(bundle).faults][:1] == [("RG622", "SHA256SUMS")]


def test_a_folder_that_is_no_bundle_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="RG620"):
        verify(tmp_path)


def test_a_space_that_no_reader_sees_is_a_difference_in_form(bundle: Path) -> None:
    path = bundle / "artifacts.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")), ensure_ascii=False), encoding="utf-8")
    mend(bundle)
    assert [fault.code for fault in faults_in(bundle, "artifacts.json")] == ["RG626"]


def test_the_verb_ends_with_1_and_names_the_fault_in_json(bundle: Path) -> None:
    assert CliRunner().invoke(main, ["verify", str(bundle), "-j", "1"]).exit_code == 0
    with_digit_changed(bundle / "tables/main-results.md", r"0\.\d{3}", turned)
    done = CliRunner().invoke(main, ["verify", str(bundle), "--json", "-j", "1"])
    data = json.loads(done.stdout)
    assert done.exit_code == 1
    assert data["sound"] is False
    assert {fault["code"] for fault in data["faults"]} == {"RG621", "RG625"}


def test_the_verb_prints_one_line_per_fault(bundle: Path) -> None:
    before, after = with_digit_changed(bundle / "tables/main-results.md", r"0\.\d{3}", turned)
    mend(bundle)
    lines = CliRunner().invoke(main, ["-q", "verify", str(bundle), "-j", "1"]).stdout.splitlines()
    assert re.match(r"RG625 tables/main-results\.md, line \d+: shows ", lines[0])
    assert before in lines[0]
    assert after in lines[0]
    assert lines[-1] == "1 error."


def test_the_verb_refuses_a_folder_that_is_no_bundle_with_exit_code_2(tmp_path: Path) -> None:
    assert CliRunner().invoke(main, ["verify", str(tmp_path)]).exit_code == 2


@pytest.mark.slow
def test_a_changed_digit_is_found_and_named_in_every_kind_of_artefact(
    tmp_path: Path, whole_and_wrong: tuple[Path, Path]
) -> None:
    sound, wrong = whole_and_wrong
    assert verify(sound).faults == ()
    mixed = shutil.copytree(sound, tmp_path / "mixed")
    for file in (*PRINTED, *MACHINE, "figures/forest.png"):
        shutil.copy(wrong / file, mixed / file)
    mend(mixed)
    found = verify(mixed).faults
    assert {fault.where for fault in found} == {*PRINTED, *MACHINE, "figures/forest.png"}
    assert {fault.code for fault in found} == {"RG625"}
    for file, was, now in [*((file, WAS, NOW) for file in PRINTED), *((file, "0.72", "0.63") for file in MACHINE)]:
        named = [fault for fault in found if fault.where == file and WRONGED in fault.results]
        assert any(was in fault.expected and now in fault.shown and fault.place for fault in named), file


PRINTED = (
    "figures/forest.pdf",
    "figures/forest.svg",
    "paper/macros.tex",
    "paper/tables/main-results.tex",
    "report.docx",
    "report.html",
    "report.pdf",
    "tables/main-results.display.csv",
    "tables/main-results.html",
    "tables/main-results.md",
    "tables.docx",
)
MACHINE = ("figures/forest.csv", "metrics_master.csv", "tables/main-results.csv", "tables/main-results.xlsx")


def sum_of(path: Path, kind: str = "sha256") -> str:
    return hashlib.new(kind, path.read_bytes()).hexdigest()


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A folder of another tool with sums in the forms of coreutils, of BSD, and of another function."""
    folder = tmp_path / "release"
    (folder / "data").mkdir(parents=True)
    for name in ("a.csv", "data/b.csv", "c.csv", "not-listed.txt"):
        (folder / name).write_text(f"content of {name}\n")
    (folder / "checksums.txt").write_text(
        "# made by another tool\n"
        f"{sum_of(folder / 'a.csv')}  a.csv\n"
        f"SHA256 (data/b.csv) = {sum_of(folder / 'data' / 'b.csv')}\n"
        f"{sum_of(folder / 'c.csv', 'md5')} *./c.csv\n"
    )
    return folder


def test_checksums_of_another_tool_are_checked(foreign: Path) -> None:
    outcome = verify(foreign)
    assert (outcome.faults, outcome.files, outcome.results) == ((), 4, 0)
    assert "checksums.txt, which another tool wrote" in outcome.checked[0]


def test_a_file_that_another_tool_lists_and_that_was_changed_or_taken_away_is_named(foreign: Path) -> None:
    (foreign / "data" / "b.csv").write_text("0.9\n")
    (foreign / "a.csv").unlink()
    with (foreign / "checksums.txt").open("a") as listing:
        listing.write(f"no sum\n{'0' * 64}  ../outside.txt\n")
    (foreign.parent / "outside.txt").write_text("not looked at")
    found = [(fault.code, fault.where, fault.place) for fault in verify(foreign).faults]
    assert found == [
        ("RG621", "checksums.txt", "line 5"),
        ("RG621", "data/b.csv", ""),
        ("RG622", "../outside.txt", ""),
        ("RG622", "a.csv", ""),
    ]
