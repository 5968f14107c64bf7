"""Numbers with a decimal comma for readers, and with a point for programs; expected forms are typed here."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

import reportgen as rg
from reportgen import numbers
from reportgen.decimal_comma import Comma, comma_of, with_point
from reportgen.documents.quantities import quantities
from reportgen.domain.presentation import Brackets, Cell, Column, Math, Ref, Row, RowGroup, Shown, Table
from reportgen.domain.record import Results
from reportgen.figures import build_figures
from reportgen.formats import present
from reportgen.manuscripts import fill_document, trace
from reportgen.manuscripts.readers import read_markdown
from reportgen.render import csv_table, html_table, report_html, report_latex, report_markdown, xlsx_table
from reportgen.render.themes import base_theme
from reportgen.results import read_results
from reportgen.styles import load_tokens
from reportgen.verify import verify
from reportgen.verify.artefacts import OtherRelease
from tests.support.results import make_results

GROUP = "\u202f"
COMMA = Comma(("Llama 3.1", "1,000 posts"))


def asked_for(results: Results) -> Results:
    said = msgspec.structs.replace(results.run.presentation.report, decimal=",")
    presentation = msgspec.structs.replace(results.run.presentation, report=said)
    return msgspec.structs.replace(results, run=msgspec.structs.replace(results.run, presentation=presentation))


RESULTS = asked_for(make_results())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.812", "0,812"),
        ("−16.69", "−16,69"),
        ("2,460", f"2{GROUP}460"),
        ("1,234,567.5", f"1{GROUP}234{GROUP}567,5"),
        ("[0.790, 0.834]", "[0,790; 0,834]"),
        ("0.812 [−0.790, >0.999] (p < 0.001)", "0,812 [−0,790; >0,999] (p < 0,001)"),
        ("[1,200, 2,460]", f"[1{GROUP}200; 2{GROUP}460]"),
        ("K = 1, 3 and 5", "K = 1, 3 and 5"),
        # Versions, identifiers, numbers of sections after a dot, and names of the user's are not results.
        ("Python 3.11.7, version 1.0.0", "Python 3.11.7, version 1.0.0"),
        ("tpr@fpr=0.05 of f1@0.5", "tpr@fpr=0.05 of f1@0.5"),
        ("Llama 3.1 has 0.5 on 1,000 posts", "Llama 3.1 has 0,5 on 1,000 posts"),
        ("doi:10.1145/345508.345543, a_1.5.csv, 2026-01-31", "doi:10.1145/345508.345543, a_1.5.csv, 2026-01-31"),
    ],
)  # fmt: skip
def test_numbers_change_and_nothing_else_does(text: str, expected: str) -> None:
    assert COMMA.text(text) == expected


def test_every_part_of_a_text_is_changed_but_formulas_and_references() -> None:
    parts = ("Of 0.5 ", Shown("0.812", "id"), Math("x = 0.5"), Ref("tab:a"), Brackets("0.95 intervals", " 1,000."))
    assert COMMA.of(parts) == (
        "Of 0,5 ", Shown("0,812", "id"), Math("x = 0.5"), Ref("tab:a"), Brackets("0,95 intervals", f" 1{GROUP}000."),
    )  # fmt: skip


@pytest.mark.parametrize("text", ["0.812", "−16.69", "2,460", "1,234.5", "[0.790, 0.834]", "<0.001"])
def test_what_programs_read_is_what_was_there_before(text: str) -> None:
    assert numbers.with_point(COMMA.text(text)) == text


def small(decimal: str = ".") -> Table:
    columns = (Column("s", "System", "stub"), Column("v", "Value", "estimate", suffixes=("lower", "upper")))
    rows = (
        Row((Cell("Llama 3.1"), Cell("0.8125", "[0.7900, 0.8340]", 0.8125, (("lower", 0.79), ("upper", 0.834))))),
        Row((Cell("b"), Cell("12.5", value=12.5))),
        Row((Cell("c"), Cell("2,460", value=2460.0))),
    )
    table = Table("t", "T", "C 0.5.", columns, (RowGroup("", rows),))
    return COMMA.table(table) if decimal == "," else table


def test_a_table_aligns_on_the_comma_and_its_machine_forms_keep_the_point() -> None:
    changed = small(",")
    assert [cell.text for row in changed.rows for cell in row.cells] == [
        "Llama 3.1", "0,8125", "b", "12,5", "c", f"2{GROUP}460",
    ]  # fmt: skip
    assert [cell.text for row in with_point(changed).rows for cell in row.cells[1:]] == ["0.8125", "12.5", "2,460"]
    # Three decimals less than the longest number: three figure spaces.
    assert re.search(r'12,5</span><span class="pad" aria-hidden="true">\u2007{3}</span>', html_table.render(changed))
    assert csv_table.render(changed) == csv_table.render(small())
    assert xlsx_table.render(changed) == xlsx_table.render(with_point(changed))


@pytest.mark.slow
def test_reports_show_commas_and_results_keep_points() -> None:
    shown = present(RESULTS)
    assert shown.document.decimal == ","
    text = report_markdown.render(shown.document)
    # By hand from the synthetic results: 0.73 -/+ 0.02.
    assert "0,730" in text
    assert r"\[0,710; 0,750\]" in text
    left = re.sub(r"(?s)\n#+ References.*", "", text)
    left = re.sub(r"doi:\S+|\$`.*?`\$|\d+(?:\.\d+){2,}|#+ S?[\d.]+ |[\w=@]+@\S+|\be-\d+", "", left)
    assert re.findall(r"(?<![\w.])0\.\d{2,3}(?!\d|e)", left) == []
    page = report_html.render(shown.document)
    assert '<html lang="en" data-decimal=",">' in page
    assert comma_of(make_results()) is None


def test_macros_have_commas_and_their_plain_digits_points() -> None:
    macros = report_latex.sources(present(RESULTS).document, base_theme(), "article")["macros.tex"]
    assert r"\rg@define{value}{ndcg@10|s0|positives_only|fold_mean}{0{,}730}" in macros
    assert r"\rg@define{rawvalue}{ndcg@10|s0|positives_only|fold_mean}{0.730}" in macros
    assert r"\rg@define{interval}{ndcg@10|s0|positives_only|fold_mean}{[0{,}710;~0{,}750]}" in macros


def test_ticks_and_labels_of_figures_have_commas() -> None:
    from matplotlib.text import Text

    [roc] = build_figures(RESULTS, ("roc",))
    figure = roc.draw(load_tokens())
    figure.canvas.draw()
    shown = [text.get_text() for text in figure.findobj(lambda artist: isinstance(artist, Text))]
    assert "0,25" in shown or "0,5" in shown
    assert [text for text in shown if re.search(r"(?<![\w.])\d\.\d", text)] == []


def test_an_authors_text_is_filled_with_commas_and_traced_with_them() -> None:
    comma = comma_of(RESULTS)
    assert comma is not None
    known = comma.quantities(quantities(RESULTS))
    text = "nDCG@10 of {{rg ndcg@10 s0}}, `{{rg ndcg@10 s0}}`, ${{rg ndcg@10 s0}}$"
    assert fill_document(text, "md", known, decimal=",") == "nDCG@10 of 0,730, `0.730`, $0{,}730$"
    label = RESULTS.system_by_id["s0"].label
    typed = read_markdown("x.md", f"The nDCG@10 of {label} is 0,730. The nDCG@10 of {label} is 0,750.")
    assert [(one.text, one.verdict) for one in trace(typed, RESULTS)] == [("0.730", "linked"), ("0.750", "stale")]


def test_verify_reads_the_numbers_of_a_bundle_of_another_release(tmp_path: Path) -> None:
    folder, bundle = tmp_path / "run", tmp_path / "bundle"
    folder.mkdir()
    rows = zip((1, 0, 1, 0, 1, 1, 0, 0), (0.9, 0.2, 0.7, 0.4, 0.8, 0.6, 0.3, 0.1), strict=True)
    (folder / "per_query.csv").write_text("y_true,y_prob\n" + "".join(f"{y},{p}\n" for y, p in rows))
    (folder / "run.toml").write_text('[report]\ndecimal = ","\n[figures]\nshow = []\n')
    rg.build(folder, bundle, formats=("md", "csv"))
    results = read_results(bundle / "metrics_master.json")
    assert re.search(r"\d,\d{3}", (bundle / "tables" / "main-results.md").read_text(encoding="utf-8"))
    assert [*OtherRelease(bundle, results).faults()] == []
    assert verify(bundle).faults == ()
