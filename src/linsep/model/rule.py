"""LinearRule: the linear weights of a classifier that does not minimise an objective with a certificate.

What the perceptron, gradient descent and the maximum margin leave behind when they are saved: scores X w + b, classes,
and, where the classifier gave probabilities, what turns scores into them: loss and scheme, or a calibration.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from linsep.data.names import Names
from linsep.data.reading import Expected, checked_scores, read_rows
from linsep.errors import InvalidFile, Refused
from linsep.model import probability
from linsep.model.calibration import Calibration
from linsep.model.label_record import classes_from, classes_record
from linsep.model.model import Objective
from linsep.model.objective_record import objective_from, objective_record
from linsep.model.weights import Weights
from linsep.types import FloatArray

Array = np.ndarray[Any, Any]

KIND = "linear_rule"


@dataclass(frozen=True, eq=False)
class LinearRule(Weights):
    """w is (d + 1, m), intercepts last: m = 1 for two classes, else a column a class.

    estimator   what it was learnt by
    said        that estimator's summary when it was saved
    objective   what turns scores into probabilities, or None
    calibration the same, where that was learnt from left-out rows
    """

    w: FloatArray = field(repr=False)
    classes: Array
    names: Names | None
    estimator: str
    said: str = field(repr=False)
    objective: Objective | None = None
    calibration: Calibration | None = None

    @property
    def feature_names(self) -> Names | None:
        return self.names

    @property
    def gives_probabilities(self) -> bool:
        if self.calibration is not None:
            return True
        return self.objective is not None and probability.available(self.objective.scheme, self.objective.loss)

    def decision_function(self, X: Any, threads: int | None = None) -> FloatArray:
        """Class scores: (n,), positive for the second of two classes, or (n, K)."""
        design = read_rows(X, Expected(len(self.w) - 1, self.names, self.estimator), self.w.shape[1], threads)
        return checked_scores(design, self.w.ravel() if self.w.shape[1] == 1 else self.w, X)

    def predict(self, X: Any, threads: int | None = None) -> Array:
        """The class of every row."""
        scores = self.decision_function(X, threads)
        chosen = (scores > 0.0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)
        classes: Array = self.classes[chosen]
        return classes

    def predict_proba(self, X: Any, threads: int | None = None) -> FloatArray:
        """P(class), (n, K)."""
        if self.calibration is not None:
            return self.calibration.probabilities(self.decision_function(X, threads))
        if self.objective is None or not self.gives_probabilities:
            raise Refused(f"{self.estimator} gave no probabilities, so its weights give none; use decision_function")
        return probability.probabilities(self.decision_function(X, threads), self.objective.scheme, self.objective.loss)

    def summary(self) -> str:
        """What the estimator said when it was saved."""
        return self.said

    def save(self, path: str | PathLike[str], *, force: bool = False) -> Path:
        """Write the rule to one file, which `linsep.load` reads; the place written to."""
        from linsep.storage import write_archive

        return write_archive(path, KIND, self.record(), force=force)

    def record(self) -> dict[str, Any]:
        """As plain values and arrays, for a model file."""
        return {
            "classes": classes_record(self.classes),
            "weights": self.w,
            "feature_names": self.names,
            "estimator": self.estimator,
            "summary": self.said,
            "objective": None if self.objective is None else objective_record(self.objective),
            "calibration": None if self.calibration is None else self.calibration.record(),
        }

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> LinearRule:
        w, classes, names = record["weights"], classes_from(record["classes"]), record["feature_names"]
        columns = 1 if len(classes) == 2 else len(classes)
        if w.dtype != np.float64 or w.ndim != 2 or w.shape[1] != columns or not len(w) or classes.ndim != 1:
            raise InvalidFile(f"weights of the shape {w.shape} do not fit {len(classes)} classes")
        if names is not None and names.shape != (len(w) - 1,):
            raise InvalidFile(f"{len(names)} names do not fit {len(w) - 1} features")
        objective = None if record["objective"] is None else objective_from(record["objective"])
        learnt = record.get("calibration")
        calibration = None if learnt is None else Calibration.from_record(learnt)
        w.flags.writeable = False
        return cls(w, classes, names, record["estimator"], record["summary"], objective, calibration)
