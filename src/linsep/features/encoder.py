"""TableEncoder: `TableEncoding` behind scikit-learn's interface."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin

from linsep.data.sparse_rows import as_scipy
from linsep.features.encoding import Encoded, TableEncoding
from linsep.types import FloatArray


class TableEncoder(TableEncoding, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A table of numbers, categories, booleans, dates and texts to the design of a linear model.

    Parameters
    ----------
    schema : Schema or None, default=None
        The type of every column; None: that of the `Table` given, or by what the columns hold.
    rare : int, default=5
        Levels of a category that fewer training rows have share one column, "(rare)".
    unseen : {"rare", "zero", "error"}, default="rare"
        What a level is that training did not have: rare (where a category has no rare levels, none), none, an error.
    most_levels : int, default=1000
        Columns for the levels of a category; further levels are rare, and a note says so.
    reference : bool, default=False
        Leave out the most frequent level of each category: for fits without a penalty.
    text : BagOfWords or None, default=None
        How texts are read, each column by a copy of its own; None: ``BagOfWords()``.
    interactions : sequence of tuples of names, default=()
        Products of two columns; of three or more names, all pairs.
    bases : mapping or None, default=None
        From a name or a tuple of names of numeric columns to a basis over them.
    dtype : float32 or float64, default=float64

    Attributes
    ----------
    schema_ : Schema
    columns_ : tuple of EncodedColumn
        Every column of the design with its source, kind, unit, centre and scale.
    sparse_ : bool
        Whether designs are CSR: fewer than a quarter of the training entries are not 0.
    notes_ : tuple of str
        What should be known of the training rows.
    feature_names_in_, n_features_in_
        As everywhere in scikit-learn.

    >>> from linsep import TableEncoder
    >>> table = {"age": [20, 40, None, 30], "city": ["Rome", "Oslo", "Rome", "Rome"]}
    >>> encoder = TableEncoder(rare=1).fit(table)
    >>> [column.name for column in encoder.columns_]
    ['age', 'age is missing', 'city=Oslo', 'city=Rome']
    >>> encoder.encode({"city": ["Paris"], "age": [30.0], "extra": [1]}).notes  # doctest: +NORMALIZE_WHITESPACE
    ("column 'extra' was not in training: left out",
     "column 'city': 1 row with a level that training did not have ('Paris'): no level is set")
    """

    def fit_transform(self, X: Any, y: Any = None) -> FloatArray | sparse.csr_matrix:
        """The same as fit, then transform, with one reading of the texts."""
        return as_scipy(self.fit_rows(X))

    def transform(self, X: Any) -> FloatArray | sparse.csr_matrix:
        """The design of the rows; `encode` gives notes with it."""
        return self.encode(X).matrix

    def encode(self, X: Any, *, scaled: bool = True) -> Encoded:
        """The design, its columns, and notes: columns that were left out, levels not seen, missing values filled.

        ``scaled=False`` gives the columns in the user's units, which `in_units` speaks of.
        """
        encoded = self.rows(X, scaled=scaled)
        return replace(encoded, matrix=as_scipy(encoded.matrix))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.categorical = False, True
        tags.input_tags.string = tags.input_tags.allow_nan = True
        return tags

    def __getstate__(self) -> Any:
        return {**super().__getstate__(), "_columns": None}
