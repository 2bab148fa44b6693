"""Fits from any Python thread: BLAS, whose sums depend on its threads, is held to one for each of them."""

import os
import signal
import threading
from collections.abc import Callable
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


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # Python 3.12 on a fork beside threads
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_forked_during_a_fit_fits_too() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20_000, 20)), np.arange(20_000) % 2
    here, ended = LinearSVM().fit(X, y).coef_, threading.Event()

    def fit_on() -> None:
        while not ended.is_set():
            LinearSVM().fit(X, y)

    other = threading.Thread(target=fit_on)
    other.start()
    try:
        for _ in range(4):
            assert in_a_child(lambda: bool((LinearSVM().fit(X, y).coef_ == here).all()))
    finally:
        ended.set()
        other.join()


def in_a_child(answer: Callable[[], bool]) -> bool:
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # a child that waits for ever ends with an error
        os._exit(0 if answer() else 1)
    return os.waitpid(child, 0)[1] == 0
