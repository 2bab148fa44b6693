"""Intervals on predicted probabilities, on the scale of their log odds, so that they stay within (0, 1).

    ln P(k)/(1 − P(k)) has the gradient (δₖₐ − P(a))/(1 − P(k)) ⊗ x by the weights of the score a,

and with Cov = RRᵀ its variance is the squared length of (gradient)ᵀR: a pass over the rows for each score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit, softmax

from linsep.data.reading import checked_scores
from linsep.errors import Refused
from linsep.inference.intervals import quantile
from linsep.inference.request import checked_level
from linsep.types import FloatArray

if TYPE_CHECKING:
    from linsep.inference.result import Inference

#: Entries of the intermediate arrays.
_BLOCK = 2**22


@dataclass(frozen=True, eq=False)
class ProbabilityIntervals:
    """For every row and class, in the order of `classes`: the probability and the ends of its interval, (n, K)."""

    classes: np.ndarray[Any, Any]
    probabilities: FloatArray
    lower: FloatArray
    upper: FloatArray
    level: float

    def columns(self) -> dict[str, FloatArray]:
        """Named columns: of two classes those of the second, else three a class."""
        shown = range(len(self.classes)) if len(self.classes) > 2 else [1]
        parts = {"probability": self.probabilities, "lower": self.lower, "upper": self.upper}
        return {f"{name} {self.classes[k]}": values[:, k] for k in shown for name, values in parts.items()}


def probability_intervals(inference: Inference, X: Any, level: float) -> ProbabilityIntervals:
    """Of the rows X."""
    if inference.scale == 0.0:
        raise Refused(f"loss {inference.model.loss!r} gives no probabilities, so there are no intervals on them")
    q = quantile(checked_level(level))
    model = inference.model
    design = model.read(X)
    weights = _padded(inference.estimates[:, None], inference)[:, :, 0]
    roots = _padded(inference.root, inference)
    scores = np.zeros((design.n, len(model.classes)))
    scores[:, _places(inference)] = inference.scale * checked_scores(design, np.ascontiguousarray(weights.T), X)
    odds, errors = np.empty_like(scores), np.empty_like(scores)
    size = max(_BLOCK // roots.shape[2], 1)
    for begin in range(0, design.n, size):
        rows = np.arange(begin, min(begin + size, design.n))
        part = design.rows(rows)
        spread = [inference.scale * part.scores(np.ascontiguousarray(root)) for root in roots]
        odds[rows], errors[rows] = _log_odds(scores[rows], spread, inference)
    P = softmax(scores, axis=1)
    return ProbabilityIntervals(model.classes, P, expit(odds - q * errors), expit(odds + q * errors), level)


def _padded(columns: FloatArray, inference: Inference) -> FloatArray:
    """(m, d + 1, …) from (p, …): the weights of each score, 0 for an absent intercept."""
    m, d = len(inference.others), inference.model.n_features
    out = np.zeros((m, d + 1, columns.shape[1]))
    out[:, : len(columns) // m] = columns.reshape(m, len(columns) // m, -1)
    return out


def _places(inference: Inference) -> list[int]:
    """The numbers of the classes that have a score."""
    classes = inference.model.classes.tolist()
    return [classes.index(c) for c in inference.others]


def _log_odds(scores: FloatArray, spread: list[FloatArray], inference: Inference) -> tuple[FloatArray, FloatArray]:
    """ln P/(1 − P) of every class, and its standard error; spread[a] is (n, p), X Rₐ.

    P(a)/(1 − P(k)) is the probability of a among the classes that are not k, which no rounding of P(k) to 1 harms.
    """
    places, odds, errors = _places(inference), np.empty_like(scores), np.empty_like(scores)
    for k in range(scores.shape[1]):
        rest = scores.copy()
        rest[:, k] = -np.inf
        odds[:, k] = scores[:, k] - np.logaddexp.reduce(rest, axis=1)
        shares = softmax(rest, axis=1)
        total = np.zeros_like(spread[0])
        for a, part in zip(places, spread, strict=True):
            total += part if a == k else -shares[:, a, None] * part
        errors[:, k] = np.sqrt(np.einsum("ij,ij->i", total, total))
    return odds, errors
