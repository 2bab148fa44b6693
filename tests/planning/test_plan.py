"""Plans by counts: the solver that runs and why, work that grows as it should, memory that holds, nothing changed."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris

from linsep import LeastSquaresClassifier, LinearClassifier, LinearSVM, LogisticRegression
from linsep.data.source import as_design
from linsep.errors import InvalidData, InvalidParameter, Refused
from linsep.planning import plan as plan_module
from linsep.planning.memory import ROOM
from linsep.planning.plan import AROUND, expected_seconds
from linsep.planning.table import TABLE as TYPICAL
from linsep.planning.trial import SHARE, Trial, run_trial
from linsep.planning.work import UNITS, Size
from linsep.problem import losses
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import L2
from linsep.solvers.base import Goal
from linsep.solvers.newton import Newton
from linsep.solvers.table import SOLVERS, TABLE

X, y = load_iris(return_X_y=True)
ESTIMATORS = [
    LogisticRegression(),
    LogisticRegression(multiclass="ovr"),
    LogisticRegression(multiclass="ovo"),
    LogisticRegression(multiclass="ecoc"),
    LinearSVM(),
    LinearSVM("squared_hinge"),
    LinearSVM(multiclass="crammer_singer"),
    LeastSquaresClassifier(),
    LinearClassifier("sigmoid"),
    LinearClassifier("exponential", multiclass="ovr"),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
def test_the_planned_solver_is_the_one_that_runs(estimator: Any, storage: Any) -> None:
    plan = estimator.plan(storage(X), y)
    assert not hasattr(estimator, "model_")
    fitted = type(estimator)(**estimator.get_params()).fit(storage(X), y)
    assert plan.solver == fitted.model_.solver
    assert plan.why in {row.when for row in TABLE if row.solver == plan.solver}
    assert plan.size.problems == len(fitted.model_.run.traces)
    assert 0.0 < plan.seconds.low < plan.seconds.expected < plan.seconds.high < np.inf
    assert 0.0 < plan.memory.low < plan.memory.expected < plan.memory.high < np.inf


@pytest.mark.parametrize("d", [50, 1200, 4000])
@pytest.mark.parametrize("loss", ["log", "hinge", "squared"])
def test_wide_data_take_another_line_of_the_table(d: int, loss: str) -> None:
    rng = np.random.default_rng(0)
    data = sparse.random_array((300, d), density=0.01, format="csr", rng=rng)
    model = LinearClassifier(loss, alpha=1e-1)
    labels = np.arange(300) % 2
    assert model.plan(data, labels).solver == model.fit(data, labels).model_.solver


def test_a_plan_changes_nothing() -> None:
    planned, other = LogisticRegression(), LogisticRegression()
    planned.plan(X, y)
    assert np.array_equal(planned.fit(X, y).coef_, other.fit(X, y).coef_)
    model = planned.model_
    planned.plan(X, y)
    assert planned.model_ is model


def test_a_solver_by_name() -> None:
    plan = LogisticRegression(solver="lbfgs").plan(X, y)
    assert (plan.solver, plan.why) == ("lbfgs", "asked for by name")


def test_what_fit_refuses_the_plan_refuses() -> None:
    with pytest.raises(InvalidParameter):
        LogisticRegression(alpha=-1.0).plan(X, y)
    with pytest.raises(InvalidData):
        LogisticRegression().plan(np.full((4, 2), np.nan), [0, 1, 0, 1])
    with pytest.raises(Refused):
        LinearClassifier("perceptron").plan(X, y)
    with pytest.raises(Refused):
        LinearSVM(solver="newton").plan(X, y)
    with pytest.raises(InvalidParameter, match="loss of LinearSVM"):
        LinearSVM("log").plan(X, y)
    with pytest.raises(InvalidParameter, match="unknown solver"):
        LogisticRegression(solver="newtn").plan(X, y)


def test_units_of_work() -> None:
    dense = Size(1000, 20, 20_000, False, scores=3, problems=2)
    assert dict(zip(UNITS, dense.work.tolist(), strict=True)) == {
        "call": 2.0,
        "row": 2 * 1020 * 3,
        "dense": 2 * 60_000,
        "sparse": 0.0,
        "gram": 2 * 3 * 1000 * 400,
        "scatter": 0.0,
        "cube": 2 * 3 * 8000,
    }
    thin = Size(1000, 5000, 20_000, True)
    assert dict(zip(UNITS, thin.work.tolist(), strict=True)) == {
        "call": 1.0,
        "row": 6000.0,
        "dense": 0.0,
        "sparse": 20_000,
        "gram": 0.0,
        "scatter": 0.0,
        "cube": 0.0,
    }


def test_every_solver_has_typical_counts_and_room() -> None:
    assert set(ROOM) == set(SOLVERS)
    assert {solver for solver, _ in TYPICAL} <= set(SOLVERS)
    for counts in TYPICAL.values():
        assert len(counts.counts) == len(UNITS)
        assert min(counts.counts) >= 0.0
        assert 0.0 <= counts.trust <= 1.0
        assert counts.unended >= 1.0
        assert counts.spread > 1.0


@pytest.mark.parametrize("solver", sorted(SOLVERS))
def test_more_rows_take_longer_and_more_room(solver: str) -> None:
    sizes = [Size(n, 40, 40 * n, False, hardness=1e4) for n in (10_000, 100_000, 1_000_000)]
    seconds = [expected_seconds(solver, size, None, 1).expected for size in sizes]
    assert seconds == sorted(seconds)


def test_a_machine_twice_as_fast_takes_half_as_long(speeds: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    size = Size(50_000, 30, 1_500_000, False, hardness=1e4)
    slow = expected_seconds("newton", size, None, 1).expected
    monkeypatch.setattr(plan_module, "speeds", lambda _: speeds / 2.0)
    assert expected_seconds("newton", size, None, 1).expected == pytest.approx(slow / 2.0)


def test_speeds_are_those_of_the_threads_that_the_fit_would_have(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(plan_module, "speeds", lambda threads: asked.append(threads) or np.full(len(UNITS), 1e-9))
    many, labels = np.tile(X, (2000, 1)), np.tile(y, 2000)  # few rows have one thread, whatever is asked
    LogisticRegression(n_jobs=1).plan(many, labels)
    LogisticRegression(n_jobs=3).plan(many, labels)
    assert asked == [1, 3]


def test_a_trial_corrects_as_far_as_it_is_trusted() -> None:
    size = Size(50_000, 30, 1_500_000, False, hardness=1e4)
    sample = replace(size, rows=2000, entries=60_000)
    around = AROUND * float(plan_module.speeds(1)[0])
    first, second = (expected_seconds("newton", size, Trial(sample, s, True), 1).expected - around for s in (0.1, 0.2))
    assert second / first == pytest.approx(2.0 ** TYPICAL["newton", False].trust)
    late = expected_seconds("newton", size, Trial(sample, 0.2, False), 1).expected
    assert late >= second


def test_a_small_alpha_is_dear_on_wide_rows() -> None:
    """More than e to the exponents has it, and only where no XᵀcX is formed."""
    wide, narrow = (Size(20_000, d, 1_000_000, True, hardness=1e3) for d in (30_000, 300))
    assert (wide.steepness, narrow.steepness) == (0.0, 0.0)
    assert replace(narrow, hardness=1e8).steepness == 0.0
    assert replace(wide, hardness=np.exp(14.0)).steepness == pytest.approx(4.0)
    easy, hard = (
        expected_seconds("dual_cd", replace(wide, hardness=np.exp(h)), None, 1).expected for h in (10.0, 14.0)
    )
    counts = TYPICAL["dual_cd", False]
    around = AROUND * float(plan_module.speeds(1)[0])
    assert (hard - around) / (easy - around) == pytest.approx(np.exp(4.0 * (counts.steep + counts.exponents[0])))


def test_a_tiny_fit_costs_what_is_around_it() -> None:
    size = Size(50, 3, 150, False, hardness=1.0)
    assert expected_seconds("least_squares", size, None, 1).expected > AROUND * float(plan_module.speeds(1)[0])


def test_a_trial_takes_few_rows() -> None:
    rng = np.random.default_rng(0)
    problem = MarginProblem(
        as_design(rng.normal(size=(40_000, 20)), 2), np.sign(rng.normal(size=40_000)), None, L2(1e-2), True,
        loss=losses.get("log"),
    )  # fmt: skip
    trial = run_trial(problem, Newton, Size(40_000, 20, 800_000, False), Goal(1e-4, False))
    assert trial is not None
    assert trial.ended
    assert trial.size.rows == 10_000 == 40_000 // SHARE
    assert trial.size.entries == 200_000
    few = problem.rows(np.arange(100))
    assert run_trial(few, Newton, Size(100, 20, 2000, False), Goal(1e-4, True)) is None


@pytest.mark.parametrize(
    ("model", "storage"),
    [
        (LogisticRegression(), np.asarray),
        (LinearSVM(), np.asarray),
        (LeastSquaresClassifier(), sparse.csr_matrix),
        (LogisticRegression(), lambda X: pd.DataFrame(X).astype("int32")),
    ],
)
@pytest.mark.parametrize("classes", [2, 5])
def test_memory_stays_within_the_range(model: Any, storage: Any, classes: int) -> None:
    rng = np.random.default_rng(0)
    data = storage(rng.integers(-3, 4, size=(20_000, 30)).astype(float))
    labels = rng.integers(0, classes, 20_000)
    plan = model.plan(data, labels)
    model.fit(data, labels)  # what a first fit loads
    tracemalloc.start()
    model.fit(data, labels)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert plan.memory.low / 1.5 <= peak <= plan.memory.high


@pytest.mark.parametrize("alpha", [5e-3, 1e-3, 5e-4])
def test_memory_of_an_interior_point(alpha: float) -> None:
    """The hinge loss with L1 on many sparse columns: from no matrix to one of thousands of columns."""
    data = sparse.random(2000, 5000, density=0.01, format="csr", random_state=0)
    rng = np.random.default_rng(0)
    scores = data @ (rng.normal(size=5000) * (rng.random(5000) < 0.05))
    labels = scores + scores.std() * rng.normal(size=2000) > 0
    model = LinearSVM(alpha=alpha, l1_ratio=1.0)
    plan = model.plan(data, labels)
    tracemalloc.start()
    model.fit(data, labels)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert plan.memory.low / 1.5 <= peak <= plan.memory.high


def test_words() -> None:
    text = str(LogisticRegression(time_limit=1e-9).plan(X, y))
    assert "data      150 rows, 4 columns (dense), 4.8 kB, 3 scores a row" in text
    assert "solver    newton: K scores, up to 150 weights" in text
    assert "seconds   about " in text
    assert "memory    about " in text
    assert "time_limit=1e-09 may end it" in text
    many = LogisticRegression(multiclass="ovo").plan(sparse.csr_matrix(X), y)
    assert "entries, sparse" in str(many)
    assert "3 problems" in str(many)
