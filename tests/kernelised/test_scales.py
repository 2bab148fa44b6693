"""Kernels of rows of any size and place: γ by the variance, kernels that give sparse values, rounding."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_moons

from linsep import KernelSVM
from linsep.errors import InvalidData, NotCertified
from linsep.kernelised.functions import resolve


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_a_variance_that_float64_cannot_hold(size: float) -> None:
    X, y = make_moons(20, random_state=0)
    with pytest.raises(InvalidData, match="gamma='scale' divides by the variance"):
        KernelSVM().fit(size * X, y)
    assert KernelSVM().fit(np.ones((4, 2)), [0, 1, 0, 1]).certificate_.holds  # equal entries: γ = 1/d


def test_scale_is_the_variance_far_from_zero_too() -> None:
    """With weights or sparse rows, as without: nothing cancels."""
    X = 1e9 + np.random.default_rng(0).standard_normal((30, 2))
    gamma = 1.0 / (2.0 * X.var())
    for rows, weights in ((X, None), (X, np.ones(30)), (sparse.csr_array(X), None), (sparse.csr_array(X), np.ones(30))):
        assert resolve("rbf", rows, weights=weights).gamma == pytest.approx(gamma, rel=1e-6)
    Z = sparse.random_array((30, 4), density=0.3, rng=np.random.default_rng(0), format="csr")
    assert resolve("rbf", Z).gamma == pytest.approx(1.0 / (4.0 * Z.toarray().var()), rel=1e-12)


def test_a_kernel_of_sparse_rows_may_be_sparse() -> None:
    X, y = make_moons(40, random_state=0)
    model = KernelSVM(lambda A, B: A @ B.T).fit(sparse.csr_array(X), y)
    assert np.allclose(model.decision_function(sparse.csr_array(X)), KernelSVM("linear").fit(X, y).decision_function(X))


def test_rounding_that_may_be_all_of_the_objective_certifies_nothing() -> None:
    X = np.random.default_rng(0).standard_normal((60, 2))
    with pytest.warns(NotCertified, match="above the optimum"):
        model = KernelSVM("polynomial", degree=200).fit(X, np.square(X).sum(axis=1) > 1.2)
    assert not model.certificate_.holds
    assert model.certificate_.gap <= model.certificate_.primal
    assert "DOES NOT HOLD" in model.summary()
