"""Training: the fit on all rows, then its quality on rows kept out of fits made the same way.

The model comes first, so that whoever stops the measuring keeps the model. For the measuring everything is learnt again
without the rows it is measured on: the columns' encoding, α, the weights.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from linsep.errors import InvalidData, LinsepError
from linsep.estimators import LinearClassifier
from linsep.model import LinearModel
from linsep.quality import Predictions, measure
from linsep.selection import CrossValidation, Curve
from linsep.solvers import Status
from linsep.tables import Table
from linsep.types import FloatArray, IntArray
from linsep.workflow.decision import decide
from linsep.workflow.features import EncodingSettings, Features, learn_features
from linsep.workflow.recipe import Recipe
from linsep.workflow.split import splits
from linsep.workflow.trained import Provenance, Trained, class_numbers

#: Told what begins: "fitting", "measuring, fold 2 of 5"
Announce = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class _Fit:
    """One fit: the encoder, the model, and how α was chosen."""

    features: Features
    model: LinearModel
    curve: Curve | None
    notes: tuple[str, ...]


def train(
    table: Table,
    recipe: Recipe | None = None,
    encoding: EncodingSettings | None = None,
    announce: Announce | None = None,
) -> Trained:
    """A model of the table's target, certified, with its quality on rows it had not seen."""
    recipe, encoding, announce = recipe or Recipe(), encoding or EncodingSettings(), announce or _silent
    clock, began = time.perf_counter(), datetime.now(UTC).isoformat(timespec="seconds")
    labels = table.target
    if labels is None:
        raise InvalidData("nothing to learn: the table has no target column; name it with target=")
    announce("fitting")
    fit = _fit(table, recipe, encoding)
    codes = class_numbers(table, fit.model.classes, None)
    trained = Trained(
        features=fit.features,
        model=fit.model,
        decision=decide(fit.model.classes, recipe.positive, recipe.cost),
        recipe=recipe,
        provenance=_provenance(table, began),
        priors=_shares(codes, len(fit.model.classes), table.weights),
        curve=fit.curve,
        notes=(*table.notes, *fit.notes),
    )
    if fit.model.status is not Status.INTERRUPTED and recipe.held_out > 0.0:
        trained = _measured(trained, table, codes, encoding, announce)
    seconds = time.perf_counter() - clock
    return replace(trained, provenance=replace(trained.provenance, seconds=seconds))


def _silent(words: str) -> None:
    """Nobody listens."""


def _fit(table: Table, recipe: Recipe, encoding: EncodingSettings) -> _Fit:
    features, X, notes = learn_features(table, encoding)
    estimator = LinearClassifier(
        recipe.loss,
        alpha=CrossValidation(folds=recipe.folds) if recipe.alpha == "cv" else recipe.alpha,
        l1_ratio=recipe.l1,
        multiclass=recipe.multiclass,
        class_weight=recipe.class_weight,
        tol=recipe.tol,
        time_limit=recipe.time,
        n_jobs=recipe.threads,
        random_state=recipe.seed,
        probability=True,
    )
    estimator.fit(X, table.target, table.weights, groups=table.groups)
    return _Fit(features, estimator.model_, getattr(estimator, "alpha_curve_", None), notes)


def _measured(
    trained: Trained, table: Table, codes: IntArray, encoding: EncodingSettings, announce: Announce
) -> Trained:
    """With the quality of fits that had not seen the rows; an interruption or a part too small leaves it out."""
    recipe = trained.recipe
    parts: list[Predictions] = []
    try:
        for fitted, measured in splits(codes, table.groups, recipe.held_out, recipe.seed):
            announce(f"measuring on {len(measured):,} rows held out")
            fit = _fit(table.take(fitted), recipe, encoding)
            blind = replace(trained, features=fit.features, model=fit.model)
            parts.append(_aligned(blind, table.take(measured), codes[measured], trained))
    except KeyboardInterrupt:
        return trained.with_notes("interrupted while measuring: the quality on rows held out is not known")
    except LinsepError as error:
        return trained.with_notes(f"the quality on rows held out could not be measured: {error}")
    if not parts:
        return trained.with_notes("too few rows to hold some out: the quality is not known")
    return replace(trained, quality=measure(_joined(parts)))


def _aligned(blind: Trained, table: Table, truth: IntArray, trained: Trained) -> Predictions:
    """Predictions of a fit on a part of the rows, which may lack a class, in the numbers of all classes."""
    scored = blind.score(table)
    places = np.searchsorted(trained.classes, blind.classes)
    scores, probabilities = scored.scores, scored.probabilities
    if len(blind.classes) < len(trained.classes):
        wide = scores if scores.ndim == 2 else np.column_stack([-scores, scores])
        scores = _spread(wide, places, len(trained.classes), -np.inf)
        probabilities = None if probabilities is None else _spread(probabilities, places, len(trained.classes), 0.0)
    return Predictions(truth, places[scored.predicted], scores, probabilities, trained.priors, table.weights)


def _spread(columns: FloatArray, places: IntArray, count: int, empty: float) -> FloatArray:
    out = np.full((len(columns), count), empty)
    out[:, places] = columns
    return out


def _joined(parts: list[Predictions]) -> Predictions:
    """The parts one below the other."""

    def column(name: str) -> Any:
        values = [getattr(part, name) for part in parts]
        return None if values[0] is None else np.concatenate(values)

    return Predictions(
        column("truth"),
        column("predicted"),
        column("scores"),
        column("probabilities"),
        parts[0].priors,
        column("weights"),
    )


def _shares(codes: IntArray, count: int, weights: FloatArray | None) -> FloatArray:
    totals = np.bincount(codes, weights=weights, minlength=count).astype(np.float64)
    shares: FloatArray = totals / totals.sum()
    return shares


def _provenance(table: Table, began: str) -> Provenance:
    target = table.schema.target
    versions = {name: version(name) for name in ("linsep", "numpy", "scipy")}
    sources = tuple(Path(each).name for each in table.sources)
    return Provenance(sources, None if target is None else target.name, versions, began)
