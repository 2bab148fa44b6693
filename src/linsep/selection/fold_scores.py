"""Scores of left-out rows from folds: refits without a fifth of the rows, each begun from the fit to all of them."""

from __future__ import annotations

import numpy as np

from linsep.model import Effort, LinearModel, Training, fit_model
from linsep.selection.dealing import deal
from linsep.selection.refits import part_of, uninterrupted
from linsep.types import FloatArray, IntArray

FOLDS = 5


def fold_scores(
    model: LinearModel, training: Training, effort: Effort, folds: int = FOLDS
) -> tuple[IntArray, FloatArray]:
    """All rows that count, and their scores under the fit without their fold; every class in every fit."""
    codes = training.labels.codes
    folds = min(folds, len(codes))
    fold = deal(codes, folds, None, effort.seed)
    every = np.arange(training.n_classes)
    counts = np.ones(len(codes), dtype=bool) if training.weights is None else training.weights > 0.0
    scores = np.empty((len(codes), model.w.shape[1]))
    for k in range(folds):
        held = np.flatnonzero(fold == k)
        if len(held):
            part = part_of(training, np.flatnonzero(fold != k), every)
            fitted = uninterrupted(fit_model(part, model.objective, effort, model.w))
            scores[held] = training.design.rows(held).scores(np.array(fitted.w))
            if training.offset is not None:
                scores[held] += training.offset[held].reshape(len(held), -1)
    rows = np.flatnonzero(counts)
    found = scores[rows]
    return rows, found[:, 0] if found.shape[1] == 1 else found
