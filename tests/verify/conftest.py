"""A bundle, and the same bundle with digits changed and its checksums mended."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from msgspec import structs

from reportgen.bundle import relative_files, sha256, write_bundle
from reportgen.contracts import load_contract
from reportgen.evaluation import Evaluation
from reportgen.formats import formats
from reportgen.inputs import read_run
from reportgen.interactive.computing import compute
from tests.support.results import showing

WRONGED, WAS, NOW = "ndcg@10|lexical|positives_only|fold_mean", "0.729", "0.639"


def mend(directory: Path) -> None:
    """Write the checksums of the files as they are now."""
    names = [name for name in relative_files(directory) if name != "SHA256SUMS"]
    sums = "".join(f"{sha256(directory / name)}  {name}\n" for name in names)
    (directory / "SHA256SUMS").write_text(sums, encoding="utf-8")


@pytest.fixture(scope="session")
def tiny(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same run, declared to show few tables: each verification makes all that are shown anew."""
    run = shutil.copytree(tiny, tmp_path_factory.mktemp("run") / "tiny")
    shown = '["main-results", "main-results-compact", "comparisons-compact", "per-label"]'
    with (run / "run.toml").open("a", encoding="utf-8") as file:
        file.write(f"\n[tables]\nshow = {shown}\n")
    return run


@pytest.fixture(scope="session")
def evaluated(tiny: Path) -> Evaluation:
    """The invented run of a dozen queries, evaluated with few resamples."""
    contract = load_contract("field-standard", {"resamples": 20})
    command = "reportgen evaluate --contract field-standard --resamples 20 --seed 0"
    return compute(read_run(tiny), contract, command=command, created="2026-01-18", extent="none")


@pytest.fixture(scope="session")
def tables_only(tmp_path_factory: pytest.TempPathFactory, evaluated: Evaluation) -> Path:
    """A bundle of tables, quickly made; not to be changed."""
    directory = tmp_path_factory.mktemp("sound") / "v1"
    write_bundle(evaluated.results, directory, per_query=evaluated.per_query, formats=("md", "xlsx-tables"))
    return directory


@pytest.fixture
def bundle(tmp_path: Path, tables_only: Path) -> Path:
    """A copy of it to change."""
    return shutil.copytree(tables_only, tmp_path / "v1")


@pytest.fixture(scope="session")
def whole_and_wrong(tmp_path_factory: pytest.TempPathFactory, evaluated: Evaluation) -> tuple[Path, Path]:
    """A bundle in every format, and the bundle of the same results but for one number."""
    folder = tmp_path_factory.mktemp("pair")
    results = showing(evaluated.results, tables=("main-results", "comparisons-compact"), figures=("forest", "roc"))
    right = results.by_id[WRONGED]
    assert right.display.value == WAS
    assert right.value is not None
    wrong = structs.replace(right, value=right.value - 0.09, display=structs.replace(right.display, value=NOW))
    records = tuple(wrong if record is right else record for record in results.results)
    for name, shown in (("right", results), ("wrong", structs.replace(results, results=records))):
        write_bundle(shown, folder / name, per_query=evaluated.per_query, formats=formats())
    return folder / "right", folder / "wrong"
