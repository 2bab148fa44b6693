"""Bases: functions of the features that make a linear classifier non-linear in them, with names that can be read.

Polynomials are scikit-learn's own; `PolynomialBasis` is that class under the name of its family here.
"""

from sklearn.preprocessing import PolynomialFeatures as PolynomialBasis

from linsep.features.centred import RadialBasis, SigmoidBasis

__all__ = ["PolynomialBasis", "RadialBasis", "SigmoidBasis"]
