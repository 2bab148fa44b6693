"""The gradient of logistic regression, the same for labels y in {−1, 1} and t in {0, 1}, t = (1 + y)/2.

    signs   ℓ = ln(1 + exp(−yf))              ∂ℓ/∂f = −y σ(−yf)
    bits    ℓ = −t ln σ(f) − (1−t) ln σ(−f)   ∂ℓ/∂f = σ(f) − t

For y = 1: −σ(−f) = σ(f) − 1. For y = −1: σ(f) = σ(f) − 0. So ∇ = 1/n Σ (σ(fᵢ) − tᵢ) xᵢ either way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from linsep.data.source import as_design
from linsep.errors import InvalidData
from linsep.geometry.hyperplane import Hyperplane
from linsep.types import FloatArray


def logistic_gradient(hyperplane: Any, X: Any, y: Any) -> FloatArray:
    """∇ of the mean log loss by (w, b), (d + 1,), at a hyperplane; labels are −1 and 1, or 0 and 1.

    The hyperplane may be that of a fitted linear model of two classes. Each convention by its own formula: that they
    agree is the identity above.

    >>> plane = Hyperplane([1.0], 0.0)
    >>> logistic_gradient(plane, [[0.0], [2.0]], [-1, 1]).round(4).tolist()
    [-0.1192, 0.1904]
    >>> logistic_gradient(plane, [[0.0], [2.0]], [0, 1]).round(4).tolist()
    [-0.1192, 0.1904]
    """
    plane = hyperplane if isinstance(hyperplane, Hyperplane) else Hyperplane.of(hyperplane)
    f, labels = plane.value(X), np.asarray(y)
    if labels.shape != f.shape:
        raise InvalidData(f"y has shape {labels.shape}; X has {len(f)} rows: give one label a row")
    if np.isin(labels, (-1, 1)).all():
        signs = labels.astype(np.float64)
        slopes = -signs * expit(-signs * f)
    elif np.isin(labels, (0, 1)).all():
        slopes = expit(f) - labels
    else:
        raise InvalidData(f"y holds {np.unique(labels)[:5].tolist()}; allowed are -1 and 1, or 0 and 1")
    return as_design(X, 1).adjoint(np.ascontiguousarray(slopes, dtype=np.float64) / len(f))
