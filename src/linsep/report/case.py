"""The case that a report speaks of: a model, rows with their classes, and what is known of both.

Sections read from it; what is costly is computed when the first of them asks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from linsep.cached import cached_property
from linsep.diagnosis import Diagnosis
from linsep.diagnosis.evidence import Evidence, Facts
from linsep.diagnosis.registry import CHECKS, diagnose
from linsep.errors import LinsepError, Refused
from linsep.features.columns import EncodedColumn
from linsep.inference import Inference, infer
from linsep.model import LinearModel, Training
from linsep.model.summary import name_of
from linsep.quality import Predictions, Quality, measure
from linsep.report.left_out import Judged, left_out_predictions
from linsep.tables import Table
from linsep.types import FloatArray
from linsep.workflow.trained import Trained

Array = np.ndarray[Any, Any]

#: Multiplications that the intervals of a report may cost, rows times the square of the coefficients: some seconds.
MOST_WORK = 1e9
#: Labels that say nothing by themselves.
_BARE = re.compile(r"[-+]?[\d.]+|true|false|yes|no", re.IGNORECASE)
#: Checks without rows that need the counts of classes.
_COUNTS = ("few rows", "unbalanced classes")


@dataclass(frozen=True, eq=False)
class Case:
    """What a report is about.

    subject      what is predicted: the name of the target, or of the estimator
    model        with the names of its features
    X            the rows as numbers, as the model takes them
    predictions  what the model says of the rows, and what is true
    training     rows, labels and weights, where these are the rows of the fit; else None
    trained      encoder, recipe and history, where the model came with them
    table        the rows as they were read, where they come from a table
    columns      what each column of X is, where an encoder made it
    names        of the files or the data given
    notes        what was noticed on the way
    """

    subject: str
    model: LinearModel
    X: Any
    predictions: Predictions
    training: Training | None
    trained: Trained | None = None
    table: Table | None = None
    columns: tuple[EncodedColumn, ...] | None = None
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_training(self) -> bool:
        return self.training is not None

    @property
    def rows(self) -> int:
        return len(self.predictions.truth)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """As text."""
        return tuple(str(each) for each in self.model.classes)

    def said(self, k: int) -> str:
        """The class within a sentence: “survived = 1” where its label alone says nothing."""
        label = self.classes[k]
        return f"{self.subject} = {label}" if self.trained is not None and _BARE.fullmatch(label) else label

    @property
    def binary(self) -> bool:
        return len(self.classes) == 2

    @property
    def positive(self) -> int:
        """The class that curves speak of: as asked for at training, else the second of two or the most frequent."""
        if self.trained is not None and (self.binary or self.trained.recipe.positive is not None):
            return self.trained.decision.positive
        return 1 if self.binary else int(self.totals.argmax())

    @cached_property
    def totals(self) -> FloatArray:
        """Weight of the rows given, a class."""
        p = self.predictions
        return np.bincount(p.truth, weights=p.weights, minlength=p.n_classes).astype(np.float64)

    @cached_property
    def quality(self) -> Quality:
        """On the rows given."""
        return measure(self.predictions)

    @property
    def held_out(self) -> Quality | None:
        """On rows kept from fits at training."""
        return None if self.trained is None else self.trained.quality

    @cached_property
    def judged(self) -> Judged:
        """The predictions that curves are drawn from: of training rows those of fits without them, where possible."""
        if self.training is None:
            return Judged.all_rows(self.predictions, "the rows given, which the model was not fitted to")
        try:
            return left_out_predictions(self.model, self.training, self.predictions)
        except Refused as reason:
            words = f"the training rows themselves, so they flatter the model ({reason})"
            return Judged.all_rows(self.predictions, words, flattering=True)

    @cached_property
    def inferred(self) -> Inference | str:
        """Standard errors, or why there are none."""
        model, training = self.model, self.training
        size = (model.n_features + 1) * max(len(self.classes) - 1, 1)
        if training is None:
            return "Intervals speak of the rows of the fit. Give these rows to the report to have them."
        if float(size) ** 2 * self.rows > MOST_WORK:
            return (
                f"Intervals of {size:,} coefficients from {self.rows:,} rows take long; `inference` in Python has them."
            )
        try:
            return infer(model, self.X, model.classes[self.predictions.truth], self.predictions.weights)
        except (LinsepError, np.linalg.LinAlgError) as reason:
            return f"No intervals: {reason}."

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """With the rows of the fit if these are they, else what can be said without them."""
        if self.training is not None:
            return diagnose(Evidence(self.model, Facts.of(self.training), self.training))
        priors = self.predictions.priors
        facts = Facts(np.rint(priors * self.model.n_rows).astype(np.int64), None)
        counted = self.model.fingerprints.get("weights") == "none"
        checks = [check for check in CHECKS if counted or check.name not in _COUNTS]
        return diagnose(Evidence(self.model, facts, None), checks)

    # -- columns ----------------------------------------------------------------------------------------

    def name(self, j: int) -> str:
        return name_of(self.model, j)

    @cached_property
    def means(self) -> FloatArray:
        return np.asarray(self.X.mean(axis=0), dtype=np.float64).ravel()

    @cached_property
    def deviations(self) -> FloatArray:
        """Standard deviations of the columns over the rows given."""
        if hasattr(self.X, "multiply"):
            squares = np.asarray(self.X.multiply(self.X).mean(axis=0), dtype=np.float64).ravel()
            return np.sqrt(np.maximum(squares - self.means**2, 0.0))
        return np.asarray(np.std(np.asarray(self.X, dtype=np.float64), axis=0))

    @cached_property
    def directions(self) -> FloatArray | None:
        """(K, d): what each column adds to the score of each class; None where scores are not of classes."""
        coef = self.model.coef
        if self.binary and len(coef) == 1:
            return np.vstack([-coef[0], coef[0]])
        return coef if len(coef) == len(self.classes) and self.model.multiclass != "ecoc" else None
