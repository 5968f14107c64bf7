"""The checks: the list to go through before numbers are reported, and every check with its outcome."""

from __future__ import annotations

from typing import Literal, NamedTuple

from reportgen import numbers
from reportgen.documents.material import ReportMaterial
from reportgen.domain.presentation import Block, Items, Paragraph, Ref, Section, plain
from reportgen.domain.record import Results
from reportgen.errors import Diagnostic
from reportgen.wording.conventions import states_from
from reportgen.wording.text import capital, concat, enumeration, in_words

ID = "verification"
TITLE = "Checks"

_SOURCE = "“End-to-End Metrics Specification”, version 1.0, part I"
_SECOND = "RG260"
"""The check that a second implementation makes."""
_TRACES = ("RG355", "RG356", "RG357", "RG358")
"""Checks that look for traces of the gold in scores, input order, K and states."""
_CHOSEN = "chosen on TUNE"
_SAME_SET = "roc_"
"""What the name of a metric begins with that is read off the ROC curve of the evaluation set itself."""

State = Literal["confirmed", "contradicted", "confirmed in part", "not confirmed", "does not apply"]


class _Answer(NamedTuple):
    state: State
    evidence: str


def build(material: ReportMaterial) -> Section:
    """The checklist with the evidence for each item, then all checks."""
    parts = (_checklist(material.results), _checks(material))
    return Section(ID, TITLE, sections=tuple(part for part in parts if part is not None))


def _checklist(results: Results) -> Section:
    cluster = results.units.cluster.one
    answers = {
        f"Splits share no {cluster}": _disjoint(results),
        "Thresholds are chosen on TUNE only": _thresholds(results),
        "Values are of EVAL only": _evaluation_only(results),
        "No feature of a model is derived from the gold": _gold(results),
        "Metrics follow their formulas": _formulas(results),
        "Values were computed a second time": _second(results),
    }
    items = tuple(f"{item}: {answer.state}. {answer.evidence}" for item, answer in answers.items())
    says = f"The checklist of {_SOURCE}, with what these results show for each item."
    return Section("checklist", "Verification checklist", (Paragraph(says), Items(items, ordered=True)))


def _failed(results: Results, *codes: str) -> Diagnostic | None:
    return next((check for check in results.checks if check.code in codes and check.status == "failed"), None)


def _finding(check: Diagnostic) -> str:
    return f"{check.message.rstrip('.')} [{check.code}]."


def _disjoint(results: Results) -> _Answer:
    cluster = results.units.cluster
    if (found := _failed(results, "RG310")) is not None:
        return _Answer("contradicted", _finding(found))
    tune = f" No {cluster.one} was found in TUNE and EVAL of one fold." if _has_tune(results) else ""
    if len(results.folds) < 2:
        if tune:
            return _Answer("confirmed", f"There is one evaluation split.{tune}")
        return _Answer("does not apply", "There is one evaluation split and no tuning split.")
    repeats = results.split.repeats
    folds = f"{in_words(len(results.folds) // repeats)} folds{' of each repeat' if repeats > 1 else ''}"
    if not results.split.disjoint:
        return _Answer("contradicted", f"At least one {cluster.one} is in more than one of the {folds}.")
    n = results.subset_by_id["all_queries"].n_clusters if "all_queries" in results.subset_by_id else 0
    of = f"Each of {cluster.count(n)} is" if n else f"No {cluster.one} is"
    where = "in one of the" if n else "in more than one of the"
    return _Answer("confirmed", f"{of} {where} {folds}{' only' if n else ''}.{tune}")


def _has_tune(results: Results) -> bool:
    return any(fold.n_tune for fold in results.folds)


def _thresholds(results: Results) -> _Answer:
    if (found := _failed(results, "RG321")) is not None:
        return _Answer("contradicted", _finding(found))
    answer = _listed_thresholds(results)
    some = answer.state.startswith("confirmed")
    if same_set := _same_set(results):
        answer = _Answer("confirmed in part" if some else "contradicted", f"{answer.evidence} {same_set}")
    if said := states_from(results):
        state: State = "confirmed in part" if some else "contradicted" if same_set else "not confirmed"
        answer = _Answer(state, f"{answer.evidence} {said}")
    return answer


def _same_set(results: Results) -> str:
    """Name the values whose threshold is chosen on EVAL, the data that they are of; empty where there are none."""
    names = [metric.name for metric in results.metrics if metric.id.startswith(_SAME_SET)]
    if not names:
        return ""
    verb = "is" if len(names) == 1 else "are"
    return f"Of a threshold chosen on EVAL itself {verb} {plain(enumeration(names))}."


def _listed_thresholds(results: Results) -> _Answer:
    if not results.thresholds:
        return _Answer("does not apply", "The results hold no chosen threshold.")
    total = len(results.thresholds)
    chosen = sum(threshold.source == _CHOSEN for threshold in results.thresholds)
    if chosen == total:
        whole = "The one threshold was" if total == 1 else f"All {numbers.count(total)} thresholds were"
        return _Answer("confirmed", f"{whole} chosen on TUNE, by the rule under Methods.")
    taken = f"{_counted(total - chosen, 'is', 'are')} taken from the run, whose word it is that EVAL played no part"
    if not chosen:
        return _Answer("not confirmed", f"{taken}.")
    here = f"{_counted(chosen, 'was', 'were')} chosen on TUNE, by the rule under Methods"
    return _Answer("confirmed in part", f"{here}; {taken}.")


def _counted(n: int, one: str, many: str) -> str:
    return f"{numbers.count(n)} {f'threshold {one}' if n == 1 else f'thresholds {many}'}"


def _evaluation_only(results: Results) -> _Answer:
    if (found := _failed(results, "RG324")) is not None:
        return _Answer("contradicted", _finding(found))
    everything = results.subset_by_id.get("all_queries")
    of = (
        f"Every value is of {results.units.query.count(everything.n_queries)} of EVAL"
        if everything
        else "Values are of EVAL"
    )
    if not _has_tune(results):
        return _Answer(
            "not confirmed", f"{of}. The run has no TUNE split; on what its models were tuned is not recorded."
        )
    calibrator = results.run.calibrator_fit_on
    fitted = (
        f"the calibrator was fitted on {calibrator.upper()}"
        if calibrator
        else "on what the probabilities were calibrated is not recorded"
    )
    return _Answer(
        "confirmed", f"{of}; predictions on TUNE serve to choose thresholds and for the sweeps that say so; {fitted}."
    )


def _gold(results: Results) -> _Answer:
    if (found := _failed(results, *_TRACES)) is not None:
        return _Answer("contradicted", _finding(found))
    return _Answer(
        "not confirmed",
        "The features of a model cannot be seen in its outputs; this is for the authors to confirm. Traces of the gold "
        f"in scores, input order, K and states were looked for and not found ({', '.join(_TRACES)}).",
    )


def _formulas(results: Results) -> _Answer:
    contract = results.contract
    follows = f"Values follow the contract “{contract.title}”, version {contract.version}"
    source = f", after {contract.source}" if contract.source else ""
    second = _second(results)
    agrees = "; a second implementation, written from the formulas alone, agrees" if second.state == "confirmed" else ""
    return _Answer(second.state, f"{follows}{source}{agrees}.")


def _second(results: Results) -> _Answer:
    found = [check for check in results.checks if check.code == _SECOND]
    if (failed := _failed(results, _SECOND)) is not None:
        return _Answer("contradicted", _finding(failed))
    if (passed := next((check for check in found if check.status == "passed"), None)) is not None:
        return _Answer("confirmed", _finding(passed))
    return _Answer("not confirmed", "No second implementation recomputed these values.")


def _checks(material: ReportMaterial) -> Section | None:
    """Every check with its outcome; those that the summary gives in full are named here by their codes."""
    results = material.results
    if not results.checks:
        return None
    n = len(results.checks)
    told = [check for check in results.checks if check.status == "failed" and check.severity != "note"]
    codes = ", ".join(dict.fromkeys(check.code for check in told))
    found = f"{capital(in_words(len(told)))} of {n:,} {'check' if n == 1 else 'checks'}"
    where = concat(f" {codes}: see ", Ref("sec:limits"), ".") if told else ""
    blocks: list[Block] = [Paragraph(concat(f"{found} found something to warn of.", where))]
    blocks += material.table("checks")
    return Section("checks", "Outcomes", tuple(blocks))
