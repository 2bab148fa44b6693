"""Scores of left-out rows from folds: refits without a fifth of the rows, each begun from the fit to all of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linsep.data.labels import Labels
from linsep.model import Effort, LinearModel, Training, fit_model
from linsep.types import FloatArray, IntArray

FOLDS = 5


def fold_scores(
    model: LinearModel, training: Training, effort: Effort, folds: int = FOLDS
) -> tuple[IntArray, FloatArray]:
    """All rows that count, and their scores under the fit without their fold; every class in every fit."""
    codes = training.labels.codes
    fold = _deal(codes, folds, effort.seed)
    counts = np.ones(len(codes), dtype=bool) if training.weights is None else training.weights > 0.0
    scores = np.empty((len(codes), model.w.shape[1]))
    for k in range(folds):
        held = np.flatnonzero(fold == k)
        if len(held):
            fitted = fit_model(_part(training, fold != k), model.objective, effort, model.w)
            scores[held] = training.design.rows(held).scores(fitted.w)
    rows = np.flatnonzero(counts)
    found = scores[rows]
    return rows, found[:, 0] if found.shape[1] == 1 else found


def _part(training: Training, kept: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Training:
    rows = np.flatnonzero(kept)
    weights = None if training.weights is None else training.weights[rows]
    labels = Labels(training.labels.classes, training.labels.codes[rows])
    return replace(training, design=training.design.rows(rows), labels=labels, weights=weights)


def _deal(codes: IntArray, folds: int, seed: int) -> IntArray:
    """The fold of every row: the rows of a class, shuffled, are dealt out in turn."""
    shuffled = np.random.default_rng(seed).permutation(len(codes))
    in_order = shuffled[np.argsort(codes[shuffled], kind="stable")]
    fold = np.empty(len(codes), dtype=np.int64)
    fold[in_order] = np.arange(len(codes)) % folds
    return fold
