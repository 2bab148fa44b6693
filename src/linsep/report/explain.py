"""Why a row got its class: what each column adds to the lead of one class over another.

With v = w_a − w_b the lead of class a over b is ⟨x, v⟩ + const. Against the mean row it is Σ (xⱼ − x̄ⱼ) vⱼ; the terms of
the columns made from one column of the table are taken together, except those of words, which speak for themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linsep.report.blocks import Chip
from linsep.report.case import Case
from linsep.report.numbers import number, shortened, signed
from linsep.types import FloatArray

_SHOWN = 5


@dataclass(frozen=True)
class _Term:
    words: str
    value: float


def reasons(case: Case, row: int, towards: int, away: int) -> tuple[Chip, ...]:
    """The largest terms of the lead of one class over another, in this row."""
    if case.directions is None:
        return ()
    x = _dense_row(case, row)
    terms = _terms(case, row, x, (x - case.means) * (case.directions[towards] - case.directions[away]))
    largest = sorted(terms, key=lambda term: -abs(term.value))[:_SHOWN]
    return tuple(
        Chip(f"{term.words} {signed(term.value, 2)}", term.value > 0.0) for term in largest if abs(term.value) > 1e-9
    )


def _dense_row(case: Case, row: int) -> FloatArray:
    x = case.X[row]
    return np.asarray(x.toarray() if hasattr(x, "toarray") else x, dtype=np.float64).ravel()


def _terms(case: Case, row: int, x: FloatArray, parts: FloatArray) -> list[_Term]:
    if case.columns is None:
        return [_Term(f"{case.name(int(j))} = {number(float(x[j]), 3)}", float(parts[j])) for j in _largest(parts)]
    words = np.array([column.kind == "text" for column in case.columns])
    present = np.flatnonzero(words & (x != 0.0))
    found = [_Term(f"“{_word(case, int(j))}”", float(parts[j])) for j in present]
    sums: dict[str, float] = {}
    for j in np.flatnonzero(~words):
        source = case.columns[j].source
        sums[source] = sums.get(source, 0.0) + float(parts[j])
    return found + [_Term(_value(case, source, row), total) for source, total in sums.items()]


def _largest(parts: FloatArray) -> list[int]:
    return [int(j) for j in np.argsort(-np.abs(parts), kind="stable")[:_SHOWN]]


def _word(case: Case, j: int) -> str:
    assert case.columns is not None
    return case.columns[j].name.removeprefix(f"{case.columns[j].source}: ")


def _value(case: Case, source: str, row: int) -> str:
    """“age = 39”; of products and bases the name alone."""
    frame = None if case.table is None else case.table.frame
    if frame is None or source not in frame.columns:
        return source
    value = frame[source][row]
    words = "missing" if value is None else number(value) if isinstance(value, float) else shortened(str(value), 30)
    return f"{source} = {words}"


def quote(case: Case, row: int) -> str:
    """The first words of the row's texts."""
    frame = None if case.table is None else case.table.frame
    if case.table is None or frame is None:
        return ""
    names = [column.name for column in case.table.schema.features if column.type.value == "text"]
    texts = (str(frame[name][row]) for name in names if frame[name][row] is not None)
    return " · ".join(f"“{shortened(each, 160)}”" for each in texts)
