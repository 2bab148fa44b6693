"""Each reduction against scikit-learn's wrappers around our binary fits, and a thousand classes."""

from typing import Any

import numpy as np
import pytest
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

from linsep import (
    JointLoss,
    LeastSquaresClassifier,
    LinearClassifier,
    LinearSVM,
    LogisticRegression,
    OneVsOne,
    OutputCodes,
)
from linsep.problem.codes import make_codebook
from tests.estimators.cases import blobs

X, Y = blobs(5, 200, 4)
BINARY: list[Any] = [
    LogisticRegression(alpha=1e-3),
    LinearSVM("squared_hinge", alpha=1e-3),
    LinearSVM(alpha=1e-2),
]


@pytest.mark.parametrize("binary", BINARY, ids=repr)
def test_one_vs_rest(binary: Any) -> None:
    reference = OneVsRestClassifier(binary).fit(X, Y)
    ours = binary.__class__(**{**binary.get_params(), "multiclass": "ovr"}).fit(X, Y)
    assert (ours.predict(X) == reference.predict(X)).all()
    assert np.allclose(ours.decision_function(X), reference.decision_function(X))
    if hasattr(ours, "predict_proba"):
        assert np.allclose(ours.predict_proba(X), reference.predict_proba(X))
    values = [part.primal for part in ours.certificate_.parts]
    assert np.allclose(values, [e.certificate_.primal for e in reference.estimators_])
    assert ours.certificate_.relative_gap == max(part.relative_gap for part in ours.certificate_.parts)


@pytest.mark.parametrize("binary", BINARY, ids=repr)
def test_one_vs_one(binary: Any) -> None:
    reference = OneVsOneClassifier(binary).fit(X, Y)
    ours = binary.__class__(**{**binary.get_params(), "multiclass": "ovo"}).fit(X, Y)
    assert ours.coef_.shape == (10, 4)
    assert np.allclose(ours.coef_, [e.coef_[0] for e in reference.estimators_], atol=1e-7)
    assert (ours.predict(X) == reference.predict(X)).mean() > 0.99  # it breaks ties by other sums
    far = 5.0 * np.random.default_rng(1).standard_normal((500, 4))
    clear = np.sort(reference.decision_function(far), axis=1)[:, -2:] @ [-1, 1] > 0.7  # no tie of votes
    assert clear.sum() > 100
    assert (ours.predict(far) == reference.predict(far))[clear].all()


def test_one_vs_one_by_scores() -> None:
    votes, scores = (
        LogisticRegression(alpha=1e-3, multiclass=OneVsOne(decide=d)).fit(X, Y) for d in ("votes", "scores")
    )
    assert (votes.coef_ == scores.coef_).all()
    far = 5.0 * np.random.default_rng(1).standard_normal((500, 4))
    assert (votes.predict(far) != scores.predict(far)).any()
    assert scores.score(X, Y) > 0.8


def test_codes_are_binary_fits_of_the_columns() -> None:
    ours = LogisticRegression(alpha=1e-3, multiclass=OutputCodes(size=9, seed=5)).fit(X, Y)
    book = make_codebook(5, 9, 5)
    for j, column in enumerate(book.T):
        single = LogisticRegression(alpha=1e-3).fit(X, column[Y])
        assert np.allclose(ours.coef_[j], single.coef_[0])
    assert ours.score(X, Y) > 0.9


def test_one_of_k_is_ridge_regression_on_indicators() -> None:
    from sklearn.linear_model import Ridge

    ours = LeastSquaresClassifier(alpha=1e-2).fit(X, Y)
    reference = Ridge(alpha=0.5 * len(X) * 1e-2).fit(X, np.eye(5)[Y])
    assert np.allclose(ours.coef_, reference.coef_, atol=1e-9)
    assert np.allclose(ours.intercept_, reference.intercept_, atol=1e-9)


def test_softmax_is_scikit_learns() -> None:
    from sklearn.linear_model import LogisticRegression as Reference

    ours = LogisticRegression(alpha=1e-2).fit(X, Y)
    reference = Reference(C=1.0 / (len(X) * 1e-2), tol=1e-10, max_iter=10_000).fit(X, Y)
    assert np.allclose(ours.coef_, reference.coef_, atol=1e-4)
    assert np.allclose(ours.predict_proba(X), reference.predict_proba(X), atol=1e-5)


class Tempered(JointLoss):
    """Half the softmax loss of doubled scores, in NumPy: a user's own K-score loss."""

    convex = True
    probability = False

    def value(self, Z: Any, y: Any) -> Any:
        A = 2.0 * (Z - Z[np.arange(len(y)), y][:, None])
        top = A.max(axis=1)
        return 0.5 * (top + np.log(np.exp(A - top[:, None]).sum(axis=1)))

    def gradient(self, Z: Any, y: Any) -> Any:
        P = np.exp(2.0 * (Z - Z.max(axis=1)[:, None]))
        P /= P.sum(axis=1)[:, None]
        P[np.arange(len(y)), y] -= 1.0
        return P

    def hessian_product(self, Z: Any, y: Any, V: Any) -> Any:
        P = np.exp(2.0 * (Z - Z.max(axis=1)[:, None]))
        P /= P.sum(axis=1)[:, None]
        return 2.0 * P * (V - (P * V).sum(axis=1)[:, None])


def test_a_users_own_joint_loss() -> None:
    # ½ softmax(2Z) at w with α is ½ (softmax(Z') at w' = 2w with α/2)
    ours = LinearClassifier(multiclass=Tempered(), alpha=1e-2).fit(X, Y)
    assert ours.model_.loss == "Tempered"
    assert ours.certificate_.holds
    plain = LogisticRegression(alpha=5e-3).fit(X, Y)
    assert np.allclose(2.0 * ours.coef_, plain.coef_, atol=1e-3)


@pytest.mark.parametrize("scheme", ["softmax", "ovr", "ecoc"])
def test_a_thousand_classes(scheme: str) -> None:
    data, labels = blobs(1000, 2000, 12)
    model = LogisticRegression(multiclass=scheme, alpha=1e-3, tol=1e-2).fit(data, labels)
    assert model.certificate_.holds
    assert len(model.classes_) == 1000
    assert model.decision_function(data[:10]).shape == (10, 1000)
    # twelve features cannot tell most halves of a thousand classes apart: codes are far from the others here
    assert model.score(data, labels) > (0.005 if scheme == "ecoc" else 0.5)
