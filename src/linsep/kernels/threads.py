"""Threads: how many we use, and BLAS held to one while our own threads work.

Threaded BLAS gives other last bits for another number of threads, so inside `single_threaded_blas` every
BLAS in the process runs on one thread. Finding the libraries is slow and is done once; setting their
thread count is one C call each.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import product
from numbers import Integral
from typing import Any

from linsep.errors import InvalidParameter
from linsep.kernels import blas

#: More threads than this, and than there are cores, are not started, whoever asks for them.
_MOST = 64

_lock = threading.Lock()
_depth = 0
_saved: list[int] = []

if hasattr(os, "register_at_fork"):  # no child is born while another thread has the lock
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


def available_threads() -> int:
    """The cores this process may use, bounded by ``OMP_NUM_THREADS`` if that is set."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    limit = os.environ.get("OMP_NUM_THREADS", "")
    return min(cores, int(limit)) if limit.isdigit() and int(limit) > 0 else cores


def resolve_threads(n_jobs: int | None) -> int:
    """None: every core available; k > 0: at most k, however large; −k: all but k − 1."""
    if n_jobs is None:
        return available_threads()
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise InvalidParameter(
            f"n_jobs={n_jobs!r}: give a whole number of threads, None for every core, or -1, -2, … for all but 0, 1, …"
        )
    cores = available_threads()
    return min(int(n_jobs), max(cores, _MOST)) if n_jobs > 0 else max(1, cores + 1 + int(n_jobs))


@dataclass(frozen=True)
class _Library:
    """A BLAS of this process."""

    get_num_threads: Callable[[], int]
    set_num_threads: Callable[[int], object]


@cache
def _blas_libraries() -> list[_Library]:
    from threadpoolctl import ThreadpoolController  # a prediction needs none of this

    blas.pointers()  # SciPy's own must be loaded to be found
    found = [lib for lib in ThreadpoolController().lib_controllers if lib.user_api == "blas"]
    return [_Library(lib.get_num_threads, _setter(lib)) for lib in found]


def _setter(lib: Any) -> Callable[[int], object]:
    """OpenBLAS's own function where it has one pool for the process: threadpoolctl's obeys the first Python thread that
    ever called it, and does nothing, silently, for all others."""
    if lib.internal_api == "openblas" and lib.threading_layer != "openmp":
        for prefix, suffix in product(("", "scipy_"), ("", "64_", "_64")):
            own: Callable[[int], object] | None = getattr(lib.dynlib, f"{prefix}openblas_set_num_threads{suffix}", None)
            if own is not None:
                return own
    setter: Callable[[int], object] = lib.set_num_threads
    return setter


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Within it, and for every thread of the process, BLAS uses one thread; restored by the last to leave."""
    global _depth
    with _lock:
        if _depth == 0:
            _saved[:] = [lib.get_num_threads() for lib in _blas_libraries()]
            for lib in _blas_libraries():
                lib.set_num_threads(1)
        _depth += 1
    try:
        yield
    finally:
        with _lock:
            _depth -= 1
            if _depth == 0:
                for lib, count in zip(_blas_libraries(), _saved, strict=True):
                    lib.set_num_threads(count)
