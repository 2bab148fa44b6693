"""Problems whose optimum is known, and the objective once more in plain NumPy at extended precision.

A constructed optimum: choose margins M, multipliers θ ∈ −∂ℓ(M), a direction u, and then the rows,

    xᵢ = (yᵢMᵢ − b)/‖w‖ · u + xᵢ⊥,    Σ sᵢθᵢyᵢ xᵢ⊥ = 0,    ‖w‖² = mean of θM / α,

in pairs of rows with the same M, θ and s on either side, so that Σ sᵢθᵢyᵢ = 0. Then αw = v at w = ‖w‖u: (w, b)
is optimal, exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

from linsep.data import as_design
from linsep.problem import joint, losses
from linsep.problem.joint_problem import JointProblem
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import L2
from linsep.problem.problem import Problem

Array = np.ndarray[Any, Any]
Long = np.longdouble

ALPHAS = [1e-6, 1e-2, 1.0]
CONVEX = [loss.name for loss in losses.MARGIN_LOSSES if loss.convex and loss.refusal is None]
JOINT = [loss.name for loss in joint.JOINT_LOSSES]

STORAGE: dict[str, Callable[[Array], Any]] = {
    "dense": np.ascontiguousarray,
    "csr": sparse.csr_array,
    "float32": lambda X: X.astype(np.float32),
}

#: ℓ(M), in whatever precision M has.
VALUES: dict[str, Callable[[Array], Array]] = {
    "log": lambda M: np.logaddexp(0 * M, -M),
    "hinge": lambda M: np.maximum(1 - M, 0),
    "squared_hinge": lambda M: np.maximum(1 - M, 0) ** 2,
    "smoothed_hinge": lambda M: np.where(M < 0, 0.5 - M, np.maximum(1 - M, 0) ** 2 / 2),
    "squared": lambda M: (1 - M) ** 2,
    "exponential": lambda M: np.exp(-M),
}

#: −ℓ′(M); the hinge has its kink at exactly 1.
SLOPES: dict[str, Callable[[Array], Array]] = {
    "log": lambda M: 1 / (1 + np.exp(M)),
    "squared_hinge": lambda M: 2 * np.maximum(1 - M, 0),
    "smoothed_hinge": lambda M: np.clip(1 - M, 0, 1),
    "squared": lambda M: 2 * (1 - M),
    "exponential": lambda M: np.exp(-M),
}

#: ℓ″(M).
CURVES: dict[str, Callable[[Array], Array]] = {
    "log": lambda M: 1 / ((1 + np.exp(M)) * (1 + np.exp(-M))),
    "squared_hinge": lambda M: 2.0 * (M < 1),
    "smoothed_hinge": lambda M: 1.0 * ((M >= 0) & (M < 1)),
    "squared": lambda M: 2.0 + 0 * M,
    "exponential": lambda M: np.exp(-M),
}

#: Where the margins of a constructed problem lie: θM must be positive on average.
MARGINS = {
    "log": (-0.5, 2.0),
    "hinge": (-0.3, 1.5),
    "squared_hinge": (-0.1, 1.3),
    "smoothed_hinge": (-0.2, 1.3),
    "squared": (0.0, 1.0),
    "exponential": (-0.5, 2.0),
}


class Case(NamedTuple):
    """Data with a known optimum w (the intercept last) and its multipliers."""

    X: Array
    y: Array
    s: Array | None
    alpha: float
    intercept: bool
    w: Array
    theta: Array


def constructed(loss: str, alpha: float, intercept: bool, weighted: bool, seed: int = 0) -> Case:
    """A problem of 2·24 rows and 5 columns with its optimum."""
    rng = np.random.default_rng(seed)
    half, d = 24, 5
    M = rng.uniform(*MARGINS[loss], half)
    if loss == "hinge":
        M[:6] = 1.0
        theta = np.where(M < 1.0, 1.0, 0.0)
        theta[:6] = rng.uniform(0.0, 1.0, 6)
    else:
        theta = SLOPES[loss](M)
    s = rng.integers(1, 5, half) * 0.5 if weighted else np.ones(half)
    M, theta, s = np.r_[M, M], np.r_[theta, theta], np.r_[s, s]
    y = np.r_[np.ones(half), -np.ones(half)]
    lead = float((s * theta * M).sum() / s.sum())
    assert lead > 0.0
    u = rng.normal(size=d)
    u /= np.linalg.norm(u)
    size, b = np.sqrt(lead / alpha), 0.3 if intercept else 0.0
    across = rng.normal(size=(2 * half, d))
    a = s * theta * y
    for _ in range(2):  # the second time for what rounding left
        across -= np.outer(across @ u, u)
        across -= np.outer(a, a @ across) / (a @ a)
    X = np.outer((y * M - b) / size, u) + across
    order = rng.permutation(2 * half)
    return Case(X[order], y[order], s[order] if weighted else None, alpha, intercept, np.r_[size * u, b], theta[order])


def margin_problem(loss: str, case: Case, storage: str = "dense") -> MarginProblem:
    X = STORAGE[storage](case.X)
    return MarginProblem(as_design(X, 1), case.y, case.s, L2(case.alpha), case.intercept, loss=losses.get(loss))


def parallel(apart: float, seed: int) -> Case:
    """Two columns of 1e8 that differ by so much of that, and a penalty of 1e-3; the optimum is not known beforehand."""
    rng = np.random.default_rng(seed)
    y = np.r_[np.ones(6), -np.ones(6)]
    first = 1e8 * (y + rng.normal(size=12))
    X = np.column_stack([first, first * (1.0 + apart * rng.normal(size=12))])
    return Case(X, y, None, 1e-3, False, np.zeros(3), np.zeros(0))


class JointCase(NamedTuple):
    """K classes; the optimum is not known beforehand."""

    X: Array
    y: Array
    s: Array | None
    alpha: float
    intercept: bool
    K: int


def joint_case(alpha: float, intercept: bool, weighted: bool, n: int = 45, seed: int = 0) -> JointCase:
    rng = np.random.default_rng(seed)
    K, d = 3, 3
    y = np.r_[np.arange(K), rng.integers(0, K, n - K)]
    X = rng.normal(size=(n, d)) + rng.normal(size=(K, d))[y]
    s = rng.integers(1, 5, n) * 0.5 if weighted else None
    return JointCase(X, y, s, alpha, intercept, K)


def joint_problem(loss: str, case: JointCase, storage: str = "dense") -> JointProblem:
    design = as_design(STORAGE[storage](case.X), 1)
    return JointProblem(design, case.y, case.s, L2(case.alpha), case.intercept, loss=joint.get(loss), n_classes=case.K)


def exact(X: Any, w: Array) -> Array:
    """[X 1] w in extended precision."""
    dense = X.toarray() if sparse.issparse(X) else X
    return np.asarray(dense.astype(Long) @ w[:-1].astype(Long) + w[-1].astype(Long))


def objective(loss: str, X: Any, case: Case | JointCase, w: Array) -> Any:
    """P at w in extended precision, for the rows as they are stored."""
    Z = exact(X, w)
    values = joint_value(loss, Z, case.y) if loss in JOINT else VALUES[loss](case.y * Z)
    s = (np.ones(len(Z)) if case.s is None else case.s).astype(Long)
    return (s * values).sum() / s.sum() + Long(case.alpha) / 2 * (w[:-1].astype(Long) ** 2).sum()


def joint_value(loss: str, Z: Array, y: Array) -> Array:
    rows, hot = np.arange(len(y)), y[:, None] == np.arange(Z.shape[1])
    own = Z[rows, y][:, None]
    if loss == "softmax":
        return np.asarray(np.log1p(np.where(hot, 0, np.exp(Z - own)).sum(axis=1)))
    if loss == "crammer_singer":
        return np.asarray((Z - own + ~hot).max(axis=1))
    return np.asarray(((Z - hot) ** 2).sum(axis=1))


def polish(loss: str, X: Any, case: Case, w: Array) -> Array:
    """Newton's method in plain NumPy, for the optimum of a smooth loss near w."""
    A = np.column_stack([X.toarray() if sparse.issparse(X) else X, np.ones(len(case.y))]).astype(np.float64)
    s = np.ones(len(A)) if case.s is None else case.s
    s, penalty = s / s.sum(), np.r_[np.full(len(w) - 1, case.alpha), 0.0]
    free = np.arange(len(w) if case.intercept else len(w) - 1)
    best = objective(loss, X, case, w)
    for _ in range(50):
        M = case.y * (A @ w)
        g = penalty * w - A.T @ (s * case.y * SLOPES[loss](M))
        H = np.diag(penalty) + (A.T * (s * CURVES[loss](M))) @ A
        step = np.zeros_like(w)
        step[free] = np.linalg.lstsq(H[np.ix_(free, free)], -g[free], rcond=1e-15)[0]
        t = 1.0
        while t > 1e-3 and not objective(loss, X, case, w + t * step) < best:
            t /= 2
        if t <= 1e-3:
            break
        w = w + t * step
        best = objective(loss, X, case, w)
    return w


def check_certificate(certificate: Any, reached: Any, reference: Any) -> None:
    """`reached` is P at the returned point, `reference` P at the best point known, both exact.

    A true bound lies below every value of P, and the gap is no smaller than what is left to the best of them.
    """
    slack = 0.0 if np.finfo(Long).eps < 1e-18 else 1e-15 * abs(float(reference))
    assert Long(certificate.bound) <= reference + slack
    assert reached - reference <= Long(certificate.gap) + slack


def problem_of(loss: str, case: Any, storage: str = "dense") -> Problem:
    return joint_problem(loss, case, storage) if loss in JOINT else margin_problem(loss, case, storage)


@st.composite
def poor_points(draw: st.DrawFn) -> tuple[str, Any, int]:
    """A loss, a small problem of any kind, and a seed for points that are nowhere near its optimum."""
    loss = draw(st.sampled_from([*CONVEX, *JOINT]))
    alpha = draw(st.sampled_from([1e-4, 1e-2, 1.0, 100.0]))
    intercept, weighted = draw(st.booleans()), draw(st.booleans())
    seed = draw(st.integers(0, 2**31))
    if loss in JOINT:
        return loss, joint_case(alpha, intercept, weighted, n=12, seed=seed), seed
    rng = np.random.default_rng(seed)
    n, d = draw(st.integers(2, 12)), draw(st.integers(1, 4))
    y = np.r_[1.0, -1.0, rng.choice([-1.0, 1.0], n - 2)]
    X = rng.normal(size=(n, d)) * draw(st.sampled_from([0.1, 1.0, 10.0])) + draw(st.sampled_from([0.0, 3.0]))
    s = rng.integers(0, 4, n) + 0.25 if weighted else None
    return loss, Case(X, y, s, alpha, intercept, np.zeros(d + 1), np.zeros(0)), seed
