"""Fits on copies of a few of many sparse columns: the same optima, whatever the way there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from linsep.data import as_design
from linsep.problem import losses
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import Penalty
from linsep.solvers import fit_problem, narrow, proximal_newton
from linsep.solvers.alpha_max import alpha_max
from linsep.solvers.narrow import Narrow, _sampled_hessian
from linsep.solvers.quadratic_model import is_formed
from linsep.solvers.seen import Seen

N, D = 3000, 1300


def words(seed: int = 0) -> tuple[sparse.csr_array, np.ndarray]:
    """Rows of words, frequent ones first; a few of them tell the class."""
    rng = np.random.default_rng(seed)
    often = 0.4 / (1.0 + np.arange(D)) ** 0.7
    X = np.where(rng.random((N, D)) < often, rng.random((N, D)) + 0.5, 0.0)
    signal = X[:, :30] @ rng.normal(size=30) + 0.5 * rng.normal(size=N)
    return sparse.csr_array(X), np.where(signal > np.median(signal), 1.0, -1.0)


def problem(penalty: Penalty, *, intercept: bool = True, threads: int = 1, **more: object) -> MarginProblem:
    X, y = words()
    weights = more.pop("weights", None)
    return MarginProblem(as_design(X, threads), y, weights, penalty, intercept, losses.get("log"), **more)  # type: ignore[arg-type]


def swept(p: MarginProblem, monkeypatch: pytest.MonkeyPatch, tol: float) -> np.ndarray:
    """The optimum by sweeps over packed columns."""
    with monkeypatch.context() as patch:
        patch.setattr(narrow, "MOST", -1)
        return fit_problem(replace(p, design=as_design(p.design.table, 1)), tol=tol).w


PENALTIES = {
    "lasso": Penalty(2e-3, 1.0),
    "weak": Penalty(3e-4, 1.0),
    "elastic": Penalty(2e-3, 0.7),
    "factors": Penalty(2e-3, 1.0, factors=np.where(np.arange(D) == 3, 0.0, 1.0)),
    "bounds": Penalty(2e-3, 1.0, lower=np.zeros(D)),
}


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("name", PENALTIES)
def test_same_optimum_as_by_sweeps(name: str, intercept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    p = problem(PENALTIES[name], intercept=intercept)
    assert not is_formed(p)
    found = fit_problem(p, tol=1e-9)
    assert found.status.certified
    assert found.w == pytest.approx(swept(p, monkeypatch, 1e-9), abs=2e-3)
    assert p.value(found.w, p.scores(found.w)) == pytest.approx(found.certificate.primal, rel=1e-12)
    assert "narrow" in p.design.kept


def test_offsets_and_weights_are_part_of_the_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    p = problem(Penalty(2e-3, 1.0), offset=rng.normal(size=N), weights=rng.random(N))
    found = fit_problem(p, tol=1e-9)
    assert found.status.certified
    assert found.w == pytest.approx(swept(p, monkeypatch, 1e-9), abs=2e-3)


def test_the_same_bits_for_any_number_of_threads() -> None:
    one, two = (fit_problem(problem(Penalty(1e-3, 1.0), threads=t), tol=1e-6) for t in (1, 2))
    assert one.w.tobytes() == two.w.tobytes()
    assert one.certificate == two.certificate


def test_a_path_goes_on_from_the_last_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    p, start = problem(Penalty(1.0, 1.0)), None
    first = 0.5 * alpha_max(p)
    for alpha in first * 0.8 ** np.arange(6):
        here = p.with_alpha(float(alpha))
        found = fit_problem(here, tol=1e-9, start=start)
        assert found.status.certified
        fresh = replace(here, design=as_design(p.design.table, 1))
        assert found.w == pytest.approx(fit_problem(fresh, tol=1e-9).w, abs=2e-3)
        start = found.w


def test_what_is_kept_serves_only_the_same_rows_and_start() -> None:
    p = problem(Penalty(2e-3, 1.0))
    found = fit_problem(p, tol=1e-6)
    assert narrow.recall(p, found.w) is not None
    assert narrow.recall(p, p.zero()) is None
    assert narrow.recall(replace(p, target=-p.target), found.w) is None
    assert narrow.recall(replace(p, weights=np.full(N, 2.0)), found.w) is None
    assert narrow.recall(p.rows(np.arange(100)), found.w) is None


def test_the_sample_has_the_diagonal_of_all_rows() -> None:
    p = problem(Penalty(2e-3, 1.0))
    point, columns = p.at(p.zero()), np.arange(0, D, 20)
    part = Narrow(p, columns, Seen.of(p, p.slopes(point.scores)[1])).problem
    exact, sampled = part.loss_hessian(point.curve), _sampled_hessian(part, point.curve)
    np.testing.assert_allclose(sampled.diagonal(), exact.diagonal(), rtol=1e-12)
    assert (sampled == sampled.T).all()
    assert np.linalg.eigvalsh(sampled).min() > -1e-12
    assert np.abs(sampled - exact)[:4, :4].max() < 0.1 * exact.max()


@pytest.mark.parametrize("name", ["lasso", "elastic", "bounds"])
def test_columns_that_cannot_violate_do_not(name: str) -> None:
    """Slopes seen at one point, against those of all columns at others, near and far."""
    p, rng = problem(PENALTIES[name]), np.random.default_rng(2)
    r = p.slopes(np.zeros(N))[1]
    seen = Seen.of(p, r)
    a, ruled_out = p.penalty.l1(D), 0
    for size in (0.0, 1e-4, 1e-2, 0.1, 1.0):
        other = r + size * np.linalg.norm(r) * rng.normal(size=N) / np.sqrt(N)
        may, slopes = seen.may_violate(p, other), np.abs(p.design.table.T @ other)
        assert (slopes[~may] <= a[~may]).all()
        ruled_out += int((~may).sum())
        assert seen.covers(p, other, np.flatnonzero(may))
        assert not may.any() or not seen.covers(p, other, np.flatnonzero(may)[1:])
    assert ruled_out > D


def test_a_copy_has_every_weight_however_few_columns_it_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns that may violate soon come second: with a weight left out, scores would not be those of the weights."""
    p = problem(Penalty(6e-4, 1.0))
    first = fit_problem(p, tol=1e-4)
    most = int(np.count_nonzero(first.w)) + 25
    for module in (narrow, proximal_newton):
        monkeypatch.setattr(module, "MOST", most)
    here, start = replace(p, design=as_design(p.design.table, 1)), None
    for alpha in 1.5e-3 * 0.9 ** np.arange(10):
        found = fit_problem(here.with_alpha(float(alpha)), tol=1e-6, start=start)
        start = found.w
        assert found.status.certified
        true = here.with_alpha(float(alpha)).value(start, here.scores(start))
        assert found.certificate.primal == pytest.approx(true, rel=1e-12)
    copy = here.design.kept["narrow"].narrow
    assert len(copy.columns) <= most


def test_what_may_violate_first_is_what_is_nearest() -> None:
    p = problem(PENALTIES["lasso"])
    seen = Seen.of(p, p.slopes(np.zeros(N))[1])
    room = (p.penalty.l1(D) - np.abs(seen.g[:-1])).clip(0.0) / np.maximum(seen.norms, 1e-300)
    assert room[seen.nearest(p, 10)].max() <= np.sort(room)[9]


@pytest.mark.parametrize("intercept", [True, False])
def test_bounds_of_a_path_are_those_of_all_columns_though_few_points_look_at_them(
    intercept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, p, start = [], problem(Penalty(1.0, 1.0), intercept=intercept), None
    of = Seen.of.__func__  # type: ignore[attr-defined]
    monkeypatch.setattr(Seen, "of", classmethod(lambda cls, *given: looks.append(1) or of(cls, *given)))
    alphas = 0.9 * alpha_max(p) * 0.95 ** np.arange(30)
    for alpha in alphas:
        here = p.with_alpha(float(alpha))
        found = fit_problem(here, tol=1e-5, start=start)
        start, certificate = found.w, found.certificate
        assert found.status.certified
        assert found.dual is not None
        v = p.design.table.T @ p.pull(found.dual)
        excess = float((np.abs(v) / alpha).max()) - 1.0
        # D(θ) by hand, θ scaled into the constraints of all columns
        theta = found.dual / (1.0 + max(excess, 0.0))
        entropy = np.where(theta > 0.0, theta * np.log(theta), 0.0) + (1.0 - theta) * np.log1p(-theta)
        assert certificate.bound <= -entropy.mean() + 1e-9
        assert certificate.primal >= certificate.bound
        assert abs(p.pull(found.dual).sum()) < 1e-12 or not intercept
    assert len(looks) < len(alphas) / 2
