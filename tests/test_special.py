"""The functions of linsep.special against SciPy's."""

import numpy as np
import pytest
from scipy import special as truth

from linsep import special
from linsep.quality.intervals import normal_quantile

FAR = np.concatenate([np.linspace(-700.0, 700.0, 20_001), [-1e300, 1e300, 0.0, -0.0, -np.inf, np.inf]])


@pytest.mark.parametrize("name", ["expit", "log_expit"])
def test_of_one_number(name):
    np.testing.assert_allclose(getattr(special, name)(FAR), getattr(truth, name)(FAR), rtol=4e-16, atol=0.0)


def test_logit():
    p = np.concatenate([np.geomspace(1e-300, 0.5, 1001), 1.0 - np.geomspace(1e-16, 0.5, 1001)])
    np.testing.assert_allclose(special.logit(p), truth.logit(p), rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_of_several(name):
    z = np.random.default_rng(0).normal(scale=100.0, size=(500, 7))
    np.testing.assert_allclose(getattr(special, name)(z), getattr(truth, name)(z, axis=1), rtol=1e-13, atol=0.0)
    assert np.isfinite(getattr(special, name)(z + 1e6)).all()


@pytest.mark.parametrize("level", [0.0, 1e-12, 0.1, 0.5, 0.6827, 0.9, 0.95, 0.99, 0.999])
def test_normal_quantile(level):
    assert normal_quantile(level) == pytest.approx(truth.ndtri(0.5 + 0.5 * level), rel=1e-12, abs=1e-15)
