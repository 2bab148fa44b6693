"""The scan of separated fields against its plain twin and Python's csv module."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linsep.kernels import _parsing as parsing
from linsep.kernels import reference_fields
from linsep.kernels.reference_fields import AFTER_QUOTE, OPEN_QUOTE, RAGGED

FACTS = ("records", "fields", "quoted", "blanks", "ragged", "fault", "at", "found", "stray", "line_of")


def scan(text: bytes, quote: str | None = '"', wanted: int = -1, lenient: bool = False) -> Any:
    code = -1 if quote is None else ord(quote)
    return parsing.fields_layout(np.frombuffer(text, dtype=np.uint8), ord(","), code, wanted, lenient)


CASES = [
    (b"a,b\n1,2\n", (2, 2, 0, (0, 0))),
    (b"a,b\n1,2", (2, 2, 0, (0, 0))),
    (b"a,b\r\n\r\n1,2\r\n\n", (2, 2, 0, (0, 0))),
    (b"a\n\n1\n", (3, 1, 0, (0, 0))),
    (b'a,"b\nc"\n1,2\n', (2, 2, 0, (0, 0))),
    (b'a,"b""c"\r\n1,""', (2, 2, 0, (0, 0))),
    (b"a,b\n1\n", (1, 2, RAGGED, (2, 1))),
    (b'a,b\n"x\ny",2,3\n', (1, 2, RAGGED, (2, 1))),
    (b'a,b\n1,"x\n2,3\n', (1, 2, OPEN_QUOTE, (2, 3))),
    (b'a,b\n1,"x"y\n', (1, 2, AFTER_QUOTE, (2, 6))),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_layouts(text: bytes, expected: tuple[int, int, int, tuple[int, int]]) -> None:
    found = scan(text)
    assert (found.records, found.fields, found.fault, found.at) == expected


def test_places() -> None:
    assert scan(b'a,b\n1,x"y\n').stray == (2, 4)
    assert scan(b'a,b\n\n"x\ny",2\n3,4\n', wanted=2).line_of == 5
    assert scan(b"a,b\n\n1,2\n\n", wanted=-1).blanks == [1, 3]
    assert scan(b"a,b\n1\n2,3\n4,5,6", lenient=True).ragged == [2, 4, 6, 4, 10, 15]


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet='ab,"\n\r', max_size=25), st.booleans(), st.integers(-1, 3), st.booleans())
def test_any_text_like_the_twin(text: str, quoted: bool, wanted: int, lenient: bool) -> None:
    quote = '"' if quoted else None
    found = scan(text.encode(), quote, wanted, lenient)
    twin = reference_fields.layout(text.encode(), ",", quote, wanted, lenient)
    assert {name: getattr(found, name) for name in FACTS} == {name: getattr(twin, name) for name in FACTS}


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 4).flatmap(lambda d: st.lists(st.lists(st.text('ab,"\n '), min_size=d, max_size=d), min_size=1)))
def test_what_the_csv_module_writes(rows: list[list[str]]) -> None:
    file = io.StringIO()
    csv.writer(file).writerows(rows)
    found = scan(file.getvalue().encode())
    assert (found.records, found.fields, found.fault) == (len(rows), len(rows[0]), 0)
