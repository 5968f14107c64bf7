"""Comparisons: which differences between systems the data show, and which they could have shown."""

from __future__ import annotations

from reportgen.documents.material import ReportMaterial
from reportgen.domain.presentation import Block, Items, Paragraph, Section
from reportgen.domain.record import Results
from reportgen.wording.comparisons import verdict_sentences
from reportgen.wording.text import enumeration, in_words, paragraph

ID = "comparisons"
TITLE = "Comparisons of systems"
ORDER = 650
NEEDS = "two systems on the same queries"

_READ_OUT = 6
"""Comparisons that are read out one by one; more stand in the table alone."""


def build(material: ReportMaterial) -> Section | None:
    """Say what was compared, each comparison in a sentence, show the table; then the ladder and the sweep."""
    results = material.results
    if not results.comparisons and not material.table("sweep-compact"):
        return None
    blocks: list[Block] = []
    if results.comparisons:
        blocks.append(Paragraph(paragraph((_family(results), _adjustment(results)))))
        read_out = len(results.comparisons) <= _READ_OUT
        sentences = tuple(c.interpretation for c in results.comparisons) if read_out else verdict_sentences(results)
        blocks.append(Items(sentences))
    blocks += [
        *material.figure("paired-differences"),
        *material.table("comparisons-compact"),
        *material.table("differences-compact"),
        *material.table("named-tests"),
    ]
    parts = []
    if ladder := material.table("ablation-ladder-compact"):
        says = "Each step is compared with the one before and with the first. A component that a step lacks prints n/a."
        parts.append(
            Section("ablation", "Ablation ladder", (Paragraph(says), *material.figure("ablation-ladder"), *ladder))
        )
    if sweep := material.table("sweep-compact"):
        says = f"What each setting returns, in {results.units.candidate.many}, and how much evidence is in it."
        parts.append(
            Section("parameter-sweep", "Parameter sweep", (Paragraph(says), *material.figure("sweep"), *sweep))
        )
    return Section(ID, TITLE, tuple(blocks), tuple(parts))


def _family(results: Results) -> str:
    metrics = enumeration([results.metric_by_id[m].name for m in dict.fromkeys(c.metric for c in results.comparisons)])
    names = "".join(part for part in metrics if isinstance(part, str))
    pairs = len({(c.system_a, c.system_b) for c in results.comparisons if c.in_family})
    what = f"{in_words(pairs)} {'pair' if pairs == 1 else 'pairs'} of systems on {names}"
    if any(c.metric in results.run.family for c in results.comparisons):
        return f"The run declares the comparisons: {what}."
    if results.run.family:
        return (
            f"The contract computes no metric of the declared family, so its first headline metrics were taken: {what}."
        )
    return f"The run declares no family of comparisons, so the first headline metrics were taken: {what}."


def _adjustment(results: Results) -> str:
    tests = [test for c in results.comparisons for test in c.tests[:1]]
    if not tests:
        return "No test was made."
    test = tests[0]
    if test.family_size == 1:
        return "There is one comparison, so no p value is adjusted."
    if test.adjustment == "none":
        return f"The p values of the {test.family_size} comparisons are not adjusted for their number, as declared."
    names = {"holm": "Holm's method", "max_t": "the max-T permutation", "bh": "the Benjamini–Hochberg procedure"}
    return (
        f"The p values of the {test.family_size} comparisons are adjusted together by {names[test.adjustment]}; a "
        "verdict follows the adjusted value."
    )
