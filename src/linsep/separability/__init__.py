"""Verdicts with witnesses: whether a hyperplane tells the classes apart, and the one of largest margin."""

from typing import TYPE_CHECKING

from linsep.later import later
from linsep.separability.ask import separability

if TYPE_CHECKING:
    from linsep.separability.verdict import Combination, Separability, Verdict

__all__ = ["Combination", "Separability", "Verdict", "separability"]

__getattr__ = later(__name__, dict.fromkeys(("Combination", "Separability", "Verdict"), "linsep.separability.verdict"))
