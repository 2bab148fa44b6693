"""Folds of wide and sparse rows, whose multipliers go from one α to the next: against refits, threads and copies."""

import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from threading import get_ident

import numpy as np
import pytest
from scipy import sparse

from linsep import CrossValidation, LinearClassifier
from linsep.model import Effort
from linsep.problem import losses
from linsep.selection import duals
from linsep.selection.duals import Descent, DualFolds
from linsep.selection.folds import _Deal
from linsep.selection.refits import OneByOne, fits_of
from linsep.solvers.driver import Callback
from linsep.solvers.dual_cd import DualCD
from linsep.solvers.outcome import Record
from tests.selection.cases import task_of
from tests.selection.test_folds import brute_force, folds_for

ALPHAS = np.geomspace(1.0, 1e-6, 13)
LOSSES = ["log", "hinge", "squared_hinge", "smoothed_hinge"]


def texts(n: int = 240, d: int = 1500, classes: int = 2, seed: int = 3):
    """Sparse rows that a noisy linear rule labels, unequal classes."""
    random = np.random.default_rng(seed)
    X = sparse.random_array((n, d), density=0.02, rng=random).tocsr()
    scores = X @ random.normal(size=(d, classes)) + random.gumbel(size=(n, classes))
    scores[:, 0] += 1.0
    return X, scores.argmax(axis=1)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", LOSSES)
def test_equals_separate_fits(loss, intercept):
    X, y = texts()
    fold = folds_for(len(y))
    value = losses.get(loss).value

    def left_out(model, rows, labels):
        return value((2.0 * labels - 1.0) * model.decision_function(rows)).mean()

    def make(alpha):
        return LinearClassifier(loss, alpha=alpha, tol=1e-9, fit_intercept=intercept)

    curve = CrossValidation(folds=fold, alphas=ALPHAS).curve(task_of(X, y, loss, intercept=intercept))
    mean, error = brute_force(make, X, y, fold, ALPHAS, left_out)
    assert (np.abs(curve.losses - mean) <= 0.05 * error + 1e-6 * mean).all()
    np.testing.assert_allclose(curve.errors, error, rtol=0.05, atol=1e-5)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("loss", "scheme"), [("hinge", "ovr"), ("log", "softmax")])
def test_several_classes(loss, scheme, intercept):
    X, y = texts(classes=3)
    task = task_of(X, y, loss, scheme, intercept=intercept)
    folds = _Deal.of(task.training, folds_for(len(y))).folds
    ours = fits_of(task.training, task.objective, task.effort, folds)
    assert isinstance(ours, DualFolds)
    theirs = OneByOne(task.training, task.objective, Effort(tol=1e-9), folds)
    for alpha in (1e-2, 1e-3, 1e-4, 3e-4):
        (a, gap), (b, _) = ours.at(alpha), theirs.at(alpha)
        assert gap <= 1e-6
        for mine, other in zip(a, b, strict=True):
            np.testing.assert_allclose(mine.scores, other.scores, atol=0.02 * other.scores.std())


@pytest.mark.parametrize(("loss", "classes"), [*((loss, 2) for loss in LOSSES), ("log", 4)])
def test_any_number_of_threads_gives_the_same_bits(loss, classes):
    X, y = texts(classes=classes)
    curves = [
        LinearClassifier(loss, alpha=CrossValidation(alphas=ALPHAS[::3]), n_jobs=threads).fit(X, y).alpha_curve_.losses
        for threads in (1, 2, 3)
    ]
    assert (curves[0] == curves[1]).all()
    assert (curves[0] == curves[2]).all()


@pytest.mark.parametrize("loss", ["log", "hinge"])
def test_weights_are_copies(loss):
    X, y = texts()
    copies = np.random.default_rng(2).integers(0, 4, len(y))
    fold, rows = folds_for(len(y)), np.repeat(np.arange(len(y)), copies)
    weighted = CrossValidation(folds=fold, alphas=ALPHAS[2:10]).curve(task_of(X, y, loss, weights=copies.astype(float)))
    repeated = CrossValidation(folds=fold[rows], alphas=ALPHAS[2:10]).curve(task_of(X[rows], y[rows], loss))
    np.testing.assert_allclose(weighted.losses, repeated.losses, rtol=2e-3)


def test_where_it_applies():
    X, y = texts(classes=3)
    folds = _Deal.of(task_of(X, y).training, folds_for(len(y))).folds

    def way(rows, loss, scheme):
        task = task_of(rows, y, loss, scheme)
        return type(fits_of(task.training, task.objective, task.effort, folds))

    assert way(X, "log", "ovr") is DualFolds
    assert way(X, "log", "ovo") is OneByOne
    assert way(X, "log", "softmax") is DualFolds
    assert way(X, "hinge", "crammer_singer") is OneByOne
    assert way(X.toarray()[:, :20], "log", "softmax") is OneByOne
    assert way(X[:, :20], "hinge", "ovr") is OneByOne


@pytest.mark.parametrize("loss", LOSSES)
def test_a_start_is_used(monkeypatch, loss):
    """Beginning at the optimum takes a sweep or two; at a nearby α fewer than from nothing."""
    X, y = texts(2000, 3000)
    sweeps = []
    sweep = DualCD._sweep
    monkeypatch.setattr(DualCD, "_sweep", lambda self, *rest: (sweeps.append(1), sweep(self, *rest))[1])

    def count(step):
        before = len(sweeps)
        step()
        return len(sweeps) - before

    task = task_of(X, y, loss)
    folds = _Deal.of(task.training, folds_for(len(y))).folds
    ours, fresh = (fits_of(task.training, task.objective, task.effort, folds).descents[0][0] for _ in range(2))
    first = count(lambda: ours.at(1e-3))
    assert count(lambda: ours.at(1e-3)) <= max(first // 2, 2)
    ours.at(3e-4)
    assert count(lambda: ours.at(1e-4)) <= count(lambda: fresh.at(1e-4))


def test_a_softmax_fit_begins_where_the_last_ones_lead():
    X, y = texts(2000, 3000, classes=5)
    task = task_of(X, y, "log", "softmax")
    folds = _Deal.of(task.training, folds_for(len(y))).folds
    ours, fresh = (fits_of(task.training, task.objective, task.effort, folds).descents[0][0] for _ in range(2))
    steps: list[Record] = []
    ours.at(1e-4)
    ours.at(1e-5)
    ours.at(3e-5, steps.append)
    begun = len(steps)
    fresh.at(3e-5, steps.append)
    assert begun < len(steps) - begun


class Unhurried(ThreadPoolExecutor):
    """The first fits run before the others are dealt out."""

    def submit(self, *task):
        fit = super().submit(*task)
        time.sleep(0.2)
        return fit


@pytest.mark.parametrize("scheme", ["ovr", "softmax"])
@pytest.mark.parametrize("executor", [ThreadPoolExecutor, Unhurried])
@pytest.mark.parametrize(
    "heard",
    [lambda: os.kill(os.getpid(), signal.SIGINT), lambda: signal.pthread_kill(get_ident(), signal.SIGINT)],
    ids=["anywhere", "elsewhere"],
)
def test_ctrl_c_reaches_every_fold(scheme, executor, heard, monkeypatch):
    """It comes while the first fits are under way, to whatever thread; none of them takes another step."""
    monkeypatch.setattr(duals, "ThreadPoolExecutor", executor)
    X, y = texts(2000, 3000, classes=5)
    task = task_of(X, y, "log", scheme)
    fits = fits_of(task.training, task.objective, task.effort, _Deal.of(task.training, folds_for(len(y))).folds)
    steps: list[Descent] = []

    def interrupting(descent: Descent) -> Callable[[float, Callback], float]:
        at = descent.at

        def step(watch: Callback, record: Record) -> None:
            steps.append(descent)
            if len(steps) == 1:
                heard()
            for _ in range(100):
                watch(record)
                time.sleep(0.01)

        return lambda alpha, watch: at(alpha, partial(step, watch))

    for descent in chain(*fits.descents):
        descent.at = interrupting(descent)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a test in the background ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            fits.at(1e-6)
    finally:
        signal.signal(signal.SIGINT, before)
    assert steps
    assert max(Counter(map(id, steps)).values()) == 1
