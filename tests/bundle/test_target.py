from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.bundle.target import check_target, is_bundle
from reportgen.errors import OutputError
from tests.bundle.test_replacing import fill


def test_a_missing_or_empty_target_is_free(tmp_path: Path) -> None:
    check_target(tmp_path)
    check_target(tmp_path / "absent")


def test_an_untouched_bundle_may_be_replaced(tmp_path: Path) -> None:
    fill(tmp_path / "v1", "old")
    assert is_bundle(tmp_path / "v1")
    check_target(tmp_path / "v1")


def test_a_folder_that_is_no_bundle_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(OutputError, match=r"RG602 .*not a bundle made by reportgen"):
        check_target(tmp_path)


def test_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "v1").write_text("x")
    with pytest.raises(OutputError, match="RG602"):
        check_target(tmp_path / "v1")


def test_a_bundle_with_a_file_of_the_users_is_refused_by_name(tmp_path: Path) -> None:
    fill(tmp_path / "v1", "old")
    (tmp_path / "v1" / "notes.txt").write_text("mine")
    with pytest.raises(OutputError, match=r"RG603 .*added or changed by somebody: notes.txt"):
        check_target(tmp_path / "v1")


def test_a_bundle_with_a_changed_file_is_refused_by_name(tmp_path: Path) -> None:
    fill(tmp_path / "v1", "old")
    (tmp_path / "v1" / "f07").write_text("0.99")
    with pytest.raises(OutputError, match=r"RG603 .*by somebody: f07"):
        check_target(tmp_path / "v1")


def test_many_touched_files_are_counted_after_five(tmp_path: Path) -> None:
    fill(tmp_path / "v1", "old")
    for i in range(7):
        (tmp_path / "v1" / f"f{i:02}").write_text("changed")
    with pytest.raises(OutputError, match="f00, f01, f02, f03, f04 and 2 more"):
        check_target(tmp_path / "v1")


def test_what_latex_and_the_desktop_leave_behind_is_nobodys_work(tmp_path: Path) -> None:
    fill(tmp_path / "v1", "old")
    (tmp_path / "v1" / "paper").mkdir()
    for name in ("paper/main.pdf", "paper/main.aux", "paper/main.log", ".DS_Store"):
        (tmp_path / "v1" / name).touch()
    check_target(tmp_path / "v1")
    (tmp_path / "v1" / "paper" / "extra.tex").touch()
    with pytest.raises(OutputError, match=r"by somebody: paper/extra\.tex"):
        check_target(tmp_path / "v1")
