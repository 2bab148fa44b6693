"""Probabilities from scores that are none: a rising function g of the score, then the softmax.

    two classes   ln P(second)/P(first) = g(score),   g(0) = 0
    K classes     P(k) ∝ e^{g(class score k)}

g is continuous, linear between its knots and rises everywhere, so a larger score is a larger probability and the
class that `predict` gives has the largest one: P(second) > 1/2 exactly where the score is positive.
It is fitted to scores of left-out rows (selection/calibrate.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linsep.model.probability import agree
from linsep.special import expit, log_expit, log_softmax
from linsep.types import Count, FloatArray, IntArray, Line, PositiveLine


@dataclass(frozen=True, eq=False)
class Calibration:
    """g by its knots (j,), rising, and its slopes (j + 1,) > 0, before, between and after them; and where it is from.

    method  how the rows were left out, in words
    rows    how many of them there were
    """

    knots: Line
    slopes: PositiveLine
    method: str
    rows: Count

    def __call__(self, scores: FloatArray) -> FloatArray:
        """g, elementwise, with g(0) = 0: a sum of terms that all rise, so it rises in float64 as well."""
        g: FloatArray = np.zeros_like(scores)
        for low, high, slope in zip(*segments(self.knots), self.slopes, strict=True):
            g += slope * (np.clip(scores, low, high) - min(max(0.0, low), high))
        return g

    def log_probabilities(self, scores: FloatArray, factors: FloatArray | None = None) -> FloatArray:
        """ln P (n, K) from class scores (n,) or (n, K); factors: weights of the classes, divided out."""
        shift = None if factors is None else np.log(factors)
        if scores.ndim == 1:
            odds = self(scores) if shift is None else self(scores) - (shift[1] - shift[0])
            return log_expit(np.stack((-odds, odds), axis=1))
        logs: FloatArray = self(scores) if shift is None else self(scores) - shift
        return log_softmax(logs)

    def probabilities(
        self, scores: FloatArray, factors: FloatArray | None = None, winner: IntArray | None = None
    ) -> FloatArray:
        """P (n, K); without factors that of the predicted class is the largest, to the last bit.

        winner: the class predicted for every row, where ties are decided otherwise than for the first of equals.
        """
        if scores.ndim == 1 and factors is None:
            odds = self(scores)
            P = expit(np.stack((-odds, odds), axis=1))
        else:
            P = np.exp(self.log_probabilities(scores, factors))
            P /= P.sum(axis=1, keepdims=True)
        if factors is None:
            first = (scores > 0.0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)
            agree(P, first if winner is None else winner)
        return P

    def flaw(self) -> str | None:
        """Why no fit gives it, or None (storage/fields.py)."""
        if len(self.slopes) == len(self.knots) + 1 and (np.diff(self.knots) > 0.0).all():
            return None
        return f"its probabilities have {len(self.slopes)} slopes at {len(self.knots)} knots, or knots that do not rise"

    def record(self) -> dict[str, Any]:
        """As plain values and arrays, for a model file."""
        return {"knots": self.knots, "slopes": self.slopes, "method": self.method, "rows": self.rows}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Calibration:
        knots, slopes = (np.asarray(record[name], dtype=np.float64) for name in ("knots", "slopes"))
        return cls(knots, slopes, str(record["method"]), int(record["rows"]))


def segments(knots: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Where each linear piece begins and ends, the first and the last without end."""
    return np.append(-np.inf, knots), np.append(knots, np.inf)
