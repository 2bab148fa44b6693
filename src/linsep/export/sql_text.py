"""Names, numbers and labels as standard SQL."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from math import isfinite
from typing import Any

import numpy as np

from linsep.errors import InvalidData, Refused

_GROUP = 32


def identifier(name: str) -> str:
    """A name in double quotes, whatever it contains."""
    if "\0" in name:
        raise InvalidData(f"the name {name!r} holds a NUL, which no SQL name can")
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A string in single quotes."""
    if "\0" in value:
        raise InvalidData(f"the string {value!r} holds a NUL, which no SQL string can")
    return "'" + value.replace("'", "''") + "'"


def number(value: float) -> str:
    """Shortest digits that give the same float64; the exponent makes it a floating-point number, not a decimal."""
    if not isfinite(value):
        raise InvalidData(f"a weight is {value}; a model with such weights cannot be exported")
    digits = repr(float(value))
    return digits if "e" in digits else digits + "e0"


def joined(terms: Sequence[str], operator: str) -> str:
    """term operator term …, in parentheses group by group: databases refuse expressions that are nested too deeply."""
    while len(terms) > _GROUP:
        groups = [terms[first : first + _GROUP] for first in range(0, len(terms), _GROUP)]
        terms = [f"({f' {operator} '.join(group)})" for group in groups]
    return f" {operator} ".join(terms)


def label(value: Any) -> str:
    """A class as a literal: strings, whole numbers, fractions, truth values, dates."""
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, bool):
        return "TRUE" if plain else "FALSE"
    if isinstance(plain, str):
        return text(plain)
    if isinstance(plain, int) and not isinstance(value, np.datetime64):
        return str(plain)
    if isinstance(plain, float):
        return number(plain)
    if isinstance(plain, datetime):
        return f"TIMESTAMP '{plain.isoformat(sep=' ')}'"
    if isinstance(plain, date):
        return f"DATE '{plain.isoformat()}'"
    raise Refused(f"the class {value!r} is a {type(value).__name__}, which has no SQL literal; fit to strings instead")
