"""A limit of time reaches into what a solver does before its first step: the optimum of a sample."""

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from linsep.data import as_design
from linsep.problem import joint, losses
from linsep.problem.joint_problem import JointProblem
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import Penalty
from linsep.solvers import Status, crammer_singer, fit_problem
from linsep.solvers.class_proximal import Proximal

#: What each of them does again and again on a sample.
STEPS = {
    "newton": ("newton", "newton_step", "log", 0.0),
    "whitened": ("whitened", "newton_cg_step", "log", 0.0),
    "proximal_newton": ("proximal_newton", "model_at", "log", 1.0),
    "augmented_lagrangian": ("augmented_lagrangian", "AugmentedLagrangian._advance", "hinge", 0.0),
}


@pytest.mark.parametrize("solver", STEPS)
def test_one_step_a_sample_when_time_is_up(solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, loss, l1_ratio = STEPS[solver]
    owner: Any = import_module(f"linsep.solvers.{module}")
    *classes, name = name.split(".")
    for each in classes:
        owner = getattr(owner, each)
    step, taken = getattr(owner, name), []

    def counted(*given: Any) -> Any:
        taken.append(given)
        return step(*given)

    monkeypatch.setattr(owner, name, counted)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40_000, 4))
    y = np.where(X @ np.ones(4) + rng.standard_normal(40_000) > 0.0, 1.0, -1.0)
    problem = MarginProblem(as_design(X, 1), y, None, Penalty(1e-5, l1_ratio), True, losses.get(loss))
    cut = fit_problem(problem, solver, 1e-9, time_limit=1e-9)
    assert cut.status is Status.TIME_LIMIT
    assert 1 <= len(taken) <= 2  # there are at most two samples
    assert cut.certificate.primal < 0.7 * losses.get(loss).value(np.zeros(1))[0]


def test_crammer_singer_ends_among_newtons_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[object] = []
    newton = Proximal.newton

    def counted(self: Proximal, *given: Any) -> Any:
        steps.append(given)
        return newton(self, *given)

    monkeypatch.setattr(Proximal, "newton", counted)
    monkeypatch.setattr(crammer_singer, "out_of_time", lambda: True)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2_000, 4))
    codes = (X @ rng.standard_normal((4, 3)) + rng.standard_normal((2_000, 3))).argmax(axis=1)
    problem = JointProblem(as_design(X, 1), codes, None, Penalty(1e-3), True, joint.get("crammer_singer"), 3)
    found = fit_problem(problem, "crammer_singer", 1e-6)
    assert 1 <= len(steps) <= len(found.trace)  # one a step of the solver, and yet they come to the end
    assert found.status.certified
