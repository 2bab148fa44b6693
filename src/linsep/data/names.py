"""Feature names: those of a frame, and the check that a later frame has the same.

The messages are scikit-learn's own, which its users and its checks know.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from linsep.errors import InvalidData, InvalidType

Names = np.ndarray[Any, np.dtype[np.object_]]


def is_pandas(X: Any) -> bool:
    """A pandas frame, or the like. Its columns are its attributes too: one that is called `matrix` is none of ours."""
    return hasattr(type(X), "iloc")


def columns_of(X: Any) -> list[Any]:
    """What the columns are called, where X knows."""
    given = None if is_pandas(X) else getattr(X, "column_names", None)
    return list(getattr(X, "columns", ()) if given is None else given)


def feature_names(X: Any) -> Names | None:
    """The column names of a pandas, polars or Arrow table if they are strings; None for anything else."""
    if type(X) is np.ndarray:
        return None
    columns = columns_of(X)
    strings = [isinstance(c, str) for c in columns]
    if not any(strings):
        return None
    if not all(strings):
        kinds = sorted({type(c).__name__ for c in columns})
        raise InvalidType(
            "Feature names are only supported if all input features have string names, but your input has "
            f"{kinds} as feature name / column name types. If you want feature names to be stored and "
            "validated, you must convert them all to strings, for example with X.columns = "
            "X.columns.astype(str); to do without them, give X.to_numpy()"
        )
    return np.array(columns, dtype=object)


def check_names(X: Any, fitted: Names | None, owner: str) -> None:
    """Warn where only one of X and the model has names; refuse names that differ."""
    names = feature_names(X)
    if fitted is None and names is None:
        return
    if names is None:
        _warn(f"X does not have valid feature names, but {owner} was fitted with feature names")
    elif fitted is None:
        _warn(f"X has feature names, but {owner} was fitted without feature names")
    elif len(names) != len(fitted) or (names != fitted).any():
        raise InvalidData(_difference(names, fitted))


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=5)


def _difference(names: Names, fitted: Names) -> str:
    message = "The feature names should match those that were passed during fit.\n"
    unseen, missing = sorted(set(names) - set(fitted)), sorted(set(fitted) - set(names))
    if unseen:
        message += "Feature names unseen at fit time:\n" + _bullets(unseen)
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n" + _bullets(missing)
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    return message


def _bullets(names: list[str]) -> str:
    return "".join(f"- {name}\n" for name in names[:5]) + ("- ...\n" if len(names) > 5 else "")
