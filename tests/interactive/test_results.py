from __future__ import annotations

import inspect
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import docx
import msgspec
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner

import reportgen as rg
from reportgen.cli import main
from reportgen.domain.presentation import plain
from reportgen.domain.record import Results as Record
from reportgen.domain.record_facts import ReportRecord
from reportgen.errors import OutputError, RenderError, RequestError
from reportgen.results import encode
from tests.support.results import showing


def test_the_numbers_from_python_are_those_of_the_command_line_byte_for_byte(tiny: Path, tmp_path: Path) -> None:
    target = tmp_path / "metrics_master.json"
    done = CliRunner().invoke(main, ["evaluate", str(tiny), "-o", str(target), "--resamples", "50"])
    assert done.exit_code == 0, done.output
    assert encode(rg.evaluate(tiny, resamples=50).record) == target.read_bytes()


def test_results_are_read_again_from_a_bundle_and_from_its_json(results: rg.Results, tmp_path: Path) -> None:
    bundle = rg.build(results, tmp_path / "v1.0", formats=["md"])
    assert "per_query.parquet" in bundle.files
    assert rg.load_results(bundle.directory).record == results.record
    assert rg.load_results(bundle.directory / "metrics_master.json") == rg.Results(results.record)
    again = rg.build(rg.load_results(bundle.directory), tmp_path / "v1.1", formats=["md"])
    assert again.files == bundle.files
    assert "files (" in bundle._repr_html_()


@pytest.fixture
def themed(results: rg.Results, tmp_path: Path) -> rg.Results:
    """Results whose run declares a theme of its own, with words and a colour, in the folder where they are."""
    own = tmp_path / "themes" / "mine"
    (own / "text" / "tables").mkdir(parents=True)
    (own / "text" / "figures").mkdir()
    colours = ", ".join(f'"#10203{at}"' for at in range(8))
    (own / "theme.toml").write_text(
        f'api = 1\ntitle = "Mine"\n[tokens.colour.light]\nsystems = [{colours}]\n', encoding="utf-8"
    )
    for name, block in (("tables/main-results", "about"), ("figures/roc", "line")):
        words = f'{{% extends "base::text/{name}.md.j2" %}}{{% block {block} %}}in our words{{% endblock %}}'
        (own / "text" / f"{name}.md.j2").write_text(words, encoding="utf-8")
    presentation = msgspec.structs.replace(
        results.record.run.presentation, report=msgspec.structs.replace(ReportRecord(), theme="mine")
    )
    run = msgspec.structs.replace(results.record.run, presentation=presentation)
    return rg.Results(msgspec.structs.replace(results.record, run=run), folder=tmp_path)


def test_tables_and_figures_have_the_words_and_the_style_of_the_runs_theme(themed: rg.Results) -> None:
    table, figure = rg.tables(themed, "main-results")["main-results"], rg.figures(themed, "roc")["roc"]
    assert "in our words" in table.to("md")
    assert "Dashed line: in our words." in plain(figure.spec.caption)
    assert "#102030" in [line.get_color() for line in figure.draw().axes[0].get_lines()]
    assert "in our words" in rg.tables(themed)["main-results-compact"].to("md")
    assert "in our words" in themed._repr_html_()


def test_a_theme_that_is_asked_for_comes_before_the_runs_own(themed: rg.Results) -> None:
    assert "in our words" not in rg.tables(themed, "main-results", theme="base")["main-results"].to("md")
    assert "in our words" not in plain(rg.figures(themed, "roc", theme="journal")["roc"].spec.caption)


def test_a_theme_that_is_not_where_the_results_are_is_refused_with_what_to_do(themed: rg.Results) -> None:
    with pytest.raises(RenderError) as raised:
        rg.tables(rg.Results(themed.record))
    assert [one.code for one in raised.value.problems] == ["RG593"]


def test_a_run_is_evaluated_on_the_way_to_a_bundle(tmp_path: Path) -> None:
    run = rg.from_predictions([1, 0, 1, 0], [0.9, 0.2, 0.6, 0.4], title="Four")
    bundle = rg.build(run, tmp_path / "b", formats=["csv"])
    master = json.loads((tmp_path / "b" / "metrics_master.json").read_text("utf-8"))
    assert master["run"]["title"] == "Four"
    assert master["command"] == "reportgen.evaluate(run, 'field-standard', resamples=10000, seed=0)"
    assert "tables/dataset.csv" in bundle.files


@pytest.mark.slow
def test_an_anonymous_bundle_from_python_is_that_of_the_command_line_byte_for_byte(tiny: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(tiny, run)
    text = (run / "run.toml").read_text("utf-8").replace("The reportgen authors", "Jane Quillfeather")
    (run / "run.toml").write_text(text.replace('label = "Neural"', 'label = "Neural of Quillfeather"'), "utf-8")
    named = rg.evaluate(run, resamples=20)
    bundle = rg.build(named, tmp_path / "python", formats=["md"], anonymous=True)
    words = ["build", str(run), "-o", str(tmp_path / "words"), "--resamples", "20", "-j", "1", "--formats", "md"]
    assert CliRunner().invoke(main, [*words, "--anonymous"], catch_exceptions=False).exit_code == 0
    assert "per_query.parquet" in bundle.files
    for name in bundle.files:
        assert (bundle.directory / name).read_bytes() == (tmp_path / "words" / name).read_bytes(), name
    assert b"Quillfeather" not in (bundle.directory / "metrics_master.json").read_bytes()
    # The results that were handed over keep their names.
    assert named.record.run.authors == ("Jane Quillfeather",)


@pytest.mark.parametrize(
    ("backend", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table)]
)
def test_every_number_is_a_row_of_the_frame(results: rg.Results, backend: str, kind: type) -> None:
    frame = results.frame(backend)
    assert isinstance(frame, kind)
    assert len(frame) == len(results.record.results)
    rows = (
        frame.to_pylist()
        if backend == "pyarrow"
        else frame.to_dict("records")
        if backend == "pandas"
        else frame.to_dicts()
    )
    (row,) = [row for row in rows if row["id"] == "ndcg@10|lexical|positives_only|fold_mean"]
    record = results.record.by_id[row["id"]]
    assert (row["metric"], row["system"], row["subset"], row["aggregation"]) == (
        "ndcg@10", "lexical", "positives_only", "fold_mean",
    )  # fmt: skip
    assert (row["value"], row["lower"]) == (record.value, record.intervals[0].lower)
    assert row["n_queries"] == 6
    assert row["level"] == 0.95


def test_a_frame_of_a_library_that_is_not_there_is_refused(results: rg.Results) -> None:
    with pytest.raises(RequestError, match="RG708 frame: no frame can be made with 'nothing'"):
        results.frame("nothing")


def test_comparisons_are_a_frame_with_the_first_test_and_the_interval(results: rg.Results) -> None:
    frame = results.comparisons("pyarrow")
    record = results.record
    assert 0 < len(record.comparisons) < frame.num_rows == len(record.comparisons) + len(record.differences)
    first, pair = frame.to_pylist()[0], results.record.comparisons[0]
    assert (first["difference"], first["p_adjusted"]) == (pair.difference, pair.tests[0].p_adjusted)


def test_an_estimate_that_was_not_computed_is_refused_with_those_that_were(results: rg.Results) -> None:
    with pytest.raises(RequestError, match=r"RG707 ndcg@10, bm25: no such number(.|\n)*the systems lexical, neural"):
        results.estimate("ndcg@10", "bm25")


def test_a_loaded_contract_states_its_resamples_itself(tiny: Path) -> None:
    contract = rg.load_contract("trec-eval", {"resamples": 20})
    results = rg.evaluate(tiny, contract, crosscheck="none")
    assert results.record.contract.conventions["resamples"] == 20
    with pytest.raises(RequestError, match="RG709 evaluate: seed beside a loaded contract"):
        rg.evaluate(tiny, contract, seed=1)


def test_runs_in_memory_are_compared_as_their_systems_in_one_run_are() -> None:
    y, p, q = [1, 0, 1, 0, 1, 0], [0.9, 0.2, 0.6, 0.4, 0.3, 0.1], [0.4, 0.5, 0.7, 0.1, 0.2, 0.3]
    apart = [rg.from_predictions(y, {name: of}) for name, of in (("p", p), ("q", q))]
    options = {"metrics": ["auroc"], "resamples": 50, "crosscheck": "none"}
    one = rg.compare(rg.from_predictions(y, {"p": p, "q": q}), **options)
    two = rg.compare(*apart, **options)
    assert [pair.difference for pair in two.record.comparisons] == [pair.difference for pair in one.record.comparisons]
    # q ranks 0.7, 0.4, 0.2 against 0.5, 0.3, 0.1: 3 + 2 + 1 of 9 pairs; p has 8 of 9.
    assert two.record.comparisons[0].difference == pytest.approx(6 / 9 - 8 / 9, abs=1e-12)
    assert two.record.comparisons[0].system_b == "p", "the first system is the baseline"


def test_systems_whose_ids_meet_get_the_name_or_number_of_their_run(tiny: Path) -> None:
    results = rg.compare(tiny, rg.load(tiny), tiny, resamples=0, crosscheck="none")
    assert [system.id for system in results.record.systems][::2] == ["tiny/lexical", "run-2/lexical", "run-3/lexical"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": "bm25"}, "RG701 baseline: there is no 'bm25'"),
        ({"pairs": "some"}, "RG701 pairs: there is no 'some'"),
        ({"tests": ["t"]}, "RG701 tests: t: there is no 't'"),
        ({"metrics": ["auroc", "ndcg@7"]}, "RG701 metrics: ndcg@7: there is no 'ndcg@7'"),
    ],
)
def test_a_comparison_by_an_unknown_word_is_refused(options: dict[str, object], message: str, tiny: Path) -> None:
    with pytest.raises(RequestError) as caught:
        rg.compare(tiny, **options)
    assert str(caught.value).startswith(message)
    assert "Choose from" in str(caught.value)


def test_a_comparison_needs_a_run() -> None:
    with pytest.raises(RequestError, match="RG701 sources: there is no run"):
        rg.compare()


def test_tables_and_figures_are_mappings_by_name_in_the_order_of_the_report(results: rg.Results) -> None:
    tables, figures = rg.tables(results), rg.figures(results, "roc")
    assert next(iter(tables)) in tables
    assert len(tables) == len(list(tables))
    assert list(figures) == ["roc"]
    assert tables["dataset"].id == "dataset"
    assert tables["dataset"].to("csv").count("\n") > 2
    with pytest.raises(KeyError, match="'nothing'; there are"):
        tables["nothing"]


def test_tables_and_figures_are_printed_by_their_names(results: rg.Results) -> None:
    assert repr(rg.tables(results, "dataset", "main-results")) == "Tables('dataset', 'main-results')"
    assert repr(rg.figures(results, "roc")) == "Figures('roc')"


def test_tables_and_figures_are_saved_in_the_formats_asked_for(results: rg.Results, tmp_path: Path) -> None:
    written = rg.tables(results, "dataset").save(tmp_path / "t", ("md", "csv"))
    assert {path.name for path in written} == {"dataset.md", "dataset.csv"}
    assert all(path.is_file() for path in written)
    written = rg.figures(results, "roc").save(tmp_path / "f", ("svg",))
    assert {path.name for path in written} == {"roc.svg", "roc.csv"}
    with pytest.raises(OutputError, match="RG604"):
        rg.tables(results).save(tmp_path, ("rtf",))
    with pytest.raises(RequestError, match="RG705 dataset: the format 'xlsx' is not text"):
        rg.tables(results)["dataset"].to("xlsx")
    assert rg.Tables(()).save(tmp_path / "none", ("md",)) == ()


def test_everything_shows_itself_in_a_notebook_and_escapes_what_is_data(results: rg.Results) -> None:
    run = rg.from_predictions([1, 0, 1, 0], {"<b>x": [0.9, 0.2, 0.6, 0.4]}, title="<script>alert(1)</script>")
    shown = {
        "run": run._repr_html_(),
        "results": rg.evaluate(run, resamples=20, crosscheck="none")._repr_html_(),
        "table": rg.tables(results)["dataset"]._repr_html_(),
        "tables": rg.tables(results)._repr_html_(),
        "figure": rg.figures(results)["roc"]._repr_html_(),
        "figures": rg.figures(results, "roc", "reliability")._repr_html_(),
    }
    for name, html in shown.items():
        assert html.startswith('<div class="reportgen"><style>'), name
        assert html.endswith("</div>"), name
        assert "<script" not in html
        assert "<b>x" not in html
        inside = html.replace("url(#", "").replace('url("data:font/ttf;base64,', "")
        assert "url(" not in inside, "nothing comes from elsewhere"
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown["run"]
    assert shown["figures"].count("<svg") == 2
    assert "<svg" in shown["figure"]
    assert "<figcaption>" in shown["figure"]
    assert "probabilities" in shown["run"]
    assert results._repr_html_().count("(synthetic data)") == 1
    assert "Comparisons" in results._repr_html_()


def test_texts_of_values_are_one_line(results: rg.Results, tiny: Path) -> None:
    values: list[object] = [rg.load(tiny), results, rg.tables(results)["dataset"], rg.figures(results)["roc"]]
    assert all("\n" not in repr(value) for value in values)
    assert repr(values[3]).startswith("Figure('roc': ")
    assert rg.figures(results)["roc"].svg().startswith("<svg")


@pytest.mark.parametrize("name", [name for name in rg.__all__ if callable(getattr(rg, name)) and name.islower()])
def test_every_public_function_is_typed_and_explained(name: str) -> None:
    function: Callable[..., object] = getattr(rg, name)
    signature = inspect.signature(function)
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(parameter.annotation is not inspect.Parameter.empty for parameter in signature.parameters.values())
    assert "aises" in (function.__doc__ or "") or name == "findings"


def test_functions_keep_their_names_whatever_modules_were_imported() -> None:
    import reportgen.figures
    import reportgen.tables  # binds the module in its package, which is what must not show

    assert callable(rg.tables)
    assert rg.figures is reportgen.figures


def test_the_report_is_written_for_word_and_a_document_of_ones_own_is_filled(tmp_path: Path, synthetic: Record) -> None:
    results = rg.Results(showing(synthetic, tables=("main-results",), figures=()))
    assert rg.docx(results, tmp_path / "r.docx") == (tmp_path / "r-supplement.docx", tmp_path / "r.docx")
    template = docx.Document()
    template.add_paragraph("{{ document.title }} by {{ document.authors | join }}")
    template.save(str(tmp_path / "journal.docx"))
    target = tmp_path / "paper.docx"
    assert rg.docx(results, target, template=tmp_path / "journal.docx", anonymous=True) == (target,)
    assert docx.Document(str(target)).paragraphs[0].text == f"{synthetic.run.title} by "
