"""The lower bound by strong convexity around the point: without a penalty, or where the dual is too coarse.

Let H be below ∇²P wherever no score has moved by more than ρ, λ² = ∇Pᵀ H⁺ ∇P, and q the largest ‖xᵢ‖ in the
norm of H⁺. Then P(w + p) ≥ P(w) + ⟨∇P, p⟩ + ½‖p‖²_H for all p with ‖p‖_H ≤ ρ/q. If 2λq ≤ ρ, this is at least
P(w) on the boundary of that ball, so a minimiser lies inside, and P(w) − P* ≤ λ²/2.
H may be singular where no score can change, and nowhere else. Its sums are off by ε√(HᵢᵢHⱼⱼ), which is at most the
share η = ε(Σⱼ ‖eⱼ‖√Hⱼⱼ)² of ‖p‖²_H: what is certain is (1 − η)H.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from linsep.certify.independent.losses import Joint, Margins
from linsep.certify.independent.penalised import Bounds
from linsep.certify.independent.problems import Problems, definite, pseudo_root

Array = np.ndarray[Any, Any]

_STEPS = 3
_UNKNOWNS = 8_192  # at most: the Hessian is formed, and matrices of that size are half a GiB each
_NEAR = 0.01  # a reach that costs the curvature next to nothing
_CERTAIN = 0.5  # what rounding may leave of H, at least


def too_large(problems: Problems) -> bool:
    """The Hessian cannot be formed."""
    return problems.unknowns > _UNKNOWNS


def curvature_bound(problems: Problems, W: Array, P: Array, enough: Array) -> Bounds:
    """The bounds of all problems at W, or after a Newton step or two where they are not `enough`."""
    best = np.full_like(P, -inf)
    allowance = problems.unit * np.abs(P)
    for _ in range(_STEPS):
        W = _gauge(problems, W)
        Z = problems.scores(W)
        G, values = _gauge(problems, problems.gradient(W, Z)), problems.primal(W, Z)
        allowance = np.maximum(allowance, problems.noise(W, Z))
        for j in np.flatnonzero(best < enough).tolist():
            gap = _gap(problems, j, Z, problems.centred(G)[problems.part(j)])
            best[j] = max(best[j], values[j] - gap - allowance[j])
        if (best >= enough).all() or problems.penalty is not None:
            break
        W = W - problems.solve(Z, G)
    return Bounds(best, allowance)


def _gauge(problems: Problems, W: Array) -> Array:
    """Without a common shift of all scores, where none changes a loss: a ridge is least, and its slope 0, without."""
    if problems.penalty is None and isinstance(problems.loss, Joint) and problems.loss.shifts:
        return np.asarray(W - W.mean(axis=1, keepdims=True))
    return W


def _gap(problems: Problems, j: int, Z: Array, g: Array) -> float:
    """λ²/2 of problem j where the statement applies, else infinity."""
    rho = 0.0
    for _ in range(_STEPS + 2):
        inverse = _inverse(problems, problems.hessian(Z, j, rho))
        if inverse is None:
            return inf
        decrement = float(np.sqrt(max(float(g.ravel() @ inverse @ g.ravel()), 0.0)))
        needed = 2.0 * decrement * _largest_row(problems, inverse, decrement)
        if needed <= rho or decrement == 0.0:
            return 0.5 * decrement**2
        rho = 1.1 * needed
    return inf


def _inverse(problems: Problems, H: Array) -> Array | None:
    """H⁻¹, or H⁺ where H is singular only where no loss can change, over what of H is certain; else None.

    What changes no loss for certain gets a curvature of its own: an absent intercept, and a common shift of all scores,
    along which nothing is to be gained (`_gauge`); under a penalty that is no ridge only that of the intercepts.
    """
    k, d = problems.loss.columns, problems.rows.d
    blocks = H.reshape(d + 1, k, d + 1, k).copy()
    if isinstance(problems.loss, Joint) and problems.loss.shifts:
        each = np.arange(d + 1)[(0 if problems.penalty is None else d) :]
        blocks[each, :, each, :] += np.maximum(np.einsum("jkjk->jk", blocks).max(axis=1), 1e-300)[each, None, None]
    if not problems.free:
        blocks[-1, :, -1, :] = np.eye(k)
    sure = blocks.reshape(H.shape)
    scale = np.sqrt(np.maximum(sure.diagonal(), 1e-300))
    sure /= scale
    sure /= scale[:, None]
    if definite(sure):
        inverse = np.asarray(np.linalg.inv(sure))
        inverse /= scale
        inverse /= scale[:, None]
    else:
        root = pseudo_root(H)
        if root.shape[1] < _full_rank(problems):
            return None
        inverse = root @ root.T
    sizes = np.sqrt(np.maximum(inverse.diagonal(), 0.0))
    certain = 1.0 - problems.unit * float(sizes @ scale) ** 2
    return inverse / certain if certain >= _CERTAIN else None


def _penalised(problems: Problems) -> bool:
    return problems.alpha > 0.0 or problems.penalty is not None


def _full_rank(problems: Problems) -> int:
    """The dimension of all changes of the weights that change a loss: rank [X 1], times K − 1 or K.

    With a penalty every change counts: all weights and the free intercepts.
    """
    if _penalised(problems):
        loose = problems.loss.columns - int(isinstance(problems.loss, Joint) and problems.loss.shifts)
        return problems.rows.d * problems.loss.columns + int(problems.free) * loose
    signs = np.where(problems.shares > 0.0, 1.0, 0.0)[:, None]
    squares = replace(problems, loss=Margins("squared", signs), shares=signs[:, 0] / signs.sum(), alpha=0.0)
    rank = int(pseudo_root(squares.hessian(signs, 0)).shape[1])
    loss = problems.loss
    return rank * (loss.columns - int(loss.shifts)) if isinstance(loss, Joint) else rank


def _largest_row(problems: Problems, inverse: Array, decrement: float) -> float:
    """At least max over rows and scores of ‖x‖ in the norm of H⁺: Σ |xⱼ|·‖eⱼ‖, or exactly where that is too coarse."""
    k, d = problems.loss.columns, problems.rows.d
    sigma = np.sqrt(np.maximum(inverse.diagonal(), 0.0)).reshape(d + 1, k).max(axis=1)[:, None]
    beside = float(np.abs(problems.means) @ sigma[:-1, 0] + sigma[-1, 0])
    blocks = problems.rows.blocks(problems.chosen)
    largest = max(float(block.each(np.abs).scores(sigma[:-1]).max()) for block in blocks) + beside
    if 2.0 * decrement * largest <= _NEAR:
        return largest
    largest = 0.0
    for block in problems.rows.blocks(problems.chosen, width=d + 1):
        A = problems.with_ones(block)
        for c in range(k):
            norms = np.einsum("ij,ij->i", A @ inverse.reshape(d + 1, k, d + 1, k)[:, c, :, c], A)
            largest = max(largest, float(norms.max()))
    return float(np.sqrt(largest))
