"""The dual bound where the penalty is not a ridge: L1, factors, bounds on the weights.

    D(θ) = −1/S Σ sᵢ[ℓ*(−θᵢ) + θᵢyᵢoᵢ] − Ω*(v) ≤ P*,      v = 1/S Σ sᵢθᵢyᵢxᵢ

Ω*(v) is +∞ where |vⱼ| > αρfⱼ and nothing else holds wⱼ back. Three ways to be inside:

- Scaling: tθ, 0 ≤ t ≤ 1, is in the domain of every ℓ* and as balanced as θ, and its v is tv. The elastic net has a
  finite Ω* everywhere, but a small ridge part makes it large: both ends are tried.
- Charging: with v = v̂ + e, v̂ inside, ⟨e, w*⟩ is at most Σ |eⱼ||wⱼ*|, and Ω(w*) ≤ P bounds that (`Penalty.reach`). So
  is what rounding does to v charged.
- Columns without penalty that no bound holds back, or a bound on one side only, and the intercept among them, are
  charged at |eⱼ|·Bⱼ with Bⱼ ≥ |wⱼ*| from the multipliers themselves (unpenalised.py). Where v presses a weight against
  its only bound, rounding is charged at that bound.
"""

from __future__ import annotations

from math import inf, isfinite

import numpy as np

from linsep.certify.bound import NO_BOUND, Bound
from linsep.certify.certificate import Kind
from linsep.certify.intercept import class_means, level_reach, mean_limits
from linsep.certify.rounding import column_sums, rounding
from linsep.certify.unpenalised import Unheld, unheld
from linsep.problem.problem import Dual, Problem
from linsep.types import FloatArray


def penalised_bound(problem: Problem, dual: Dual, primal: float, whole: Problem | None = None) -> Bound:
    """The best D(tθ) less charges for the intercept, for free columns and for rounding; `primal` is any value of P.

    Where the problem has only some of the columns of a `whole` one, and those left out have |v| within αρf, it is a
    bound for the whole one, unless there are free columns.
    """
    assert not dual.off
    if not isfinite(primal):
        return NO_BOUND
    none = np.zeros(dual.v[:-1].shape, dtype=bool)
    held = Unheld(none, np.zeros_like(dual.v), none)
    if np.logical_or(*problem.penalty.sides(problem.design.d)).any():
        found = unheld(problem, dual, primal)
        if found is None:
            return NO_BOUND
        dual, held = found
    elif problem.intercept:
        held.reach[-1] = _intercept_level(whole or problem, float(np.abs(dual.v[-1]).sum()), primal)
    tried = (_at(problem, dual, t, primal, held) for t in _scales(problem, dual))
    return max(tried, key=lambda bound: bound.value)


def _scales(problem: Problem, dual: Dual) -> list[float]:
    """1, and the t at which no column is beyond its threshold: those that must not be, and all."""
    if not problem.loss.offers("conjugate"):
        return [1.0]
    v, d = dual.v[:-1], problem.design.d
    a = problem.penalty.l1(d) if v.ndim == 1 else problem.penalty.l1(d)[:, None]
    past = (np.abs(v) > a) & (a > 0.0)
    must = past & (problem.penalty.domain_excess(v) != 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(past, a / np.abs(v), 1.0)
    scales = {float(ratio[must].min(initial=1.0)), float(ratio.min(initial=1.0))}
    return sorted(scales | ({1.0} if not must.any() else set()))


def _at(problem: Problem, dual: Dual, t: float, primal: float, held: Unheld) -> Bound:
    """D(tθ) less the charges."""
    penalty, loose = problem.penalty, held.loose
    conjugate, magnitude = (dual.conjugate, dual.magnitude) if t == 1.0 else problem.conjugate_mean(t * dual.theta)
    v = t * dual.v
    excess = np.where(loose, v[:-1], penalty.domain_excess(v[:-1]))
    omega = penalty.conjugate(v[:-1] - excess)
    lost = np.where(held.exact, 0.0, rounding(problem, 1.0) * t * column_sums(problem, dual.theta))
    allowance = rounding(problem, magnitude + abs(omega) + abs(primal))
    charge = t * held.charge + float(np.abs(excess[loose]) @ held.reach[:-1][loose])
    allowance += float(lost[loose] @ held.reach[:-1][loose])
    excess[loose], lost[loose] = 0.0, 0.0
    ends = penalty.pressed(v[:-1], lost)
    pressed = np.isfinite(ends)
    allowance += float(lost[pressed] @ ends[pressed])
    lost[pressed] = 0.0
    charge += penalty.reach(np.abs(excess), primal)
    allowance += penalty.reach(lost, primal)
    residual = 0.0
    if problem.intercept:
        r, per = np.abs(np.atleast_1d(v[-1])), np.atleast_1d(held.reach[-1])
        intercept = float(np.where(r > 0.0, r, 1.0) @ np.where(r > 0.0, per, 0.0))
        residual = min(intercept, rounding(problem, float(np.max(per, initial=0.0)) + 1.0 + abs(primal)))
        charge += intercept
    value = -conjugate - omega - charge - allowance
    return Bound(value, Kind.DUALITY_GAP, allowance + residual, t * dual.theta, v) if isfinite(value) else NO_BOUND


def _intercept_level(problem: Problem, residual: float, primal: float) -> float:
    """B ≥ |b*| by the level set: the class means move a mean score by at most what Ω(w*) ≤ P allows.

    Limits of the means are enough where the residual is rounding; else they are worth passes over the data.
    """
    coarse = _level(problem, mean_limits(problem), primal)
    if residual * coarse <= rounding(problem, 1.0 + abs(primal)):
        return coarse
    return _level(problem, class_means(problem), primal)


def _level(problem: Problem, means: FloatArray, primal: float) -> float:
    wide = (lambda m: m) if len(problem.shape) == 1 else (lambda m: np.repeat(m[:, None], problem.shape[1], axis=1))
    moved = np.array([problem.penalty.reach(wide(m), primal) for m in means.T])
    return level_reach(problem, primal, moved) if np.isfinite(moved).all() else inf
