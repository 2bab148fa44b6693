"""From data, objective and effort to the plan."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from linsep.errors import Refused
from linsep.model import Effort, Objective, Training
from linsep.model.fit import problems_of
from linsep.planning.memory import beside_data, square
from linsep.planning.plan import Plan, Range, expected_seconds
from linsep.planning.trial import run_trial
from linsep.planning.work import WIDEST, Size
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.problem import Problem
from linsep.problem.reductions import Joint
from linsep.solvers import interior
from linsep.solvers.base import Goal, Solver
from linsep.solvers.centring import far_means
from linsep.solvers.fit import runs_to_rounding
from linsep.solvers.proximal_lagrangian import ProximalLagrangian
from linsep.solvers.table import choose, refuse, row_of

#: Rows of the sample that tells how long rows are.
_ROWS = 1000


def make_plan(training: Training, objective: Objective, effort: Effort, given: Any) -> Plan:
    """The plan of `fit_model` for the same arguments; `given` is X as the caller has it."""
    refusal = objective.loss.refusal or objective.scheme.refusal(training.n_classes, training.design.d)
    if refusal:
        raise Refused(refusal)
    problem = next(problems_of(training, objective))
    solver = choose(problem, effort.solver)
    refuse(solver(goal=Goal(effort.tol, False)), problem, effort.solver)
    centred = not solver.centres and problem.intercept and far_means(problem.design) is not None
    size = _size(training, objective, problem, centred=centred)
    goal = Goal(effort.tol, runs_to_rounding(size.rows, size.columns, size.scores))
    seconds = expected_seconds(solver.name, size, run_trial(problem, solver, size, goal), problem.design.threads)
    why = row_of(problem).when if effort.solver == "auto" else "asked for by name"
    data, copied = _given_bytes(training, given)
    memory = _memory(problem, solver, size, copied + (8 * size.rows * size.columns if centred else 0))
    return Plan(solver.name, why, size, effort.tol, seconds, memory, data, effort.time_limit)


def _size(training: Training, objective: Objective, problem: Problem, *, centred: bool) -> Size:
    """Each problem as large as the first is: one-vs-one has pairs of classes of other sizes, on average the same.

    centred: the solver works on a dense copy of the rows.
    """
    scheme, design, K = objective.scheme, problem.design, training.n_classes
    joint = isinstance(scheme, Joint)
    problems = 1 if joint else scheme.count(K)
    rows, entries = design.n, design.entries
    if scheme.name == "ovo":  # a row is in K − 1 of the K(K − 1)/2 problems
        rows = max(2 * training.design.n // K, 1)
        entries = max(2 * training.design.entries // K, 1)
    if centred:
        entries = rows * design.d
    hardness = _squares(design) / max(objective.alpha, 1e-300)
    return Size(rows, design.d, entries, design.sparse and not centred, K if joint else 1, problems, hardness)


def _squares(design: Any) -> float:
    """The mean squared length of a sample of rows, off their mean where they are dense."""
    chosen = np.sort(np.random.default_rng(0).integers(0, design.n, min(_ROWS, design.n)))
    rows = design.rows(chosen)
    squares = float(rows.row_norms().mean())
    if design.sparse:
        return squares
    mean = rows.adjoint(np.full(rows.n, 1.0 / rows.n))[:-1]
    return max(squares - float(mean @ mean), 1e-12 * squares)


def _given_bytes(training: Training, given: Any) -> tuple[int, int]:
    """Bytes of the data as the solver reads them, and how many of these are a copy."""
    design = training.design
    arrays = design.source if design.sparse else (design.source,)
    read = sum(int(a.nbytes) for a in arrays)
    if design.sparse:
        same = sparse.issparse(given) and np.may_share_memory(arrays[0], given.data)
    else:
        same = isinstance(given, np.ndarray) and np.may_share_memory(arrays[0], given)
    return read, 0 if same else read


def _memory(problem: Problem, solver: type[Solver], size: Size, copied: int) -> Range:
    """From half of what such fits hold to twice, the copies, and the matrix of an interior point: of next to no column,
    of those that violate where all weights are 0, or of as many as it takes."""
    held = beside_data(solver.name, size, keeps_multipliers=not problem.loss.smooth)
    some, most = _interior_columns(problem, solver, size)
    return Range(copied + held / 2.0, copied + held + square(some), copied + 2.0 * held + square(most))


def _interior_columns(problem: Problem, solver: type[Solver], size: Size) -> tuple[int, int]:
    """The columns that an interior point (solvers/interior.py) should copy, and the most that it may."""
    inside = solver is ProximalLagrangian and isinstance(problem, MarginProblem) and interior.suits(problem)
    if not inside or size.columns <= WIDEST:
        return 0, 0
    most = min(size.columns, interior.MOST)
    slopes = np.abs(problem.at(problem.zero()).grad[:-1])
    return min(int((slopes > problem.penalty.l1(size.columns)).sum()), size.rows, most), most
