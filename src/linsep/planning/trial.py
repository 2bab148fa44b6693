"""A trial: the same solver on a small sample of the rows of one problem, a tenth of a second or so.

How many steps a fit takes depends on how far its classes overlap, which no count of rows and columns tells. The trial's
seconds against those that the table expects of it correct what the table expects of the whole.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from linsep.errors import LinsepError
from linsep.planning.work import Size
from linsep.problem.problem import Problem
from linsep.solvers.base import Goal, Solver
from linsep.solvers.centring import Centred, centred
from linsep.solvers.driver import Budget, solve
from linsep.solvers.outcome import Status

#: Entries of the sample, its share of the rows at most, its fewest rows, and the seconds it may take.
ENTRIES, SHARE, FEWEST, SECONDS = 200_000, 4, 40, 0.2
#: A trial shorter than this is run again, so often, and the best counts: the first one pays for a cold start.
_SHORT, _AGAIN = 0.01, 2


@dataclass(frozen=True)
class Trial:
    """`seconds` for a sample of that size; `ended`: it was certified, or at least as far as float64 goes."""

    size: Size
    seconds: float
    ended: bool


def run_trial(problem: Problem, solver: type[Solver], size: Size, goal: Goal) -> Trial | None:
    """None where the rows are too few for a sample to say anything."""
    a_row = max(size.entries // size.rows, 1) * size.scores
    chosen = min(size.rows // SHARE, max(ENTRIES // a_row, FEWEST))
    if chosen < FEWEST:
        return None
    sample = problem.rows(np.sort(np.random.default_rng(0).choice(size.rows, chosen, replace=False)))
    seconds = np.inf
    for _ in range(1 + _AGAIN):
        began = time.perf_counter()
        try:
            inside: Centred[Problem] = Centred(sample) if solver.centres else centred(sample)
            status = solve(inside.problem, solver(goal=goal), None, Budget(solver.max_iter, SECONDS)).status
        except (LinsepError, ArithmeticError, np.linalg.LinAlgError):
            return None
        seconds = min(seconds, time.perf_counter() - began)
        if seconds > _SHORT:
            break
    small = replace(size, rows=chosen, entries=max(size.entries * chosen // size.rows, 1), problems=1)
    return Trial(small, seconds, status.certified or status is Status.NO_OPTIMUM)
