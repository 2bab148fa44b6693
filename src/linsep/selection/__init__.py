"""The choice of α: left-out loss against α, the rules that pick a value from the curve, and the whole path."""

from linsep.selection.chooser import Chooser, Task
from linsep.selection.curve import Curve
from linsep.selection.folds import CrossValidation
from linsep.selection.leave_one_out import LeaveOneOut
from linsep.selection.path import Path

#: What the parameter `alpha` of an estimator may say instead of a number.
CHOOSERS: dict[str, type[Chooser]] = {chooser.name: chooser for chooser in (LeaveOneOut, CrossValidation)}

__all__ = ["CHOOSERS", "Chooser", "CrossValidation", "Curve", "LeaveOneOut", "Path", "Task"]
