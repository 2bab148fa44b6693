"""Verdicts with witnesses: whether a hyperplane tells the classes apart, and the one of largest margin."""

from linsep.separability.judge import judge, separability
from linsep.separability.verdict import Combination, Separability, Verdict

__all__ = ["Combination", "Separability", "Verdict", "judge", "separability"]
