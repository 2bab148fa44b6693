"""Training: the fit on all rows, and its quality on rows kept out of fits made the same way.

For the measuring everything is learnt without the rows it is measured on: the columns' encoding, α, the weights. Many
rows have one part held out: α is chosen on the others and serves all rows, so that what is measured is the α in use,
and it is searched for once. Few rows are all held out, in folds, and each fold has an α of its own.

Once there is an α there is a model: whoever stops after that keeps it.
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

#: Rows to fit, rows to measure.
Split = tuple[IntArray, IntArray]


@dataclass(frozen=True, eq=False)
class _Fit:
    """One fit: the encoder, the model, how α was chosen, what is to be known, and who can say more."""

    features: Features
    model: LinearModel
    curve: Curve | None
    notes: tuple[str, ...]
    estimator: TableClassifier

    @property
    def interrupted(self) -> bool:
        return was_interrupted(self.model, self.curve)


def train(
    table: Table,
    recipe: Recipe | None = None,
    encoding: EncodingSettings | None = None,
    watch: Watch | None = None,
) -> Trained:
    """A model of the table's target, certified, with its quality on rows it had not seen.

    Ctrl-C keeps what there is: of the choice of α the best value so far, of the fit the best point so far, of the
    measuring the model. Only before there is any α it is passed on.
    """
    recipe, encoding, watch = recipe or Recipe(), encoding or EncodingSettings(), watch or Unwatched()
    clock, began = time.perf_counter(), datetime.now(UTC).isoformat(timespec="seconds")
    if table.target is None:
        raise InvalidParameter(
            f"nothing to learn: the table has no target column; name it with target={_columns(table)}"
        )
    TableClassifier.of(recipe).check()
    held = list(splits(np.unique(table.target, return_inverse=True)[1], table.groups, recipe.held_out, recipe.seed))
    blind = _choosing(table, held, recipe, encoding, watch)
    fit = _fit(table, recipe if blind is None else replace(recipe, alpha=blind.model.alpha), encoding, watch)
    classes = fit.model.classes
    trained = Trained(
        features=fit.features,
        model=fit.model,
        decision=decide(classes, recipe.positive, recipe.cost),
        recipe=recipe,
        provenance=_provenance(table, began),
        priors=_shares(class_numbers(table, classes, None), len(classes), table.weights),
        curve=fit.curve if blind is None else blind.curve,
        notes=(*table.notes, *fit.notes),
    )
    if not trained.interrupted:
        trained = trained.with_notes(*_findings(fit.estimator, watch))
        trained = _measured(trained, table, held, encoding, watch, blind)
    seconds = time.perf_counter() - clock
    return replace(trained, provenance=replace(trained.provenance, seconds=seconds))


def _choosing(table: Table, held: list[Split], recipe: Recipe, encoding: EncodingSettings, watch: Watch) -> _Fit | None:
    """The fit without the one part that is held out, where α is to be chosen: its α serves all rows.

    None where α is given, where all rows are held out in turn, or where the part cannot be learnt.
    """
    if not isinstance(recipe.alpha, str) or len(held) != 1:
        return None
    ((fitted, measured),) = held
    try:
        fit = _fit(table.take(fitted), recipe, encoding, watch)
    except LinsepError:
        return None
    assert fit.curve is not None
    note = f"chosen on {len(fitted):,} rows; the other {len(measured):,} measure the quality"
    return replace(fit, curve=replace(fit.curve, notes=(note, *fit.curve.notes)))


def _fit(table: Table, recipe: Recipe, encoding: EncodingSettings, watch: Watch, trusted: Curve | None = None) -> _Fit:
    """trusted: how α was chosen for rows that these are a part of."""
    watch.stage(f"encoding {table.rows:,} rows")
    features, X, notes = learn_features(table, encoding)
    estimator = TableClassifier.of(recipe, watch, features.names, trusted)
    model, told = estimator.learn(X, table)
    return _Fit(features, model, estimator.alpha_curve_, (*notes, *told), estimator)


def _findings(estimator: TableClassifier, watch: Watch) -> tuple[str, ...]:
    watch.stage("looking at the fit")
    try:
        return estimator.findings()
    except KeyboardInterrupt:
        return ("interrupted while the fit was looked at: what is serious in the data is not known",)


def _measured(
    trained: Trained, table: Table, held: list[Split], encoding: EncodingSettings, watch: Watch, blind: _Fit | None
) -> Trained:
    """With the quality of fits that had not seen the rows; an interruption or a part too small leaves it out."""
    recipe, parts = trained.recipe, list[Predictions]()
    try:
        for fitted, measured in held:
            part = Part(watch, f"measuring on {len(measured):,} rows held out")
            fit = blind or _fit(table.take(fitted), recipe, encoding, part, trained.curve)
            if fit.interrupted:
                raise KeyboardInterrupt
            parts.append(
                _aligned(replace(trained, features=fit.features, model=fit.model), table.take(measured), trained)
            )
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


def _aligned(blind: Trained, table: Table, trained: Trained) -> Predictions:
    """Predictions of a fit on a part of the rows, which may lack a class, in the numbers of all classes."""
    scored, truth = blind.score(table), class_numbers(table, trained.classes, None)
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
