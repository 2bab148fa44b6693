"""NumPy's .npy format, version 1.0, for plain numbers: a strict reader, and a writer with one way to say each thing.

    \\x93NUMPY 1 0 | length of the header, uint16 | header, a Python dict padded with blanks | the entries, C order

The header is matched against the one form that NumPy writes, never evaluated; the shape must account for every byte
that follows, so that no size is believed before it is there. No objects, no structures, little-endian only.
"""

from __future__ import annotations

import re
from math import prod
from typing import Any

import numpy as np

from linsep.errors import InvalidFile

Array = np.ndarray[Any, Any]

_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(
    rb"\{'descr': '([<|][biufSmM]\d{1,9}(?:\[\d{0,9}[A-Za-z]{1,2}\])?)', 'fortran_order': False, "
    rb"'shape': \(((?:\d{1,18}(?:, \d{1,18})*,?)?)\), \} *\n"
)
_LONGEST_HEADER = 1024
_MOST_DIMENSIONS = 32
_KINDS = "biufSmM"
_SIZES = {"b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8), "m": (8,), "M": (8,)}


def storable(dtype: np.dtype[Any]) -> bool:
    """Whether entries of this type can be written: numbers that every machine has, byte strings, times."""
    if dtype.kind not in _KINDS or dtype.subdtype is not None:
        return False
    return dtype.itemsize > 0 if dtype.kind == "S" else dtype.itemsize in _SIZES[dtype.kind]


def to_bytes(array: Array) -> bytes:
    """The array as the content of a .npy file."""
    import io

    plain = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).reshape(array.shape)
    stream = io.BytesIO()
    np.lib.format.write_array(stream, plain, version=(1, 0), allow_pickle=False)
    return stream.getvalue()


def from_bytes(content: bytes, name: str) -> Array:
    """The array that a .npy file holds; refuses whatever is not exactly one."""
    if content[:8] != _MAGIC or len(content) < 10:
        raise InvalidFile(f"{name} is not a NumPy array of format 1.0")
    length = int.from_bytes(content[8:10], "little")
    header = _HEADER.fullmatch(content[10 : 10 + length]) if length <= _LONGEST_HEADER else None
    if header is None:
        raise InvalidFile(f"{name} has a header that no array of plain numbers in C order has")
    dtype = _dtype(header[1].decode("ascii"), name)
    shape = tuple(int(size) for size in header[2].split(b",") if size)
    if len(shape) > _MOST_DIMENSIONS:
        raise InvalidFile(f"{name} says that it has {len(shape)} dimensions; at most {_MOST_DIMENSIONS} are allowed")
    present = len(content) - 10 - length
    if prod(shape) * dtype.itemsize != present or any(size > present for size in shape if 0 not in shape):
        raise InvalidFile(
            f"{name} says that it has the shape {shape} of {dtype}, which is not the {present} bytes there"
        )
    try:
        array = np.frombuffer(content, dtype, offset=10 + length).reshape(shape).copy()
    except ValueError as problem:  # an empty array whose other dimensions are beyond any array
        raise InvalidFile(f"{name} says that it has the shape {shape}: {problem}") from None
    if dtype.kind == "b" and (array.view(np.uint8) > 1).any():
        raise InvalidFile(f"{name} holds truth values that are neither 0 nor 1")
    return array


def _dtype(text: str, name: str) -> np.dtype[Any]:
    try:
        dtype: np.dtype[Any] | None = np.dtype(text)
    except (TypeError, ValueError):
        dtype = None
    if dtype is None or not storable(dtype):
        raise InvalidFile(f"{name} holds entries of type {text!r}, which no file of linsep has")
    return dtype
