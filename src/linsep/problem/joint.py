"""K-score losses: functions l(Z, y) of a row's K scores Z and its class y in 0..K-1.

For n rows: Z (n, K), y (n,). The value is (n,), the gradient with respect to Z is (n, K). The conjugate is a
function of the multiplier theta (n, K),

    l*(-theta) = sup_Z ( -<theta, Z> - l(Z, y) ),        +inf outside the domain.

Fenchel-Young: l(Z, y) + l*(-theta) + <theta, Z> >= 0, with equality at theta = -gradient for convex l.

softmax and crammer_singer do not change when all K scores of a row are shifted, so their theta must sum to 0;
both have the domain theta = e_y - q with q in the simplex (q >= 0, sum q = 1). The signs of q are checked as
they are; the sum is allowed the rounding of K terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import final

import numpy as np

from linsep.problem.base import JointLoss
from linsep.problem.losses import negative_entropy
from linsep.problem.registry import Registry
from linsep.types import BoolArray, FloatArray, IntArray

__all__ = ["JOINT_LOSSES", "JointLoss", "get", "register", "resolve"]

_EPS = float(np.finfo(np.float64).eps)
_TINY = np.finfo(np.float64).tiny


def _relative(Z: FloatArray, k: IntArray) -> tuple[IntArray, FloatArray]:
    # Each row less its entry k: 0 there, whatever the common shift of the row
    rows = np.arange(len(k))
    return rows, Z - Z[rows, k][:, None]


def _in_domain(theta: FloatArray, rows: IntArray, y: IntArray) -> BoolArray:
    """Whether q = e_y - theta is in the simplex: theta_y in [0, 1], the others <= 0, sum 0."""
    own = theta[rows, y]
    positive: IntArray = (theta > 0.0).sum(axis=1)
    # With q in the simplex sum |theta| <= 2; K roundings of theta and of its sum stay below this.
    balanced: BoolArray = np.abs(theta.sum(axis=1)) <= _EPS * (8 + theta.shape[1])
    inside: BoolArray = balanced & (own >= 0.0) & (own <= 1.0) & (positive == (own > 0.0))
    return inside


def _onto_simplex(theta: FloatArray, y: IntArray) -> FloatArray:
    """theta with q = e_y - theta made a distribution: negative q become 0, an excess over 1 is scaled away."""
    rows = np.arange(len(y))
    others = np.minimum(theta, 0.0)
    others[rows, y] = 0.0
    mass = -others.sum(axis=1)
    others /= np.maximum(mass, 1.0)[:, None]
    others[rows, y] = np.minimum(-others.sum(axis=1), 1.0)
    return others


@final
@dataclass(frozen=True)
class Softmax(JointLoss):
    """ln sum_k e^{Z_k} - Z_y; gradient p - e_y, Hessian diag(p) - p p', conjugate sum_k q_k ln q_k."""

    name = "softmax"
    attained = False
    kernel = "softmax"
    convex = True
    probability = True
    binary = "log"
    shift_invariant = True

    def value(self, Z: FloatArray, y: IntArray) -> FloatArray:
        # m + ln(1 + the terms beside the largest): ln1p keeps the tail where y wins by far
        rows, A = _relative(Z, y)
        top = A.argmax(axis=1)
        m = A[rows, top]
        A -= m[:, None]
        np.exp(A, out=A)
        A[rows, top] = 0.0
        value: FloatArray = np.log1p(A.sum(axis=1))
        value += m
        return value

    def gradient(self, Z: FloatArray, y: IntArray) -> FloatArray:
        # p_y - 1 as minus the sum of the others: no cancellation where p_y is almost 1
        rows = np.arange(len(y))
        P: FloatArray = Z - Z.max(axis=1)[:, None]
        np.exp(P, out=P)
        own = P[rows, y]
        P[rows, y] = 0.0
        others: FloatArray = P.sum(axis=1)
        P[rows, y] = -others
        P /= (own + others)[:, None]
        return P

    def hessian_product(self, Z: FloatArray, y: IntArray, V: FloatArray) -> FloatArray:
        # p o (V - <p, V>), unchanged by a shift of V: relative to the top class, whose p may be almost 1
        top = Z.argmax(axis=1)
        _, P = _relative(Z, top)
        np.exp(P, out=P)
        P /= P.sum(axis=1)[:, None]
        _, U = _relative(V, top)
        U -= np.einsum("nk,nk->n", P, U)[:, None]
        U *= P
        return U

    def hessian_shrinkage(self, radius: float) -> float:
        # Each probability changes by a factor within e^(+-2r), and the Hessian is a sum of p_j p_k (u_j - u_k)^2
        return float(np.exp(-4.0 * radius))

    def project_dual(self, theta: FloatArray, y: IntArray) -> FloatArray:
        return _onto_simplex(theta, y)

    def conjugate(self, theta: FloatArray, y: IntArray) -> FloatArray:
        # q_y ln q_y + theta_y ln theta_y by its accurate form; q_k = -theta_k for the others
        rows = np.arange(len(y))
        own = theta[rows, y]
        q = np.maximum(-theta, 0.0)
        q[rows, y] = 0.0
        q *= np.log(np.maximum(q, _TINY))
        value = negative_entropy(own) - own * np.log(np.maximum(own, _TINY))
        value += q.sum(axis=1)
        return np.where(_in_domain(theta, rows, y), value, inf)


@final
@dataclass(frozen=True)
class CrammerSinger(JointLoss):
    """max_k (Z_k + 1[k != y]) - Z_y.

    As the maximum over q in the simplex of <q - e_y, Z> + sum_{k != y} q_k it is a support function plus a
    linear term, so with theta = e_y - q the conjugate is -sum_{k != y} q_k = q_y - 1 = -theta_y.
    """

    name = "crammer_singer"
    kernel = "crammer_singer"
    convex = True
    smooth = False
    binary = "hinge"
    shift_invariant = True

    def value(self, Z: FloatArray, y: IntArray) -> FloatArray:
        _, A = self._violations(Z, y)
        value: FloatArray = A.max(axis=1)
        return value

    def gradient(self, Z: FloatArray, y: IntArray) -> FloatArray:
        # e_worst - e_y, and 0 where no class violates the margin
        rows, A = self._violations(Z, y)
        worst = A.argmax(axis=1)
        violated = A[rows, worst] > 0.0
        A.fill(0.0)
        A[rows, worst] = violated
        A[rows, y] = -1.0 * violated
        return A

    def project_dual(self, theta: FloatArray, y: IntArray) -> FloatArray:
        return _onto_simplex(theta, y)

    def conjugate(self, theta: FloatArray, y: IntArray) -> FloatArray:
        rows = np.arange(len(y))
        return np.where(_in_domain(theta, rows, y), -theta[rows, y], inf)

    def _violations(self, Z: FloatArray, y: IntArray) -> tuple[IntArray, FloatArray]:
        rows, A = _relative(Z, y)
        A += 1.0
        A[rows, y] = 0.0
        return rows, A


@final
@dataclass(frozen=True)
class OneOfK(JointLoss):
    """sum_k (Z_k - 1[k = y])^2; gradient 2 (Z - e_y), Hessian 2 I, conjugate ||theta||^2 / 4 - theta_y."""

    name = "one_of_k"
    kernel = "one_of_k"
    convex = True
    binary = "squared"

    def value(self, Z: FloatArray, y: IntArray) -> FloatArray:
        R = self._residual(Z, y)
        with np.errstate(over="ignore"):
            value: FloatArray = np.einsum("nk,nk->n", R, R)
        return value

    def gradient(self, Z: FloatArray, y: IntArray) -> FloatArray:
        R = self._residual(Z, y)
        R *= 2.0
        return R

    def hessian_product(self, Z: FloatArray, y: IntArray, V: FloatArray) -> FloatArray:
        return 2.0 * V

    def conjugate(self, theta: FloatArray, y: IntArray) -> FloatArray:
        with np.errstate(over="ignore"):
            squares: FloatArray = np.einsum("nk,nk->n", theta, theta)
        return 0.25 * squares - theta[np.arange(len(y)), y]

    def _residual(self, Z: FloatArray, y: IntArray) -> FloatArray:
        R = Z.copy()
        R[np.arange(len(y)), y] -= 1.0
        return R


_BUILT_IN = (Softmax(), CrammerSinger(), OneOfK())
JOINT_LOSSES = Registry[JointLoss]("K-score loss", JointLoss, _BUILT_IN)  # type: ignore[type-abstract]


def register(loss: JointLoss) -> JointLoss:
    """Make a user's own K-score loss known by its name."""
    return JOINT_LOSSES.register(loss)


def get(name: str) -> JointLoss:
    """The K-score loss of that name."""
    return JOINT_LOSSES.get(name)


def resolve(loss: str | JointLoss) -> JointLoss:
    """A name or a loss object becomes a K-score loss."""
    return JOINT_LOSSES.resolve(loss)
