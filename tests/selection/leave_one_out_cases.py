"""Small problems, and the truth about them: a refit without each row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris

from linsep.model import Effort, LinearModel, Objective, Training, fit_model, read_training
from linsep.problem import losses, multiclass
from linsep.selection.left_out import copies_left_out

EXACT = Effort(tol=1e-10)


def cancer(rows: int = 150, columns: int = 8) -> tuple[Any, Any]:
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X[:rows, :columns], y[:rows]


def iris() -> tuple[Any, Any]:
    X, y = load_iris(return_X_y=True)
    return X, y


def training_of(data: tuple[Any, Any], sample_weight: Any = None, class_weight: Any = None) -> Training:
    return read_training(*data, sample_weight, class_weight, 1)


def objective_of(
    training: Training, loss: str, alpha: float = 1e-2, scheme: str = "auto", intercept: bool = True
) -> Objective:
    known = losses.resolve(loss)
    found = multiclass.of_classes(multiclass.find(scheme, known), training.n_classes)
    return Objective(known, found, alpha, intercept)


def refit_scores(model: LinearModel, training: Training, rows: Any) -> Any:
    """The score of every row under the fit that lacks one copy of it."""
    amounts = copies_left_out(training)
    whole = np.ones(training.design.n) if training.weights is None else training.weights
    found = []
    for i in rows:
        weights = whole.copy()
        weights[i] -= amounts[i]
        without = fit_model(replace(training, weights=weights), model.objective, EXACT, model.w)
        found.append(training.design.rows(np.array([i])).scores(without.w)[0])
    scores = np.array(found)
    return scores[:, 0] if model.w.shape[1] == 1 else scores
