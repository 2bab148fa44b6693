"""α of a descent, chosen by left-out rows of the objective that it descends on."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from linsep import CrossValidation, GradientClassifier, LinearClassifier
from linsep.errors import InvalidParameter, NotConverged, Refused

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :8]
SCALED = (X - X.mean(axis=0)) / X.std(axis=0)


def descended(rows: np.ndarray, labels: np.ndarray, **settings: object) -> GradientClassifier:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        return GradientClassifier(max_epochs=50, **settings).fit(rows, labels)  # type: ignore[arg-type]


@pytest.mark.parametrize("alpha", ["auto", "cv", CrossValidation(rule="one_standard_error", scoring="accuracy")])
@pytest.mark.parametrize("loss", ["log", "hinge"])
def test_it_is_the_choice_of_the_linear_classifier(loss: str, alpha: object) -> None:
    ours = descended(X, Y, loss=loss, alpha=alpha, scale=True)
    other = LinearClassifier(loss, alpha=alpha).fit(SCALED, Y)
    assert ours.alpha_ == pytest.approx(other.alpha_, rel=1e-6)
    assert ours.alpha_curve_ is not None
    assert ours.alpha_curve_.method == other.alpha_curve_.method
    assert f"α = {ours.alpha_:g}" in ours.summary()


def test_the_descent_runs_at_the_chosen_alpha() -> None:
    chosen = descended(SCALED, Y, alpha="auto", l1_ratio=0.0)
    given = descended(SCALED, Y, alpha=chosen.alpha_)
    np.testing.assert_array_equal(chosen.coef_, given.coef_)
    assert given.alpha_curve_ is None


def test_several_classes_and_groups() -> None:
    rows, labels = load_iris(return_X_y=True)
    for multiclass in ("softmax", "ovr"):
        model = descended(rows, labels, alpha="cv", multiclass=multiclass)
        assert model.alpha_curve_ is not None
        assert np.isfinite(model.alpha_curve_.losses).all()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        grouped = GradientClassifier(alpha="auto", max_epochs=5).fit(SCALED, Y, groups=np.arange(len(Y)) // 4)
    assert "group" in grouped.alpha_curve_.notes[0]
    with pytest.raises(InvalidParameter, match="groups are for the choice of alpha"):
        GradientClassifier().fit(SCALED, Y, groups=np.arange(len(Y)))


def test_what_has_no_choice() -> None:
    with pytest.raises(InvalidParameter, match="a stream has no rows to leave out"):
        GradientClassifier(alpha="cv").partial_fit(SCALED, Y)
    with pytest.raises(Refused, match="perceptron"):
        GradientClassifier("perceptron", alpha="auto").fit(SCALED, Y)
