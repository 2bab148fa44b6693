"""What a letter is, what white space is, and lower case, for every code point: Python's own answers as tables.

    kinds   1: a letter of a word (``\\w`` of `re`), 2: white space (``\\s``)
    lower   the code point of its lower case

Two letters do not fit a table: İ, whose lower case is two code points, and Σ, whose lower case depends on what is
around it. Texts that have them are lowered by Python (`texts.py`), so that the tables never meet them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

WORD, SPACE = 1, 2
ASCII, UNICODE = 128, 0x110000
#: İ and Σ.
BEYOND_TABLES = "\u0130\u03a3"


@dataclass(frozen=True, eq=False)
class Letters:
    """The tables, for code points 0, …, len − 1."""

    kinds: NDArray[np.uint8]
    lower: NDArray[np.int32]


@cache
def letters(size: int, lowercase: bool) -> Letters:
    """The tables for the first `size` code points; ``lowercase=False``: every letter keeps its case."""
    codes = np.arange(size, dtype="<u4")
    text = _text(codes)
    kinds = np.zeros(size, dtype=np.uint8)
    for pattern, kind in ((r"\w+", WORD), (r"\s+", SPACE)):
        for run in re.finditer(pattern, text):
            kinds[run.start() : run.end()] |= kind
    lower = codes.astype(np.int32)
    if lowercase:
        for letter in BEYOND_TABLES:
            codes[codes == ord(letter)] = 0
        fixed = codes == 0
        lowered = np.frombuffer(_text(codes).lower().encode("utf-32-le", "surrogatepass"), dtype="<u4")
        lower = np.where(fixed, lower, lowered).astype(np.int32)
    return Letters(kinds, lower)


def _text(codes: NDArray[np.uint32]) -> str:
    return codes.tobytes().decode("utf-32-le", "surrogatepass")
