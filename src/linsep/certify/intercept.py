"""What it costs that multipliers do not quite balance.

With a free intercept and r = 1/S Σ sᵢRᵢ ≠ 0, R = yθ, Fenchel's inequality leaves a term −⟨r, b⟩ in the lower bound.
Every loss lies above its tangents: with slope g and offset o at some scores, ⟨g, z⟩ ≤ ℓ(z) + o. Averaged over the
rows of class c, which have the share s_c of the weight and the mean x̄_c, any point as good as P has

    ⟨g, Wᵀx̄_c + b⟩ ≤ P/s_c + o = depth_c.

Take f_c ≥ 0 with Σ f_c g_c = r. Then −⟨r, b⟩ ≥ −Σ f_c depth_c + ⟨Σ f_c x̄_c g_cᵀ, W⟩: the residual costs Σ f_c depth_c,
and v becomes v − Σ f_c x̄_c g_cᵀ. No norm of a row enters, so a column of any size does no harm.

That takes a pass over the data. `intercept_reach` does without: |r|·B, B ≥ |b*| by the norms of the class means, each
at most the root mean square of all rows' norms over that of the class's share.
"""

from __future__ import annotations

from math import inf, isfinite, sqrt

import numpy as np

from linsep.problem.joint_problem import JointProblem
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.problem import Problem
from linsep.types import FloatArray, IntArray

#: Classes up to which tangents of a K-score loss of the user's own are searched.
_FEW_CLASSES = 30
#: Of a sum of shares, for each class.
_ROUNDING = 64.0 * float(np.finfo(np.float64).eps)


def intercept_reach(problem: Problem, primal: float) -> float:
    """B ≥ |b*|, from P(w*, b*) ≤ P: the mean score of a class is b* within ‖x̄_k‖·‖w*‖, and ‖w*‖ ≤ √(2P/α)."""
    if problem.alpha == 0.0 or not isfinite(primal):
        return inf
    mean_norms = np.sqrt(problem.design.scan.squares * _largest_share(problem) / class_shares(problem))
    radius = sqrt(2.0 * max(primal, 0.0) / problem.alpha)
    return level_reach(problem, primal, mean_norms * radius)


def level_reach(problem: Problem, primal: float, moved: FloatArray) -> float:
    """B ≥ |b*|, where |⟨x̄_k, w*⟩| ≤ moved_k (times √2 for the lead of one class over another)."""
    shares = class_shares(problem)
    shift = float(np.abs(mean_offsets(problem)).max())
    if isinstance(problem, MarginProblem):
        return shift + float((np.maximum(_depths(problem, shares, primal), 0.0) + moved).max())
    if problem.loss.kernel is None:
        return inf
    # |b_j − b_k| ≤ P S/S_k + ‖x̄_k‖·√2‖W‖ for losses with ℓ ≥ z_j − z_y; squares: |mean z_k| ≤ 1 + √P.
    return 2.0 * shift + float((primal / shares + 1.0 + sqrt(max(primal, 0.0)) + sqrt(2.0) * moved).max())


def mean_offsets(problem: Problem) -> FloatArray:
    """The mean offset of every class's rows: (2,), or (K, K) for K scores, a row a class; 0 where there are none."""
    count = int(problem.shape[1]) if isinstance(problem, JointProblem) else 2
    if problem.offset is None:
        return np.zeros((count,) * len(problem.shape))
    shares = class_shares(problem)
    share, codes = np.broadcast_to(np.asarray(_share(problem)), problem.design.n), _codes(problem)
    sums = np.zeros((count, *problem.offset.shape[1:]))
    np.add.at(sums, codes, (problem.offset.T * share).T)
    return np.asarray((sums.T / shares).T)


def _share(problem: Problem) -> FloatArray | float:
    return problem.scale if problem.weights is None else problem.weights * problem.scale


def _largest_share(problem: Problem) -> float:
    return problem.scale * (1.0 if problem.weights is None else float(problem.weights.max()))


def settle(problem: Problem, r: FloatArray | float, primal: float) -> tuple[float, FloatArray]:
    """Σ f_c depth_c, and for every row f_c/s_c · g_c: what to take off R so that v changes as above."""
    shares = class_shares(problem)
    if isinstance(problem, MarginProblem):
        residual = float(r)
        c = 0 if residual > 0.0 else 1  # −r b is least where the other class holds b back
        charge = abs(residual) * max(float(_depths(problem, shares, primal)[c]), 0.0)
        return charge, np.where(problem.target > 0, c, 1 - c) * (residual / shares[c])
    assert isinstance(problem, JointProblem)
    r = np.asarray(r, dtype=np.float64)
    if problem.loss.name == "one_of_k":  # by Jensen |mean z_k| ≤ 1 + √P over all rows
        return float(np.abs(r).sum()) * (1.0 + sqrt(max(primal, 0.0))), np.broadcast_to(r, (problem.design.n, len(r)))
    charge, change = _by_lead(problem, r, primal) if problem.loss.kernel else _by_search(problem, r, primal)
    return charge, (change / shares[:, None])[problem.target]


def _depths(problem: MarginProblem, shares: FloatArray, primal: float) -> FloatArray:
    """How far the mean margin of the two classes can be below 0: (P/s_c − ℓ(0)) / |ℓ′(0)|."""
    at_zero = np.zeros(1)
    start, slope = float(problem.loss.value(at_zero)[0]), -float(problem.loss.d1(at_zero)[0])
    return (primal / shares - start) / slope if slope > 0.0 else np.full(2, inf)


def _by_lead(problem: JointProblem, r: FloatArray, primal: float) -> tuple[float, FloatArray]:
    """Softmax and Crammer–Singer, ℓ ≥ z_k − z_y: the classes with r < 0 make up for those with r > 0, Σ r being 0."""
    shares, r = class_shares(problem), r - r.mean()
    fall, rise = np.maximum(-r, 0.0), np.maximum(r, 0.0)
    change = np.outer(fall, rise / max(float(rise.sum()), np.finfo(np.float64).tiny)) - np.diag(fall)
    return float((primal * fall / shares).sum()), change


def _by_search(problem: JointProblem, r: FloatArray, primal: float) -> tuple[float, FloatArray]:
    """A loss of the user's own: of its tangents at 0 and at ± unit scores those that make up r."""
    from scipy.optimize import nnls  # slow to import, and seldom needed

    K, shares = len(r), class_shares(problem)
    if K > _FEW_CLASSES or not np.abs(r).any():
        return (inf if r.any() else 0.0), np.zeros((K, K))
    points = np.vstack([np.zeros(K), np.eye(K), -np.eye(K)])
    Z, classes = np.repeat(points, K, axis=0), np.tile(np.arange(K), len(points))
    slopes, offsets = problem.loss.gradient(Z, classes), problem.loss.fenchel(Z, classes)
    size = float(np.abs(r).max())
    f, left = nnls(slopes.T, r / size)
    change = np.zeros((K, K))
    np.add.at(change, classes, (size * f)[:, None] * slopes)
    if size * left > _ROUNDING * K:  # what no tangent holds back, but for the rounding of r itself
        return inf, change
    return size * float(f @ np.maximum(primal / shares[classes] + offsets, 0.0)), change


def class_shares(problem: Problem) -> FloatArray:
    """For every class its share of the weight (remembered)."""
    known: FloatArray | None = problem.__dict__.get("_class_shares")
    if known is None:
        count = int(problem.shape[1]) if isinstance(problem, JointProblem) else 2
        totals = np.bincount(_codes(problem), weights=problem.weights, minlength=count)
        known = np.asarray(np.maximum(totals * problem.scale, np.finfo(np.float64).tiny))
        object.__setattr__(problem, "_class_shares", known)
    return known


def _codes(problem: Problem) -> IntArray:
    """The class of every row; 1 is the positive one of a margin."""
    codes: IntArray = problem.target if isinstance(problem, JointProblem) else (problem.target > 0).astype(np.int64)
    return codes


def mean_limits(problem: Problem) -> FloatArray:
    """At least |x̄_k| for every column and class, without a pass: the root of a mean square."""
    return np.sqrt(np.outer(problem.design.column_squares, _largest_share(problem) / class_shares(problem)))


def class_means(problem: Problem) -> FloatArray:
    """|x̄_k| for every column and class, (d, K), K = 2 for one margin (a pass a class or one for all, remembered)."""
    known: FloatArray | None = problem.__dict__.get("_class_means")
    if known is None:
        shares = class_shares(problem)
        of_class = np.zeros((problem.design.n, len(shares)))
        of_class[np.arange(problem.design.n), _codes(problem)] = _share(problem)
        known = np.abs(_sums(problem, of_class, together=isinstance(problem, JointProblem))[:-1]) / shares
        object.__setattr__(problem, "_class_means", known)
    return known


def _sums(problem: Problem, of_class: FloatArray, *, together: bool) -> FloatArray:
    """[X 1]ᵀ of_class; all classes at once ask sparse rows for their transpose, which two are not worth."""
    if together or not problem.design.sparse:
        return problem.design.adjoint(of_class)
    return np.column_stack([problem.design.adjoint(np.ascontiguousarray(each)) for each in of_class.T])
