"""Generated documents: Zipf-distributed words, topics, noisy labels, tf-idf, rows of unit length.

A document of class c draws each word from a mixture: with probability `signal` (it varies from document
to document) from the lexicon of its class, with probability 0.25 from that of its topic, else from the
background. All three are Zipf laws over one vocabulary; topics and classes order it differently. Half of
the words at odd positions are then replaced by one of the usual followers of the word before, as in set
phrases. A share `noise` of the labels is replaced by random ones, so that no hyperplane explains them all.
Columns are the words (and pairs of neighbouring words) found in the most documents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

VOCABULARY = 200_000
TOPICS = 40
TOPIC_SHARE = 0.25
FOLLOWERS = 12


@dataclass(frozen=True)
class Corpus:
    """What a generated collection looks like; `pair_columns` is the number of columns for word pairs."""

    documents: int
    word_columns: int
    pair_columns: int
    mean_length: float
    classes: int
    signal: float
    noise: float
    seed: int


def generate(corpus: Corpus) -> tuple[sparse.csr_matrix, NDArray[np.int64]]:
    """Return the tf-idf matrix (float64, int32 indices) and the labels 0 .. classes - 1."""
    rng = np.random.default_rng(corpus.seed)
    truth = rng.integers(0, corpus.classes, corpus.documents)
    lengths = rng.lognormal(np.log(corpus.mean_length) - 0.18, 0.6, corpus.documents).clip(10).astype(int)
    document = np.repeat(np.arange(corpus.documents), lengths)
    words = _draw_words(corpus, truth, document, rng)
    counts = _count(document, words, corpus.documents, corpus.word_columns)
    if corpus.pair_columns:
        inside = document[1:] == document[:-1]
        pairs = (words[:-1] * VOCABULARY + words[1:])[inside]
        counts = sparse.hstack([counts, _count(document[1:][inside], pairs, corpus.documents, corpus.pair_columns)])
    labels = np.where(rng.random(corpus.documents) < corpus.noise, rng.integers(0, corpus.classes, len(truth)), truth)
    X = sparse.csr_matrix(TfidfTransformer().fit_transform(sparse.csr_matrix(counts)))
    X.sort_indices()
    return X, labels.astype(np.int64)


def _draw_words(
    corpus: Corpus, truth: NDArray[np.int64], document: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """One word for every position of every document."""
    signal = corpus.signal * rng.gamma(2.0, 0.5, corpus.documents)[document]
    topic = rng.integers(0, TOPICS, corpus.documents)
    rank = _zipf_ranks(len(document), rng)
    source = rng.random(len(document))
    orders = np.stack([_local_shuffle(rng) for _ in range(TOPICS + corpus.classes)])
    from_class = source < signal
    from_topic = ~from_class & (source < signal + TOPIC_SHARE)
    words = rank.copy()
    words[from_class] = orders[TOPICS + truth[document[from_class]], rank[from_class]]
    words[from_topic] = orders[topic[document[from_topic]], rank[from_topic]]
    return _add_phrases(words, rng)


def _add_phrases(words: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Replace half of the words at odd positions by a usual follower of the word before."""
    followers = _zipf_ranks(VOCABULARY * FOLLOWERS, rng).reshape(VOCABULARY, FOLLOWERS)
    odd = np.flatnonzero(rng.random(len(words) // 2) < 0.5) * 2 + 1
    choice = np.minimum(rng.geometric(0.3, len(odd)) - 1, FOLLOWERS - 1)
    words[odd] = followers[words[odd - 1], choice]
    return words


def _zipf_ranks(size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw ranks with probability in proportion to (rank + 2.7)^-1.05."""
    cumulative = np.cumsum((np.arange(VOCABULARY) + 2.7) ** -1.12)
    return np.asarray(np.searchsorted(cumulative, rng.random(size) * cumulative[-1]), dtype=np.int64)


def _local_shuffle(rng: np.random.Generator) -> NDArray[np.int64]:
    """A random order in which a word of rank r comes to a rank of about r^0.6 .. r^1.4, plus 30."""
    blurred = np.log(np.arange(VOCABULARY) + 30.0) + rng.normal(0.0, 1.2, VOCABULARY)
    return np.argsort(blurred).astype(np.int64)


def _count(document: NDArray[np.int64], token: NDArray[np.int64], documents: int, columns: int) -> sparse.csr_matrix:
    """Counts of the `columns` tokens that occur in the most documents; ties go to the smaller token."""
    kinds, column = np.unique(token, return_inverse=True)
    shape = (documents, len(kinds))
    counts = sparse.coo_matrix((np.ones(len(token)), (document, column)), shape=shape).tocsr()
    spread = np.bincount(counts.indices, minlength=len(kinds))
    kept = np.sort(np.argsort(-spread, kind="stable")[:columns])
    return sparse.csr_matrix(counts[:, kept])
