from __future__ import annotations

from typing import Any

import msgspec
import pytest

from reportgen.documents import build_report
from reportgen.domain.presentation import Items, Paragraph, plain
from reportgen.domain.record import Results, ThresholdRecord
from reportgen.errors import Diagnostic
from tests.support.results import make_results


def _checklist(results: Results) -> list[str]:
    document = build_report(results, (), ())
    section = next(section for section in document.all_sections if section.id == "verification")
    items = section.sections[0].blocks[1]
    assert isinstance(items, Items)
    assert items.ordered
    return [plain(item).replace("\u00a0", " ") for item in items.items]


def _without_same_set(results: Results) -> Results:
    metrics = tuple(metric for metric in results.metrics if not metric.id.startswith("roc_"))
    return msgspec.structs.replace(results, metrics=metrics)


def _with(**changes: Any) -> Results:
    return msgspec.structs.replace(_without_same_set(make_results(2)), **changes)


def _found(code: str, status: Any = "failed", message: str = "Found.") -> tuple[Diagnostic, ...]:
    return (Diagnostic(code, "", message, severity="error", status=status),)


def _threshold(source: str) -> ThresholdRecord:
    base = make_results(2).thresholds[0]
    return msgspec.structs.replace(base, source=source)


def test_every_item_of_the_checklist_has_a_state_and_evidence() -> None:
    # Part I of the specification has six items; the sound synthetic run has 50 pages, each in one of five folds.
    items = _checklist(_with(checks=()))
    assert len(items) == 6
    assert items[0].startswith("Splits share no page: confirmed. Each of 50 pages is in one of the five folds only.")
    assert items[2].startswith("Values are of EVAL only: ")
    assert items[3].startswith("No feature of a model is derived from the gold: not confirmed. ")
    assert items[5] == (
        "Values were computed a second time: not confirmed. No second implementation recomputed these values."
    )


@pytest.mark.parametrize(
    ("code", "at"), [("RG310", 0), ("RG321", 1), ("RG324", 2), ("RG355", 3), ("RG358", 3), ("RG260", 4), ("RG260", 5)]
)
def test_a_finding_contradicts_the_item_it_is_about(code: str, at: int) -> None:
    item = _checklist(_with(checks=_found(code)))[at]
    assert ": contradicted. " in item
    assert at == 4 or item.endswith(f"Found [{code}].")


def test_an_agreeing_second_implementation_confirms_values_and_formulas() -> None:
    items = _checklist(_with(checks=_found("RG260", "passed", "All agree.")))
    assert items[5] == "Values were computed a second time: confirmed. All agree [RG260]."
    assert items[4].startswith("Metrics follow their formulas: confirmed. ")
    assert items[4].endswith("a second implementation, written from the formulas alone, agrees.")


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        ((), "does not apply. The results hold no chosen threshold."),
        (("chosen on TUNE",), "confirmed. The one threshold was chosen on TUNE"),
        (
            ("chosen on TUNE", "recorded in t.csv"),
            "confirmed in part. 1 threshold was chosen on TUNE, by the rule in sec:methods-in-full; 1 threshold",
        ),
        (("recorded in t.csv", "recorded in t.csv"), "not confirmed. 2 thresholds come from the run; that they were"),
    ],
)
def test_thresholds_are_confirmed_as_far_as_they_were_chosen_here(sources: tuple[str, ...], said: str) -> None:
    assert said in _checklist(_with(thresholds=tuple(map(_threshold, sources))))[1]


@pytest.mark.parametrize(
    ("sources", "states_from", "state"),
    [
        (("chosen on TUNE",), None, "confirmed in part"),
        (("chosen on TUNE",), "three answers", "confirmed in part"),
        (("recorded in t.csv",), None, "contradicted"),
        ((), None, "contradicted"),
        ((), "three answers", "contradicted"),
    ],
)
def test_values_of_thresholds_of_the_evaluation_set_are_named(
    sources: tuple[str, ...], states_from: str | None, state: str
) -> None:
    results = _explained(states_from, thresholds=tuple(map(_threshold, sources)))
    same_set = [metric for metric in make_results(2).metrics if metric.id == "roc_tpr@fpr=0.05"]
    item = _checklist(msgspec.structs.replace(results, metrics=(*results.metrics, *same_set)))[1]
    assert item.startswith(f"Thresholds are chosen on TUNE only: {state}. ")
    assert "Read off the evaluation data themselves is Same-set TPR at 5 % FPR." in item


def test_values_of_thresholds_of_the_evaluation_set_at_several_budgets_are_named_once() -> None:
    item = _checklist(make_results(2))[1]
    assert "Read off the evaluation data themselves is Same-set TPR at α FPR." in item


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        (
            (),
            "not confirmed. The results hold no chosen threshold. The run says where the states of Baseline come from",
        ),
        (
            ("chosen on TUNE",),
            "confirmed in part. The one threshold was chosen on TUNE, by the rule in sec:methods-in-full. The ",
        ),
        (("recorded in t.csv",), "not confirmed. 1 threshold comes from the run; that it was not chosen on EVAL"),
    ],
)
def test_states_that_the_run_explains_in_words_are_not_confirmed_by_them(sources: tuple[str, ...], said: str) -> None:
    results = _explained("three answers", thresholds=tuple(map(_threshold, sources)))
    item = _checklist(results)[1]
    assert said in item
    assert item.endswith("The run says where the states of Baseline come from: “three answers”.")


def _explained(words: str | None, tau_pos_rule: str = "recorded", **changes: Any) -> Results:
    results = _without_same_set(make_results(2))
    first, *others = results.systems
    rules = {"tau_neg_rule": "recorded", "tau_pos_rule": tau_pos_rule}
    contract = msgspec.structs.replace(results.contract, conventions={**results.contract.conventions, **rules})
    systems = (msgspec.structs.replace(first, states_from=words), *others)
    return msgspec.structs.replace(results, contract=contract, systems=systems, **changes)


def test_words_on_recorded_states_say_nothing_of_states_chosen_on_tune() -> None:
    assert "three answers" not in _checklist(_explained("three answers", "min_precision"))[1]


def test_the_methods_say_where_the_states_come_from_and_that_others_are_not_reported() -> None:
    methods = _decisions(_explained("<b>GPT & co</b>", thresholds=(), checks=_found("RG326")))
    assert (
        "States are as the run records them. The run says where the states of Baseline come from: “<b>GPT & co</b>”. "
        "Where they have no recorded source, nothing that rests on them is reported."
    ) in methods
    sound = _decisions(_explained(None, checks=()))
    assert "States are as the run records them." in sound
    assert "where the states" not in sound
    assert "no recorded source" not in sound


def _decisions(results: Results) -> str:
    methods = next(section for section in build_report(results, (), ()).all_sections if section.id == "methods-in-full")
    (section,) = (section for section in methods.sections if section.id == "decision-conventions")
    (paragraph,) = section.blocks
    assert isinstance(paragraph, Paragraph)
    return plain(paragraph.text)


def test_folds_that_share_a_cluster_contradict_and_a_single_split_does_not_apply() -> None:
    results = make_results(2)
    shared = msgspec.structs.replace(results, split=msgspec.structs.replace(results.split, disjoint=False))
    assert "contradicted. At least one page is in more than one of the five folds." in _checklist(shared)[0]
    single = make_results(2, 3, 1)
    without = tuple(msgspec.structs.replace(fold, n_tune=0) for fold in single.folds)
    items = _checklist(msgspec.structs.replace(single, folds=without))
    assert not any("share no" in item or "TUNE" in item for item in items)
    assert "Models were fitted to other data than these: not confirmed. On what they were fitted" in items[1]
    with_tune = tuple(msgspec.structs.replace(fold, n_tune=9) for fold in single.folds)
    items = _checklist(msgspec.structs.replace(single, folds=with_tune))
    assert "confirmed. There is one evaluation split. No page was found in TUNE and EVAL" in items[0]
    assert "Values are of EVAL only: confirmed. " in items[2]
