"""Firth's correction: R's brglm2, firthmodels, tables of two by two, separated data."""

import pickle
from typing import Any

import numpy as np
import pytest
from firthmodels import FirthLogisticRegression
from scipy import sparse
from sklearn.base import clone

from linsep import LogisticRegression, Status, verify
from linsep.certify import Kind
from linsep.errors import InvalidParameter, NoOptimum, NotCertified, Refused
from linsep.inference.firth import Firth, firth_sample
from linsep.model import read_training
from tests.inference.cases import ENDOMETRIAL_X, ENDOMETRIAL_Y, binary, three, with_ones


def firth(**settings: Any) -> LogisticRegression:
    return LogisticRegression(penalty="firth", **settings)


def theirs(X: Any, y: Any, tol: float = 1e-9) -> FirthLogisticRegression:
    return FirthLogisticRegression(backend="numpy", gtol=tol, xtol=tol, max_iter=500).fit(X, y)


def separated() -> tuple[Any, Any]:
    random = np.random.default_rng(5)
    X = random.standard_normal((30, 2))
    return X, (X[:, 0] + X[:, 1] > 0.2).astype(int)


def quasi_separated() -> tuple[Any, Any]:
    X, y = binary(50, 2, seed=6)
    return np.column_stack((X, (y == 1) & (np.arange(50) % 3 == 0))).astype(float), y


DATA = {
    "endometrial": (ENDOMETRIAL_X, ENDOMETRIAL_Y),
    "plain": binary(40, seed=7),
    "separated": separated(),
    "quasi": quasi_separated(),
}


def test_endometrial_in_R() -> None:
    """brglmFit(type = "AS_mean") of brglm2 0.9 in R 4.2.2, epsilon = 1e-12: coefficients, errors, log likelihood."""
    with pytest.raises(NoOptimum):
        LogisticRegression(alpha=0).fit(ENDOMETRIAL_X, ENDOMETRIAL_Y)
    model = firth().fit(ENDOMETRIAL_X, ENDOMETRIAL_Y)
    found = model.inference(ENDOMETRIAL_X, ENDOMETRIAL_Y, intervals="wald")
    estimates = [2.9292733531970940, -0.0347517598704338, -2.6041639252936548, 3.7745597136470286]
    errors = [1.5507637294530392, 0.0395781473477631, 0.7760176425015612, 1.4886916634356544]
    p_values = [0.058902140420840604, 0.379914287405182682, 0.000791343294980966, 0.011229080463456309]
    np.testing.assert_allclose(model.coef_[0], estimates[:3], rtol=1e-8)
    np.testing.assert_allclose(found.estimates, estimates, rtol=1e-8)
    np.testing.assert_allclose(found.standard_errors, errors, rtol=1e-8)
    np.testing.assert_allclose(found.p_values, p_values, rtol=1e-7)
    assert found.goodness is not None
    assert found.goodness.log_likelihood == pytest.approx(-28.287697325521, rel=1e-10)
    assert found.goodness.aic == pytest.approx(64.575394651042, rel=1e-10)


def _augmented_errors(X: Any, theta: Any) -> Any:
    """firthmodels' errors are of the information with 1 + h in place of 1; ours, as brglm2's, of that itself."""
    A = with_ones(X)
    p = 1.0 / (1.0 + np.exp(-A @ theta))
    v = p * (1.0 - p)
    h = v * np.einsum("ij,jk,ik->i", A, np.linalg.inv(A.T @ (A * v[:, None])), A)
    return np.sqrt(np.linalg.inv(A.T @ (A * (v * (1.0 + h))[:, None])).diagonal())


@pytest.mark.filterwarnings("ignore:.*converge")  # of firthmodels, asked for more than its defaults
@pytest.mark.parametrize("name", DATA)
def test_equal_to_firthmodels(name: str) -> None:
    X, y = DATA[name]
    other = theirs(X, y)
    found = firth().fit(X, y).inference(X, y)
    np.testing.assert_allclose(found.estimates, [*other.coef_, other.intercept_], rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(_augmented_errors(X, found.estimates), other.bse_, rtol=1e-6)
    np.testing.assert_allclose(
        found.intervals, other.conf_int(method="pl", tol=1e-9, max_iter=500), rtol=1e-6, atol=1e-6
    )
    loose = theirs(X, y, 1e-5)  # its tests have no value where a fit does not reach its tolerance; errors are squared
    loose.lrt()
    np.testing.assert_allclose(found.p_values, loose.lrt_pvalues_, rtol=1e-6)
    assert np.isfinite(found.intervals).all()


@pytest.mark.parametrize("table", [(7, 3, 5, 15), (4, 0, 2, 6), (5, 0, 0, 5)], ids=str)
def test_two_by_two_adds_half_to_every_cell(table: tuple[int, ...]) -> None:
    a, b, c, d = table
    exposed = np.repeat([1.0, 1.0, 0.0, 0.0], table)[:, None]
    ill = np.repeat([1, 0, 1, 0], table)
    model = firth().fit(exposed, ill)
    odds = (a + 0.5) * (d + 0.5) / ((b + 0.5) * (c + 0.5))
    assert np.exp(model.coef_[0, 0]) == pytest.approx(odds, rel=1e-9)
    assert np.exp(model.intercept_[0]) == pytest.approx((c + 0.5) / (d + 0.5), rel=1e-9)


def test_a_level_and_its_end_agree() -> None:
    X, y = DATA["quasi"]
    model = firth().fit(X, y)
    found = model.inference(X, y)
    again = model.inference(X, y, level=1.0 - float(found.p_values[0]))
    assert np.abs(again.intervals[0]).min() == pytest.approx(0.0, abs=1e-7)


def test_second_derivative_by_differences() -> None:
    X, y = DATA["plain"]
    weights = np.random.default_rng(10).integers(1, 4, len(X))
    criterion = Firth(firth_sample(read_training(X, y, weights, None, 1), intercept=True))
    theta, h = np.array([0.3, -0.05, 2.0, 0.1]), 1e-6
    ends = [(criterion.at(theta + h * e), criterion.at(theta - h * e)) for e in np.eye(4)]
    here = criterion.at(theta)
    np.testing.assert_allclose(here.score, [(a.value - b.value) / (2 * h) for a, b in ends], rtol=1e-5)
    assert here.steep is not None
    np.testing.assert_allclose(here.steep, [(b.score - a.score) / (2 * h) for a, b in ends], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_tiny_and_separated_data_have_finite_intervals(seed: int) -> None:
    """Columns of any scale, far from 0, or of zeros and ones; an interval agrees with its test."""
    random = np.random.default_rng(seed)
    n, d = int(random.integers(8, 30)), int(random.integers(1, 4))
    X = random.standard_normal((n, d)) * 10.0 ** random.integers(-4, 5, d)
    X = [X, X + 50.0 * np.abs(X).max(axis=0), (X > 0).astype(float)][seed % 3]
    y = (X[:, 0] > np.median(X[:, 0]) - 1e-12).astype(int) if seed % 2 else (np.arange(n) % 3 == 0).astype(int)
    y[:2] = 0, 1
    found = firth().fit(X, y).inference(X, y)
    low, high = found.intervals.T
    assert np.isfinite(found.intervals).all()
    assert ((low < found.estimates) & (found.estimates < high)).all()
    np.testing.assert_array_equal(found.p_values < 0.05, (low > 0.0) | (high < 0.0))


def test_weights_are_repetitions() -> None:
    X, y = DATA["plain"]
    weights = np.random.default_rng(8).integers(0, 4, len(X))
    copies = np.repeat(np.arange(len(X)), weights)
    weighted = firth().fit(X, y, weights)
    repeated = firth().fit(X[copies], y[copies])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-8)
    ours, other = weighted.inference(X, y, weights), repeated.inference(X[copies], y[copies])
    np.testing.assert_allclose(ours.intervals, other.intervals, rtol=1e-7)


def test_storage_intercept_and_reference() -> None:
    X, y = DATA["plain"]
    model = firth().fit(X, y)
    np.testing.assert_allclose(firth().fit(sparse.csr_matrix(X), y).coef_, model.coef_, rtol=1e-9)
    through = firth(fit_intercept=False).fit(X, y)
    other = FirthLogisticRegression(backend="numpy", gtol=1e-9, xtol=1e-9, max_iter=500, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(through.coef_[0], other.coef_, rtol=1e-6)
    assert through.intercept_[0] == 0.0
    assert through.inference(X, y).names == ("x0", "x1", "x2")
    found, swapped = model.inference(X, y), model.inference(X, y, reference=1)
    np.testing.assert_allclose(swapped.intervals, -found.intervals[:, ::-1], rtol=1e-7)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_columns_that_depend_on_each_other_share_their_weight(container: Any) -> None:
    """The scores are those without the columns too many; the weights the shortest that have these scores."""
    X, y = DATA["plain"]
    more = np.column_stack((X, X[:, 0] - 2.0 * X[:, 1], np.full(len(X), 5.0)))
    model = firth().fit(container(more), y)
    scores = model.decision_function(more)
    np.testing.assert_allclose(scores, firth().fit(X, y).decision_function(X), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(scores, theirs(X, y).decision_function(X), rtol=1e-6, atol=1e-8)
    centred = more - more.mean(axis=0)
    shortest = np.linalg.lstsq(centred, scores - scores.mean(), rcond=None)[0]
    np.testing.assert_allclose(model.coef_[0], shortest, atol=1e-12)
    assert {check.name for check in verify(model, more, y).checks if not check.passed} == {"proof"}
    with pytest.raises(Refused, match="x3 is a combination of x0, x1"):
        model.inference(more, y)


@pytest.mark.parametrize("intercept", [True, False])
def test_more_columns_than_rows_add_half_to_both_classes_of_every_row(intercept: bool) -> None:
    """Every row has its own score, so its leverage is 1: p = (k + 1/2) / (s + 1) of s rows alike, k of class 1."""
    random = np.random.default_rng(3)
    X, s = random.standard_normal((7, 20)), np.array([1, 2, 5, 1, 3, 1, 0])
    y = np.array([0, 1, 1, 0, 0, 1, 1])
    model = firth(fit_intercept=intercept).fit(X, y, sample_weight=s)
    counted = s > 0
    expected = (s * y + 0.5)[counted] / (s + 1.0)[counted]
    np.testing.assert_allclose(model.predict_proba(X)[counted, 1], expected, rtol=1e-12)
    repeated = firth(fit_intercept=intercept).fit(np.repeat(X, s, axis=0), np.repeat(y, s))
    np.testing.assert_allclose(model.coef_, repeated.coef_, rtol=1e-9)


def test_certificate_says_what_it_is() -> None:
    X, y = DATA["separated"]
    model = firth().fit(X, y)
    assert model.status_ is Status.STATIONARY
    assert model.certificate_.kind is Kind.STATIONARY
    assert model.certificate_.gradient < 1e-8
    assert not model.certificate_.holds
    assert model.model_.alpha == 0.0
    assert "Firth" in model.summary()
    assert "not convex" in model.summary()
    verdict = verify(model, X, y)
    assert verdict.unknown
    assert verdict.primal == pytest.approx(model.certificate_.primal, rel=1e-12)
    assert not verify(model, X + 1.0, y).unknown


def test_verify_finds_a_point_that_is_not_stationary() -> None:
    X, y = DATA["plain"]
    with pytest.warns(NotCertified, match="max_iter"):
        model = firth(max_iter=1).fit(X, y)
    failed = {check.name for check in verify(model, X, y).checks if not check.passed}
    assert failed == {"gradient", "proof"}


def test_a_bound_of_time_is_kept() -> None:
    X, y = DATA["plain"]
    with pytest.warns(NotCertified, match="time_limit"):
        firth(time_limit=1e-9).fit(X, y)


def test_bias_is_smaller_than_that_of_maximum_likelihood() -> None:
    random, plain, corrected = np.random.default_rng(9), [], []
    for _ in range(150):
        X = random.standard_normal((40, 1))
        y = (random.random(40) < 1.0 / (1.0 + np.exp(-1.5 * X[:, 0]))).astype(int)
        corrected.append(firth().fit(X, y).coef_[0, 0])
        plain.append(LogisticRegression(alpha=1e-9).fit(X, y).coef_[0, 0])
    assert abs(np.mean(corrected) - 1.5) < 0.4 * abs(np.mean(plain) - 1.5)


def test_refusals() -> None:
    X, y = DATA["plain"]
    with pytest.raises(Refused, match=r"alpha=0\.5"):
        firth(alpha=0.5).fit(X, y)
    firth(alpha=0).fit(X, y)
    with pytest.raises(InvalidParameter, match=r"unknown penalty 'ridge'.*nearest"):
        LogisticRegression(penalty="ridge").fit(X, y)
    with pytest.raises(Refused, match="two classes"):
        firth().fit(*three())
    with pytest.raises(Refused, match="no column of X differs"):
        firth().fit(np.ones_like(X), y)
    model = firth().fit(X, y)
    with pytest.raises(Refused, match="sandwich"):
        model.inference(X, y, covariance="robust")


def test_l2_is_the_default() -> None:
    X, y = DATA["plain"]
    np.testing.assert_array_equal(
        LogisticRegression(penalty="l2").fit(X, y).coef_, LogisticRegression().fit(X, y).coef_
    )


def test_estimator_habits() -> None:
    X, y = DATA["plain"]
    model = pickle.loads(pickle.dumps(clone(firth()).fit(X, y)))
    assert model.inference(X, y).names[-1] == "intercept"
    warm = firth(warm_start=True).fit(X, y)
    assert warm.fit(X, y).model_.run.steps <= 2
