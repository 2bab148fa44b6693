"""Hinge-like losses without a penalty: a linear program, solved by the dual simplex method (HiGHS).

A row's loss is the largest of 0 and 1 − ⟨aᵢⱼ, w⟩: the hinge loss has one a a row, that of Crammer and Singer one
for every other class (certify/independent/balance.py).

    min 1/S Σ sᵢ maxⱼ max(0, 1 − ⟨aᵢⱼ, w⟩) = max 1/S Σ uᵢⱼ  subject to  Σ uᵢⱼaᵢⱼ = 0,  u ≥ 0,  Σⱼ uᵢⱼ ≤ sᵢ.

The program on the right has a row a weight; w are its multipliers. u = sθ balances up to the program's tolerance: a
basis of moves between the alternatives of a row takes up the rest, and what rounding leaves is charged. No loss is
negative, so an optimum always exists.

Where too few rows have θ inside its domain to do so, the next steps ask for a second θ, η ≤ θ and Σⱼ θᵢⱼ ≤ 1 − η on all
a that any balance can have with θ > 0: those with tᵢⱼ > 0 in max Σ t, Σ (tᵢⱼ + zᵢⱼ)aᵢⱼ = 0, 0 ≤ t ≤ 1, z ≥ 0. A share ε
of it beside 1 − ε of the first has all these inside, and costs about ε·η of the bound.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from linsep.certify.bounds import Bound, nonnegative, rounding, value_rounding
from linsep.certify.certificate import Kind
from linsep.certify.independent.balance import (
    MOST_ENTRIES,
    MOST_RANK,
    Alternatives,
    Basis,
    balance_bound,
    corrected,
    entries,
    find_basis,
    off_means,
    others,
)
from linsep.data.design import Design
from linsep.problem.joint_problem import JointProblem
from linsep.problem.problem import Problem
from linsep.solvers.base import Solver, State
from linsep.solvers.outcome import Status
from linsep.solvers.patience import interruptible, seconds_left
from linsep.types import BoolArray, FloatArray, IntArray

_OPTIONS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
#: How far inside [0, 1] the multipliers are asked to be, step by step.
_INSIDE = (0.0, 1e-4, 1e-7)
#: Shares of such multipliers beside those of the program itself, the smallest that proves a bound is taken.
_SHARES = (1e-10, 1e-8, 1e-6, 1e-4, 1.0)
#: Multipliers this near to a bound are at it.
_AT_BOUND = 1e-9


@dataclass(frozen=True, eq=False)
class Program:
    """All aᵢⱼ, and the same as rows with columns off their means, in powers of two."""

    rows: Alternatives
    means: FloatArray
    units: IntArray
    inner: FloatArray

    def solve(self, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        """θ (n, C) between low and high, no row's sum above its highest, and w; None where nothing was found."""
        (n, C), s = low.shape, self.rows.s / self.rows.s.max()
        limits, sums = np.stack([(each.T * s).T.ravel() for each in (low, high)], axis=1), {}
        if C > 1:
            sums = {"A_ub": sparse.kron(sparse.eye_array(n), np.ones((1, C)), "csr"), "b_ub": high.max(axis=1) * s}
        found = self._solved(self.inner, -np.ones(n * C), bounds=limits, options=_OPTIONS, **sums)
        if found.x is None or found.status != 0:
            return None
        u = found.x.reshape(n, C).T
        theta = np.divide(u, s, out=np.zeros_like(u), where=s > 0.0).T
        return np.clip(theta, low, high), self.given(-found.eqlin.marginals)

    def given(self, v: FloatArray) -> FloatArray:
        """The weights for a from those for the columns inside."""
        return _for_given(np.ldexp(v, -self.units), self.means)

    def movable(self) -> BoolArray:
        """(n, C): those that some balance of all has with θ > 0."""
        shape = self.rows.a.shape[:2]
        kept = np.flatnonzero(np.repeat(self.rows.s > 0.0, shape[1]))
        both = np.vstack([self.inner[kept], self.inner[kept]])
        cost = np.repeat([-1.0, 0.0], len(kept))
        bounds = [(0.0, 1.0)] * len(kept) + [(0.0, None)] * len(kept)
        found = self._solved(both, cost, bounds=bounds, options={})
        out = np.zeros(len(self.inner), dtype=bool)
        if found.x is not None:
            out[kept] = found.x[: len(kept)] > 0.5
        return out.reshape(shape)

    @staticmethod
    def _solved(rows: FloatArray, cost: FloatArray, *, options: dict[str, float], **program: Any) -> Any:
        """min ⟨cost, u⟩ with Σ uᵢ rowᵢ = 0, within the time there is; Ctrl-C does not wait for it."""
        from scipy.optimize import linprog  # slow to import, and seldom needed

        limited = options | {"time_limit": seconds_left()}
        balance = {"A_eq": rows.T, "b_eq": np.zeros(rows.shape[1])}
        return interruptible(partial(linprog, cost, **balance, **program, method="highs-ds", options=limited))


def _for_given(w: FloatArray, means: FloatArray) -> FloatArray:
    """Weights of columns off their means as weights of the columns themselves."""
    wide = w.reshape(means.shape).copy()
    wide[:, -1] -= np.einsum("bp,bp->b", means, wide)
    return wide.ravel()


@dataclass(frozen=True, eq=False, kw_only=True)
class ProgramState(State):
    """The program, how many of `_INSIDE` were tried, and the program's own θ."""

    program: Program
    tried: int = 0
    vertex: FloatArray | None = None


@dataclass(frozen=True)
class LinearProgram(Solver):
    """At most three steps, each a linear program."""

    name: ClassVar[str] = "linear_program"
    needs: ClassVar[frozenset[str]] = frozenset({"ridge", "no offset"})
    centres: ClassVar[bool] = True
    losses: ClassVar[frozenset[str]] = frozenset({"hinge", "crammer_singer"})

    def refusal(self, problem: Problem) -> str | None:
        loss, n, d = problem.loss, problem.design.n, problem.design.d
        if loss.kernel not in self.losses or problem.alpha != 0.0:
            given = f"loss {loss.name!r} at alpha={problem.alpha:g} was given"
            return f"solver {self.name!r} takes the losses {sorted(self.losses)} at alpha = 0; {given}"
        classes = 2 if len(problem.shape) == 1 else problem.shape[1]
        size, rank = entries(n, d + 1, classes), (classes - 1) * min(n, d + 1)
        if size > MOST_ENTRIES or rank > MOST_RANK:
            several = f", {classes} classes" if classes > 2 else ""
            return (
                f"loss {loss.name!r} without a penalty is a linear program, here of {n} rows, {d} columns{several}: "
                f"{size:,} entries, n·(d + 1)·(K − 1)², and rank {rank:,}, (K − 1)·min(n, d + 1); solver "
                f"{self.name!r} takes up to {MOST_ENTRIES:,} and {MOST_RANK:,}: use a small alpha, for example 1e-8"
            )
        return super().refusal(problem)

    def init(self, problem: Problem, start: FloatArray | None) -> ProgramState:
        w = problem.zero() if start is None else start
        value = problem.value(w, problem.design.scores(w))
        return ProgramState(w, value, nonnegative(problem), program=program_of(problem))

    def step(self, problem: Problem, state: ProgramState) -> ProgramState:
        inside = _INSIDE[state.tried]
        state = replace(state, tried=state.tried + 1)
        program = state.program
        shape = program.rows.a.shape[:2]
        box = program.movable() if inside else np.broadcast_to(program.rows.s[:, None] > 0.0, shape)
        found = program.solve(np.where(box, inside, 0.0), np.where(box, 1.0 - inside, 0.0))
        if found is not None:
            state = _vertex(problem, state, *found) if inside == 0.0 else _mixed(problem, state, found[0])
        gap = state.value - state.bound.value
        ended = state.tried == len(_INSIDE) or gap <= self.goal.tol * state.value
        return replace(state, done=Status.STALLED) if ended else state


def program_of(problem: Problem) -> Program:
    """The a as they are, and off their means: far from 0 a column is all but a multiple of that of ones."""
    X = dense_rows(problem.design)
    s = np.ones(len(X)) if problem.weights is None else np.asarray(problem.weights, np.float64)
    rows, levels = np.hstack([X, np.ones((len(X), 1))]) if problem.intercept else X, problem.design.d
    if isinstance(problem, JointProblem):
        found = Alternatives.of_classes(rows, problem.target, problem.n_classes, s)
    else:
        found = Alternatives.of_margins(problem.target[:, None] * rows, s)
    means = np.zeros((found.blocks, rows.shape[1]))
    if problem.intercept:
        means[:, :levels] = X.mean(axis=0)
    inner = off_means(found.flat, means)
    sizes = np.abs(inner).max(axis=0)
    units = np.where(sizes > 0.0, np.frexp(sizes)[1], 0).astype(np.int64)
    return Program(found, means, units, np.ldexp(inner, -units))


def dense_rows(design: Design) -> FloatArray:
    """All rows as a dense array."""
    if not design.matrix.subset:
        table: Any = design.table
        return np.asarray(table.toarray() if sparse.issparse(table) else table, dtype=np.float64)
    out, step = np.empty((design.n, design.d)), 256
    for low in range(0, design.d, step):
        high = min(low + step, design.d)
        out[:, low:high] = design.scores(np.eye(design.d + 1, high - low, -low))
    return out


def _vertex(problem: Problem, state: ProgramState, theta: FloatArray, w: FloatArray) -> ProgramState:
    """The state with the program's own solution."""
    theta = np.where(theta < _AT_BOUND, 0.0, theta)
    sums = theta.sum(axis=1, keepdims=True)
    theta = np.where(sums > 1.0 - _AT_BOUND, theta / np.maximum(sums, _AT_BOUND), theta)
    settled, basis = balanced(state.program.rows, theta)
    return _best_bound(problem, _best_point(problem, replace(state, vertex=theta), w, basis), settled)


def _mixed(problem: Problem, state: ProgramState, inner: FloatArray) -> ProgramState:
    """The state with a bound by a little of the inner multipliers beside the program's own."""
    rows = state.program.rows
    inner, _ = balanced(rows, inner)
    own = inner if state.vertex is None else state.vertex
    for share in _SHARES:
        theta, _ = balanced(rows, (1.0 - share) * own + share * inner)
        new = _best_bound(problem, state, theta)
        if new is not state:
            return new
    return state


def balanced(rows: Alternatives, theta: FloatArray) -> tuple[FloatArray, Basis | None]:
    """θ balanced up to rounding, if a basis of moves can take up what the program left."""
    basis = find_basis(rows, theta)
    if basis is not None:
        for _ in range(3):
            theta = corrected(rows, theta, basis)
    return theta, basis


def _best_point(problem: Problem, state: ProgramState, w: FloatArray, basis: Basis | None) -> ProgramState:
    """Of the program's w, that with equal losses at both ends of the basis's moves, and one without loss, the best."""
    points, rows = [w], state.program.rows
    if basis is not None:
        v = np.zeros(len(w))
        v[basis.columns] = np.ldexp(basis.inverse.T @ basis.worth, -basis.units)
        points.append(_for_given(v, basis.means))
    least = float((rows.a[rows.s > 0.0] @ w).min())
    if least > 0.0:
        points.append(w * ((1.0 + 1e-9) / least))
    for point in points:
        full = _weights(problem, point)
        value = problem.value(full, problem.design.scores(full))
        if value < state.value:
            state = replace(state, w=full, value=value)
    return state


def _weights(problem: Problem, w: FloatArray) -> FloatArray:
    """As the problem has them: an intercept of 0 where there is none, and K classes, the last of them 0 until now."""
    if not isinstance(problem, JointProblem):
        return w if problem.intercept else np.append(w, 0.0)
    classes = w.reshape(problem.n_classes - 1, -1).T
    out = problem.zero()
    out[: len(classes), :-1] = classes
    return problem.gauge(out)


def _multipliers(problem: Problem, theta: FloatArray) -> FloatArray:
    """As the problem has them: of Crammer and Singer's loss −θ for every other class, and their sum for the own."""
    if not isinstance(problem, JointProblem):
        return np.ascontiguousarray(theta[:, 0])
    out = np.zeros((problem.design.n, problem.n_classes))
    np.put_along_axis(out, others(problem.target, problem.n_classes), -theta, axis=1)
    np.put_along_axis(out, problem.target[:, None], np.minimum(theta.sum(axis=1, keepdims=True), 1.0), axis=1)
    return out


def _best_bound(problem: Problem, state: ProgramState, theta: FloatArray) -> ProgramState:
    """The best bound so far, less what rounding can do to P; P = 0 needs no other than 0."""
    if state.value == 0.0:
        return state
    found, dual = balance_bound(state.program.rows, theta), _multipliers(problem, theta)
    noise = rounding(problem, 1.0 + state.value) + value_rounding(problem, state.w, dual)
    value = found.value - noise
    if not value > state.bound.value:
        return state
    return replace(state, bound=Bound(value, Kind.DUALITY_GAP, found.charge + noise, dual))
