"""Texts to tf-idf weights: generated texts of Zipf-distributed words, read by linsep and by scikit-learn's vectorizer.

A word's length grows with its rank, as in real text; one text in ten has a letter beyond ASCII.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from benchmarks.entrants import OURS
from benchmarks.text import VOCABULARY, _zipf_ranks

DOCUMENTS, WORDS = 8_000, 150
LETTERS = "etaoinshrdlucmfwygpbvkxqjz"

#: The runs of words of each row of the table, and what is timed.
ROWS: dict[str, tuple[tuple[int, int], str]] = {
    "text-words": ((1, 1), "fit_transform"),
    "text-words-again": ((1, 1), "transform"),
    "text-bigrams": ((1, 2), "fit_transform"),
    "text-bigrams-again": ((1, 2), "transform"),
}


def calls(name: str, threads: int, peer: str) -> dict[str, Callable[[], Any]]:
    """The call of each side on the same texts."""
    ngrams, method = ROWS[name]
    vectorizer = importlib.import_module("sklearn.feature_extraction.text").TfidfVectorizer
    sides = {peer: vectorizer(ngram_range=ngrams)}
    if importlib.util.find_spec("linsep") is not None:
        sides[OURS] = importlib.import_module("linsep").BagOfWords(ngram_range=ngrams, n_jobs=threads)
    found = texts()
    return {side: _call(model.fit(found), method, found) for side, model in sides.items()}


def _call(model: Any, method: str, given: list[str]) -> Callable[[], Any]:
    return lambda: getattr(model, method)(given)


@cache
def texts() -> list[str]:
    """The same for every call."""
    rng = np.random.default_rng(0)
    spelled = np.array([_spell(rank) for rank in range(VOCABULARY)], dtype=object)
    drawn = spelled[_zipf_ranks(DOCUMENTS * WORDS, rng)].reshape(DOCUMENTS, WORDS)
    return [" ".join(row) + (" é." if j % 10 == 0 else ".") for j, row in enumerate(drawn)]


def _spell(rank: int) -> str:
    """At least two letters; frequent words are short."""
    word, left = "", rank + len(LETTERS)
    while left:
        left, letter = divmod(left, len(LETTERS))
        word += LETTERS[letter] + "aeiou"[(left + letter) % 5]
    return word
