"""The referee of the benchmarks: its objective against formulas written out, and a real contest on small data."""

from __future__ import annotations

from math import exp, log
from pathlib import Path

import numpy as np
import pytest
from benchmarks.objective import objective
from benchmarks.referee import Contest
from benchmarks.text import Corpus, generate
from benchmarks.types import Data, Fit, Rules, Task
from benchmarks.workloads import WORKLOADS
from scipy import sparse

from benchmarks import records, report, store

LOSSES = {
    "log": lambda z, y: log(1.0 + exp(-(z[0] if y else -z[0]))),
    "hinge": lambda z, y: max(0.0, 1.0 - (z[0] if y else -z[0])),
    "squared_hinge": lambda z, y: max(0.0, 1.0 - (z[0] if y else -z[0])) ** 2,
    "softmax": lambda z, y: log(sum(map(exp, z))) - z[y],
    "crammer_singer": lambda z, y: max(v + (k != y) for k, v in enumerate(z)) - z[y],
}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
def test_objective_is_the_formula(loss: str, storage: type) -> None:
    random = np.random.default_rng(0)
    classes = 3 if loss in ("softmax", "crammer_singer") else 2
    rows = classes if classes > 2 else 1
    X, y = random.normal(size=(40, 5)), random.integers(0, classes, 40)
    w, b = random.normal(size=(rows, 5)), random.normal(size=rows)
    task = Task(loss, 0.7, True, 40, 5, classes, storage is not np.asarray, 1)  # type: ignore[arg-type]
    losses = (LOSSES[loss]((w @ x + b).tolist(), int(k)) for x, k in zip(X, y, strict=True))
    expected = 0.7 * sum(losses) + 0.5 * float((w**2).sum())
    assert objective(task, Data(storage(X), y), Fit(w, b)) == pytest.approx(expected, rel=1e-12)


def test_objective_with_l1() -> None:
    task = Task("log", 0.7, False, 4, 2, 2, False, 1, l1=True)
    data = Data(np.zeros((4, 2)), np.array([0, 1, 0, 1]))
    assert objective(task, data, Fit(np.array([[2.0, -3.0]]), np.zeros(1))) == pytest.approx(0.7 * 4 * log(2.0) + 5.0)


def test_an_answer_to_another_question_is_refused() -> None:
    task = Task("log", 1.0, False, 4, 2, 2, False, 1)
    data = Data(np.ones((4, 2)), np.array([0, 1, 0, 1]))
    with pytest.raises(ValueError, match="an intercept was returned"):
        objective(task, data, Fit(np.ones((1, 2)), np.ones(1)))
    with pytest.raises(ValueError, match="expected"):
        objective(task, data, Fit(np.ones((2, 2)), np.zeros(2)))
    assert objective(task, data, Fit(np.full((1, 2), np.nan), np.zeros(1))) == float("inf")


def test_a_contest_on_small_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two entrants in processes of their own reach one best value; the record and the page say so."""
    monkeypatch.setattr(store, "cache", lambda: tmp_path)
    random = np.random.default_rng(1)
    X = random.normal(size=(400, 4))
    data = Data(X, (X @ np.ones(4) + random.normal(size=400) > 0).astype(np.int64))
    folder = store.prepare("small", lambda: data)
    task = Task("log", 1.0, True, 400, 4, 2, False, 1)
    lines: list[str] = []
    rules = Rules(repeats=1, limit=20.0)
    contest = Contest(task, store.load(folder), folder, rules, lambda line, _: lines.append(line))
    contest.hold(["linsep", "scikit-learn newton-cholesky"])
    assert {run.entrant for run in contest.runs} == {"linsep", "scikit-learn newton-cholesky"}
    assert contest.settled()
    assert min(contest.excess(run) for run in contest.runs) == 0.0
    assert lines
    record = records.workload_record(WORKLOADS["a9a"], contest)
    page = report.markdown({"workloads": {"a9a": record}, "small": {}})
    assert "linsep" in page


def test_generated_text_is_as_described() -> None:
    """Rows of unit length, labels of every class, frequent words and rare ones, the same for the same seed."""
    corpus = Corpus(300, 400, 0, 40.0, 3, 0.3, 0.1, 5)
    X, y = generate(corpus)
    assert X.shape == (300, 400)
    assert set(y) == {0, 1, 2}
    np.testing.assert_allclose(np.sqrt(X.multiply(X).sum(axis=1)), 1.0, rtol=1e-12)
    spread = np.sort(np.bincount(X.indices, minlength=400))
    assert spread[-1] > 20 * max(spread[100], 1)
    again, _ = generate(corpus)
    assert (again != X).nnz == 0
