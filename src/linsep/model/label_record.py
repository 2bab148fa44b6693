"""Labels of any type in a record, and class weights, whose keys are labels.

An array of numbers, truth values, strings, bytes or times is kept as it is. Python objects become a list: strings,
whole numbers, fractions and truth values as themselves, other types as {"type": …, "value": …}.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import numpy as np

from linsep.errors import InvalidFile, Refused

Array = np.ndarray[Any, Any]

_AS_THEY_ARE = (str, bool, int, float)
#: type: its name, to JSON, and back.
_OTHERS: dict[type, tuple[str, Callable[[Any], str], Callable[[str], Any]]] = {
    bytes: ("bytes", bytes.hex, bytes.fromhex),
    datetime: ("datetime", datetime.isoformat, datetime.fromisoformat),
    date: ("date", date.isoformat, date.fromisoformat),
}
_BACK = {name: back for name, _, back in _OTHERS.values()}


def classes_record(classes: Array) -> Any:
    """The classes as an array, or as a list of values where they are Python objects."""
    if classes.dtype != object or all(type(label) is str for label in classes):
        return classes
    return [_label(label) for label in classes]


def classes_from(record: Any) -> Array:
    if isinstance(record, np.ndarray):
        return record
    classes = np.empty(len(record), dtype=object)
    classes[:] = [_label_from(value) for value in record]
    return classes


def class_weight_record(class_weight: Any) -> Any:
    """None and "balanced" as they are, a dict as its labels and their weights."""
    if class_weight is None or isinstance(class_weight, str):
        return class_weight
    items = list(dict(class_weight).items())
    return {"labels": [_label(label) for label, _ in items], "weights": [float(weight) for _, weight in items]}


def class_weight_from(record: Any) -> Any:
    if record is None or isinstance(record, str):
        return record
    return dict(zip(map(_label_from, record["labels"]), record["weights"], strict=True))


def _label(label: Any) -> Any:
    value = label.item() if isinstance(label, np.generic) else label
    if type(value) in _AS_THEY_ARE:
        return value
    if type(value) not in _OTHERS:
        kinds = ", ".join(kind.__name__ for kind in (*_AS_THEY_ARE, *_OTHERS))
        raise Refused(
            f"the label {label!r} is a {type(label).__name__}, which a model file cannot hold; allowed are {kinds} and "
            "NumPy's types. Fit to labels that were turned into strings"
        )
    name, there, _ = _OTHERS[type(value)]
    return {"type": name, "value": there(value)}


def _label_from(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if value.get("type") not in _BACK:
        raise InvalidFile(f"labels of type {value.get('type')!r} are not known")
    return _BACK[value["type"]](value["value"])
