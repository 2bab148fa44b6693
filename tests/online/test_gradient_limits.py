"""Where gradient descent would fail in silence: batches of all rows, huge entries, streams, losses that rise."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from linsep import GradientClassifier
from linsep.errors import Diverged, InvalidData, NotConverged, Refused
from linsep.estimators.progress import EpochLines
from linsep.model import read_training
from linsep.online import gradient, recording
from linsep.online.gradient_rate import Schedule, curvature
from linsep.online.gradient_steps import NumpySteps, Pace, steps_of
from linsep.online.gradient_task import Task, loss_of, target_of
from linsep.problem import losses
from linsep.problem.penalties import L2
from linsep.problem.reductions import OneMargin
from linsep.types import FloatArray


def clouds(seed: int = 0, n: int = 60) -> tuple[Any, Any]:
    X = np.random.default_rng(seed).normal(size=(n, 3))
    return X, np.where(X @ [1.0, 2.0, 3.0] > 0.1, "yes", "no")


def test_a_batch_of_all_rows_is_steepest_descent() -> None:
    X, y = clouds()
    whole = GradientClassifier(batch="batch").fit(X, y)
    for batch in (60, 100):
        model = GradientClassifier(batch=batch).fit(X, y)
        assert model.n_iter_ == whole.n_iter_ > 10
        np.testing.assert_array_equal(model.coef_, whole.coef_)


@pytest.mark.parametrize("scale", [False, True])
def test_entries_whose_squares_overflow_are_refused(scale: bool) -> None:
    X, y = clouds()
    with pytest.raises(InvalidData, match="overflow float64"):
        GradientClassifier(scale=scale).fit(1e200 * X, y)
    with pytest.raises(InvalidData, match="overflow float64"):
        GradientClassifier().partial_fit(1e200 * X, y)


def test_an_end_above_the_start_is_no_convergence() -> None:
    X, y = np.ones((4, 2)), np.array([0, 0, 1, 1])
    with pytest.warns(NotConverged, match="above the 0.693147 it began with. The rate is within 1/L.*'1/t'"):
        model = GradientClassifier().fit(X, y)
    assert "above the 0.693147 it began with" in model.summary()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        GradientClassifier(learning_rate="1/t").fit(X, y)
        GradientClassifier("perceptron", alpha=0.0).fit(*clouds())  # begins at its minimum 0


def test_a_stream_begins_at_the_start_asked_for() -> None:
    X, y = clouds()
    slow: dict[str, Any] = {"learning_rate": "constant", "eta0": 1e-12, "random_state": 5}
    given = np.array([1.0, -2.0, 3.0, 4.0])
    model = GradientClassifier(start=given, **slow).partial_fit(X, y)
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), given, rtol=1e-9)
    fitted = GradientClassifier(start="random", max_epochs=1, tol_loss=None, **slow).fit(X, y)
    stream = GradientClassifier(start="random", **slow).partial_fit(X, y)
    np.testing.assert_allclose(stream.coef_, fitted.coef_, rtol=1e-6)
    with pytest.raises(InvalidData, match="start has shape"):
        GradientClassifier(start=given).partial_fit(X, np.arange(60) % 3)


def test_a_stream_goes_on_from_a_scaled_fit_in_the_units_of_X() -> None:
    X, y = clouds()
    model = GradientClassifier(scale=True, record="epochs").fit(100.0 * X + 7.0, y)
    before = model.coef_.copy()
    model.set_params(scale=False, learning_rate="constant", eta0=1e-14).partial_fit(100.0 * X + 7.0, y)
    np.testing.assert_allclose(model.coef_, before, rtol=1e-6)
    assert not hasattr(model, "path_")


def test_a_diverging_stream_is_recognised_and_the_model_kept() -> None:
    X, y = clouds()
    model = GradientClassifier("squared").partial_fit(X, y)
    before = model.coef_.copy()
    model.set_params(learning_rate="constant", eta0=100.0)
    with pytest.raises(Diverged, match="Use eta0="):
        model.partial_fit(X, y)
    np.testing.assert_array_equal(model.coef_, before)


def test_a_fit_that_is_refused_leaves_the_former_one() -> None:
    X, y = clouds()
    model = GradientClassifier(start=[0.0, 0.0, 0.0, 0.0]).fit(X, y)
    before = model.predict(X)
    with pytest.raises(InvalidData, match="start has shape"):
        model.fit(X, np.arange(60) % 3)
    np.testing.assert_array_equal(model.predict(X), before)


def test_a_record_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "_MOST_BYTES", 5000)
    X, y = clouds()
    for record in ("updates", "epochs"):
        with pytest.raises(Refused, match="fewer max_epochs or fewer rows"):
            GradientClassifier(record=record, tol_loss=None).fit(X, y)


def test_an_interruption_while_the_loss_is_computed_keeps_the_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    full, calls = gradient.mean_loss, []

    def interrupted(task: Any, w: FloatArray) -> float:
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return full(task, w)

    monkeypatch.setattr(gradient, "mean_loss", interrupted)
    with pytest.warns(NotConverged, match="interrupted"):
        model = GradientClassifier(record="epochs", tol_loss=None).fit(*clouds())
    assert model.n_iter_ == 3
    assert model.history_[-1].updates == 180
    assert np.isfinite(model.history_[-1].loss)


def test_the_summary_names_what_was_minimised() -> None:
    X, _ = clouds()
    y = X.argmax(axis=1)
    assert "objective  mean softmax loss + α/2 ‖w‖²" in GradientClassifier().fit(X, y).summary()
    rest = GradientClassifier("hinge", learning_rate="inverse_scaling", power=0.25).fit(X, y).summary()
    assert "mean hinge loss, summed over every class against the rest" in rest
    assert "p = 0.25" in rest
    alone = GradientClassifier().partial_fit(X[:5], ["a"] * 5).summary()
    assert alone.startswith("GradientClassifier: 1 class, 3 features")
    assert "not known before the second class" in alone


def test_lines_are_at_most_two_a_second_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    lines = EpochLines.of(1, 1000)
    for epoch in range(1, 500):
        lines.mistakes(epoch, 3)
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_penalty_of_another_kind_plugs_in() -> None:
    @dataclass(frozen=True)
    class Quartic(L2):
        """α/4 Σ w⁴."""

        def value(self, w: FloatArray) -> float:
            return 0.25 * self.alpha * float((w**4).sum())

        def gradient(self, w: FloatArray) -> FloatArray:
            return np.asarray(self.alpha * w**3)

        @property
        def curvature(self) -> float:
            return 12.0 * self.alpha

    X, y = clouds()
    training = read_training(X, y, None, None, 1)
    loss = loss_of(OneMargin(), losses.get("log"))
    task = Task(training.design, target_of(training.labels, loss, False), loss, Quartic(0.5), True)
    plain = Task(training.design, task.target, loss, L2(0.0), True)
    assert curvature(task, None) == pytest.approx(curvature(plain, None) + 6.0)
    assert isinstance(steps_of(task, Pace(Schedule(0.1), 0.1, 1)), NumpySteps)
