"""The functions of the subject, by NumPy alone and without overflow: scipy.special takes longer to import than most
models to be read and used.

    expit x = 1 / (1 + e^−x),    logit p = ln p − ln(1 − p),    softmax zₖ = e^zₖ / Σⱼ e^zⱼ over the last axis
"""

from __future__ import annotations

import numpy as np

from linsep.types import FloatArray


def expit(x: FloatArray) -> FloatArray:
    e = np.exp(-np.abs(x))
    found: FloatArray = np.where(x < 0.0, e, 1.0)
    found /= 1.0 + e
    return found


def log_expit(x: FloatArray) -> FloatArray:
    logs: FloatArray = -np.logaddexp(0.0, -x)
    return logs


def logit(p: FloatArray) -> FloatArray:
    odds: FloatArray = np.log(p) - np.log1p(-p)
    return odds


def log_softmax(z: FloatArray) -> FloatArray:
    logs: FloatArray = z - z.max(axis=-1, keepdims=True)
    logs -= np.log(np.exp(logs).sum(axis=-1, keepdims=True))
    return logs


def softmax(z: FloatArray) -> FloatArray:
    p: FloatArray = np.exp(z - z.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    return p
