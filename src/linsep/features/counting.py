"""From texts to rows of counts and weights: the calls of the kernels, in their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linsep.data.sparse_rows import SparseRows
from linsep.features.letters import letters
from linsep.features.texts import Texts
from linsep.features.word_settings import WordSettings
from linsep.kernels import _parsing as parsing
from linsep.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Found:
    """The words of the columns, in order: their spelling, in how many documents each is, how often in all."""

    words: Texts
    documents: IntArray
    total: IntArray


def reading(texts: Texts, settings: WordSettings, lowercase: bool) -> tuple[Texts, parsing.WordReading]:
    """How the kernel reads these texts, and the texts as it can read them."""
    texts = texts.with_lowered() if lowercase else texts
    stop = table(Texts.of(settings.stop_words)) if settings.stop_words else None
    tables = letters(texts.reach, lowercase)
    how = parsing.WordReading.of(tables.kinds, tables.lower, settings.analyzer, settings.sizes, stop)
    return texts, how


def table(words: Texts) -> parsing.WordTable:
    """The words by number."""
    return parsing.WordTable.of(words.data, words.offsets)


def found(counts: parsing.WordCounts, columns: int) -> Found:
    """What the counts know of their sorted words."""
    documents, total, sizes = (np.empty(columns, dtype=np.int64) for _ in range(3))
    counts.facts(documents, total, sizes)
    spelled = np.empty(int(sizes.sum()), dtype=np.uint8)
    counts.spell(spelled)
    return Found(Texts(spelled, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)), documents, total)


def most_frequent(weights: IntArray, limit: int) -> IntArray:
    """The columns of the `limit` largest weights, in rising order; of equal ones the first."""
    return np.sort(np.argsort(-weights, kind="stable")[:limit]).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Rows:
    """A matrix of counts in the making: CSR with 64-bit offsets."""

    indptr: IntArray
    indices: Any
    data: Any

    def documents(self, columns: int) -> IntArray:
        """In how many rows each column is."""
        return np.bincount(self.indices, minlength=columns).astype(np.int64)

    def weigh(self, idf: FloatArray | None, binary: bool, sublinear: bool, settings: WordSettings) -> None:
        """In place."""
        if idf is not None or binary or sublinear or settings.norm:
            how = (binary, sublinear, settings.norm)
            parsing.weigh_words(self.indptr, self.indices, self.data, idf, how, settings.threads)

    def finished(self, columns: int) -> SparseRows:
        """The rows, of so many columns."""
        return SparseRows(self.data, self.indices, self.indptr.astype(self.indices.dtype, copy=False), columns)


def rows(counts: parsing.WordCounts, documents: int, settings: WordSettings) -> Rows:
    """The counts as rows: columns rising within a row."""
    indptr = np.empty(documents + 1, dtype=np.int64)
    entries = counts.rows(indptr, settings.threads)
    indices = np.empty(entries, dtype=np.int32 if entries < 2**31 else np.int64)
    data = np.empty(entries, dtype=settings.dtype)
    counts.write(indptr, indices, data, settings.threads)
    return Rows(indptr, indices, data)


def inverse_document_frequency(documents: IntArray, rows: int, smooth: bool) -> FloatArray:
    """ln(n / df) + 1, n and df one larger if `smooth`."""
    with np.errstate(divide="ignore"):  # an unmet bucket that is not smoothed has weight infinity, and is never used
        idf: FloatArray = np.log((rows + smooth) / (documents + float(smooth))) + 1.0
    return idf
