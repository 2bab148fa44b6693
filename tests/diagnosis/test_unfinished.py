"""What remains of a fit that ended early: the gap, the rate of its trace, steps and seconds."""

from __future__ import annotations

from math import inf, isinf

import numpy as np
import pytest

from linsep import LinearClassifier, LogisticRegression
from linsep.diagnosis.checks.unfinished import Unfinished, outlook
from linsep.errors import NoOptimum, NotCertified
from linsep.solvers import Record, Status


def test_a_gap_that_halves_is_followed_to_tol() -> None:
    trace = [Record(k, 0.1 * k, 1.0 + 2.0**-k, 1.0) for k in range(8)]
    rate, steps, seconds = outlook(trace, 2.0**-12)
    assert rate == pytest.approx(0.5)
    assert steps == pytest.approx(5, abs=1)  # from 2⁻⁷ to 2⁻¹²
    assert seconds == pytest.approx(0.1 * steps)


def test_without_a_bound_the_decreases_are_followed() -> None:
    trace = [Record(k, float(k), 1.0 + 10.0**-k, -inf) for k in range(6)]
    rate, steps, _ = outlook(trace, 1e-8)
    assert rate == pytest.approx(0.1)
    assert 2 <= steps <= 5


@pytest.mark.parametrize(
    "trace",
    [
        [],
        [Record(0, 0.0, 1.0, 0.0)],
        [Record(k, float(k), 1.0, 0.5) for k in range(9)],
        [Record(k, float(k), 1.0, -inf) for k in range(9)],
        [Record(k, float(k), 0.0, -inf) for k in range(9)],
    ],
)
def test_where_nothing_falls_nothing_is_promised(trace: list[Record]) -> None:
    rate, steps, seconds = outlook(trace, 1e-4)
    assert np.isnan(rate)
    assert isinf(steps)
    assert isinf(seconds)


def slow(n: int = 20_000) -> tuple[np.ndarray, np.ndarray]:
    """Columns of very different size: L-BFGS is slow on them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 12)) * np.geomspace(1.0, 1e5, 12)
    return X, X @ np.geomspace(1.0, 1e-5, 12) + rng.logistic(size=n) > 0


def test_the_message_has_gap_cause_rate_and_remedy() -> None:
    X, y = slow()
    with pytest.warns(NotCertified) as caught:
        model = LogisticRegression(alpha=1e-6, solver="lbfgs", max_iter=3).fit(X, y)
    (warning,) = caught
    text = str(warning.message)
    assert "LogisticRegression is not certified: max_iter was reached" in text
    assert "Likely cause: column 'x11' is about" in text
    assert "raise max_iter" in text
    assert "StandardScaler" in text
    (finding,) = model.diagnosis_.of(Unfinished)
    assert finding.status is Status.MAX_ITER
    assert finding in model.diagnosis_.serious
    assert finding.record()["status"] == "MAX_ITER"
    assert "status" in model.summary()


def test_the_promise_is_about_kept() -> None:
    """By the trace of the first steps, and by going on: within a factor of four in steps."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20_000, 8)) * np.geomspace(1.0, 30.0, 8)
    y = X @ np.geomspace(1.0, 0.03, 8) + rng.logistic(size=len(X)) > 0
    whole = LogisticRegression(alpha=1e-4, solver="lbfgs", tol=1e-7).fit(X, y).n_iter_
    with pytest.warns(NotCertified):
        part = LogisticRegression(alpha=1e-4, solver="lbfgs", tol=1e-7, max_iter=whole // 2).fit(X, y)
    (finding,) = part.diagnosis_.of(Unfinished)
    assert (whole - part.n_iter_) / 4 <= finding.steps <= 4 * (whole - part.n_iter_)


def test_no_optimum_carries_its_diagnosis() -> None:
    X, _ = slow(500)
    with pytest.raises(NoOptimum, match="no optimum exists") as raised:
        LinearClassifier("log", alpha=0.0).fit(X, X[:, 3] > 0)
    diagnosis = raised.value.diagnosis
    assert diagnosis.findings[0].kind == "no_optimum"
    assert diagnosis.findings[0].sentence == str(raised.value)
    assert "'x3'" in str(diagnosis)
