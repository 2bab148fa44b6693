"""Approximate left-out scores against refits without each row."""

import numpy as np
import pytest
from scipy import sparse

from linsep import LinearSVM
from linsep.errors import Refused
from linsep.model import Effort, fit_model
from linsep.selection.left_out import left_out, refusal
from tests.selection.leave_one_out_cases import (
    EXACT,
    cancer,
    iris,
    objective_of,
    refit_scores,
    training_of,
)

#: loss, what the errors may be as a share of the moves (root mean squares), and the least correlation of the two
SMOOTH = (
    ("log", 0.05, 0.999),
    ("squared_hinge", 0.3, 0.95),
    ("smoothed_hinge", 0.35, 0.95),
    ("exponential", 0.2, 0.99),
)


def both(training, objective, effort=EXACT):
    model = fit_model(training, objective, effort)
    found = left_out(model, training)
    return found, refit_scores(model, training, found.rows)


def compared(found, exact):
    moved, truly = found.scores - found.fitted, exact - found.fitted
    error = np.sqrt(np.mean((moved - truly) ** 2) / np.mean(truly**2))
    return float(error), float(np.corrcoef(moved.ravel(), truly.ravel())[0, 1])


@pytest.mark.parametrize(("loss", "most", "least"), SMOOTH)
@pytest.mark.parametrize("kind", ["plain", "weighted", "balanced"])
def test_smooth_losses(loss, most, least, kind):
    X, y = cancer(100, 6)
    weights = np.random.default_rng(0).integers(1, 4, len(y)).astype(float) if kind == "weighted" else None
    training = training_of((X, y), weights, "balanced" if kind == "balanced" else None)
    error, correlation = compared(*both(training, objective_of(training, loss, intercept=kind != "balanced")))
    assert error < most
    assert correlation > least


@pytest.mark.parametrize("scheme", ["one_of_k", "ovr", "ovo"])
@pytest.mark.parametrize("intercept", [True, False])
def test_squared_loss_is_exact(scheme, intercept):
    X, y = iris()
    weights = np.random.default_rng(1).integers(1, 4, len(y)).astype(float)
    training = training_of((X, y), weights)
    found, exact = both(training, objective_of(training, "squared", 1e-3, scheme, intercept))
    np.testing.assert_allclose(found.scores, exact, atol=1e-10)


def test_squared_loss_without_penalty_is_exact():
    training = training_of(cancer(60, 5))
    found, exact = both(training, objective_of(training, "squared", 0.0))
    np.testing.assert_allclose(found.scores, exact, atol=1e-9)


def test_fractions_of_a_row_leave_as_a_whole():
    """All weights below 1: what is left out is the row; a is not the same for all, which costs O(1/n²)."""
    X, y = cancer(120, 6)
    training = training_of((X, y), np.random.default_rng(2).uniform(0.2, 0.9, len(y)))
    error, _ = compared(*both(training, objective_of(training, "squared")))
    assert error < 2e-3


@pytest.mark.parametrize("scheme", ["softmax", "ovr", "ovo"])
def test_several_classes(scheme):
    data = iris()
    training = training_of((data[0][::2], data[1][::2]))
    error, correlation = compared(*both(training, objective_of(training, "log", 1e-2, scheme)))
    assert error < 0.05
    assert correlation > 0.998


@pytest.mark.parametrize("alpha", [0.1, 0.01])
def test_hinge(alpha):
    """The mean left-out loss is near that of refits; rows without a multiplier keep their margin, almost."""
    random = np.random.default_rng(3)
    X = random.normal(size=(150, 6))
    y = (X[:, 0] + X[:, 1] + 1.5 * random.normal(size=150) > 0).astype(int)
    training = training_of((X, y))
    model = fit_model(training, objective_of(training, "hinge", alpha), EXACT)
    found = left_out(model, training)
    exact, sign = refit_scores(model, training, found.rows), training.labels.signs()
    fitted, approximate, true = (np.maximum(1.0 - sign * z, 0.0).mean() for z in (found.fitted, found.scores, exact))
    assert true > fitted
    assert abs(approximate - true) < 0.35 * (true - fitted)
    free = model.run.dual[0] == 0.0
    assert np.abs(found.scores - found.fitted)[free].max() < 0.02


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_hinge_with_equal_rows(seed):
    """Copies at the kink hold few directions: the window goes on to 2(d + 1) different rows."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(80, 6))
    y = (X[:, 0] + X[:, 1] + 1.5 * random.normal(size=80) > 0).astype(int)
    training = training_of((np.repeat(X, 20, axis=0), np.repeat(y, 20)))
    model = fit_model(training, objective_of(training, "hinge", 1e-3), EXACT)
    found, chosen = left_out(model, training), np.arange(0, 1600, 40)
    moved = (found.scores - found.fitted)[chosen]
    truly = refit_scores(model, training, chosen) - found.fitted[chosen]
    assert 0.25 < np.linalg.norm(moved) / np.linalg.norm(truly) < 2.0


def test_rows_that_pull_nothing_move_as_the_formula_says():
    """Their leverages are not computed: the move is a·t alone."""
    X, y = cancer(150, 5)
    training = training_of((X, y))
    objective = objective_of(training, "squared_hinge", 1e-3)
    model = fit_model(training, objective, EXACT)
    found, w, n = left_out(model, training), np.array(model.w)[:, 0], len(y)
    free = training.labels.signs() * found.fitted > 1.0
    ones = np.column_stack([X, np.ones(n)])
    D = np.diag(np.append(np.ones(X.shape[1]), 0.0))
    A = 2.0 / n * ones[~free].T @ ones[~free] + 1e-3 * (1.0 - 1.0 / n) * D
    t = 1e-3 * ones @ np.linalg.solve(A, D @ w)
    assert 10 < free.sum() < n
    np.testing.assert_allclose((found.scores - found.fitted)[free], t[free] / n, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize(
    ("loss", "scheme"), [("log", "softmax"), ("log", "ovo"), ("hinge", "ovr"), ("squared", "auto")]
)
def test_weights_are_copies(loss, scheme):
    X, y = iris()
    X, y = X[::3], y[::3]
    times = np.random.default_rng(4).integers(1, 4, len(y))
    once, repeated = training_of((X, y), times), training_of((np.repeat(X, times, axis=0), np.repeat(y, times)))
    results = [
        left_out(fit_model(t, objective_of(t, loss, 1e-2, scheme), EXACT), t) for t in (once, repeated)
    ]  # the hinge's multipliers of equal rows are not unique, but their mean is
    counts = np.repeat(np.arange(len(y)), times)
    means = np.stack([results[1].scores[counts == i].mean(axis=0) for i in range(len(y))])
    np.testing.assert_allclose(results[0].scores, means, atol=1e-6 if loss != "hinge" else 0.05)


def test_class_weights_leave_one_row():
    """A class weight is no number of copies: the whole row leaves."""
    X, y = cancer(80, 5)
    training = training_of((X, y), None, {0: 3.0, 1: 0.5})
    error, _ = compared(*both(training, objective_of(training, "log")))
    assert error < 0.1


def test_sparse_sample_and_seed():
    X, y = cancer(150, 8)
    dense, rows = training_of((X, y)), training_of((sparse.csr_array(X), y))
    objective = objective_of(dense, "log")
    model = fit_model(dense, objective, Effort())
    whole = left_out(model, dense)
    np.testing.assert_allclose(left_out(fit_model(rows, objective, Effort()), rows).scores, whole.scores, atol=1e-8)
    some = left_out(model, dense, seed=1, most=40)
    assert len(some.rows) == 40
    np.testing.assert_array_equal(some.rows, left_out(model, dense, seed=1, most=40).rows)
    np.testing.assert_allclose(some.scores, whole.scores[some.rows], atol=1e-12)


def test_refusals():
    X = np.random.default_rng(5).normal(size=(20, 4000))
    training = training_of((X, np.arange(20) % 2))
    objective = objective_of(training, "log")
    assert "4,001 rows" in refusal(training, objective)
    with pytest.raises(Refused, match="left-out scores are not available"):
        left_out(fit_model(training, objective, Effort()), training)
    three = training_of(iris())
    assert "crammer_singer" in refusal(three, objective_of(three, "hinge", scheme="crammer_singer"))
    assert "not convex" in refusal(three, objective_of(three, "sigmoid"))


@pytest.mark.filterwarnings("ignore::linsep.errors.NotCertified")
def test_a_fit_that_was_stopped_before_it_had_multipliers_gets_probabilities() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(600, 5))
    y = (X @ random.normal(size=(5, 4)) + random.normal(size=(600, 4))).argmax(axis=1)
    model = LinearSVM(alpha=1e-9, multiclass="ovr", probability=True, solver="augmented_lagrangian", time_limit=1e-9)
    model.fit(X, y)
    assert any(theta is None for theta in model.model_.dual)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
