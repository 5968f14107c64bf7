import gzip
import json

import numpy as np
import pytest

from reportgen.errors import ProblemList
from reportgen.inputs.formats import jsonl


def read_lines(data):
    problems = ProblemList()
    table = jsonl.read(data if isinstance(data, bytes) else data.encode(), "t.jsonl", problems)
    return table, [f"{p.code} {p.message}" for p in problems.problems]


def texts(table):
    return {name: table.cells(name).texts().to_pylist() for name in table.columns}


def test_json_lines_give_the_same_run_as_csv(read, sound):
    lines = {}
    for name, content in sound.items():
        head, *rows = (line.split(",") for line in content.splitlines())
        objects = [{key: _typed(cell) for key, cell in zip(head, row, strict=True) if cell} for row in rows]
        lines[name.replace(".csv", ".jsonl")] = "".join(json.dumps(item) + "\n" for item in objects)
    run, expected = read(lines), read(sound)
    assert run.queries.ids == expected.queries.ids
    assert run.candidates.doc_ids == expected.candidates.doc_ids
    for name in ("cluster", "fold", "label", "y_true"):
        np.testing.assert_array_equal(getattr(run.queries, name), getattr(expected.queries, name))
    for one, other in zip(run.systems, expected.systems, strict=True):
        for name in ("y_prob", "y_prob_raw", "state", "selected_k", "score"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        assert {k: v.tolist() for k, v in one.thresholds.items()} == {
            k: v.tolist() for k, v in other.thresholds.items()
        }


def _typed(cell):
    try:
        return json.loads(cell)
    except ValueError:
        return cell


def test_text_stays_text_and_a_missing_key_is_blank():
    table, problems = read_lines('{"id": "007", "day": "2026-01-31"}\n\n{"id": "8", "p": 0.5}\r\n')
    assert problems == []
    assert texts(table) == {"id": ["007", "8"], "day": ["2026-01-31", ""], "p": ["", "0.5"]}
    assert [table.place(row) for row in range(2)] == ["line 1", "line 3"]


def test_numbers_beside_text_become_text_and_large_ones_keep_their_digits():
    table, problems = read_lines('{"id": 7, "n": 123456789012345678901}\n{"id": "07", "n": 1}\n')
    assert problems == []
    assert texts(table)["id"] == ["7", "07"]
    assert texts(table)["n"][1] == "1"


def test_lists_of_ids_are_lists():
    table, _ = read_lines('{"gold_ids": ["b", "a"]}\n{"gold_ids": []}\n')
    assert texts(table) == {"gold_ids": ["b|a", ""]}


def test_a_gzipped_file_and_a_byte_order_mark_are_read():
    table, problems = read_lines(gzip.compress('\ufeff{"a": 1}'.encode()))
    assert (problems, texts(table)) == ([], {"a": ["1"]})


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ("", "RG105 the file is empty"),
        ("{}\n{}\n", "RG105 no line has a key"),
        (
            '{"a": 1}\n\n{"a": NaN}\n',
            "RG103 line 3 is not a JSON object: JSON is malformed: invalid character (byte 6)",
        ),
        ('{"a": 1}\n[1]\n', "RG103 line 2 is not a JSON object: Expected `object`, got `array`"),
        ('{"a": 1', "RG103 line 1 is not a JSON object: Input data was truncated"),
        ("[" * 100_000, "RG103 line 1 is not a JSON object: Expected `object`, got `array`"),
        ('{"a": 1, "a": 2}\n', "RG107 more than one key of an object is 'a'"),
        (b'{"a": "\xe9"}', "RG104 not UTF-8: byte 0xE9 in line 1, byte 8 of the line"),
    ],
    ids=["empty", "no-keys", "nan", "list", "cut", "deep", "twice", "latin-1"],
)
def test_unreadable_lines_say_what_and_where(data, problem):
    table, problems = read_lines(data)
    assert table is None
    assert problems == [problem]


def test_half_a_character_escaped_is_a_problem_not_a_crash():
    table, problems = read_lines('{"a": "\\ud800"}\n')
    assert (table is None) == bool(problems)
