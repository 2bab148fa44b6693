"""No display, and no figure outlives its test."""

from collections.abc import Iterator

import matplotlib
import pytest

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    from matplotlib import pyplot

    yield
    pyplot.close("all")
