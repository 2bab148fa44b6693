"""Features: bases that make a linear classifier non-linear in them, words of texts, tables of mixed columns; each with
names that can be read.

Polynomials are scikit-learn's own; `PolynomialBasis` is that class under the name of its family here. Nothing is loaded
before it is asked for: a command encodes tables without scikit-learn.
"""

from typing import TYPE_CHECKING

from linsep.later import later

if TYPE_CHECKING:
    from linsep.features.basis_columns import PolynomialBasis
    from linsep.features.centred import RadialBasis, SigmoidBasis
    from linsep.features.encoder import TableEncoder
    from linsep.features.encoding import Encoded, TableEncoding
    from linsep.features.text import BagOfWords

__all__ = ["BagOfWords", "Encoded", "PolynomialBasis", "RadialBasis", "SigmoidBasis", "TableEncoder", "TableEncoding"]

__getattr__ = later(
    __name__,
    {
        "BagOfWords": "linsep.features.text",
        "Encoded": "linsep.features.encoding",
        "PolynomialBasis": "linsep.features.basis_columns",
        "RadialBasis": "linsep.features.centred",
        "SigmoidBasis": "linsep.features.centred",
        "TableEncoder": "linsep.features.encoder",
        "TableEncoding": "linsep.features.encoding",
    },
)
