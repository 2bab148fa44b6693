"""The perceptron: mistake-driven and delta rules, primal and dual, with the record of every run."""

from linsep.online.perceptron.dual import (
    DualResult,
    KernelRows,
    kernel_scores,
    kernel_space,
    linear_weights,
    rows_to_score,
    run_dual,
)
from linsep.online.perceptron.plan import MULTICLASS, ORDERS, POCKETS, RULES, TIES, PerceptronStatus, Plan, Result
from linsep.online.perceptron.primal import PrimalResult, column_means, predicted, run_primal, stable_rate
from linsep.online.perceptron.theorem import Circumstances, Judged, bounds, judged, unaltered, why_no_bound

__all__ = [
    "MULTICLASS",
    "ORDERS",
    "POCKETS",
    "RULES",
    "TIES",
    "Circumstances",
    "DualResult",
    "Judged",
    "KernelRows",
    "PerceptronStatus",
    "Plan",
    "PrimalResult",
    "Result",
    "bounds",
    "column_means",
    "judged",
    "kernel_scores",
    "kernel_space",
    "linear_weights",
    "predicted",
    "rows_to_score",
    "run_dual",
    "run_primal",
    "stable_rate",
    "unaltered",
    "why_no_bound",
]
