"""Memory at 100,000 rows is bounded by the cache, in a process of its own: all of K would be 80 GB."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("resource", reason="peak memory is read from the operating system, which this one does not offer")

SCRIPT = """
import resource, warnings
import numpy as np
from linsep import KernelSVM

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = rng.standard_normal((100_000, 5), dtype=np.float32)
y = X[:, 0] * X[:, 1] > 0
KernelSVM().fit(X[:200], y[:200])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
KernelSVM(gamma=0.1, alpha=1e-5, cache_size=40, max_iter=150).fit(X, y)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1000)
"""


def test_the_cache_bounds_the_memory() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 40 + 30  # vectors of n numbers, and a copy of X in the order of the solver
