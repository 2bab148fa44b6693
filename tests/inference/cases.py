"""What the tests of inference share.

ENDOMETRIAL: 79 patients of Heinze and Schemper (2002), from the R package brglm2: neovasculation, pulsatility index of
the arteria uterina, endometrium height; histology grade 0-II or III-IV. NV = 1 occurs with the high grade only.
"""

from typing import Any

import numpy as np

_NV = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
    1, 1, 0, 1, 0,
]  # fmt: skip
_PI = [
    13, 16, 8, 34, 20, 5, 17, 10, 26, 17, 8, 7, 20, 10, 18, 16, 18, 8, 29, 12, 20, 38, 22, 7, 25, 15, 7, 28, 11, 19,
    10, 10, 18, 14, 21, 11, 17, 25, 16, 19, 15, 33, 24, 48, 12, 19, 2, 22, 40, 5, 0, 21, 15, 29, 15, 12, 3, 20, 23,
    12, 22, 42, 15, 13, 14, 19, 12, 13, 10, 12, 49, 6, 5, 17, 11, 21, 5, 19, 33,
]  # fmt: skip
_EH = [
    1.64, 2.26, 3.14, 2.68, 1.28, 2.31, 1.8, 1.68, 1.56, 2.31, 2.01, 1.89, 3.15, 1.23, 1.27, 1.76, 2, 2.64, 0.88,
    1.27, 1.37, 0.97, 1.14, 0.88, 0.91, 0.58, 0.97, 1.5, 1.33, 2.37, 1.82, 3.13, 1.31, 1.92, 1.64, 2.01, 1.88, 1.93,
    2.11, 1.29, 1.72, 0.75, 1.92, 1.84, 1.11, 1.61, 1.18, 1.44, 1.18, 0.93, 1.17, 1.19, 1.06, 2.02, 2.29, 2.33, 2.9,
    1.7, 1.41, 2.25, 1.54, 1.97, 1.75, 2.16, 2.57, 1.37, 3.61, 2.04, 2.17, 1.69, 0.27, 1.84, 1.3, 0.96, 1.01, 0.98,
    0.35, 1.02, 0.85,
]  # fmt: skip
_HG = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1,
]  # fmt: skip

ENDOMETRIAL_X = np.array([_NV, _PI, _EH], dtype=np.float64).T
ENDOMETRIAL_Y = np.array(_HG)


def binary(n: int = 200, d: int = 3, seed: int = 0) -> tuple[Any, Any]:
    """Rows and labels 0 and 1 from a logistic model."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, d)) * np.array([1.0, 10.0, 0.1, 1.0, 1.0])[:d] + 0.5
    scores = X @ np.array([1.0, -0.1, 5.0, 0.0, 0.3])[:d] - 1.0
    return X, (random.random(n) < 1.0 / (1.0 + np.exp(-scores))).astype(int)


def three(n: int = 300, seed: int = 0) -> tuple[Any, Any]:
    """Rows and three classes from a softmax model."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 2))
    scores = X @ np.array([[1.0, -0.5, 0.0], [0.2, 0.7, 0.0]]) + np.array([0.3, 0.0, 0.0])
    noisy = scores + random.gumbel(size=scores.shape)
    return X, np.array(["a", "b", "c"])[noisy.argmax(axis=1)]


def with_ones(X: Any) -> Any:
    """The intercept last, as linsep has it."""
    return np.column_stack((X, np.ones(len(X))))
