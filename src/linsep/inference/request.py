"""What is asked for, read and checked before any work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeVar

import numpy as np

from linsep.errors import InvalidData, InvalidParameter, InvalidType, unknown_name
from linsep.inference.covariance import COVARIANCES, Covariance
from linsep.inference.intervals import INTERVALS, Intervals
from linsep.inference.weighting import WEIGHTINGS, Weighting
from linsep.model import Correction, LinearModel, Training
from linsep.model.fingerprint import fingerprints
from linsep.problem.losses import Log
from linsep.problem.reductions import Joint
from linsep.types import FloatArray, IntArray

Kind = TypeVar("Kind")

#: What is used where no intervals are asked for: Wald's are poor just where Firth's correction is needed.
_USUAL = {Correction.NONE: "wald", Correction.FIRTH: "profile"}


@dataclass(frozen=True)
class Settings:
    """As the user gives them."""

    covariance: Any
    clusters: Any
    level: Any
    weights: Any
    reference: Any
    intervals: Any


@dataclass(frozen=True, eq=False)
class Request:
    """Model, data and settings; reference: the number of a class."""

    model: LinearModel
    training: Training
    covariance: Covariance
    weighting: Weighting
    intervals: Intervals
    level: float
    reference: int
    clusters: IntArray | None

    @property
    def firth(self) -> bool:
        return self.model.objective.correction is Correction.FIRTH

    @property
    def joint(self) -> bool:
        return isinstance(self.model.objective.scheme, Joint)

    @property
    def strengths(self) -> FloatArray:
        """What the square of each column's weight is multiplied by, over 2."""
        return self.model.objective.penalty.l2(self.model.n_features)

    @property
    def penalised(self) -> bool:
        return bool(self.strengths.any())

    @property
    def likelihood(self) -> bool:
        """Whether the loss is minus a log likelihood."""
        return isinstance(self.model.objective.loss, Log)


def read_request(model: LinearModel, settings: Settings, read: Callable[[], Training]) -> Request:
    """Names become objects before the data are read; data and model must belong together."""
    usual = _USUAL[model.objective.correction]
    covariance = _named("covariance", settings.covariance, COVARIANCES, Covariance)
    weighting = _named("weights", settings.weights, WEIGHTINGS, Weighting)
    intervals = _named("intervals", usual if settings.intervals is None else settings.intervals, INTERVALS, Intervals)
    level, reference = checked_level(settings.level), _reference(settings.reference, model)
    training = read()
    _check_data(model, training)
    clusters = _clusters(settings.clusters, training.design.n)
    return Request(model, training, covariance, weighting, intervals, level, reference, clusters)


def _check_data(model: LinearModel, training: Training) -> None:
    """X, y, the weights and the offset must be those of the fit."""
    here = fingerprints(training.design, training.labels, training.weights, training.offset)
    there = model.fingerprints
    names = {"X": "X", "y": "y", "weights": "sample_weight", "offset": "offset"}
    other = [name for key, name in names.items() if here.get(key) != there.get(key)]
    if other:
        raise InvalidData(
            f"{' and '.join(other)} {'are' if len(other) > 1 else 'is'} not what the model was fitted to (the "
            "fingerprints differ). Standard errors speak of the data of the fit: give the same X, y, sample_weight and "
            "offset, or fit again"
        )


def _named(name: str, given: Any, known: Mapping[str, Kind], base: type[Any]) -> Kind:
    if isinstance(given, base):
        return given  # type: ignore[no-any-return]
    if not isinstance(given, str) or given not in known:
        raise unknown_name(name, given, known)
    return known[given]


def checked_level(given: Any) -> float:
    if isinstance(given, bool | np.bool_) or not isinstance(given, Real):
        raise InvalidType(f"level={given!r} is a {type(given).__name__}; allowed is a number between 0 and 1")
    if not 0.0 < float(given) < 1.0:
        raise InvalidParameter(f"level={given!r}: allowed is a number between 0 and 1, for example 0.95")
    return float(given)


def _reference(given: Any, model: LinearModel) -> int:
    if given is None:
        return 0
    known = model.classes.tolist()
    if given not in known:
        shown = ", ".join(map(repr, known[:10])) + (", …" if len(known) > 10 else "")
        raise InvalidParameter(f"reference={given!r} is not a class of the model; allowed are {shown}")
    return int(known.index(given))


def _clusters(given: Any, n: int) -> IntArray | None:
    if given is None:
        return None
    values = np.asarray(given)
    if values.shape != (n,):
        raise InvalidData(f"clusters has the shape {values.shape}, expected ({n},): the cluster of every row")
    return np.asarray(np.unique(values, return_inverse=True)[1], dtype=np.int64)
