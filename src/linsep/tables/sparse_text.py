"""svmlight text, by the compiled parser: `label [qid:number] index:value … # comment`."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from linsep.errors import BadFile, InvalidParameter
from linsep.kernels import _parsing as parsing
from linsep.kernels import reference_svmlight as faults
from linsep.kernels.threads import available_threads
from linsep.tables.content import Content
from linsep.tables.encodings import as_utf8
from linsep.tables.options import ReadOptions
from linsep.tables.parts import Part
from linsep.tables.schema import TARGET, ColumnType
from linsep.types import IntArray

#: What was expected where the parser met something else.
EXPECTED = {
    faults.LABEL: "expected a label at the beginning of the line",
    faults.SEVERAL_LABELS: "several labels a row are not supported: expected one label without a comma",
    faults.INDEX: "expected a column as a whole number from 0 or 1 up, then a colon and a value, as in 3:0.5",
    faults.COLON: "expected a colon and a value behind the column, as in 3:0.5",
    faults.VALUE: "expected a number",
    faults.ORDER: "columns must rise within a row, each at most once",
    faults.QUERY: "expected a whole number behind qid:",
}


def read_svmlight(content: Content, options: ReadOptions) -> Part:
    """A CSR matrix, with the labels as target and qid, where there is one, as groups."""
    text = as_utf8(content, options.encoding) if options.encoding != "utf-8" else content
    if len(text.data) == 0:
        raise BadFile(content.name, "it is empty")
    if options.target not in (None, TARGET):
        raise InvalidParameter(f"target={options.target!r}: in svmlight files the target is the {TARGET} of each row")
    parsed = parsing.SvmlightText.parse(text.array(), available_threads())
    if parsed.fault[0]:
        raise _fault(text, *parsed.fault)
    if parsed.rows == 0:
        raise BadFile(content.name, "there are no rows, only blank lines and comments")
    occurs = parsed.entries > 0
    zero_based = options.zero_based if options.zero_based is not None else occurs and parsed.least == 0
    base = 0 if zero_based else 1
    if occurs and parsed.least < base:
        raise BadFile(content.name, "a column 0 occurs, but zero_based=False says that the first is 1")
    width = max(parsed.most + 1 - base, 0)
    if options.features is not None:
        if width > options.features:
            raise BadFile(content.name, f"a column {parsed.most} occurs, but features={options.features}")
        width = options.features
    if width == 0:
        raise BadFile(content.name, "no row has a value: there is nothing to learn from")
    matrix, arrays, spans = _arrays(text, parsed, base, width, options.single)

    def line_of(row: int) -> int:
        return place(text, int(spans[row, 0]))[0]

    return Part(content.name, matrix=matrix, arrays=arrays, line_of=line_of, zero_based=zero_based if occurs else None)


def _arrays(
    text: Content, parsed: parsing.SvmlightText, base: int, width: int, single: bool
) -> tuple[Any, dict[ColumnType, NDArray[Any]], IntArray]:
    """The matrix, what came with it, and where the label of each row begins and how long it is."""
    n, entries = parsed.rows, parsed.entries
    kind = np.int64 if max(width, entries) > np.iinfo(np.int32).max else np.int32
    labels, spans, queries = np.empty(n), np.empty((n, 2), dtype=np.int64), np.empty(n, dtype=np.int64)
    indptr, indices, values = (
        np.empty(n + 1, dtype=kind),
        np.empty(entries, dtype=kind),
        np.empty(entries, np.float32 if single else np.float64),
    )
    parsed.fill(labels, spans, queries, indptr, indices, values, base, available_threads())
    matrix = sparse.csr_matrix((values, indices, indptr), shape=(n, width))
    arrays: dict[ColumnType, NDArray[Any]] = {ColumnType.TARGET: labels}
    if parsed.with_words:
        arrays[ColumnType.TARGET] = _words(text, spans)
    elif (labels == np.floor(labels)).all() and np.abs(labels).max() < 2**53:
        arrays[ColumnType.TARGET] = labels.astype(np.int64)
    if parsed.with_query == n:
        arrays[ColumnType.GROUP] = queries
    elif parsed.with_query:
        at = int(spans[int(np.argmax(queries < 0)), 0])
        raise BadFile(text.name, "this row has no qid, but others have", line=place(text, at)[0])
    return matrix, arrays, spans


def _words(text: Content, spans: IntArray) -> NDArray[Any]:
    words = [bytes(text.data[at : at + size]) for at, size in spans.tolist()]
    try:
        return np.array([word.decode() for word in words])
    except UnicodeDecodeError:
        as_utf8(text, "utf-8")  # raises, with the place
        raise


def place(text: Content, at: int) -> tuple[int, int]:
    """Line and column, both from 1, the column in bytes."""
    before = text.array()[:at]
    ends = np.flatnonzero(before == ord("\n"))
    return len(ends) + 1, at - (int(ends[-1]) if len(ends) else -1)


def _fault(text: Content, kind: int, at: int) -> BadFile:
    line, column = place(text, at)
    piece = re.match(rb"[^\s#]*", bytes(text.data[at : at + 40]))
    found = piece.group().decode(errors="replace") if piece else ""
    shown = repr(found) if found else "nothing"
    return BadFile(text.name, f"{EXPECTED[kind]}; found {shown}", line=line, column=column)
