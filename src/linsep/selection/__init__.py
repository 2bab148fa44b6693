"""The choice of α: left-out loss against α, and the rules that pick a value from the curve."""

from linsep.selection.chooser import Chooser, Task
from linsep.selection.curve import Curve

__all__ = ["Chooser", "Curve", "Task"]
