from __future__ import annotations

import re
from dataclasses import replace

import msgspec
import pytest

from reportgen.documents import build_report
from reportgen.documents.references import check_references
from reportgen.domain.presentation import (
    Callout,
    Document,
    Facts,
    Figure,
    Items,
    Paragraph,
    Ref,
    Section,
    Shown,
    ShowTable,
    Text,
    inlines,
    plain,
)  # fmt: skip
from reportgen.domain.record import Estimate, Noun, Results
from reportgen.errors import Diagnostic, RenderError
from reportgen.figures import build_figures
from reportgen.tables import build_tables
from reportgen.wording.conventions import in_units
from tests.support.results import make_results


def _report(results: Results) -> Document:
    return build_report(results, build_tables(results), build_figures(results))


def _all(sections: tuple[Section, ...]) -> list[Section]:
    return [found for section in sections for found in (section, *_all(section.sections))]


def _texts(sections: tuple[Section, ...]) -> list[Text]:
    texts: list[Text] = []
    for block in (block for section in _all(sections) for block in section.blocks):
        match block:
            case Paragraph(text) | Callout(_, text):
                texts.append(text)
            case Items(items):
                texts += items
            case Facts(facts):
                texts += [text for _, text in facts]
    return texts


def _section(document: Document, id: str) -> Section:
    return next(section for section in _all(document.all_sections) if section.id == id)


def _words(section: Section) -> str:
    return " ".join(plain(text) for text in _texts((section,))).replace("\u00a0", " ")


@pytest.fixture(scope="module")
def report() -> Document:
    return _report(make_results(3))


def test_the_report_answers_first_and_the_record_closes_the_supplement(report: Document) -> None:
    found = [section.id for section in report.sections]
    assert found[:5] == ["summary", "comparisons", "dataset", "classification", "calibration"]
    assert found[5:] == ["ranking", "selection", "methods", "limits"]
    supplement = [section.id for section in report.supplement]
    assert supplement[0] == "overview"
    assert supplement[-4:] == ["verification", "methods-in-full", "definitions", "provenance"]


def test_every_table_and_figure_is_shown_exactly_once(report: Document) -> None:
    shown = [
        block.id for section in _all(report.all_sections) for block in section.blocks if isinstance(block, ShowTable)
    ]
    # The full form of a table whose compact twin is shown is left to its own file, and so are the longest ones.
    longest = {
        f"{id}{form}"
        for id in ("ranking-at-k", "per-label-classification", "per-label-ranking")
        for form in ("", "-compact")
    }
    own_files = {*longest, "thresholds"}
    twins = {id.removesuffix("-compact") for id in shown if id.endswith("-compact")} - set(shown)
    assert sorted(shown) == sorted(set(report.tables) - own_files - twins)


def test_a_table_that_no_section_knows_stands_in_a_section_of_its_own() -> None:
    results = make_results(2)
    tables = build_tables(results)
    extra = replace(tables[0], id="something-new")
    document = build_report(results, (*tables, extra), ())
    assert _section(document, "further").blocks == (ShowTable("something-new"),)


def _with_sections(results: Results, *sections: str, **texts: str) -> Results:
    declared = msgspec.structs.replace(
        results.run.presentation.report,
        sections=sections,
        texts={f"{name}.md": text for name, text in texts.items()},
    )
    presentation = msgspec.structs.replace(results.run.presentation, report=declared)
    return msgspec.structs.replace(results, run=msgspec.structs.replace(results.run, presentation=presentation))


def test_a_run_chooses_its_sections_and_puts_texts_of_its_own_between_them() -> None:
    text = "# Our <cohort>\n\nnDCG@10 is {{rg ndcg@10 s1}}, AUROC \\{{rg auroc s1}}.\n"
    results = _with_sections(make_results(2), "summary", "cohort.md", "methods", cohort=text)
    document = _report(results)
    assert [section.id for section in document.sections] == ["summary", "cohort", "methods"]
    shown = results.headline("ndcg@10", "s1", "positives_only")
    assert shown is not None
    assert document.sections[1] == Section(
        "cohort",
        "Our <cohort>",
        (Paragraph(("nDCG@10 is ", Shown(shown.display.value, shown.id), ", AUROC {{rg auroc s1}}.")),),
    )
    # What is not in the report is in the supplement.
    assert {"ranking", "limits", "overview"} <= {section.id for section in document.supplement}


def test_a_section_that_does_not_exist_and_a_number_that_does_not_are_refused() -> None:
    with pytest.raises(RenderError) as raised:
        _report(_with_sections(make_results(2), "summary", "rankings"))
    assert [problem.code for problem in raised.value.problems] == ["RG523"]
    assert "Did you mean 'ranking'?" in str(raised.value)
    with pytest.raises(RenderError) as raised:
        _report(_with_sections(make_results(2), "own.md", own="# Own\n\n{{rg ndcg@10 nobody}}\n"))
    assert [(problem.code, problem.where) for problem in raised.value.problems] == [("RG552", "own.md:3")]


def test_no_table_that_the_run_names_is_left_to_a_file() -> None:
    results = make_results(2)
    named = ("thresholds", "per-label-classification-compact", "main-results-compact", "main-results")
    chosen = msgspec.structs.replace(results.run.presentation, tables=named)
    results = msgspec.structs.replace(results, run=msgspec.structs.replace(results.run, presentation=chosen))
    tables = build_tables(results)
    document = build_report(results, tables, ())
    shown = {
        block.id for section in _all(document.all_sections) for block in section.blocks if isinstance(block, ShowTable)
    }
    assert shown == {table.id for table in tables} == set(named)


def test_a_continued_table_follows_its_first_part() -> None:
    results = make_results(2)
    tables = build_tables(results)
    per_label = next(table for table in tables if table.id == "per-label-compact")
    document = build_report(results, (*tables, replace(per_label, id="per-label-compact-2")), ())
    assert _section(document, "labels").blocks[-2:] == (
        ShowTable("per-label-compact"),
        ShowTable("per-label-compact-2"),
    )


def test_synthetic_data_are_said_first(report: Document) -> None:
    first = report.sections[0].blocks[0]
    assert isinstance(first, Callout)
    assert plain(first.text).startswith("Synthetic data:")
    assert "synthetic" in report.subtitle
    real = make_results(3)
    real = msgspec.structs.replace(real, run=msgspec.structs.replace(real.run, synthetic=False))
    document = build_report(real, (), ())
    # The invented warning of the test data says "synthetic" itself; the callout must be gone.
    assert not any(plain(text).startswith("Synthetic data") for text in _texts(document.all_sections))


def test_the_summary_answers_in_the_order_a_reader_asks(report: Document) -> None:
    # Synthetic data first; then who is best, by how much over the baseline, on what data; then the main table alone.
    kinds = [type(block) for block in report.sections[0].blocks]
    assert kinds[0] is Callout
    assert set(kinds[1:-1]) == {Paragraph}
    assert report.sections[0].blocks[-1] == ShowTable("main-results-compact")
    assert (
        len(_words(report.sections[0]).split()) <= 120 + len(["Synthetic", "data:", "…", "no", "real", "system."]) + 12
    )


def _tied(where: str, message: str) -> Diagnostic:
    return Diagnostic("RG241", where, message, severity="warning")


def test_what_a_check_found_for_several_systems_is_said_once() -> None:
    checks = (_tied("s0", "Ties at K = 1."), _tied("s1", "Ties at K = 1."))
    results = msgspec.structs.replace(make_results(2), checks=checks)
    limits = _words(_section(build_report(results, (), ()), "limits"))
    assert "Baseline and Candidate model: Ties at K = 1. Record scores" in limits


def test_different_findings_of_one_check_each_name_their_system_up_to_three() -> None:
    checks = (_tied("s0", "Ties: 3."), _tied("s1", "No scores."))
    results = msgspec.structs.replace(make_results(2), checks=checks)
    limits = _words(_section(build_report(results, (), ()), "limits"))
    assert "Baseline: Ties: 3. Candidate model: No scores. Record scores" in limits
    many = tuple(_tied("", f"Ties: {n}.") for n in range(6))
    limits = _words(_section(build_report(msgspec.structs.replace(results, checks=many), (), ()), "limits"))
    assert "Ties: 0. Ties: 1. Ties: 2. Three more in the table of checks. Record scores" in limits


def test_what_the_reader_of_the_files_inferred_stands_with_their_provenance() -> None:
    results = msgspec.structs.replace(make_results(2), warnings=("a.csv: columns not used: x", "States were assigned."))
    report = build_report(results, (), ())
    read_as = next(part for part in _section(report, "provenance").sections if part.id == "read-as")
    assert read_as.blocks == (Items((("a.csv: columns not used: x.",), ("States were assigned.",))),)
    assert "columns not used" not in "".join(_words(part) for part in (report.sections[0], _section(report, "dataset")))


def test_a_precision_of_alerts_is_read_beside_the_alert_rate(report: Document) -> None:
    assert "Alert precision is a share of the alerts: read it beside the alert rate." in _words(
        _section(report, "triage")
    )


def test_a_rate_that_is_read_off_the_evaluation_set_is_not_said_to_have_a_threshold_from_tune(report: Document) -> None:
    assert "chosen on TUNE and applied to EVAL" in _words(_section(report, "operating-points"))
    assert "Operating points are read off" not in _words(_section(report, "limits"))
    results = make_results(2)
    metrics = tuple(m for m in results.metrics if "fpr=" not in m.id or m.id.startswith("roc_tpr"))
    values = tuple(r for r in results.results if r.metric in {metric.id for metric in metrics})
    same_set = msgspec.structs.replace(results, metrics=metrics, results=values)
    words = _words(_section(_report(same_set), "operating-points"))
    assert "read off the ROC curve of the test data" in words
    assert "TUNE" not in words


def test_the_answer_says_on_what_data_and_what_its_intervals_leave_out(report: Document) -> None:
    # 5 folds of 100 queries and 10 pages, 20 positives each.
    said = _words(report.sections[0])
    assert "The data are 500 queries (100 positive) from 50 pages in five folds." in said
    assert "They do not include how much another training would differ" in said
    data = _words(_section(report, "dataset"))
    assert "“invented pages” holds 500 queries from 50 pages" in data
    assert "Of the queries, 100 (20.0 %) are positive" in data
    # Said by the caption of the table where there is one.
    assert "folds share" not in data
    assert "The five folds share no page" in _words(_section(build_report(make_results(3), (), ()), "dataset"))


def test_a_data_set_without_a_name_is_told_by_its_size() -> None:
    results = make_results(2)
    results = msgspec.structs.replace(results, run=msgspec.structs.replace(results.run, dataset=""))
    assert "The data hold 500 queries" in _words(_section(build_report(results, (), ()), "dataset"))


def test_the_answer_names_the_leader_of_each_primary_metric_and_its_difference_from_the_baseline() -> None:
    # By construction the second system leads throughout; give the first, the baseline, the lead on AUROC.
    def changed(record: Estimate) -> Estimate:
        if record.system != "s0" or record.metric != "auroc" or record.value is None:
            return record
        return msgspec.structs.replace(
            record, value=0.99, display=msgspec.structs.replace(record.display, value="0.990")
        )

    results = make_results(2)
    results = msgspec.structs.replace(results, results=tuple(changed(record) for record in results.results))
    said = _words(build_report(results, (), ()).sections[0])
    assert "Candidate model has the highest nDCG@10 of " in said
    assert "Baseline has the highest AUROC of 0.990." in said
    (one,) = (c for c in results.comparisons if c.metric == "ndcg@10" and c.in_family)
    unit = f" {one.display.unit}" if one.display.unit else ""
    assert f"nDCG@10 {one.display.difference}{unit}" in said
    assert "best printed value" not in said


def test_without_comparisons_the_limits_say_that_nothing_was_tested() -> None:
    results = msgspec.structs.replace(make_results(2), comparisons=())
    document = build_report(results, (), ())
    assert "No difference between systems was tested." in _words(_section(document, "limits"))
    assert "comparisons" not in {section.id for section in document.all_sections}


@pytest.mark.parametrize("results", [make_results(1, 0, 1), make_results(2), make_results(12, 9)])
def test_no_sentence_overclaims_or_is_broken(results: Results) -> None:
    for text in _texts(_report(results).all_sections):
        words = plain(text)
        assert not re.search(r"significan|\bprove|outperform", words), words
        assert not re.search(r",,|\.\.(?!\.)|,:| ,|\(\)|\bNone\b|\bnan\b|\{\}", words), words


@pytest.mark.parametrize("results", [make_results(2), make_results(3, hostile=True)])
def test_every_shown_number_is_a_display_string_of_its_result(results: Results) -> None:
    shown = [
        part for text in _texts(_report(results).all_sections) for part in inlines(text) if isinstance(part, Shown)
    ]
    assert len(shown) > 5
    for part in shown:
        if part.result in results.by_id:
            display = results.by_id[part.result].display
            assert part.text in (display.value, display.interval, display.sd)
        else:
            compared = results.comparison_by_id[part.result].display
            assert part.text in (compared.difference, compared.interval)


def test_a_run_without_labels_and_folds_says_nothing_of_either() -> None:
    document = _report(make_results(2, 0, 1))
    assert {"labels", "folds"}.isdisjoint(section.id for section in document.all_sections)
    assert not re.search(r"\bfolds?\b", " ".join(_words(section) for section in document.sections))


def test_a_report_of_nothing_says_nothing_of_what_it_lacks() -> None:
    results = make_results(1)
    empty = msgspec.structs.replace(
        results, results=(), curves=(), distributions=(), comparisons=(), metrics=(), checks=()
    )
    sections = {section.id for section in build_report(empty, (), ()).all_sections}
    assert not sections & {"ranking", "classification", "calibration", "selection", "comparisons", "labels"}
    assert {"summary", "dataset", "methods"} <= sections


def _signed(conventions: str) -> Results:
    """Return synthetic results with one more signature, which names these conventions."""
    results = make_results(2)
    return msgspec.structs.replace(results, signatures=(*results.signatures, f"ndcg@10|{conventions}"))


def test_the_methods_say_the_conventions_that_bear_on_a_value_and_no_other() -> None:
    # A signature names what its value rests on: the rule for ties and queries without relevant candidates.
    results = _signed("ties:input_order|empty:exclude")
    methods = _section(build_report(results, (), ()), "methods-in-full")
    assert _words(_section(build_report(results, (), ()), "ranking-conventions")) == (
        "Images with equal scores keep their input order. On positive queries, queries without relevant images are "
        "left out."
    )
    assert not {"Probabilities", "Selection", "Decisions", "Classes"} & {part.title for part in methods.sections}
    assert (
        "Intervals are 95 % percentile bootstrap intervals from 10,000 resamples, in which whole pages are drawn"
        in _words(methods)
    )


def test_conventions_speak_of_the_queries_and_candidates_of_the_run() -> None:
    results = _signed("ties:input_order|empty:exclude")
    units = msgspec.structs.replace(results.units, query=Noun("claim", "claims"), candidate=Noun("answer", "answers"))
    document = build_report(msgspec.structs.replace(results, units=units), (), ())
    assert _words(_section(document, "ranking-conventions")) == (
        "Answers with equal scores keep their input order. On positive claims, claims without relevant answers are "
        "left out."
    )


def test_an_article_follows_the_noun_of_the_run() -> None:
    units = msgspec.structs.replace(make_results(1).units, query=Noun("image", "images"))
    assert in_units("A query, or a label of a query: queries", units) == "An image, or a digit of an image: images"


def test_a_convention_that_the_vocabulary_does_not_know_is_given_by_name() -> None:
    results = _signed("ties:input_order")
    conventions = {**results.contract.conventions, "future_rule": "left"}
    contract = msgspec.structs.replace(
        results.contract, conventions=conventions, questionable={"ties": "It is arbitrary."}
    )
    document = build_report(msgspec.structs.replace(results, contract=contract), (), ())
    assert _words(_section(document, "other-conventions")) == "future_rule = left."
    assert "(This choice is questionable: It is arbitrary.)" in _words(_section(document, "methods-in-full"))
    limits = _words(_section(document, "limits"))
    assert "The contract's convention “ties” is questionable: It is arbitrary." in limits


def test_the_methods_define_the_headline_metrics_and_the_end_the_others_that_are_shown(report: Document) -> None:
    headline = _section(report, "headline-metrics").blocks[0]
    others = _section(report, "definitions").blocks[1]
    assert isinstance(headline, Facts)
    assert isinstance(others, Facts)
    assert others.compact
    first, last = ({term for term, _ in facts.facts} for facts in (headline, others))
    assert {"nDCG@K", "AUROC", "Alert precision"} <= first
    assert {"Precision@K", "Hit@K", "Prevalence"} <= last
    assert not first & last
    assert Ref("sec:definitions") in inlines(_texts((_section(report, "headline-metrics"),))[-1])


def test_a_report_without_other_metrics_defines_none_and_points_to_none() -> None:
    document = build_report(make_results(2), (), ())
    assert "definitions" not in {section.id for section in document.all_sections}
    assert Ref("sec:definitions") not in [part for text in _texts(document.all_sections) for part in inlines(text)]


def test_provenance_lists_every_input_with_its_hash() -> None:
    results = make_results(2)
    tables = build_tables(results, ["checks"])
    document = build_report(results, tables, ())
    assert "queries; 500 rows, 1,000 bytes; SHA-256 " + "1" * 64 in _words(_section(document, "provenance"))


def test_the_checks_that_warn_are_named_and_all_are_listed() -> None:
    results = make_results(2)
    document = build_report(results, build_tables(results, ["checks"]), ())
    said = _words(_section(document, "checks"))
    # How many did is said by the caption of the table.
    assert "RG241" in said
    assert "raised a warning" not in said
    assert ShowTable("checks") in _section(document, "checks").blocks
    alone = _words(_section(build_report(results, (), ()), "checks"))
    assert "One of 2 checks raised a warning (RG241; see sec:limits)." in alone


def test_every_shown_result_is_named_for_the_authors_own_text() -> None:
    results = make_results(2)
    document = build_report(results, build_tables(results), build_figures(results))
    named = {quantity.result for quantity in document.quantities}
    shown = {result for table in document.tables.values() for result in table.results}
    assert shown <= named
    assert "ndcg@10|s0|all_queries|fold_mean" in named
    assert len(named) < len(results.results)


def _document(*sections: Section, figures: dict[str, Figure] | None = None) -> Document:
    return Document("T", "", (), None, "en", (), "", sections, {}, figures or {})


@pytest.mark.parametrize(
    ("sections", "code"),
    [
        ((Section("a", "A", (Paragraph(("see ", Ref("tab:none"))),)),), "RG520"),
        ((Section("a", "A", (ShowTable("none"),)),), "RG520"),
        ((Section("a", "A"), Section("a", "B")), "RG521"),
        ((Section("Not a slug", "A"),), "RG522"),
    ],
)
def test_a_document_that_cannot_be_set_is_refused(sections: tuple[Section, ...], code: str) -> None:
    with pytest.raises(RenderError) as raised:
        check_references(_document(*sections))
    assert [problem.code for problem in raised.value.problems] == [code]


def test_the_methods_tell_of_the_intervals_that_some_value_has_alone() -> None:
    results = make_results(2)
    first = results.interval_settings[0]
    unused = msgspec.structs.replace(first, method="nadeau_bengio_heuristic", resamples=0, unit="fold")
    more = msgspec.structs.replace(results, interval_settings=(*results.interval_settings, unused))
    said = _words(_section(build_report(more, (), ()), "intervals"))
    assert said == _words(_section(build_report(results, (), ()), "intervals"))
    assert "Nadeau" not in said
