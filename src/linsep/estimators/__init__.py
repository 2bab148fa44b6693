"""scikit-learn estimators: parameters in, attributes out."""

from linsep.estimators.choice import ChoicePerceptron
from linsep.estimators.linear import LinearClassifier
from linsep.estimators.specialised import LeastSquaresClassifier, LinearSVM, LogisticRegression

__all__ = ["ChoicePerceptron", "LeastSquaresClassifier", "LinearClassifier", "LinearSVM", "LogisticRegression"]
