"""Linear classification with a proof: fast solvers, and a certificate with every fit."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from linsep import errors
from linsep.later import later
from linsep.separability.ask import separability  # a function; it must stand here before anything loads its package

if TYPE_CHECKING:  # see _LATER
    from linsep.certify import Certificate, Verification, verify
    from linsep.config import show_config
    from linsep.diagnosis import Diagnosis
    from linsep.estimators import (
        ChoicePerceptron,
        GradientClassifier,
        HardMarginSVM,
        KernelSVM,
        LeastSquaresClassifier,
        LinearClassifier,
        LinearSVM,
        LogisticRegression,
        Perceptron,
        regularization_path,
    )
    from linsep.features import BagOfWords, PolynomialBasis, RadialBasis, SigmoidBasis, TableEncoder
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
    from linsep.inference import Clustered, Inference, ModelBased, Robust, infer
    from linsep.loading import load
    from linsep.model import LinearModel, LinearRule
    from linsep.online.gradient import GradientStatus
    from linsep.online.perceptron import PerceptronStatus
    from linsep.planning import Plan
    from linsep.problem.base import JointLoss, MarginLoss
    from linsep.problem.codes import OutputCodes
    from linsep.problem.reductions import Joint, OneVsOne, OneVsRest
    from linsep.selection import CrossValidation, Curve, LeaveOneOut, Path
    from linsep.separability import Separability
    from linsep.separability.max_margin import training_margin
    from linsep.separability.novikoff import novikoff_bound
    from linsep.solvers import Status
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
    "Verification",
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

#: Where each name comes from. Nothing is loaded before it is asked for: `linsep --help` needs none of it.
_LATER = {
    "linsep.certify": ("Certificate", "Verification", "verify"),
    "linsep.config": ("show_config",),
    "linsep.diagnosis": ("Diagnosis",),
    "linsep.estimators": (
        "ChoicePerceptron", "GradientClassifier", "HardMarginSVM", "KernelSVM", "LeastSquaresClassifier",
        "LinearClassifier", "LinearSVM", "LogisticRegression", "Perceptron", "regularization_path",
    ),
    "linsep.features": ("BagOfWords", "PolynomialBasis", "RadialBasis", "SigmoidBasis", "TableEncoder"),
    "linsep.geometry": (
        "DecisionRegions", "Hyperplane", "Margins", "bayes_rule", "class_posteriors", "functional_margin",
        "functional_margins", "gaussian_posteriors", "geometric_margin", "geometric_margins", "logistic_gradient",
        "margins",
    ),
    "linsep.inference": ("Clustered", "Inference", "ModelBased", "Robust", "infer"),
    "linsep.loading": ("load",),
    "linsep.model": ("LinearModel", "LinearRule"),
    "linsep.online.gradient": ("GradientStatus",),
    "linsep.online.perceptron": ("PerceptronStatus",),
    "linsep.planning": ("Plan",),
    "linsep.problem.base": ("JointLoss", "MarginLoss"),
    "linsep.problem.codes": ("OutputCodes",),
    "linsep.problem.reductions": ("Joint", "OneVsOne", "OneVsRest"),
    "linsep.selection": ("CrossValidation", "Curve", "LeaveOneOut", "Path"),
    "linsep.separability": ("Separability",),
    "linsep.separability.max_margin": ("training_margin",),
    "linsep.separability.novikoff": ("novikoff_bound",),
    "linsep.solvers": ("Status",),
    "linsep.tables": ("ReadOptions", "Schema", "Table", "read_table"),
}  # fmt: skip

#: Parts that are reached as attributes, as in `linsep.plot.regions(…)`.
_PACKAGES = frozenset({
    "certify", "diagnosis", "estimators", "export", "features", "geometry", "inference", "kernels", "model", "online",
    "plot", "problem", "quality", "report", "selection", "solvers", "storage", "tables", "workflow",
})  # fmt: skip

_find = later(__name__, {name: module for module, names in _LATER.items() for name in names})


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("linsep")
    return import_module(f"linsep.{name}") if name in _PACKAGES else _find(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PACKAGES})
