"""The registry of workloads: what is minimised, on which data, and the ratio asked of linsep.

Floors are ratios to the fastest peer in the same run, at 1e-4 and at 1e-6 alike. MNIST at lambda = 1/600 on
the mean loss over 60,000 rows is C = 1 / (60,000 / 600) = 0.01.
"""

from __future__ import annotations

from benchmarks.types import Workload

_ALL = (
    Workload("covtype", "logistic, covtype binary, float64", "covtype", "log", intercept=True, floor=3.0),
    Workload("covtype-f32", "logistic, covtype binary, float32", "covtype-f32", "log", intercept=True),
    Workload("dense", "logistic, generated dense tall", "dense", "log", intercept=True, floor=3.0),
    Workload("a9a", "logistic, a9a (small, sparse)", "a9a", "log", intercept=True, floor=1.0),
    Workload("kddcup99", "logistic, kddcup99 (nearly separable)", "kddcup99", "log", intercept=True),
    Workload("text", "logistic, sparse text, 45,000 columns", "text", "log", floor=1.6),
    Workload("text-wide", "logistic, sparse text, 440,000 columns", "text-wide", "log", floor=1.6),
    Workload("hinge-text", "hinge, sparse text, 45,000 columns", "text", "hinge", floor=1.5),
    Workload("hinge-text-wide", "hinge, sparse text, 440,000 columns", "text-wide", "hinge", floor=1.5),
    Workload("hinge-text-intercept", "hinge, sparse text, intercept", "text", "hinge", intercept=True),
    Workload("hinge-a9a", "hinge, a9a (small, sparse)", "a9a", "hinge"),
    Workload("sqhinge-text", "squared hinge, text, 45,000 columns", "text", "squared_hinge"),
    Workload("sqhinge-text-wide", "squared hinge, text, 440,000 columns", "text-wide", "squared_hinge"),
    Workload("mnist", "softmax, MNIST, float64", "mnist", "softmax", C=0.01, intercept=True, floor=3.0),
    Workload("mnist-f32", "softmax, MNIST, float32", "mnist-f32", "softmax", C=0.01, intercept=True, floor=5.0),
    Workload("covtype7", "softmax, covtype, 7 classes", "covtype7", "softmax", intercept=True),
    Workload("text20", "softmax, sparse text, 20 classes", "text20", "softmax", floor=2.0),
    Workload("banking77", "softmax, banking77, 77 classes", "banking77", "softmax", floor=2.0),
    Workload("l1-text", "L1 logistic, sparse text, 45,000 columns", "text", "log", floor=1.3, l1=True),
    Workload("l1-text-wide", "L1 logistic, sparse text, 440,000 columns", "text-wide", "log", floor=1.3, l1=True),
    Workload("l1-a9a", "L1 logistic, a9a (small, sparse)", "a9a", "log", intercept=True, floor=1.5, l1=True),
    Workload("l1-covtype", "L1 logistic, covtype binary", "covtype", "log", intercept=True, floor=1.5, l1=True),
    Workload("letter", "Crammer-Singer, letter, standardised", "letter", "crammer_singer", floor=1.0),
    Workload("letter-raw", "Crammer-Singer, letter, raw", "letter-raw", "crammer_singer", floor=1.0),
)
WORKLOADS: dict[str, Workload] = {workload.name: workload for workload in _ALL}
STAND_IN = "dense"  # run in the place of covtype where that is absent
QUICK = ("a9a", "text", "hinge-text", "letter")
