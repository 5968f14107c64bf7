"""Which systems pages show where there are more than forty."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from reportgen.contracts import load_contract
from reportgen.documents import build_report
from reportgen.domain.record_facts import InputFile, ReportRecord
from reportgen.domain.retrieved import Retrieved
from reportgen.evaluation import evaluate
from reportgen.figures import build_figures
from reportgen.shortlist import MOST, shortlisted
from reportgen.tables import build_tables
from tests.support.small_runs import Asked, run_of

N = 44


def run_of_many(n: int):
    """Systems s0, s1, …: system i does not retrieve the relevant candidate of i queries, and has it first elsewhere."""
    docs = [("gold", 1.0, 2.0), ("other", 0.0, 1.0)]
    run = run_of(*(Asked(f"q{at}", candidates=docs, cluster=f"c{at}") for at in range(n)), with_labels=False)

    def system(at: int):
        score = np.tile([2.0, 1.0], n)
        score[: 2 * at : 2] = np.nan
        return replace(run.systems[0], id=f"s{at}", label=f"S{at}", retrieved=Retrieved.of(score))

    return replace(run, systems=tuple(map(system, reversed(range(n)))), info=replace(run.info, baseline="s30"))


@pytest.fixture(scope="module")
def results():
    contract = load_contract("trec-eval", {"resamples": 0})
    return evaluate(run_of_many(N), contract, command="").results


def test_forty_systems_are_all_shown(results):
    few = msgspec.structs.replace(results, systems=results.systems[:MOST])
    assert shortlisted(few) is few


def test_of_more_the_best_twenty_and_the_baseline_are_shown_in_their_order(results):
    shown = shortlisted(results)
    # nDCG@10 of system i is 1 - i / 44, and so are the other headline metrics of rankings.
    assert [system.id for system in shown.systems] == ["s30", *(f"s{at}" for at in reversed(range(20)))]
    assert {record.system for record in shown.results} == {system.id for system in shown.systems}
    assert {one.system_b for one in shown.comparisons} <= {"s30", "s1"}


def test_a_system_that_run_toml_names_is_shown_too(results):
    presented = msgspec.structs.replace(results.run.presentation, report=ReportRecord(systems=("s41",)))
    named = msgspec.structs.replace(results, run=msgspec.structs.replace(results.run, presentation=presented))
    assert "s41" in {system.id for system in shortlisted(named).systems}


def test_more_than_forty_files_are_counted_and_not_listed(results):
    files = [InputFile(f"run-{at}", "run", f"s{at}.run", "0" * 64, 10, 1, ()) for at in range(41)]
    document = build_report(msgspec.structs.replace(results, inputs=tuple(files)), (), ())
    text = repr(document)
    assert "s7.run" not in text
    assert "41" in text
    few = build_report(msgspec.structs.replace(results, inputs=tuple(files[:40])), (), ())
    assert "s7.run" in repr(few)


def test_the_report_counts_all_systems_and_says_which_it_shows(results):
    document = build_report(results, build_tables(results), build_figures(results))
    text = repr(document)
    assert "of 44 systems" in text
    assert "This report shows 21 of 44 systems" in text.replace("\\n", " ")
    assert "S40" not in text
