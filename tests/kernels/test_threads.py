"""Same bits for any number of threads, from any thread; how many threads there are; BLAS held to one."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import numpy as np
import pytest

from linsep.errors import InvalidParameter
from linsep.kernels import threads
from linsep.kernels.threads import available_threads, resolve_threads, single_threaded_blas

from .cases import STORAGES, Array, Call, Out, every_variant, loss_calls, pass_calls

SIZABLE = (6000, 30)
READ = ["C-f8", "C-f4", "C-u1", "F-f8", "F-f4", "csr-f8-i4", "csr-f4-i8", "csr half full", "take C", "take F"]


def bits(results: list[Array]) -> list[bytes]:
    return [a.tobytes() for a in results]


@every_variant
@pytest.mark.parametrize("storage", READ)
def test_same_bits_for_any_number_of_threads(native: ModuleType, storage: str) -> None:
    stored = STORAGES[storage](*SIZABLE)
    matrix = stored.matrix(native)
    for call in [*pass_calls(stored.X, 3), Call("scan", (1, Out((SIZABLE[1],))))]:
        for single in [False, True] if call.takes_single else [False]:
            alone = bits(call.native(native, matrix, 1, single))
            for count in (2, 3, 7):
                assert bits(call.native(native, matrix, count, single)) == alone, (str(call), count, single)


@every_variant
def test_same_bits_where_the_gram_matrix_is_large(native: ModuleType) -> None:
    stored = STORAGES["csr-f8-i4"](1024, 600)
    call = Call("gram", (np.ones(1024), None, 1, Out((1, 601, 601))))
    results = [bits(call.native(native, stored.matrix(native), count)) for count in (1, 2, 3, 7)]
    assert results == results[:1] * 4


@every_variant
@pytest.mark.parametrize("kind", ["none", "some zero"])
def test_same_bits_of_the_losses(native: ModuleType, kind: str) -> None:
    for call in loss_calls(40_000, kind):
        alone = bits(call.native(native, None, 1))
        for count in (2, 3, 7):
            assert bits(call.native(native, None, count)) == alone, (str(call), count)


@every_variant
def test_same_bits_when_called_from_several_threads(native: ModuleType) -> None:
    stored = STORAGES["C-f8"](*SIZABLE)
    matrix, calls = stored.matrix(native), list(pass_calls(stored.X, 3))
    alone = [bits(call.native(native, matrix, 1)) for call in calls]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(2):
            assert list(pool.map(lambda call: bits(call.native(native, matrix, 2)), calls)) == alone


def test_every_core_unless_the_environment_says_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    cores = available_threads()
    assert 1 <= cores <= (os.cpu_count() or 1)
    for text, count in {"1": 1, "100000": cores, "": cores, "0": cores, "many": cores}.items():
        monkeypatch.setenv("OMP_NUM_THREADS", text)
        assert available_threads() == count


def test_n_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "available_threads", lambda: 4)
    given = {None: 4, 1: 1, 3: 3, 9: 9, -1: 4, -2: 3, -4: 1, -5: 1, -100: 1, 3_000_000_000: 64}
    assert {n_jobs: resolve_threads(n_jobs) for n_jobs in given} == given


@pytest.mark.parametrize("n_jobs", [0, True, 1.5, "2"])
def test_n_jobs_that_mean_nothing(n_jobs: object) -> None:
    with pytest.raises(InvalidParameter, match="n_jobs="):
        resolve_threads(n_jobs)  # type: ignore[arg-type]


class Library:
    """A BLAS with a thread count."""

    def __init__(self, count: int) -> None:
        self.count = count

    def get_num_threads(self) -> int:
        return self.count

    def set_num_threads(self, count: int) -> None:
        self.count = count


@pytest.fixture
def libraries(monkeypatch: pytest.MonkeyPatch) -> list[Library]:
    found = [Library(8), Library(3)]
    monkeypatch.setattr(threads, "_blas_libraries", lambda: found)
    monkeypatch.setattr(threads, "_depth", 0)
    monkeypatch.setattr(threads, "_saved", [])
    return found


def counts(libraries: list[Library]) -> list[int]:
    return [library.count for library in libraries]


def test_blas_is_held_to_one_thread_and_restored_by_the_last_to_leave(libraries: list[Library]) -> None:
    with single_threaded_blas():
        with single_threaded_blas():
            assert counts(libraries) == [1, 1]
        assert counts(libraries) == [1, 1]
    assert counts(libraries) == [8, 3]


def test_blas_is_restored_after_an_error(libraries: list[Library]) -> None:
    with pytest.raises(KeyError), single_threaded_blas():
        raise KeyError
    assert counts(libraries) == [8, 3]


def test_blas_stays_held_while_any_thread_needs_it(libraries: list[Library]) -> None:
    first, second = single_threaded_blas(), single_threaded_blas()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert counts(libraries) == [1, 1]
    second.__exit__(None, None, None)
    assert counts(libraries) == [8, 3]


def test_the_real_libraries_are_found() -> None:
    """NumPy's and SciPy's, each loaded with a BLAS of its own or sharing one."""
    assert threads._blas_libraries()
    with single_threaded_blas():
        assert {library.get_num_threads() for library in threads._blas_libraries()} == {1}
