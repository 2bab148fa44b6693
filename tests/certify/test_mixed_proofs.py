"""One-vs-rest with L1 where one problem is proved by its multipliers and the others by their curvature."""

import numpy as np
import pytest

from linsep import LinearClassifier, verify
from linsep.certify import Kind


@pytest.mark.parametrize("seed", range(3))
def test_every_problem_is_verified_by_its_own_proof(seed: int) -> None:
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(60, 6)), random.integers(0, 3, 60)
    X[y == 0, 0] += 8.0
    X[:, 5] = X[:, 5] > 1.5
    model = LinearClassifier("squared_hinge", alpha=1e-4, l1_ratio=1.0, multiclass="ovr", tol=1e-10).fit(X, y)
    assert {part.kind for part in model.certificate_.parts} == {Kind.DUALITY_GAP, Kind.LOCAL_CURVATURE}
    assert verify(model, X, y)
