"""Columns as CSV, a block of rows at a time."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

_ROWS = 10_000


def csv_lines(heads: Sequence[str], columns: Sequence[Any]) -> Iterator[str]:
    """The head, then the rows."""
    yield _csv([heads])
    rows = len(columns[0]) if columns else 0
    for begin in range(0, rows, _ROWS):
        yield _csv(zip(*(column[begin : begin + _ROWS].tolist() for column in columns), strict=True))


def _csv(rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
