"""The kernels call BLAS from their own threads, with BLAS itself held to one: so do the tests."""

from collections.abc import Iterator

import pytest

from linsep.kernels.threads import single_threaded_blas


@pytest.fixture(autouse=True, scope="package")
def one_blas_thread() -> Iterator[None]:
    with single_threaded_blas():
        yield
