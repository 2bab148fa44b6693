"""Measures against scikit-learn, closed forms, repeated rows, and the coverage of the intervals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from linsep.quality import Predictions, Quality, draw_curves, measure
from linsep.quality.costs import Costs
from linsep.quality.curves import calibration
from linsep.quality.intervals import mean, proportion, wilson
from linsep.quality.ranking import auc


def binary(n: int = 400, seed: int = 0, weights: bool = False) -> Predictions:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    scores = np.round(rng.normal(size=n) + truth, 1)  # with ties
    p = 1.0 / (1.0 + np.exp(-scores))
    s = rng.integers(0, 4, n).astype(float) if weights else None
    return Predictions(truth, (scores > 0).astype(int), scores, np.column_stack([1 - p, p]), np.array([0.6, 0.4]), s)


def several(n: int = 300, seed: int = 1) -> Predictions:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, n)
    scores = rng.normal(size=(n, 4))
    scores[np.arange(n), truth] += 1.0
    p = np.exp(scores)
    p /= p.sum(axis=1, keepdims=True)
    return Predictions(truth, scores.argmax(axis=1), scores, p, np.array([0.4, 0.3, 0.2, 0.1]))


def test_two_classes_against_scikit_learn() -> None:
    p = binary(weights=True)
    found = {name: estimate.value for name, estimate in measure(p).measures.items()}
    s = p.weights
    assert p.probabilities is not None
    assert found["accuracy"] == pytest.approx(metrics.accuracy_score(p.truth, p.predicted, sample_weight=s))
    balanced = metrics.balanced_accuracy_score(p.truth, p.predicted, sample_weight=s)
    assert found["balanced accuracy"] == pytest.approx(balanced)
    assert found["AUC"] == pytest.approx(metrics.roc_auc_score(p.truth, p.scores, sample_weight=s))
    assert found["log loss"] == pytest.approx(metrics.log_loss(p.truth, p.probabilities, sample_weight=s))
    brier = metrics.brier_score_loss(p.truth, p.probabilities[:, 1], sample_weight=s)
    assert found["Brier score"] == pytest.approx(brier)


def test_four_classes_against_scikit_learn() -> None:
    p = several()
    found = {name: estimate.value for name, estimate in measure(p).measures.items()}
    assert p.probabilities is not None
    assert found["AUC"] == pytest.approx(metrics.roc_auc_score(p.truth, p.probabilities, multi_class="ovr"))
    assert found["log loss"] == pytest.approx(metrics.log_loss(p.truth, p.probabilities))
    np.testing.assert_array_equal(measure(p).confusion, metrics.confusion_matrix(p.truth, p.predicted))


def test_what_is_added_to_all_scores_of_a_row_changes_nothing() -> None:
    p = several()
    shifts = np.random.default_rng(5).normal(size=(len(p.truth), 1)) * 10.0
    for chances in (p.probabilities, None):
        as_is = replace(p, probabilities=chances)
        shifted = replace(as_is, scores=p.scores + shifts)
        assert measure(shifted).measures["AUC"].value == pytest.approx(measure(as_is).measures["AUC"].value)
        np.testing.assert_allclose(draw_curves(shifted, 2).roc.y, draw_curves(as_is, 2).roc.y)


def test_weights_count_as_repetitions() -> None:
    p = binary(weights=True)
    assert p.weights is not None
    assert p.probabilities is not None
    rows = np.repeat(np.arange(len(p.truth)), p.weights.astype(int))
    copied = Predictions(p.truth[rows], p.predicted[rows], p.scores[rows], p.probabilities[rows], p.priors)
    for name, estimate in measure(copied).measures.items():
        np.testing.assert_allclose(measure(p).measures[name], estimate, rtol=1e-12, err_msg=name)


def test_the_constant_classifier() -> None:
    p = binary()
    quality = measure(p)
    assert quality.baseline["accuracy"] == pytest.approx((p.truth == 0).mean())
    share = (p.truth == 1).mean()
    assert quality.baseline["log loss"] == pytest.approx(-share * np.log(0.4) - (1 - share) * np.log(0.6))
    assert quality.baseline["balanced accuracy"] == 0.5


def test_delong_against_its_definition() -> None:
    p = binary(60)
    second = p.truth == 1
    plus, minus = p.scores[second], p.scores[~second]
    wins = (plus[:, None] > minus) + 0.5 * (plus[:, None] == minus)
    area, variance = wins.mean(), wins.mean(1).var(ddof=1) / len(plus) + wins.mean(0).var(ddof=1) / len(minus)
    half = 1.959963984540054 * np.sqrt(variance) / (area * (1 - area))
    ends = 1 / (1 + np.exp(-(np.log(area / (1 - area)) + np.array([-half, half]))))
    np.testing.assert_allclose(auc(p.scores, second), [area, *ends], rtol=1e-12)


def test_area_where_nothing_varies() -> None:
    assert auc(np.arange(10.0), np.arange(10) >= 5) == pytest.approx((1.0, *proportion(5, 5)[1:]))
    assert auc(-np.arange(10.0), np.arange(10) >= 5).value == 0.0
    assert np.isnan(auc(np.arange(3.0), np.ones(3, dtype=bool)).value)


@given(st.integers(0, 50), st.integers(1, 50))
def test_wilson_solves_its_equation(hits: int, more: int) -> None:
    n = hits + more
    share, low, high = (float(v) for v in wilson(hits, n))
    assert 0.0 <= low <= share <= high <= 1.0
    for end in {low, high} - {0.0, 1.0}:
        assert (share - end) ** 2 == pytest.approx(1.959963984540054**2 * end * (1 - end) / n, abs=1e-12)


def test_coverage() -> None:
    rng = np.random.default_rng(0)
    hits = rng.binomial(100, 0.03, size=4000)
    _, low, high = wilson(hits, np.full(4000, 100))
    assert 0.92 < ((low <= 0.03) & (high >= 0.03)).mean() < 0.985
    inside = [m.low <= 1.0 <= m.high for m in (mean(rng.exponential(size=200)) for _ in range(1000))]
    assert 0.91 < np.mean(inside) < 0.98


def test_curves_against_scikit_learn() -> None:
    p = binary(weights=True)
    curves = draw_curves(p)
    x, y, _ = metrics.roc_curve(p.truth, p.scores, sample_weight=p.weights, drop_intermediate=False)
    np.testing.assert_allclose(curves.roc.x, x)
    np.testing.assert_allclose(curves.roc.y, y)
    precision, recall, _ = metrics.precision_recall_curve(p.truth, p.scores, sample_weight=p.weights)
    kept = len(recall) - 1
    np.testing.assert_allclose(curves.precision_recall.x[:kept], recall[:-1][::-1])
    np.testing.assert_allclose(curves.precision_recall.y[:kept], precision[:-1][::-1])


def test_cost_at_a_threshold_by_hand() -> None:
    p = binary()
    band = draw_curves(p, costs=Costs(false_positive=1.0, false_negative=5.0)).cost
    for t, value in zip(band.x[1:], band.y[1:], strict=True):
        taken = p.scores >= t
        assert value == pytest.approx((1.0 * (taken & (p.truth == 0)) + 5.0 * (~taken & (p.truth == 1))).mean())


def test_curves_are_thinned_but_keep_their_ends() -> None:
    rng = np.random.default_rng(0)
    n = 10_000
    truth = rng.integers(0, 2, n)
    p = Predictions(truth, truth, rng.normal(size=n), None, np.array([0.5, 0.5]))
    roc = draw_curves(p).roc
    assert len(roc.x) <= 201
    assert (roc.x[0], roc.y[0], roc.x[-1], roc.y[-1]) == (0.0, 0.0, 1.0, 1.0)
    assert draw_curves(p).calibration is None


def test_calibration_bins() -> None:
    probability = np.linspace(0.005, 0.995, 100)
    band = calibration(probability, probability > 0.5, np.ones(100))
    np.testing.assert_allclose(band.x, np.arange(10) / 10 + 0.05)
    np.testing.assert_array_equal(band.y, [0] * 5 + [1] * 5)


def test_record_round_trip() -> None:
    quality = measure(several())
    again = Quality.from_record(quality.record())
    assert again.measures == quality.measures
    assert again.baseline == quality.baseline
    np.testing.assert_array_equal(again.confusion, quality.confusion)
