"""Error-correcting output codes: every class has a code word, every bit of the words is a binary problem.

The codebook C is K × m with entries ±1; task j asks for the sign C[y, j]. A row with scores s is given to the
class whose word fits best,

    loss      −1/m Σⱼ ℓ(C[k, j] sⱼ), up to a term that all classes share:  1/m Σⱼ C[k, j] (ℓ(−sⱼ) − ℓ(sⱼ)) / 2
    hamming   the number of signs that agree, ties broken by the former

Up to (δ − 1)/2 wrong bits are corrected, δ the smallest distance between two words. So the codebook is the
best of several random ones, whose columns are distinct, also up to their sign, and none constant; where there
are no more than m such columns, it has them all (the exhaustive code). Allwein, Schapire and Singer, Reducing
multiclass to binary, JMLR 1, 2000.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linsep.data.labels import Labels
from linsep.errors import InvalidParameter
from linsep.kernels.threads import single_threaded_blas
from linsep.problem.base import MarginLoss
from linsep.problem.reductions import Reduction, Task, break_ties
from linsep.types import FloatArray

Codebook = NDArray[np.int8]

_TRIALS = 32
_SMALL = 12  # classes for which all columns are listed
_HUGE = 1e150


@dataclass(frozen=True)
class OutputCodes(Reduction):
    """size: bits a word, by default 10·log₂K or as many as there are; seed: of the codebook."""

    name = "ecoc"
    size: int | None = None
    decode: str = "loss"
    seed: int = 0

    def __post_init__(self) -> None:
        if self.decode not in ("loss", "hamming"):
            raise InvalidParameter(f"decode={self.decode!r}: allowed are 'loss' and 'hamming'")
        if self.size is not None and (type(self.size) is not int or self.size < 1):
            raise InvalidParameter(f"size={self.size!r}: give a whole number of bits a code word, or None")

    def count(self, n_classes: int) -> int:
        return min(self.size or ceil(10 * log2(n_classes)), _most_columns(n_classes))

    def refusal(self, n_classes: int, n_features: int) -> str | None:
        fewest, most = _fewest(n_classes), _most_columns(n_classes)
        if self.size is None or fewest <= self.size <= most:
            return None
        if self.size < fewest:
            return f"{self.size} bits cannot tell {n_classes} classes apart; give at least size={fewest}"
        return f"{n_classes} classes can be split in two in only {most} ways, so size={self.size} is too many"

    def codebook(self, n_classes: int) -> Codebook:
        """The words of the classes, one a row."""
        return make_codebook(n_classes, self.count(n_classes), self.seed)

    def reduce(self, labels: Labels) -> Iterator[Task]:
        book = self.codebook(len(labels.classes))
        for column in book.T:
            yield Task(None, column.astype(np.float64)[labels.codes])

    def retrieve(self, scores: FloatArray, n_classes: int, loss: MarginLoss) -> FloatArray:
        words = self.codebook(n_classes).T.astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            evidence = 0.5 * (loss.value(-scores) - loss.value(scores))
        by_loss: FloatArray = np.clip(evidence, -_HUGE, _HUGE) @ words / len(words)
        if self.decode == "loss":
            return by_loss
        agreeing = 0.5 * (np.where(scores > 0.0, 1.0, -1.0) @ words + len(words))
        return break_ties(agreeing, by_loss)

    def describe(self, task: int, classes: np.ndarray[Any, Any]) -> str:
        positive = classes[self.codebook(len(classes))[:, task] > 0]
        shown = ", ".join(str(c) for c in positive[:5]) + (", …" if len(positive) > 5 else "")
        return f"bit {task} of the code words (1 for class {shown})"


def _most_columns(n_classes: int) -> int:
    """Splits of K classes in two non-empty parts; capped where nobody counts."""
    return int(2 ** (min(n_classes, 62) - 1) - 1)


def _fewest(n_classes: int) -> int:
    return ceil(log2(n_classes))


@lru_cache(maxsize=8)
def make_codebook(n_classes: int, bits: int, seed: int) -> Codebook:
    """K words of `bits` bits, the first class all 1; of many random ones the best separated; read-only."""
    random = np.random.default_rng(seed)
    if n_classes <= _SMALL and bits == _most_columns(n_classes):
        book = _every_column(n_classes)
    else:
        with single_threaded_blas():  # many small products
            book = max(_candidates(n_classes, bits, random), key=separation)
    book.flags.writeable = False
    return book


def separation(book: Codebook) -> int:
    """The smallest number of bits in which two words differ."""
    words = book.astype(np.float32)
    agreement = words @ words.T
    np.fill_diagonal(agreement, -np.inf)
    return int(0.5 * (book.shape[1] - float(agreement.max())) + 0.5)


def _candidates(n_classes: int, bits: int, random: np.random.Generator) -> Iterator[Codebook]:
    """Usable codebooks: some of all columns where K is small, and random words."""
    if n_classes <= _SMALL:
        every = _every_column(n_classes)
        for _ in range(4 * _TRIALS):
            book = every[:, random.permutation(every.shape[1])[:bits]]
            if separation(book) > 0:
                yield book
    # the fewest bits are a matter of luck for random columns, and always found by random words
    found = 0 if n_classes > _SMALL or bits == _fewest(n_classes) else _TRIALS
    while found < _TRIALS:
        book = _random_words(n_classes, bits, random)
        if _usable(book):
            found += 1
            yield book


def _every_column(n_classes: int) -> Codebook:
    """All splits of the classes in two, the first class always on the side of 1."""
    numbers = np.arange(1, _most_columns(n_classes) + 1)
    zeros = (numbers >> np.arange(n_classes)[:, None]) & 1
    return (1 - 2 * zeros[::-1]).astype(np.int8)


def _random_words(n_classes: int, bits: int, random: np.random.Generator) -> Codebook:
    """K words; where few words exist, K different ones."""
    if bits <= 16:
        numbers = random.permutation(2**bits)[:n_classes, None] >> np.arange(bits)
        book = (1 - 2 * (numbers & 1)).astype(np.int8)
    else:
        book = random.integers(0, 2, (n_classes, bits), dtype=np.int8) * np.int8(2) - np.int8(1)
    book *= book[0].copy()
    return book


def _usable(book: Codebook) -> bool:
    """No column constant or there twice (class 0 has all 1, so signs are settled), no word there twice."""
    constant = bool((book == 1).all(axis=0).any())
    different = len({column.tobytes() for column in book.T}) == book.shape[1]
    return not constant and different and separation(book) > 0
