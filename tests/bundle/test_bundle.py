from __future__ import annotations

import gzip
import json
import subprocess
from importlib.metadata import version
from pathlib import Path

import msgspec
import pyarrow.parquet
import pytest

from reportgen.bundle import write_bundle
from reportgen.bundle.artifacts import artifact_index
from reportgen.bundle.manifest import manifest_text, regenerate
from reportgen.bundle.outputs import outputs_of
from reportgen.bundle.per_query import per_query_parquet
from reportgen.bundle.provenance import ro_crate
from reportgen.domain.record import Results
from reportgen.errors import OutputError, ResultsError
from reportgen.formats import chosen, render_tables
from reportgen.results import encode
from reportgen.tables import build_tables
from tests.bundle.small import small_presentation

pytestmark = pytest.mark.usefixtures("small_outputs")

DEFAULT = chosen(None)
TABLE_FILES = ("tex", "csv")
ALWAYS = {
    "MANIFEST.md",
    "SHA256SUMS",
    "artifacts.json",
    "metrics_master.csv",
    "metrics_master.json",
    "ro-crate-metadata.json",
}


def test_the_bundle_holds_what_its_return_value_says(tmp_path: Path, synthetic: Results) -> None:
    written = write_bundle(synthetic, tmp_path / "v1", per_query={"query": ["a", "b"], "y_prob": [0.25, 0.5]})
    files = {path.relative_to(tmp_path / "v1").as_posix() for path in (tmp_path / "v1").rglob("*") if path.is_file()}
    assert set(written.files) == files
    assert files == ALWAYS | {
        "per_query.parquet",
        "per_query.csv.gz",
        "report.html",
        "report.pdf",
        "tables.docx",
        "tables.xlsx",
        *(f"tables/main.{suffix}" for suffix in TABLE_FILES),
        *(f"figures/roc.{suffix}" for suffix in ("svg", "pdf")),
        "paper/main.tex",
        "paper/reportgen-preamble.tex",
        "paper/macros.tex",
        "paper/tables/main.tex",
        "paper/figures/roc.pdf",
    }
    assert written.size == sum((tmp_path / "v1" / name).stat().st_size for name in files)


def test_the_master_file_is_what_evaluate_writes(tmp_path: Path, synthetic: Results) -> None:
    write_bundle(synthetic, tmp_path / "v1")
    assert (tmp_path / "v1" / "metrics_master.json").read_bytes() == encode(synthetic)


def test_sha256sum_accepts_the_sums_and_they_leave_out_no_file(tmp_path: Path, synthetic: Results) -> None:
    written = write_bundle(synthetic, tmp_path / "v1")
    checked = subprocess.run(
        ["sha256sum", "--strict", "-c", "SHA256SUMS"], cwd=tmp_path / "v1", capture_output=True, text=True, check=True
    )
    assert checked.stderr == ""
    assert checked.stdout.count(": OK\n") == len(written.files) - 1


def test_artifacts_say_which_file_shows_which_result(tmp_path: Path, synthetic: Results) -> None:
    write_bundle(synthetic, tmp_path / "v1")
    content = json.loads((tmp_path / "v1" / "artifacts.json").read_text())
    shown = {entry["path"]: entry["results"] for entry in content["artifacts"]}
    # In the order a reader meets them: text d a, table a b and its note e, figure c, callout h, subsection f g.
    report = ["d", "a", "b", "e", "c", "h", "f", "g"]
    assert shown == {
        **{f"figures/roc.{suffix}": ["c"] for suffix in ("svg", "pdf")},
        **{f"tables/main.{suffix}": ["a", "b"] for suffix in TABLE_FILES},
        "tables.docx": ["a", "b"],
        "tables.xlsx": ["a", "b"],
        "paper/figures/roc.pdf": ["c"],
        "paper/macros.tex": ["q"],
        "paper/main.tex": report,
        "paper/tables/main.tex": ["a", "b"],
        "report.html": report,
        "report.pdf": report,
    }


def test_the_workbook_of_all_tables_shows_what_each_of_them_shows(synthetic: Results) -> None:
    shown = small_presentation(synthetic)
    assert set(render_tables(shown.tables, ["xlsx", "xlsx-tables"])) == {"tables.xlsx", "main.xlsx"}
    index = json.loads(artifact_index(shown, ["tables.xlsx", "tables/main.xlsx"], chosen(["xlsx", "xlsx-tables"])))
    assert index["formats"] == ["xlsx", "xlsx-tables"]
    assert [entry["results"] for entry in index["artifacts"]] == [["a", "b"], ["a", "b"]]


def test_two_builds_differ_in_no_byte(tmp_path: Path, synthetic: Results) -> None:
    columns = {"query": ["a", "b"], "y_prob": [0.25, None]}
    for name in ("one", "two"):
        write_bundle(synthetic, tmp_path / name, per_query=columns)
    contents = [
        {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (tmp_path / "one", tmp_path / "two")
    ]
    assert contents[0] == contents[1]


def test_a_second_build_replaces_the_first_as_a_whole(tmp_path: Path, synthetic: Results) -> None:
    write_bundle(synthetic, tmp_path / "v1")
    written = write_bundle(synthetic, tmp_path / "v1", formats=("html",))
    assert set(written.files) == ALWAYS | {
        *("report.html", "figures/roc.svg"),
    }


def test_an_output_that_fails_leaves_nothing(
    tmp_path: Path, synthetic: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*arguments: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("reportgen.bundle.outputs.make_output", fails)
    with pytest.raises(ZeroDivisionError):
        write_bundle(synthetic, tmp_path / "deep" / "v1")
    assert list(tmp_path.iterdir()) == []


def test_progress_hears_of_each_output_at_beginning_and_end_and_of_each_figure(
    tmp_path: Path, synthetic: Results
) -> None:
    heard: list[tuple[str, float]] = []
    write_bundle(synthetic, tmp_path / "v1", progress=lambda output, share: heard.append((output, share)))
    for output in ("figures", "tables", "html", "pdf", "latex"):
        assert [share for name, share in heard if name == output and share in (0.0, 1.0)] == [0.0, 1.0]
    # What shows figures begins when these are drawn.
    assert heard.index(("figures", 1.0)) < heard.index(("html", 0.0))
    drawn = [share for output, share in heard if output == "figures"]
    n = len(list((tmp_path / "v1" / "figures").glob("*.pdf")))
    assert drawn == [done / n for done in range(n + 1)]


def test_tables_say_the_share_done_by_table_and_format(synthetic: Results) -> None:
    shares: list[float] = []
    tables = build_tables(synthetic)[:2]
    render_tables(tables, ["md", "csv"], shares.append)
    assert shares == [0.0, 0.25, 0.5, 0.75]


@pytest.mark.parametrize(
    ("names", "outputs"),
    [
        (("csv",), ("tables",)),
        (("png",), ("figures",)),
        (("figure-data",), ("figures",)),
        (("md",), ("tables",)),
        (("html",), ("figures", "html")),
        (("latex",), ("figures", "tables", "latex")),
        (("pdf",), ("figures", "pdf")),
        (None, ("figures", "tables", "html", "pdf", "latex")),
    ],
)
def test_only_the_outputs_of_the_asked_formats_are_made(
    names: tuple[str, ...] | None, outputs: tuple[str, ...]
) -> None:
    assert outputs_of(chosen(names)) == outputs


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path: Path, synthetic: Results) -> None:
    with pytest.raises(OutputError, match=r"RG604 unknown format rtf"):
        write_bundle(synthetic, tmp_path / "v1", formats=("html", "rtf"))
    assert list(tmp_path.iterdir()) == []


def test_per_query_values_come_back_from_parquet_as_they_went_in(tmp_path: Path) -> None:
    columns = {"query": ["a", "b", "c"], "ndcg@10": [0.25, None, 1.0], "selected_k": [3, 0, 5]}
    content = per_query_parquet(columns)
    (tmp_path / "p.parquet").write_bytes(content)
    assert pyarrow.parquet.read_table(tmp_path / "p.parquet").to_pydict() == columns
    assert per_query_parquet(columns) == content


def test_per_query_values_of_another_bundle_are_taken_over_unchanged(tmp_path: Path, synthetic: Results) -> None:
    parquet = per_query_parquet({"query": ["=1+1", "b"], "y_prob": [0.1 + 0.2, None]})
    write_bundle(synthetic, tmp_path / "v1", per_query=parquet)
    assert (tmp_path / "v1" / "per_query.parquet").read_bytes() == parquet
    packed = (tmp_path / "v1" / "per_query.csv.gz").read_bytes()
    assert gzip.decompress(packed).decode() == '"query","y_prob"\n"\'=1+1",0.30000000000000004\n"b",\n'


def test_per_query_values_that_cannot_be_read_are_not_passed_on(tmp_path: Path, synthetic: Results) -> None:
    with pytest.raises(ResultsError, match=r"RG406 per_query.parquet: is not a Parquet file"):
        write_bundle(synthetic, tmp_path / "v1", per_query=b"PAR1 bytes")
    assert list(tmp_path.iterdir()) == []


def test_the_manifest_states_the_command_the_contract_the_seed_and_the_inputs(synthetic: Results) -> None:
    text = manifest_text(synthetic, ["MANIFEST.md", "tables/a.csv", "tables/b.csv"], DEFAULT)
    seed, resamples = (synthetic.contract.conventions[key] for key in ("seed", "resamples"))
    assert f"reportgen build RUN_FOLDER -o BUNDLE --contract {synthetic.contract.id} --resamples {resamples}" in text
    assert f"--seed {seed}" in text
    assert "in other formats if asked for (2 files)" in text
    assert "report.pdf" not in text
    assert synthetic.contract.sha256 in text
    assert "  - `tune_predictions.csv` (" in manifest_text(
        msgspec.structs.replace(
            synthetic, inputs=(msgspec.structs.replace(synthetic.inputs[0], path="tune_predictions.csv"),)
        ),
        ["MANIFEST.md"],
        DEFAULT,
    )
    assert all(record.sha256 in text for record in synthetic.inputs)
    assert f"weasyprint {version('weasyprint')}" in text


def test_the_manifest_names_the_formats_unless_they_are_the_default(synthetic: Results) -> None:
    assert regenerate(synthetic, DEFAULT).rpartition("--seed ")[2].isdigit()
    assert regenerate(synthetic, chosen(("html", "csv"))).endswith("--formats html,csv")


def test_the_command_of_the_manifest_names_the_runs_beside_and_how_they_were_computed(synthetic: Results) -> None:
    recorded = "reportgen evaluate --beside 'my base' --beside old --queries intersect"
    beside = msgspec.structs.replace(synthetic, command=recorded, x={"queries": "intersect", "crosscheck": "all"})
    words = "--beside 'my base' --beside old --crosscheck all --queries intersect"
    assert regenerate(beside, DEFAULT).partition(" --beside ")[2] == words.partition("--beside ")[2]
    assert "--beside" not in regenerate(msgspec.structs.replace(beside, command="a 'b --beside c"), DEFAULT)


def test_a_date_from_source_date_epoch_is_part_of_the_command(synthetic: Results) -> None:
    # 2026-01-18T00:00:00Z is 20,471 days of 86,400 s after 1970-01-01.
    dated = msgspec.structs.replace(synthetic, created="2026-01-18T00:00:00Z")
    assert regenerate(dated, DEFAULT).startswith(f"SOURCE_DATE_EPOCH={20471 * 86400} reportgen build ")


def test_the_manifest_calls_synthetic_data_synthetic_and_states_a_missing_date(synthetic: Results) -> None:
    run = msgspec.structs.replace(synthetic.run, synthetic=True, date=None)
    text = manifest_text(msgspec.structs.replace(synthetic, run=run, created=None), ["MANIFEST.md"], DEFAULT)
    assert "The data of this bundle are synthetic." in text
    assert "- Date: none, since the run states none" in text


def test_a_title_is_text_in_the_manifest_and_in_the_crate(synthetic: Results) -> None:
    hostile = "a\n# b `c` <img src=x> *d* | $e$"
    run = msgspec.structs.replace(synthetic.run, title=hostile)
    results = msgspec.structs.replace(synthetic, run=run)
    first = manifest_text(results, ["MANIFEST.md"], DEFAULT).splitlines()[0]
    assert first == r"# a \# b \`c\` \<img src=x\> \*d\* \| \$e\$"
    root = {entity["@id"]: entity for entity in json.loads(ro_crate(results, []))["@graph"]}["./"]
    assert root["name"] == hostile


def test_the_manifest_shows_what_in_a_name_of_a_file_acts_on_a_terminal(synthetic: Results) -> None:
    inputs = tuple(
        msgspec.structs.replace(synthetic.inputs[0], path=path) for path in ("a.csv", "a\x1b[31mb.csv", "a\u202eb.csv")
    )
    text = manifest_text(msgspec.structs.replace(synthetic, inputs=inputs), ["MANIFEST.md"], DEFAULT)
    assert "  - `a.csv`" in text
    assert r"  - a\[U\+001B\]\[31mb.csv" in text
    assert r"  - a\[U\+202E\]b.csv" in text


def test_the_crate_links_files_inputs_contract_and_software(synthetic: Results) -> None:
    crate = json.loads(ro_crate(synthetic, ["report.pdf", "tables/main.csv"]))
    entities = {entity["@id"]: entity for entity in crate["@graph"]}
    assert len(entities) == len(crate["@graph"])
    descriptor = entities["ro-crate-metadata.json"]
    assert descriptor["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}
    assert descriptor["about"] == {"@id": "./"}
    assert entities["./"]["hasPart"] == [{"@id": "report.pdf"}, {"@id": "tables/main.csv"}]
    assert entities["report.pdf"]["encodingFormat"] == "application/pdf"
    used = {reference["@id"] for reference in entities["#evaluation"]["object"]}
    assert used == {"#contract", *(f"#input-{record.id}" for record in synthetic.inputs)}
    references = [
        reference["@id"]
        for entity in crate["@graph"]
        for value in entity.values()
        for reference in (value if isinstance(value, list) else [value])
        if isinstance(reference, dict)
    ]
    assert {reference for reference in references if not reference.startswith("https:")} <= set(entities)
