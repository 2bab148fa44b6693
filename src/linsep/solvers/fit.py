"""The door to the solvers: chooses one, refuses what makes no sense, and runs the driver."""

from __future__ import annotations

from math import inf

import numpy as np

from linsep.kernels.threads import single_threaded_blas
from linsep.problem.problem import Problem
from linsep.solvers.base import Goal, Solution, Solver, State
from linsep.solvers.centring import Centred, centred, taken_back
from linsep.solvers.driver import Budget, Callback, conclude, solve
from linsep.solvers.table import choose, refuse
from linsep.solvers.turning import turned
from linsep.types import FloatArray

#: Problems with at most so many entries of X, and products of those with the scores, always run to rounding: it costs
#: nothing.
_ENTRIES, _PRODUCTS = 100_000, 1_000_000


def runs_to_rounding(rows: int, columns: int, scores: int) -> bool:
    """Whether a problem of this size is small."""
    return rows * columns <= min(_ENTRIES, _PRODUCTS // scores)


def fit_problem(
    problem: Problem,
    solver: str = "auto",
    tol: float = 1e-4,
    start: FloatArray | None = None,
    max_iter: int | None = None,
    time_limit: float | None = None,
    seed: int = 0,
    callback: Callback | None = None,
) -> Solution:
    """The certified solution of a problem.

    solver       a name, or "auto" for the table's choice
    tol          the relative excess to certify
    start        weights to begin from, the intercept last (0 where there is none)
    max_iter     steps at most (about one pass each); None: the solver's own default
    time_limit   seconds at most
    """
    design, scores = problem.design, int(np.prod(problem.shape[1:]))
    goal = Goal(tol, runs_to_rounding(design.n, design.d, scores))
    chosen = choose(problem, solver)(goal=goal, seed=seed)
    refuse(chosen, problem, solver)
    if start is not None and not problem.intercept:
        start = start.copy()
        start[-1] = 0.0
    budget = Budget(
        max_iter=chosen.max_iter if max_iter is None else max_iter,
        seconds=inf if time_limit is None else time_limit,
    )
    with single_threaded_blas():
        turn = turned(problem) if goal.to_rounding else None
    if turn is None:
        return _solve(problem, chosen, start, budget, callback)
    begin = None if start is None else turn.inside(start)
    inside = choose(turn.problem, solver)(goal=goal, seed=seed)
    solution = _solve(turn.problem, inside, begin, budget, callback)
    w = turn.given(solution.w)
    bound, gradient = turn.bound(problem, w, solution), solution.certificate.gradient
    state = State(w, problem.value(w, problem.scores(w)), bound, gradient)
    return conclude(problem, inside, state, solution.status, solution.trace)


def _solve(
    problem: Problem, solver: Solver, start: FloatArray | None, budget: Budget, callback: Callback | None
) -> Solution:
    """The solution, with columns far from 0 taken off their means."""
    with single_threaded_blas():
        inside = Centred(problem) if solver.centres else centred(problem)
    begin = None if start is None else inside.inside(start)
    return taken_back(problem, inside, solve(inside.problem, solver, begin, budget, callback))
