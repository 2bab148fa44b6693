"""Hyperplanes: closed forms and identities in any dimension."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from linsep import Hyperplane, LinearSVM, LogisticRegression
from linsep.errors import InvalidData, InvalidParameter, InvalidType

SEEDS = st.integers(0, 2**32 - 1)


@given(SEEDS, st.integers(1, 12), st.floats(1e-3, 1e3))
def test_distances_projections_reflections(seed: int, d: int, factor: float) -> None:
    random = np.random.default_rng(seed)
    plane, X = Hyperplane(random.standard_normal(d), float(random.standard_normal())), random.standard_normal((7, d))
    feet, images = plane.project(X), plane.reflect(X)
    assert np.allclose(plane.value(feet), 0.0, atol=1e-12)
    assert np.allclose(np.linalg.norm(X - feet, axis=1), np.abs(plane.signed_distance(X)))
    assert np.allclose(plane.signed_distance(images), -plane.signed_distance(X))
    assert np.allclose(plane.reflect(images), X)
    assert np.allclose(plane.project(feet), feet)
    origin = np.zeros((1, d))
    assert plane.distance_from_origin == pytest.approx(abs(plane.signed_distance(origin)[0]))
    assert plane.distance_from_origin == pytest.approx(np.linalg.norm(plane.project(origin)))
    scaled = Hyperplane(factor * plane.normal, factor * plane.offset)
    assert scaled == plane
    assert scaled != -plane
    assert np.allclose(scaled.signed_distance(X), plane.signed_distance(X))
    assert scaled.normalised.norm == pytest.approx(1.0)
    assert np.allclose((-plane).signed_distance(X), -plane.signed_distance(X))
    assert np.allclose(plane.value(sparse.csr_array(X)), plane.value(X))


def test_the_distance_divides_by_the_length_of_the_normal() -> None:
    line = Hyperplane([3.0, 4.0], -10.0)
    assert line.distance_from_origin == 2.0  # 10/5, not 10/10
    assert line.signed_distance([[3.0, 4.0], [2.0, 1.0]]).tolist() == [3.0, 0.0]
    assert line.side([[3.0, 4.0], [2.0, 1.0], [0.0, 0.0]]).tolist() == [1.0, 0.0, -1.0]
    assert Hyperplane([3e300, 4e300], 0.0).norm == pytest.approx(5e300)


def test_of_a_model() -> None:
    X, y = np.random.default_rng(0).standard_normal((40, 3)), np.arange(40) % 2
    for model in (LogisticRegression().fit(X, y), LinearSVM().fit(X, y).model_):
        plane = Hyperplane.of(model)
        assert np.allclose(plane.value(X), model.decision_function(X))
        assert ((plane.value(X) > 0) == (model.predict(X) == 1)).all()
    pair = SimpleNamespace(coef_=np.array([[1.0, 0.0], [0.0, 1.0]]), intercept_=np.array([0.0, 2.0]))
    assert Hyperplane.of(pair) == Hyperplane([-1.0, 1.0], 2.0)
    with pytest.raises(InvalidData, match="boundary"):
        Hyperplane.of(LogisticRegression().fit(X, np.arange(40) % 3))
    with pytest.raises(InvalidType, match="coef_"):
        Hyperplane.of("a line")


def test_refusals_and_freezing() -> None:
    for normal, offset in (([0.0, 0.0], 1.0), ([[1.0]], 0.0), ([np.nan], 0.0), ([1.0], np.inf), ([], 0.0)):
        with pytest.raises(InvalidParameter):
            Hyperplane(normal, offset)  # type: ignore[arg-type]
    for normal, offset in (("abc", 0.0), ([1.0, [2.0]], 0.0), ([1.0], "a"), ([1.0], None)):
        with pytest.raises(InvalidParameter):
            Hyperplane(normal, offset)  # type: ignore[arg-type]
    plane = Hyperplane([1.0, 0.0])  # type: ignore[arg-type]
    with pytest.raises(InvalidData, match="expecting 2 features"):
        plane.value([[1.0]])
    with pytest.raises(ValueError, match="read-only"):
        plane.normal[0] = 2.0
    assert plane != Hyperplane([1.0, 0.0, 0.0])  # type: ignore[arg-type]
    assert plane != "plane"
