"""A limit of time reaches into what a solver does before its first step: the optimum of a sample."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from linsep.data import as_design
from linsep.problem import joint, losses
from linsep.problem.joint_problem import JointProblem
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import Penalty
from linsep.solvers import Solution, Status, crammer_singer, fit_problem
from linsep.solvers.class_proximal import Proximal

#: What each of them does again and again on a sample.
STEPS = {
    "newton": ("newton", "newton_step", "log", 0.0),
    "whitened": ("whitened", "newton_cg_step", "log", 0.0),
    "proximal_newton": ("proximal_newton", "model_at", "log", 1.0),
    "augmented_lagrangian": ("augmented_lagrangian", "AugmentedLagrangian._advance", "hinge", 0.0),
}


def _problem(loss: str, l1_ratio: float) -> MarginProblem:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40_000, 4))
    y = np.where(X @ np.ones(4) + rng.standard_normal(40_000) > 0.0, 1.0, -1.0)
    return MarginProblem(as_design(X, 1), y, None, Penalty(1e-5, l1_ratio), True, losses.get(loss))


def _watched(solver: str, monkeypatch: pytest.MonkeyPatch, look: Callable[[int], None]) -> MarginProblem:
    """A problem for the solver, whose steps on samples are counted: `look` is told which one begins."""
    module, name, loss, l1_ratio = STEPS[solver]
    owner: Any = import_module(f"linsep.solvers.{module}")
    *classes, name = name.split(".")
    for each in classes:
        owner = getattr(owner, each)
    step, taken = getattr(owner, name), []

    def counted(*given: Any) -> Any:
        taken.append(given)
        look(len(taken))
        return step(*given)

    monkeypatch.setattr(owner, name, counted)
    return _problem(loss, l1_ratio)


def _well_begun(cut: Solution, solver: str) -> bool:
    """Far below the loss of weights 0."""
    return bool(cut.certificate.primal < 0.7 * losses.get(STEPS[solver][2]).value(np.zeros(1))[0])


@pytest.mark.parametrize("solver", STEPS)
def test_one_step_a_sample_when_time_is_up(solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    cut = fit_problem(_watched(solver, monkeypatch, taken.append), solver, 1e-9, time_limit=1e-9)
    assert cut.status is Status.TIME_LIMIT
    assert 1 <= len(taken) <= 2  # there are at most two samples
    assert _well_begun(cut, solver)


@pytest.mark.parametrize("solver", STEPS)
def test_ctrl_c_while_a_samples_optimum_is_sought(solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The best weights so far come back, with their gap: not those that the fit began from."""

    def interrupt(step: int) -> None:
        if step == (4 if solver == "augmented_lagrangian" else 2):  # that one keeps what whole samples gave
            raise KeyboardInterrupt

    cut = fit_problem(_watched(solver, monkeypatch, interrupt), solver, 1e-9)
    assert cut.status is Status.INTERRUPTED
    assert cut.steps == 0
    assert _well_begun(cut, solver)
    assert np.isfinite(cut.certificate.gap)


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
