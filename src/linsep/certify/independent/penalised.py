"""The dual bound of problems whose penalty is not a ridge (penalty.py has the formula). NumPy alone."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np

from linsep.certify.independent.free import MOST, free_reach
from linsep.certify.independent.penalty import Penalty

Array = np.ndarray[Any, Any]


class Bounds(NamedTuple):
    """For every problem a lower bound on its optimum, and how much of its distance to P may be rounding."""

    value: Array
    allowance: Array

    def best(self, other: Bounds) -> Bounds:
        """Of each problem the higher bound."""
        higher = other.value > self.value
        return Bounds(*(np.where(higher, new, old) for new, old in zip(other, self, strict=True)))


def penalised_bounds(problems: Any, penalty: Penalty, R: Array, P: Array) -> Bounds:
    """Of every problem at its multipliers R: charges for what Ω* does not take, for the intercept and for rounding."""
    values = problems.loss.conjugate(R) + problems.known(R)
    means, sizes = problems.mean(values), problems.mean(np.abs(values))
    V, lost = problems.adjoint(R), problems.unit * problems.adjoint(np.abs(R), np.abs)
    free = penalty.free
    charge = np.zeros_like(P)
    if problems.free and not free.any():
        charge, change = problems.loss.settle(V[-1], P, problems.shares)
        charge = charge - problems.mean(problems.known(change))
        V[:-1] -= problems.adjoint(change)[:-1]
    bound, allowance = np.full_like(P, -inf), np.zeros_like(P)
    for j in range(len(P)):
        scores = problems.scores_of(j)
        v, off = V[:-1, scores], lost[:-1, scores]
        excess = penalty.excess(v)
        omega = float(penalty.conjugate_terms(v - excess).sum())
        most = float(P[j])
        small = problems.unit * (float(sizes[j]) + abs(omega) + abs(most))
        if free.any():
            residual = np.vstack([np.abs(excess[free]), np.abs(V[-1:, scores])])[: int(free.sum()) + int(problems.free)]
            more = np.vstack([off[free], lost[-1:, scores]])[: len(residual)]
            held = free_reach(problems, R, j, most) if len(residual) <= MOST else np.full(residual.shape, inf)
            charge[j] += float((residual * held).sum())
            small += float((more * held).sum())
            excess, off = np.where(free[:, None], 0.0, excess), np.where(free[:, None], 0.0, off)
        small += penalty.reach(off, most)
        cost = charge[j] + penalty.reach(np.abs(excess), most)
        bound[j] = -means[j] - omega - cost - small
        allowance[j] = small + min(cost, problems.unit * (1.0 + abs(most)))
    proved = np.isfinite(bound)
    return Bounds(np.where(proved, bound, -inf), np.where(proved, allowance, 0.0))


def depth(problems: Any, penalty: Penalty, R: Array, j: int, P: float) -> float:
    """P − D for tilted multipliers of problem j, without the residuals' terms; R is scaled until Ω* takes it."""
    v = problems.adjoint(R)[:-1]
    v[penalty.free] = 0.0
    must = (penalty.excess(v) != 0.0) & (penalty.a > 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (1.0 - 1e-12) * float(np.where(must, penalty.a / np.abs(v), 1.0).min(initial=1.0))
    if (penalty.excess(t * v) != 0.0).any():
        return inf
    one = problems.only(j)
    value = float(one.mean(one.loss.conjugate(t * R) + one.known(t * R))[0])
    return (P + value + float(penalty.conjugate_terms(t * v).sum())) / t
