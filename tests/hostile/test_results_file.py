"""A metrics_master.json that somebody edited: refused with what is wrong, and never a way into another format."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reportgen.domain.mathematics import foreign
from reportgen.domain.record import Results
from reportgen.errors import ResultsError
from reportgen.metrics.registry import entries
from reportgen.results import decode, encode, read_results

FORMULAS = [
    r"\input{/etc/passwd}", r"\immediate\write18{id}", r"a^^5cinput{x}", "$x$ text", r"a}\bgroup{", "%", "#1", "{",
    r"\def\x{y}", r"\catcode`\@=11", "\\\\", r"\csname input\endcsname", r"\href{javascript:x}{y}", r"\begin{x}",
]  # fmt: skip


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_formula_that_is_more_than_mathematics_is_refused(synthetic: Results, formula: str) -> None:
    content = json.loads(encode(synthetic))
    content["metrics"][0]["formula"] = formula
    with pytest.raises(ResultsError, match="RG405"):
        decode(json.dumps(content).encode(), Path("m.json"))


def test_the_formulas_of_all_metrics_are_mathematics() -> None:
    formulas = [metric.formula for metric in entries()]
    assert len(formulas) > 20
    assert [(formula, foreign(formula)) for formula in formulas if foreign(formula)] == []


def logo(content: dict[str, Any], address: str) -> None:
    content["run"].setdefault("presentation", {}).setdefault("report", {})["logo"] = address


def data(kind: str, content: bytes) -> str:
    return f"data:image/{kind};base64,{b64encode(content).decode()}"


EDITS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "created": lambda m: m.update(created="<b>"),
    "run date": lambda m: m["run"].update(date="tomorrow"),
    "headline": lambda m: m["contract"].update(headline=[""]),
    "metric id": lambda m: m["metrics"][0].update(id="x}{"),
    "convention missing": lambda m: m["contract"]["conventions"].pop("headline_aggregation"),
    "resamples": lambda m: m["contract"]["conventions"].update(resamples="10\n```\nrm"),
    "subset missing": lambda m: m.update(subsets=[s for s in m["subsets"] if s["id"] != "all_queries"]),
    "curve": lambda m: m["curves"][0].update(system="nobody"),
    "band": lambda m: m["curves"][0]["band"].update(settings=999),
    "distribution": lambda m: m["distributions"][0].update(counts=[1]),
    "sweep": lambda m: m.update(sweeps=[{**m["sweeps"][0], "system": "nobody"}]),
    "threshold": lambda m: m["thresholds"][0].update(fold="nowhere"),
    "logo on another machine": lambda m: logo(m, "https://example.org/seen.png"),
    "logo that is a file": lambda m: logo(m, "file:///etc/passwd"),
    "logo with markup": lambda m: logo(m, 'data:image/svg+xml;base64,PHN2Zy8+"><link rel=attachment href="file:/etc">'),
    "logo that acts": lambda m: logo(m, data("svg+xml", b"<svg><script>alert(1)</script></svg>")),
    "logo of no known kind": lambda m: logo(m, data("gif", b"GIF89a")),
    "logo that is no picture": lambda m: logo(m, data("png", b"GIF89a")),
    "logo too large": lambda m: logo(m, data("svg+xml", b"<svg>" + b" " * 2**18 + b"</svg>")),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_that_no_report_could_stand_is_refused(synthetic: Results, edit: str) -> None:
    content = json.loads(encode(synthetic))
    EDITS[edit](content)
    with pytest.raises(ResultsError, match="RG40"):
        decode(json.dumps(content).encode(), Path("m.json"))


def test_a_logo_that_a_run_could_have_given_is_read(synthetic: Results) -> None:
    content = json.loads(encode(synthetic))
    logo(content, data("svg+xml", b'<svg viewBox="0 0 3 2"/>'))
    assert decode(json.dumps(content).encode(), Path("m.json")).run.presentation.report.logo


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\0", b"[]", b"null", b'{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}", b"\xff\xfe{\0}\0",
        b'{"kind":NaN}',
        b'{"kind":"reportgen.metrics_master","schema_version":"2.0.0"}', b'{"kind":"\xff","schema_version":"1"}',
    ],
)  # fmt: skip
def test_bytes_that_are_no_results_are_refused(data: bytes) -> None:
    with pytest.raises(ResultsError, match="RG40"):
        decode(data, Path("m.json"))


def test_a_folder_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="RG401"):
        read_results(tmp_path)
