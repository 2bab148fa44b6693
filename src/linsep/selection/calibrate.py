"""Scores become probabilities: the rising function g of model/calibration.py, fitted to left-out rows.

Scores of rows that the model was fitted to are too good, so g is fitted to left-out ones: by the shortcut of
left_out.py, or from folds where there is none. Between knots at quantiles of the scores g is linear, so it is a sum
of ramps with coefficients βⱼ > 0, and minus the log-likelihood

    Σᵢ sᵢ [ ln Σₖ e^{g(zᵢₖ)} − Σₖ tᵢₖ g(zᵢₖ) ] + Σⱼ (βⱼ₊₁ − βⱼ)²

is convex in β (two classes: z = (0, score)). The targets t are Platt's: not 1 for a row's own class of N rows but
(N + 1)/(N + 2), as if every class had one more row on either side, so that β stays finite where all rows are right. The
last term draws neighbouring slopes together, where few rows have anything to say, on scores of mean square 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from linsep.errors import InvalidData, Refused
from linsep.kernels.threads import single_threaded_blas
from linsep.model import Effort, LinearModel, Training
from linsep.model.calibration import Calibration, segments
from linsep.selection.fold_scores import fold_scores
from linsep.selection.left_out import copies, left_out
from linsep.special import expit
from linsep.types import FloatArray, IntArray

#: Segments of g at most (on either side of 0 for two classes), and rows that each should hold.
_MOST_SEGMENTS, _ROWS_EACH = 4, 100
#: Left-out rows, and numbers (rows × classes × segments), that are enough for so few slopes.
_MOST_ROWS, _MOST_NUMBERS = 10_000, 300_000
#: Left-out scores whose mean square is this many times that of the fitted ones are no scores of such rows: the formula
#: is linear, and rows far out in a direction that few others hold are beyond it.
_FARTHEST = 4.0
#: The least slope, for scores of mean square 1.
_LEAST_SLOPE = 1e-4


@dataclass(frozen=True, eq=False)
class Evidence:
    """Left-out class scores (n,) or (n, K), the true classes, weights, and how they were left out."""

    scores: FloatArray
    codes: IntArray
    weights: FloatArray
    method: str


def calibrated(model: LinearModel, training: Training, effort: Effort) -> LinearModel:
    """The model with the function that makes its scores probabilities, the same for any number of threads."""
    with single_threaded_blas():
        return replace(model, calibration=fit_calibration(evidence(model, training, effort)))


def evidence(model: LinearModel, training: Training, effort: Effort) -> Evidence:
    """Left-out scores by the shortcut where it holds, else by five folds that start from the model."""
    counts = np.bincount(training.labels.codes, minlength=training.n_classes)
    if counts.min() < 2:
        alone = training.labels.classes[int(counts.argmin())]
        raise InvalidData(
            f"class {alone!s} has one row, and probabilities need left-out rows of every class: give two rows, or "
            "probability=False"
        )
    weights = np.ones(training.design.n) if training.weights is None else training.weights
    try:
        if 2 * training.design.d >= copies(training):
            raise Refused("left-out scores are not to be trusted: there are fewer than two rows for each feature")
        found = left_out(model, training, seed=effort.seed, most=_MOST_ROWS)
        if not np.mean(found.scores**2) <= _FARTHEST * np.mean(found.fitted**2):
            raise Refused("left-out scores are not to be trusted: some rows would move far beyond all others")
        rows, scores, method = found.rows, found.scores, "approximate leave-one-out"
    except Refused:
        rows, scores = fold_scores(model, training, effort)
        method = "5 folds"
    return Evidence(model.class_scores(scores), training.labels.codes[rows], weights[rows], method)


def fit_calibration(given: Evidence) -> Calibration:
    """The g of greatest likelihood."""
    given = _enough(given)
    two = given.scores.ndim == 1
    squares = given.scores**2 if two else np.mean(given.scores**2, axis=1)
    size = float(np.sqrt(np.average(squares, weights=given.weights))) or 1.0
    scores = given.scores / size
    knots = (_knots_of_two if two else _knots_of_many)(scores, given.weights)
    n_classes = 2 if two else scores.shape[1]
    targets = _targets(given, n_classes)
    slopes = _greatest_likelihood(_ramps(scores, knots), targets[:, 1] if two else targets, given.weights)
    return Calibration(knots * size, slopes / size, given.method, len(scores))


def _enough(given: Evidence) -> Evidence:
    """As many of the rows as the few slopes need, spread evenly."""
    most = max(_MOST_NUMBERS // (_MOST_SEGMENTS * (given.scores.size // len(given.scores))), 1000)
    if len(given.codes) <= most:
        return given
    kept = np.linspace(0, len(given.codes) - 1, most).astype(np.int64)
    return Evidence(given.scores[kept], given.codes[kept], given.weights[kept], given.method)


def _knots_of_two(scores: FloatArray, weights: FloatArray) -> FloatArray:
    """0, and quantiles of the scores on either side."""
    sides = [_quantiles(scores[side], weights[side]) for side in (scores < 0.0, scores > 0.0)]
    return np.unique(np.concatenate([*sides, [0.0]]))


def _knots_of_many(scores: FloatArray, weights: FloatArray) -> FloatArray:
    """Quantiles of the two largest scores of every row, which decide."""
    return np.unique(_quantiles(np.partition(scores, -2, axis=1)[:, -2:].ravel(), np.repeat(weights, 2)))


def _quantiles(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Values below which equal shares of the weight lie: the same for a weight k as for k copies."""
    total = float(weights.sum())
    segments = int(np.clip(total / _ROWS_EACH, 1, _MOST_SEGMENTS))
    order = np.argsort(values, kind="stable")
    at = np.searchsorted(np.cumsum(weights[order]), np.arange(1, segments) / segments * total)
    return values[order[np.minimum(at, len(order) - 1)]] if segments > 1 else np.empty(0)


def _ramps(scores: FloatArray, knots: FloatArray) -> FloatArray:
    """(…, j + 1): what each segment adds to g for slope 1, from 0 to the score."""
    low, high = segments(knots)
    from_zero = np.clip(0.0, low, high)
    return np.asarray(np.clip(scores[..., None], low, high) - from_zero)


def _targets(given: Evidence, n_classes: int) -> FloatArray:
    counts = np.bincount(given.codes, weights=given.weights, minlength=n_classes)
    rest = 1.0 / (counts + 2.0)
    targets = np.repeat((rest / (n_classes - 1))[given.codes][:, None], n_classes, axis=1)
    targets[np.arange(len(given.codes)), given.codes] = 1.0 - rest[given.codes]
    return targets


def _greatest_likelihood(ramps: FloatArray, targets: FloatArray, weights: FloatArray) -> FloatArray:
    """β ≥ the least slope, by L-BFGS with bounds: a few numbers, all of one scale."""
    count = ramps.shape[-1]
    flat = ramps.reshape(-1, count)
    share = weights / weights.sum()
    each = share.reshape((-1,) + (1,) * (targets.ndim - 1))
    aim = (targets * each).ravel() @ flat
    normaliser = _one_score if targets.ndim == 1 else _many_scores

    def value_and_gradient(beta: FloatArray) -> tuple[float, FloatArray]:
        log_total, P = normaliser((flat @ beta).reshape(targets.shape))
        steps = np.diff(beta) / weights.sum()
        value = float(share @ log_total - aim @ beta + steps @ np.diff(beta))
        gradient = (P * each).ravel() @ flat - aim
        gradient[:-1] -= 2.0 * steps
        gradient[1:] += 2.0 * steps
        return value, gradient

    bounds = [(_LEAST_SLOPE, None)] * count
    found = minimize(value_and_gradient, np.ones(count), jac=True, bounds=bounds, method="L-BFGS-B")
    slopes: FloatArray = np.maximum(found.x, _LEAST_SLOPE)
    return slopes


def _one_score(g: FloatArray) -> tuple[FloatArray, FloatArray]:
    """ln(1 + e^g), and P(second)."""
    return np.logaddexp(0.0, g), expit(g)


def _many_scores(g: FloatArray) -> tuple[FloatArray, FloatArray]:
    """ln Σₖ e^gₖ, and P."""
    top = g.max(axis=1, keepdims=True)
    P = np.exp(g - top)
    total = P.sum(axis=1, keepdims=True)
    return (top + np.log(total))[:, 0], P / total
