"""The svmlight parser against its plain twin and against scikit-learn."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from linsep.kernels import _parsing as parsing
from linsep.kernels import reference_svmlight


def parse(text: bytes, index: type = np.int32, value: type = np.float64, threads: int = 2) -> Any:
    """Labels, qid, offsets, indices as written, values; or the fault."""
    parsed = parsing.SvmlightText.parse(np.frombuffer(text, dtype=np.uint8), threads)
    if parsed.fault[0]:
        return parsed.fault
    n, entries = parsed.rows, parsed.entries
    labels, spans, queries = np.empty(n), np.empty((n, 2), dtype=np.int64), np.empty(n, dtype=np.int64)
    indptr, indices, values = (
        np.empty(n + 1, dtype=index),
        np.empty(entries, dtype=index),
        np.empty(entries, dtype=value),
    )
    parsed.fill(labels, spans, queries, indptr, indices, values, 0, threads)
    words = [text[at : at + size] for at, size in spans.tolist()]
    return labels, words, queries, indptr, indices, values


def agree(text: bytes, **types: Any) -> None:
    """The kernel gives what the twin gives: the same rows to the last bit, or the same fault at the same byte."""
    found = parse(text, **types)
    try:
        twin = reference_svmlight.parse(text)
    except reference_svmlight.Fault as met:
        twin, fault = None, (met.kind, met.at)
    if twin is None:
        assert found == fault
        return
    labels, words, queries, indptr, indices, values = found
    np.testing.assert_array_equal(labels, twin.labels)
    assert words == twin.words
    assert queries.tolist() == twin.queries
    assert np.diff(indptr).tolist() == [len(row) for row in twin.entries]
    assert indices.tolist() == [index for row in twin.entries for index, _ in row]
    expected = np.array([value for row in twin.entries for _, value in row], dtype=values.dtype)
    np.testing.assert_array_equal(values, expected)


TEXTS = [
    b"",
    b"\n\n",
    b"1 1:2",
    b"+1 1:0.5 3:-1e-3 # a comment\n\n-1\n# nothing\n  2 7:1.  \r\n",
    b"spam 1:1\nham 2:.5\n",
    b"1 qid:3 1:1\n2 qid:3 2:1\n",
    b"nan 1:nan 2:inf 3:-Infinity 4:1e400 5:1e-400 6:123456789012345678901234567890 7:0.1234567890123456789\n",
    b"1#x\n1 2:3#x 4:z\n",
    b"1 999999999999999999:1\n",
    b"1\t2:3\v4:5\f6:7\n",
]
FAULTS = [
    (b"1:2 3:4\n", reference_svmlight.LABEL, 0),
    (b"1 1:1\n1,2 3:4\n", reference_svmlight.SEVERAL_LABELS, 6),
    (b"1 x:4\n", reference_svmlight.INDEX, 2),
    (b"1 -1:4\n", reference_svmlight.INDEX, 2),
    (b"1 1234567890123456789:4\n", reference_svmlight.INDEX, 2),
    (b"1 3 4:1\n", reference_svmlight.COLON, 2),
    (b"1 3:\n", reference_svmlight.VALUE, 4),
    (b"1 3: 4:1\n", reference_svmlight.VALUE, 4),
    (b"1 3:1x\n", reference_svmlight.VALUE, 4),
    (b"1 3:+-1\n", reference_svmlight.VALUE, 4),
    (b"1 3:1:2\n", reference_svmlight.VALUE, 4),
    (b"1 3:nan(1)\n", reference_svmlight.VALUE, 4),
    (b"1 3:0x1\n", reference_svmlight.VALUE, 4),
    (b"1 3:1 3:2\n", reference_svmlight.ORDER, 6),
    (b"1 3:1 2:2", reference_svmlight.ORDER, 6),
    (b"1 qid:x 2:2", reference_svmlight.QUERY, 2),
    (b"1 2:2 qid:1", reference_svmlight.INDEX, 6),
]


@pytest.mark.parametrize("text", TEXTS)
def test_rows(text: bytes) -> None:
    for value in (np.float64, np.float32):
        with np.errstate(over="ignore"):
            agree(text, index=np.int64, value=value)


@pytest.mark.parametrize(("text", "kind", "at"), FAULTS)
def test_faults(text: bytes, kind: int, at: int) -> None:
    assert parse(text) == (kind, at)
    agree(text)


def test_the_first_fault_wins_in_any_chunk() -> None:
    line = b"1 1:0.25 2:0.5 3:0.125\n"
    good = line * (3_000_000 // len(line))  # three chunks
    for threads in (1, 2):
        assert parse(good + b"1 1:x\n" + good + b"1 y:1\n", threads=threads) == (
            reference_svmlight.VALUE,
            len(good) + 4,
        )
    labels, _, _, indptr, indices, values = parse(good + b"7 9:1")
    assert labels[-1] == 7.0
    assert indptr[-1] == len(indices) == 3 * (len(labels) - 1) + 1
    assert values[:-1].sum() == 0.875 * (len(labels) - 1)


def test_text_with_a_fault_fills_nothing() -> None:
    parsed = parsing.SvmlightText.parse(np.frombuffer(b"1 x\n", dtype=np.uint8), 1)
    empty, whole = np.empty(0), np.empty(0, dtype=np.int64)
    with pytest.raises(ValueError, match="fault"):
        parsed.fill(empty, whole, whole, np.empty(1, dtype=np.int32), np.empty(0, dtype=np.int32), empty, 0, 1)
    parsed = parsing.SvmlightText.parse(np.frombuffer(b"1 2:3\n", dtype=np.uint8), 1)
    with pytest.raises(ValueError, match="elements where"):
        parsed.fill(empty, whole, whole, np.empty(1, dtype=np.int32), np.empty(0, dtype=np.int32), empty, 0, 1)


numbers = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.floats(-1e6, 1e6).map(lambda x: f"{x:.3f}"),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda x: f"{x:.25e}"),
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
    st.integers(-(10**30), 10**30).map(str),
    st.sampled_from(["+1", ".5", "5.", "-0", "1e5", "1E-5", "1e", "e1", ".", "-", "", "1_0", "--1", "inf", "+nan"]),
)
entries = st.lists(st.tuples(st.integers(0, 10**9), numbers), max_size=4).map(
    lambda pairs: " ".join(f"{index}:{value}" for index, value in sorted(pairs))
)
labels = st.one_of(numbers, st.sampled_from(["spam", "ham", "a,b", "é", "3:1"]))
lines = st.tuples(
    labels, st.sampled_from(["", "qid:7 ", "qid: "]), entries, st.sampled_from(["", " # x", "\r", " "])
).map(lambda parts: f"{parts[0]} {parts[1]}{parts[2]}{parts[3]}")


@settings(max_examples=200, deadline=None)
@given(st.lists(lines, max_size=4), st.sampled_from(["\n", "\n\n", ""]))
def test_any_text_like_the_twin(rows: list[str], end: str) -> None:
    agree(("\n".join(rows) + end).encode())


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="01:#.,e+-q id\n\r\tnaf", max_size=40))
def test_any_characters_like_the_twin(text: str) -> None:
    agree(text.encode(), index=np.int64)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_what_scikit_learn_writes_comes_back(seed: int, zero_based: bool, query: bool) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(6, 5)) * rng.integers(0, 2, size=(6, 5))
    y, qid = rng.integers(-1, 2, 6), np.sort(rng.integers(0, 3, 6))
    file = io.BytesIO()
    dump_svmlight_file(X, y, file, zero_based=zero_based, query_id=qid if query else None)
    labels, _, queries, indptr, indices, values = parse(file.getvalue())
    theirs, labels_too = load_svmlight_file(io.BytesIO(file.getvalue()), zero_based=True)
    np.testing.assert_array_equal(labels, labels_too)
    np.testing.assert_array_equal(queries, qid if query else np.full(6, -1))
    for mine, other in ((indptr, theirs.indptr), (indices, theirs.indices), (values, theirs.data)):
        np.testing.assert_array_equal(mine, other)
