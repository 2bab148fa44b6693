"""Data without a maximum margin: refused with the verdict of `separability`, and never more than it proves."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linsep import (
    HardMarginSVM,
    KernelSVM,
    LinearSVM,
    Perceptron,
    novikoff_bound,
    training_margin,
    verify,
)
from linsep.errors import (
    InvalidData,
    InvalidParameter,
    InvalidType,
    MarginTooSmall,
    NotSeparable,
    NotSeparableWarning,
)

SEEDS = st.integers(0, 2**32 - 1)


@settings(deadline=None, max_examples=40)
@given(SEEDS, st.integers(1, 6), st.booleans())
def test_refusal_is_proved(seed: int, d: int, intercept: bool) -> None:
    """The witness: the exact verdict, weights > 0 whose combinations of the two classes agree."""
    random = np.random.default_rng(seed)
    X, y = random.standard_normal((40, d)), np.where(np.arange(40) % 2, 1.0, -1.0)
    X[:2] = X[2:4].mean(axis=0), X[2:4].mean(axis=0)  # the same row in both classes
    y[2:4] = 1.0
    with pytest.raises(NotSeparable, match="not linearly separable") as refusal:
        HardMarginSVM(fit_intercept=intercept).fit(X, y)
    proof: Any = refusal.value.witness
    assert proof.proved
    assert verify(proof, X, y).ok
    rows, weights = proof.hull.rows, proof.hull.values
    assert np.abs((weights * y[rows]) @ X[rows]).max() <= 1e-13 * np.abs(X).max()
    assert training_margin(X, y, through_origin=not intercept) == 0.0


def test_touching_sets_are_refused() -> None:
    with pytest.raises(NotSeparable):
        HardMarginSVM().fit([[0.0, 0.0], [2.0, 2.0], [1.0, 1.0], [1.0, 3.0]], [0, 0, 1, 1])
    assert training_margin([[0.0], [1.0], [1.0]], [0, 0, 1]) == 0.0
    assert novikoff_bound([[0.0], [1.0], [1.0]], [0, 0, 1]) == np.inf


ULP_APART = np.array([[1.0], [1.0 + 2.0**-52], [0.0], [2.0]]), np.array(["a", "b", "a", "b"])


def test_a_margin_that_float64_cannot_hold_is_not_called_none() -> None:
    """Separable by one unit in the last place, and by 1e-9 beside 1e9: the verdict is exact, and says so."""
    random = np.random.default_rng(0)
    wide = random.standard_normal((40, 2)) * [1e9, 1e-9]
    for X, y in (ULP_APART, (wide, wide[:, 1] > 0.0)):
        for ask in (HardMarginSVM().fit, training_margin, novikoff_bound):
            with pytest.raises(MarginTooSmall, match="are linearly separable, which is proved") as refusal:
                ask(X, y)
            proof: Any = refusal.value.witness
            assert proof.separable
            assert verify(proof, X, y).ok


def test_a_run_with_a_margin_too_small_for_its_bound_still_has_a_summary() -> None:
    model = Perceptron(fit_intercept=False, order="given").fit([[1.0], [-1e-16]], [1, -1])
    assert model.converged_
    assert model.unbounded_ is None
    assert "not computed: the data are linearly separable" in model.summary()


@pytest.mark.usefixtures("unsolved")
def test_wide_data_are_refused_with_the_nearest_points_at_hand() -> None:
    """Too many weights for integers: no margin exceeds δ/2, and it is said that this is not exact."""
    random = np.random.default_rng(0)
    X, y = random.standard_normal((900, 150)), random.integers(0, 2, 900)
    with pytest.raises(NotSeparable, match=r"or by too little for float64 to find: .* so no margin exceeds") as refusal:
        HardMarginSVM().fit(X, y)
    proof: Any = refusal.value.witness
    assert not proof.proved
    assert proof.largest_margin <= 1e-11
    assert {name for name, passed, _ in verify(proof, X, y).checks if not passed} == {"proof"}


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_lengths_whose_squares_leave_float64_are_refused(size: float) -> None:
    X = size * np.array([[1.0, 0.0], [2.0, 1.0], [-1.0, 0.0]])
    with pytest.raises(InvalidData, match="Multiply X by a number"):
        training_margin(X, [1, 1, 0])
    assert training_margin(np.zeros((2, 1)), [0, 1]) == 0.0


def test_fallback() -> None:
    X, y = [[0.0], [1.0], [0.5], [2.0]], [0, 0, 1, 1]
    with pytest.warns(NotSeparableWarning, match="LinearSVM"):
        model = HardMarginSVM(fallback=LinearSVM()).fit(X, y)
    assert (model.coef_ == LinearSVM().fit(X, y).coef_).all()
    assert "not linearly separable: a mean of rows" in model.summary()
    assert not hasattr(model, "margin_")
    model.fit([[0.0], [1.0]], [0, 1])
    assert model.fallback_ is None
    assert "margin" in model.summary()


def test_refuses_more_classes_and_bad_parameters() -> None:
    X = [[0.0], [1.0], [2.0]]
    with pytest.raises(InvalidData, match="OneVsOneClassifier"):
        HardMarginSVM().fit(X, [0, 1, 2])
    with pytest.raises(InvalidData, match="3 classes"):
        training_margin(X, [0, 1, 2])
    with pytest.raises(InvalidParameter, match="tol"):
        HardMarginSVM(tol=0.0).fit(X, [0, 1, 1])
    with pytest.raises(InvalidType, match="fallback='x' is a str"):
        HardMarginSVM(fallback="x").fit(X, [0, 1, 1])
    with pytest.raises(InvalidParameter, match="no coef_"):
        HardMarginSVM(fallback=KernelSVM()).fit(X, [0, 1, 0])
    with pytest.raises(InvalidType, match="through_origin='no'"):
        training_margin(X, [0, 1, 1], through_origin="no")  # type: ignore[arg-type]
    with pytest.raises(InvalidType, match="bias=3"):
        novikoff_bound(X, [0, 1, 1], bias=3)  # type: ignore[arg-type]
    assert training_margin(X, [0, 1, 1], n_jobs=np.int64(1)) == 0.5  # type: ignore[arg-type]
