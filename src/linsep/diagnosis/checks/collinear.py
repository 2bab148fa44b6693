"""Columns that follow from others.

On a sample of rows the columns are centred and scaled to length 1. A Cholesky factorisation of their Gram matrix with
pivoting takes the column that the chosen ones explain least, again and again; what is left unexplained of the others,
1 − R², is then below a threshold, and the triangular factor says which columns explain them. Each dependence is
tested on all rows: a column minus its explanation is one pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf

from linsep.diagnosis.evidence import SAMPLE, Evidence
from linsep.diagnosis.finding import Column, Finding, Severity
from linsep.diagnosis.words import columns
from linsep.types import FloatArray, IntArray

#: Columns up to which the check runs; 1 − R² below which a column follows from others, and below which exactly.
_WIDEST, _LOOSE, _EXACT = 2000, 1e-5, 1e-11
#: Dependences that are tested on all rows, and weights below which a column takes no part in one.
_SHOWN, _TAKES_PART = 5, 1e-4


@dataclass(frozen=True)
class Dependence:
    """`column` is Σ weights · `from_columns` + a constant, up to the share `unexplained` = 1 − R² of its variance."""

    column: Column
    from_columns: tuple[Column, ...]
    weights: tuple[float, ...]
    unexplained: float

    def __str__(self) -> str:
        how = "follows exactly from" if self.unexplained <= _EXACT else "almost follows from"
        rest = "" if self.unexplained <= _EXACT else f" (1 − R² = {self.unexplained:.1e})"
        return f"column {self.column} {how} {columns(self.from_columns)}{rest}"


@dataclass(frozen=True)
class CollinearColumns(Finding):
    """Columns that others explain: the first of them in `dependences`, `count` in all."""

    kind = "collinear"
    delays = True
    dependences: tuple[Dependence, ...]
    count: int

    @property
    def sentence(self) -> str:
        more = self.count - 1
        rest = f"; {more:,} more column{' follows' if more == 1 else 's follow'} from others" if more else ""
        return f"{self.dependences[0]}{rest}"

    @property
    def remedy(self) -> str:
        if self.severity is Severity.NOTE:
            return "read these weights together, or drop the columns that follow from others; predictions do not suffer"
        return "drop the columns that follow from others, or give alpha > 0: the weights are not determined"


def check(evidence: Evidence) -> Iterator[CollinearColumns]:
    design = evidence.rows.design
    varied = np.setdiff1d(np.arange(design.d), evidence.extremes.constant)
    if not 2 <= len(varied) <= _WIDEST:
        return
    rows = evidence.some(max(SAMPLE, 4 * design.d))
    entries = evidence.dense(rows, varied)
    entries -= entries.mean(axis=0)
    lengths = np.sqrt(np.einsum("ij,ij->j", entries, entries))
    seen = lengths > 1e-9 * np.sqrt(len(rows)) * evidence.deviations[varied]  # rare columns may be absent from a sample
    if len(rows) <= 2 or int(seen.sum()) >= len(rows) - 1:
        return  # more columns than rows always depend on each other: another check says so
    varied, lengths = varied[seen], lengths[seen]
    found = list(_dependences(entries[:, seen] / lengths, varied, lengths))
    true = [d for d in (_tested(evidence, *f) for f in found[:_SHOWN]) if d is not None]
    if true:
        severity = Severity.NOTE if evidence.model.alpha > 0.0 else Severity.CAUTION
        yield CollinearColumns(severity, tuple(true), len(true) + max(len(found) - _SHOWN, 0))


def _dependences(unit: FloatArray, names: IntArray, lengths: FloatArray) -> Iterator[tuple[int, IntArray, FloatArray]]:
    """Column, the columns that explain it, and their weights in the columns' own units."""
    factor, pivots, rank, _ = dpstrf(unit.T @ unit, tol=_LOOSE, lower=0)
    order = pivots - 1
    chosen, rest = order[:rank], order[rank:]
    if not len(rest):
        return
    weights = solve_triangular(factor[:rank, :rank], factor[:rank, rank:])
    for place in np.argsort(rest):
        takes_part = np.abs(weights[:, place]) > _TAKES_PART
        by, column = chosen[takes_part], rest[place]
        order_of_names = np.argsort(by)
        by = by[order_of_names]
        yield (
            int(names[column]),
            names[by],
            weights[takes_part, place][order_of_names] * lengths[column] / lengths[by],
        )


def _tested(evidence: Evidence, column: int, by: IntArray, weights: FloatArray) -> Dependence | None:
    """The dependence if it holds on all rows."""
    w = np.zeros(evidence.model.n_features + 1)
    w[by], w[column] = -weights, 1.0
    rest = evidence.rows.design.scores(w)[evidence.used]
    if len(by) == 1 and not rest.any():
        return None  # a copy: another check says so
    unexplained = float(rest.var() / evidence.deviations[column] ** 2)
    if not unexplained <= _LOOSE:
        return None
    (name,) = evidence.columns([column])
    return Dependence(name, evidence.columns(by), tuple(map(float, weights)), unexplained)
