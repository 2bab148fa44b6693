"""What a linear classifier computes from its scores s = x w + b, as data that every export follows.

decide      class scores, and the class
margin      one score; the second class where it is positive
largest     a score a class; the largest, the first of equals
sums        one-vs-one, each pair's score for one class and against the other, summed; the largest
votes       one-vs-one, a vote a pair, equals decided by the sums; the largest

link        probabilities, c the scale of the loss
logistic    σ(c s) of the second of two classes
softmax     e^{s k} / Σⱼ e^{s j}
normalised  σ(c s k), divided by their sum
calibrated  of g(class scores): σ for two classes, softmax for more; g is a rising function made of straight pieces
none        there are none

cut         (k, t) where mistakes have costs: class k where its probability is more than t, else the other of two

shift       what is taken off the logarithms of the probabilities: those of the class weights, which are divided out
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linsep.errors import InvalidType, Refused
from linsep.features.encoding import TableEncoding
from linsep.model import LinearModel, LinearRule
from linsep.model.calibration import Calibration, segments
from linsep.model.model import Objective
from linsep.model.weights import Weights
from linsep.problem.reductions import Joint, OneMargin, OneVsOne, OneVsRest
from linsep.types import FloatArray
from linsep.workflow.features import FrameFeatures
from linsep.workflow.trained import Trained

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Scoring(Weights):
    """w is (d + 1, m), intercepts last; names are those of the features, if they have any."""

    w: FloatArray
    classes: Array
    names: list[str] | None
    decide: str
    link: str
    scale: float
    loss: str
    shift: FloatArray
    calibration: Calibration | None = None
    cut: tuple[int, float] | None = None

    @property
    def tilt(self) -> float:
        """The shift between two classes."""
        return float(self.shift[1] - self.shift[0])

    def pieces(self) -> list[tuple[float, float, float, float]]:
        """g(s) = Σ slope · (s, cut off at low and high, less its value at 0), by (slope, low, high, value at 0)."""
        assert self.calibration is not None
        ends = zip(*segments(self.calibration.knots), self.calibration.slopes, strict=True)
        return [(float(a), float(low), float(high), float(min(max(0.0, low), high))) for low, high, a in ends]

    @property
    def sides(self) -> FloatArray:
        """(m, K), of one-vs-one: +1 for the second class of a pair, −1 for the first."""
        first, second = OneVsOne.pairs(len(self.classes))
        table = np.zeros((len(first), len(self.classes)))
        table[np.arange(len(first)), first] = -1.0
        table[np.arange(len(first)), second] = 1.0
        return table


def read_scoring(model: Any) -> Scoring:
    """Of a fitted estimator, or of what `model_` or `load` gives; what `linsep train` wrote decides by its costs."""
    if isinstance(model, Trained):
        threshold = model.decision.threshold
        cut = None if threshold is None else (model.decision.positive, threshold)
        return replace(read_scoring(model.model), cut=cut)
    found = getattr(model, "model_", model)
    if hasattr(found, "as_rule"):
        found = found.as_rule()
    if not isinstance(found, LinearModel | LinearRule):
        raise InvalidType(
            f"given was a {type(model).__name__}; what can be exported is a fitted linear classifier of linsep, its "
            "model_, or a model that was loaded"
        )
    names = None if found.feature_names is None else [str(name) for name in found.feature_names]
    decide, link, scale, loss = _meaning(found.objective, len(found.classes))
    calibration = getattr(found, "calibration", None)
    if calibration is not None:
        link = "calibrated" if decide in ("margin", "largest") else "none"
    factors = found.origin.class_factors if isinstance(found, LinearModel) else None
    shift = np.zeros(len(found.classes)) if factors is None else np.log(factors)
    return Scoring(found.w, found.classes, names, decide, link, scale, loss, shift, calibration)


def encoder_of(model: Any) -> TableEncoding | None:
    """The encoder that a model file of the command line has with it, where its rows have columns with names."""
    if isinstance(model, Trained) and isinstance(model.features, FrameFeatures):
        return model.features.encoder
    return None


def _meaning(objective: Objective | None, n_classes: int) -> tuple[str, str, float, str]:
    if objective is None:
        return ("margin" if n_classes == 2 else "largest"), "none", 1.0, "none"
    scheme, loss = objective.scheme, objective.loss
    scale = loss.probability_scale
    if isinstance(scheme, OneMargin):
        return "margin", "logistic" if loss.probability else "none", scale, loss.name
    if isinstance(scheme, Joint):
        return "largest", "softmax" if scheme.loss.probability else "none", 1.0, scheme.loss.name
    if isinstance(scheme, OneVsRest):
        return "largest", "normalised" if loss.probability else "none", scale, loss.name
    if isinstance(scheme, OneVsOne):
        return {"votes": "votes", "scores": "sums"}[scheme.decide], "none", 1.0, loss.name
    raise Refused(
        f"multiclass {scheme.name!r} cannot be exported: no other system decides by code words as it does; "
        "fit with 'softmax', 'ovr' or 'ovo'"
    )
