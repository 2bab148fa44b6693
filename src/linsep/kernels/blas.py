"""SciPy's BLAS: the functions that the kernels call on tiles of matrices."""

from __future__ import annotations

_NAMES = ("dgemm", "dsyrk", "sgemm", "ssyrk")


def pointers() -> tuple[object, ...]:
    """Capsules of the functions. Kernels ask for them at their first product of matrices, not before."""
    from scipy.linalg import cython_blas

    return tuple(cython_blas.__pyx_capi__[name] for name in _NAMES)
