"""A bundle against the run it was made from."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow.parquet
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from reportgen import peers
from reportgen.bundle import per_query_parquet, write_bundle
from reportgen.cli import main
from reportgen.evaluation import Evaluation
from reportgen.tables import with_intervals
from reportgen.verify import extent_of
from tests.verify.conftest import mend

RATIONAL = "map@10|lexical|positives_only|fold_mean"
"""A mean of fractions, on which the two implementations agree to 1e-12."""


def codes(bundle: Path, run: Path) -> dict[str, list[str]]:
    """Codes found to the results or files they name."""
    done = CliRunner().invoke(main, ["verify", str(bundle), "--runs", str(run), "--json", "-j", "1"])
    found: dict[str, list[str]] = {}
    for fault in json.loads(done.stdout)["faults"]:
        found.setdefault(fault["code"], []).append(*(fault["results"][:1] or [fault["where"]]))
    assert done.exit_code == (1 if found else 0)
    return found


def test_the_run_gives_the_bundle_again(bundle: Path, tiny: Path) -> None:
    assert codes(bundle, tiny) == {}


@pytest.mark.slow
def test_several_runs_give_the_bundle_again_in_their_order(tmp_path: Path, tiny: Path) -> None:
    one, two = (shutil.copytree(tiny, tmp_path / name) for name in ("one", "two"))
    table = (two / "per_query.csv").read_text(encoding="utf-8")
    lines = [
        line for line in table.splitlines(keepends=True) if not line.startswith(table.splitlines()[1].split(",")[0])
    ]
    (two / "per_query.csv").write_text("".join(lines), encoding="utf-8")
    target = str(tmp_path / "v1")
    build = ["-q", "build", str(one), "--beside", str(two), "--queries", "intersect", "--resamples", "20", "-j", "1"]
    done = CliRunner().invoke(main, [*build, "--formats", "md", "-o", target])
    assert done.exit_code == 0, done.output
    verify = ["verify", target, "--json", "-j", "1"]
    again = CliRunner().invoke(main, [*verify, "--runs", str(one), "--runs", str(two)])
    assert json.loads(again.stdout)["faults"] == []
    other = json.loads(CliRunner().invoke(main, [*verify, "--runs", str(one)]).stdout)
    assert "RG627" in {fault["code"] for fault in other["faults"]}


def test_a_value_changed_everywhere_at_once_is_found_by_computing_it_again(
    tmp_path: Path, evaluated: Evaluation, tiny: Path
) -> None:
    right = evaluated.results.by_id[RATIONAL]
    assert right.value is not None
    # The last digits: no printed form, sentence or relation between results can tell.
    wrong = replace(right, value=right.value + 2e-10)
    records = tuple(wrong if record is right else record for record in evaluated.results.results)
    results = replace(evaluated.results, results=records)
    write_bundle(results, tmp_path / "v1", per_query=evaluated.per_query, formats=("md",))
    found = codes(tmp_path / "v1", tiny)
    assert found["RG628"] == [RATIONAL]
    assert set(found) == {"RG628", "RG629"}


def test_a_value_of_a_single_query_is_computed_again(bundle: Path, tiny: Path) -> None:
    path = bundle / "per_query.parquet"
    columns = pyarrow.parquet.read_table(path).to_pydict()
    at = next(i for i, value in enumerate(columns["ndcg@10"]) if value is not None)
    columns["ndcg@10"][at] += 0.01
    path.write_bytes(per_query_parquet(columns))
    mend(bundle)
    found = codes(bundle, tiny)
    assert found["RG628"] == [f"ndcg@10|{columns['system'][at]}|{columns['query'][at]}"]
    assert found["RG629"] == ["per_query.parquet"]


def test_another_run_is_told_by_the_sums_of_its_files(bundle: Path, tiny: Path, tmp_path: Path) -> None:
    run = shutil.copytree(tiny, tmp_path / "run")
    declaration = (run / "run.toml").read_text(encoding="utf-8")
    (run / "run.toml").write_text(declaration + "\n# another\n", encoding="utf-8")
    assert codes(bundle, run)["RG627"] == ["metrics_master.json"]


def test_a_form_of_intervals_given_to_the_build_is_no_deviation_from_the_run(
    tmp_path: Path, evaluated: Evaluation, tiny: Path
) -> None:
    shown = with_intervals(evaluated.results, "sd-and-interval")
    write_bundle(shown, tmp_path / "v1", per_query=evaluated.per_query, formats=("md",))
    assert "±" in (tmp_path / "v1" / "tables" / "main-results-compact.md").read_text(encoding="utf-8")
    assert codes(tmp_path / "v1", tiny) == {}


def test_results_without_a_cross_check_are_made_again_without_one(evaluated: Evaluation) -> None:
    assert extent_of(evaluated.results) == "none"


def test_the_versions_of_the_programs_that_compared_may_be_others_where_the_bundle_is_verified(
    tmp_path: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = str(tmp_path / "v1")
    build = ["-q", "build", str(tiny), "--resamples", "20", "-j", "1", "--formats", "md", "-o", target]
    done = CliRunner().invoke(main, build)
    assert done.exit_code == 0, done.output
    monkeypatch.setattr(peers, "version", lambda name: "0.0.1")
    assert codes(Path(target), tiny) == {}
