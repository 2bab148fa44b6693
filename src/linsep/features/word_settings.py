"""The settings of a bag of words, checked before any work."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor
from numbers import Integral, Real
from typing import Any

import numpy as np

from linsep.errors import InvalidData, InvalidParameter, InvalidType, check_flag, unknown_name
from linsep.kernels.threads import resolve_threads

ANALYZERS = ("char", "char_wb", "word")
#: The number by which the kernel knows each norm.
NORMS: dict[str | None, int] = {None: 0, "l1": 1, "l2": 2}
DTYPES = ("float32", "float64")
MOST = 2**31 - 1  # what the kernels count to


@dataclass(frozen=True)
class WordSettings:
    """What the parameters of `BagOfWords` mean."""

    analyzer: str
    sizes: tuple[int, int, int]  # least and most units in a term, shortest word
    stop_words: tuple[str, ...]
    norm: int
    dtype: type[np.float32] | type[np.float64]
    threads: int


def check(bag: Any) -> WordSettings:
    """The settings of a `BagOfWords`; an error names the parameter, what was given, and what is allowed."""
    if bag.analyzer not in ANALYZERS:
        raise unknown_name("analyzer", bag.analyzer, ANALYZERS)
    for name in ("lowercase", "binary", "use_idf", "smooth_idf", "sublinear_tf"):
        check_flag(name, getattr(bag, name))
    if bag.norm is not None and bag.norm not in NORMS:
        raise unknown_name("norm", bag.norm, [n for n in NORMS if n])
    _check_hashing(bag)
    shortest, kept = whole("shortest", bag.shortest), whole("words_kept", bag.words_kept)
    least, most = ngram_range(bag.ngram_range)
    return WordSettings(
        bag.analyzer, (least, most, shortest), stop_words(bag.stop_words), NORMS[bag.norm], kind(bag.dtype),
        resolve_threads(bag.n_jobs) if kept else 1,
    )  # fmt: skip


def _check_hashing(bag: Any) -> None:
    if bag.max_features is not None:
        whole("max_features", bag.max_features)
    for name in ("min_df", "max_df"):
        _check_frequency(name, getattr(bag, name))
    if bag.buckets is None:
        return
    whole("buckets", bag.buckets)
    given = {"min_df": bag.min_df != 1, "max_df": bag.max_df != 1.0, "max_features": bag.max_features is not None}
    if chosen := [name for name, is_given in given.items() if is_given]:
        raise InvalidParameter(
            f"{chosen[0]}={getattr(bag, chosen[0])!r} with buckets={bag.buckets!r}: hashing keeps every word. "
            f"Leave out {chosen[0]}, or leave out buckets for a vocabulary"
        )


def _check_frequency(name: str, given: Any) -> None:
    share = isinstance(given, Real) and not isinstance(given, Integral) and 0.0 <= float(given) <= 1.0
    number = isinstance(given, Integral) and not isinstance(given, bool) and int(given) >= 1
    if not share and not number:
        raise InvalidParameter(
            f"{name}={given!r}: allowed are a whole number of documents >= 1, and a share of them from 0.0 to 1.0"
        )


def document_limits(min_df: Any, max_df: Any, documents: int) -> tuple[int, int]:
    """In how many documents a word must and may be."""
    low, high = (float(df if isinstance(df, Integral) else df * documents) for df in (min_df, max_df))
    if high < low:
        raise InvalidData(
            f"max_df={max_df!r} means {high:g} of {documents} documents, fewer than min_df={min_df!r}, {low:g}: "
            "raise max_df or lower min_df"
        )
    return ceil(low), floor(high)


def whole(name: str, given: Any, least: int = 1) -> int:
    """A whole number from `least` to `MOST`."""
    if isinstance(given, bool | np.bool_) or not isinstance(given, Integral):
        raise InvalidType(f"{name}={given!r} is a {type(given).__name__}; allowed is a whole number >= {least}")
    if not least <= int(given) <= MOST:
        raise InvalidParameter(f"{name}={given!r}: allowed is a whole number >= {least}, and at most {MOST}")
    return int(given)


def ngram_range(given: Any) -> tuple[int, int]:
    """(least, most), 1 ≤ least ≤ most."""
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise InvalidParameter(f"ngram_range={given!r}: allowed is a pair (least, most), as (1, 2)")
    least, most = (whole("ngram_range", n) for n in given)
    if least > most or most > 1000:
        raise InvalidParameter(f"ngram_range={given!r}: allowed is a pair 1 <= least <= most <= 1000")
    return least, most


def stop_words(given: Any) -> tuple[str, ...]:
    """The words themselves; "english" is scikit-learn's list."""
    if given is None:
        return ()
    if isinstance(given, str):
        if given != "english":
            raise unknown_name("stop_words", given, ["english"])
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return tuple(sorted(ENGLISH_STOP_WORDS))
    if not isinstance(given, Iterable) or not all(isinstance(word, str) for word in given):
        raise InvalidType(f"stop_words={given!r}; allowed are None, 'english' and a list of strings")
    return tuple(sorted(set(given)))


def kind(given: Any) -> type[np.float32] | type[np.float64]:
    """float32 or float64."""
    try:
        name = np.dtype(given).name
    except TypeError:
        name = str(given)
    if name not in DTYPES:
        raise unknown_name("dtype", name, DTYPES)
    return np.float32 if name == "float32" else np.float64
