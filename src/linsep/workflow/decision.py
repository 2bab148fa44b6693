"""From probabilities to a class, where mistakes have different costs.

Taking a row for the positive class costs (1 − p)·a on average, a the cost of a false alarm; leaving it out costs p·b, b
that of a miss. The first is less where p > a/(a + b): a threshold on the probability, and nothing about the fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linsep.errors import InvalidParameter, Refused, unknown_name
from linsep.quality.costs import Costs
from linsep.types import FloatArray, IntArray

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Decision:
    """The positive class by its number, and what mistakes cost; costs None: the class of the model's own choice."""

    positive: int
    costs: Costs | None = None

    @property
    def threshold(self) -> float | None:
        """On the probability of the positive class."""
        if self.costs is None:
            return None
        return self.costs.false_positive / (self.costs.false_positive + self.costs.false_negative)

    def classes(self, predicted: IntArray, probabilities: FloatArray | None) -> IntArray:
        """Class numbers; without costs as predicted."""
        if self.threshold is None:
            return predicted
        if probabilities is None:
            raise Refused("the costs need probabilities, and the model has none: its fit was interrupted before them")
        taken = probabilities[:, self.positive] > self.threshold
        return np.where(taken, self.positive, 1 - self.positive)

    def record(self) -> dict[str, Any]:
        costs = self.costs
        return {
            "positive": self.positive,
            "costs": None if costs is None else [costs.false_positive, costs.false_negative],
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Decision:
        costs = record["costs"]
        return cls(record["positive"], None if costs is None else Costs(*costs))


def decide(classes: Array, positive: str | None, cost: tuple[float, float] | None) -> Decision:
    """The decision for these classes: the positive one by its label as text, the second of two by default."""
    labels = [str(each) for each in classes]
    if positive is not None and positive not in labels:
        raise unknown_name("class", positive, labels)
    number = labels.index(positive) if positive is not None else min(1, len(labels) - 1)
    if cost is None:
        return Decision(number)
    if len(labels) != 2:
        raise Refused(f"costs set the threshold between two classes; the target has {len(labels):,}: {_some(labels)}")
    if positive is None:
        raise InvalidParameter(
            "costs need the positive class, the one whose miss has the second cost: "
            f"give positive={labels[0]!r} or positive={labels[1]!r}"
        )
    return Decision(number, Costs(*cost))


def _some(labels: list[str]) -> str:
    return ", ".join(labels[:6]) + (", …" if len(labels) > 6 else "")
