"""scikit-learn estimators: parameters in, attributes out."""

from typing import TYPE_CHECKING

from linsep.later import later

if TYPE_CHECKING:
    from linsep.estimators.choice import ChoicePerceptron
    from linsep.estimators.gradient import GradientClassifier
    from linsep.estimators.hard_margin import HardMarginSVM
    from linsep.estimators.kernel_svm import KernelSVM
    from linsep.estimators.linear import LinearClassifier
    from linsep.estimators.path import regularization_path
    from linsep.estimators.perceptron import Perceptron
    from linsep.estimators.specialised import LeastSquaresClassifier, LinearSVM, LogisticRegression

__all__ = [
    "ChoicePerceptron",
    "GradientClassifier",
    "HardMarginSVM",
    "KernelSVM",
    "LeastSquaresClassifier",
    "LinearClassifier",
    "LinearSVM",
    "LogisticRegression",
    "Perceptron",
    "regularization_path",
]

__getattr__ = later(
    __name__,
    {
        "ChoicePerceptron": "linsep.estimators.choice",
        "GradientClassifier": "linsep.estimators.gradient",
        "HardMarginSVM": "linsep.estimators.hard_margin",
        "KernelSVM": "linsep.estimators.kernel_svm",
        "LeastSquaresClassifier": "linsep.estimators.specialised",
        "LinearClassifier": "linsep.estimators.linear",
        "LinearSVM": "linsep.estimators.specialised",
        "LogisticRegression": "linsep.estimators.specialised",
        "Perceptron": "linsep.estimators.perceptron",
        "regularization_path": "linsep.estimators.path",
    },
)
