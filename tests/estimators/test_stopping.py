"""How fits end: certified, warned of, refused, interrupted, followed, continued."""

import time
import warnings

import numpy as np
import pytest

import linsep.estimators.linear
from linsep import LinearSVM, LogisticRegression, Status, verify
from linsep.errors import NoOptimum, NotCertified
from linsep.estimators.progress import Progress
from linsep.solvers import Record
from tests.estimators.cases import CANCER_X, CANCER_Y, IRIS_X, IRIS_Y


def test_a_certified_fit_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LogisticRegression().fit(CANCER_X, CANCER_Y)
    assert capsys.readouterr() == ("", "")
    assert model.status_ in (Status.CERTIFIED, Status.NUMERICAL_LIMIT)
    assert model.certificate_.holds
    assert model.n_iter_ == model.history_[-1].step >= 1
    assert [record.step for record in model.history_] == list(range(model.n_iter_ + 1))


def test_an_early_end_warns_once_with_gap_cause_and_remedy() -> None:
    uneven = CANCER_X.copy()
    uneven[:, 3] *= 1e9
    with pytest.warns(NotCertified) as caught:
        model = LogisticRegression(max_iter=2).fit(uneven, CANCER_Y)
    (warning,) = caught
    text = str(warning.message)
    assert "LogisticRegression is not certified: max_iter was reached" in text
    assert "above the optimum" in text or "not known" in text
    assert "column 'x3' is about 10^9 times as large as column" in text
    assert "raise max_iter" in text
    assert warning.filename == __file__
    assert model.status_ is Status.MAX_ITER
    assert not model.certificate_.holds


def test_the_warning_points_to_the_callers_line() -> None:
    for model in (LinearSVM(time_limit=1e-9), LogisticRegression(time_limit=1e-9)):
        with pytest.warns(NotCertified) as caught:
            model.fit(CANCER_X, CANCER_Y)
        assert caught[0].filename == __file__


def test_a_bound_lost_to_rounding_is_no_certificate() -> None:
    """C = 1e200: the dual bound divides its rounding by α."""
    with pytest.warns(NotCertified) as caught:
        model = LogisticRegression(alpha=1e-200).fit(IRIS_X, IRIS_Y)
    assert model.status_ is Status.STALLED
    assert not model.certificate_.holds
    assert "DOES NOT HOLD" in model.summary()
    assert "more step" not in str(caught[0].message)  # no progress was possible: no promise of any
    assert not verify(model, IRIS_X, IRIS_Y)


def test_time_limit() -> None:
    with pytest.warns(NotCertified, match="raise time_limit"):
        model = LogisticRegression(time_limit=1e-9).fit(CANCER_X, CANCER_Y)
    assert model.status_ is Status.TIME_LIMIT


def test_the_worst_problem_is_named() -> None:
    with pytest.warns(NotCertified, match="3 of 3 problems, the worst is class . against the rest"):
        LogisticRegression(multiclass="ovr", max_iter=1).fit(IRIS_X, IRIS_Y)


@pytest.mark.parametrize("scheme", ["auto", "ovr"])
def test_separable_data_without_a_penalty_have_no_optimum(scheme: str) -> None:
    with pytest.raises(NoOptimum, match=r"separable and alpha = 0.*Give alpha > 0"):
        LogisticRegression(alpha=0.0, multiclass=scheme).fit(IRIS_X, IRIS_Y)
    with pytest.raises(NoOptimum, match="no optimum exists"):
        LogisticRegression(alpha=0.0).fit(IRIS_X, IRIS_Y == 0)


def test_without_a_penalty_where_an_optimum_exists() -> None:
    y = np.random.default_rng(0).integers(0, 2, 150)
    model = LogisticRegression(alpha=0.0).fit(IRIS_X, y)
    assert model.certificate_.holds
    assert "C = ∞" in model.summary()


class CtrlC(Progress):
    def __call__(self, record: Record) -> None:
        if record.step == 2:
            raise KeyboardInterrupt


def test_ctrl_c_keeps_the_best_point(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linsep.estimators.fitting, "watcher", lambda *a: CtrlC(1e-4, np.inf, 0.0))
    with pytest.warns(NotCertified, match=r"interrupted.*warm_start=True"):
        model = LogisticRegression().fit(CANCER_X, CANCER_Y)
    assert model.status_ is Status.INTERRUPTED
    assert model.coef_.any()
    assert model.score(CANCER_X, CANCER_Y) > 0.9


def test_progress_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    LogisticRegression(verbose=2, multiclass="ovr").fit(IRIS_X, IRIS_Y)
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert lines[0].startswith("linsep: fitting: problem 1 of 3, step 0, ")
    assert "gap" in lines[-1]
    assert "s left" in lines[-1]
    assert LogisticRegression(verbose=1).fit(IRIS_X, IRIS_Y)
    assert capsys.readouterr().err == ""  # not a terminal


def test_time_left_follows_the_gap() -> None:
    progress = Progress(tol=1e-4, time_limit=np.inf, pause=np.inf)
    progress(Record(1, 1.0, 1.0, 0.0))  # gap 1 after a second
    assert progress._seconds_left(Record(2, 2.0, 1.0, 0.99), 1e-2, 2.0) == pytest.approx(1.0)
    assert progress._seconds_left(Record(2, 2.0, 1.0, 1.0), 0.0, 2.0) == 0.0
    limited = Progress(tol=1e-4, time_limit=7.0, pause=np.inf, began=time.perf_counter() - 2.0)
    assert limited.line(Record(1, 1.0, 1.0, -np.inf)).endswith("gap not known yet, at most 5 s left")


def test_warm_start_goes_on() -> None:
    model = LogisticRegression(alpha=1e-3, warm_start=True)
    with pytest.warns(NotCertified):
        model.set_params(max_iter=3).fit(CANCER_X, CANCER_Y)
    reached = model.history_[-1].value
    model.set_params(max_iter=None).fit(CANCER_X, CANCER_Y)
    assert model.history_[0].value <= reached * (1 + 1e-12)
    again = model.n_iter_
    model.fit(CANCER_X, CANCER_Y)
    assert model.n_iter_ <= max(2, again)
    cold = LogisticRegression(alpha=1e-3).fit(CANCER_X, CANCER_Y)
    assert np.allclose(cold.coef_, model.coef_, rtol=1e-6)


@pytest.mark.parametrize("scheme", ["softmax", "ovr", "ovo", "ecoc"])
def test_warm_start_of_many_classes(scheme: str) -> None:
    model = LogisticRegression(warm_start=True, multiclass=scheme).fit(IRIS_X, IRIS_Y)
    first = model.coef_
    model.fit(IRIS_X, IRIS_Y)
    assert np.allclose(first, model.coef_, rtol=1e-4, atol=1e-6)


def test_warm_start_on_other_data_begins_afresh() -> None:
    model = LogisticRegression(warm_start=True).fit(IRIS_X, IRIS_Y)
    for X, y in ((IRIS_X[:, :2], IRIS_Y), (IRIS_X, IRIS_Y + 1), (IRIS_X, IRIS_Y > 0)):
        assert np.array_equal(model.fit(X, y).coef_, LogisticRegression().fit(X, y).coef_)


def test_seeds() -> None:
    for seed in (3, np.random.RandomState(3), np.random.default_rng(3)):
        assert LogisticRegression(random_state=seed).fit(IRIS_X, IRIS_Y).certificate_.holds


def test_unknown_solver() -> None:
    with pytest.raises(ValueError, match=r"unknown solver 'newtn'.*nearest is 'newton"):
        LogisticRegression(solver="newtn").fit(IRIS_X, IRIS_Y)
