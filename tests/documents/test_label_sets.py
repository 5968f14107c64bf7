"""The report says on which sets of labels results are given, and shows them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from reportgen.contracts import load_contract
from reportgen.documents import build_report
from reportgen.domain.presentation import Paragraph, ShowTable, plain
from reportgen.domain.run import LabelSet
from reportgen.evaluation import evaluate
from reportgen.inputs import read_run
from reportgen.manuscripts.citations import Lexicon
from reportgen.render import html_table, markdown_table
from reportgen.tables import build_tables

TINY = Path(__file__).parents[2] / "sample_runs" / "tiny"


@pytest.fixture(scope="module")
def results():
    run = read_run(TINY)
    sets = (LabelSet("ab", "A <&> B", ("A", "B")), LabelSet("c", "only C", ("C",)))
    run = replace(run, info=replace(run.info, label_sets=sets, family=()))
    return evaluate(run, load_contract(overrides={"resamples": 0}), command="test").results


def test_the_section_on_labels_names_the_sets_and_shows_their_table(results):
    report = build_report(results, build_tables(results), ())
    section = next(section for section in report.all_sections if section.id == "labels")
    said = [plain(block.text) for block in section.blocks if isinstance(block, Paragraph)]
    expected = "The headline metrics are also given on criteria “A <&> B” and criteria “only C”, beside all queries"
    assert any(expected in text for text in said)
    assert ShowTable("label-sets-compact") in section.blocks


def test_the_methods_define_the_queries_of_a_set_and_count_labels_without_it(results):
    report = build_report(results, build_tables(results), ())
    methods = next(section for section in report.all_sections if section.id == "methods-in-full")
    populations = next(section for section in methods.sections if section.id == "populations")
    facts, of_labels = populations.blocks
    defined = {term: plain(text) for term, text in facts.facts}
    assert defined["Criteria “A <&> B”, queries"] == (
        "Queries of the evaluation split with one of the 2 criteria A, B: 8 queries from 4 posts."
    )
    assert plain(of_labels.text) == "Values are also given for 3 criteria one by one."


def test_html_and_markdown_show_the_name_of_a_set_as_text(results):
    [table] = build_tables(results, ["label-sets-compact"])
    assert "Criteria “A &lt;&amp;&gt; B”, queries (n\u00a0=\u00a08 in 4 posts)" in html_table.render(table)
    assert "<&>" not in html_table.render(table)
    assert "<&>" not in markdown_table.render(table)


def test_a_text_that_names_a_set_speaks_of_its_subsets(results):
    lexicon = Lexicon(results)
    assert lexicon.subsets("AUROC on criteria “only C” is 0.5.") == ("labels=c", "labels=c/positives_only")
    assert lexicon.subsets("Positive queries of criteria “only C”") == ("labels=c/positives_only",)
    assert all(not results.subset_by_id[subset].slice for subset in lexicon.subsets("on all queries"))
