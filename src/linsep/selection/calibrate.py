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

from linsep.errors import InvalidData, Refused
from linsep.kernels.threads import single_threaded_blas
from linsep.model import Effort, LinearModel, Training
from linsep.model.calibration import Calibration, segments
from linsep.selection.fold_scores import fold_scores
from linsep.selection.left_out import copies, left_out
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
#: Steps of Newton's method and halvings of one, at most; the decrement (in mean log-likelihood) after which a step is
#: the last, its error being the square; and a curvature for slopes that no row has anything to say about.
_MOST_STEPS, _NEAR, _TINY = 50, 1e-6, 1e-12


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
    classes = np.stack((np.zeros_like(scores), scores), axis=1) if two else scores
    slopes = _greatest_likelihood(_ramps(classes, knots), _targets(given, classes.shape[1]), given.weights)
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
    order = np.argsort(values)
    at = np.searchsorted(np.cumsum(weights[order]), np.arange(1, segments) / segments * total)
    return values[order[np.minimum(at, len(order) - 1)]] if segments > 1 else np.empty(0)


def _ramps(scores: FloatArray, knots: FloatArray) -> FloatArray:
    """(j + 1, …): what each segment adds to g for slope 1, from 0 to the score."""
    ramps = [np.clip(scores, low, high) - np.clip(0.0, low, high) for low, high in zip(*segments(knots), strict=True)]
    return np.stack(ramps)


def _targets(given: Evidence, n_classes: int) -> FloatArray:
    counts = np.bincount(given.codes, weights=given.weights, minlength=n_classes)
    rest = 1.0 / (counts + 2.0)
    targets = np.repeat((rest / (n_classes - 1))[given.codes][:, None], n_classes, axis=1)
    targets[np.arange(len(given.codes)), given.codes] = 1.0 - rest[given.codes]
    return targets


def _greatest_likelihood(ramps: FloatArray, targets: FloatArray, weights: FloatArray) -> FloatArray:
    """β ≥ the least slope, by Newton's method on the slopes that are not held there; of K classes ramps (j, n, K)."""
    likelihood = _Likelihood(ramps[..., 1:] - ramps[..., :1], targets[:, 1:], weights)
    beta = np.ones(len(ramps))
    value, gradient, H = likelihood.at(beta)
    for _ in range(_MOST_STEPS):
        free = np.flatnonzero((beta > _LEAST_SLOPE) | (gradient < 0.0))
        p = np.zeros_like(beta)
        p[free] = np.linalg.solve(H[np.ix_(free, free)], -gradient[free])
        there = np.maximum(beta + p, _LEAST_SLOPE)
        if -gradient @ p <= _NEAR:
            return there
        for _ in range(_MOST_STEPS):
            found = likelihood.at(there)
            if found[0] <= value + 0.1 * gradient @ (there - beta):
                break
            p *= 0.5
            there = np.maximum(beta + p, _LEAST_SLOPE)
        beta, (value, gradient, H) = there, found
    return beta


@dataclass(frozen=True, eq=False)
class _Likelihood:
    """Minus the mean log-likelihood, with the term that draws neighbouring slopes together.

    ramps (j, n, K − 1), targets (n, K − 1): of all classes but the first, whose ramps are taken off theirs
    """

    ramps: FloatArray
    targets: FloatArray
    weights: FloatArray

    def at(self, beta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """The value, its gradient, and the matrix of second derivatives."""
        share, flat = self.weights / self.weights.sum(), self.ramps.reshape(len(beta), -1)
        g = (beta @ flat).reshape(self.targets.shape)
        top = np.maximum(g.max(axis=1), 0.0)
        P = np.exp(g - top[:, None])
        total = P.sum(axis=1) + np.exp(-top)
        P /= total[:, None]
        mean = np.einsum("jik,ik->ji", self.ramps, P)
        H = (flat * (share[:, None] * P).ravel()) @ flat.T - (mean * share) @ mean.T
        steps = np.diff(np.eye(len(beta)), axis=0)
        drawn = 2.0 / self.weights.sum() * steps.T @ steps
        value = share @ (top + np.log(total) - (self.targets * g).sum(axis=1)) + 0.5 * beta @ drawn @ beta
        gradient = flat @ (share[:, None] * (P - self.targets)).ravel() + drawn @ beta
        return float(value), gradient, H + drawn + _TINY * np.eye(len(beta))
