"""Nothing is copied where a kernel reads in place: the peak memory of a fit, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("resource", reason="peak memory is read from the operating system, which this one does not offer")

SCRIPT = """
import resource
import numpy as np
from scipy import sparse
from linsep import LogisticRegression, LinearSVM

rng = np.random.default_rng(0)
X = {data}
y = np.arange(X.shape[0]) % 3 == 0
LogisticRegression().fit(X[:2000], y[:2000])                 # what a first fit loads
size = X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
{estimator}.fit(X, y)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print((after - before) * 1024 / size)
"""

DENSE = "rng.standard_normal((400_000, 54), dtype=np.float32)"
WIDE = "sparse.random_array((20_000, 30_000), density=0.004, format='csr', dtype=np.float32, rng=rng)"
#: A row has little more to it than the numbers that a fit keeps for every row.
THIN = "sparse.random_array((400_000, 54), density=0.2, format='csr', dtype=np.float32, rng=rng)"


@pytest.mark.parametrize(
    ("data", "estimator", "share"),
    [
        (DENSE, "LogisticRegression(alpha=1e-4, n_jobs=2)", 0.5),
        (f"np.asfortranarray({DENSE})", "LogisticRegression(alpha=1e-4, n_jobs=2)", 0.5),
        ("rng.integers(0, 255, (400_000, 108), dtype=np.uint8)", "LogisticRegression(alpha=1e-4)", 1.0),
        (WIDE, "LogisticRegression(alpha=1e-4, fit_intercept=False)", 1.0),
        (WIDE, "LinearSVM(alpha=1e-4)", 1.0),
        (THIN, "LogisticRegression(alpha=1e-2)", 1.0),
    ],
    ids=["dense", "fortran", "uint8", "csr-log", "csr-hinge", "csr-thin"],
)
def test_peak_memory_of_a_fit(data: str, estimator: str, share: float) -> None:
    script = textwrap.dedent(SCRIPT).format(data=data, estimator=estimator)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout.strip().splitlines()[-1]) <= share
