"""Firth's objective, computed again: P = 1/S (Σ sᵢ ln(1 + e^−Mᵢ) − ½ ln det I), I = Σ sᵢ pᵢ(1 − pᵢ) xᵢxᵢᵀ.

Its gradient is −1/S Σ (sᵢ(yᵢ − pᵢ) + hᵢ(½ − pᵢ)) xᵢ with the leverages hᵢ = sᵢ pᵢ(1 − pᵢ) xᵢᵀ I⁻¹ xᵢ. Where columns
depend on each other, I is the information on the coordinates of w in an orthonormal basis of the w that are orthogonal
to all directions along which no score changes.
"""

from __future__ import annotations

from math import nan
from typing import Any, NamedTuple

import numpy as np

from linsep.certify.independent.identity import Checks
from linsep.certify.independent.losses import Margins
from linsep.certify.independent.problems import Problems

Array = np.ndarray[Any, Any]

_SAME = 1e-9  # relative difference within which two values of P are the same
_STILL = 1e-3  # standard errors: a Newton step of this length is none
_ENTRIES = 2**26  # of X up to which an array of all rows is made


class Stationarity(NamedTuple):
    """The value of P, and the length of a Newton step from here in standard errors: 0 where the gradient vanishes."""

    primal: float
    step: float


def stationarity(problems: Problems, W: Array, total: float) -> Stationarity:
    """total: S. The rows must be few enough for an array of them."""
    assert isinstance(problems.loss, Margins)
    signs, counts = problems.loss.signs[:, 0], total * problems.shares
    Z = problems.scores(W)
    A = np.concatenate([block.with_ones(problems.rows.d) for block in problems.rows.blocks(problems.chosen)])
    A = _independent(A if problems.free else A[:, :-1], counts > 0.0, problems.rows.d)
    p = np.exp(-np.logaddexp(0.0, -Z[:, 0]))
    variance = counts * np.exp(-np.logaddexp(0.0, -Z[:, 0]) - np.logaddexp(0.0, Z[:, 0]))
    scale = np.sqrt(variance @ A**2)
    scale = np.where(scale > 0.0, scale, 1.0)
    information = (A / scale).T @ ((A / scale) * variance[:, None])
    sign, determinant = np.linalg.slogdet(information)
    if sign <= 0.0:
        return Stationarity(np.inf, np.inf)
    solved = np.linalg.solve(information, (A / scale).T).T
    leverages = variance * np.einsum("ij,ij->i", A / scale, solved)
    score = (A / scale).T @ (counts * ((signs > 0.0) - p) + leverages * (0.5 - p))
    value = problems.mean(problems.loss.value(Z))[0] - (0.5 * determinant + np.log(scale).sum()) / total
    return Stationarity(float(value), float(np.sqrt(max(score @ np.linalg.solve(information, score), 0.0))))


def _independent(A: Array, counted: Array, d: int) -> Array:
    """The rows in coordinates that the counted ones determine: A itself where its columns are independent."""
    scale = np.linalg.norm(A[counted], axis=0)
    scale = np.where(scale > 0.0, scale, 1.0)
    sizes, vectors = np.linalg.eigh((A[counted] / scale).T @ (A[counted] / scale))
    idle = vectors[:, sizes <= 64.0 * np.finfo(np.float64).eps * len(sizes)] / scale[:, None]
    if not idle.shape[1]:
        return A
    basis = np.linalg.qr(idle[:d], mode="complete")[0][:, idle.shape[1] :]
    return np.hstack((A[:, :d] @ basis, A[:, d:]))


def check_firth(checks: Checks, model: Any, problems: Problems) -> float:
    """Value and gradient are as claimed; the objective is not convex, so there is no bound to check. Returns P."""
    if len(problems.shares) * problems.unknowns > _ENTRIES:
        checks("proof", False, "the data are too large for Firth's objective to be computed again")
        return nan
    found, said = stationarity(problems, model.w, model.origin.total_weight), model.certificate.primal
    same = abs(found.primal - said) <= _SAME * max(abs(said), 1.0)
    checks("objective", same, f"P is {found.primal:.12g}, the certificate says {said:.12g}")
    detail = f"a Newton step would still move the weights by {found.step:.1e} standard errors"
    checks("gradient", found.step <= _STILL, detail)
    checks("proof", False, "the gradient vanishes, but Firth's objective is not convex: no bound on its optimum exists")
    return found.primal
