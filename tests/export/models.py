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


def _fit(loss: str, multiclass: Any = "auto", rows: Any = slice(None)) -> Any:
    return LinearClassifier(loss, alpha=1e-2, multiclass=multiclass).fit(X[rows], Y3[rows]).model_


def _special(**settings: Any) -> Any:
    rows = settings.pop("rows", slice(None))
    return LinearClassifier(alpha=1e-2, **settings).fit(X[rows], Y3[rows]).model_


#: Probabilities that are more than a function of the loss: class weights divided out, calibrated scores, both.
SPECIAL = {
    "weighted": _special(class_weight="balanced", rows=slice(20, None)),
    "weighted two": _special(class_weight={Y3[60]: 1.0, Y3[120]: 5.0}, rows=KEEP),
    "weighted ovr": _special(class_weight={Y3[0]: 1.0, Y3[60]: 2.0, Y3[120]: 5.0}, multiclass="ovr"),
    "calibrated": _special(loss="squared_hinge", probability=True),
    "calibrated two": _special(loss="squared_hinge", probability=True, rows=KEEP),
    "calibrated and weighted": _special(loss="hinge", probability=True, class_weight="balanced", rows=slice(20, None)),
}
BINARY = {loss: _fit(loss, rows=KEEP) for loss in _BINARY}
MANY = {f"{loss} {multiclass}": _fit(loss, multiclass) for loss, multiclass in _MANY}
MODELS = BINARY | MANY


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
