import gzip
import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from pyarrow import feather

import reportgen as rg
from reportgen.cli import main
from reportgen.errors import InputError, ProblemList
from reportgen.inputs import formats as registry
from reportgen.inputs.formats import InputFormat, csv, format_of, formats, parquet, reader_of, stem_of
from reportgen.inputs.names import FileRole
from reportgen.inputs.table import InputTable


def read_csv(data):
    problems = ProblemList()
    table = csv.read(data if isinstance(data, bytes) else data.encode(), "t.csv", problems)
    return table, [f"{p.code} {p.message}" for p in problems.problems]


def texts(table):
    return {name: table.cells(name).texts().to_pylist() for name in table.columns}


def written(**columns):
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


def test_every_module_of_the_folder_is_a_format_and_parquet_is_preferred():
    assert [one.name for one in formats()] == ["Parquet", "CSV", "JSON Lines", "JSON", "TREC judgements", "TREC run"]


def test_a_format_with_roles_is_that_of_the_role_whatever_the_file_is_called():
    assert format_of("results.csv", FileRole.RUN).name == "TREC run"
    assert format_of("judged", FileRole.QRELS).name == "TREC judgements"
    assert format_of("results.csv", FileRole.PREDICTIONS).name == "CSV"
    assert format_of("bm25.run") is None, "no table format has this ending"


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("queries.csv.gz", "queries"),
        ("Q.CSV", "Q"),
        ("a.b.parquet", "a.b"),
        ("q.ndjson.gz", "q"),
        ("notes.md", None),
        ("a.run", None),
    ],
)
def test_a_format_is_known_by_the_ending_of_the_name(name, stem):
    assert stem_of(name) == stem
    assert (format_of(name) is None) == (stem is None)


@pytest.mark.parametrize(
    "text",
    [
        "id,p\n007,0.5\nb,1\n",
        "id;p\r\n007;0.5\r\nb;1\r\n",
        "id\tp\n007\t0.5\nb\t1",
        "id,p\r007,0.5\rb,1\r",
        "\ufeffid,p\n007,0.5\nb,1\n",
        '"id","p"\n"007","0.5"\n"b","1"\n',
        "id, p\n007, 0.5\n b ,1\n",
        "\nid,p\n\n007,0.5\n\n\nb,1\n",
    ],
    ids=["comma", "semicolon-crlf", "tab-no-end", "cr", "bom", "quoted", "spaces", "blank-lines"],
)
def test_every_common_dialect_gives_the_same_cells(text):
    table, problems = read_csv(text)
    assert problems == []
    assert texts(table) == {"id": ["007", "b"], "p": ["0.5", "1"]}
    assert table.cells("p").numbers().values.tolist() == [0.5, 1.0]


def test_a_gzipped_file_is_read_whatever_its_name():
    table, problems = read_csv(gzip.compress(b"a,b\n1,2\n"))
    assert (problems, texts(table)) == ([], {"a": ["1"], "b": ["2"]})


def test_a_quoted_cell_may_hold_delimiters_quotes_and_line_breaks():
    table, problems = read_csv('a,b\n"x,1","he said ""no""\nand left"\ny,z\n')
    assert problems == []
    assert texts(table) == {"a": ["x,1", "y"], "b": ['he said "no"\nand left', "z"]}


def test_places_are_the_lines_rows_begin_in_counting_blank_lines_and_breaks_inside_cells():
    table, _ = read_csv('a,b\n\n"x\ny",1\n2,3\n\n4,5\n')
    assert [table.place(row) for row in range(3)] == ["line 3", "line 5", "line 7"]


def test_a_comma_is_a_decimal_comma_only_where_semicolons_separate():
    semicolon, _ = read_csv("id;p\na;0,5\nb;1\n")
    assert semicolon.cells("p").numbers().values.tolist() == [0.5, 1.0]
    comma, _ = read_csv('id,p\na,"0,5"\nb,1\n')
    assert comma.cells("p").numbers().bad.tolist() == [True, False]


def test_words_infinities_and_underscores_are_not_numbers_and_blank_is_blank():
    table, _ = read_csv("a,b\nnan,\ninf,\n-Infinity,\n1_000,\nabc,\n0x1F,\n,\n+1.5e-3,\n1e999,\n.5,\n5.,\n")
    numbers = table.cells("a").numbers()
    assert numbers.bad.tolist() == [True] * 6 + [False, False, True, False, False]
    assert numbers.blank.tolist() == [False] * 6 + [True] + [False] * 4
    assert numbers.values[[7, 9, 10]].tolist() == [0.0015, 0.5, 5.0]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "RG105 the file is empty"),
        (b" \n\n", "RG105 the file is empty"),
        (b"a,b\n", "RG105 the file has a head but no rows"),
        (b"a,b\n1,\xe9\n", "RG104 not UTF-8: byte 0xE9 in line 2, byte 3 of the line"),
        (b"\xff\xfea\x00,\x00b", "RG104 not UTF-8: byte 0xFF in line 1, byte 1 of the line"),
        (b"a,b,a\n1,2,3\n", "RG107 more than one column is called 'a'"),
        (b"a,b\n1,2\n1,2,3\n4\n", "RG106 the head has 2 columns, but line 3 has 3, line 4 has 1"),
        (b'a,b\n1,"2\n3,4\n5,6\n', "RG106 a quoted cell is never closed"),
        (
            gzip.compress(b"a,b\n1,2\n")[:-9],
            "RG103 the file is not readable as gzip: Compressed file ended before the end-of-stream marker was reached",
        ),
    ],
    ids=["empty", "blank", "head-only", "latin-1", "utf-16", "twice", "ragged", "open-quote", "cut-gzip"],
)
def test_an_unreadable_text_file_says_what_and_where(data, problem):
    table, problems = read_csv(data)
    assert table is None
    assert problems == [problem]


def test_a_column_that_stands_twice_with_the_same_cells_is_one():
    table, problems = read_csv(b"a,b,a\n1,2,1\n3,4,3\n")
    assert not problems
    assert table.columns["a"].to_pylist() == ["1", "3"]


@pytest.mark.parametrize(
    "data",
    [
        "a\tb\n1\t0,5\n".encode("utf-16"),
        "a,b\n1,0.5\n".encode("utf-16-be").join([b"\xfe\xff", b""]),
        b"sep=;\r\na;b\r\n1;0,5\r\n",
        b'\xef\xbb\xbf"sep=\t"\na\tb\n1\t0.5\n',
    ],
    ids=["utf-16", "utf-16-be", "sep", "sep-tab"],
)
def test_what_excel_saves_is_read(data):
    table, problems = read_csv(data)
    assert not problems
    assert (list(table.columns), table.cells("b").numbers().values.tolist()) == (["a", "b"], [0.5])
    assert table.place(0) == ("line 3" if b"sep" in data else "line 2")


def test_a_column_without_a_name_is_left_out():
    table, problems = read_csv(",a\n0,x\n1,y\n")
    assert (problems, texts(table)) == ([], {"a": ["x", "y"]})


def test_parquet_keeps_types_and_reads_ids_as_text():
    data = written(
        i=pa.array([7, None], pa.int32()),
        f=pa.array([1.0, 2.0]),
        g=pa.array([0.5, float("nan")]),
        d=pa.array(["x", "y"]).dictionary_encode(),
        b=[True, False],
        lists=[["a", "b"], []],
    )
    problems = ProblemList()
    table = parquet.read(data, "t.parquet", problems)
    assert not problems
    assert texts(table) == {
        "i": ["7", ""],
        "f": ["1", "2"],
        "g": ["0.5", "nan"],
        "d": ["x", "y"],
        "b": ["true", "false"],
        "lists": ["a|b", ""],
    }
    assert table.cells("g").numbers().bad.tolist() == [False, True]
    assert table.cells("i").numbers().blank.tolist() == [False, True]
    assert table.place(1) == "row 2"


@pytest.mark.parametrize(
    ("data", "code"), [(b"", "RG105"), (b"PAR1 no", "RG103"), (written(a=pa.array([], pa.int8())), "RG105")]
)
def test_an_unreadable_parquet_file_says_so(data, code):
    problems = ProblemList()
    assert parquet.read(data, "t.parquet", problems) is None
    assert [p.code for p in problems.problems] == [code]


def _parquet_with_a_broken_column() -> bytes:
    """Two columns in one file, the data page of the second overwritten."""
    sink = pa.BufferOutputStream()
    columns = {"y_true": [1, 0], "feature": [0.25, 0.75]}
    pq.write_table(pa.table(columns), sink, compression="none", use_dictionary=False, write_statistics=False)
    data = bytearray(sink.getvalue().to_pybytes())
    place = pq.ParquetFile(pa.BufferReader(bytes(data))).metadata.row_group(0).column(1).data_page_offset
    data[place : place + 8] = b"\xff" * 8
    return bytes(data)


def test_only_the_columns_that_are_asked_for_are_decoded_from_parquet():
    problems = ProblemList()
    table = parquet.read(_parquet_with_a_broken_column(), "t.parquet", problems)
    assert not problems
    assert list(table.columns) == ["y_true", "feature"]
    assert table.columns["y_true"].to_pylist() == [1, 0]
    with pytest.raises(InputError) as raised:
        table.columns["feature"]
    assert [(p.code, p.where) for p in raised.value.problems] == [("RG103", "t.parquet")]


def test_a_column_whose_name_begins_like_another_is_not_taken_for_it():
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"a.b": [1], "a": [2]}), sink)
    table = parquet.read(sink.getvalue().to_pybytes(), "t.parquet", ProblemList())
    assert (table.columns["a.b"].to_pylist(), table.columns["a"].to_pylist()) == ([1], [2])


def test_settled_columns_are_kept_and_the_bytes_of_the_file_let_go():
    data = written(a=[1, 2], b=[3, 4])
    table = parquet.read(data, "t.parquet", ProblemList())
    assert "b" in table.columns
    assert "c" not in table.columns
    table.settle(["a"])
    assert table.columns["a"].to_pylist() == [1, 2]
    assert list(table.columns) == ["a", "b"], "messages name all columns of the file"
    with pytest.raises(AssertionError, match="'b' is read after the file was let go of"):
        table.columns["b"]
    with pytest.raises(KeyError):
        table.columns["c"]


def test_judgements_in_a_table_are_known_by_their_head():
    assert reader_of("q.csv", FileRole.QRELS, b"qid,docno,label\n1,d,1\n").name == "CSV"
    assert reader_of("q.tsv", FileRole.QRELS, b"# comment\n1\t0\td\t1\n").name == "TREC judgements"
    assert reader_of("q.tsv", FileRole.QRELS, gzip.compress(b"1 0 d 1\n")).name == "TREC judgements"
    assert reader_of("r.csv", FileRole.RUN, b"1 Q0 d 1 0.5 x\n").name == "TREC run"
    assert reader_of("r.parquet", FileRole.RUN, b"PAR1").name == "Parquet"
    assert reader_of("r.txt", FileRole.RUN, b"whatever").name == "TREC run"
    assert reader_of("r.csv.gz", FileRole.RUN, b"\x1f\x8bbroken").name == "CSV"


def test_a_new_format_is_read_by_check_init_and_build_alike(tmp_path, monkeypatch):
    # Feather, which init would else refuse with advice, as one more module of the folder would bring it.
    def read(data, where, problems):
        table = feather.read_table(pa.BufferReader(data)).combine_chunks()
        columns = dict(zip(table.column_names, (column.chunk(0) for column in table.columns), strict=True))
        return InputTable(where, columns, table.num_rows, "row", lambda: np.arange(1, table.num_rows + 1))

    columns = {"query": ["a", "b", "c", "d"], "y_true": [1, 0, 1, 0], "y_prob": [0.9, 0.2, 0.6, 0.4]}
    feather.write_feather(pa.table(columns), tmp_path / "per_query.feather")
    known = formats()
    monkeypatch.setattr(registry, "formats", lambda: (*known, InputFormat("Feather", (".feather",), 5, read)))
    for source in (tmp_path, tmp_path / "per_query.feather"):
        run = rg.load(source)
        assert run.queries.ids == ("a", "b", "c", "d")
        assert run.systems[0].y_prob.tolist() == [0.9, 0.2, 0.6, 0.4]
    assert CliRunner().invoke(main, ["check", str(tmp_path)]).exit_code == 0
    written = CliRunner().invoke(main, ["init", str(tmp_path)])
    assert written.exit_code == 0, written.output
    assert 'per_query = "per_query.feather"' in (tmp_path / "run.toml").read_text()
