"""What the numbers of a system are: probabilities, what becomes one, scores that only order, decisions."""

from __future__ import annotations

from pathlib import Path

import pytest

import reportgen as rg
from reportgen.errors import InputError

TRUTH = (1, 0, 1, 0, 1, 0)


def run(tmp_path: Path, values: object, toml: str = "", more: str = "") -> rg.Run:
    rows = [f"q{n},{y},{p}" for n, (y, p) in enumerate(zip(TRUTH, values, strict=True))]  # type: ignore[call-overload]
    head = "query,y_true,y_prob"
    if more:
        name, *cells = more.split()
        rows, head = [f"{row},{cell}" for row, cell in zip(rows, cells, strict=True)], f"{head},{name}"
    (tmp_path / "per_query.csv").write_text("\n".join([head, *rows, ""]))
    (tmp_path / "run.toml").write_text(f'title = "t"\n{toml}\n')
    return rg.load(tmp_path)


def numbers(found: rg.Run) -> list[float]:
    (system,) = found.systems
    assert system.y_prob is not None
    return [round(value, 9) for value in system.y_prob.tolist()]


def value(found: rg.Run, metric: str) -> float | None:
    return rg.evaluate(found, resamples=0).estimate(metric, "system").value


@pytest.mark.parametrize(
    ("scale", "written", "read"),
    [
        ("percent", (90, 20, 55.5, 0, 100, 1), [0.9, 0.2, 0.555, 0.0, 1.0, 0.01]),
        ("percent", ("90%", "20 %", "55.5%", "0%", "100%", "1%"), [0.9, 0.2, 0.555, 0.0, 1.0, 0.01]),
        # 1 / (1 + e^-z): ln 3 is 3 to 1, which is 0.75.
        ("logit", (1.0986122886681098, -1.0986122886681098, 0, 0, 800, -800), [0.75, 0.25, 0.5, 0.5, 1.0, 0.0]),
        ("odds", (3, 0.25, 1, 0, 9, 4), [0.75, 0.2, 0.5, 0.0, 0.9, 0.8]),
        ("score", (12, -3, 4, 0, 7.5, 1), [12, -3, 4, 0, 7.5, 1]),
        ("decision", (1, 0, 1, 0, 0, 1), [1, 0, 1, 0, 0, 1]),
    ],
)
def test_numbers_become_what_run_toml_says_they_are(
    tmp_path: Path, scale: str, written: object, read: list[float]
) -> None:
    assert numbers(run(tmp_path, written, f'scale = "{scale}"')) == read


def test_a_confidence_becomes_the_probability_of_the_positive_class(tmp_path: Path) -> None:
    confidence, predicted = (0.9, 0.8, 0.6, 0.7, 0.9, 0.6), "prediction 1 0 1 0 1 1"
    with pytest.raises(InputError, match="RG159"):
        run(tmp_path, confidence, more=predicted)
    found = run(tmp_path, confidence, 'scale = "confidence"', predicted)
    assert numbers(found) == [0.9, 0.2, 0.6, 0.3, 0.9, 0.6]
    # Every negative is below every positive but for a tie (0.6, 0.6): 8.5 of 9 pairs.
    assert value(found, "auroc") == pytest.approx(8.5 / 9)


def test_scores_have_an_order_and_no_calibration(tmp_path: Path) -> None:
    results = rg.evaluate(run(tmp_path, (12, -3, 4, 0, -5, 1), 'scale = "score"'), resamples=20)
    # 12 and 4 are above -3, 0 and 1; -5 is above none: 6 of 9 pairs.
    assert results.estimate("auroc", "system").value == pytest.approx(6 / 9)
    (absent,) = [check.message for check in results.record.checks if "not probabilities" in check.message]
    assert "Brier score" in absent
    assert "AUROC" not in absent


def test_decisions_have_confusion_counts_and_no_order(tmp_path: Path) -> None:
    results = rg.evaluate(run(tmp_path, (1, 0, 1, 0, 0, 1), 'scale = "decision"'), resamples=20)
    assert results.estimate("f1@0.5", "system").value == pytest.approx(2 * 2 / (2 * 2 + 1 + 1))  # TP 2, FP 1, FN 1
    (absent,) = [check.message for check in results.record.checks if "gives decisions" in check.message]
    assert "AUROC" in absent
    assert "Brier" in absent


def test_recorded_thresholds_are_on_the_scale_of_their_scores(tmp_path: Path) -> None:
    found = run(tmp_path, (90, 20, 50, 10, 40, 60), 'scale = "percent"', "tau_f1 50 50 50 50 50 50")
    assert found.systems[0].thresholds["tau_f1"].tolist() == [0.5]
    # 90, 50 and 60 reach it: TP 2, FP 1, FN 1.
    assert value(found, "f1@tune") == pytest.approx(2 / 3)


def test_a_single_cell_outside_is_a_wrong_cell_and_not_another_scale(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        run(tmp_path, (0.9, 0.2, 1.0000001, 0.1, 0.4, 0.3))
    (problem,) = caught.value.problems
    assert "'1.0000001' (line 4)" in problem.message
    assert "scale" not in problem.fix


@pytest.mark.parametrize(
    ("written", "scale"), [((90, 20, 55, 3, 80, 1), "percent"), ((3, 0.2, 140, 1, 2, 5), "odds"),
                           ((2, -1, 0.3, -2, 1.5, -4), "logit")]
)  # fmt: skip
def test_the_remedy_names_the_scale_that_fits(tmp_path: Path, written: object, scale: str) -> None:
    with pytest.raises(InputError) as caught:
        run(tmp_path, written)
    assert f"--column y_prob=y_prob --scale {scale}" in caught.value.problems[0].fix


def test_numbers_from_0_of_which_few_are_above_1_may_be_odds(tmp_path: Path) -> None:
    odds = (*(at / 30 for at in range(1, 27)), 1.2, 3)
    rows = "".join(f"{at},{at % 2},{value}\n" for at, value in enumerate(odds))
    (tmp_path / "preds.csv").write_text(f"id,y_true,risk\n{rows}")
    with pytest.raises(InputError, match=r"If they are odds, say .*--column y_prob=risk --scale odds"):
        rg.load(tmp_path)


def test_an_unused_column_that_could_matter_is_a_warning_with_the_option_that_uses_it(tmp_path: Path) -> None:
    found = run(tmp_path, (0.9, 0.2, 0.6, 0.1, 0.4, 0.3), more="gold_other 1 0 0 0 1 0")
    assert found.info.doubts == (
        "per_query.csv: column 'gold_other' is not used, and could be the truth. If it is, say "
        "--column y_true=gold_other; if not, --column ignore=gold_other.",
    )
    left = '[columns]\nignore = "gold_other"'
    assert not run(tmp_path, (0.9, 0.2, 0.6, 0.1, 0.4, 0.3), left, "gold_other 1 0 0 0 1 0").info.doubts


def test_the_remedy_of_percent_signs_and_of_large_numbers_names_each_scale_that_fits(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y_true,y_prob\n" + "".join(f"{y},{p}%\n" for y, p in ((1, 90), (0, 20), (1, 60))))
    with pytest.raises(InputError, match=r"RG130 a\.csv: .*'90%'.*\n.*\n.*If they are percentages, say .*percent"):
        rg.load(tmp_path / "a.csv")
    (tmp_path / "b.csv").write_text("y_true,y_prob\n1,9\n0,0.25\n1,1.5\n0,0.1\n")
    with pytest.raises(InputError, match=r"--scale percent\); if they are odds, --scale odds; .*--scale score"):
        rg.load(tmp_path / "b.csv")
    (system,) = rg.load(tmp_path / "b.csv", scale="odds").systems
    assert system.y_prob is not None
    assert system.y_prob.tolist() == pytest.approx([0.9, 0.2, 0.6, 1 / 11])


def test_an_unused_column_called_a_probability_is_a_warning_though_a_cell_is_none(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(
        "id,y_true,a_prob,b_prob,p_value\n1,1,0.9,0.8,7\n2,0,0.2,timeout,8\n3,1,0.4,0.7,9\n"
    )
    (tmp_path / "run.toml").write_text('[files]\nper_query = "p.csv"\n[[systems]]\nid = "a"\ny_prob = "a_prob"\n')
    (told,) = rg.load(tmp_path).info.doubts
    assert "column 'b_prob' is not used, and could hold probabilities of another system" in told
