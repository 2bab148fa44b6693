"""The choice of α: left-out loss against α, the rules that pick a value from the curve, and the whole path."""

from typing import TYPE_CHECKING

from linsep.later import later
from linsep.selection.curve import Curve

if TYPE_CHECKING:
    from linsep.selection.chooser import Chooser, Task
    from linsep.selection.choosers import CHOOSERS
    from linsep.selection.folds import CrossValidation
    from linsep.selection.leave_one_out import LeaveOneOut
    from linsep.selection.path import Path

__all__ = ["CHOOSERS", "Chooser", "CrossValidation", "Curve", "LeaveOneOut", "Path", "Task"]

__getattr__ = later(
    __name__,
    {
        "CHOOSERS": "linsep.selection.choosers",
        "Chooser": "linsep.selection.chooser",
        "CrossValidation": "linsep.selection.folds",
        "LeaveOneOut": "linsep.selection.leave_one_out",
        "Path": "linsep.selection.path",
        "Task": "linsep.selection.chooser",
    },
)
