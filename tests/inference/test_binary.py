"""Two classes: equal to statsmodels, and to the formula for a table of two by two."""

from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import sparse

from linsep import Clustered, LinearClassifier, LogisticRegression, Robust, infer
from tests.inference.cases import binary, with_ones

X, Y = binary()
CLUSTERS = np.arange(len(X)) // 7
MODEL = LogisticRegression(alpha=0).fit(X, Y)
COVARIANCES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {}),
    ({"covariance": "robust"}, {"cov_type": "HC0"}),
    ({"covariance": "clustered", "clusters": CLUSTERS}, {"cov_type": "cluster", "cov_kwds": {"groups": CLUSTERS}}),
    (
        {"covariance": Clustered(small_sample=False), "clusters": [f"g{c}" for c in CLUSTERS]},
        {"cov_type": "cluster", "cov_kwds": {"groups": CLUSTERS, "use_correction": False}},
    ),
]


def close(a: Any, b: Any, rtol: float = 1e-8) -> None:
    np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-12)


@pytest.mark.parametrize(("ours", "theirs"), COVARIANCES, ids=["model", "HC0", "clustered", "uncorrected"])
def test_equal_to_statsmodels(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    expected = sm.Logit(Y, with_ones(X)).fit(disp=0, tol=1e-14, maxiter=200, **theirs)
    found = MODEL.inference(X, Y, **ours)
    close(found.estimates, expected.params)
    close(found.covariance, expected.cov_params())
    close(found.standard_errors, expected.bse)
    close(found.z, expected.tvalues)
    close(found.p_values, expected.pvalues, 1e-6)
    close(found.intervals, expected.conf_int())
    close(found.odds_ratios, np.exp(expected.params))
    close(found.odds_ratio_intervals, np.exp(expected.conf_int()))


def test_goodness_is_that_of_statsmodels() -> None:
    expected = sm.Logit(Y, with_ones(X)).fit(disp=0, tol=1e-14)
    found = MODEL.inference(X, Y).goodness
    assert found is not None
    ours = (found.log_likelihood, found.null_log_likelihood, found.statistic, found.degrees, found.p_value)
    close(ours, (expected.llf, expected.llnull, expected.llr, expected.df_model, expected.llr_pvalue))
    close((found.aic, found.bic, found.mcfadden), (expected.aic, expected.bic, expected.prsquared))
    glm = sm.GLM(Y, with_ones(X), family=sm.families.Binomial()).fit(tol=1e-14)
    close(found.cox_snell, glm.pseudo_rsquared("cs"))
    assert found.cox_snell < found.nagelkerke < 1.0


def test_small_sample_factor() -> None:
    plain = MODEL.inference(X, Y, covariance="HC0").covariance
    n, p = X.shape[0], X.shape[1] + 1
    close(MODEL.inference(X, Y, covariance="HC1").covariance, plain * n / (n - p))
    close(MODEL.inference(X, Y, covariance=Robust(small_sample=True)).covariance, plain * n / (n - p))


def test_level_reaches_the_intervals() -> None:
    expected = sm.Logit(Y, with_ones(X)).fit(disp=0, tol=1e-14).conf_int(0.2)
    close(MODEL.inference(X, Y, level=0.8).intervals, expected)


def test_two_by_two() -> None:
    a, b, c, d = 7, 3, 5, 15  # exposed and ill, exposed and well, ill alone, neither
    exposed = np.repeat([1.0, 1.0, 0.0, 0.0], [a, b, c, d])[:, None]
    ill = np.repeat(["ill", "well", "ill", "well"], [a, b, c, d])
    model = LogisticRegression(alpha=0).fit(exposed, ill)
    found = model.inference(exposed, ill, reference="well")
    close(found.odds_ratios[0], a * d / (b * c), 1e-10)
    close(found.standard_errors[0], np.sqrt(1 / a + 1 / b + 1 / c + 1 / d), 1e-10)
    assert (found.reference, found.others) == ("well", ("ill",))
    other = model.inference(exposed, ill)
    close(other.estimates, -found.estimates)
    close(other.covariance, found.covariance)


WEIGHTS = np.random.default_rng(1).integers(0, 4, len(X))


@pytest.mark.parametrize("ours", [{}, {"covariance": "robust"}, {"covariance": "clustered"}], ids=str)
def test_weights_are_repetitions(ours: dict[str, Any]) -> None:
    copies = np.repeat(np.arange(len(X)), WEIGHTS)
    clusters = CLUSTERS if "clustered" in ours.values() else None
    weighted = LogisticRegression(alpha=0).fit(X, Y, WEIGHTS).inference(X, Y, WEIGHTS, clusters=clusters, **ours)
    clusters = None if clusters is None else clusters[copies]
    Xr, yr = X[copies], Y[copies]
    repeated = LogisticRegression(alpha=0).fit(Xr, yr).inference(Xr, yr, clusters=clusters, **ours)
    close(weighted.covariance, repeated.covariance)
    assert weighted.goodness is not None
    assert repeated.goodness is not None
    close((weighted.goodness.bic, weighted.goodness.statistic), (repeated.goodness.bic, repeated.goodness.statistic))


def test_frequencies_in_statsmodels() -> None:
    expected = sm.GLM(Y, with_ones(X), family=sm.families.Binomial(), freq_weights=WEIGHTS).fit(tol=1e-14)
    found = LogisticRegression(alpha=0).fit(X, Y, WEIGHTS).inference(X, Y, WEIGHTS)
    close(found.estimates, expected.params)
    close(found.standard_errors, expected.bse)
    assert found.goodness is not None
    close(found.goodness.log_likelihood, expected.llf)


def test_importance_weights_are_not_counts() -> None:
    """The sandwich does not change with the scale of the weights, and is that of statsmodels' var_weights."""
    weights = np.random.default_rng(2).random(len(X)) + 0.1
    expected = sm.GLM(Y, with_ones(X), family=sm.families.Binomial(), var_weights=weights).fit(
        tol=1e-14, cov_type="HC0"
    )
    for scale in (1.0, 1000.0):
        s = scale * weights
        found = LogisticRegression(alpha=0).fit(X, Y, s).inference(X, Y, s, weights="importance", covariance="robust")
        close(found.standard_errors, expected.bse)
        assert found.goodness is not None
        assert found.goodness.observations == len(X)
        assert np.isnan(found.goodness.p_value)


@pytest.mark.parametrize("convert", [sparse.csr_matrix, lambda X: X.astype(np.float32), np.asfortranarray])
@pytest.mark.parametrize("intercept", [True, False])
def test_storage_does_not_matter(convert: Any, intercept: bool) -> None:
    rounded = X.astype(np.float32).astype(np.float64)
    settings: list[dict[str, Any]] = [{}, {"covariance": "robust"}, {"covariance": "clustered", "clusters": CLUSTERS}]
    table = with_ones(rounded) if intercept else rounded
    theirs = [{}, {"cov_type": "HC0"}, {"cov_type": "cluster", "cov_kwds": {"groups": CLUSTERS}}]
    for ours, kind in zip(settings, theirs, strict=True):
        given = convert(rounded)
        model = LogisticRegression(alpha=0, fit_intercept=intercept).fit(given, Y)
        expected = sm.Logit(Y, table).fit(disp=0, tol=1e-14, maxiter=200, **kind)
        close(model.inference(given, Y, **ours).covariance, expected.cov_params(), 1e-7)


def test_columns_of_any_scale() -> None:
    size = np.array([1e9, 1e-9, 1.0])
    found = LogisticRegression(alpha=0).fit(X * size, Y).inference(X * size, Y)
    close(found.standard_errors[:3] * size, MODEL.inference(X, Y).standard_errors[:3], 1e-6)


@pytest.mark.filterwarnings("ignore::linsep.errors.NotCertified")
def test_a_loose_fit_is_polished() -> None:
    big, labels = binary(60_000)
    loose = LogisticRegression(alpha=0, solver="lbfgs", max_iter=5).fit(big, labels)
    found = loose.inference(big, labels)
    assert "standard errors away" in found.notes[0]
    expected = sm.Logit(labels, with_ones(big)).fit(disp=0, tol=1e-14)
    close(found.estimates, expected.params, 1e-7)
    close(found.standard_errors, expected.bse, 1e-7)


@pytest.mark.parametrize("loss", ["squared", "squared_hinge", "exponential"])
def test_sandwich_of_an_m_estimate(loss: str) -> None:
    """H⁻¹ΣggᵀH⁻¹ from the loss itself, with derivatives by differences."""
    model = LinearClassifier(loss, alpha=0).fit(X, Y)
    found = model.inference(X, Y, covariance="robust")
    A, t, h = with_ones(X), np.where(Y == 1, 1.0, -1.0), 1e-6
    d1 = model.model_.objective.loss.d1
    M = t * (A @ found.estimates)
    g = A * (t * d1(M))[:, None]
    H = A.T @ (A * ((d1(M + h) - d1(M - h)) / (2 * h))[:, None])
    assert np.abs(g.sum(axis=0)).max() < 1e-6 * np.abs(g).sum()
    close(found.covariance, np.linalg.solve(H, np.linalg.solve(H, g.T @ g).T), 1e-4)
    assert found.goodness is None


def test_function_of_the_model() -> None:
    assert infer(MODEL.model_, X, Y).names == ("x0", "x1", "x2", "intercept")
    close(infer(MODEL.model_, X, Y).covariance, MODEL.inference(X, Y).covariance)


def test_intervals_cover() -> None:
    """750 intervals of level 0.9 at a truth that is known."""
    random = np.random.default_rng(0)
    truth, inside, z = np.array([1.0, -0.5, 0.2]), 0, 0
    for _ in range(250):
        A = random.standard_normal((150, 2))
        y = (random.random(150) < 1.0 / (1.0 + np.exp(-(A @ truth[:2] + truth[2])))).astype(int)
        found = LogisticRegression(alpha=0).fit(A, y).inference(A, y, level=0.9).intervals
        inside += int(((found[:, 0] < truth) & (truth < found[:, 1])).sum())
        z += 3
    assert 0.86 < inside / z < 0.94
