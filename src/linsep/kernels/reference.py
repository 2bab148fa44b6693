"""The plain NumPy twin of the passes: what each kernel computes, in a few lines; the tests hold them to it.

Arguments are those of bind_passes.cpp in their order, with a dense float64 (n, d) array X in place of the
matrix, and without `threads` and `single`, which change no meaning. Results go into the arrays given for
them, None where one is not wanted; a loss returns its sum.

[X 1] is X with a column of ones: weights carry the intercept as their last row, w (d + 1,), W (d + 1, K).
The weight of row i is sᵢ·scale, or scale where s is None; a row of weight 0 counts nothing, even if infinite.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from linsep.types import BoolArray, FloatArray, IntArray

Elementwise: TypeAlias = Callable[[Any], Any]
Pairwise: TypeAlias = Callable[[Any, Any], Any]


class Loss(NamedTuple):
    """A loss on a margin M; conjugate(θ) = ℓ*(−θ) for θ = −ℓ′ in its domain."""

    value: Elementwise
    d1: Elementwise
    d2: Elementwise
    conjugate: Elementwise | None = None
    domain: tuple[float, float] = (-inf, inf)


class JointLoss(NamedTuple):
    """A loss on K scores Z with labels y; the derivatives are functions of its `state`; the conjugate is of −θ, inside
    its domain: everything, or e_y − θ in the simplex."""

    value: Pairwise
    state: Elementwise
    gradient: Pairwise
    conjugate: Pairwise
    curve: Pairwise | None = None
    simplex: bool = True


def _exp(x: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):
        return np.exp(x)


def _sigmoid(x: FloatArray) -> FloatArray:
    return 1 / (1 + _exp(-x))


def _x_log_x(x: FloatArray) -> FloatArray:
    return x * np.log(np.where(x > 0, x, 1))


def _slack(M: FloatArray) -> FloatArray:
    return np.maximum(1 - M, 0)


def _inner(M: FloatArray) -> Any:
    return (M >= 0) & (M < 1)


LOSSES = {
    "log": Loss(
        lambda M: np.logaddexp(0, -M),
        lambda M: -_sigmoid(-M),
        lambda M: _sigmoid(M) * _sigmoid(-M),
        lambda t: _x_log_x(t) + (1 - t) * np.log1p(-np.where(t < 1, t, 0)),
        (0, 1),
    ),
    "hinge": Loss(_slack, lambda M: -1.0 * (M < 1), lambda M: 0.0 * (M < 1), lambda t: -t, (0, 1)),
    "squared_hinge": Loss(
        lambda M: _slack(M) ** 2,
        lambda M: -2 * _slack(M),
        lambda M: 2.0 * (M < 1),
        lambda t: t * (t / 4 - 1),
        (0, inf),
    ),
    "smoothed_hinge": Loss(
        lambda M: np.where(M < 0, 0.5 - M, _slack(M) ** 2 / 2),
        lambda M: -np.minimum(_slack(M), 1),
        lambda M: 1.0 * _inner(M),
        lambda t: t * (t / 2 - 1),
        (0, 1),
    ),
    "squared": Loss(
        lambda M: (1 - M) ** 2, lambda M: 2 * (M - 1), lambda M: np.full_like(M, 2), lambda t: t * (t / 4 - 1)
    ),
    "exponential": Loss(
        lambda M: _exp(-M), lambda M: -_exp(-M), lambda M: _exp(-M), lambda t: _x_log_x(t) - t, (0, inf)
    ),
    "sigmoid": Loss(
        lambda M: 2 * _sigmoid(-M),
        lambda M: -2 * _sigmoid(M) * _sigmoid(-M),
        lambda M: 2 * _sigmoid(M) * _sigmoid(-M) * (_sigmoid(M) - _sigmoid(-M)),
    ),
}


def _one_hot(y: IntArray, K: int) -> Any:
    return y[:, None] == np.arange(K)


def _log_sum_exp(Z: FloatArray) -> Any:
    return np.logaddexp.reduce(Z, axis=1)


def _softmax(Z: FloatArray) -> Any:
    return np.exp(Z - _log_sum_exp(Z)[:, None])


def _own(Z: FloatArray, y: IntArray) -> Any:
    return np.take_along_axis(Z, y[:, None], axis=1)


def _violations(Z: FloatArray, y: IntArray) -> Any:
    return Z - _own(Z, y) + ~_one_hot(y, Z.shape[1])


def _worst_less_own(Z: FloatArray, y: IntArray) -> Any:
    V, K = _violations(Z, y), Z.shape[1]
    return (V.max(axis=1, keepdims=True) > 0) * (1.0 * _one_hot(V.argmax(axis=1), K) - _one_hot(y, K))


JOINT_LOSSES = {
    "softmax": JointLoss(
        lambda Z, y: _log_sum_exp(Z - _own(Z, y)),
        _softmax,
        lambda P, y: P - _one_hot(y, P.shape[1]),
        lambda T, y: _x_log_x(_one_hot(y, T.shape[1]) - T).sum(axis=1),
        lambda P, U: P * (U - (P * U).sum(axis=1, keepdims=True)),
    ),
    "one_of_k": JointLoss(
        lambda Z, y: ((Z - _one_hot(y, Z.shape[1])) ** 2).sum(axis=1),
        lambda Z: Z,
        lambda Z, y: 2 * (Z - _one_hot(y, Z.shape[1])),
        lambda T, y: (T**2).sum(axis=1) / 4 - _own(T, y)[:, 0],
        lambda _, U: 2 * U,
        simplex=False,
    ),
    "crammer_singer": JointLoss(
        lambda Z, y: _violations(Z, y).max(axis=1), lambda Z: Z, _worst_less_own, lambda T, y: -_own(T, y)[:, 0]
    ),
}


def _weigh(s: FloatArray | None, scale: float, values: FloatArray) -> FloatArray:
    """sᵢ·values row by row, 0 where sᵢ = 0."""
    weights = np.full(len(values), scale) if s is None else s * scale
    weights = weights.reshape(-1, *[1] * (values.ndim - 1))
    return np.multiply(weights, values, out=np.zeros_like(values), where=weights > 0)


def _put(out: FloatArray | None, values: FloatArray) -> None:
    if out is not None:
        out[...] = values.reshape(out.shape)


def _with_ones(X: FloatArray) -> FloatArray:
    return np.column_stack([X, np.ones(len(X))])


def scores(X: FloatArray, w: FloatArray, k: int, out: FloatArray) -> None:
    """X W + 1 bᵀ."""
    _put(out, _with_ones(X) @ w.reshape(-1, k))


def sides(X: FloatArray, w: FloatArray, out: BoolArray) -> bool:
    """Whether X w + b > 0 for every row; and whether all of these are finite."""
    z = np.empty(len(X))
    scores(X, w, 1, z)
    out[...] = z > 0
    return bool(np.isfinite(z).all())


def adjoint(X: FloatArray, r: FloatArray, k: int, out: FloatArray) -> None:
    """[X 1]ᵀ R."""
    _put(out, _with_ones(X).T @ r.reshape(-1, k))


def loss_values(
    loss: str, f: FloatArray, y: FloatArray, s: FloatArray | None, scale: float,
    g: FloatArray | None, h: FloatArray | None,
) -> float:  # fmt: skip
    """Σ s ℓ(M), M = y f;  g = s y ℓ′(M),  h = s ℓ″(M)."""
    M, formula = y * f, LOSSES[loss]
    _put(g, _weigh(s, scale, y * formula.d1(M)))
    _put(h, _weigh(s, scale, formula.d2(M)))
    return float(_weigh(s, scale, formula.value(M)).sum())


def loss_pass(
    X: FloatArray, loss: str, y: FloatArray, s: FloatArray | None, scale: float, w: FloatArray,
    f: FloatArray, g: FloatArray | None, h: FloatArray | None, grad: FloatArray,
) -> float:  # fmt: skip
    """f = X w + b, then `loss_values`, and grad = [X 1]ᵀ g."""
    slopes = np.empty(len(X))
    scores(X, w, 1, f)
    value = loss_values(loss, f, y, s, scale, slopes, h)
    _put(g, slopes)
    adjoint(X, slopes, 1, grad)
    return value


def loss_search(
    loss: str, f: FloatArray, u: FloatArray, t: float, y: FloatArray, s: FloatArray | None, scale: float
) -> tuple[float, float]:
    """φ(t) = Σ s ℓ(y (f + t u)) and φ′(t)."""
    slopes = np.empty_like(f)
    value = loss_values(loss, f + t * u, y, s, scale, slopes, None)
    return value, float((slopes * u).sum())


def loss_linearised(loss: str, f: FloatArray, u: FloatArray, y: FloatArray, theta: FloatArray) -> None:
    """θ = −ℓ′(M) − ℓ″(M)·y u, clipped to the domain of the conjugate."""
    M, formula = y * f, LOSSES[loss]
    _put(theta, np.clip(-formula.d1(M) - formula.d2(M) * y * u, *formula.domain))


def loss_conjugate(
    loss: str, theta: FloatArray, y: FloatArray, s: FloatArray | None, scale: float,
    shrink: tuple[float, float], r: FloatArray,
) -> tuple[float, float]:  # fmt: skip
    """θ ← θ·shrink[y < 0], r = s y θ; Σ s ℓ*(−θ) and Σ s |ℓ*(−θ)|."""
    theta *= np.where(y > 0, *shrink)
    conjugate = LOSSES[loss].conjugate
    if conjugate is None:
        raise ValueError(f"{loss} is not convex: it has no conjugate")
    values = _weigh(s, scale, conjugate(theta))
    _put(r, _weigh(s, scale, y * theta))
    return float(values.sum()), float(np.abs(values).sum())


def joint_values(
    loss: str, z: FloatArray, y: IntArray, s: FloatArray | None, scale: float, k: int, r: FloatArray | None
) -> float:
    """Σ s ℓ(Z);  r = s ∇ℓ(Z);  z is overwritten by the state."""
    Z, formula = z.reshape(-1, k).copy(), JOINT_LOSSES[loss]
    _put(z, formula.state(Z))
    _put(r, _weigh(s, scale, formula.gradient(formula.state(Z), y)))
    return float(_weigh(s, scale, formula.value(Z, y)).sum())


def joint_linearised(
    loss: str, state: FloatArray, u: FloatArray, b: FloatArray | None, y: IntArray, k: int, theta: FloatArray
) -> None:
    """θ = −∇ℓ − ∇²ℓ·(U + 1 bᵀ) at the state."""
    formula = JOINT_LOSSES[loss]
    if formula.curve is None:
        raise ValueError(f"{loss} has no second derivative")
    V = u if b is None else u + b
    _put(theta, -formula.gradient(state, y) - formula.curve(state, V))


def joint_domain(loss: str, theta: FloatArray, y: IntArray, k: int) -> None:
    """θ brought into the domain of ℓ*: q = e_y − θ is at least 0 beside y, and sums to 1."""
    if JOINT_LOSSES[loss].simplex:
        q = np.where(_one_hot(y, k), 0.0, np.maximum(-theta, 0.0))
        q /= np.maximum(q.sum(axis=1, keepdims=True), 1.0)
        _put(theta, np.where(_one_hot(y, k), q.sum(axis=1, keepdims=True), -q))


def class_tilt(q: FloatArray, factors: FloatArray, y: IntArray, s: FloatArray | None, k: int, out: FloatArray) -> None:
    """q ← q·factors, scaled to sum 1 in every row; out: Σ s (e_y − q) and Σ s q(1 − q)."""
    tilted = q * factors
    _put(q, tilted / tilted.sum(axis=1, keepdims=True))
    _put(out, np.array([_weigh(s, 1.0, _one_hot(y, k) - q).sum(axis=0), _weigh(s, 1.0, q * (1 - q)).sum(axis=0)]))


def joint_conjugate(
    loss: str, theta: FloatArray, y: IntArray, s: FloatArray | None, scale: float, k: int, r: FloatArray
) -> tuple[float, float]:
    """r = s θ; Σ s ℓ*(−θ) and Σ s |ℓ*(−θ)|, +inf outside of the domain."""
    formula = JOINT_LOSSES[loss]
    q = _one_hot(y, k) - theta
    inside = (q >= 0).all(axis=1) & (np.abs(q.sum(axis=1) - 1) <= 1e-12) | (not formula.simplex)
    with np.errstate(invalid="ignore"):
        values = np.where(inside, formula.conjugate(theta, y), inf)
    if s is not None:
        values = np.where(s > 0, values, 0.0)
    values = _weigh(s, scale, values)
    _put(r, _weigh(s, scale, theta))
    return float(values.sum()), float(np.abs(values).sum())


def class_sums(X: FloatArray, y: IntArray, s: FloatArray | None, scale: float, k: int, out: FloatArray) -> None:
    """Column c: Σ over the rows of class c of s [x; 1]."""
    adjoint(X, _weigh(s, scale, 1.0 * _one_hot(y, k)), k, out)


def joint_search(
    loss: str, f: FloatArray, u: FloatArray, t: float, y: IntArray, s: FloatArray | None, scale: float, k: int
) -> tuple[float, float]:
    """φ(t) = Σ s ℓ(F + t U) and φ′(t)."""
    slopes = np.empty_like(f)
    value = joint_values(loss, f + t * u, y, s, scale, k, slopes)
    return value, float((slopes * u).sum())


def joint_pass(
    X: FloatArray, loss: str, y: IntArray, s: FloatArray | None, scale: float, w: FloatArray, k: int,
    f: FloatArray | None, state: FloatArray | None, grad: FloatArray,
) -> float:  # fmt: skip
    """F = X W + 1 bᵀ, then `joint_values`, and grad = [X 1]ᵀ R."""
    Z, R = np.empty((len(X), k)), np.empty((len(X), k))
    scores(X, w, k, Z)
    _put(f, Z)
    value = joint_values(loss, Z, y, s, scale, k, R)
    _put(state, Z)
    adjoint(X, R, k, grad)
    return value


def fold_pass(
    X: FloatArray, loss: str, y: FloatArray, s: FloatArray | None, fold: IntArray, share: FloatArray, w: FloatArray,
    every: FloatArray | None, mean: FloatArray, left: FloatArray, grad: FloatArray,
) -> float:  # fmt: skip
    """Problem c has all rows but those of fold c, with weights s·shareᶜ; at column c of W its loss, and its gradient in
    column c of grad. Of every row all its scores, their mean, and that of the problem that leaves it out."""
    F, R = np.empty((len(X), len(share))), np.empty((len(X), len(share)))
    scores(X, w, len(share), F)
    total = 0.0
    for c, scale in enumerate(share):
        kept = (np.ones(len(X)) if s is None else s) * (fold != c)
        slopes = np.empty(len(X))
        total += loss_values(loss, F[:, c], y, kept, scale, slopes, None)
        R[:, c] = slopes
    _put(every, F)
    _put(mean, F.mean(axis=1))
    _put(left, F[np.arange(len(X)), fold])
    adjoint(X, R, len(share), grad)
    return total


def joint_hessian(
    X: FloatArray, loss: str, y: IntArray, s: FloatArray | None, scale: float, state: FloatArray,
    v: FloatArray, k: int, u: FloatArray | None, out: FloatArray,
) -> None:  # fmt: skip
    """U = [X 1] V;  out = [X 1]ᵀ s∇²ℓ U."""
    U, curve = np.empty((len(X), k)), JOINT_LOSSES[loss].curve
    if curve is None:
        raise ValueError(f"{loss} has no second derivative")
    scores(X, v, k, U)
    _put(u, U)
    adjoint(X, _weigh(s, scale, curve(state.reshape(-1, k), U)), k, out)


def hessian(X: FloatArray, h: FloatArray, v: FloatArray, u: FloatArray | None, out: FloatArray) -> None:
    """u = [X 1] v;  out = [X 1]ᵀ diag(h) u."""
    U = np.empty(len(X))
    scores(X, v, 1, U)
    _put(u, U)
    adjoint(X, h * U, 1, out)


def row_norms(X: FloatArray, q: FloatArray | None, out: FloatArray) -> None:
    """Σⱼ qⱼ xᵢⱼ², q = 1 where None."""
    _put(out, X**2 @ (np.ones(X.shape[1]) if q is None else q))


def gram(X: FloatArray, c: FloatArray, fold: IntArray | None, count: int, out: FloatArray) -> None:
    """[X 1]ᵀ diag(c) [X 1] over the rows of each fold, c ≥ 0; the kernel promises the upper triangles only."""
    A, folds = _with_ones(X), np.zeros(len(X), dtype=np.int64) if fold is None else fold
    _put(out, np.stack([A.T @ ((c * (folds == f))[:, None] * A) for f in range(count)]))


def _keys(count: int, salt: int) -> Any:
    z = np.arange(count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(salt)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def scan(X: FloatArray, salt: int, column_squares: FloatArray | None) -> tuple[int, bool, float]:
    """Σ over xᵢⱼ ≠ 0 of (lo xᵢⱼ + lo kᵢⱼ mod 2³²)·(hi xᵢⱼ + hi kᵢⱼ mod 2³²) mod 2⁶⁴, lo and hi the halves of
    64 bits, kᵢⱼ = rᵢ xor cⱼ the keys of row and column; whether all are finite; Σ xᵢⱼ²; the columns' Σᵢ xᵢⱼ²."""
    n, d = X.shape
    keys = _keys(n, salt)[:, None] ^ _keys(d, salt ^ 0xFFFFFFFF)
    bits = np.ascontiguousarray(X).view(np.uint64)
    low = bits.astype(np.uint32) + keys.astype(np.uint32)
    high = (bits >> np.uint64(32)).astype(np.uint32) + (keys >> np.uint64(32)).astype(np.uint32)
    terms = low.astype(np.uint64) * high.astype(np.uint64)
    _put(column_squares, (X**2).sum(axis=0))
    return int(terms[X != 0].sum()), bool(np.isfinite(X).all()), float((X**2).sum())
