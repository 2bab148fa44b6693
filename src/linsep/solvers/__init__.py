"""One algorithm a file, one driver loop for all; `fit_problem` is the door. Reading a model loads none of them."""

from typing import TYPE_CHECKING

from linsep.later import later
from linsep.solvers.outcome import Record, Status

if TYPE_CHECKING:
    from linsep.solvers.base import Solution
    from linsep.solvers.fit import fit_problem

__all__ = ["Record", "Solution", "Status", "fit_problem"]

__getattr__ = later(__name__, {"Solution": "linsep.solvers.base", "fit_problem": "linsep.solvers.fit"})
