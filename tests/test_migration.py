"""Files of results of other versions, brought into the present form."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from reportgen.cli import main
from reportgen.domain.record import SCHEMA_VERSION, Results
from reportgen.errors import ResultsError
from reportgen.migration import Step, migrate
from reportgen.results import encode

MAJOR, MINOR, _ = map(int, SCHEMA_VERSION.split("."))


@pytest.fixture
def write(tmp_path: Path, synthetic: Results) -> Callable[..., Path]:
    """Writes the invented results, changed, and returns where."""

    def written(**changed: Any) -> Path:
        path = tmp_path / "metrics_master.json"
        path.write_text(json.dumps({**json.loads(encode(synthetic)), **changed}), encoding="utf-8")
        return path

    return written


def test_a_file_in_the_present_form_is_not_changed(tmp_path: Path, synthetic: Results) -> None:
    path = tmp_path / "metrics_master.json"
    path.write_bytes(encode(synthetic))
    lifted = migrate(path)
    assert (lifted.changes, lifted.content) == ((), path.read_bytes())


def test_fields_that_were_spelt_out_are_left_out_at_their_defaults(
    write: Callable[..., Path], synthetic: Results
) -> None:
    results = json.loads(encode(synthetic))["results"]
    lifted = migrate(write(results=[{"seeds": [], **record} for record in results]))
    assert lifted.content == encode(synthetic)
    assert len(lifted.changes) == 1


def test_a_step_lifts_an_earlier_major_version(write: Callable[..., Path], synthetic: Results) -> None:
    """An invented step: the form before kept the systems under another name."""

    def renamed(data: dict[str, Any]) -> dict[str, Any]:
        return {"systems" if key == "models" else key: value for key, value in data.items()}

    path = write(schema_version=f"{MAJOR - 1}.4.1")
    data = json.loads(path.read_text(encoding="utf-8"))
    data["models"] = data.pop("systems")
    path.write_text(json.dumps(data), encoding="utf-8")
    lifted = migrate(path, {MAJOR - 1: Step(f"{MAJOR}.0.0", "models are systems.", renamed)})
    assert lifted.content == encode(synthetic)
    assert lifted.was == f"{MAJOR - 1}.4.1"
    assert lifted.changes[0].endswith(": models are systems.")


@pytest.mark.parametrize(("version", "said"), [
    (f"{MAJOR - 1}.0.0", "no step leads from"),
    (f"{MAJOR}.{MINOR + 1}.0", "is later than"),
    (f"{MAJOR + 1}.0.0", "is later than"),
    ("9" * 5_000, "says no schema version"),
    ("next", "says no schema version"),
    (None, "says no schema version"),
    (1.0, "says no schema version"),
])  # fmt: skip
def test_a_version_that_cannot_be_lifted_is_refused(write: Callable[..., Path], version: object, said: str) -> None:
    with pytest.raises(ResultsError, match=said) as caught:
        migrate(write(schema_version=version))
    assert caught.value.problems[0].code == "RG406"


@pytest.mark.parametrize("text", ['{"_meta": {"version": "v3.1"}, "ranking_metrics": {}}', "[]", "3"])
def test_other_json_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(ResultsError, match="RG406"):
        migrate(tmp_path / "other.json")


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_json_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "other.json").write_bytes(content)
    with pytest.raises(ResultsError, match="RG402"):
        migrate(tmp_path / "other.json")


def test_the_verb_writes_the_lifted_file_and_leaves_the_old_one(write: Callable[..., Path], tmp_path: Path) -> None:
    path = write()
    before, target = path.read_bytes(), tmp_path / "lifted.json"
    done = CliRunner().invoke(main, ["migrate", str(path), "-o", str(target)])
    assert done.exit_code == 0
    assert path.read_bytes() == before
    assert target.read_bytes() == migrate(path).content
    assert "Wrote" in done.stdout


def test_the_verb_says_what_it_would_do_as_json_and_writes_nothing(write: Callable[..., Path], tmp_path: Path) -> None:
    path = write()
    data = json.loads(CliRunner().invoke(main, ["migrate", str(path), "--json"]).stdout)
    assert (data["was"], data["is"], data["written"]) == (SCHEMA_VERSION, SCHEMA_VERSION, None)
    assert list(tmp_path.iterdir()) == [path]


def test_the_verb_does_not_write_over_what_it_reads(write: Callable[..., Path]) -> None:
    path = write()
    assert CliRunner().invoke(main, ["migrate", str(path), "-o", str(path)]).exit_code == 2
