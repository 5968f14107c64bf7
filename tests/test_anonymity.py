from __future__ import annotations

import json
import re
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pikepdf
import pyarrow.parquet
import pypdf
import pytest
from click.testing import CliRunner

from reportgen.anonymity import anonymous, hiding, is_anonymous
from reportgen.cli import main
from reportgen.domain.record import Results, SystemRecord
from reportgen.errors import RenderError
from reportgen.formats.readers import pages_of
from reportgen.results import decode, encode
from tests.support.once import folder_once
from tests.support.results import make_results

ROOT = Path(__file__).resolve().parent.parent
AUTHOR = "Jane van Quillfeather"


def _by(*authors: str, **run: Any) -> Results:
    results = make_results(2)
    return msgspec.structs.replace(results, run=msgspec.structs.replace(results.run, authors=authors, **run))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("By Jane van Quillfeather.", "By anonymous."),
        ("by JANE VAN QUILLFEATHER", "by anonymous"),
        ("Quillfeather, Jane van: data", "anonymous: data"),
        ("J. Quillfeather and jquillfeather", "anonymous and anonymous"),
        ("jane_quillfeather-run2", "anonymous-run2"),
        ("the Quillfeather corpus", "the anonymous corpus"),
        ("see https://example.org/~jq/x?y=1).", "see REMOVED)."),
        ("git@example.org:jq/run.git", "REMOVED"),
        ("write to jq@example.org", "write to REMOVED"),
        ("in /home/jq/runs/a.csv, line 3", "in REMOVED, line 3"),
        (r"in C:\Users\jq\runs", "in REMOVED"),
        ("in ~/runs/a", "in REMOVED"),
        # What only looks like a path or a name stays.
        ("and/or 3/4 of P/R, ndcg@10", "and/or 3/4 of P/R, ndcg@10"),
        ("a janet and a quill", "a janet and a quill"),
    ],
)
def test_names_and_places_are_taken_out_of_a_text(text: str, left: str) -> None:
    assert hiding(_by(AUTHOR))(text) == left


def test_an_organisation_is_taken_out_as_a_whole_and_its_words_stay() -> None:
    hide = hiding(_by("The reportgen authors"))
    assert (
        hide("by The reportgen authors, made with reportgen for authors")
        == "by anonymous, made with reportgen for authors"
    )


def test_an_author_without_a_family_name_is_taken_out_as_a_word() -> None:
    assert hiding(_by("Plato", ""))("Plato and platonic plato") == "anonymous and platonic anonymous"


def test_results_lose_authors_revision_and_extensions_and_say_so() -> None:
    results = msgspec.structs.replace(_by(AUTHOR), vcs="git:1234", x={"host": "quill-01"})
    bare = anonymous(results)
    assert bare.run.authors == ()
    assert bare.vcs is None
    assert bare.x == {"anonymous": True}
    assert is_anonymous(bare)
    assert not is_anonymous(results)
    # Numbers and facts of metrics are as they were.
    assert [record.value for record in bare.results] == [record.value for record in results.results]
    assert bare.metrics == results.metrics


def test_what_is_anonymous_already_is_left_as_it_is() -> None:
    once = anonymous(_by(AUTHOR))
    assert encode(anonymous(once)) == encode(once)


def test_input_files_are_called_by_their_role() -> None:
    results = _by(AUTHOR)
    first = results.inputs[0]
    files = tuple(
        msgspec.structs.replace(first, id=f"f{at}", path=path, role="predictions")
        for at, path in enumerate(("lab-x/a.csv.gz", "lab-y/b.csv.gz"))
    )
    notice = "lab-y/b.csv.gz: columns not used: x"
    bare = anonymous(msgspec.structs.replace(results, inputs=files, warnings=(notice,)))
    assert [file.path for file in bare.inputs] == ["predictions.csv.gz", "predictions-2.csv.gz"]
    assert [file.sha256 for file in bare.inputs] == [first.sha256] * 2
    assert bare.warnings == ("predictions-2.csv.gz: columns not used: x",)


def _renamed(results: Results, at: int, id: str, label: str) -> Results:
    """The results with another id and label of one system, wherever the id stands."""
    old = results.systems[at]
    system: SystemRecord = msgspec.structs.replace(old, id=id, label=label)
    text = encode(msgspec.structs.replace(results, systems=(*results.systems[:at], old, *results.systems[at + 1 :])))
    moved = re.sub(rf"(?<![A-Za-z0-9]){old.id}(?![A-Za-z0-9])", id, text.decode())
    found = decode(moved.encode(), Path("x"))
    systems = tuple(system if one.id == id else one for one in found.systems)
    return msgspec.structs.replace(found, systems=systems)


def test_an_id_that_was_made_from_a_named_label_is_renamed_wherever_it_stands() -> None:
    # What `reportgen.inputs.ids.slugs` makes of the label: the colon becomes a hyphen, and the link is none any more.
    results = _renamed(_by(AUTHOR), 1, "see-https-//example.org/jq", "see https://example.org/jq")
    bare = anonymous(results)
    assert bare.systems[1].label == "see REMOVED"
    assert bare.systems[1].id == "anonymous-1"
    assert b"example.org" not in encode(bare)
    assert any(record.system == "anonymous-1" for record in bare.results)


def test_an_id_that_the_run_gave_by_itself_says_nothing_of_the_label_and_stays() -> None:
    bare = anonymous(_renamed(_by(AUTHOR), 1, "gnn", "/home/jq/model"))
    assert (bare.systems[1].id, bare.systems[1].label) == ("gnn", "REMOVED")


def test_a_name_with_accents_is_found_without_them() -> None:
    bare = anonymous(_renamed(_by("José Peña"), 1, "Modell-von-Jose-Pena", "Modell von José Peña"))
    assert bare.systems[1].label == "Modell von anonymous"
    assert "Pena" not in encode(bare).decode()
    assert hiding(_by("José Peña"))("jpena and Peña") == "anonymous and anonymous"


def test_two_systems_that_differ_in_an_authors_name_alone_are_refused() -> None:
    results = _renamed(_renamed(_by(AUTHOR), 0, "Quillfeather", "one"), 1, "anonymous", "two")
    with pytest.raises(RenderError, match="RG585") as raised:
        anonymous(results)
    assert raised.value.problems[0].code == "RG585"


@pytest.fixture(scope="module")
def bundle() -> Path:
    """An anonymous bundle of the tiny run, whose declaration names its author wherever a user may write."""
    return folder_once("quillfeather-laboratory", _build)[0] / "bundle"


def _build(home: Path) -> None:
    """Build it of the tables that show each kind of name, title and note, and of three figures."""
    run = home / "jquillfeather run"
    shutil.copytree(ROOT / "sample_runs" / "tiny", run)
    # A folder of the author's name inside the run, and a query id and a cell that hold the name.
    (run / "quillfeather").mkdir()
    data = (run / "per_query.csv").read_text(encoding="utf-8")
    first_post = data.splitlines()[1].split(",")[0]
    (run / "quillfeather" / "per_query.csv").write_text(data.replace(first_post, "quillfeather-1"), encoding="utf-8")
    (run / "per_query.csv").unlink()
    text = (run / "run.toml").read_text(encoding="utf-8")
    text = text.replace('authors = ["The reportgen authors"]', f'authors = ["{AUTHOR}"]')
    text = text.replace('title = "Tiny', 'title = "The Quillfeather corpus, tiny')
    text = text.replace("Synthetic data, made", "From https://example.org/quillfeather and /home/jquillfeather/x, made")
    text = text.replace('"per_query.csv"', '"quillfeather/per_query.csv"')
    text = text.replace('label = "Neural"', 'label = "Neural of J. van Quillfeather"')
    text += '\n[figures]\nshow = ["forest", "roc", "per-label"]\n'
    shown = ("main-results", "main-results-compact", "dataset", "comparisons", "per-label", "conventions", "checks")
    text += f"\n[tables]\nshow = {json.dumps(shown)}\n"
    (run / "run.toml").write_text(text, encoding="utf-8")
    words = ["build", str(run), "-o", str(home / "bundle"), "--resamples", "20", "-j", "1", "--anonymous"]
    done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output


def _contents(path: Path) -> Iterator[bytes]:
    """The bytes of a file, and what is compressed in them, opened."""
    yield path.read_bytes()
    if path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as archive:
            yield from (archive.read(name) for name in archive.namelist())
    elif path.suffix == ".pdf":
        with pikepdf.open(path) as pdf:
            for thing in pdf.objects:
                yield _stream(thing) if isinstance(thing, pikepdf.Stream) else repr(thing).encode()
            yield str(pdf.docinfo).encode()
        yield "".join(pages_of(pypdf.PdfReader(path))).encode()
    elif path.suffix == ".parquet":
        table = pyarrow.parquet.read_table(path)
        yield str(table.schema).encode()
        yield json.dumps(table.to_pydict(), default=str).encode()


def _stream(stream: pikepdf.Stream) -> bytes:
    try:
        return stream.read_bytes()
    except pikepdf.PdfError:  # an image
        return stream.read_raw_bytes()


@pytest.mark.slow
def test_no_file_of_an_anonymous_bundle_holds_author_or_path(bundle: Path) -> None:
    files = sorted(path for path in bundle.rglob("*") if path.is_file())
    assert {path.suffix for path in files} >= {".html", ".pdf", ".tex", ".xlsx", ".csv", ".json", ".parquet", ".svg"}
    forbidden = re.compile(
        rb"quillfeather|example\.org/|/home/|" + re.escape(str(bundle.parent).encode()), re.IGNORECASE
    )
    for path in files:
        assert not forbidden.search(path.name.encode())
        for content in _contents(path):
            assert not forbidden.search(content), path.relative_to(bundle)


def test_an_anonymous_bundle_names_no_author_and_says_how_it_is_made_again(bundle: Path) -> None:
    crate = json.loads((bundle / "ro-crate-metadata.json").read_text(encoding="utf-8"))["@graph"]
    assert not [entity for entity in crate if entity["@type"] == "Person"]
    with pikepdf.open(bundle / "report.pdf") as pdf:
        assert not str(pdf.docinfo.get("/Author", ""))
    assert "--anonymous" in (bundle / "MANIFEST.md").read_text(encoding="utf-8")
    assert r"\author{}" in (bundle / "paper" / "main.tex").read_text(encoding="utf-8")


@pytest.mark.slow
def test_an_anonymous_bundle_is_verified_against_its_run(tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(ROOT / "sample_runs" / "tiny", run)
    declaration = run / "run.toml"
    text = declaration.read_text(encoding="utf-8").replace("The reportgen authors", AUTHOR)
    declaration.write_text(text.replace('label = "Neural"', 'label = "Neural of Quillfeather"'), encoding="utf-8")
    words = ["build", str(run), "-o", str(tmp_path / "b"), "--resamples", "20", "-j", "1", "--formats", "csv,md"]
    assert CliRunner().invoke(main, [*words, "--anonymous"], catch_exceptions=False).exit_code == 0
    again = ["verify", str(tmp_path / "b"), "--runs", str(run), "-j", "1"]
    done = CliRunner().invoke(main, again, catch_exceptions=False)
    assert done.exit_code == 0, done.output


@pytest.mark.slow
def test_columns_named_after_an_author_are_said_again_to_verify_an_anonymous_bundle(tmp_path: Path) -> None:
    run, bundle = tmp_path / "run", tmp_path / "b"
    run.mkdir()
    rows = "".join(f"q{n},{n % 2},0.{n % 9 + 1}\n" for n in range(24))
    (run / "mine.csv").write_text(f"id,by_quillfeather,prob\n{rows}", encoding="utf-8")
    (run / "run.toml").write_text(f'authors = ["{AUTHOR}"]\n', encoding="utf-8")
    said = ["--column", "y_true=by_quillfeather", "--column", "cluster=id"]
    words = ["build", str(run), "-o", str(bundle), "--resamples", "20", "-j", "1", "--formats", "csv,md", *said]
    done = CliRunner().invoke(main, [*words, "--anonymous"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "--column y_true=by_anonymous" in (bundle / "MANIFEST.md").read_text(encoding="utf-8")
    again = ["verify", str(bundle), "--runs", str(run), "-j", "1"]
    assert CliRunner().invoke(main, again).exit_code == 2
    done = CliRunner().invoke(main, [*again, *said], catch_exceptions=False)
    assert done.exit_code == 0, done.output
