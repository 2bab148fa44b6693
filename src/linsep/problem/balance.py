"""Multipliers of K scores that balance a free intercept: Σ sᵢθᵢ = 0 in every class.

θ = e_y − q with a distribution q in every row, and a change δ of the intercepts makes q ∝ q·e^δ. Newton's method on

    Σ sᵢ qᵢ = Σ sᵢ e_yᵢ,     whose derivative is  diag(Σ s q) − Σ s q qᵀ,

each step by conjugate gradients with the diagonal; a product is one pass over q. A multiplier that is 0 stays 0.
"""

from __future__ import annotations

import numpy as np

from linsep.data import Design, as_design
from linsep.kernels import native
from linsep.types import FloatArray, IntArray

#: Newton steps at most; of the sums, what is rounding.
_MOST, _ROUNDING = 20, 32.0 * float(np.finfo(np.float64).eps)


def balanced(theta: FloatArray, target: IntArray, share: FloatArray, threads: int) -> tuple[FloatArray, FloatArray]:
    """The multipliers, in place of those given, and δ; `share` is what a row counts, 1 in all."""
    k = theta.shape[1]
    q = np.negative(theta, out=theta)
    q[np.arange(len(q)), target] += 1.0
    rows, sums, change = as_design(q, threads), np.empty((2, k)), np.zeros(k)
    wanted = np.bincount(target, weights=share, minlength=k)

    def tilt(delta: FloatArray) -> float:
        native.class_tilt(q, np.exp(delta), target, share, k, sums, threads)
        return float(np.abs(sums[0]).max())

    left = tilt(change)
    for _ in range(_MOST):
        worst = left
        if worst <= _ROUNDING:
            break
        delta = newton_step(rows, share, wanted - sums[0], *sums)
        left = tilt(delta)
        if left < worst:
            change += delta
        else:  # rounding is all there was
            tilt(-delta)
        if left > 0.9 * worst:
            break
    theta = np.negative(q, out=q)
    native.joint_domain("softmax", theta, target, k, threads)  # the row's own class has what the others sum to
    return theta, change


def newton_step(
    rows: Design, share: FloatArray, first: FloatArray, missing: FloatArray, curves: FloatArray
) -> FloatArray:
    """δ with (diag Σ s q − Σ s q qᵀ) δ ≈ missing, from Σ s q and Σ s q(1 − q); a class that is certain in every row has
    no curvature and stays."""
    inverse = np.divide(1.0, curves, out=np.zeros_like(curves), where=curves > np.finfo(np.float64).eps * first)
    delta, r = np.zeros_like(missing), missing.copy()
    p = z = inverse * r
    start = rz = float(r @ z)
    v, products = np.zeros(len(p) + 1), np.empty(len(p) + 1)
    for _ in range(30):
        v[:-1] = p
        native.hessian(rows.matrix, share, v, None, products, rows.threads)
        Hp = first * p - products[:-1]
        curvature = float(p @ Hp)
        if not curvature > 0.0:  # rounding: a common shift of all classes has none
            break
        delta += (rz / curvature) * p
        r -= (rz / curvature) * Hp
        z = inverse * r
        rz, before = float(r @ z), rz
        if rz <= 1e-8 * start:
            break
        p = z + (rz / before) * p
    return np.clip(delta, -5.0, 5.0)
