"""Blocks of the softmax Hessian, all at once and one by one, against products with the Hessian."""

import numpy as np
import pytest

from linsep.data import as_design
from linsep.problem.joint import get
from linsep.problem.joint_problem import JointProblem
from linsep.problem.penalties import L2


@pytest.mark.parametrize("way", ["_blocks_at_once", "_blocks_by_gram"])
@pytest.mark.parametrize("weighted", [False, True])
def test_blocks_are_those_of_the_products(way, weighted):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 4, 40)
    weights = rng.uniform(0.0, 2.0, 40) if weighted else None
    problem = JointProblem(
        design=as_design(X, 1),
        target=y,
        weights=weights,
        penalty=L2(0.0),
        intercept=True,
        loss=get("softmax"),
        n_classes=4,
    )
    point = problem.at(rng.normal(size=problem.shape))
    v = rng.normal(size=problem.shape)
    H = getattr(problem, way)(point.curve).reshape(v.size, v.size)
    np.testing.assert_allclose((H @ v.ravel()).reshape(v.shape), problem.hess_vec(point, v)[0], atol=1e-14)
