"""What people meet: each is one sentence with file, line and column, never a traceback of another library."""

from __future__ import annotations

import gzip
import io
import os
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import zstandard

from linsep import ReadOptions, read_table
from linsep.errors import BadFile, InvalidData, InvalidParameter, InvalidType, LinsepError

GOOD = b"x,y\n1,a\n2,b\n"


def parquet() -> bytes:
    file = io.BytesIO()
    pl.DataFrame({"x": list(range(1000))}).write_parquet(file)
    return file.getvalue()


def flipped(data: bytes) -> bytes:
    """One bit of the checksum is another."""
    return data[:-8] + bytes([data[-8] ^ 1]) + data[-7:]


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def other_method(data: bytes) -> bytes:
    """A zip whose directory says that its first entry is compressed in a way that nobody knows."""
    at = data.index(b"PK\x01\x02") + 10
    return data[:at] + b"\x63\x00" + data[at + 2 :]


CASES: list[tuple[str, bytes, ReadOptions, str, int | None, str | int | None]] = [
    ("ragged.csv", b"x,y\n1,a\n2\n", ReadOptions(), "1 field where the first line has 2", 3, None),
    ("ragged.csv", b"x,y\n1,a\n" * 20 + b"2,b,c\n", ReadOptions(), "3 fields where the first line has 2", 41, None),
    ("ragged.csv", b"x,y\n1,a\n2,b,c\n3,a\n", ReadOptions(), "leave such lines out", 3, None),
    ("title.csv", b"A title\nx,y\n1,a\n", ReadOptions(separator=","), "skip=1", 2, None),
    ("quote.csv", b'x,y\n1,"a\n2,b\n', ReadOptions(), "never closed", 2, 3),
    ("quote.csv", b'x,y\n"1",a"b\n2,"b"\n', ReadOptions(), "quote stands inside", 2, 6),
    ("quote.csv", b'x,y\n1,"a"b\n2,"b"\n', ReadOptions(), "text follows the quote", 2, 6),
    ("latin.csv", "x,y\n1,a\n2,Köln\n".encode("latin-1"), ReadOptions(), "0xf6 is not utf-8.*latin-1", 3, 4),
    ("ascii.csv", "x,y\n1,ä\n".encode(), ReadOptions(encoding="ascii"), "0xc3 is not ascii", 2, 3),
    ("wide.csv", "x,y\n1,a\n".encode("utf-16"), ReadOptions(), "encoding utf-16", 1, 1),
    ("zero.csv", b"x,y\n1,\0\n", ReadOptions(), "zero byte", 2, 3),
    ("empty.csv", b"", ReadOptions(), "it is empty", None, None),
    ("blank.csv", b"\n \n", ReadOptions(), "it is empty", None, None),
    ("empty.csv.gz", gzip.compress(b""), ReadOptions(), "it is empty", None, None),
    ("empty.parquet", b"", ReadOptions(), "it is empty", None, None),
    ("empty.ndjson", b"\n", ReadOptions(), "it is empty", None, None),
    ("header.csv", b"x,y\n", ReadOptions(), "a header and no rows", 1, None),
    ("skip.csv", b"x,y\n", ReadOptions(skip=5), "fewer lines than the 5", None, None),
    ("lower.csv", b"\r\n\nx,y\n1,a\n2\n", ReadOptions(), "1 field where the first line has 2", 5, None),
    ("double.csv", b"x,y,x\n1,a,3\n2,b,4\n", ReadOptions(), "columns, 1 and 3, have this name", 1, "x"),
    ("double.csv", b"x,y,x\n1,2,3\n", ReadOptions(header=True), "columns, 1 and 3, have this name", 1, "x"),
    ("long.csv", b"x,y\n1," + b"a" * 300 + b"\n", ReadOptions(line_limit=200), "longer than 200 bytes", 2, None),
    ("cut.csv.gz", gzip.compress(GOOD * 99)[:-20], ReadOptions(), "truncated", None, None),
    ("cut.csv.zst", zstandard.compress(os.urandom(2000))[:-20], ReadOptions(), "truncated", None, None),
    ("bad.csv.gz", flipped(gzip.compress(GOOD * 99)), ReadOptions(), "damaged", None, None),
    ("no.parquet", b"x,y\n1,2\n", ReadOptions(), "no Parquet file: it begins with b'x,y", None, None),
    ("cut.parquet", parquet()[:-30], ReadOptions(), "Parquet file is damaged", None, None),
    ("no.arrow", b"x,y\n1,2\n", ReadOptions(), "no Arrow file", None, None),
    ("cut.arrow", b"ARROW1\0\0abc", ReadOptions(), "Arrow file is damaged", None, None),
    ("table.csv", parquet(), ReadOptions(), "say format='parquet'", None, None),
    ("bad.ndjson", b'{"a": 1}\n{"a": 2\n', ReadOptions(), "no JSON object", 2, 8),
    ("list.ndjson", b'{"a": 1}\n\n[1, 2]\n', ReadOptions(), "expected an object", 3, None),
    ("nan.ndjson", b'{"a": 1}\n{"a": NaN}\n', ReadOptions(), "NaN is no number in JSON; write null", 2, None),
    ("huge.ndjson", b'{"a": 1}\n{"a": 1e999}\n', ReadOptions(), "the number 1e999 is too large", 2, None),
    ("deep.ndjson", b'{"a": 1}\n' + b"[" * 9999 + b"\n", ReadOptions(), "nested too deeply", 2, None),
    ("deep.ndjson", b'{"a": ' + b"[" * 9999 + b"]" * 9999 + b"}\n", ReadOptions(), "nested too deeply", 1, None),
    ("mixed.ndjson", b'{"a": 1}\n{"b": 2, "a": [1]}\n', ReadOptions(), "a list where line 1 has a number", 2, "a"),
    ("mixed.ndjson", b'{"a": 1}\n{"a": null}\n{"a": true}\n', ReadOptions(), "true or false where line 1", 3, "a"),
    ("huge.csv", b"x,y\n1,a\n,a\n1e999,b\n", ReadOptions(), "'1e999' is not finite; correct it", 4, "x"),
    ("nan.svm", b"# c\n1 2:1\n\n2 1:1 3:nan\n", ReadOptions(), "the value of column 3 is nan", 4, None),
    ("huge.svm", b"1 0:1\n2 1:1 3:-inf\n", ReadOptions(), "the value of column 3 is -inf", 2, None),
    (
        "nan.npz",
        npz(X=np.array([[1.0, 2.0], [3.0, np.nan]])),
        ReadOptions(),
        "row 2: the value of column 2",
        None,
        None,
    ),
    ("bad.npz", b"PK\x03\x04abc", ReadOptions(), "cannot be read", None, None),
    ("method.npz", other_method(npz(X=np.ones((2, 2)))), ReadOptions(), "cannot be read", None, None),
    ("cube.npz", npz(X=np.ones((2, 2, 2))), ReadOptions(), "make every row flat", None, None),
    ("noX.npz", npz(a=np.ones((2, 2))), ReadOptions(), "no array 'X'", None, None),
    ("short.npz", npz(X=np.ones((2, 2)), y=np.ones(3)), ReadOptions(), "give one a row", None, None),
    ("pickle.npz", npz(X=np.array([[{}]], dtype=object)), ReadOptions(), "pickled", None, None),
    ("bad.svm", b"1 1:1\n2 1:1 x:4\n", ReadOptions(), "expected a column .*; found 'x:4'", 2, 7),
    ("bad.svm", b"1 1:1\n2 3:\n", ReadOptions(), "expected a number; found nothing", 2, 5),
    ("multi.svm", b"1,2 1:1\n", ReadOptions(), "several labels", 1, 1),
    ("order.svm", b"1 2:1 1:1\n", ReadOptions(), "must rise", 1, 7),
    ("comments.svm", b"# nothing\n", ReadOptions(), "no rows", None, None),
    ("zero.svm", b"1 0:1\n2 1:1\n", ReadOptions(zero_based=False), "zero_based=False", None, None),
    ("wide.svm", b"1 9:1\n2 1:1\n", ReadOptions(features=3), "a column 9 occurs", None, None),
    ("one.svm", b"1 9:1\n1 1:1\n", ReadOptions(), "always 1", None, "label"),
    ("qid.svm", b"1 qid:1 9:1\n2 1:1\n", ReadOptions(), "no qid", 2, None),
    ("nothing.svm", b"1\n2\n", ReadOptions(), "no row has a value", None, None),
    ("name.csv", GOOD, ReadOptions(target="Y"), "there is no column 'Y': did you mean 'y'", None, None),
    ("name.csv", GOOD, ReadOptions(target="Z"), r"there is no column 'Z'\. The columns are 'x', 'y'", None, None),
    ("mac.csv", b"x,y\r1,a\r2,b\r", ReadOptions(), "carriage return alone", 1, None),
    ("array.json", b'[{"x": 1},\n {"x": 2}]', ReadOptions(), "JSON array; write one object a line", 1, None),
    (
        "book.xlsx",
        b"PK\x03\x04....[Content_Types].xml",
        ReadOptions(),
        "Excel workbook; save the table as CSV",
        None,
        None,
    ),
    ("book.csv", b"PK\x03\x04....[Content_Types].xml", ReadOptions(), "Excel workbook", None, None),
    ("book.xls", b"\xd0\xcf\x11\xe0" + bytes(99), ReadOptions(), "old Excel workbook", None, None),
    ("base.db", b"SQLite format 3\0", ReadOptions(), "SQLite database", None, None),
    ("place.csv", GOOD, ReadOptions(target=3), "they are 1 to 2", None, None),
    ("place.csv", GOOD, ReadOptions(target=0), "they are 1 to 2", None, None),
    ("one.csv", b"x,y\n1,a\n2,a\n", ReadOptions(target="y"), "always a: a classifier needs two", None, "y"),
    ("gaps.csv", b"x,y\n1,a\n2,\n3,b\n", ReadOptions(target="y"), r"in 1 of 3 rows \(line 3\)", 3, "y"),
    ("gaps.csv", b"x,y\n1,\n2,\n", ReadOptions(target="y"), "2 of 2 rows", 2, "y"),
    ("gaps.csv", b"x,y\n,\n,?\n", ReadOptions(target="y", drop_missing_target=True), "in every row", None, "y"),
    ("comma.csv", b'x,y\n1,a\n"1,234.5",b\n', ReadOptions(), r"'1,234.5'.*decimal='.' \(1234.5\)", 3, "x"),
    ("comma.csv", b"x;y\n1;a\n1,5;b\n", ReadOptions(), r"'1,5'.*decimal=',' \(1.5\)", 3, "x"),
    ("comma.csv", b"x;y\n1.234,5;b\n", ReadOptions(), r"decimal=',' \(1234.5\)", 2, "x"),
    ("comma.csv", b"x;y\n1,234;b\n", ReadOptions(header=True), r"\(1234\) or decimal=',' \(1.234\)", 2, "x"),
    ("point.csv", b"x;y\n1.5;b\n", ReadOptions(decimal=",", header=True), "the number '1.5' is not written", 2, "x"),
    ("weight.csv", b"x,y\n1,a\n-2,b\n", ReadOptions(weights="x"), "the weight -2.0", 3, "x"),
    ("weight.csv", GOOD, ReadOptions(weights="y"), "weights are numbers", None, "y"),
    ("weight.csv", b"x,y\n1,a\n,b\n", ReadOptions(weights="x"), "the weight is missing in 1 of 2", 3, "x"),
    ("group.csv", b"x,y\n1,a\n,b\n", ReadOptions(groups="x"), "the group is missing", 3, "x"),
    ("type.csv", GOOD, ReadOptions(schema={"y": "number"}), "'a' is no number", 2, "y"),
    ("type.csv", b"x,y\nno,a\nmaybe,b\n", ReadOptions(schema={"x": "boolean"}), "'maybe' is no boolean", 3, "x"),
    ("type.csv", GOOD, ReadOptions(schema={"x": "date:%Y"}), "is no date of the form %Y", 2, "x"),
    ("type.csv", GOOD, ReadOptions(schema={"z": "number"}), "not there: there is no column 'z'", None, None),
]


@pytest.mark.parametrize(
    ("name", "data", "options", "reason", "line", "column"), CASES, ids=[f"{case[0]}: {case[3]}" for case in CASES]
)
def test_errors(
    tmp_path: Path,
    name: str,
    data: bytes,
    options: ReadOptions,
    reason: str,
    line: int | None,
    column: str | int | None,
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(BadFile, match=reason) as caught:
        read_table(tmp_path / name, options)
    error = caught.value
    assert error.file == str(tmp_path / name)
    assert (error.line, error.column) == (line, column)
    assert str(error).startswith(error.file)
    assert "\n" not in str(error)
    assert error.__suppress_context__ or error.__context__ is None  # no second traceback
    assert isinstance(error, InvalidData)


def test_no_such_file(tmp_path: Path) -> None:
    (tmp_path / "adult.csv").write_bytes(GOOD)
    with pytest.raises(BadFile, match=r"no such file; the nearest name is '.*adult.csv'"):
        read_table(tmp_path / "adlt.csv")
    with pytest.raises(BadFile, match="nor is there a directory"):
        read_table(tmp_path / "nowhere" / "adult.csv")
    with pytest.raises(BadFile, match="no file matches"):
        read_table(str(tmp_path / "*.parquet"))
    with pytest.raises(BadFile, match=r"is a directory.*\*\.csv"):
        read_table(tmp_path)
    with pytest.raises(InvalidParameter, match="list of files is empty"):
        read_table([])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_bytes(GOOD)
    (tmp_path / "secret.csv").chmod(0)
    with pytest.raises(BadFile, match="no permission"):
        read_table(tmp_path / "secret.csv")


def test_failures_of_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.csv").write_bytes(GOOD)
    for error, reason in (
        (PermissionError(13, "denied"), "no permission"),
        (OSError(5, "Input/output error"), "input"),
    ):

        def fail(*given: Any, error: OSError = error, **named: Any) -> None:
            raise error

        monkeypatch.setattr("builtins.open", fail)
        with pytest.raises(BadFile, match=reason):
            read_table(tmp_path / "a.csv")


class Broken(io.RawIOBase):
    """Standard input whose writer goes away."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        raise BrokenPipeError(32, "Broken pipe")


def test_broken_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Broken())))
    with pytest.raises(BadFile, match="standard input: it cannot be read: broken pipe"):
        read_table("-")


class Endless(io.RawIOBase):
    """A line without an end; counts what was read of it."""

    taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        buffer[:] = b"x" * len(buffer)
        Endless.taken += len(buffer)
        return len(buffer)


def test_a_line_without_an_end_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Endless())))
    with pytest.raises(BadFile, match="longer than 10,000,000 bytes"):
        read_table("-", ReadOptions(line_limit=10_000_000))
    assert Endless.taken < 20_000_000


def test_lines_are_measured_across_chunks(tmp_path: Path) -> None:
    for length, fails in ((100, False), (101, True)):
        (tmp_path / "a.csv").write_bytes(b"x,y\n" + b"1," + b"a" * (length - 2) + b"\n2,b\n")
        if fails:
            with pytest.raises(BadFile, match="longer than 100"):
                read_table(tmp_path / "a.csv", ReadOptions(line_limit=100))
        else:
            assert read_table(tmp_path / "a.csv", ReadOptions(line_limit=100)).rows == 2


def test_files_that_do_not_fit_together(tmp_path: Path) -> None:
    def write(name: str, data: bytes) -> str:
        (tmp_path / name).write_bytes(data)
        return str(tmp_path / name)

    first = write("a.csv", b"x,y\n1,a\n")
    checks: list[tuple[list[str], str, str | None]] = [
        ([first, write("b.csv", b"x,z\n1,a\n")], "it has no such column", "y"),
        ([first, write("c.csv", b"x,y,z\n1,a,b\n")], "has no such column; files", "z"),
        ([first, write("d.svm", b"1 1:1\n")], "another format", None),
        ([write("e.svm", b"1 1:1\n"), write("f.svm", b"1 0:1\n")], "count from 0", None),
        ([write("g.svm", b"1 1:1\n"), write("h.svm", b"one 1:1\n")], "write them alike", None),
    ]
    for files, reason, column in checks:
        with pytest.raises(BadFile, match=reason) as caught:
            read_table(files)
        assert caught.value.column == column


def test_the_line_in_the_second_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"x,y\n1,a\n2,b\n")
    (tmp_path / "b.csv").write_bytes(b"x,y\n\n3,a\nfour,b\n")
    with pytest.raises(BadFile, match="'four' is no number") as caught:
        read_table(str(tmp_path / "*.csv"), ReadOptions(schema={"x": "number"}))
    assert (caught.value.file, caught.value.line) == (str(tmp_path / "b.csv"), 4)


def test_rows_of_formats_without_lines(tmp_path: Path) -> None:
    pl.DataFrame({"x": ["1", "two"]}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(BadFile, match="row 2, column 'x': 'two' is no number") as caught:
        read_table(tmp_path / "a.parquet", ReadOptions(schema={"x": "number"}))
    assert (caught.value.line, caught.value.row) == (None, 2)


def test_targets_that_are_no_classes(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    checks: list[tuple[Callable[[int], object], str]] = [
        (lambda i: i / 7, "is this a regression"),
        (lambda i: i, "is this a regression"),
        (lambda i: f"word{i}", "is this a text or an id"),
    ]
    for value, reason in checks:
        file.write_text("x,y\n" + "".join(f"{i % 5},{value(i)}\n" for i in range(1, 2001)))
        with pytest.raises(BadFile, match=reason):
            read_table(file, ReadOptions(target="y"))
        table = read_table(file, ReadOptions(target="y", schema={"y": "category"}))  # the user knows better
        assert table.target is not None
        assert table.target.dtype.kind == "U"


@pytest.mark.parametrize(
    "wrong",
    [
        {"separator": ",,"},
        {"separator": "é"},
        {"quote": "ab"},
        {"decimal": ";"},
        {"encoding": "utf-9"},
        {"skip": -1},
        {"features": 0},
        {"line_limit": 0},
        {"header": "yes"},
        {"ignore": "x"},
        {"drop_ragged": 1},
    ],
)
def test_options_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(LinsepError, match=next(iter(wrong))):
        ReadOptions(**wrong)


def test_options_that_contradict(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(GOOD)
    with pytest.raises(InvalidParameter, match="both target and ignored"):
        read_table(tmp_path / "a.csv", ReadOptions(target="y", ignore=("y",)))
    with pytest.raises(InvalidParameter, match="at most one target"):
        read_table(tmp_path / "a.csv", ReadOptions(schema={"x": "target", "y": "target"}))
    with pytest.raises(InvalidType, match="give linsep"):
        read_table(tmp_path / "a.csv", {"target": "y"})  # type: ignore[arg-type]
    (tmp_path / "a.svm").write_bytes(b"1 1:1\n2 1:1\n")
    with pytest.raises(InvalidParameter, match="the target is the label"):
        read_table(tmp_path / "a.svm", ReadOptions(target="y"))
    with pytest.raises(InvalidParameter, match="have no names"):
        read_table(tmp_path / "a.svm", ReadOptions(ignore=("x",)))


@pytest.mark.parametrize(
    ("name", "begins"),
    [("a.parquet", b"PAR1"), ("a.arrow", b"ARROW1\0\0"), ("a.npz", b"PK\x03\x04"), ("a.svm", b"1 1:")],
)
def test_a_huge_file_that_is_damaged_costs_no_memory(name: str, begins: bytes, tmp_path: Path) -> None:
    """With a hole of zeros in it, so that it takes no place on the disk either."""
    with open(tmp_path / name, "wb") as file:
        file.write(begins)
        file.truncate(2**30)
    tracemalloc.start()
    try:
        with pytest.raises(BadFile, match=name):
            read_table(tmp_path / name)
        assert tracemalloc.get_traced_memory()[1] < 2**25
    finally:
        tracemalloc.stop()
