"""Plain twin of the svmlight parser (svmlight.hpp): one line after the other, one piece after the other."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

LABEL, SEVERAL_LABELS, INDEX, COLON, VALUE, ORDER, QUERY = range(1, 8)

_PIECE = re.compile(rb"[^ \t\r\v\f]+")
_NUMBER = re.compile(rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf|infinity|nan)", re.IGNORECASE)
_WHOLE = re.compile(rb"\d{1,18}(?!\d)")


class Fault(Exception):
    """What is wrong, and the byte where the piece begins that is not as expected."""

    def __init__(self, kind: int, at: int) -> None:
        super().__init__(kind, at)
        self.kind, self.at = kind, at


@dataclass
class Rows:
    """Labels as written and as numbers (NaN for words), qid (−1 where there is none), and (index, value) pairs."""

    words: list[bytes] = field(default_factory=list)
    labels: list[float] = field(default_factory=list)
    queries: list[int] = field(default_factory=list)
    entries: list[list[tuple[int, float]]] = field(default_factory=list)


def parse(text: bytes) -> Rows:
    """The rows of a text, indices as written; raises the first Fault."""
    rows, start = Rows(), 0
    for line in text.split(b"\n"):
        pieces = [(m.group(), start + m.start()) for m in _PIECE.finditer(line.split(b"#")[0])]
        if pieces:
            _row(rows, pieces)
        start += len(line) + 1
    return rows


def _row(rows: Rows, pieces: list[tuple[bytes, int]]) -> None:
    word, at = pieces[0]
    if b":" in word:
        raise Fault(LABEL, at)
    if b"," in word:
        raise Fault(SEVERAL_LABELS, at)
    number = float(word) if _NUMBER.fullmatch(word) else math.nan
    rows.words.append(word)
    rows.labels.append(number if math.isfinite(number) else math.nan)
    query = pieces[1:2]
    if query and query[0][0].startswith(b"qid:"):
        rows.queries.append(_query(*query[0]))
        rows.entries.append(_entries(pieces[2:]))
    else:
        rows.queries.append(-1)
        rows.entries.append(_entries(pieces[1:]))


def _query(piece: bytes, at: int) -> int:
    if not _WHOLE.fullmatch(piece[4:]):
        raise Fault(QUERY, at)
    return int(piece[4:])


def _entries(pieces: list[tuple[bytes, int]]) -> list[tuple[int, float]]:
    entries: list[tuple[int, float]] = []
    for piece, at in pieces:
        whole = _WHOLE.match(piece)
        if whole is None:
            raise Fault(INDEX, at)
        value = piece[whole.end() + 1 :]
        if piece[whole.end() : whole.end() + 1] != b":":
            raise Fault(COLON, at)
        if not _NUMBER.fullmatch(value):
            raise Fault(VALUE, at + whole.end() + 1)
        if entries and int(whole.group()) <= entries[-1][0]:
            raise Fault(ORDER, at)
        entries.append((int(whole.group()), float(value)))
    return entries
