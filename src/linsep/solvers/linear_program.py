"""The hinge loss without a penalty: a linear program, solved by the dual simplex method (HiGHS).

    min 1/S Σ sᵢ max(0, 1 − ⟨aᵢ, w⟩) = max 1/S Σ uᵢ  subject to  Σ uᵢaᵢ = 0,  0 ≤ uᵢ ≤ sᵢ,     aᵢ = yᵢ[xᵢ 1].

The program on the right has a row a column of X; w are its multipliers. u = sθ balances up to the program's tolerance:
a basis of rows with 0 < θ < 1 takes up the rest, and what rounding leaves is charged (certify/independent/balance.py).

Where too few rows are inside (0, 1) to do so, the next steps ask for a second θ, η ≤ θ ≤ 1 − η on all rows that any
balance can have with θ > 0: those with tᵢ > 0 in max Σ tᵢ, Σ (tᵢ + zᵢ)aᵢ = 0, 0 ≤ t ≤ 1, z ≥ 0. A share ε of it beside
1 − ε of the first has all these rows inside, and costs about ε·η of the bound.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from linsep.certify.bounds import Bound, nonnegative, rounding, value_rounding
from linsep.certify.certificate import Kind
from linsep.certify.independent.balance import (
    MOST_ENTRIES,
    MOST_RANK,
    Basis,
    balance_bound,
    corrected,
    find_basis,
)
from linsep.data.design import Design
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.problem import Problem
from linsep.solvers.base import Solver, State, Status
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
    """Rows yᵢ[xᵢ 1] (without an intercept yᵢxᵢ) and weights; columns off their means, in powers of two."""

    A: FloatArray
    s: FloatArray
    means: FloatArray
    units: IntArray
    inner: FloatArray

    def solve(self, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        """θ between low and high, and w; None where the program found nothing."""
        from scipy.optimize import linprog  # slow to import, and seldom needed

        unit = float(self.s.max())
        found = linprog(
            -np.ones(len(self.s)), A_eq=self.inner.T, b_eq=np.zeros(self.inner.shape[1]),
            bounds=np.stack([low * self.s, high * self.s], axis=1) / unit, method="highs-ds", options=_OPTIONS,
        )  # fmt: skip
        if found.x is None or found.status != 0:
            return None
        theta = np.divide(found.x * unit, self.s, out=np.zeros_like(self.s), where=self.s > 0.0)
        return np.clip(theta, low, high), self.given(-found.eqlin.marginals)

    def given(self, v: FloatArray) -> FloatArray:
        """The weights for A from those for the columns inside."""
        w: FloatArray = np.ldexp(v, -self.units)
        w[-1] -= self.means @ w
        return w

    def movable(self) -> BoolArray:
        """Rows that some balance of all has with θ > 0."""
        from scipy.optimize import linprog

        n = len(self.s)
        kept = np.flatnonzero(self.s > 0.0)
        both = np.vstack([self.inner[kept], self.inner[kept]])
        cost = np.repeat([-1.0, 0.0], len(kept))
        bounds = [(0.0, 1.0)] * len(kept) + [(0.0, None)] * len(kept)
        found = linprog(cost, A_eq=both.T, b_eq=np.zeros(both.shape[1]), bounds=bounds, method="highs-ds")
        out = np.zeros(n, dtype=bool)
        if found.x is not None:
            out[kept] = found.x[: len(kept)] > 0.5
        return out


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

    def refusal(self, problem: Problem) -> str | None:
        n, p = problem.design.n, problem.design.d + 1
        if problem.loss.kernel != "hinge" or problem.alpha != 0.0:
            given = f"loss {problem.loss.name!r} at alpha={problem.alpha:g} was given"
            return f"solver {self.name!r} takes the loss 'hinge' at alpha = 0; {given}"
        if n * p > MOST_ENTRIES or min(n, p) > MOST_RANK:
            return (
                f"the hinge loss without a penalty is a linear program, here with {n} rows and {p - 1} columns; solver "
                f"{self.name!r} takes up to {MOST_ENTRIES:,} entries, and {MOST_RANK:,} rows or columns: "
                "use a small alpha, for example 1e-8"
            )
        return super().refusal(problem)

    def init(self, problem: MarginProblem, start: FloatArray | None) -> ProgramState:
        w = problem.zero() if start is None else start
        value = problem.value(w, problem.design.scores(w))
        return ProgramState(w, value, nonnegative(problem), program=program_of(problem))

    def step(self, problem: MarginProblem, state: ProgramState) -> ProgramState:
        inside = _INSIDE[state.tried]
        state = replace(state, tried=state.tried + 1)
        program = state.program
        box = program.movable() if inside else program.s > 0.0
        found = program.solve(np.where(box, inside, 0.0), np.where(box, 1.0 - inside, 0.0))
        if found is not None:
            state = _vertex(problem, state, *found) if inside == 0.0 else _mixed(problem, state, found[0])
        gap = state.value - state.bound.value
        ended = state.tried == len(_INSIDE) or gap <= self.goal.tol * state.value
        return replace(state, done=Status.STALLED) if ended else state


def program_of(problem: MarginProblem) -> Program:
    """The rows as they are, and off their means: far from 0 a column is all but a multiple of that of ones."""
    X = dense_rows(problem.design)
    A = problem.target[:, None] * (np.hstack([X, np.ones((len(X), 1))]) if problem.intercept else X)
    means = np.zeros(A.shape[1])
    if problem.intercept:
        means[:-1] = X.mean(axis=0)
    inner = A - means * A[:, -1:]
    sizes = np.abs(inner).max(axis=0)
    units = np.where(sizes > 0.0, np.frexp(sizes)[1], 0).astype(np.int64)
    s = np.ones(len(A)) if problem.weights is None else np.asarray(problem.weights, np.float64)
    return Program(A, s, means, units, np.ldexp(inner, -units))


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


def _vertex(problem: MarginProblem, state: ProgramState, theta: FloatArray, w: FloatArray) -> ProgramState:
    """The state with the program's own solution."""
    theta = np.where(theta < _AT_BOUND, 0.0, np.where(theta > 1.0 - _AT_BOUND, 1.0, theta))
    settled, basis = balanced(state.program, theta)
    return _best_bound(problem, _best_point(problem, replace(state, vertex=theta), w, basis), settled)


def _mixed(problem: MarginProblem, state: ProgramState, inner: FloatArray) -> ProgramState:
    """The state with a bound by a little of the inner multipliers beside the program's own."""
    inner, _ = balanced(state.program, inner)
    own = inner if state.vertex is None else state.vertex
    for share in _SHARES:
        theta, _ = balanced(state.program, (1.0 - share) * own + share * inner)
        new = _best_bound(problem, state, theta)
        if new is not state:
            return new
    return state


def balanced(program: Program, theta: FloatArray) -> tuple[FloatArray, Basis | None]:
    """θ balanced up to rounding, if a basis of rows inside (0, 1) can take up what the program left."""
    basis = find_basis(program.A, program.s, theta)
    if basis is not None:
        for _ in range(3):
            theta = corrected(program.A, program.s, theta, basis)
    return theta, basis


def _best_point(problem: MarginProblem, state: ProgramState, w: FloatArray, basis: Basis | None) -> ProgramState:
    """Of the program's w, the one with margins 1 on the basis, and one with all margins ≥ 1, the best."""
    points = [w]
    if basis is not None:
        v = np.zeros(len(w))
        v[basis.columns] = np.ldexp(basis.inverse.sum(axis=0), -basis.units)
        v[-1] -= basis.means @ v
        points.append(v)
    least = float((state.program.A @ w)[state.program.s > 0.0].min())
    if least > 0.0:
        points.append(w * ((1.0 + 1e-9) / least))
    for point in points:
        full = point if problem.intercept else np.append(point, 0.0)
        value = problem.value(full, problem.design.scores(full))
        if value < state.value:
            state = replace(state, w=full, value=value)
    return state


def _best_bound(problem: MarginProblem, state: ProgramState, theta: FloatArray) -> ProgramState:
    """The best bound so far, less what rounding can do to P; P = 0 needs no other than 0."""
    if state.value == 0.0:
        return state
    found = balance_bound(state.program.A, state.program.s, theta)
    noise = rounding(problem, 1.0 + state.value) + value_rounding(problem, state.w, theta)
    value = found.value - noise
    if not value > state.bound.value:
        return state
    return replace(state, bound=Bound(value, Kind.DUALITY_GAP, found.charge + noise, theta))
