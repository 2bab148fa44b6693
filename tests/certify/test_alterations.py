"""The verifier notices every alteration, sees through forgeries, and says where there is nothing to verify."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from linsep import LinearClassifier, LogisticRegression, MarginLoss, verify
from linsep.errors import NotCertified
from linsep.problem import losses
from tests.certify.fits import data, failed, unsigned

Array = np.ndarray[Any, Any]
Alteration = Callable[[Any], Any]


def _objective(**changes: Any) -> Alteration:
    return lambda m: replace(m, objective=replace(m.objective, **changes))


def _certificate(**changes: Callable[[Any], Any]) -> Alteration:
    def altered(model: Any) -> Any:
        c = model.certificate
        new = replace(c, **{name: change(getattr(c, name)) for name, change in changes.items()})
        return replace(model, certificate=new)

    return altered


def _weights(row: int, factor: float) -> Alteration:
    def altered(model: Any) -> Any:
        w = model.w.copy()
        w[row, 0] = w[row, 0] * factor + 0.01
        return replace(model, w=w)

    return altered


def _multipliers(model: Any) -> Any:
    return replace(model, run=replace(model.run, dual=tuple(0.9 * theta for theta in model.dual)))


#: Each alteration with the checks of which one must notice it: by fingerprints or by the mathematics.
ALTERATIONS: dict[str, tuple[Alteration, set[str]]] = {
    "a weight": (_weights(0, 1.01), {"coefficients", "objective"}),
    "an intercept": (_weights(-1, 1.01), {"coefficients", "objective"}),
    "a weight is NaN": (_weights(1, np.nan), {"finite"}),
    "alpha": (_objective(alpha=2e-2), {"alpha"}),
    "alpha everywhere": (
        lambda m: _certificate(alpha=lambda a: 2 * a)(_objective(alpha=2e-2)(m)),
        {"parameters", "certificate", "objective"},
    ),
    "loss": (_objective(loss=losses.get("exponential")), {"parameters", "objective"}),
    "no intercept": (_objective(intercept=False), {"parameters", "intercept"}),
    "classes renamed": (lambda m: replace(m, classes=m.classes + 5), {"labels"}),
    "classes swapped": (lambda m: replace(m, classes=m.classes[::-1]), {"labels"}),
    "primal": (_certificate(primal=lambda p: p * 1.001), {"certificate", "objective"}),
    "primal and bound": (
        _certificate(primal=lambda p: p * 0.9, bound=lambda b: b * 0.9),
        {"certificate", "objective"},
    ),
    "bound": (_certificate(bound=lambda b: b + 1e-3), {"certificate", "bound"}),
    "fingerprint of X": (_certificate(fingerprint=lambda f: {**f, "X": "0" * 16}), {"fingerprints"}),
    "multipliers": (_multipliers, {"bound", "tolerance"}),
}


@pytest.mark.parametrize("prepare", [unsigned, lambda model: model], ids=["unsigned", "as fitted"])
@pytest.mark.parametrize("alteration", ALTERATIONS)
@pytest.mark.parametrize("loss", ["log", "squared_hinge", "hinge"])
def test_alterations_of_the_model(loss: str, alteration: str, prepare: Alteration) -> None:
    X, y, s = data()
    model = prepare(LinearClassifier(loss, alpha=1e-2).fit(X, y, s).model_)
    change, expected = ALTERATIONS[alteration]
    assert verify(model, X, y, s)
    verdict = verify(change(model), X, y, s)
    assert not verdict.ok
    assert not verdict.unknown
    assert failed(verdict) & expected, verdict
    assert str(verdict).startswith("NOT verified:")


def test_the_slightest_alteration_of_a_signed_model() -> None:
    """It leaves the certificate true, and is noticed all the same."""
    X, y, s = data(3)
    model = LogisticRegression(alpha=1e-2).fit(X, y, s).model_
    if "coef" not in model.fingerprints:
        pytest.skip("fits record no fingerprint of the weights")
    w = np.nextafter(model.w, np.inf)
    assert verify(unsigned(replace(model, w=w)), X, y, s)
    assert failed(verify(replace(model, w=w), X, y, s)) == {"coefficients"}
    modest = replace(model.certificate, bound=model.certificate.bound - 1e-12)
    assert failed(verify(replace(model, certificate=modest), X, y, s)) == {"certificate"}
    # all margins are below 1, where squared hinge and square are the same
    X, y, s = X / 100.0, y % 2, np.ones(len(y))
    model = LinearClassifier("squared_hinge", alpha=1.0).fit(X, y, s).model_
    renamed = replace(model, objective=replace(model.objective, loss=losses.get("squared")))
    assert verify(unsigned(renamed), X, y, s)
    assert failed(verify(renamed, X, y, s)) == {"parameters"}


# -- forgeries: everything fits together, but for the mathematics -------------------------------------------


def test_a_fit_without_intercept_passed_off_as_one_with() -> None:
    """Its multipliers prove an optimum that a free intercept undercuts: the charge must notice."""
    X, y, s = data()
    model = LinearClassifier("squared_hinge", alpha=1e-2, fit_intercept=False).fit(X, y, s).model_
    forged = unsigned(replace(model, objective=replace(model.objective, intercept=True)))
    assert failed(verify(forged, X, y, s)) == {"bound", "tolerance"}


def test_multipliers_outside_their_domain() -> None:
    """The squared loss has the same conjugate as the squared hinge, and multipliers of both signs."""
    X, y, s = data()
    model = LinearClassifier("squared", alpha=1e-2).fit(X, y, s).model_
    margins = (2 * y - 1) * model.decision_function(X)
    P = float(s @ np.maximum(1 - margins, 0) ** 2 / s.sum() + 0.005 * (model.coef**2).sum())
    assert model.certificate.bound > P
    forged = replace(
        unsigned(model),
        objective=replace(model.objective, loss=losses.get("squared_hinge")),
        certificate=replace(unsigned(model).certificate, primal=P, bound=P),
    )
    assert failed(verify(forged, X, y, s)) == {"bound", "tolerance"}


@pytest.mark.parametrize("loss", ["log", "exponential"])
def test_no_optimum_passed_off_as_one(loss: str) -> None:
    """Separable rows without a penalty: far out the gradient vanishes, but there is no optimum."""
    X, y, s = data()
    X = X + 50.0 * y[:, None]
    model = LinearClassifier(loss, alpha=1e-6).fit(X, y, s).model_
    W = model.w * 30.0
    margins = (2 * y - 1) * (X @ W[:-1, 0] + W[-1, 0])
    P = float(s @ losses.get(loss).value(margins)) / float(s.sum())
    forged = replace(
        unsigned(model),
        w=W,
        objective=replace(model.objective, alpha=0.0),
        certificate=replace(unsigned(model).certificate, primal=P, bound=P * (1 - 1e-6), alpha=0.0),
    )
    assert failed(verify(forged, X, y, s)) == {"bound", "tolerance"}


@pytest.mark.parametrize("multiclass", ["softmax", "ovr", "ovo", "ecoc"])
def test_alterations_with_more_classes(multiclass: str) -> None:
    X, y, s = data(3)
    model = unsigned(LinearClassifier("log", alpha=1e-2, multiclass=multiclass).fit(X, y, s).model_)
    assert verify(model, X, y, s)
    w = model.w.copy()
    w[0] += [0.0, 0.0, 0.1]
    assert "objective" in failed(verify(replace(model, w=w), X, y, s))
    certificate = model.certificate
    if certificate.parts:
        better = replace(certificate.parts[1], bound=certificate.parts[1].bound + 1e-3)
        parts = (certificate.parts[0], better, *certificate.parts[2:])
        lied = replace(model, certificate=replace(certificate, parts=parts))
        assert "bound" in failed(verify(lied, X, y, s))
        total = replace(model, certificate=replace(certificate, primal=certificate.primal + 0.1))
        assert failed(verify(total, X, y, s)) == {"parts"}


def test_alterations_of_the_data() -> None:
    X, y, s = data(3)
    model = LogisticRegression(alpha=1e-2).fit(X, y, s)
    assert verify(model, X, y, s)
    for altered in (X + 1e-9 * (X[5, 2] == X), X[::-1], X[:, ::-1], np.where(X[0, 0] == X, np.nan, X)):
        assert failed(verify(model, altered, y, s)) == {"data"}
    swapped = y.copy()
    swapped[[3, 4]] = [(y[3] + 1) % 3, (y[4] + 1) % 3]
    assert failed(verify(model, X, swapped, s)) == {"labels"}
    assert failed(verify(model, X, y + 7, s)) == {"labels"}
    assert failed(verify(model, X, y.astype(str), s)) == {"labels"}
    assert failed(verify(model, X, y, None)) == {"sample_weight"}
    assert failed(verify(model, X, y, s * 2.0)) == {"sample_weight"}
    assert failed(verify(model, X, y, s[1:])) == {"shape"}
    assert failed(verify(model, X[1:], y[1:], s[1:])) == {"shape"}
    assert failed(verify(model, X[:, 1:], y, s)) == {"shape"}
    assert failed(verify(model, X, y[1:], s)) == {"shape"}
    assert failed(verify(model, X[0], y, s)) == {"shape"}


def test_altered_class_weights() -> None:
    X, y, _ = data(3)
    model = LogisticRegression(alpha=1e-2, class_weight="balanced").fit(X, y)
    assert verify(model, X, y)
    assert failed(verify(model.set_params(class_weight=None), X, y)) == {"sample_weight"}


def test_only_fitted_models() -> None:
    X, y, _ = data()
    with pytest.raises(TypeError, match="fitted"):
        verify(LogisticRegression(), X, y)


# -- what cannot be proved ----------------------------------------------------------------------------------


class Quartic(MarginLoss):
    convex = True

    def value(self, M: Array) -> Array:
        return np.asarray((1 - M) ** 4)

    def d1(self, M: Array) -> Array:
        return np.asarray(-4 * (1 - M) ** 3)

    def d2(self, M: Array) -> Array:
        return np.asarray(12 * (1 - M) ** 2)


def test_a_loss_of_the_users_own_is_unknown() -> None:
    X, y, _ = data()
    verdict = verify(LinearClassifier(Quartic(), alpha=1.0).fit(X / 10.0, y), X / 10.0, y)
    assert not verdict
    assert verdict.unknown
    assert "Quartic" in str(verdict)
    assert "user's own" in str(verdict)


def test_a_loss_that_is_not_convex_is_unknown() -> None:
    X, y, _ = data()
    model = LinearClassifier("sigmoid", alpha=1e-2).fit(X, y)
    verdict = verify(model, X, y)
    assert not verdict
    assert verdict.unknown
    assert "not convex" in str(verdict)
    assert verdict.primal == pytest.approx(model.certificate_.primal, rel=1e-12)
    w = model.model_.w + 0.1
    assert not verify(replace(model.model_, w=w), X, y).unknown


def test_a_model_that_was_not_certified_says_so() -> None:
    X, y, _ = data()
    with pytest.warns(NotCertified):
        model = LogisticRegression(alpha=1e-6, max_iter=1).fit(X, y)
    verdict = verify(model, X, y)
    assert not verdict
    if np.isfinite(model.certificate_.bound):
        assert failed(verdict) == {"tolerance"}
    else:
        assert verdict.unknown
        assert "not certified" in str(verdict)


def test_kinks_without_multipliers_are_unknown() -> None:
    X, y, s = data()
    model = LinearClassifier("hinge", alpha=1e-2).fit(X, y, s).model_
    bare = replace(model, run=replace(model.run, dual=(None,)))
    verdict = verify(bare, X, y, s)
    assert verdict.unknown
    assert "multipliers" in str(verdict)
