"""Linear classification with a proof: fast solvers, and a certificate with every fit."""

from typing import Any

from linsep import errors
from linsep.certify import Certificate, Verdict, verify
from linsep.config import show_config
from linsep.estimators import KernelSVM, LeastSquaresClassifier, LinearClassifier, LinearSVM, LogisticRegression
from linsep.features import PolynomialBasis, RadialBasis, SigmoidBasis
from linsep.model import LinearModel
from linsep.problem.base import JointLoss, MarginLoss
from linsep.problem.codes import OutputCodes
from linsep.problem.reductions import Joint, OneVsOne, OneVsRest
from linsep.solvers import Status

__all__ = [
    "Certificate",
    "Joint",
    "JointLoss",
    "KernelSVM",
    "LeastSquaresClassifier",
    "LinearClassifier",
    "LinearModel",
    "LinearSVM",
    "LogisticRegression",
    "MarginLoss",
    "OneVsOne",
    "OneVsRest",
    "OutputCodes",
    "PolynomialBasis",
    "RadialBasis",
    "SigmoidBasis",
    "Status",
    "Verdict",
    "errors",
    "show_config",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":  # read only when asked for: finding it takes longer than the rest
        from importlib.metadata import version

        return version("linsep")
    raise AttributeError(f"module 'linsep' has no attribute {name!r}")
