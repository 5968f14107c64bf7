from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest

from reportgen.cli.output import StepDisplay
from reportgen.cli.sources import Changes, _workers_at, obtain, refuse_source
from reportgen.domain.record import Results
from reportgen.domain.run import RunInfo
from reportgen.errors import InputError, OutputError, ResultsError
from reportgen.interactive.computing import creation_date
from reportgen.results import encode

QUIET = StepDisplay(quiet=True)


def dated(date: str | None) -> Any:
    return SimpleNamespace(info=RunInfo(title="T", date=date))


def test_the_date_is_source_date_epochs_else_the_runs_else_none() -> None:
    # 20,471 days after 1970-01-01 is 2026-01-18.
    assert creation_date(dated("2025-12-24"), {"SOURCE_DATE_EPOCH": str(20471 * 86400 + 61)}) == "2026-01-18T00:01:01Z"
    assert creation_date(dated("2025-12-24"), {"SOURCE_DATE_EPOCH": ""}) == "2025-12-24"
    assert creation_date(dated(None), {}) is None


@pytest.mark.parametrize("epoch", ["yesterday", "1.5", "9" * 30])
def test_a_source_date_epoch_that_is_no_date_is_refused(epoch: str) -> None:
    with pytest.raises(OutputError, match=r"RG605 SOURCE_DATE_EPOCH: .*not a number of seconds"):
        creation_date(dated(None), {"SOURCE_DATE_EPOCH": epoch})


@pytest.mark.parametrize("as_folder", [False, True], ids=["file", "bundle"])
def test_results_are_read_from_the_file_or_from_the_bundle_around_it(
    tmp_path: Path, synthetic: Results, as_folder: bool
) -> None:
    (tmp_path / "metrics_master.json").write_bytes(encode(synthetic))
    source = tmp_path if as_folder else tmp_path / "metrics_master.json"
    obtained = obtain(source, Changes(), QUIET)
    assert encode(obtained.results) == encode(synthetic)
    assert obtained.per_query is None


def test_the_values_per_query_of_a_bundle_come_with_it(tmp_path: Path, synthetic: Results) -> None:
    (tmp_path / "metrics_master.json").write_bytes(encode(synthetic))
    (tmp_path / "per_query.parquet").write_bytes(b"PAR1")
    assert obtain(tmp_path, Changes(), QUIET).per_query == b"PAR1"
    assert obtain(tmp_path / "metrics_master.json", Changes(), QUIET).per_query is None


@pytest.mark.parametrize(("bokeh", "said"), [(True, "Note: Dask's dashboard: http://host:8787/status\n"), (False, "")])
def test_a_note_says_where_the_dashboard_is_if_it_is_drawn(
    bokeh: bool, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def connected(address: str) -> Iterator[Any]:
        yield SimpleNamespace(dashboard_link="http://host:8787/status")

    monkeypatch.setattr("reportgen.dask_workers.connected", connected)
    monkeypatch.setattr("reportgen.cli.sources.find_spec", lambda name: bokeh)
    with _workers_at("tcp://host:8786", StepDisplay(quiet=False)):
        pass
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        (Changes(contract="trec-eval"), "--contract would change numbers"),
        (Changes(beside=(Path("other"),)), "--beside would change numbers"),
        (Changes(seed=0), "--seed would change numbers"),
        (Changes(contract="trec-eval", resamples=10, seed=1), "--contract and --resamples and --seed would"),
        (Changes(crosscheck="all"), "--crosscheck computes a run a second time"),
    ],
)
def test_an_option_that_changes_numbers_is_refused_for_computed_numbers(
    tmp_path: Path, synthetic: Results, changes: Changes, named: str
) -> None:
    (tmp_path / "metrics_master.json").write_bytes(encode(synthetic))
    with pytest.raises(click.UsageError, match=named):
        obtain(tmp_path, changes, QUIET)


def test_a_json_that_is_no_metrics_master_is_an_error_of_the_results(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('{"kind": "other"}')
    with pytest.raises(ResultsError, match=r"other\.json"):
        obtain(tmp_path / "other.json", Changes(), QUIET)


def test_a_run_is_evaluated_under_the_asked_contract_else_its_own_else_the_default(
    tmp_path: Path, synthetic: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, dict[str, int]]] = []
    commands: list[str] = []

    def load_contract(name: str, overrides: dict[str, int], *, beside: Path | None) -> Any:
        asked.append((name, overrides))
        return SimpleNamespace(id="c", integer={"resamples": 77, "seed": 5}.__getitem__)

    def evaluate(
        run: Any, contract: Any, *, command: str, created: str | None, jobs: int, workers: Any, progress: Any
    ) -> Any:
        assert jobs >= 1
        commands.append(command)
        assert created == "2025-12-24"
        return SimpleNamespace(results=synthetic, columns=lambda: {"query": ["a"]})

    info = RunInfo(title="T", date="2025-12-24")
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    monkeypatch.setattr("reportgen.contracts.load_contract", load_contract)
    monkeypatch.setattr("reportgen.interactive.computing.evaluated", evaluate)
    monkeypatch.setattr("reportgen.interactive.computing.readings", lambda run, results, contract, workers: ())
    for own in (None, "trec-eval"):
        run = SimpleNamespace(info=dataclasses.replace(info, contract=own))
        monkeypatch.setattr("reportgen.recognition.read", lambda source, data, said, prepare, run=run: run)
        obtain(tmp_path, Changes(crosscheck="none"), QUIET)
    assert obtain(tmp_path, Changes("mine.toml", 77, 5, "none"), QUIET).per_query == {"query": ["a"]}
    assert asked == [("field-standard", {}), ("trec-eval", {}), ("mine.toml", {"resamples": 77, "seed": 5})]
    assert set(commands) == {"reportgen evaluate --contract c --resamples 77 --seed 5"}


def test_writing_over_the_source_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text("y_true,y_prob\n")
    with pytest.raises(OutputError, match=r"RG606 .*is the input itself"):
        refuse_source(tmp_path / "run.csv", tmp_path / "." / "run.csv")
    refuse_source(tmp_path / "run.csv", tmp_path / "other.csv")
    other = tmp_path / "elsewhere" / "other.csv"
    other.parent.mkdir()
    other.write_text("y_true,y_prob\n")
    with pytest.raises(OutputError, match=r"RG606 .*is the input itself"):
        refuse_source(tmp_path / "run.csv", other, other)


def two_runs(folder: Path) -> list[Path]:
    """Systems *one* and *two* on queries a to d; *two* lacks d in its second form."""
    runs = [folder / "one", folder / "two", folder / "three"]
    for path, queries in zip(runs, ("abcd", "abcd", "abc"), strict=True):
        path.mkdir()
        rows = [f"{query},{query in 'ab':d},{0.2 * n + 0.1:.1f}" for n, query in enumerate(queries)]
        (path / "predictions.csv").write_text("\n".join(["query,y_true,y_prob", *rows]) + "\n")
    return runs


def test_systems_of_several_folders_stand_side_by_side_and_the_command_says_so(tmp_path: Path) -> None:
    one, two, _ = two_runs(tmp_path)
    results = obtain(one, Changes(resamples=5, beside=(two,)), QUIET, jobs=1).results
    assert [system.id for system in results.systems] == ["one", "two"]
    assert results.subset_by_id["all_queries"].n_queries == 4
    assert results.command.endswith(" --beside two")


def test_several_runs_are_compared_on_the_same_queries_or_on_those_of_all_if_asked(tmp_path: Path) -> None:
    one, _, three = two_runs(tmp_path)
    with pytest.raises(InputError, match="RG155"):
        obtain(one, Changes(resamples=5, beside=(three,)), QUIET, jobs=1)
    common = obtain(one, Changes(resamples=5, beside=(three,), queries="intersect"), QUIET, jobs=1).results
    assert common.subset_by_id["all_queries"].n_queries == 3
    assert common.command.endswith(" --beside three --queries intersect")
    with pytest.raises(click.UsageError, match="name another with --beside"):
        obtain(one, Changes(queries="intersect"), QUIET)


def test_a_folder_with_a_run_toml_is_a_run_though_results_lie_in_it(
    tmp_path: Path, synthetic: Results, capsys: pytest.CaptureFixture[str]
) -> None:
    one, *_ = two_runs(tmp_path)
    (one / "run.toml").write_text('title = "The run"\n')
    (one / "metrics_master.json").write_bytes(encode(synthetic))
    assert obtain(one, Changes(resamples=5), StepDisplay(quiet=False), jobs=1).results.run.title == "The run"
    assert "has a run.toml, so the run is evaluated" in capsys.readouterr().err
