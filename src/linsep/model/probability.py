"""Probabilities of the classes, for losses whose minimiser is a function of them.

    two classes   P(second) = σ(c·score), c = 1 for the log loss, 2 for the exponential loss
    joint         P(k) = e^{score k} / Σⱼ e^{score j}
    one-vs-rest   P(k) ∝ σ(c·score k), normalised over the classes

With class weights fₖ the losses see P(k) fₖ, so they are divided out: ln fₖ is taken off, before all is normalised.
The class of largest probability is then that of the data as they are, `predict` that of the weighted ones.

One-vs-one and codes give none. Logarithms are computed directly, so that they stay finite where P underflows.
"""

from __future__ import annotations

import numpy as np

from linsep.problem.base import MarginLoss
from linsep.problem.reductions import Joint, OneMargin, OneVsRest, Scheme
from linsep.special import expit, log_expit, log_softmax
from linsep.types import FloatArray, IntArray


def available(scheme: Scheme, loss: MarginLoss) -> bool:
    """Whether scores of this kind give probabilities."""
    if isinstance(scheme, Joint):
        return scheme.loss.probability
    return isinstance(scheme, OneMargin | OneVsRest) and loss.probability


def probabilities(
    scores: FloatArray, scheme: Scheme, loss: MarginLoss, factors: FloatArray | None = None
) -> FloatArray:
    """(n, K) from the scores (n,) or (n, m); factors: weights of the classes, divided out."""
    if isinstance(scheme, OneMargin):
        P = expit(_both_sides(scores, loss, factors))
        winner = (scores.ravel() > 0.0).astype(np.int64)
    else:
        P = log_probabilities(scores, scheme, loss, factors)
        np.exp(P, out=P)
        # exp and sum round: the rows should add up to 1 as well as float64 can
        P /= P.sum(axis=1, keepdims=True)
        winner = scores.argmax(axis=1)
    if factors is None:
        agree(P, winner)
    return P


def agree(P: FloatArray, winner: IntArray) -> None:
    """Scores that differ by less than rounding can have equal probabilities: the winner's is made the larger one."""
    first = P[:, 1] > P[:, 0] if P.shape[1] == 2 else P.argmax(axis=1)
    wrong = np.flatnonzero(first != winner)
    P[wrong, winner[wrong]] = np.nextafter(P[wrong].max(axis=1), 1.0)


def log_probabilities(
    scores: FloatArray, scheme: Scheme, loss: MarginLoss, factors: FloatArray | None = None
) -> FloatArray:
    """ln P, (n, K)."""
    if isinstance(scheme, OneMargin):
        both = _both_sides(scores, loss, factors)
        return log_expit(both)
    logs: FloatArray = scores if isinstance(scheme, Joint) else log_expit(loss.probability_scale * scores)
    if factors is not None:
        logs = logs - np.log(factors)
    return log_softmax(logs)


def _both_sides(scores: FloatArray, loss: MarginLoss, factors: FloatArray | None) -> FloatArray:
    both = np.empty((len(scores), 2))
    np.multiply(scores.ravel(), loss.probability_scale, out=both[:, 1])
    if factors is not None:
        both[:, 1] -= np.log(factors[1] / factors[0])
    np.negative(both[:, 1], out=both[:, 0])
    return both
