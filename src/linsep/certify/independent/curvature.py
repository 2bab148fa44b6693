"""The lower bound by strong convexity around the point: without a penalty, or where the dual is too coarse.

Let H be below ∇²P wherever no score has moved by more than ρ, λ² = ∇Pᵀ H⁺ ∇P, and q the largest ‖xᵢ‖ in the
norm of H⁺. Then P(w + p) ≥ P(w) + ⟨∇P, p⟩ + ½‖p‖²_H for all p with ‖p‖_H ≤ ρ/q. If 2λq ≤ ρ, this is at least
P(w) on the boundary of that ball, so a minimiser lies inside, and P(w) − P* ≤ λ²/2.
H may be singular where no score can change, and nowhere else.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from linsep.certify.independent.losses import Joint, Margins
from linsep.certify.independent.penalised import Bounds
from linsep.certify.independent.problems import Problems, pseudo_root

Array = np.ndarray[Any, Any]

_STEPS = 3
_UNKNOWNS = 3000  # at most: the Hessian is formed


def too_large(problems: Problems) -> bool:
    """The Hessian cannot be formed."""
    return problems.unknowns > _UNKNOWNS


def curvature_bound(problems: Problems, W: Array, P: Array, enough: Array) -> Bounds:
    """The bounds of all problems at W, or after a Newton step or two where they are not `enough`."""
    best = np.full_like(P, -inf)
    allowance = problems.unit * np.abs(P)
    for _ in range(_STEPS):
        Z = problems.scores(W)
        G, values = problems.gradient(W, Z), problems.primal(W, Z)
        allowance = np.maximum(allowance, problems.noise(W, Z))
        for j in np.flatnonzero(best < enough).tolist():
            gap = _gap(problems, j, Z, problems.centred(G)[problems.part(j)])
            best[j] = max(best[j], values[j] - gap - allowance[j])
        if (best >= enough).all() or problems.penalty is not None:
            break
        W = W - problems.solve(Z, G)
    return Bounds(best, allowance)


def _gap(problems: Problems, j: int, Z: Array, g: Array) -> float:
    """λ²/2 of problem j where the statement applies, else infinity."""
    rho, rank = 0.0, _full_rank(problems)
    for _ in range(_STEPS + 2):
        root = pseudo_root(problems.hessian(Z, j, rho))
        if root.shape[1] < rank:
            return inf
        decrement = float(np.linalg.norm(root.T @ g.ravel()))
        needed = 2.0 * decrement * _largest_row(problems, root.reshape(*g.shape, -1))
        if needed <= rho or decrement == 0.0:
            return 0.5 * decrement**2
        rho = 1.1 * needed
    return inf


def _full_rank(problems: Problems) -> int:
    """The dimension of all changes of the weights that change a loss: rank [X 1], times K − 1 or K.

    With a penalty every change counts: all weights and the free intercepts.
    """
    if problems.alpha > 0.0 or problems.penalty is not None:
        loose = problems.loss.columns - int(isinstance(problems.loss, Joint) and problems.loss.shifts)
        return problems.rows.d * problems.loss.columns + int(problems.free) * loose
    signs = np.where(problems.shares > 0.0, 1.0, 0.0)[:, None]
    squares = replace(problems, loss=Margins("squared", signs), shares=signs[:, 0] / signs.sum(), alpha=0.0)
    rank = int(pseudo_root(squares.hessian(signs, 0)).shape[1])
    loss = problems.loss
    return rank * (loss.columns - int(loss.shifts)) if isinstance(loss, Joint) else rank


def _largest_row(problems: Problems, root: Array) -> float:
    """max over rows and scores of ‖x‖ in the norm of H⁺ = root rootᵀ; root (d + 1, k, rank)."""
    largest = 0.0
    for block in problems.rows.blocks(problems.chosen, width=max(problems.rows.d + 1, root.shape[2])):
        A = problems.with_ones(block)
        for k in range(root.shape[1]):
            scores = A @ root[:, k]
            largest = max(largest, float(np.einsum("ij,ij->i", scores, scores).max()))
    return float(np.sqrt(largest))
