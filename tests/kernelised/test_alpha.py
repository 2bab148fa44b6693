"""α of a kernel machine by folds: against separate fits, a given matrix, groups, scorers, classes that a fold lacks."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons
from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import rbf_kernel

from linsep import CrossValidation, KernelSVM
from linsep.errors import InvalidParameter

X, Y = make_moons(120, noise=0.3, random_state=0)
FOLD = np.arange(120) % 3
ALPHAS = [0.1, 1e-2, 1e-3]
GIVEN = CrossValidation(folds=FOLD, alphas=ALPHAS)


def left_out(alpha: float, score: object) -> float:
    """The mean over the folds of separate fits."""
    parts = []
    for f in range(3):
        model = KernelSVM(gamma=2.0, alpha=alpha).fit(X[f != FOLD], Y[f != FOLD])
        parts.append(score(model, X[f == FOLD], Y[f == FOLD]))  # type: ignore[operator]
    return float(np.mean(parts))


def hinge(model: KernelSVM, rows: np.ndarray, labels: np.ndarray) -> float:
    return float(np.maximum(1.0 - (2 * labels - 1) * model.decision_function(rows), 0.0).mean())


def test_equals_separate_fits() -> None:
    model = KernelSVM(gamma=2.0, alpha=GIVEN).fit(X, Y)
    curve = model.alpha_curve_
    assert curve is not None
    assert curve.losses == pytest.approx([left_out(alpha, hinge) for alpha in ALPHAS], abs=2e-3)
    assert model.alpha_ == curve.best == ALPHAS[int(np.argmin(curve.losses))]
    assert model.certificate_.holds
    assert model.certificate_.alpha == model.alpha_


def test_a_scorer() -> None:
    chooser = CrossValidation(folds=FOLD, alphas=ALPHAS, scoring="roc_auc")
    curve = KernelSVM(gamma=2.0, alpha=chooser).fit(X, Y).alpha_curve_

    def auc(model: KernelSVM, rows: np.ndarray, labels: np.ndarray) -> float:
        return -float(roc_auc_score(labels, model.decision_function(rows)))

    assert curve is not None
    assert curve.losses == pytest.approx([left_out(alpha, auc) for alpha in ALPHAS], abs=5e-3)


def test_a_given_matrix_gives_the_same() -> None:
    ours = KernelSVM(gamma=2.0, alpha=GIVEN).fit(X, Y).alpha_curve_
    given = KernelSVM("precomputed", alpha=GIVEN).fit(rbf_kernel(X, gamma=2.0), Y).alpha_curve_
    called = KernelSVM(lambda A, B: rbf_kernel(A, B, gamma=2.0), alpha=GIVEN).fit(X, Y).alpha_curve_
    assert ours is not None
    for other in (given, called):
        assert other is not None
        assert other.losses == pytest.approx(ours.losses, abs=2e-3)


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_several_classes_and_one_that_a_fold_lacks(multiclass: str) -> None:
    rows, labels = load_iris(return_X_y=True)
    labels[0] = 7
    curve = KernelSVM(alpha="cv", multiclass=multiclass).fit(rows, labels).alpha_curve_
    assert curve is not None
    assert np.isfinite(curve.losses).all()
    assert not curve.at_edge
    assert any("lacks class 7" in note for note in curve.notes)


def test_auto_says_that_it_goes_by_folds() -> None:
    model = KernelSVM(gamma=2.0, alpha="auto").fit(X, Y)
    assert model.alpha_curve_ is not None
    assert model.alpha_curve_.notes[0].startswith("folds took the place of leave-one-out: with a kernel")
    assert not model.alpha_curve_.at_edge


def test_weights_are_copies_and_groups_stay_together() -> None:
    copies = np.random.default_rng(0).integers(0, 3, len(Y))
    rows = np.repeat(np.arange(len(Y)), copies)
    weighted = KernelSVM(gamma=2.0, alpha=GIVEN).fit(X, Y, copies).alpha_curve_
    repeated = CrossValidation(folds=FOLD[rows], alphas=ALPHAS)
    other = KernelSVM(gamma=2.0, alpha=repeated).fit(X[rows], Y[rows]).alpha_curve_
    assert weighted is not None
    assert other is not None
    assert weighted.losses == pytest.approx(other.losses, abs=3e-3)
    twice, labels, groups = np.repeat(X, 2, axis=0), np.repeat(Y, 2), np.repeat(np.arange(len(Y)), 2)
    chooser = CrossValidation(alphas=[1e-5])
    leaking = KernelSVM(gamma=200.0, alpha=chooser).fit(twice, labels).alpha_curve_
    honest = KernelSVM(gamma=200.0, alpha=chooser).fit(twice, labels, groups=groups).alpha_curve_
    assert leaking is not None
    assert honest is not None
    assert honest.losses[0] > 2.0 * leaking.losses[0]


def test_columns_far_from_zero_do_not_move_the_grid() -> None:
    """The intercept takes the mean of φ, so the grid of ⟨x, z⟩ is that of the rows about their mean."""
    near, far = (KernelSVM("linear", alpha=CrossValidation(3)).fit(rows, Y) for rows in (X, X + 100.0))
    assert near.alpha_curve_ is not None
    assert far.alpha_curve_ is not None
    assert far.alpha_curve_.alphas[0] == pytest.approx(near.alpha_curve_.alphas[0], rel=1e-6)


def test_numbers_and_refusals() -> None:
    number = KernelSVM(alpha=0.1).fit(X, Y)
    assert (number.alpha_, number.alpha_curve_) == (0.1, None)
    with pytest.raises(InvalidParameter, match="groups are for the choice of alpha"):
        KernelSVM().fit(X, Y, groups=FOLD)
    with pytest.raises(InvalidParameter, match="alpha=0"):
        KernelSVM(alpha=0).fit(X, Y)
