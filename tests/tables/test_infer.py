"""Types, reasons, headers, separators, roles and schemas of generated tables."""

from __future__ import annotations

import csv
import io
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linsep import ReadOptions, Schema, read_table
from linsep.errors import BadFile, InvalidData, InvalidParameter
from linsep.tables import Column, ColumnType, Table, schema_text

REPEATS = ["", "?", "NA", "n/a", "null", "NaN", "None"]


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def reader(text: str, **options: Any) -> Table:
        (tmp_path / "t.csv").write_text(text, encoding="utf-8")
        return read_table(tmp_path / "t.csv", ReadOptions(**options))

    return reader


def one(values: list[Any], **options: Any) -> tuple[Column, list[Any]]:
    """The column with these values, read from a file whose other column is a plain number."""
    file = io.StringIO()
    csv.writer(file).writerows([["value", "other"], *([value, i * 1.5] for i, value in enumerate(values))])
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_text(file.getvalue())
        table = read_table(path, ReadOptions(header=True, **options))
    assert table.frame is not None
    return table.schema.column("value"), table.frame["value"].to_list()


@pytest.mark.parametrize(
    ("values", "kind", "reason", "typed"),
    [
        (["1", "2", "2"], "number", "whole numbers", [1, 2, 2]),
        (["1.5", "-2e3", ".5"], "number", "numbers", [1.5, -2000.0, 0.5]),
        (["yes", "No", ""], "boolean", "no and yes", [True, False, None]),
        (["True", "False", "TRUE"], "boolean", "false and true", [True, False, True]),
        (["0", "1", "1.0"], "boolean", "0 and 1", [False, True, True]),
        (["2024-01-31", "2024-02-01"], "date", "%Y-%m-%d", [date(2024, 1, 31), date(2024, 2, 1)]),
        (
            ["2024-01-31T10:30:00Z", "2024-02-01T00:00:00Z"],
            "date",
            "%SZ",
            [datetime(2024, 1, 31, 10, 30), datetime(2024, 2, 1)],
        ),
        (["31.01.2024", "1.2.2024"], "date", "%d.%m.%Y", [date(2024, 1, 31), date(2024, 2, 1)]),
        (["2024-01-31T10:30:00"], "constant", "always", ["2024-01-31T10:30:00"]),
        (
            ["2024-01-31 10:30", "2024-02-01 00:00"],
            "date",
            "%H:%M",
            [datetime(2024, 1, 31, 10, 30), datetime(2024, 2, 1)],
        ),
        (["01/02/2024", "03/04/2024"], "ignored", "day and month open", ["01/02/2024", "03/04/2024"]),
        (["13/02/2024", "03/04/2024"], "date", "%d/%m/%Y", [date(2024, 2, 13), date(2024, 4, 3)]),
        (["007", "012", "7"], "category", "begin with 0, such as 007", ["007", "012", "7"]),
        (["a", "b", "a"], "category", "2 different", ["a", "b", "a"]),
        (["x", "x"], "constant", "always x", ["x", "x"]),
        (["", "?"], "constant", "no values", [None, None]),
        (["x", ""], "category", "1 different", ["x", None]),
        ([str(i) for i in range(7, 37)], "id", "without a gap", [str(i) for i in range(7, 37)]),
        ([str(i * i) for i in range(30)], "number", "whole", [i * i for i in range(30)]),
        ([f"A{i:03}" for i in range(30)], "id", "none with a space", [f"A{i:03}" for i in range(30)]),
        ([f"this is text {i}" for i in range(3)], "text", "4 words", [f"this is text {i}" for i in range(3)]),
        ([*(str(i) for i in range(40)), "many"], "category", "but not 'many'", [*(str(i) for i in range(40)), "many"]),
        (["99999999999999999999", "1"], "number", "numbers", [1e20, 1.0]),
    ],
)
def test_types(values: list[str], kind: str, reason: str, typed: list[Any]) -> None:
    for copies in (1, 1) if kind in ("id", "text") else (1, 1500):  # the second by different values
        column, found = one(values * copies)
        assert (column.type.value, found[: len(values)]) == (kind, typed)
        assert reason in column.reason


def test_named_ids(read: Any) -> None:
    text = "customer_id,size\n" + "".join(f"{i * i + 3},{i * i + 3}\n" for i in range(30))
    types = {column.name: column.type.value for column in read(text).schema.columns}
    assert types == {"customer_id": "id", "size": "number"}


def test_missing_values_and_counts(read: Any) -> None:
    text = "a,b\n" + "".join(f"{marker},{i}.5\n" for i, marker in enumerate([*REPEATS, " 3 ", "4", "3"]))
    column = read(text).schema.column("a")
    assert (column.type.value, column.missing, column.distinct, column.examples) == ("number", 7, 2, ("3", "4"))
    assert read(text, missing=("",)).schema.column("a").type is ColumnType.CATEGORY


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators(read: Any, separator: str) -> None:
    rows = [["name", "size"], ["a b", "1.5"], ["c, d", "2"], ["e;f", "3"]]
    file = io.StringIO()
    csv.writer(file, delimiter=separator).writerows(rows)
    assert read(file.getvalue()).frame.rows() == [("a b", 1.5), ("c, d", 2.0), ("e;f", 3.0)]


def test_other_separators_quotes_and_encodings(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_bytes("name~size\n'a~b'~1\nGrün~2\n".encode("cp1252"))
    table = read_table(file, ReadOptions(separator="~", quote="'", encoding="cp1252"))
    assert table.frame is not None
    assert table.frame.rows() == [("a~b", 1), ("Grün", 2)]
    file.write_bytes("﻿name,size\nä,1\nb,2\n".encode())
    table = read_table(file)
    assert table.schema.names == ("name", "size")
    file.write_bytes("name,size\nä,1\nb,2\n".encode("utf-16"))
    table = read_table(file, ReadOptions(encoding="utf-16"))
    assert table.frame is not None
    assert table.frame["name"].to_list() == ["ä", "b"]


def test_quotes_in_tab_separated_text(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text('ham\t"hello\nspam\tsay "yes"\nham\tbye"\n')
    table = read_table(tmp_path / "t.tsv", ReadOptions(target=1))
    assert table.frame is not None
    assert table.frame["column_2"].to_list() == ['"hello', 'say "yes"', 'bye"']
    (tmp_path / "t.tsv").write_text('a\tb\n"x\ty"\t1\nz\t2\n')
    table = read_table(tmp_path / "t.tsv")
    assert table.frame is not None
    assert table.frame["a"].to_list() == ["x\ty", "z"]


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("a,b\n1,x\n2,y\n", True),
        ("1,x\n2,y\n", False),
        ("text,kind\nhello there,ham\nfree money,spam\n", True),
        ("ham,hello there\nspam,free money\nham,bye now\n", False),
        (",b\n0,x\n1,y\n", True),
        ("2024-01-01,x\n2024-01-02,y\n", False),
        ("id,x,c,y\n1,0.5,c,y\n2,,a,n\n", True),  # names that are values too, but not above numbers
        ("NA,c\n1,c\n2,d\n", False),  # a number that is missing
        ("c,y\nc,n\na,y\n", False),
    ],
)
def test_headers(read: Any, text: str, header: bool) -> None:
    table = read(text)
    assert table.rows == text.count("\n") - header
    assert any("no header" in note for note in table.notes) is not header
    assert read(text, header=False).rows == text.count("\n")


def test_blank_lines_before_the_table(read: Any) -> None:
    table = read("\n\r\nx,y\n1,a\n2,b\n")
    assert table.frame.to_dict(as_series=False) == {"x": [1, 2], "y": ["a", "b"]}


def test_a_named_target_is_in_the_header(read: Any) -> None:
    assert read("2019,2020\n1,0\n2,1\n", target="2020").schema.names == ("2019", "2020")


def test_lines_left_out_are_noted(read: Any) -> None:
    table = read("a,b\n1,x\n\n2,y\n\n")
    assert table.rows == 2
    assert next(note for note in table.notes if "blank" in note).endswith("left out: 1")
    table = read("a,b\n1,x\n2\n3,y\n4,5,6\n7,z\n", drop_ragged=True)
    assert table.frame["a"].to_list() == [1, 3, 7]
    assert any("left out: 2 (3, 5)" in note for note in table.notes)
    with pytest.raises(BadFile, match="'y'") as caught:
        read("a,b\n1,1\n2\n3,y\n", drop_ragged=True, schema={"b": "number"})
    assert caught.value.line == 4


@pytest.mark.parametrize(
    ("decimal", "cells", "values"),
    [
        (".", ['"1,234.5"', "7", '"1,000,000"'], [1234.5, 7.0, 1e6]),
        (",", ['"1.234,5"', "7", '"1.000.000"', '",5"'], [1234.5, 7.0, 1e6, 0.5]),
    ],
)
def test_decimals(read: Any, decimal: str, cells: list[str], values: list[float]) -> None:
    text = "x,y\n" + "".join(f"{cell},a{i}\n" for i, cell in enumerate(cells))
    assert read(text, decimal=decimal).frame["x"].to_list() == values


@pytest.mark.parametrize("place", ["y", 3, -2, "3", "-2"])
def test_places(read: Any, place: str | int) -> None:
    text = "x,w,y,g\n" + "".join(f"{i * 1.5},{i % 3},{'ab'[i % 2]},{i // 4}\n" for i in range(12))
    table = read(text, target=place, weights="w", groups="last", ignore=(1,))
    assert [column.type.value for column in table.schema.columns] == ["ignored", "weight", "target", "group"]
    assert table.target.tolist() == ["a", "b"] * 6
    assert table.weights.tolist() == [0.0, 1.0, 2.0] * 4
    assert table.groups.tolist() == [i // 4 for i in range(12)]
    assert table.features == ()
    part = table.take(np.array([3, 0]))
    assert (part.rows, part.target.tolist()) == (2, ["b", "a"])


def test_labels_are_not_rewritten(read: Any) -> None:
    assert read("x,y\n1,yes\n2,no\n", target="y").target.tolist() == ["yes", "no"]
    assert read("x,y\n1,0\n2,1\n", target="y").target.tolist() == [0, 1]
    assert read("x,y\n1,1.0\n2,2.0\n", target="y").target.tolist() == [1, 2]
    assert read("x,y\n1,01\n2,02\n", target="y").target.tolist() == ["01", "02"]
    assert read("x,y\n1,1.0\n2,2.50\n", target="y").target.tolist() == ["1.0", "2.50"]
    assert read("x,y\n1,1\n2,2\n", target="y", schema={"y": "target:category"}).target.tolist() == ["1", "2"]


def test_rows_without_a_target_can_be_left_out(read: Any) -> None:
    table = read("x,y\n1,a\n2,\n3,b\n", target="y", drop_missing_target=True)
    assert table.target.tolist() == ["a", "b"]
    assert table.schema.rows == 2
    assert table.schema.target.missing == 0
    assert any("1 of 3 rows without a target" in note for note in table.notes)


def test_schema_files(read: Any, tmp_path: Path) -> None:
    text = "code,day,n\n1,01/02/2024,1\n2,03/04/2024,2\n"
    file = tmp_path / "schema.toml"
    file.write_text('code = "category"\nday = "date:%d/%m/%Y"\n')
    table = read(text, schema=file)
    assert table.frame["code"].to_list() == ["1", "2"]
    assert table.frame["day"].to_list() == [date(2024, 2, 1), date(2024, 4, 3)]
    assert str(file) in table.schema.column("code").reason
    file.write_text(schema_text(table.schema))
    again = read(text, schema=file)
    assert again.frame.equals(table.frame)
    assert [c.type for c in again.schema.columns] == [c.type for c in table.schema.columns]
    for wrong, reason in (
        ('code = "categry"', "nearest is 'category'"),
        ("code = ", "a schema has lines such as"),
        ("code = 3", "give a word such as"),
        ('n = "number:%d"', "only a date has a format"),
    ):
        file.write_text(wrong)
        with pytest.raises(BadFile, match=reason) as caught:
            read(text, schema=file)
        assert caught.value.file == str(file)
    with pytest.raises(BadFile, match="schema cannot be read"):
        read(text, schema=tmp_path / "none.toml")
    with pytest.raises(InvalidParameter, match="type of a column"):
        read(text, schema={"code": "words"})


def test_the_schema_of_another_table(read: Any) -> None:
    learnt = read("x,flag,day,y\n1,0,2024-01-31,a\n2.5,1,2024-02-01,b\n", target="y").schema
    table = read("day,flag,x,more\n2024-03-01,1,7,u\n", schema=learnt)
    types = {column.name: column.type.value for column in table.schema.columns}
    assert types == {"day": "date", "flag": "boolean", "x": "number", "more": "constant"}
    assert table.target is None
    assert table.frame.select("day", "flag", "x").row(0) == (date(2024, 3, 1), True, 7)
    assert read("x,flag,day,y\n1,0,2024-01-31,a\n", schema=learnt).target.tolist() == ["a"]  # one class is fine here
    with pytest.raises(BadFile, match="'high' is no number"):
        read("day,flag,x\n2024-03-01,1,high\n", schema=learnt)


def test_schemas_are_values(read: Any) -> None:
    schema = read("x,y,d\n1,a,2024-01-31\n2.5,b,2024-01-30\n", target="y").schema
    assert Schema.from_record(schema.record()) == schema
    assert schema.column("x").is_feature
    assert [line["type"] for line in schema.lines()] == ["number", "target", "date"]
    changed = schema.with_types({"x": ColumnType.CATEGORY}, "as I say")
    assert [c.name for c in changed.of(ColumnType.CATEGORY)] == ["x"]
    with pytest.raises(InvalidData, match="did you mean 'x'"):
        schema.column("xx")


def test_typed_columns_of_parquet(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "level": pl.Series(["a", "b", "a"], dtype=pl.Categorical),
            "price": pl.Series(["1.50", "2.25", "3.00"]).cast(pl.Decimal(10, 2)),
            "nan": [1.0, float("nan"), 2.5],
            "nested": [[1], [2, 3], [4]],
            "flag": [True, False, None],
            "when": [datetime(2024, 1, 1), datetime(2024, 1, 2), None],
        }
    )
    frame.write_parquet(tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet")
    types = [column.type.value for column in table.schema.columns]
    assert types == ["category", "number", "number", "ignored", "boolean", "date"]
    assert table.schema.column("nan").missing == 1
    assert any("nested" in note for note in table.notes)
    table = read_table(tmp_path / "t.parquet", ReadOptions(ignore=("nested",), target="flag", drop_missing_target=True))
    assert table.target is not None
    assert table.target.tolist() == [True, False]


cells = st.text(st.characters(codec="utf-8", exclude_characters="\r\0", exclude_categories=["Cs"]), max_size=8)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(cells, st.integers(-99, 99)), min_size=1, max_size=8))
def test_what_the_csv_module_writes_comes_back(tmp_path_factory: Any, rows: list[tuple[str, int]]) -> None:
    file = tmp_path_factory.mktemp("csv") / "t.csv"
    with open(file, "w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([("words", "number"), *rows])
    table = read_table(file, ReadOptions(separator=",", header=True, missing=(), schema={"words": "text"}))
    assert table.frame is not None
    found = [word or "" for word in table.frame["words"].to_list()]
    assert found == [pl.Series([word]).str.strip_chars()[0] for word, _ in rows]
    number = table.schema.column("number").type
    if number is ColumnType.NUMBER:
        assert table.frame["number"].to_list() == [n for _, n in rows]
