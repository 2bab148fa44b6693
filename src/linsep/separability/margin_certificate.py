"""From weights λ of the rows to a hyperplane with its certificate, or to sets that touch as far as float64 can tell.

Both values come from (w, b) and λ alone: ½‖w‖²/m², m the smallest margin over all rows, is attained; ½(groups/‖z‖)² for
the true z of λ is a lower bound of every ½‖w‖². What cancels is computed in twice the precision, so that a gap of
1e-10 means something between sets that nearly touch. (w, b) itself is rounded to float64, which costs a relative
eps·max‖x‖/ρ of the margin ρ: where that is more than the tolerance, the gap says so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linsep.separability.rows import accurate_scores, dense_rows
from linsep.separability.sets import Segment, Sets
from linsep.types import FloatArray, IntArray

_EPS = float(np.finfo(np.float64).eps)
#: A combination z with ‖z‖ below this share of the largest ‖x‖ is taken for 0.
TOUCHING = 1e-14
#: Columns up to which z is made orthogonal to the face of the support vectors.
_POLISHED = 2000


@dataclass(frozen=True, eq=False)
class Touching:
    """No hyperplane was found between the sets: Σ λᵢyᵢxᵢ is nearly 0.

    rows, weights   those of λ > 0, which sum to 1 in each class (through the origin: in all)
    bound           no margin exceeds this
    """

    rows: IntArray
    weights: FloatArray
    bound: float


@dataclass(frozen=True, eq=False)
class MaximumMargin:
    """The hyperplane with its certificate.

    w, b            scaled so that the smallest margin is 1 up to rounding
    margin          the smallest distance of a row from the hyperplane, attained
    bound           no hyperplane has a margin larger than this
    support, multipliers    the rows with αᵢ > 0, and αᵢ
    primal, dual    the two objective values
    passes          products with all of X
    """

    w: FloatArray
    b: float
    margin: float
    bound: float
    support: IntArray
    multipliers: FloatArray
    primal: float
    dual: float
    passes: int

    @property
    def gap(self) -> float:
        """(primal − dual) / primal."""
        return max(self.primal - self.dual, 0.0) / self.primal


def certified(sets: Sets, found: Segment) -> MaximumMargin | Touching:
    """The hyperplane orthogonal to z, its values and bounds, if it has every row on its side."""
    z = found.difference(sets)
    distance = float(np.linalg.norm(z))
    touching = Touching(found.rows, found.weights, distance / sets.count)
    if distance <= TOUCHING * sets.longest:
        return touching
    w = _hyperplane(sets, found.rows, z)
    smallest = _smallest_margin(sets, w)
    if not smallest > 0.0:
        return touching
    w /= smallest
    smallest, norm = _smallest_margin(sets, w), float(np.linalg.norm(w[:-1]))
    order = np.argsort(found.rows)
    return MaximumMargin(
        w=w[:-1],
        b=float(w[-1]),
        margin=smallest / norm,
        bound=distance / sets.count,
        support=found.rows[order],
        multipliers=found.weights[order] * (sets.count / distance**2),
        primal=0.5 * (norm / smallest) ** 2,
        dual=0.5 * (sets.count / distance) ** 2,
        passes=found.passes + 2,
    )


def _hyperplane(sets: Sets, support: IntArray, z: FloatArray) -> FloatArray:
    """(w, w₀) from z, w₀ averaged over the support vectors."""
    z = _orthogonal(sets, support, z)
    w = np.append(z * (sets.count / float(z @ z)), 0.0)
    if not sets.through_origin:
        w[-1] = float(np.mean(sets.y[support] - accurate_scores(sets.design, support, w)))
    return w


def _orthogonal(sets: Sets, support: IntArray, z: FloatArray) -> FloatArray:
    """z made orthogonal to the face of the support vectors, as it is but for rounding."""
    if sets.design.d > _POLISHED or len(support) <= sets.count:
        return z
    rows = sets.y[support, None] * dense_rows(sets.design, support)
    groups = sets.groups[support]
    spans = [part[1:] - part[0] for part in (rows[groups == g] for g in range(sets.count))]
    Q = np.linalg.qr(np.vstack(spans).T)[0]
    polished = z - Q @ (Q.T @ z)
    polished -= Q @ (Q.T @ polished)
    return polished if 2.0 * float(polished @ polished) > float(z @ z) else z


def _smallest_margin(sets: Sets, w: FloatArray) -> float:
    """min yᵢ(⟨w, xᵢ⟩ + b): in float64 for all rows, again in twice the precision for those near the smallest."""
    margins = sets.design.scores(w) * sets.y
    reach = sets.longest * float(np.linalg.norm(w[:-1])) + abs(float(w[-1]))
    unsure = np.flatnonzero(margins <= margins.min() + 2.0 * (sets.design.d + 2) * _EPS * reach)
    return float((accurate_scores(sets.design, unsure, w) * sets.y[unsure]).min())
