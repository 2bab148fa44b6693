"""scikit-learn estimators: parameters in, attributes out."""

from linsep.estimators.gradient import GradientClassifier
from linsep.estimators.linear import LinearClassifier
from linsep.estimators.specialised import LeastSquaresClassifier, LinearSVM, LogisticRegression

__all__ = ["GradientClassifier", "LeastSquaresClassifier", "LinearClassifier", "LinearSVM", "LogisticRegression"]
