"""Texts as the kernels read them: the UTF-8 of all of them in one array of bytes, and where each begins.

Lists of strings, NumPy and pandas columns, polars series and Arrow arrays are taken; Arrow memory is read in place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linsep.errors import InvalidData, InvalidType
from linsep.features.letters import ASCII, BEYOND_TABLES, UNICODE
from linsep.kernels import _parsing as parsing
from linsep.types import IntArray

#: First bytes from which on a code point takes two, three, four bytes, and the code points below those.
_REACH = ((0x80, ASCII), (0xE0, 0x800), (0xF0, 0x10000))
_BEYOND = [re.compile(letter.encode()) for letter in BEYOND_TABLES]


@dataclass(frozen=True, eq=False)
class Texts:
    """Text i is data[offsets[i] : offsets[i + 1]], in UTF-8."""

    data: NDArray[np.uint8]
    offsets: IntArray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def reach(self) -> int:
        """Above all code points of the texts: a bound by the longest of them in UTF-8."""
        largest = int(self.data.max(initial=0))
        return next((size for byte, size in _REACH if largest < byte), UNICODE)

    def strings(self) -> list[str]:
        """One Python string a text."""
        data, ends = self.data.tobytes(), self.offsets.tolist()
        parts = pairwise(ends)
        if data.isascii():
            whole = data.decode("ascii")
            return [whole[start:end] for start, end in parts]
        return [data[start:end].decode("utf-8", "surrogatepass") for start, end in parts]

    @classmethod
    def of(cls, strings: Sequence[str]) -> Texts:
        """The texts of a sequence of strings; anything else in it is refused by its row."""
        try:
            whole = "".join(strings)
        except TypeError:
            raise _not_a_text(strings) from None
        lengths = np.fromiter(map(len, strings), dtype=np.int64, count=len(strings))
        data = whole.encode("utf-8", "surrogatepass")
        if whole.isascii():
            return cls.joined(data, lengths)
        texts = cls(np.frombuffer(data, dtype=np.uint8), np.empty(len(lengths) + 1, dtype=np.int64))
        parsing.text_offsets(texts.data, lengths, texts.offsets)
        return texts

    @classmethod
    def joined(cls, data: bytes, lengths: IntArray) -> Texts:
        """Texts that stand one behind the other, with their lengths in bytes."""
        offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, out=offsets[1:])
        return cls(np.frombuffer(data, dtype=np.uint8), offsets)

    def with_lowered(self) -> Texts:
        """The same, with those texts in lower case that hold a letter whose lower case no table has."""
        data = self.data.tobytes()
        if data.isascii():
            return self
        found = [match.start() for letter in _BEYOND for match in letter.finditer(data)]
        if not found:
            return self
        changed = np.unique(np.searchsorted(self.offsets, found, side="right") - 1)
        parts, lengths, done = [], np.diff(self.offsets), int(self.offsets[0])
        for i in changed.tolist():
            start, end = int(self.offsets[i]), int(self.offsets[i + 1])
            lowered = data[start:end].decode("utf-8", "surrogatepass").lower().encode("utf-8", "surrogatepass")
            parts += [data[done:start], lowered]
            lengths[i], done = len(lowered), end
        return Texts.joined(b"".join([*parts, data[done : int(self.offsets[-1])]]), lengths)


def read_texts(X: Any) -> Texts:
    """Texts from whatever holds one string a row."""
    if isinstance(X, str | bytes):
        raise InvalidData(
            f"one {type(X).__name__} was given where texts are expected: Iterable over raw text documents expected, "
            "string object received. Give a list with the text in it"
        )
    module = type(X).__module__.partition(".")[0]
    reader = _READERS.get(module)
    if reader is not None:
        return reader(X)
    if not isinstance(X, Iterable):
        raise InvalidType(f"texts are a {type(X).__name__}; allowed is a list, a column or another iterable of strings")
    return Texts.of(X if isinstance(X, list | tuple) else list(X))


def _from_numpy(X: Any) -> Texts:
    column = _one_column(X, X.shape)
    return Texts.of(column.tolist())


def _from_pandas(X: Any) -> Texts:
    return Texts.of(_one_column(X, X.shape).tolist() if X.ndim == 1 else X.iloc[:, _only(X.shape)].tolist())


def _from_polars(X: Any) -> Texts:
    import polars as pl

    if isinstance(X, pl.DataFrame):
        X = X.to_series(_only(X.shape))
    if X.dtype in (pl.Categorical, pl.Enum):
        X = X.cast(pl.String)
    if X.dtype != pl.String or X.null_count():
        raise _not_a_text(X.to_list())
    lengths: IntArray = X.str.len_bytes().cast(pl.Int64).to_numpy()
    return Texts.joined(X.str.join("").item().encode() if len(X) else b"", lengths)


def _from_arrow(X: Any) -> Texts:
    import pyarrow as pa

    if isinstance(X, pa.ChunkedArray):
        X = X.combine_chunks() if X.num_chunks != 1 else X.chunk(0)
    if isinstance(X, pa.Table) or X.null_count or not _is_arrow_text(pa, X.type):
        raise _not_a_text(X.to_pylist())
    X = X.cast(pa.large_string())
    _, offsets, data = X.buffers()
    if offsets is None or data is None:
        return Texts.joined(b"", np.zeros(len(X), dtype=np.int64))
    ends = np.frombuffer(offsets, dtype=np.int64)[X.offset : X.offset + len(X) + 1]
    # the bytes from the first text to the last, and no others: a slice shares its memory with the whole
    return Texts(np.frombuffer(data, dtype=np.uint8)[int(ends[0]) : int(ends[-1])], ends - ends[0])


def _is_arrow_text(pa: Any, kind: Any) -> bool:
    view = getattr(pa.types, "is_string_view", lambda _: False)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or view(kind))


_READERS = {"numpy": _from_numpy, "pandas": _from_pandas, "polars": _from_polars, "pyarrow": _from_arrow}


def _only(shape: tuple[int, ...]) -> int:
    """The number of the one column there must be."""
    if len(shape) != 2 or shape[1] != 1:
        raise InvalidData(f"texts have shape {shape}; allowed is one column: take X[:, j], or a TableEncoder for all")
    return 0


def _one_column(X: Any, shape: tuple[int, ...]) -> Any:
    return X if len(shape) == 1 else X[:, _only(shape)]


def _not_a_text(rows: Iterable[Any]) -> InvalidType:
    for i, row in enumerate(rows):
        if not isinstance(row, str):
            return InvalidType(
                f"row {i} of the texts is {row!r}, a {type(row).__name__}; allowed are strings. "
                "Fill what is missing with the empty text ''"
            )
    return InvalidType("the texts are not strings")
