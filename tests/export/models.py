"""The models that every export must get right."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_iris

from linsep import GradientClassifier, LinearClassifier, OneVsOne, Perceptron

X, _NUMBERS = load_iris(return_X_y=True)
Y3 = np.array(["se'tosa", 'versi"color', "virg; DROP TABLE t --"])[_NUMBERS]
KEEP = _NUMBERS > 0
COLUMNS = ["sepal length", 'sepal "width"', "petal;length", "select"]

_BINARY = ["log", "exponential", "hinge", "squared_hinge", "smoothed_hinge", "squared", "sigmoid"]
_MANY: list[tuple[str, Any]] = [
    ("log", "softmax"),
    ("log", "ovr"),
    ("exponential", "ovr"),
    ("hinge", "ovr"),
    ("hinge", "crammer_singer"),
    ("squared", "one_of_k"),
    ("hinge", "ovo"),
    ("log", "ovo"),
    ("log", OneVsOne(decide="scores")),
]


def _fit(loss: str, multiclass: Any = "auto", rows: Any = slice(None), **extra: Any) -> Any:
    return LinearClassifier(loss, alpha=1e-2, multiclass=multiclass, **extra).fit(X[rows], Y3[rows]).model_


BINARY = {loss: _fit(loss, rows=KEEP) for loss in _BINARY}
MANY = {f"{loss} {multiclass}": _fit(loss, multiclass) for loss, multiclass in _MANY}
_HEAVY = {Y3[-1]: 6.0}
WEIGHTED = {
    "weighted log": _fit("log", rows=KEEP, class_weight=_HEAVY),
    "weighted exponential": _fit("exponential", rows=KEEP, class_weight=_HEAVY),
    "weighted softmax": _fit("log", class_weight=_HEAVY),
    "weighted ovr": _fit("log", "ovr", class_weight=_HEAVY),
}
MODELS = BINARY | MANY | WEIGHTED


def rules() -> dict[str, Any]:
    """Estimators that are no LinearModel."""
    return {
        "perceptron": Perceptron(max_epochs=20).fit(X, Y3),
        "gradient": GradientClassifier(max_epochs=20).fit(X[KEEP] / 8, Y3[KEEP]),
        "softmax": GradientClassifier(max_epochs=20).fit(X / 8, Y3),
    }


def rows() -> Any:
    """Known and new rows, near and far."""
    random = np.random.default_rng(0)
    return np.vstack([X, random.normal(size=(100, 4)), 1000 * random.normal(size=(20, 4)), np.zeros((1, 4))])
