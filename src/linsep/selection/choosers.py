"""The ways to choose α, by the names that the parameter `alpha` of an estimator has for them."""

from linsep.selection.chooser import Chooser
from linsep.selection.folds import CrossValidation
from linsep.selection.leave_one_out import LeaveOneOut

CHOOSERS: dict[str, type[Chooser]] = {chooser.name: chooser for chooser in (LeaveOneOut, CrossValidation)}
