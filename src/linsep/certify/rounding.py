"""What float64 can be off by in the sums of a bound."""

from __future__ import annotations

from math import log2

import numpy as np

from linsep.problem.problem import Problem
from linsep.types import FloatArray

_EPS = float(np.finfo(np.float64).eps)
#: Rows of a block whose entries are taken without their signs; entries of a block of multipliers.
_ROWS, _ENTRIES = 4096, 2**16
#: Of what matters little, what does not matter at all.
_NOTHING = 1e-9


def rounding(problem: Problem, magnitude: float) -> float:
    """What summing n terms of this magnitude in blocks, and dots of d terms, can be off by."""
    return _EPS * (8.0 + log2(problem.design.n + 1.0) + log2(problem.design.d + 1.0)) * magnitude


def least_allowance(problem: Problem) -> float:
    """What rounding does to a mean loss of 1: P* may be almost 0, but no sum of losses is that exact.

    Only where there is an optimum for certain, and not a way to 0 without end.
    """
    loose = np.logical_or(*problem.penalty.sides(problem.design.d)).any()
    return 0.0 if loose and not problem.loss.attained else rounding(problem, 1.0)


def spread(problem: Problem, theta: FloatArray) -> FloatArray:
    """√(Σᵢ (sᵢθᵢ/S)²), for each class; a row of weight zero counts nothing, even if infinite."""
    share = np.asarray(problem.scale if problem.weights is None else problem.weights * problem.scale)
    rows = max(1, _ENTRIES * len(theta) // max(theta.size, 1))
    if rows >= len(theta):
        return np.asarray(np.sqrt(_squares(theta, share)))
    blocks = (slice(low, low + rows) for low in range(0, len(theta), rows))
    root: FloatArray = np.sqrt(sum(_squares(theta[block], share[block] if share.ndim else share) for block in blocks))
    return root


def _squares(theta: FloatArray, share: FloatArray) -> FloatArray:
    sizes = np.multiply(theta.T, share, out=np.zeros(theta.T.shape), where=share > 0.0)
    squares: FloatArray = np.square(sizes, out=sizes).sum(axis=-1)
    return squares


def column_sums(problem: Problem, theta: FloatArray) -> FloatArray:
    """At least 1/S Σᵢ sᵢ|θᵢxᵢⱼ| for every column: √(Σᵢ xᵢⱼ²)·√(Σᵢ (sᵢθᵢ/S)²), by Cauchy and Schwarz."""
    rows, columns = spread(problem, theta), np.sqrt(problem.design.column_squares)
    return columns * rows if theta.ndim == 1 else np.outer(columns, rows)


def row_lengths(problem: Problem, theta: FloatArray, means: FloatArray) -> float:
    """At least ‖1/S Σᵢ sᵢ|θᵢxᵢ|‖, by the rows' own lengths: those whose θ is 0 do not count; and what Σ sᵢθᵢ is off by.

    means: at least |x̄| of every class, by columns, where the intercept is free; 0 where it is not.
    """
    sizes = _sizes(problem, theta)
    lengths = np.sqrt(problem.design.row_norms()) + float(np.linalg.norm(means))
    return float(np.linalg.norm(sizes @ lengths))


def row_products(problem: Problem, w: FloatArray, theta: FloatArray, means: FloatArray) -> float:
    """At least 1/S Σᵢ sᵢ|θᵢ| Σⱼ|wⱼxᵢⱼ|, and |wⱼ| times `means`: as far as the intercept moves by what Σ sᵢθᵢ is off by.

    With lengths c of the columns, Σⱼ|wⱼxᵢⱼ| ≤ √(Σⱼ |wⱼ|cⱼ)·√(Σⱼ |wⱼ|xᵢⱼ²/cⱼ).
    """
    lengths = np.sqrt(problem.design.column_squares)
    sizes = np.abs(w).reshape(len(lengths), -1).max(axis=1)
    q = np.divide(sizes, lengths, out=np.zeros_like(lengths), where=lengths > 0.0)
    of_rows = np.sqrt(problem.design.row_norms(q) * float(sizes @ lengths)) + float(sizes @ means)
    return float(np.sum(_sizes(problem, theta) @ of_rows))


def _sizes(problem: Problem, theta: FloatArray) -> FloatArray:
    """sᵢ|θᵢ|/S, (n,) or (K, n)."""
    share = np.asarray(problem.scale if problem.weights is None else problem.weights * problem.scale)
    sizes: FloatArray = np.multiply(np.abs(theta.T), share, out=np.zeros(theta.T.shape), where=share > 0.0)
    return sizes


def value_rounding(problem: Problem, w: FloatArray, theta: FloatArray) -> float:
    """What the rounding of the scores can change P by: Σ sᵢ|θᵢ|(Σⱼ|wⱼxᵢⱼ| + |b| + |oᵢ|)/S, θ = −ℓ′."""
    sums = float(np.sum(column_sums(problem, theta) * np.abs(w[:-1])))
    level = float(np.abs(w[-1]).max())
    if problem.offset is not None:
        level += float(np.abs(problem.offset).max())
    slope = problem.mean(np.abs(theta).reshape(problem.design.n, -1).sum(axis=1))
    return rounding(problem, sums + level * slope)


def kink_rounding(problem: Problem, w: FloatArray, little: float) -> float:
    """What the rounding of the scores can add to P at w where the loss has kinks: there θ says nothing of the slope.

    A score is off by δᵢ ≤ ε(Σⱼ|wⱼxᵢⱼ| + |b| + |oᵢ| + 1), and P by the mean of ℓ with every score worse by δᵢ less that
    of ℓ. Slopes are at most 1 for each score: the mean of ε(‖w‖‖xᵢ‖ + …) does where that is at most `little`. Else only
    rows count whose loss would rise were ‖xᵢ‖² the sum over all rows: most are far beyond their kink.
    """
    lengths = np.sqrt(np.square(w[:-1]).sum(axis=0))
    level = 1.0 + np.abs(w[-1]) + (0.0 if problem.offset is None else np.abs(problem.offset).max(axis=0))
    length = np.sqrt(problem.design.scan.squares) * float(spread(problem, np.ones(problem.design.n)))
    most = 2.0 * rounding(problem, float(np.max(lengths * length + level)))
    if most <= little:
        return most if most > _NOTHING * little else 0.0
    scores, unit = problem.scores(w), rounding(problem, 1.0)
    delta = np.tile(unit * (np.sqrt(problem.design.scan.squares) * lengths + level), (problem.design.n, 1))
    before = problem.loss_values(scores)
    rising = np.flatnonzero(problem.loss_values(problem.worse(scores, delta)) > before)
    rows, sizes = problem.design.table, np.abs(w[:-1]).reshape(problem.design.d, -1)
    delta[:] = 0.0
    for low in range(0, len(rising), _ROWS):
        block = rising[low : low + _ROWS]
        delta[block] = unit * (abs(rows[block]) @ sizes + level)
    return problem.mean(problem.loss_values(problem.worse(scores, delta)) - before)
