"""The perceptron: mistake-driven and delta rules, primal and dual, with the record of every run."""

from linsep.online.perceptron.dual import DualResult, KernelRows, run_dual
from linsep.online.perceptron.plan import MULTICLASS, ORDERS, POCKETS, RULES, TIES, PerceptronStatus, Plan
from linsep.online.perceptron.primal import PrimalResult, column_means, predicted, run_primal

__all__ = [
    "MULTICLASS",
    "ORDERS",
    "POCKETS",
    "RULES",
    "TIES",
    "DualResult",
    "KernelRows",
    "PerceptronStatus",
    "Plan",
    "PrimalResult",
    "column_means",
    "predicted",
    "run_dual",
    "run_primal",
]
