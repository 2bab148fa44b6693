"""scikit-learn estimators: parameters in, attributes out."""

from linsep.estimators.linear import LinearClassifier
from linsep.estimators.perceptron import Perceptron
from linsep.estimators.specialised import LeastSquaresClassifier, LinearSVM, LogisticRegression

__all__ = ["LeastSquaresClassifier", "LinearClassifier", "LinearSVM", "LogisticRegression", "Perceptron"]
