from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec

from reportgen.documents.material import ReportMaterial
from reportgen.documents.procedures import Procedures
from reportgen.domain.presentation import Facts, Math, Ref, Text, inlines, plain
from reportgen.domain.record import AnyParameter, MetricRecord, Results
from reportgen.prose import set_section
from reportgen.templating import shipped_text
from reportgen.wording.text import enumeration
from tests.support.results import make_results


def _metric(
    id: str, name: str, definition: str, formula: str = "", reference: str = "", at_any: AnyParameter | None = None
) -> MetricRecord:
    base = make_results(1).metrics[0]
    return msgspec.structs.replace(
        base, id=id, name=name, definition=definition, formula=formula, reference=reference, at_any=at_any
    )


def _results(*metrics: MetricRecord, **contract: Any) -> Results:
    results = make_results(1)
    ordered = tuple(msgspec.structs.replace(metric, order=at) for at, metric in enumerate(metrics))
    return msgspec.structs.replace(
        results, metrics=ordered, contract=msgspec.structs.replace(results.contract, **contract)
    )


def _defined(results: Results, *ids: str) -> dict[str, Text]:
    """Return the definitions of those metrics as the template of their section sets them."""
    headline = ids or tuple(metric.id for metric in results.metrics)
    contract = msgspec.structs.replace(results.contract, headline=headline)
    material = ReportMaterial(msgspec.structs.replace(results, contract=contract), {}, {})
    how = SimpleNamespace(others=Procedures(material).headline)
    section = set_section(shipped_text, "definitions", {"how": how, "ref": Ref, "listed": enumeration})
    assert section is not None
    facts = section.blocks[1]
    assert isinstance(facts, Facts)
    assert facts.compact
    return dict(facts.facts)


def _said(results: Results, *ids: str) -> dict[str, str]:
    return {term: plain(text).replace("\u00a0", " ") for term, text in _defined(results, *ids).items()}


OF_ALL = AnyParameter(
    symbol="K",
    name="P@K",
    definition="Share of the top K.",
    formula=r"\sum_{i=1}^{K} g_i / K",
    reference="trec_eval P_K",
)


def test_cut_offs_of_a_metric_are_one_definition_over_k() -> None:
    results = _results(*(_metric(f"p@{k}", f"P@{k}", f"Share of the top {k}.", at_any=OF_ALL) for k in (1, 5, 10)))
    ((term, text),) = _defined(results, "p@5").items()
    assert term == "P@K"
    assert OF_ALL.formula in [part.latex for part in inlines(text) if isinstance(part, Math)]
    assert plain(text).startswith("Share of the top K. ")
    assert plain(text).endswith("K = 1, 5 and 10. Reference: trec_eval P_K.")


def test_a_budget_is_a_percentage_among_the_parameters() -> None:
    of_all = msgspec.structs.replace(OF_ALL, symbol="α", name="TPR@FPR≤α", reference="")
    results = _results(*(_metric(f"tpr@fpr={a}", "TPR", "Found.", at_any=of_all) for a in ("0.01", "0.05", "0.1")))
    ((term, text),) = _defined(results, "tpr@fpr=0.05").items()
    assert term == "TPR@FPR≤α"
    assert plain(text).endswith("α = 1 %, 5 % and 10 %.")


def test_a_group_that_differs_in_more_than_its_parameter_is_defined_at_the_headline_one() -> None:
    results = _results(
        _metric("hit@1", "Hit@1", "The first is relevant."),
        _metric("hit@10", "Hit@10", "One of the top 10 is relevant."),
    )
    assert _said(results, "hit@10") == {"Hit@10": "One of the top 10 is relevant. Also at 1."}


def test_a_metric_at_one_parameter_or_at_thresholds_keeps_its_own_words() -> None:
    results = _results(
        _metric("mrr@10", "MRR@10", "Mean reciprocal rank in the top 10.", at_any=OF_ALL),
        _metric("f1@tune", "F1 at TUNE", "F1 at the TUNE threshold."),
        _metric("f1@0.5", "F1 at 0.5", "F1 at 0.5."),
    )
    assert _said(results, "mrr@10", "f1@tune") == {
        "MRR@10": "Mean reciprocal rank in the top 10.",
        "F1 at TUNE": "F1 at the TUNE threshold. Also at 0.5.",
    }


def test_a_metric_that_is_not_asked_for_is_not_defined() -> None:
    results = _results(_metric("a", "A", "First."), _metric("b", "B", "Second."))
    assert _said(results, "b") == {"B": "Second."}


def test_a_formula_within_the_line_ends_a_sentence() -> None:
    results = _results(_metric("a", "A", "First.", "x", "Source"))
    assert _said(results, "a") == {"A": "First. x. Reference: Source."}
