"""Trained: from the columns of a file to a decision, in one value that a model file holds.

encoder → rows of numbers → model → scores and probabilities → decision. Beside them what a reader wants to know: how
good it is on rows it had not seen, how α was chosen, what it was trained on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from linsep.errors import InvalidData
from linsep.model import LinearModel
from linsep.model.record import model_from, model_record
from linsep.quality import Predictions, Quality
from linsep.selection import Curve
from linsep.solvers import Status
from linsep.storage import write_archive
from linsep.storage.fields import check_fields
from linsep.tables import Table
from linsep.types import Finite, FloatArray, IntArray, Within
from linsep.workflow.decision import Decision
from linsep.workflow.features import Features, features_from_record, features_record
from linsep.workflow.recipe import Recipe

Array = np.ndarray[Any, Any]

KIND = "trained"


@dataclass(frozen=True)
class Provenance:
    """Where the model comes from.

    sources   names of the files, without their folders
    target    the column that was learnt
    versions  of linsep and what it computes with
    began     when training began, ISO 8601, UTC
    seconds   it took, all in all
    """

    sources: tuple[str, ...]
    target: str | None
    versions: Mapping[str, str]
    began: str
    seconds: Finite = 0.0

    def record(self) -> dict[str, Any]:
        return {**vars(self), "sources": list(self.sources), "versions": dict(self.versions)}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Provenance:
        return cls(**{**record, "sources": tuple(record["sources"])})


@dataclass(frozen=True, eq=False)
class Scored:
    """A table as the model sees it: a line a row."""

    predicted: IntArray
    scores: FloatArray
    probabilities: FloatArray | None
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Trained:
    """A model with its columns, its decision and its history."""

    features: Features
    model: LinearModel
    decision: Decision
    recipe: Recipe
    provenance: Provenance
    priors: Annotated[FloatArray, Within(0.0, 1.0, axes=1)]
    quality: Quality | None = None
    curve: Curve | None = None
    notes: tuple[str, ...] = ()

    @property
    def classes(self) -> Array:
        return self.model.classes

    @property
    def named_model(self) -> LinearModel:
        """The model with the names of the encoded columns, for people to read."""
        names = self.features.names
        if names is None:
            return self.model
        return replace(self.model, origin=replace(self.model.origin, names=np.array(names, dtype=object)))

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the fit or the choice of α: the best that there was, and no more."""
        return was_interrupted(self.model, self.curve)

    def score(self, table: Table) -> Scored:
        """Class numbers, scores and probabilities of every row; the columns may come in any order."""
        X, notes = self.features.transform(table)
        raw = self.model.scores(X, self.recipe.threads)
        scores = self.model.class_scores(raw)
        probabilities = self.model.probabilities(raw) if self.model.gives_probabilities else None
        own = (scores > 0.0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)
        return Scored(self.decision.classes(own, probabilities), scores, probabilities, notes)

    def predictions(self, table: Table) -> tuple[Predictions, tuple[str, ...]]:
        """What the model says of rows whose class is known, ready to be measured; and what was noticed."""
        scored, truth = self.score(table), class_numbers(table, self.classes, self.provenance.target)
        found = Predictions(truth, scored.predicted, scored.scores, scored.probabilities, self.priors, table.weights)
        return found, scored.notes

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the model file: all of it or nothing, and over an old one only by force."""
        write_archive(path, KIND, self.record(), force=force)

    def report(self, table: Table, path: str | Path, *, force: bool = False) -> Path:
        """Write a report on the model and these rows, one HTML page that needs no network (docs/report.md)."""
        written: Path = import_module("linsep.report").write_report(self, table, path, force=force)
        return written

    def record(self) -> dict[str, Any]:
        """As plain values and arrays."""
        return {
            "features": features_record(self.features),
            "model": model_record(self.model),
            "decision": self.decision.record(),
            "recipe": self.recipe.record(),
            "provenance": self.provenance.record(),
            "priors": self.priors,
            "quality": None if self.quality is None else self.quality.record(),
            "curve": None if self.curve is None else self.curve.record(),
            "notes": list(self.notes),
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Trained:
        quality, curve = record["quality"], record["curve"]
        made = cls(
            features=features_from_record(record["features"]),
            model=model_from(record["model"]),
            decision=Decision.from_record(record["decision"]),
            recipe=Recipe.from_record(record["recipe"]),
            provenance=Provenance.from_record(record["provenance"]),
            priors=np.asarray(record["priors"], dtype=np.float64),
            quality=None if quality is None else Quality.from_record(quality),
            curve=None if curve is None else Curve.from_record(curve),
            notes=tuple(record["notes"]),
        )
        check_fields(made)
        return made

    def flaw(self) -> str | None:
        """Why no training gives it, or None: features, classes, costs and curve fit the model (storage/fields.py)."""
        model, classes, costs = self.model, len(self.classes), self.decision.costs
        if self.features.width != model.n_features:
            return f"{self.features.width:,} columns do not fit a model of {model.n_features:,}"
        if not 0 <= self.decision.positive < classes or not (costs is None or classes == 2):
            return f"the decision {self.decision} does not fit {classes} classes"
        if self.priors.shape != (classes,):
            return f"{self.priors.size} shares of classes do not fit {classes}"
        if self.quality is not None and self.quality.confusion.shape != (classes, classes):
            return f"a confusion of the shape {self.quality.confusion.shape} does not fit {classes} classes"
        return None if self.curve is None else _flaw_of(self.curve)

    def with_notes(self, *notes: str) -> Trained:
        return replace(self, notes=(*self.notes, *notes))


def _flaw_of(curve: Curve) -> str | None:
    """A loss and an error for every α, and one of the losses a number."""
    lengths = {each.shape for each in curve.columns().values()}
    if len(lengths) == 1 and curve.alphas.ndim == 1 and np.isfinite(curve.losses).any() and (curve.alphas > 0.0).all():
        return None
    return f"its curve of {curve.alphas.size} α has {curve.losses.size} losses and {curve.errors.size} errors"


def was_interrupted(model: LinearModel, curve: Curve | None) -> bool:
    """Whether Ctrl-C ended the fit, or the choice of its α."""
    return model.status is Status.INTERRUPTED or (curve is not None and curve.interrupted)


def class_labels(table: Table, classes: Array, target: str | None) -> Array:
    """The table's target as labels of the model's classes, whatever type the file gave them."""
    labels: Array = classes[class_numbers(table, classes, target)]
    return labels


def class_numbers(table: Table, classes: Array, target: str | None) -> IntArray:
    """The table's target as numbers of the model's classes; a label that is none of them is named with its row."""
    labels = table.target
    if labels is None:
        raise InvalidData(
            f"the classes of the rows are needed: there is no {target!r}; name what holds them with target="
        )
    numbers = _places(labels, classes)
    unknown = np.flatnonzero(numbers < 0)
    if len(unknown):
        files = ", ".join(table.sources[:3]) or "the table given"
        known = ", ".join(map(str, classes[:10])) + (", …" if len(classes) > 10 else "")
        raise InvalidData(
            f"{files}: row {int(unknown[0]) + 1:,} has the class {str(labels[unknown[0]])!r}, which was not in "
            f"training ({len(unknown):,} such rows); the classes are {known}"
        )
    return numbers


def _places(labels: Array, classes: Array) -> IntArray:
    """Where each label stands among the classes, compared as text where they are of different types; −1: nowhere."""
    if labels.dtype.kind != classes.dtype.kind:
        labels, classes = labels.astype(str), classes.astype(str)
    order = np.argsort(classes)
    known = classes[order]
    at = np.minimum(np.searchsorted(known, labels), len(known) - 1)
    return np.where(known[at] == labels, order[at], -1)
