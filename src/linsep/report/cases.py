"""From what a user has to a case: a trained model and a table, or an estimator and arrays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from linsep.data.labels import encode_labels
from linsep.data.source import as_design
from linsep.data.sparse_rows import as_scipy
from linsep.errors import InvalidData, InvalidType
from linsep.kernels.threads import available_threads
from linsep.model import LinearModel, Training, read_training
from linsep.model.fingerprint import fingerprints
from linsep.quality import Predictions
from linsep.report.case import Case
from linsep.tables import Table
from linsep.workflow.features import FrameFeatures
from linsep.workflow.trained import Trained


def case_of_table(trained: Trained, table: Table, table_is_training: bool | None = None) -> Case:
    """The case of a trained model and a table with its target."""
    if not table.rows:
        raise InvalidData("the table has no rows: a report needs at least one")
    predictions, notes = trained.predictions(table)
    model, X = trained.named_model, as_scipy(trained.features.transform(table)[0])
    columns = trained.features.encoder.columns_ if isinstance(trained.features, FrameFeatures) else None
    training = None if table_is_training is False else _training(model, X, table.target, table.weights)
    if table_is_training and training is None:
        raise InvalidData(
            "these are not the rows that the model was fitted to: their fingerprints differ. Leave table_is_training "
            "out to have that found out"
        )
    return Case(
        subject=trained.provenance.target or "the target",
        model=model,
        X=X,
        predictions=predictions,
        training=training,
        trained=trained,
        table=table,
        columns=columns,
        names=tuple(Path(each).name for each in table.sources),
        notes=tuple(dict.fromkeys(_without_folders((*trained.notes, *table.notes, *notes), table.sources))),
    )


def _without_folders(notes: tuple[str, ...], sources: tuple[str, ...]) -> list[str]:
    """A report is for others too: where files lie on this machine is none of their business."""
    for source in sorted(sources, key=len, reverse=True):
        notes = tuple(note.replace(source, Path(source).name) for note in notes)
    return list(notes)


def case_of_arrays(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Case:
    """The case of a fitted estimator, or its `model_`, and the arrays it takes."""
    model = getattr(estimator, "model_", estimator)
    if not isinstance(model, LinearModel):
        raise InvalidType(
            f"a report needs a fitted LinearClassifier (or LogisticRegression, LinearSVM, LeastSquaresClassifier) or "
            f"its model; given was {type(estimator).__name__}"
        )
    rows = model.read(X)
    truth = _class_numbers(y, model, rows.n)
    training = _training(model, X, y, sample_weight)
    scores = model.decision_function(X)
    predicted = (scores > 0.0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    chances = model.predict_proba(X) if model.gives_probabilities else None
    shares = np.bincount(truth, weights=weights, minlength=len(model.classes)).astype(np.float64)
    predictions = Predictions(truth, predicted, scores, chances, shares / shares.sum(), weights)
    table = rows.table if rows.sparse else np.asarray(rows.table)
    return Case(model.origin.estimator, model, table, predictions, training)


def _class_numbers(y: Any, model: LinearModel, n: int) -> Any:
    """Labels as numbers of the model's classes; one that is none of them is named with its row."""
    labels = encode_labels(y, n, fewest=1)
    places = {label: k for k, label in enumerate(model.classes.tolist())}
    known = np.array([places.get(label, -1) for label in labels.classes.tolist()], dtype=np.int64)
    if (known < 0).any():
        row = int(np.argmax(known[labels.codes] < 0))
        raise InvalidData(
            f"row {row} of y has the class {labels.classes[labels.codes[row]]!s}, which the model does not know; it "
            f"knows {', '.join(map(str, list(places)[:10]))}"
        )
    return known[labels.codes]


def _training(model: LinearModel, X: Any, y: Any, weights: Any) -> Training | None:
    """The rows as those of a fit, if they are the model's own, by their fingerprints."""
    try:
        if as_design(X, 1).n != model.n_rows:
            return None
        read = read_training(X, y, weights, model.class_weight, available_threads(), model.origin.estimator)
    except InvalidData:
        return None
    found = fingerprints(read.design, read.labels, read.weights)
    same = "offset" not in model.fingerprints and all(model.fingerprints.get(k) == v for k, v in found.items())
    return replace(read, names=model.feature_names) if same else None
