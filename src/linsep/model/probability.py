"""Probabilities of the classes, for losses whose minimiser is a function of them.

    two classes   P(second) = σ(c·score), c = 1 for the log loss, 2 for the exponential loss
    joint         P(k) = e^{score k} / Σⱼ e^{score j}
    one-vs-rest   P(k) ∝ σ(c·score k), normalised over the classes

One-vs-one and codes give none. Logarithms are computed directly, so that they stay finite where P underflows.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, log_expit

from linsep.problem.base import MarginLoss
from linsep.problem.reductions import Joint, OneMargin, OneVsRest, Scheme
from linsep.types import FloatArray


def available(scheme: Scheme, loss: MarginLoss) -> bool:
    """Whether scores of this kind give probabilities."""
    if isinstance(scheme, Joint):
        return scheme.loss.probability
    return isinstance(scheme, OneMargin | OneVsRest) and loss.probability


def probabilities(scores: FloatArray, scheme: Scheme, loss: MarginLoss) -> FloatArray:
    """(n, K) from the scores (n,) or (n, m)."""
    if isinstance(scheme, OneMargin):
        both = _both_sides(scores, loss)
        return np.asarray(expit(both, out=both))
    logs = log_probabilities(scores, scheme, loss)
    np.exp(logs, out=logs)
    # exp and sum round: the rows should add up to 1 as well as float64 can
    logs /= logs.sum(axis=1, keepdims=True)
    return logs


def log_probabilities(scores: FloatArray, scheme: Scheme, loss: MarginLoss) -> FloatArray:
    """ln P, (n, K)."""
    if isinstance(scheme, OneMargin):
        both = _both_sides(scores, loss)
        return np.asarray(log_expit(both, out=both))
    logs: FloatArray = scores if isinstance(scheme, Joint) else log_expit(loss.probability_scale * scores)
    logs = logs - logs.max(axis=1, keepdims=True)
    logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
    return logs


def _both_sides(scores: FloatArray, loss: MarginLoss) -> FloatArray:
    both = np.empty((len(scores), 2))
    np.multiply(scores.ravel(), loss.probability_scale, out=both[:, 1])
    np.negative(both[:, 1], out=both[:, 0])
    return both
