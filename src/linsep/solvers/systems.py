"""H = 2/S · [X 1]ᵀ diag(s) [X 1] + αI made solvable, however X is scaled and whatever its rank.

| H, its diagonal scaled to 1                  | way                                                        |
|----------------------------------------------|------------------------------------------------------------|
| condition up to 10⁻³/ε                       | Cholesky                                                   |
| worse, and the rows fit into memory once more | singular values of the rows: the square root of H's condition |
| worse, and they do not                       | eigenvalues of H                                           |

The last two leave out directions in which the rows do not differ, to rounding. Eigenvalues of H below ε may hide
singular values up to √ε: a product of the rows with those directions tells, and where it finds any, the system
is incomplete.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from linsep.problem.linear_algebra import Factor
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.problem import Problem
from linsep.solvers.centring import MOST_ENTRIES, dense
from linsep.types import FloatArray

_EPS = float(np.finfo(np.float64).eps)

#: n·d·min(n, d) up to which the rows' singular values are affordable.
_MOST_WORK = 1 << 33
#: Root mean square of the scores, for columns of length 1, up to which a direction counts as rounding.
_NOTHING = 1e-13


@dataclass(frozen=True, eq=False)
class System:
    """H⁻¹, or H⁺ where H is singular.

    complete   directions left out change no score, so ½ gᵀH⁺g is all that can be gained from gradient g
    solution   the minimiser itself, where the rows gave it
    null       the directions left out, one a column, the intercept's entry last
    """

    factor: Factor
    complete: bool = True
    solution: FloatArray | None = None
    null: FloatArray | None = None

    def shortest(self, w: FloatArray) -> FloatArray:
        """Of all weights with the same scores those with the least ‖w‖."""
        if self.null is None or self.null.shape[1] == 0:
            return w
        return w - self.null @ np.linalg.lstsq(self.null[:-1], w[:-1], rcond=None)[0]


def normal_system(problem: Problem) -> System:
    H = _normal_matrix(problem)
    roots = np.sqrt(np.maximum(H.diagonal(), 0.0))
    roots[roots == 0.0] = 1.0
    H /= roots
    H /= roots[:, None]
    lower, info = lapack.dpotrf(H.T, lower=1, clean=0)
    if info == 0 and _condition(H, lower) > 1e3 * _EPS:
        np.multiply(lower, roots[:, None], out=lower)
        return System(Factor(lower))
    n, d = problem.design.n, problem.design.d
    if n * d <= MOST_ENTRIES and n * d * min(n, d) <= _MOST_WORK:
        return _from_rows(problem)
    return _from_matrix(problem, H, roots)


def _normal_matrix(problem: Problem) -> FloatArray:
    curve = np.full(problem.design.n, 2.0 * problem.scale)
    if problem.weights is not None:
        curve *= problem.weights
    H = problem.design.gram(curve)
    H.ravel()[:: len(H) + 1][:-1] += problem.alpha
    if not problem.intercept:
        H[:, -1] = 0.0
        H[-1, -1] = 1.0
    return H


def _condition(H: FloatArray, lower: FloatArray) -> float:
    """An estimate of 1/(‖H‖₁‖H⁻¹‖₁); only the upper triangle of H is read."""
    size = np.abs(np.triu(H))
    norm = float((size.sum(axis=0) + size.sum(axis=1) - size.diagonal()).max())
    inverse, _ = lapack.dpocon(lower, norm, uplo="L")
    return float(inverse)


def _from_matrix(problem: Problem, H: FloatArray, roots: FloatArray) -> System:
    """By the eigenvalues of the scaled H."""
    full = np.triu(H) + np.triu(H, 1).T
    values, vectors = np.linalg.eigh(full)
    vectors /= roots[:, None]
    kept = values > 8.0 * _EPS * len(H) * values[-1]
    null = np.ascontiguousarray(vectors[:, ~kept])
    moved = problem.design.scores(null) if null.shape[1] else np.zeros((1, 1))
    unseen = float(np.einsum("ij,ij->j", moved, moved).max()) / problem.design.n <= _NOTHING**2
    return System(Factor(None, vectors[:, kept] / np.sqrt(values[kept])), unseen, null=null)


def _from_rows(problem: Problem) -> System:
    """By the singular values of the rows, weighted, off their weighted means and with columns of length 1."""
    share = np.full(problem.design.n, problem.scale) if problem.weights is None else problem.weights * problem.scale
    X, T, d = dense(problem.design), _targets(problem), problem.design.d
    means, levels = np.zeros(d), np.zeros(T.shape[1])
    if problem.intercept:
        means, levels = share @ X, share @ T
        X -= means
        rest = share @ X  # the means' own rounding
        X -= rest
        means += rest
        T -= levels
    weight = np.sqrt(2.0 * share)[:, None]
    X *= weight
    T *= weight
    lengths = np.sqrt(np.einsum("ij,ij->j", X, X) + problem.alpha)
    lengths[lengths == 0.0] = 1.0
    X /= lengths
    if problem.alpha > 0.0:
        X = np.vstack([X, np.diag(np.sqrt(problem.alpha) / lengths)])
        T = np.vstack([T, np.zeros((d, T.shape[1]))])
    U, sigma, Vt = linalg.svd(X, full_matrices=problem.alpha == 0.0 and len(X) < d, check_finite=False)
    rank = int(np.count_nonzero(sigma > _NOTHING * sigma[0]))
    scaled = (Vt / lengths).T  # columns: directions of the weights
    W = scaled[:, :rank] @ ((U[:, :rank].T @ T) / sigma[:rank, None])
    solution = np.vstack([W, levels - means @ W])
    if isinstance(problem, MarginProblem):
        solution = solution[:, 0]
    bottom = np.zeros((1, 1)) if not problem.intercept else np.full((1, 1), np.sqrt(0.5))
    inverse = scaled[:, :rank] / sigma[:rank]
    inverse = np.block([[inverse, np.zeros((d, 1))], [-(means @ inverse)[None], bottom]])
    null = scaled[:, rank:]
    return System(Factor(None, inverse), solution=solution, null=np.vstack([null, -(means @ null)[None]]))


def _targets(problem: Problem) -> FloatArray:
    """What the scores aim at: ±1 in one column, or 1 of K."""
    if isinstance(problem, MarginProblem):
        return np.asarray(problem.target, dtype=np.float64)[:, None].copy()
    T = np.zeros((problem.design.n, problem.shape[1]))
    T[np.arange(len(T)), problem.target] = 1.0
    return T
