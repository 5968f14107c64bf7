"""The archive for arXiv: portable names, no trace of who packed it, and it compiles elsewhere."""

from __future__ import annotations

import getpass
import gzip
import io
import os
import re
import shutil
import tarfile
from pathlib import Path

import pytest

from reportgen.bundle import ARXIV, ThemeRequest, choose_theme, write_bundle
from reportgen.bundle.arxiv import arxiv_archive
from reportgen.domain.record import Results
from reportgen.errors import RenderError
from tests.support.documents import figure_folder, report, write_paper
from tests.support.latex import ENGINES, compiled
from tests.support.once import folder_once


@pytest.fixture(scope="module")
def paper() -> Path:
    return folder_once("user name", _write)[0] / "paper"


def _write(home: Path) -> None:
    figures = figure_folder(home, hostile=True, venue="acl")
    write_paper(report(hostile=True), home / "paper", template="twocolumn", figures=figures)


def members(archive: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        return {entry.name: tar.extractfile(entry).read() for entry in tar}  # type: ignore[union-attr] # files all


def test_names_are_portable_and_everything_a_paper_needs_is_there(paper: Path) -> None:
    names = list(members(arxiv_archive(paper)))
    assert names == sorted(names)
    assert all(re.fullmatch(r"([a-z0-9-]+/)?[a-z0-9-]+\.(tex|bbl|pdf)", name) for name in names)
    assert {"main.tex", "supplement.tex", "supplement.bbl", "macros.tex", "reportgen-preamble.tex"} <= set(names)
    for name, content in members(arxiv_archive(paper)).items():
        for target in re.findall(rb"\\(?:input|rgfigure\{[^}]*\})\{([^}]*)\}", content):
            assert {f"{target.decode()}{suffix}" for suffix in ("", ".tex", ".pdf")} & set(names), name


def test_it_says_nothing_of_who_packed_it_where_and_when(paper: Path, tmp_path: Path) -> None:
    archive = arxiv_archive(paper)
    copy = tmp_path / "elsewhere"
    shutil.copytree(paper, copy)
    for path in copy.rglob("*"):
        path.chmod(0o700)
        os.utime(path, (1, 1))
    assert arxiv_archive(copy) == archive
    unpacked = gzip.decompress(archive)
    for trace in (str(paper), str(paper.parent), "user name", f"/home/{getpass.getuser()}"):
        assert trace.encode() not in unpacked
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        assert {(entry.uid, entry.gid, entry.uname, entry.gname, entry.mtime, entry.mode) for entry in tar} == {
            (0, 0, "", "", 0, 0o644)
        }


@pytest.mark.slow
@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES[:1])
def test_unpacked_elsewhere_it_compiles_without_bibtex(engine: str, paper: Path, tmp_path: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(arxiv_archive(paper))) as tar:
        tar.extractall(tmp_path, filter="data")
    text = compiled(tmp_path, engine) + compiled(tmp_path, engine, "supplement")
    assert "References" in text
    assert "582415" in text  # of the first work cited, by its DOI
    assert "[?]" not in text


def test_a_name_that_arxiv_refuses_and_too_much_of_it_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "My Paper.tex").write_text("x")
    with pytest.raises(RenderError, match=r"RG599 arxiv.tar.gz: the name 'My Paper.tex'"):
        arxiv_archive(tmp_path)
    (tmp_path / "My Paper.tex").rename(tmp_path / "main.tex")
    monkeypatch.setattr("reportgen.bundle.arxiv._LARGEST", 0)
    with pytest.raises(RenderError, match="its files have 0 MB, more than 0 MB"):
        arxiv_archive(tmp_path)


@pytest.mark.usefixtures("small_outputs")
def test_a_bundle_holds_the_archive_when_asked_and_says_how_it_was_made(tmp_path: Path, synthetic: Results) -> None:
    results, theme = choose_theme(synthetic, None, ThemeRequest())
    plain = write_bundle(results, tmp_path / "plain", theme=theme)
    packed = write_bundle(results, tmp_path / "packed", theme=theme, arxiv=True)
    assert set(packed.files) - set(plain.files) == {ARXIV}
    assert list(members((tmp_path / "packed" / ARXIV).read_bytes())) == [
        "figures/roc.pdf", "macros.tex", "main.tex", "reportgen-preamble.tex", "tables/main.tex",
    ]  # fmt: skip
    manifest = (tmp_path / "packed" / "MANIFEST.md").read_text("utf-8")
    assert "- `arxiv.tar.gz`: the LaTeX paper as arXiv takes it" in manifest
    assert re.search(r"^reportgen build .* --arxiv$", manifest, re.MULTILINE)
    assert ARXIV in (tmp_path / "packed" / "SHA256SUMS").read_text("utf-8")
