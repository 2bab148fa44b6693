"""The reliability diagram shows what it says."""

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss

from linsep import plot
from linsep.errors import InvalidData, InvalidParameter
from linsep.plot.calibration import reliability


def drawn(rows=4000, seed=0):
    random = np.random.default_rng(seed)
    p = random.uniform(size=rows)
    return (random.uniform(size=rows) < p).astype(int), p


def test_true_probabilities_lie_on_the_diagonal():
    y, p = drawn()
    r = reliability(y, p, 10)
    assert r.rows.sum() == len(y)
    assert ((r.low <= r.predicted) & (r.predicted <= r.high)).sum() >= 8
    np.testing.assert_allclose(r.observed @ r.rows / len(y), y.mean())


def test_wilson_interval_by_hand():
    r = reliability(np.array([0, 0, 0, 1] * 5 + [1] * 20), np.r_[np.full(20, 0.2), np.full(20, 0.9)], 2)
    np.testing.assert_allclose(r.observed, [0.25, 1.0])
    np.testing.assert_allclose((r.low[0], r.high[0]), (0.1119, 0.4687), atol=1e-4)
    assert r.high[1] == pytest.approx(1.0)


def test_legend_holds_the_scores():
    y, p = drawn(500)
    ax = plot.calibration(y, {"a": p, "b": np.c_[1 - p, p] * 0.8 + 0.1})
    texts = [text.get_text() for text in ax.figure.legends[0].get_texts()]
    assert f"a: Brier {brier_score_loss(y, p):.4f}, log loss {log_loss(y, p):.4f}" in texts
    assert len(texts) == 3


def test_several_classes_by_the_predicted_one():
    random = np.random.default_rng(1)
    P = random.dirichlet(np.ones(3), 600)
    y = (P.cumsum(axis=1) < random.uniform(size=(600, 1))).sum(axis=1)
    ax = plot.calibration(y, P)
    assert ax.get_xlabel() == "predicted probability of the predicted class"


def test_what_is_refused():
    y, p = drawn(50)
    with pytest.raises(InvalidData, match=r"shape \(49,\); for 50 rows of 2 classes it is \(50, 2\) or \(50,\)"):
        plot.calibration(y, p[1:])
    with pytest.raises(InvalidData, match="scores are none"):
        plot.calibration(y, 5.0 * p - 2.0)
    with pytest.raises(InvalidParameter, match="bins=1"):
        plot.calibration(y, p, bins=1)
