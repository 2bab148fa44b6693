"""α that is chosen by left-out rows, on behalf of an estimator."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from linsep.errors import InvalidParameter
from linsep.estimators import parameters
from linsep.model import Effort
from linsep.selection import Chooser, Curve, Task

#: The share of the time that the choice may take.
_CHOOSING = 0.75


def given_alpha(given: Any, groups: Any = None) -> float | Chooser:
    """α, or what chooses it; groups are for the choice."""
    alpha = parameters.alpha(given)
    if groups is not None and not isinstance(alpha, Chooser):
        raise InvalidParameter(f"groups are for the choice of alpha, and alpha={alpha:g} is given: leave them out")
    return alpha


def choose(chooser: Chooser, task: Task) -> tuple[float, Curve, Effort]:
    """α by the chooser's rule, its curve, and what is left of the time."""
    if task.watch is not None:
        task.watch.stage("choosing alpha")
    began, limit = time.perf_counter(), task.effort.time_limit
    curve = chooser.curve(replace(task, effort=replace(task.effort, time_limit=_CHOOSING * limit)))
    return chooser.pick(curve), curve, replace(task.effort, time_limit=limit - (time.perf_counter() - began))
