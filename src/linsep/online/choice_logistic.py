"""The logistic variant: the probabilities of the expert's choices made as large as possible, with a certificate.

The optimum of a sample of m states is within about d/2m of the full one, so Newton starts from that of an eighth of
the states, which starts from an eighth of these, and needs two or three steps on all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linsep.data.design import Design
from linsep.problem.choice_problem import ChoiceProblem, Chosen
from linsep.solvers.base import Goal, Solution
from linsep.solvers.driver import Budget, Callback, solve
from linsep.solvers.newton import Newton
from linsep.solvers.newton_cg import NewtonCG
from linsep.solvers.outcome import Status
from linsep.types import FloatArray

#: Features up to which Newton's matrix is formed; beyond, its products do.
_MATRIX = 500
#: Entries up to which the fit goes on to rounding, which costs nothing there.
_SMALL = 100_000
#: A sample has this share of the states, and at least so many states, and so many a feature.
_SHARE, _FEWEST, _PER_FEATURE = 8, 2000, 20


@dataclass(frozen=True)
class Target:
    """α, the certified relative excess to reach, and steps at most (None: the solver's own limit)."""

    alpha: float
    tol: float
    max_iter: int | None = None


def fit_logistic(design: Design, chosen: Chosen, target: Target, watch: Callback | None = None) -> Solution:
    """The minimiser of P (problem/choice_problem.py), its certificate and how it was found."""
    return solve_logistic(ChoiceProblem.of(design, chosen, target.alpha), target, None, watch)


def solve_logistic(
    problem: ChoiceProblem, target: Target, start: FloatArray | None, watch: Callback | None = None
) -> Solution:
    """The same for a problem as it is, begun at `start` where there is one."""
    design = problem.design
    goal = Goal(target.tol, design.entries <= _SMALL)
    solver = Newton(goal=goal) if design.d <= _MATRIX else NewtonCG(goal=goal)
    budget = Budget(solver.max_iter if target.max_iter is None else target.max_iter)
    begin = _start(problem, np.random.default_rng(0)) if start is None else start
    return solve(problem, solver, begin, budget, watch)


def _start(problem: ChoiceProblem, random: np.random.Generator) -> FloatArray:
    """The optimum of a random sample of the states; zero where a sample would be too small."""
    size = len(problem.segments) // _SHARE
    if size < max(_FEWEST, _PER_FEATURE * problem.design.d) or problem.design.d > _MATRIX:
        return problem.zero()
    sample = problem.states(np.sort(random.choice(len(problem.segments), size, replace=False)))
    loose = Newton(goal=Goal(0.1 * problem.design.d / size, False))
    solution = solve(sample, loose, _start(sample, random), Budget(20))
    return problem.zero() if solution.status is Status.NO_OPTIMUM else solution.w
