"""scikit-learn estimators: parameters in, attributes out."""

from linsep.estimators.kernel_svm import KernelSVM
from linsep.estimators.linear import LinearClassifier
from linsep.estimators.specialised import LeastSquaresClassifier, LinearSVM, LogisticRegression

__all__ = ["KernelSVM", "LeastSquaresClassifier", "LinearClassifier", "LinearSVM", "LogisticRegression"]
