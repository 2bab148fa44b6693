"""Offsets are part of the scores: in estimates, errors, and the null model."""

import numpy as np
import pytest
import statsmodels.api as sm

from linsep import LogisticRegression, load
from linsep.errors import InvalidData
from linsep.inference import infer
from tests.inference.cases import binary, with_ones

X, Y = binary()
OFFSET = np.random.default_rng(3).normal(size=len(X))
MODEL = LogisticRegression(alpha=0).fit(X, Y, offset=OFFSET)


def test_equal_to_statsmodels() -> None:
    expected = sm.GLM(Y, with_ones(X), family=sm.families.Binomial(), offset=OFFSET).fit(tol=1e-14)
    found = MODEL.inference(X, Y, offset=OFFSET)
    np.testing.assert_allclose(found.estimates, expected.params, rtol=1e-8)
    np.testing.assert_allclose(found.standard_errors, expected.bse, rtol=1e-6)
    assert found.goodness is not None
    np.testing.assert_allclose(found.goodness.log_likelihood, expected.llf, rtol=1e-10)
    np.testing.assert_allclose(found.goodness.null_log_likelihood, expected.llnull, rtol=1e-8)


def test_the_other_reference_changes_all_signs() -> None:
    first, second = (MODEL.inference(X, Y, offset=OFFSET, reference=c) for c in MODEL.classes_)
    np.testing.assert_allclose(first.estimates, -second.estimates)
    np.testing.assert_allclose(first.standard_errors, second.standard_errors)


def test_softmax_of_two_classes_is_logistic_regression() -> None:
    """Three classes of which the third never competes: its offset is far below."""
    rows, labels = np.vstack((X, X[:5])), np.append(Y, np.full(5, 2))
    known = np.column_stack((np.zeros(len(rows)), np.append(OFFSET, np.zeros(5)), np.full(len(rows), -30.0)))
    known[-5:, 2] = 60.0
    three = LogisticRegression(alpha=1e-3).fit(rows, labels, offset=known)
    found = three.inference(rows, labels, offset=known)
    assert not any("standard errors away" in note for note in found.notes)
    one = found.covariance[: X.shape[1] + 1, : X.shape[1] + 1]
    assert np.isfinite(one).all()


@pytest.mark.parametrize("given", [None, OFFSET + 1.0])
def test_other_offsets_than_those_of_the_fit_are_refused(given: object) -> None:
    with pytest.raises(InvalidData, match="offset is not what the model was fitted to"):
        MODEL.inference(X, Y, offset=given)


def test_a_loaded_model_asks_for_them_too(tmp_path: object) -> None:
    loaded = load(MODEL.save(f"{tmp_path}/m.linsep"))
    with pytest.raises(InvalidData, match="offset"):
        infer(loaded, X, Y)
    np.testing.assert_array_equal(infer(loaded, X, Y, offset=OFFSET).z, MODEL.inference(X, Y, offset=OFFSET).z)
