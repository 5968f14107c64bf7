"""Input of public bug reports of other tools, and what must become of it; numbers are in evaluation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

import reportgen as rg
from reportgen.errors import InputError


def folder(tmp_path: Path, content: Mapping[str, str | bytes]) -> Path:
    for name, text in content.items():
        path = tmp_path / "outputs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return tmp_path / "outputs"


WIDE = "id,y_true,bert_prob,svm_prob\n1,1,0.9,0.8\n2,0,0.2,{}\n3,1,0.6,0.7\n4,0,0.4,0.1\n"


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("", r"RG130 .*'svm_prob': not a number: blank \(line 3\)"),
        ("NaN", r"RG130 .*'svm_prob': not a number: 'NaN' \(line 3\)"),
        ("timeout", r"RG130 .*'svm_prob': not a number: 'timeout' \(line 3\)"),
        ("30%", r"RG130 .*'svm_prob': not a number: '30%' \(line 3\)"),
        ("1.0000001", r"RG131 .*'svm_prob': not a probability between 0 and 1: '1\.0000001' \(line 3\)"),
    ],
)
def test_a_wide_column_with_one_wrong_cell_is_refused_and_never_dropped(tmp_path: Path, cell: str, said: str) -> None:
    """openvax/mhcflurry#326, daisybio/drevalpy#158: the system vanished, and the other was renamed."""
    with pytest.raises(InputError, match=rf"(?s){said}.*--column ignore=svm_prob") as found:
        rg.load(folder(tmp_path, {"preds.csv": WIDE.format(cell)}))
    assert len(found.value.problems) == 1


EXCEL = "query{0}y_true{0}y_prob\r\nA-1{0}1{0}0,91\r\nÄ-2{0}0{0}0,12\r\nA-3{0}1{0}1,5e-3\r\n"


@pytest.mark.parametrize(
    "data",
    [
        EXCEL.format(";").encode("utf-8-sig"),
        EXCEL.format("\t").encode("utf-16"),
        EXCEL.format("\t").encode(),
        b"\xef\xbb\xbfsep=;\r\n" + EXCEL.format(";").encode(),
        re.sub(r"[^;\r\n]+", r'"\g<0>"', EXCEL.format(";")).encode(),
    ],
    ids=["byte order mark", "UTF-16", "tabs", "sep=", "all quoted"],
)
def test_what_a_german_spreadsheet_saves_is_read(tmp_path: Path, data: bytes) -> None:
    run = rg.load(folder(tmp_path, {"export.csv": data}))
    assert sorted(run.queries.ids) == ["A-1", "A-3", "Ä-2"]
    (system,) = run.systems
    assert system.y_prob is not None
    assert sorted(system.y_prob.tolist()) == [0.0015, 0.12, 0.91]


@pytest.mark.parametrize("qrels", ["1\td1\n2\td2\n", "1\t0\td1\t1\n2\t0\td2\t1\n"], ids=["two columns", "four columns"])
def test_files_of_ms_marco_are_known(tmp_path: Path, qrels: str) -> None:
    run = rg.load(folder(tmp_path, {"qrels.dev.tsv": qrels, "run.dev.tsv": "1\td1\t1\n1\td2\t2\n2\td1\t1\n2\td2\t2\n"}))
    # Ranks 1 and 2.
    assert rg.evaluate(run, resamples=0).estimate("mrr", "dev").value == pytest.approx(3 / 4)


def test_samples_of_two_models_with_the_same_doc_ids_are_of_the_same_questions(tmp_path: Path) -> None:
    """EleutherAI/lm-evaluation-harness#2949, UKGovernmentBEIS/inspect_ai#2176: refused as of different queries."""
    lines = "".join(f'{{"doc_id": {n}, "y_true": {n % 2}, "y_prob": 0.{n + 2}}}\n' for n in range(4))
    run = rg.load(folder(tmp_path, {"modelA/samples.jsonl": lines, "modelB/samples.jsonl": lines}))
    assert [system.label for system in run.systems] == ["modelA", "modelB"]
    assert run.queries.ids == ("0", "1", "2", "3")
