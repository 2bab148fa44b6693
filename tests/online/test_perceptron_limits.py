"""What a perceptron says where it stops early, where data are too large, and how long its verdict may take."""

from __future__ import annotations

import signal
from threading import Event, current_thread, main_thread
from typing import Any

import numpy as np
import pytest

from linsep import Perceptron, novikoff_bound, separability
from linsep.errors import InvalidData, InvalidParameter, InvalidType, NotConverged, Refused
from linsep.online import recording
from linsep.online.perceptron import primal, theorem
from linsep.separability import Verdict
from linsep.solvers.patience import OutOfTime, at_most, interruptible


def clouds(seed: int, n: int = 60) -> tuple[Any, Any]:
    X = np.random.default_rng(seed).normal(size=(n, 3))
    return X, np.where(X @ [1.0, 2.0, 3.0] > 0.1, "yes", "no")


def test_the_bound_holds_for_a_budget_too_small_for_separable_data() -> None:
    X, y = clouds(0)
    with pytest.warns(NotConverged, match="Novikoff's bound"):
        model = Perceptron(max_epochs=1).fit(X, y)
    summary = model.summary()
    assert f"updates {model.n_updates_} ≤ (R/ρ)² = {novikoff_bound(X, y):.4g}" in summary
    assert f"verdict     {Verdict.SEPARABLE.value}" in summary


def test_the_summary_keeps_the_verdict_and_the_pocket() -> None:
    X, _ = clouds(1)
    with pytest.warns(NotConverged):
        model = Perceptron(max_epochs=10).fit(X, np.arange(60) % 2)
    summary = model.summary()
    assert Verdict.NOT_SEPARABLE.value in summary
    assert f"a pocket would have had {model.pocket_accuracy_:.2%}" in summary
    assert "the bound does not apply: the run did not converge" in summary


def test_classes_with_the_same_verdict_share_a_sentence() -> None:
    rng = np.random.default_rng(0)
    with pytest.warns(
        NotConverged, match=r"\(classes 0, 1, 2, 3, 4 against the rest\): not separable.*not asked of 3 more"
    ):
        Perceptron(max_epochs=3).fit(rng.normal(size=(200, 3)), rng.integers(0, 8, 200))


def test_a_verdict_that_takes_too_long_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(theorem, "PATIENCE", 0.3)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2200, 1000)), rng.integers(0, 2, 2200)  # minutes
    with pytest.warns(NotConverged, match="Separability: not decided within"):
        Perceptron(max_epochs=1).fit(X, y)


@pytest.mark.parametrize(("n", "d", "classes"), [(500, 20, 2), (2200, 1000, 2), (600, 40, 5)])
def test_separability_stops_at_a_deadline(n: int, d: int, classes: int) -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(OutOfTime), at_most(0.0):
        separability(rng.normal(size=(n, d)), rng.integers(0, classes, n))


def test_ctrl_c_during_the_verdict_keeps_the_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: Any, **kwargs: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(theorem, "separability", interrupted)
    X, _ = clouds(2)
    with pytest.warns(NotConverged, match="not decided"):
        model = Perceptron(max_epochs=2).fit(X, np.arange(60) % 2)
    assert model.predict(X).shape == (60,)


def test_ctrl_c_does_not_wait_for_work_in_a_thread() -> None:
    """The work begins, Ctrl-C comes, and is passed on while the work is still waiting for its end: so Python, at its
    exit, must know that it runs."""
    end, waited, threads = Event(), [], []

    def work() -> None:
        threads.append(current_thread())
        end.wait(0.1)  # until the other waits
        signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)
        waited.append(end.wait(60.0))

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a test in the background ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            interruptible(work)
        assert threads[0].is_alive()
    finally:
        end.set()
        signal.signal(signal.SIGINT, before)
    assert False not in waited


def test_what_fails_in_the_thread_fails_here() -> None:
    assert interruptible(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 // 0)


def test_large_entries_are_learned_and_too_large_ones_refused() -> None:
    X, y = clouds(3)
    assert Perceptron().fit(1e150 * X, y).converged_
    with pytest.raises(InvalidData, match="overflow float64: divide its columns"):
        Perceptron().fit(1e200 * X, y)


def test_a_bound_that_is_not_finite_is_explained() -> None:
    X, y = np.array([[0.0], [0.0], [1.0]]), np.array([0, 0, 1])
    model = Perceptron(tie="negative", fit_intercept=False).fit(X, y)
    assert model.converged_
    assert "no finite bound" in model.summary()


def test_a_kernel_without_a_verdict_says_so() -> None:
    X, _ = clouds(4)
    with pytest.warns(NotConverged, match="not judged in the feature space of the kernel 'rbf'"):
        Perceptron(kernel="rbf", max_epochs=1).fit(X, np.arange(60) % 2)


def test_a_record_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "_MOST_BYTES", 1000)
    X, y = clouds(5)
    with pytest.raises(Refused, match="record=False"):
        Perceptron(record=True).fit(X, np.arange(60) % 2)
    assert Perceptron().fit(X, y).converged_


def test_a_record_in_parts_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    X, _ = clouds(6)
    for options in ({}, {"batch": 7}, {"average": True}, {"normalize": True, "max_epochs": 3}):
        asked: dict[str, Any] = {"record": True, "max_epochs": 5, **options}
        with pytest.warns(NotConverged):
            whole = Perceptron(**asked).fit(X, np.arange(60) % 3)
        with monkeypatch.context() as patch:
            patch.setattr(primal, "_RECORDED", 36)
            with pytest.warns(NotConverged):
                parts = Perceptron(**asked).fit(X, np.arange(60) % 3)
        np.testing.assert_array_equal(whole.trajectory_, parts.trajectory_)
        np.testing.assert_array_equal(whole.coef_, parts.coef_)
        np.testing.assert_array_equal(whole.mistakes_, parts.mistakes_)
        assert len(whole.update_rows_) == len(whole.trajectory_) - 1 <= whole.n_updates_


def test_a_fit_that_is_refused_leaves_the_former_one() -> None:
    X, y = clouds(7)
    model = Perceptron(start=[0.0, 0.0, 0.0, 0.0]).fit(X, y)
    before = model.predict(X)
    with pytest.raises(InvalidParameter, match="start has shape"):
        model.fit(X, np.arange(60) % 3)
    np.testing.assert_array_equal(model.predict(X), before)


def test_epochs_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = clouds(8)
    for dual in (False, True):
        model = Perceptron(verbose=2, dual=dual).fit(X, y)
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == model.n_iter_
        assert lines[0].startswith("linsep: epoch 1, ")
        assert f"{model.mistakes_[0]} mistakes, at most" in lines[0]
    Perceptron(verbose=1).fit(X, y)  # stderr is no terminal here
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("gamma", ["wide", 0.0, None])
def test_gamma_is_checked_whatever_the_kernel(gamma: Any) -> None:
    with pytest.raises((InvalidParameter, InvalidType), match="gamma"):
        Perceptron(gamma=gamma).fit(*clouds(9))
