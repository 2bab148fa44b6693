"""The dual bound of problems whose penalty is not a ridge (penalty.py has the formula). NumPy alone."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np

from linsep.certify.independent.free import absorbed, free_charge, loose_weights
from linsep.certify.independent.losses import Margins
from linsep.certify.independent.penalty import Penalty

Array = np.ndarray[Any, Any]

#: Of a problem's largest multiplier: what is 0 but for rounding.
_NOTHING = 1e-12


class Bounds(NamedTuple):
    """For every problem a lower bound on its optimum, and how much of its distance to P may be rounding."""

    value: Array
    allowance: Array

    def best(self, other: Bounds) -> Bounds:
        """Of each problem the higher bound."""
        higher = other.value > self.value
        return Bounds(*(np.where(higher, new, old) for new, old in zip(other, self, strict=True)))


def penalised_bounds(problems: Any, penalty: Penalty, R: Array, P: Array) -> Bounds:
    """Of every problem at its multipliers R, or where those prove nothing at R without what is 0 but for rounding."""
    found = _bounds(problems, penalty, R, P)
    if np.isfinite(found.value).all() or not isinstance(problems.loss, Margins):
        return found
    least = _NOTHING * np.abs(R).max(axis=0)
    return found.best(_bounds(problems, penalty, np.where(np.abs(R) <= least, 0.0, R), P))


def _bounds(problems: Any, penalty: Penalty, R: Array, P: Array) -> Bounds:
    """Charges for what Ω* does not take, for the intercept and for rounding."""
    values = problems.loss.conjugate(R) + problems.known(R)
    means, sizes = problems.mean(values), problems.mean(np.abs(values))
    V, lost = problems.adjoint(R), problems.unit * problems.adjoint(np.abs(R), np.abs)
    same = absorbed(problems)
    V[:-1][same], lost[:-1][same] = 0.0, 0.0
    charge, (settled, moved) = np.zeros_like(P), _settled(problems, V[-1], P)
    bound, allowance = np.full_like(P, -inf), np.zeros_like(P)
    for j in range(len(P)):
        scores = problems.scores_of(j)
        v, off = V[:-1, scores], lost[:-1, scores]
        loose = loose_weights(problems, R, j, v, off)
        framed = bool(loose.any()) or (problems.free and _untouched(penalty, off))
        if not framed:
            charge[j], v = settled[j], np.where(same[:, None], 0.0, v - moved[:, scores])
        excess = np.where(loose, 0.0, penalty.excess(v))
        omega = float(penalty.conjugate_terms(np.where(loose, 0.0, v - excess)).sum())
        most = float(P[j])
        small = problems.unit * (float(sizes[j]) + abs(omega) + abs(most))
        if framed:
            charge[j], more = free_charge(problems, R, j, loose, most)
            small += more
        ends = np.where(loose, np.nan, penalty.ends(v, off))
        small += float(np.nansum(off * ends))
        off = np.where(loose | np.isfinite(ends), 0.0, off)
        small += penalty.reach(off, most)
        cost = charge[j] + penalty.reach(np.abs(excess), most)
        bound[j] = -means[j] - omega - cost - small
        allowance[j] = small + min(cost, problems.unit * (1.0 + abs(most)))
    proved = np.isfinite(bound)
    return Bounds(np.where(proved, bound, -inf), np.where(proved, allowance, 0.0))


def _untouched(penalty: Penalty, off: Array) -> bool:
    """Whether a column that nothing holds back is 0 in all rows with a multiplier: it must not get another by settling
    the intercept, so that is charged like the loose weights."""
    return bool((np.logical_or(*penalty.sides) & (off == 0.0)).any())


def _settled(problems: Any, r: Array, P: Array) -> tuple[Array, Array]:
    """What the residual of a free intercept costs every problem, and what it takes off v."""
    if not problems.free:
        return np.zeros_like(P), np.zeros((problems.rows.d, len(r)))
    charge, change = problems.loss.settle(r, P, problems.shares)
    return charge - problems.mean(problems.known(change)), problems.adjoint(change)[:-1]


def depth(problems: Any, penalty: Penalty, R: Array, j: int, P: float, loose: Array) -> float:
    """P − D for tilted multipliers of problem j, without the residuals' terms; R is scaled until Ω* takes it."""
    v = np.where(loose, 0.0, problems.adjoint(R)[:-1])
    must = (penalty.excess(v) != 0.0) & (penalty.a > 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (1.0 - 1e-12) * float(np.where(must, penalty.a / np.abs(v), 1.0).min(initial=1.0))
    if (penalty.excess(t * v) != 0.0).any():
        return inf
    one = problems.only(j)
    value = float(one.mean(one.loss.conjugate(t * R) + one.known(t * R))[0])
    return (P + value + float(penalty.conjugate_terms(t * v).sum())) / t
