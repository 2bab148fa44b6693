"""Values made of a record hold what their classes say.

A file can be forged with its digest. JSON gives a string where a number should be as readily as a number, and a
dataclass takes either; so each value is looked at once, where it is loaded, and not where it is used.

A class says what it may hold in three ways: by the types of its fields (arrays with the type of their entries), by a
range beside the type (`Within` of types.py), and, where one field must fit another, by a method `flaw`, which gives
the reason why it is none of what this library writes, or None.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from linsep.errors import InvalidFile

#: Class → the types of its fields, looked up once.
_KINDS: dict[type[Any], dict[str, Any]] = {}


def check_fields(made: Any) -> None:
    """Every field of a dataclass, and of those in it, is as declared; `InvalidFile` names one that is not."""
    kinds = _KINDS.get(type(made)) or _KINDS.setdefault(type(made), get_type_hints(type(made), include_extras=True))
    for name in (field.name for field in fields(made)):
        value = getattr(made, name)
        if not _fits(value, kinds[name]):
            raise InvalidFile(
                f"{name} of its {type(made).__name__} is {_shown(value)}, which is no {_word(kinds[name])}"
            )
        for each in _inside(value):
            check_fields(each)
    reason = made.flaw() if hasattr(made, "flaw") else None
    if reason is not None:
        raise InvalidFile(reason)


def _inside(value: Any) -> Iterator[Any]:
    """The dataclasses that a field holds, alone or in tuples and lists."""
    if isinstance(value, tuple | list):
        for each in value:
            yield from _inside(each)
    elif is_dataclass(value):
        yield value


def _fits(value: Any, kind: Any) -> bool:
    """Whether the value is of that type; a whole number is a float, and what is no class is not looked at."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _fits(value, parts[0]) and all(mark.holds(value) for mark in parts[1:])
    if origin in (Union, types.UnionType):
        return any(_fits(value, part) for part in parts)
    if origin is list or (origin is tuple and parts[1:] == (...,)):
        return isinstance(value, origin) and all(_fits(each, parts[0]) for each in value)
    if origin is np.ndarray:
        return isinstance(value, np.ndarray) and value.dtype in (get_args(parts[1]) or (value.dtype,))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(
            _fits(each, part) for pair in value.items() for each, part in zip(pair, parts, strict=True)
        )
    kind = origin or kind
    if kind in (int, float):
        return isinstance(value, int if kind is int else (int, float)) and not isinstance(value, bool)
    looked_at = isinstance(kind, type) and kind is not Any and not getattr(kind, "_is_protocol", False)
    return not looked_at or isinstance(value, kind)


def _word(kind: Any) -> str:
    """The type, and the range beside it."""
    if get_origin(kind) is Annotated:
        base, mark = get_args(kind)
        return f"{_word(base)} from {mark.low:.4g} to {mark.high:.4g}"
    return "array" if get_origin(kind) is np.ndarray else getattr(kind, "__name__", str(kind))


def _shown(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of the shape {value.shape}"
    return repr(value)[:80]
