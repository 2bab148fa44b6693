"""Features: bases that make a linear classifier non-linear in them, words of texts, tables of mixed columns; each with
names that can be read.

Polynomials are scikit-learn's own; `PolynomialBasis` is that class under the name of its family here.
"""

from sklearn.preprocessing import PolynomialFeatures as PolynomialBasis

from linsep.features.centred import RadialBasis, SigmoidBasis
from linsep.features.encoder import Encoded, TableEncoder
from linsep.features.text import BagOfWords

__all__ = ["BagOfWords", "Encoded", "PolynomialBasis", "RadialBasis", "SigmoidBasis", "TableEncoder"]
