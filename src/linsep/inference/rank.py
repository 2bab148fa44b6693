"""Columns that depend on others, by name.

Columns are taken in order, the intercept first: one whose part outside the span of those before it is rounding depends
on them. The Gram matrix, scaled to a unit diagonal, decides; it has lost the square of mean over spread, so a column
far from 0 may be told from a constant only after centring.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from linsep.inference.sample import Sample
from linsep.types import FloatArray, IntArray

_EPS = float(np.finfo(np.float64).eps)
_SHOWN = 5


@dataclass(frozen=True, eq=False)
class Dependence:
    """A column, those it is a combination of, and the weights along which for this reason no score changes."""

    column: int
    on: tuple[int, ...]
    direction: FloatArray


def dependences(sample: Sample) -> list[Dependence]:
    """Every column that depends on those before it; the intercept has the number d and comes first."""
    G = sample.gram(np.where(sample.counts > 0.0, 1.0, 0.0))
    order = np.roll(np.arange(sample.width), 1) if sample.intercept else np.arange(sample.width)
    norms = np.sqrt(np.maximum(G.diagonal(), 0.0))
    scale = np.where(norms > 0.0, norms, 1.0)
    unit = (G / np.outer(scale, scale))[np.ix_(order, order)]
    return _eliminate(unit, order, scale)


def determined(found: list[Dependence], d: int) -> FloatArray:
    """V with orthonormal columns: every score is that of one w = Vβ, the shortest w of all with these scores."""
    free = np.column_stack([f.direction[:d] / np.linalg.norm(f.direction[:d]) for f in found])
    return np.asarray(np.linalg.qr(free, mode="complete")[0][:, len(found) :])


def _eliminate(unit: FloatArray, order: IntArray, scale: FloatArray) -> list[Dependence]:
    """Cholesky column by column; L holds the kept ones."""
    size = len(unit)
    kept: list[int] = []
    found: list[Dependence] = []
    L = np.zeros((size, size))
    least = 64.0 * _EPS * size
    for j in range(size):
        k = len(kept)
        row = np.asarray(solve_triangular(L[:k, :k], unit[kept, j], lower=True)) if k else np.zeros(0)
        rest = float(unit[j, j] - row @ row)
        if rest > least:
            L[k, :k], L[k, k] = row, np.sqrt(rest)
            kept.append(j)
            continue
        weights = np.linalg.lstsq(unit[np.ix_(kept, kept)], unit[kept, j], rcond=None)[0] if k else np.zeros(0)
        on = [int(order[i]) for i, w in zip(kept, weights, strict=True) if abs(w) > 1e-6]
        direction = np.zeros(size)
        direction[order[j]], direction[order[kept]] = 1.0, -weights
        found.append(Dependence(int(order[j]), tuple(on), direction / scale))
    return found


def in_words(found: list[Dependence], names: Sequence[str]) -> str:
    """Which columns depend on which: "x3 depends on x1, x2"."""
    parts = [f"{names[f.column]} {_on(f, names)}" for f in found[:_SHOWN]]
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return "; ".join(parts) + more


def _on(found: Dependence, names: Sequence[str]) -> str:
    if not found.on:
        return "is 0 everywhere"
    on = [names[j] for j in found.on]
    if on == ["intercept"]:
        return "is constant, as the intercept is"
    shown = ", ".join(on[:_SHOWN]) + (", …" if len(on) > _SHOWN else "")
    return f"is a combination of {shown}"
