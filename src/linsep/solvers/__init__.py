"""One algorithm a file, one driver loop for all; `fit_problem` is the door. Reading a model loads none of them."""

from typing import TYPE_CHECKING

from linsep.later import later
from linsep.solvers.base import Record, Solution, Status

if TYPE_CHECKING:
    from linsep.solvers.fit import fit_problem

__all__ = ["Record", "Solution", "Status", "fit_problem"]

__getattr__ = later(__name__, {"fit_problem": "linsep.solvers.fit"})
