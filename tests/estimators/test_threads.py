"""Fits from any Python thread: BLAS, whose sums depend on its threads, is held to one for each of them."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from linsep import LinearSVM
from linsep.kernels import threads


def counts() -> list[int]:
    return [library.get_num_threads() for library in threads._blas_libraries()]


def held() -> set[int]:
    with threads.single_threaded_blas():
        return set(counts())


def test_blas_is_held_to_one_thread_for_any_python_thread() -> None:
    """threadpoolctl lets one of them alone set it."""
    before = counts()
    with ThreadPoolExecutor(1) as first, ThreadPoolExecutor(1) as second:
        assert held() == first.submit(held).result() == second.submit(held).result() == {1}
    assert counts() == before


@pytest.mark.parametrize("solver", ["dual_cd", "augmented_lagrangian"])
def test_a_fit_in_another_python_thread_has_the_same_bits(solver: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30_000, 5))
    y = X[:, 0] + rng.standard_normal(30_000) > 0.0
    here = LinearSVM(solver=solver).fit(X, y).coef_
    with ThreadPoolExecutor(1) as other:
        assert (other.submit(lambda: LinearSVM(solver=solver).fit(X, y).coef_).result() == here).all()
