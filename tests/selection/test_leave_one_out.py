"""α by approximate leave-one-out against real leave-one-out, and when folds take its place."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from linsep import CrossValidation, LeaveOneOut, LinearClassifier, LogisticRegression
from linsep.errors import InvalidParameter, InvalidType
from linsep.model import Effort, fit_model
from linsep.selection import CHOOSERS, Task
from linsep.selection.leave_one_out import why_not
from linsep.selection.scoring import row_losses
from tests.selection.leave_one_out_cases import cancer, iris, objective_of, refit_scores, training_of


def noisy(rows=100, columns=6, seed=3):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns))
    return X, (X[:, 0] + X[:, 1] + 1.2 * random.normal(size=rows) > 0).astype(int)


def real_curve(training, objective, alphas):
    means = []
    for alpha in alphas:
        model = fit_model(training, replace(objective, alpha=float(alpha)), Effort(tol=1e-10))
        scores = refit_scores(model, training, np.arange(training.design.n))
        scores = scores[:, None] if scores.ndim == 1 else scores
        losses = row_losses(model.objective, training.labels.codes, training.n_classes, scores)
        means.append(np.average(losses, weights=training.weights))
    return np.array(means)


@pytest.mark.parametrize(("loss", "within"), [("log", 0.1), ("squared", 1e-6), ("squared_hinge", 0.1), ("hinge", 0.5)])
def test_curve_and_choice_are_those_of_real_leave_one_out(loss, within):
    """Everywhere within a share of a standard error; so the real loss of the α chosen is next to the least."""
    training = training_of(noisy())
    objective = objective_of(training, loss)
    curve = LeaveOneOut().curve(Task(training, objective, Effort()))
    assert curve.method == "approximate leave-one-out"
    best = int(np.argmin(curve.losses))
    some = np.unique([0, 2, best, *range(3, len(curve.alphas), 3)])
    real, found = real_curve(training, objective, curve.alphas[some]), curve.losses[some]
    assert (np.abs(found - real) < within * curve.errors[some]).all()
    assert real[list(some).index(best)] <= real.min() + within * curve.errors[best]
    assert np.corrcoef(found, real)[0, 1] > 0.99


def test_columns_of_very_different_size():
    """The best α of the unscaled data lies ten decades below the largest, behind a stretch that is all but level."""
    X, y = load_breast_cancer(return_X_y=True)
    curve = LogisticRegression(alpha="auto").fit(X, y).alpha_curve_
    grid = np.geomspace(1e2, 1e-8, 11)
    reference = LogisticRegression(alpha=CrossValidation(folds=10, alphas=grid)).fit(X, y).alpha_curve_
    assert curve.losses.min() < reference.losses.min() + 0.3 * reference.errors.min()


def test_the_summary_says_how_alpha_was_chosen():
    model = LogisticRegression(alpha="auto").fit(*cancer())
    curve = model.alpha_curve_
    words = model.summary()
    assert f"alpha from  {model.alpha_:.4g} of {len(curve.alphas)} tried by {curve.method}" in words
    assert f"one standard error: {curve.one_standard_error:.4g}" in words
    assert all(note in words for note in curve.notes)
    assert "alpha from" not in LogisticRegression(alpha=0.1).fit(*cancer()).summary()


def test_several_classes():
    X, y = iris()
    X = X + np.random.default_rng(0).normal(size=X.shape)  # so that they overlap
    training = training_of((X, y))
    objective = objective_of(training, "log")
    curve = LeaveOneOut(refits=2).curve(Task(training, objective, Effort()))
    few = np.argsort(curve.losses)[:2]
    real = real_curve(training, objective, curve.alphas[few])
    assert (np.abs(curve.losses[few] - real) < 0.05 * curve.errors[few]).all()


def test_weights_are_copies():
    X, y = noisy(60)
    times = np.random.default_rng(1).integers(1, 4, len(y))
    given = [training_of((X, y), times), training_of((np.repeat(X, times, axis=0), np.repeat(y, times)))]
    curves = [LeaveOneOut(refits=1).curve(Task(t, objective_of(t, "log"), Effort())) for t in given]
    np.testing.assert_allclose(curves[0].alphas, curves[1].alphas, rtol=1e-5)
    np.testing.assert_allclose(curves[0].losses, curves[1].losses, rtol=1e-6)
    np.testing.assert_allclose(curves[0].errors, curves[1].errors, rtol=1e-6)


def test_a_sample_of_the_rows_hardly_matters():
    training = training_of(noisy(1500))
    task = Task(training, objective_of(training, "log"), Effort())
    whole, some = LeaveOneOut(refits=0).curve(task), LeaveOneOut(refits=0, rows=500).curve(task)
    size = min(len(whole.alphas), len(some.alphas), 5)
    assert (np.abs(whole.losses - some.losses)[:size] < 0.1 * whole.errors[:size]).all()
    assert some.errors[0] == pytest.approx(whole.errors[0], rel=0.2)


def test_refits_are_told():
    training = training_of(noisy())
    curve = LeaveOneOut(refits=3).curve(Task(training, objective_of(training, "log"), Effort()))
    (note,) = (note for note in curve.notes if "refits" in note)
    assert note.count("(") == 4  # the words, and three rows


def reasons(curve):
    return [note for note in curve.notes if note.startswith("folds took the place of leave-one-out")]


@pytest.mark.parametrize("loss", ["log", "hinge"])
def test_folds_where_there_are_few_rows(loss):
    X, y = noisy(40, 30)
    model = LinearClassifier(loss, alpha="auto").fit(X, y)
    assert model.alpha_curve_.method == "5 folds"
    assert "30 features are many for 40 rows" in reasons(model.alpha_curve_)[0]


def test_folds_where_the_classes_are_separated():
    X, y = iris()
    model = LogisticRegression(alpha="auto").fit(X, y == 0)
    assert "separates the classes" in reasons(model.alpha_curve_)[0]


def test_folds_where_groups_stay_together():
    X, y = noisy()
    groups = np.arange(len(y)) // 3
    model = LogisticRegression(alpha="auto").fit(X, y, groups=groups)
    curve = model.alpha_curve_
    other = LogisticRegression(alpha=CrossValidation(alphas=curve.alphas)).fit(X, y, groups=groups)
    assert "group" in reasons(curve)[0]
    np.testing.assert_allclose(curve.losses, other.alpha_curve_.losses, rtol=1e-4)  # what fold fits are worked to


def test_folds_where_there_is_no_hessian():
    training = training_of(iris())
    objective = objective_of(training, "hinge", scheme="crammer_singer")
    assert "crammer_singer" in why_not(Task(training, objective, Effort()))


def test_a_wrong_shortcut_is_noticed(monkeypatch):
    from linsep.selection import leave_one_out

    def wrong(model, training, **settings):
        found = honest(model, training, **settings)
        return replace(found, scores=found.fitted + 8.0 * (found.scores - found.fitted))

    honest = leave_one_out.left_out
    monkeypatch.setattr(leave_one_out, "left_out", wrong)
    model = LogisticRegression(alpha="auto").fit(*noisy())
    assert "refits disagree" in reasons(model.alpha_curve_)[0]


def test_estimators_take_it_by_name_and_as_an_object():
    X, y = cancer(200, 8)
    named, given = LogisticRegression(alpha="auto").fit(X, y), LogisticRegression(alpha=LeaveOneOut()).fit(X, y)
    assert CHOOSERS["auto"] is LeaveOneOut
    assert named.alpha_ == given.alpha_ == named.alpha_curve_.best
    simple = LogisticRegression(alpha=LeaveOneOut(rule="one_standard_error")).fit(X, y)
    assert simple.alpha_ == simple.alpha_curve_.one_standard_error >= named.alpha_


def test_settings_are_checked():
    with pytest.raises(InvalidParameter, match="refits=-1: allowed is a whole number >= 0"):
        LeaveOneOut(refits=-1)
    with pytest.raises(InvalidType, match=r"rows=1.5 is a float"):
        LeaveOneOut(rows=1.5)
    with pytest.raises(InvalidParameter, match="rule"):
        LeaveOneOut(rule="least")
