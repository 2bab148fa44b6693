"""A known part of the scores. With the offset Xv + c the maximum moves by (−v, −c), and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest

from linsep import LogisticRegression, verify
from linsep.errors import InvalidData

RNG = np.random.default_rng(3)
X = RNG.normal(size=(120, 2))
Y = (X[:, 0] + RNG.logistic(size=120) > 0).astype(int)
KINDS = (Y + 2 * (RNG.random(120) < 0.3)) % 3
V, C = np.array([0.7, -0.4]), 0.3
SHIFT = X @ V + C


@pytest.mark.parametrize("penalty", [None, "firth"])
@pytest.mark.parametrize("reference", [0, 1])
def test_two_classes(penalty: str | None, reference: int) -> None:
    sign = 1.0 if reference == 0 else -1.0
    plain = LogisticRegression(alpha=0.0, penalty=penalty).fit(X, Y).inference(X, Y, reference=reference)
    model = LogisticRegression(alpha=0.0, penalty=penalty).fit(X, Y, offset=SHIFT)
    moved = model.inference(X, Y, reference=reference, offset=SHIFT)
    np.testing.assert_allclose(moved.estimates, plain.estimates - sign * np.append(V, C), atol=1e-7)
    np.testing.assert_allclose(moved.standard_errors, plain.standard_errors, rtol=1e-6)
    assert moved.goodness is not None
    assert plain.goodness is not None
    assert moved.goodness.log_likelihood == pytest.approx(plain.goodness.log_likelihood)
    assert penalty == "firth" or verify(model, X, Y, offset=SHIFT).ok


def test_firth_is_stationary_with_its_offset() -> None:
    model = LogisticRegression(penalty="firth").fit(X, Y, offset=SHIFT)
    again = verify(model, X, Y, offset=SHIFT)
    assert again.unknown
    assert again.primal == pytest.approx(model.certificate_.primal)
    plain = LogisticRegression(penalty="firth").fit(X, Y)
    without = verify(plain, X, Y)
    assert {check.name for check in again.checks if not check.passed} == {
        c.name for c in without.checks if not c.passed
    }


def test_more_classes() -> None:
    offset = np.column_stack([0.0 * SHIFT, SHIFT, -SHIFT])
    plain = LogisticRegression(alpha=0.0).fit(X, KINDS).inference(X, KINDS)
    moved = LogisticRegression(alpha=0.0).fit(X, KINDS, offset=offset).inference(X, KINDS, offset=offset)
    known = np.append(V, C)
    np.testing.assert_allclose(moved.estimates, plain.estimates - np.concatenate([known, -known]), atol=1e-6)
    np.testing.assert_allclose(moved.standard_errors, plain.standard_errors, rtol=1e-6)


def test_null_model_has_the_offset() -> None:
    sm = pytest.importorskip("statsmodels.api")
    theirs = sm.Logit(Y, sm.add_constant(X), offset=SHIFT).fit(disp=0, tol=1e-12)
    ours = LogisticRegression(alpha=0.0).fit(X, Y, offset=SHIFT).inference(X, Y, offset=SHIFT)
    assert ours.goodness is not None
    assert ours.goodness.null_log_likelihood == pytest.approx(theirs.llnull)


@pytest.mark.parametrize(("fitted", "given"), [(SHIFT, None), (None, SHIFT), (SHIFT, 2 * SHIFT)])
def test_another_offset_is_refused(fitted: object, given: object) -> None:
    model = LogisticRegression(alpha=0.0).fit(X, Y, offset=fitted)
    with pytest.raises(InvalidData, match="offset is not what the model was fitted to"):
        model.inference(X, Y, offset=given)
