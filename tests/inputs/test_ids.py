import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.inputs import ids
from reportgen.inputs.ids import (
    GrowingVocabulary,
    Vocabulary,
    distinct_sorted,
    first_rows,
    in_natural_order,
    joined,
    natural_sorted,
    repeated_rows,
    slugs,
)


def test_numbers_inside_ids_sort_as_numbers():
    assert natural_sorted(["f10", "f2", "f1"]) == ("f1", "f2", "f10")


def test_ids_that_differ_in_leading_zeros_are_two_ids_in_a_fixed_order():
    assert natural_sorted(["7", "07", "007", "8"]) == ("007", "07", "7", "8")


def test_an_id_of_ten_thousand_digits_can_be_sorted():
    assert natural_sorted(["9" * 10_000, "1"]) == ("1", "9" * 10_000)


def test_a_text_that_can_be_an_id_keeps_itself():
    assert slugs(["A.1", "bm25/top=10"]) == {"A.1": "A.1", "bm25/top=10": "bm25/top=10"}


def test_other_texts_get_unique_slugs_in_natural_order_whatever_the_order_given():
    expected = {"a b": "a-b", "a&b": "a-b-2", "a+b": "a-b-4", "a-b-3": "a-b-3", "Größe": "Groe", "✓": "id"}
    assert slugs(list(expected)) == expected
    assert slugs(list(reversed(expected))) == expected


def test_different_parts_never_join_to_one_id():
    left, right = pa.array(["a/b", "a", "a%2Fb", "a"]), pa.array(["c", "b/c", "c", ""])
    assert joined([left, right]).to_pylist() == ["a%2Fb/c", "a/b%2Fc", "a%252Fb/c", ""]


def test_a_vocabulary_gives_minus_one_for_what_it_does_not_hold():
    vocabulary = Vocabulary.of(pa.array(["b", "a", "b", ""]))
    assert vocabulary.ids == ("a", "b")
    assert vocabulary.codes(pa.array(["b", "x", "", "a"])).tolist() == [1, -1, -1, 0]
    assert Vocabulary(["a", "b", "c", "d"]).codes(pa.array(["d", "x", "d"])).tolist() == [3, -1, 3]
    assert Vocabulary(["a", "b", "c", "d"]).codes(pa.array(["d", None, "x"])).tolist() == [3, -1, -1]


def test_ids_that_are_an_array_are_texts_as_well():
    vocabulary = Vocabulary(pa.array(["a", "b", "c"]))
    assert (vocabulary[1], vocabulary[1:], list(vocabulary), len(vocabulary)) == ("b", ("b", "c"), ["a", "b", "c"], 3)
    assert pa.array(vocabulary, pa.string()).to_pylist() == ["a", "b", "c"]
    assert pickle.loads(pickle.dumps(vocabulary)).ids == ("a", "b", "c")


def test_numbers_grow_in_order_of_appearance_from_column_to_column():
    growing = GrowingVocabulary()
    assert growing.numbers(pa.array(["d10", "", "d2", "d10"])).tolist() == [0, -1, 1, 0]
    vocabulary, code = growing.in_natural_order()
    assert (vocabulary.ids, code.tolist(), len(growing)) == (("d2", "d10"), [1, 0], 2)
    assert growing.numbers(pa.array(["", "d1", "d2"])).tolist() == [-1, 2, 1]
    vocabulary, code = growing.in_natural_order()
    assert (vocabulary.ids, code.tolist(), len(growing)) == (("d1", "d2", "d10"), [2, 1, 0], 3)
    assert [growing.text(n) for n in range(3)] == ["d10", "d2", "d1"]


def test_coding_columns_at_once_gives_the_vocabulary_of_all_texts_and_the_codes_of_each_column():
    columns = [pa.array(["q10", "q2", "", "q10"]), pa.array(["q2"])]
    vocabulary, codes = Vocabulary.coding(columns, [pa.array(["q3"])])
    assert vocabulary.ids == ("q2", "q3", "q10")
    assert [column.tolist() for column in codes] == [[2, 0, -1, 2], [0]]


def test_the_first_row_of_each_code_and_the_rows_that_repeat_one():
    codes = Vocabulary(["a", "b", "c"]).codes(pa.array(["b", "a", "b", "?", "b"]))
    assert first_rows(codes, 3).tolist() == [1, 0, -1]
    assert repeated_rows(codes).tolist() == [2, 4]


@pytest.mark.parametrize(
    "texts", [[], [""], ["9" * 10_000, "1", "10" * 3_000], ["a\0b", "a1", "a\0"], ["00", "0", "000", "", "a"]]
)
def test_sorting_many_at_once_is_sorting_one_by_one(texts):
    assert in_natural_order(pa.array(texts, pa.string())).to_pylist() == list(natural_sorted(texts))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.text(alphabet="0129ab.é٣\0", max_size=8)), st.integers(0, 3))
def test_sorting_any_texts_at_once_is_sorting_them_one_by_one(texts, start):
    column = pa.array(texts, pa.string()).slice(start)
    assert in_natural_order(column).to_pylist() == list(natural_sorted(texts[start:]))


@pytest.mark.parametrize("block", [1, 2, 3, 7])
def test_natural_order_does_not_depend_on_how_many_texts_are_keyed_at_once(block, monkeypatch):
    monkeypatch.setattr(ids, "_BLOCK", block)
    texts = ["f10", "", "f2", "f010", "a", "10", "9", "f2x", "f", "é1", "f00"]
    assert in_natural_order(pa.array(texts, pa.string())).to_pylist() == list(natural_sorted(texts))


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.lists(st.integers(-3, 3)))
def test_distinct_values_are_those_of_a_set(values):
    assert distinct_sorted(np.array(values, dtype=np.int64)).tolist() == sorted(set(values))
