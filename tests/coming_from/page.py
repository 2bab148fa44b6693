"""The tables of docs/coming-from.md as code, and the data that they are compared on.

A row is (there, here): the first piece of code of either cell. `here` is evaluated with the names that the page's own
first example makes, and the names of the data.
"""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_iris
from sklearn.preprocessing import scale

TEXT = (Path(__file__).parents[2] / "docs" / "coming-from.md").read_text(encoding="utf-8")
NUMBERS: dict[str, Any] = {"C": 0.2, "a": 5.0, "r": 0.5, "s": 3.0, "b": 0.05, "c": 0.01}


def rows(header: str) -> list[tuple[str, str]]:
    """Of the table whose header begins with these words."""
    (table,) = re.findall(rf"(?m)^\| {re.escape(header)} \| linsep \|\n\|---\|---\|\n((?:\|.*\n)+)", TEXT)
    pairs = [re.findall(r"`([^`]+)`", cell)[0] for line in table.splitlines() for cell in line[2:-2].split(" | ")]
    return list(zip(pairs[::2], pairs[1::2], strict=True))


def here(code: str, names: dict[str, Any]) -> Any:
    """The fitted estimator (or inference) of a cell on our side."""
    space: dict[str, Any] = {}
    for example in doctest.DocTestParser().get_examples(TEXT):
        exec(example.source, space)
    return fitted(eval(code, {**space, **names}), names)


def fitted(made: Any, names: dict[str, Any]) -> Any:
    """Cells that say nothing about the fit leave it to this."""
    return made if not hasattr(made, "fit") or hasattr(made, "classes_") else made.fit(names["X"], names["y"])


def two_classes(scaled: bool = True, **numbers: float) -> dict[str, Any]:
    """Versicolor (1) and virginica (2), which overlap."""
    X, y = load_iris(return_X_y=True)
    X, y = (scale(X[50:]) if scaled else X[50:]), y[50:]
    w, o = np.tile([1.0, 2.0, 3.0, 4.0], 25), np.arange(100) / 50 - 1
    more = {"t": (y == 2).astype(float), "g": np.arange(100) // 5, "S": float(np.where(y == 1, 3, 1).sum())}
    return {**NUMBERS, "X": X, "y": y, "n": 100, "d": 4, "w": w, "o": o, **more, **numbers}


def three_classes(scaled: bool = True, **numbers: float) -> dict[str, Any]:
    """All of iris; m is the number of rows of a pair of classes."""
    X, y = load_iris(return_X_y=True)
    return {**NUMBERS, "X": scale(X) if scaled else X, "y": y, "n": 150, "d": 4, "m": 100, **numbers}
