"""The word kernels in plain Python: the specification and the test oracle.

A text is a `str`; its terms are found with `re`, so that the tables of letters that the kernels are given are tested
by it too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from math import log, sqrt

import numpy as np

from linsep.types import FloatArray

Sizes = tuple[int, int, int]


def terms(text: str, unit: str, sizes: Sizes, lowercase: bool = True, stop: Iterable[str] = ()) -> list[str]:
    """The terms of one text. sizes: least and most units of a term, shortest word."""
    least, most, shortest = sizes
    text = text.lower() if lowercase else text
    if unit == "word":
        left_out = set(stop)
        words = [word for word in re.findall(r"\w+", text) if len(word) >= shortest and word not in left_out]
        return [" ".join(run) for run in _runs(words, least, most)]
    text = re.sub(r"\s\s+", " ", text)
    if unit == "char":
        return ["".join(run) for run in _runs(text, least, most)]
    padded = [f" {word} " for word in text.split()]
    whole = [word for word in padded if len(word) < least]
    return ["".join(run) for word in padded for run in _runs(word, least, most)] + whole


def _runs(units: Sequence[str], least: int, most: int) -> list[Sequence[str]]:
    return [units[i : i + n] for n in range(least, most + 1) for i in range(len(units) - n + 1)]


def count_words(bags: Sequence[Sequence[str]], least: int, most: int) -> tuple[list[str], list[dict[int, int]]]:
    """Sorted terms that are in least, …, most of the bags, and for every bag its columns with their counts."""
    documents = Counter(term for bag in bags for term in set(bag))
    words = sorted(term for term, count in documents.items() if least <= count <= most)
    return words, count_known_words(bags, words)


def count_known_words(bags: Sequence[Sequence[str]], words: Sequence[str]) -> list[dict[int, int]]:
    """For every bag the columns of the words with their counts."""
    column = {word: j for j, word in enumerate(words)}
    return [dict(sorted(Counter(column[term] for term in bag if term in column).items())) for bag in bags]


def count_hashed_words(bags: Sequence[Sequence[str]], buckets: int) -> list[dict[int, int]]:
    """For every bag its buckets with their counts."""
    return [dict(sorted(Counter(bucket_of(term, buckets) for term in bag).items())) for bag in bags]


def bucket_of(word: str, buckets: int) -> int:
    """|MurmurHash3, x86, 32 bits, seed 0, of the UTF-8| mod buckets."""
    data = word.encode("utf-8", "surrogatepass")
    whole, h = len(data) // 4 * 4, 0
    for i in range(0, whole, 4):
        h ^= _mixed(int.from_bytes(data[i : i + 4], "little"))
        h = (_turned(h, 13) * 5 + 0xE6546B64) % 2**32
    if len(data) > whole:
        h ^= _mixed(int.from_bytes(data[whole:], "little"))
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B % 2**32
    h = (h ^ h >> 13) * 0xC2B2AE35 % 2**32
    h ^= h >> 16
    return abs(h - 2**32 if h >= 2**31 else h) % buckets


def _turned(x: int, by: int) -> int:
    return (x << by | x >> 32 - by) % 2**32


def _mixed(k: int) -> int:
    return _turned(k * 0xCC9E2D51 % 2**32, 15) * 0x1B873593 % 2**32


def weigh_words(row: dict[int, int], idf: FloatArray | None, binary: bool, sublinear: bool, norm: int) -> FloatArray:
    """The weights of one row's columns, in order."""
    values = []
    for column, count in row.items():
        tf = 1.0 if binary else float(count)
        tf = log(tf) + 1.0 if sublinear else tf
        values.append(tf if idf is None else tf * float(idf[column]))
    size = {0: 1.0, 1: sum(values), 2: sqrt(sum(value * value for value in values))}[norm]
    return np.array(values) / (size or 1.0)
