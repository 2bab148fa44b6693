"""The linear program of the widest box margin, over as few conditions as will do (HiGHS, in SciPy).

    max t   subject to  ⟨aᵢ, u⟩ ≥ t  for i in a working set,  −1 ≤ u ≤ 1,  t ≤ 1

t > 0: u separates the working set; the conditions that it violates join, the worst first, and the program is solved
again. t = 0: the multipliers λ ≥ 0 have Σ λᵢaᵢ = 0, Σ λᵢ = 1, and a basic solution has at most dims + 1 of them. What
does not separate some of the rows does not separate all of them, so a random sample usually settles it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any

import numpy as np
from scipy import sparse

from linsep.separability.face import Face
from linsep.solvers.patience import interruptible, seconds_left
from linsep.types import FloatArray, IntArray

_ZERO = 1e-9  # HiGHS meets its conditions to about this
_ROUNDS = 200
_OPTIONS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


@dataclass(frozen=True, eq=False)
class Guess:
    """What floating point thinks. u: separates everything; places, weights: of conditions with Σ λa = 0; one is None.

    working: the conditions that the last program knew.
    """

    u: FloatArray | None
    places: IntArray | None
    weights: FloatArray | None
    working: IntArray


def first_sample(face: Face) -> IntArray:
    """Conditions to begin with: about ten a dimension, at random."""
    wanted = 10 * face.dims + 100
    if face.size <= wanted:
        return np.arange(face.size)
    return np.sort(np.random.default_rng(0).choice(face.size, wanted, replace=False))


def guess(face: Face, working: IntArray) -> Guess:
    """Whether all conditions of the face can hold strictly, in floating point."""
    for _ in range(_ROUNDS):
        margin, u, weights = widest_margin(face.vectors(working))
        if margin <= _ZERO:
            used = np.flatnonzero(weights > 1e-3 * _ZERO)
            return Guess(None, working[used], weights[used], working)
        margins = face.margins(u)
        violated = np.setdiff1d(np.flatnonzero(margins <= 0.0), working)
        if not len(violated):
            return Guess(u, None, None, working)
        worst = np.argsort(margins[violated], kind="stable")[: 2 * face.dims + 50]
        working = np.union1d(working, violated[worst])
    return Guess(None, None, None, working)


def widest_margin(A: Any) -> tuple[float, FloatArray, FloatArray]:
    """t, u and λ of the program for the rows of A."""
    m, dims = A.shape
    units = row_units(A)
    B = _in_units(A, units)
    left = (
        sparse.hstack([-B, np.ones((m, 1))], format="csr") if sparse.issparse(B) else np.hstack([-B, np.ones((m, 1))])
    )
    cost = np.zeros(dims + 1)
    cost[-1] = -1.0
    bounds = [(-1.0, 1.0)] * dims + [(None, 1.0)]
    found = _solved(cost, A_ub=left, b_ub=np.zeros(m), bounds=bounds, options=_OPTIONS)
    if found.x is None:
        return 0.0, np.zeros(dims), np.zeros(m)
    weights = np.ldexp(-found.ineqlin.marginals, -units)
    return float(found.x[-1]), np.asarray(found.x[:-1]), np.asarray(weights)


def most_weights(A: Any, units: IntArray) -> FloatArray:
    """max Σ λᵢ subject to Σ λᵢaᵢ = 0, 0 ≤ λᵢ ≤ 1, the rows aᵢ of A in their units: > 0 wherever a mean can be."""
    B = _in_units(A, units).T
    found = _solved(-np.ones(len(units)), A_eq=B, b_eq=np.zeros(B.shape[0]), bounds=(0.0, 1.0), options={})
    return np.zeros(len(units)) if found.x is None else np.asarray(found.x)


def _solved(cost: FloatArray, *, options: dict[str, float], **program: Any) -> Any:
    """By the dual simplex method, within the time there is."""
    from scipy.optimize import linprog  # slow to import, and seldom needed

    limit = seconds_left()
    limited = options | {"time_limit": limit}
    run = partial(linprog, cost, method="highs-ds", options=limited, **program)
    found = run() if limit == inf else interruptible(run)
    seconds_left()  # a program that was cut short says nothing
    return found


def row_units(A: Any) -> IntArray:
    """Exponents of the powers of two by which rows are divided, so that their largest entries are near 1."""
    sizes = abs(A).max(axis=1)
    sizes = np.asarray(sizes.toarray() if sparse.issparse(sizes) else sizes).ravel()
    return np.where(sizes > 0.0, np.frexp(sizes)[1], 0).astype(np.int64)


def _in_units(A: Any, units: IntArray) -> Any:
    return sparse.diags(np.ldexp(1.0, -units)) @ A if sparse.issparse(A) else np.ldexp(A, -units[:, None])
