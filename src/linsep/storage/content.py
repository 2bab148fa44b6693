"""A record as JSON and a set of arrays, and back.

JSON keeps null, true, false, strings, whole numbers and finite fractions as they are, and lists of them. The rest:

    inf, −inf, nan            {"$number": "inf"}
    an array of numbers       {"$array": "arrays/weights.npy"}, named after its place in the record
    an array of strings       {"$strings": [...], "shape": [...], "width": 7}      width null: dtype object
    a key that begins with $  begins with $$

A tuple becomes a list, a NumPy scalar the number that it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from math import isfinite, prod
from typing import Any, TypeAlias

import numpy as np

from linsep.errors import InvalidFile, InvalidType
from linsep.storage import npy
from linsep.storage.limits import Limits

Array = np.ndarray[Any, Any]
Record: TypeAlias = dict[str, Any]

_SPECIAL = {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}
_MOST_DIGITS = 1000
_LONGEST_NAME = 80


# -- to JSON ------------------------------------------------------------------------------------------------


@dataclass
class Writer:
    """Collects the arrays while values become JSON; `arrays` by the names of their members."""

    limits: Limits
    arrays: dict[str, Array] = field(default_factory=dict)

    def text(self, record: Record) -> bytes:
        """The record as JSON, the same bytes for the same record."""
        tree = self._value(record, ())
        return json.dumps(tree, allow_nan=False, separators=(",", ":"), sort_keys=True).encode("ascii")

    def _value(self, value: Any, place: tuple[str, ...]) -> Any:
        if len(place) > self.limits.depth:
            raise InvalidType(f"the record is nested deeper than {self.limits.depth} levels at {_shown(place)}")
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool | str):
            return value
        for kind, encode in _ENCODERS:
            if isinstance(value, kind):
                return encode(self, value, place)
        raise InvalidType(
            f"the record holds a {type(value).__name__} at {_shown(place)}; allowed are None, truth values, numbers, "
            "strings, lists, dicts with string keys, and NumPy arrays"
        )

    def _integer(self, value: int, place: tuple[str, ...]) -> int:
        if abs(value) >= 10**_MOST_DIGITS:
            raise InvalidType(f"the whole number at {_shown(place)} has more than {_MOST_DIGITS} digits")
        return int(value)

    def _fraction(self, value: float, place: tuple[str, ...]) -> Any:
        return float(value) if isfinite(value) else {"$number": str(float(value))}

    def _list(self, value: list[Any] | tuple[Any, ...], place: tuple[str, ...]) -> list[Any]:
        return [self._value(entry, (*place, str(i))) for i, entry in enumerate(value)]

    def _dict(self, value: dict[Any, Any], place: tuple[str, ...]) -> dict[str, Any]:
        odd = next((key for key in value if not isinstance(key, str)), None)
        if odd is not None:
            raise InvalidType(f"the record has the key {odd!r} at {_shown(place)}; keys are strings")
        # in sorted order, so that the names of the arrays do not depend on that of the dict
        marked = {key: "$" + key if key.startswith("$") else key for key in sorted(value)}
        return {marked[key]: self._value(value[key], (*place, key)) for key in marked}

    def _array(self, value: Array, place: tuple[str, ...]) -> dict[str, Any]:
        if value.dtype.kind == "U" or (value.dtype == object and all(type(entry) is str for entry in value.flat)):
            strings = [str(entry) for entry in value.flat]
            width = None if value.dtype == object else value.dtype.itemsize // 4
            if width is not None and _wasteful(strings, width, self.limits):
                width = None
            return {"$strings": strings, "shape": list(value.shape), "width": width}
        if not npy.storable(value.dtype):
            raise InvalidType(f"the record holds an array of {value.dtype} at {_shown(place)}, which cannot be stored")
        name = self._name(place)
        self.arrays[name] = value
        return {"$array": name}

    def _name(self, place: tuple[str, ...]) -> str:
        stem = re.sub(r"[^A-Za-z0-9_]+", "-", ".".join(place).replace(".", "-"))[-_LONGEST_NAME:] or "array"
        name, count = f"arrays/{stem}.npy", 1
        while name in self.arrays:
            count += 1
            name = f"arrays/{stem}-{count}.npy"
        return name


_ENCODERS: tuple[tuple[Any, Callable[..., Any]], ...] = (
    (int, Writer._integer),
    (float, Writer._fraction),
    (list | tuple, Writer._list),
    (dict, Writer._dict),
    (np.ndarray, Writer._array),
)


# -- and back -----------------------------------------------------------------------------------------------


@dataclass
class Reader:
    """Turns JSON back into the record; `arrays` are the members that it may refer to, each once."""

    limits: Limits
    arrays: dict[str, Array]

    def record(self, text: bytes, name: str) -> Record:
        tree = parse(text, name)
        if not isinstance(tree, dict):
            raise InvalidFile(f"{name} holds no record but a {type(tree).__name__}")
        record = self._value(tree, 0)
        if not isinstance(record, dict):
            raise InvalidFile(f"{name} holds no record")
        if self.arrays:
            raise InvalidFile(f"{name} does not refer to {sorted(self.arrays)[0]}")
        return record

    def _value(self, value: Any, depth: int) -> Any:
        if depth > self.limits.depth:
            raise InvalidFile(f"the record is nested deeper than {self.limits.depth} levels")
        if isinstance(value, list):
            return [self._value(entry, depth + 1) for entry in value]
        if not isinstance(value, dict):
            return value
        marks = [key for key in value if key.startswith("$") and not key.startswith("$$")]
        if not marks:
            return {key[key.startswith("$$") :]: self._value(entry, depth + 1) for key, entry in value.items()}
        decode = _DECODERS.get((marks[0], len(value)))
        if decode is None or len(marks) > 1:
            raise InvalidFile(f"the record holds {sorted(value)}, which this version of linsep does not know")
        return decode(self, value)

    def _number(self, value: dict[str, Any]) -> float:
        given = value["$number"]
        if not isinstance(given, str) or given not in _SPECIAL:
            raise InvalidFile("the record holds a number that is not one of inf, -inf, nan")
        return _SPECIAL[given]

    def _array(self, value: dict[str, Any]) -> Array:
        name = value["$array"]
        if not isinstance(name, str) or name not in self.arrays:
            raise InvalidFile(f"the record refers to the array {str(name)[:100]!r}, which is not there, or twice")
        return self.arrays.pop(name)

    def _strings(self, value: dict[str, Any]) -> Array:
        strings, shape, width = value["$strings"], value.get("shape"), value.get("width")
        if not isinstance(strings, list) or not all(isinstance(entry, str) for entry in strings):
            raise InvalidFile("the record holds an array of strings with something else in it")
        sizes = shape if isinstance(shape, list) else [-1]
        if not all(type(size) is int and 0 <= size < 2**31 for size in sizes) or prod(sizes) != len(strings):
            raise InvalidFile(f"the record holds {len(strings)} strings that should have the shape {str(shape)[:100]}")
        if width is None:
            array = np.empty(len(strings), dtype=object)
            array[:] = strings
            return self._shaped(array, sizes)
        longest = max(map(len, strings), default=0)
        if type(width) is not int or not longest <= width <= 2**28:
            raise InvalidFile(f"the record holds strings of {longest} characters that should have {str(width)[:100]}")
        if _wasteful(strings, width, self.limits):
            raise InvalidFile(
                f"the record holds {len(strings)} strings, nearly empty, that would take {width} characters each"
            )
        return self._shaped(np.array(strings, dtype=f"<U{width}"), sizes)

    def _shaped(self, array: Array, shape: list[int]) -> Array:
        try:
            return array.reshape(shape)
        except ValueError as problem:
            raise InvalidFile(f"the record holds strings of the shape {str(shape)[:100]}: {problem}") from None


_DECODERS: dict[tuple[str, int], Callable[[Reader, dict[str, Any]], Any]] = {
    ("$number", 1): Reader._number,
    ("$array", 1): Reader._array,
    ("$strings", 3): Reader._strings,
}


def parse(text: bytes, name: str) -> Any:
    """JSON, strictly: no key twice, no NaN, no nesting beyond what Python can follow."""
    try:
        return json.loads(text.decode("utf-8"), object_pairs_hook=_pairs, parse_constant=_constant)
    except RecursionError:
        raise InvalidFile(f"{name} is nested too deeply") from None
    except ValueError as problem:  # JSONDecodeError, UnicodeDecodeError, a number of too many digits
        raise InvalidFile(f"{name} is not valid JSON: {str(problem)[:200]}") from None


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number in JSON")


def _wasteful(strings: list[str], width: int, limits: Limits) -> bool:
    """Whether an array of that width would take far more memory than its text."""
    return 4 * width * len(strings) > limits.unpacked_floor + limits.ratio * sum(map(len, strings))


def _shown(place: tuple[str, ...]) -> str:
    return "/".join(place)[:200] or "the top"
