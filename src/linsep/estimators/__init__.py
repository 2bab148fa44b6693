"""scikit-learn estimators: parameters in, attributes out."""

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
