"""Each page for a kind of user leads from its raw file to a bundle in two commands, with the output that it shows."""

from __future__ import annotations

import re
import shlex
import shutil
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.metrics import brier_score_loss, roc_auc_score

from reportgen.cli import main
from tests.support.latex import compiled
from tests.test_docs import BLOCK, ROOT, USERS

MOST_COMMANDS, MOST_LINES = 2, 70
FAST = ("--resamples", "20", "-j", "1", "--formats", "csv")
WITH_PAPER = (*FAST[:-1], "csv,latex")
NAMED = re.compile(r"^`([\w./-]+)`\n\n\Z", flags=re.MULTILINE)


def page_of(user: str) -> str:
    return (ROOT / "docs" / "how-to" / f"{user}.md").read_text(encoding="utf-8")


def steps(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield each block: its language, its text, and the file that the line above names (empty for none)."""
    for found in BLOCK.finditer(text):
        named = NAMED.search(text, 0, found.start())
        yield found[1], found[2], named[1] if named else ""


def typed(command: str, fast: Sequence[str] = FAST) -> str:
    """Run a command of a page, with few resamples and few formats, and return what it prints."""
    program, verb, *arguments = shlex.split(command)
    assert program == "reportgen"
    done = CliRunner().invoke(main, [verb, *arguments, *(fast if verb == "build" else ())])
    assert done.exit_code == 0, f"{command}\n{done.output}"
    return done.stdout


def pattern(line: str) -> str:
    """Return what a shown line stands for: any text for an ellipsis, any space for a space."""
    return ".{1,40}?".join(re.escape(part) for part in " ".join(line.split()).split("…"))


def declare(source: str, head: str) -> None:
    """Put the lines of a page at the head of the run.toml of a run, which is written if it is not there."""
    declared = Path(source).parent / "run.toml" if Path(source).is_file() else Path(source, "run.toml")
    if not declared.exists():
        typed(f"reportgen init {source}")
    declared.write_text(head + declared.read_text(encoding="utf-8"), encoding="utf-8")
    assert set(tomllib.loads(head)) <= set(tomllib.loads(declared.read_text(encoding="utf-8")))
    typed(f"reportgen show {declared.parent} --resamples 20")


@pytest.mark.slow
@pytest.mark.parametrize("user", USERS)
def test_a_page_leads_from_its_raw_file_to_a_bundle(user: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    printed, source, python, bundles = "", "", {}, 0
    for language, text, file in steps(page_of(user)):
        if file:
            Path(file).parent.mkdir(parents=True, exist_ok=True)
            Path(file).write_text(text, encoding="utf-8")
        elif language == "python":
            exec(compile(text, user, "exec"), python)
        elif language == "sh":
            commands = text.splitlines()
            assert len(commands) <= MOST_COMMANDS
            assert commands[-1].startswith("reportgen build ")
            printed = "".join(map(typed, commands))
            _, _, source, _, bundle, *_ = shlex.split(commands[-1])
            assert Path(bundle, "metrics_master.json").exists()
            bundles += 1
        elif language == "text":
            said = " ".join(printed.split())
            assert [line for line in text.splitlines() if not re.search(pattern(line), said)] == [], printed
        else:
            assert language == "toml"
            declare(source, text)
    assert bundles >= 1


@pytest.mark.slow
def test_the_tutorial_leads_from_its_raw_file_to_a_submission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    printed, python = "", {}
    for language, text, file in steps((ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")):
        if file == "study/run.toml":
            declare("study", f'{text}figures.show = ["roc"]\n')
        elif file:
            Path(file).write_text(text, encoding="utf-8")
        elif language == "python":
            exec(compile(text, "tutorial", "exec"), python)
        elif language == "sh":
            printed = "".join(typed(command, WITH_PAPER) for command in text.splitlines())
        else:
            assert language == "text"
            said = " ".join(printed.split())
            assert [line for line in text.splitlines() if not re.search(pattern(line), said)] == [], printed
    table = pd.read_csv("study/risks.csv")
    old, new = (
        roc_auc_score(of["outcome"], of["risk"]) for of in (table[table.model == name] for name in ("old", "new"))
    )
    assert f"The new model reaches an AUROC of {new:.3f} [" in Path("letter.filled.md").read_text(encoding="utf-8")
    if shutil.which("pdflatex"):
        assert f"{new:.3f}" in (said := compiled(tmp_path, "pdflatex", "paper"))
        assert f"+{100 * (new - old):.1f}" in said


def test_the_values_on_the_pages_are_those_of_scikit_learn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for user in ("scikit-learn", "clinical-prediction"):
        exec(next(text for language, text, _ in steps(page_of(user)) if language == "python"), {})
    table = pd.read_csv("predictions.csv")
    of_folds = [
        [roc_auc_score(fold["y_true"], fold[name]) for _, fold in table.groupby("fold")]
        for name in ("bayes_prob", "logistic_prob")
    ]
    bayes, logistic = (sum(values) / len(values) for values in of_folds)
    assert f"AUROC ↑ {bayes:.3f} […] {logistic:.3f} […]" in page_of("scikit-learn")
    risks = pd.read_csv(Path("icu", "risks.csv"))
    for name, metric in (("AUROC ↑", roc_auc_score), ("Brier score ↓", brier_score_loss)):
        old, new = (metric(risks["died"], risks[column]) for column in ("risk_old", "risk_new"))
        assert f"{name} {old:.3f} […] {new:.3f} […]" in page_of("clinical-prediction")


@pytest.mark.parametrize("user", USERS)
def test_a_page_is_short_and_found(user: str) -> None:
    assert len(page_of(user).splitlines()) <= MOST_LINES
    assert f"\nhow-to/{user}\n" in (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert f"({user}.md)" in page_of("my-data")
    assert f"(docs/how-to/{user}.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_no_kind_of_data_takes_more_than_two_commands() -> None:
    commands = [text.splitlines() for language, text, _ in steps(page_of("my-data")) if language == "sh"]
    assert [lines for lines in commands if len(lines) > MOST_COMMANDS] == []
    assert len(commands) > 4
