"""BagOfWords: `Bag` behind scikit-learn's interface."""

from __future__ import annotations

from typing import Any

from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin

from linsep.features.bag import Bag


class BagOfWords(Bag, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Texts to counts or tf-idf weights of words, runs of words or runs of characters.

    Parameters
    ----------
    analyzer : {"word", "char", "char_wb"}, default="word"
        Words are runs of letters, digits and underscores; "char" takes runs of characters of the whole text, "char_wb"
        within words, a space before and after each.
    ngram_range : (int, int), default=(1, 1)
        How many words or characters a term has, at least and at most.
    lowercase : bool, default=True
        As Python's `str.lower`.
    shortest : int, default=2
        Characters a word has at least.
    stop_words : None, "english" or list of str, default=None
        Words to leave out, before runs are made.
    min_df, max_df : int or float, default=1 and 1.0
        In how many documents (int), or in which share of them (float), a term must and may be.
    max_features : int or None, default=None
        Only the terms met most often; of equally frequent ones the first in the alphabet.
    buckets : int or None, default=None
        Hash terms into so many columns instead of keeping a vocabulary.
    words_kept : int, default=10
        With `buckets`: how many words of a bucket are remembered, the most frequent.
    binary, use_idf, smooth_idf, sublinear_tf : bool, default=False, True, True, False
        See the formulas; counts are ``use_idf=False, norm=None``.
    norm : {"l2", "l1", None}, default="l2"
        What every row is divided by.
    dtype : float32 or float64, default=float64
    n_jobs : int or None, default=None
        Threads; the result is the same for any number.

    Attributes
    ----------
    idf_ : array of shape (columns,), or None without `use_idf`
    document_frequency_ : array of shape (columns,)
        In how many training texts each column is.
    n_documents_ : int
    words_ : Texts or None
        The vocabulary in order, as UTF-8; `get_feature_names_out` gives strings.
    buckets_ : Buckets or None
        The words behind hashed columns.

    >>> from linsep import BagOfWords
    >>> bag = BagOfWords(use_idf=False, norm=None)
    >>> bag.fit_transform(["Free prize, free call", "call me"]).toarray()
    array([[1., 2., 0., 1.],
           [1., 0., 1., 0.]])
    >>> bag.get_feature_names_out()
    array(['call', 'free', 'me', 'prize'], dtype=object)
    """

    def fit_transform(self, X: Any, y: Any = None) -> sparse.csr_matrix:
        """The same as fit, then transform, with one reading of the texts."""
        return self.fit_rows(X).scipy()

    def transform(self, X: Any) -> sparse.csr_matrix:
        """One row a text, (n, columns), float64 or float32; words that were not met in training are left out."""
        return self.rows(X).scipy()

    def __getstate__(self) -> Any:
        return {**super().__getstate__(), "_known": None}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        return tags
