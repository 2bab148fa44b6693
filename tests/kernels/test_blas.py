"""SciPy's BLAS is fetched at the first product of matrices, and by nothing before it."""

from __future__ import annotations

import subprocess
import sys

import pytest

_BEFORE = """
import sys
import numpy as np
from linsep.data import as_design

random = np.random.default_rng(0)
X, few, many = random.normal(size=(500, 20)), random.normal(size=(21, 2)), random.normal(size=(21, 60))
design = as_design(X, 2)
np.testing.assert_allclose(design.scores(few), X @ few[:-1] + few[-1])
assert "scipy" not in sys.modules
"""

_PRODUCTS = {
    "scores": "np.testing.assert_allclose(design.scores(many), X @ many[:-1] + many[-1])",
    "adjoint": "R = X @ many[:-1]; np.testing.assert_allclose(design.adjoint(R)[:-1], X.T @ R)",
    "gram": (
        "W = random.normal(size=(300, 300))\n"
        "np.testing.assert_allclose(np.triu(as_design(W, 2).gram(np.ones(300)))[:-1, :-1], np.triu(W.T @ W))"
    ),
    "two threads at once": (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(4) as pool: found = list(pool.map(lambda _: design.scores(many), range(8)))\n"
        "for each in found: np.testing.assert_allclose(each, X @ many[:-1] + many[-1])"
    ),
}


@pytest.mark.parametrize("product", _PRODUCTS)
def test_it_is_there_for_the_first_product(product):
    words = f"{_BEFORE}{_PRODUCTS[product]}\nassert 'scipy.linalg.cython_blas' in sys.modules\n"
    subprocess.run([sys.executable, "-c", words], check=True)
