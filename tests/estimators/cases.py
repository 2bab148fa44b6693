"""What the tests of the estimators share: data, and every estimator in several settings."""

from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.preprocessing import scale

from linsep import LeastSquaresClassifier, LinearClassifier, LinearSVM, LogisticRegression

IRIS_X, IRIS_Y = load_iris(return_X_y=True)
CANCER_X, CANCER_Y = load_breast_cancer(return_X_y=True)
CANCER_X = scale(CANCER_X)

ESTIMATORS: list[Any] = [
    LogisticRegression(),
    LogisticRegression(multiclass="ovr"),
    LogisticRegression(multiclass="ovo", class_weight="balanced"),
    LogisticRegression(multiclass="ecoc"),
    LinearSVM(),
    LinearSVM(loss="squared_hinge"),
    LinearSVM(multiclass="crammer_singer", alpha=1e-2),
    LeastSquaresClassifier(),
    LinearClassifier(loss="smoothed_hinge"),
    LinearClassifier(loss="exponential", alpha=1e-2),
]


def blobs(n_classes: int, n_rows: int, n_features: int, seed: int = 0) -> tuple[Any, Any]:
    """Rows around a random centre for each class, every class present."""
    random = np.random.default_rng(seed)
    y = random.permutation(np.arange(n_rows) % n_classes)
    return 3.0 * random.standard_normal((n_classes, n_features))[y] + random.standard_normal((n_rows, n_features)), y
