"""Values made of a record hold what their classes say.

A file can be forged with its digest. JSON gives a string where a number should be as readily as a number, and a
dataclass takes either; so each value is looked at once, where it is loaded, and not where it is used.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Union, get_args, get_origin, get_type_hints

from linsep.errors import InvalidFile

#: Class → the types of its fields, looked up once.
_KINDS: dict[type[Any], dict[str, Any]] = {}


def check_fields(made: Any) -> None:
    """Every field of a dataclass, and of those in it, is of its declared type; `InvalidFile` names one that is not."""
    kinds = _KINDS.get(type(made)) or _KINDS.setdefault(type(made), get_type_hints(type(made)))
    for name in (field.name for field in fields(made)):
        value = getattr(made, name)
        if not _fits(value, kinds[name]):
            kind = getattr(kinds[name], "__name__", str(kinds[name]))
            raise InvalidFile(f"{name} of its {type(made).__name__} is {repr(value)[:80]}, which is no {kind}")
        for each in value if isinstance(value, tuple) else (value,):
            if is_dataclass(each):
                check_fields(each)


def _fits(value: Any, kind: Any) -> bool:
    """Whether the value is of that type; a whole number is a float, and what is no class is not looked at."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return any(_fits(value, part) for part in parts)
    if origin is tuple and parts[1:] == (...,):
        return isinstance(value, tuple) and all(_fits(each, parts[0]) for each in value)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(
            _fits(each, part) for pair in value.items() for each, part in zip(pair, parts, strict=True)
        )
    kind = origin or kind
    if kind in (int, float):
        return isinstance(value, int if kind is int else (int, float)) and not isinstance(value, bool)
    looked_at = isinstance(kind, type) and kind is not Any and not getattr(kind, "_is_protocol", False)
    return not looked_at or isinstance(value, kind)
