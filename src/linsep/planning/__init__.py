"""Before any work: which solver, how long, how much memory."""

from linsep.planning.make import make_plan
from linsep.planning.plan import Plan, Range

__all__ = ["Plan", "Range", "make_plan"]
