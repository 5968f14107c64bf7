"""Whichever way the same data come in, they are the same run, or refused for the same reason."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

import reportgen as rg
from reportgen.cli import init, main
from reportgen.errors import InputError, ReportgenError
from reportgen.results import encode

ROOT = Path(__file__).resolve().parents[2]

TRUE = (1, 0, 1, 0, 1, 0)
P = (0.9, 0.2, 0.6, 0.4, 0.7, 0.1)


def csv(**columns: Any) -> str:
    rows = zip(*columns.values(), strict=True)
    return "".join(",".join(map(str, row)) + "\n" for row in (tuple(columns), *rows))


IDS = tuple(f"q{n}" for n in range(6))
TABLES = {
    "bare": csv(y_true=TRUE, y_prob=P),
    "own names": csv(exampleId=IDS, patient=("a", "a", "b", "b", "c", "c"), died=TRUE, risk=P),
    "side by side": csv(id=IDS, y_true=TRUE, svm_prob=P, bert_prob=P[::-1]),
    "below each other": csv(id=IDS * 2, model=("a",) * 6 + ("b",) * 6, y_true=TRUE * 2, prob=P + P[::-1]),
    "classes": csv(id=IDS, truth=("cat", "dog") * 3, prob_cat=P, prob_dog=[round(1 - p, 1) for p in P]),
    "document": csv(doc_id=range(6), target=TRUE, prob=P),
    "predicted and true": csv(text=IDS, true_label=TRUE, label=(1, 0, 1, 0, 1, 0), probability=P),
    "a cell is missing": csv(id=IDS, y_true=TRUE, a_prob=P, b_prob=(0.1, "", 0.3, 0.4, 0.5, 0.6)),
    "percent": csv(id=IDS, y_true=TRUE, risk=[100 * p for p in P]),
    "decisions": csv(id=IDS, y_true=TRUE, a_prob=P, b_prob=TRUE[::-1]),
    "weights": csv(id=IDS, y_true=TRUE, y_prob=P, sample_weight=(1, 2, 1, 2, 1, 3)),
    "nothing predicted": csv(id=IDS, y_true=TRUE),
    "two truths": csv(id=IDS, smoker=TRUE[::-1], died=TRUE, risk=P),
}


def facts(run: rg.Run) -> object:
    return (
        run.queries.ids,
        run.queries.y_true.tolist(),
        run.queries.cluster.tolist(),
        [(one.label, None if one.y_prob is None else one.y_prob.tolist()) for one in run.systems],
        run.info.doubts and [doubt.partition(": ")[2] for doubt in run.info.doubts],
    )


def outcome(door: Callable[[], rg.Run]) -> object:
    """What a run holds, or the codes for which it is refused."""
    try:
        return facts(door())
    except ReportgenError as error:
        return sorted({problem.code for problem in error.problems})


def through_init(folder: Path) -> rg.Run:
    """The run that is read under what ``init`` writes; what it refuses, it refuses with a code."""
    done = CliRunner().invoke(main, ["init", str(folder)])
    if done.exit_code:
        assert isinstance(done.exception, SystemExit)
        assert done.stderr.startswith("RG")
        return rg.load(folder)
    return rg.load(folder)


@pytest.mark.parametrize("name", TABLES)
def test_a_file_a_folder_init_and_a_frame_are_one_run(tmp_path: Path, name: str) -> None:
    (tmp_path / "outputs").mkdir()
    path = tmp_path / "outputs" / "anything.csv"
    path.write_text(TABLES[name])
    found = outcome(lambda: rg.load(path))
    assert outcome(lambda: rg.load(path.parent)) == found
    assert outcome(lambda: rg.from_frame(pd.read_csv(path))) == found
    assert outcome(lambda: through_init(path.parent)) == found


def test_what_each_of_these_tables_is() -> None:
    def read(name: str) -> rg.Run:
        return rg.from_frame(pd.read_csv(StringIO(TABLES[name])))

    assert [one.label for one in read("side by side").systems] == ["svm", "bert"], "in the order of the columns"
    assert read("own names").clusters == ("a", "b", "c")
    assert read("document").queries.ids == ("0", "1", "2", "3", "4", "5")
    assert read("predicted and true").queries.y_true.tolist() == list(TRUE)
    assert not read("predicted and true").labels


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("a cell is missing", "RG130", r"column 'b_prob': not a number: blank .*\n.*\n.*--column ignore=b_prob"),
        ("percent", "RG131", r"'90.*--column y_prob=risk --scale percent"),
        ("decisions", "RG158", r"column 'b_prob'.*--scale b=decision"),
        ("weights", "RG160", r"column 'sample_weight' holds weights.*ignore"),
    ],
)
def test_a_column_that_looks_like_the_runs_is_never_dropped(tmp_path: Path, name: str, code: str, said: str) -> None:
    (tmp_path / "validation.csv").write_text(TABLES[name])
    with pytest.raises(InputError, match=f"(?s){code} validation.csv: .*{said}"):
        rg.load(tmp_path / "validation.csv")


def test_the_option_that_a_message_names_answers_it(tmp_path: Path) -> None:
    for name, options in {
        "percent": ["--column", "y_prob=risk", "--scale", "percent"],
        "decisions": ["--scale", "b=decision"],
        "a cell is missing": ["--column", "ignore=b_prob"],
        "weights": ["--column", "ignore=sample_weight"],
        "two truths": ["--column", "y_true=died"],
        "classes": ["--positive-class", "cat"],
    }.items():
        folder = tmp_path / name
        folder.mkdir()
        (folder / "data.csv").write_text(TABLES[name])
        done = CliRunner().invoke(main, ["init", str(folder), *options])
        assert done.exit_code == 0, (name, done.stderr)
        assert next(one.y_prob.tolist() for one in rg.load(folder).systems if one.y_prob is not None) == list(P)


def test_a_lone_validation_file_is_the_run_and_not_its_tuning_part(tmp_path: Path) -> None:
    (tmp_path / "validation.csv").write_text(TABLES["bare"])
    assert rg.load(tmp_path).systems[0].tune is None


@pytest.mark.parametrize("name", ["validation", "predictions", "queries", "outputs"])
def test_what_is_said_of_columns_holds_whatever_the_lone_file_is_called(name: str, tmp_path: Path) -> None:
    ward = ("x", "x", "y", "y", "z", "z")
    (tmp_path / f"{name}.csv").write_text(csv(number=IDS, ward=ward, sex=("f", "m") * 3, ill=TRUE, score=P))
    said = ["query=number", "cluster=ward", "y_true=ill", "y_prob=score"]
    options = [part for one in said for part in ("--column", one)]
    done = CliRunner().invoke(main, ["init", str(tmp_path), *options, "--subgroup", "sex"])
    assert done.exit_code == 0, done.stderr
    run = rg.load(tmp_path)
    assert (run.queries.ids, run.clusters, [one.title for one in run.groupings]) == (IDS, ("x", "y", "z"), ["sex"])


def test_a_truth_of_0_and_1_may_be_called_as_classes_are(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(csv(id=IDS, truth=TRUE, pred=[int(p >= 0.5) for p in P], prob=P))
    run = rg.load(tmp_path)
    assert run.queries.y_true.tolist() == list(TRUE)


def test_predictions_of_ids_that_were_read_as_numbers_say_how_ids_are_written(tmp_path: Path) -> None:
    (tmp_path / "queries.csv").write_text(csv(id=range(1, 7), y_true=TRUE))
    (tmp_path / "predictions.csv").write_text(csv(id=[f"{at}.0" for at in range(1, 7)], y_prob=P))
    with pytest.raises(InputError, match=r"'1\.0' and '1' look like one number.*astype\(int\)") as caught:
        rg.load(tmp_path)
    assert [problem.code for problem in caught.value.problems] == ["RG143"]


def test_queries_that_hold_the_probabilities_of_one_system_are_a_run(tmp_path: Path) -> None:
    (tmp_path / "per_query.csv").write_text(TABLES["bare"])
    (tmp_path / "run.toml").write_text('[files]\nqueries = "per_query.csv"\n[[systems]]\nid = "s"\n')
    (system,) = rg.load(tmp_path).systems
    assert (system.label, system.y_prob.tolist() if system.y_prob is not None else []) == ("s", list(P))


def test_a_column_can_be_the_cluster_and_the_label(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(csv(id=IDS, site=("a", "a", "b", "b", "c", "c"), y_true=TRUE, y_prob=P))
    done = CliRunner().invoke(main, ["init", str(tmp_path), "--column", "cluster=site", "--column", "label=site"])
    assert done.exit_code == 0, done.stderr
    run = rg.load(tmp_path)
    assert run.clusters == tuple(label.label for label in run.labels) == ("a", "b", "c")


def test_a_file_that_cannot_be_read_is_named_before_what_it_may_hold(tmp_path: Path) -> None:
    (tmp_path / "truth.csv").write_text(csv(id=IDS, y_true=TRUE))
    (tmp_path / "scores.csv").write_text("id,prob,prob\nq0,0.1,0.2\n")
    with pytest.raises(InputError, match=r"RG107 scores\.csv: more than one column is called 'prob'"):
        rg.load(tmp_path)


@pytest.mark.parametrize("name", ["tiny", "digits_pages"])
def test_a_sample_run_is_recognised_as_it_is_declared(tmp_path: Path, name: str) -> None:
    declared = rg.load(ROOT / "sample_runs" / name)
    for path in (ROOT / "sample_runs" / name).iterdir():
        if path.is_file() and path.name != "run.toml":
            (tmp_path / path.name).write_bytes(path.read_bytes())
    found = rg.load(tmp_path)
    assert found.queries.ids == declared.queries.ids
    assert found.queries.y_true.tolist() == declared.queries.y_true.tolist()
    assert {one.id for one in found.systems} == {one.id for one in declared.systems}


def test_files_that_are_read_as_the_same_for_the_same_reason_are_told_together(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq1 0 d2 0\n")
    for name in "abcde":
        (tmp_path / f"{name}.run").write_text(f"q1 Q0 d1 1 2.5 {name}\nq1 Q0 d2 2 1.5 {name}\n")
    told = [notice for notice in rg.load(tmp_path).info.notices if "read as run" in notice]
    assert told == [
        "a.run, b.run, c.run and 2 more are read as run: their lines are query, Q0, document, rank, score, tag"
    ]


WARD = csv(
    number=IDS, ward=("x", "x", "y", "y", "z", "z"), sex=("f", "m") * 3, model=("a",) * 6, ill=("no", "yes") * 3,
    risk=[100 * p for p in P],
) + "".join(f"q{n},{ward},{sex},b,{ill},{5 * n}\n" for n, (ward, sex, ill) in enumerate(
    zip("xxyyzz", ("f", "m") * 3, ("no", "yes") * 3, strict=True)))  # fmt: skip
SAID = ["--column", "query=number", "--column", "cluster=ward", "--column", "y_class=ill", "--column", "y_prob=risk",
        "--subgroup", "sex", "--positive-class", "no", "--scale", "a=percent", "--scale", "b=percent"]  # fmt: skip
IN_PYTHON: dict[str, Any] = {
    "columns": {"query": "number", "cluster": "ward", "y_class": "ill", "y_prob": "risk"},
    "subgroups": ["sex"],
    "positive": "no",
    "scale": {"a": "percent", "b": "percent"},
}
SMALL = ["--resamples", "20", "--crosscheck", "none"]


def typed(*words: str, code: int = 0) -> str:
    done = CliRunner().invoke(main, words)
    assert done.exit_code == code, done.output
    return done.output


def test_what_a_file_does_not_say_is_said_at_every_door(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text(WARD)
    path = str(tmp_path / "data.csv")
    runs = [rg.load(path, **IN_PYTHON), rg.from_frame(pd.read_csv(path), **IN_PYTHON)]
    typed("evaluate", path, "-o", str(tmp_path / "a.json"), *SAID, *SMALL)
    of_python = rg.evaluate(runs[0], resamples=20, crosscheck="none")
    (tmp_path / "b.json").write_bytes(encode(of_python.record))
    assert "RG" not in typed("check", path, *SAID).partition("\n")[0]
    typed("init", path, *SAID)
    runs.append(rg.load(tmp_path))
    for run in runs:
        assert run.queries.y_true.tolist() == list(TRUE)
        assert [one.y_prob.tolist() for one in run.systems if one.y_prob is not None] == [
            pytest.approx(P), pytest.approx([0.05 * n for n in range(6)])]  # fmt: skip
        assert [one.title for one in run.groupings] == ["sex"]
        assert run.clusters == ("x", "y", "z")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_a_bundle_of_a_file_and_of_what_was_said_is_verified_with_the_file_alone(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "data.csv"
    path.write_text(WARD)
    bundle = str(tmp_path / "bundle")
    typed("build", str(path), "-o", bundle, *SAID, *SMALL, "--title", "Two models", "--formats", "csv", "-j", "1")
    command = rg.load_results(bundle).record.command
    assert command.endswith(
        "--subgroup sex --positive-class no --scale a=percent --scale b=percent --title 'Two models'"
    )
    said = command.partition("--seed 0 ")[2]
    assert f"--seed 0 {said} --formats csv\n" in Path(bundle, "MANIFEST.md").read_text()
    assert "Nothing found" in typed("verify", bundle, "--runs", str(path), "-j", "1")


def test_what_run_toml_declares_is_not_said_once_more(tmp_path: Path) -> None:
    told = typed("check", str(ROOT / "sample_runs" / "tiny"), "--subgroup", "post_id", code=2)
    assert "RG712" in told
    assert "--subgroup would declare" in told


def test_what_looks_like_weights_is_asked_about_on_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data.csv").write_text(TABLES["weights"])
    monkeypatch.setattr(init, "_can_ask", lambda: True)
    for answer, name in (("1", "weight"), ("2", "ignore")):
        done = CliRunner().invoke(main, ["init", str(tmp_path), "--title", "T"], input=f"{answer}\n")
        assert done.exit_code == 0, done.output
        declared = (tmp_path / "run.toml").read_text()
        assert re.search(rf'^{name} = \[?"sample_weight"', declared, flags=re.MULTILINE)
        assert (rg.load(tmp_path).queries.weight is not None) == (name == "weight")
        (tmp_path / "run.toml").unlink()
    done = CliRunner().invoke(main, ["init", str(tmp_path), "--title", "T"], input="3\n")
    assert done.exit_code == 2
    assert "RG160" in done.output
    assert not (tmp_path / "run.toml").exists()
