"""Training: the fit on all rows, then its quality on rows kept out of fits made the same way.

The model comes first, so that whoever stops the measuring keeps the model. For the measuring everything is learnt again
without the rows it is measured on: the columns' encoding, α, the weights.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from linsep.errors import InvalidParameter, LinsepError
from linsep.model import LinearModel, Watch
from linsep.model.record import software
from linsep.quality import Predictions, measure
from linsep.selection import Curve
from linsep.tables import Table
from linsep.types import FloatArray, IntArray
from linsep.workflow.classifier import TableClassifier
from linsep.workflow.decision import decide
from linsep.workflow.features import EncodingSettings, Features, learn_features
from linsep.workflow.recipe import Recipe
from linsep.workflow.split import splits
from linsep.workflow.trained import Provenance, Trained, class_numbers, was_interrupted
from linsep.workflow.watching import Part, Unwatched


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
    watch: Watch | None = None,
) -> Trained:
    """A model of the table's target, certified, with its quality on rows it had not seen.

    Ctrl-C keeps what there is: of the choice of α the best value so far, of the fit the best point so far, of the
    measuring the model. Only before there is any model it is passed on.
    """
    recipe, encoding, watch = recipe or Recipe(), encoding or EncodingSettings(), watch or Unwatched()
    clock, began = time.perf_counter(), datetime.now(UTC).isoformat(timespec="seconds")
    labels = table.target
    if labels is None:
        raise InvalidParameter(
            f"nothing to learn: the table has no target column; name it with target={_columns(table)}"
        )
    TableClassifier.of(recipe).check()
    fit = _fit(table, recipe, encoding, watch)
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
    if not trained.interrupted and recipe.held_out > 0.0:
        trained = _measured(trained, table, codes, encoding, watch)
    seconds = time.perf_counter() - clock
    return replace(trained, provenance=replace(trained.provenance, seconds=seconds))


def _fit(table: Table, recipe: Recipe, encoding: EncodingSettings, watch: Watch, whole: Trained | None = None) -> _Fit:
    """whole: what was learnt of all rows, where these are a part of them; then nothing more is said about the fit."""
    watch.stage(f"encoding {table.rows:,} rows")
    features, X, notes = learn_features(table, encoding)
    names, trusted = (features.names, None) if whole is None else (None, whole.curve)
    estimator = TableClassifier.of(recipe, watch, names, trusted)
    model, told = estimator.learn(X, table)
    curve = estimator.alpha_curve_
    if whole is None and not was_interrupted(model, curve):
        watch.stage("looking at the fit")
        told += _findings(estimator)
    return _Fit(features, model, curve, (*notes, *told))


def _findings(estimator: TableClassifier) -> tuple[str, ...]:
    try:
        return estimator.findings()
    except KeyboardInterrupt:
        return ("interrupted while the fit was looked at: what is serious in the data is not known",)


def _measured(trained: Trained, table: Table, codes: IntArray, encoding: EncodingSettings, watch: Watch) -> Trained:
    """With the quality of fits that had not seen the rows; an interruption or a part too small leaves it out."""
    recipe = trained.recipe
    parts: list[Predictions] = []
    try:
        for fitted, measured in splits(codes, table.groups, recipe.held_out, recipe.seed):
            part = Part(watch, f"measuring on {len(measured):,} rows held out")
            fit = _fit(table.take(fitted), recipe, encoding, part, trained)
            if was_interrupted(fit.model, fit.curve):
                raise KeyboardInterrupt
            blind = replace(trained, features=fit.features, model=fit.model)
            parts.append(_aligned(blind, table.take(measured), codes[measured], trained))
    except KeyboardInterrupt:
        return trained.with_notes("interrupted while measuring: the quality on rows held out is not known")
    except LinsepError as error:
        return trained.with_notes(f"the quality on rows held out could not be measured: {error}")
    if parts:
        return replace(trained, quality=measure(_joined(parts)))
    if recipe.held_out == 0.0:
        return trained
    return trained.with_notes("too few rows to hold some out: the quality is not known")


def _columns(table: Table) -> str:
    """Names to choose from."""
    names = [] if table.frame is None else [repr(name) for name in table.frame.columns]
    return "; the columns are " + ", ".join(names[:8]) + (", …" if len(names) > 8 else "") if names else ""


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
    sources = tuple(Path(each).name for each in table.sources)
    return Provenance(sources, None if target is None else target.name, software(), began)
