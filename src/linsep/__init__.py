"""Linear classification with a proof: fast solvers, and a certificate with every fit."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from linsep import errors
from linsep.certify import Certificate, Verdict, verify
from linsep.config import show_config
from linsep.diagnosis import Diagnosis
from linsep.estimators import LeastSquaresClassifier, LinearClassifier, LinearSVM, LogisticRegression
from linsep.geometry import (
    DecisionRegions,
    Hyperplane,
    Margins,
    bayes_rule,
    class_posteriors,
    functional_margin,
    functional_margins,
    gaussian_posteriors,
    geometric_margin,
    geometric_margins,
    logistic_gradient,
    margins,
)
from linsep.later import later
from linsep.loading import load
from linsep.model import LinearModel, LinearRule
from linsep.problem.base import JointLoss, MarginLoss
from linsep.problem.codes import OutputCodes
from linsep.problem.reductions import Joint, OneVsOne, OneVsRest
from linsep.selection import CrossValidation, Curve, LeaveOneOut, Path
from linsep.separability import Separability, separability
from linsep.separability.max_margin import training_margin
from linsep.separability.novikoff import novikoff_bound
from linsep.solvers import Status

if TYPE_CHECKING:  # see _LATER
    from linsep.estimators import (
        ChoicePerceptron,
        GradientClassifier,
        HardMarginSVM,
        KernelSVM,
        Perceptron,
        regularization_path,
    )
    from linsep.features import BagOfWords, PolynomialBasis, RadialBasis, SigmoidBasis, TableEncoder
    from linsep.inference import Clustered, Inference, ModelBased, Robust, infer
    from linsep.online.gradient import GradientStatus
    from linsep.online.perceptron import PerceptronStatus
    from linsep.planning import Plan
    from linsep.tables import ReadOptions, Schema, Table, read_table

__all__ = [
    "BagOfWords",
    "Certificate",
    "ChoicePerceptron",
    "Clustered",
    "CrossValidation",
    "Curve",
    "DecisionRegions",
    "Diagnosis",
    "GradientClassifier",
    "GradientStatus",
    "HardMarginSVM",
    "Hyperplane",
    "Inference",
    "Joint",
    "JointLoss",
    "KernelSVM",
    "LeastSquaresClassifier",
    "LeaveOneOut",
    "LinearClassifier",
    "LinearModel",
    "LinearRule",
    "LinearSVM",
    "LogisticRegression",
    "MarginLoss",
    "Margins",
    "ModelBased",
    "OneVsOne",
    "OneVsRest",
    "OutputCodes",
    "Path",
    "Perceptron",
    "PerceptronStatus",
    "Plan",
    "PolynomialBasis",
    "RadialBasis",
    "ReadOptions",
    "Robust",
    "Schema",
    "Separability",
    "SigmoidBasis",
    "Status",
    "Table",
    "TableEncoder",
    "Verdict",
    "bayes_rule",
    "class_posteriors",
    "errors",
    "functional_margin",
    "functional_margins",
    "gaussian_posteriors",
    "geometric_margin",
    "geometric_margins",
    "infer",
    "load",
    "logistic_gradient",
    "margins",
    "novikoff_bound",
    "read_table",
    "regularization_path",
    "separability",
    "show_config",
    "training_margin",
    "verify",
]


_LATER = {
    "linsep.estimators": (
        "ChoicePerceptron", "GradientClassifier", "HardMarginSVM", "KernelSVM", "Perceptron", "regularization_path",
    ),
    "linsep.features": ("BagOfWords", "PolynomialBasis", "RadialBasis", "SigmoidBasis", "TableEncoder"),
    "linsep.inference": ("Clustered", "Inference", "ModelBased", "Robust", "infer"),
    "linsep.online.gradient": ("GradientStatus",),
    "linsep.online.perceptron": ("PerceptronStatus",),
    "linsep.planning": ("Plan",),
    "linsep.tables": ("ReadOptions", "Schema", "Table", "read_table"),
}  # fmt: skip

_find = later(__name__, {name: module for module, names in _LATER.items() for name in names})


def __getattr__(name: str) -> Any:
    if name == "__version__":  # read only when asked for: finding it takes longer than the rest
        from importlib.metadata import version

        return version("linsep")
    if name in ("export", "plot", "report"):  # need packages that not everybody has
        return import_module(f"linsep.{name}")
    return _find(name)
