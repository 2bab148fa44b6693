"""Approximate leave-one-out: the score of a row under the fit without it, from the fit with it.

    P(w) = 1/S Σⱼ sⱼ ℓⱼ(zⱼ) + α/2 ‖w‖²,   zⱼ = ⟨xⱼ, w⟩ + b,   H = ∇²P at the minimiser

A row of weight s stands for s copies, one of which is left out: the amount c = min(1, s), times the weight of the
row's class. Without it the loss is a mean over S − c, and (S − c)/S times the new objective is

    P(w) − a ℓᵢ(zᵢ) − a·α/2 ‖w‖²,   a = c/S.

Its gradient at the old minimiser is −a(ℓ′xᵢ + αw), its second derivative A − aℓ″xᵢxᵢᵀ with A = H − aαI (not on b), so
one Newton step and the Sherman–Morrison formula give the left-out score

    z̃ᵢ = zᵢ + a (ℓ′ᵢ hᵢ + tᵢ) / (1 − a ℓ″ᵢ hᵢ),   hᵢ = xᵢᵀA⁻¹xᵢ,   tᵢ = α xᵢᵀA⁻¹w,

exact for the squared loss, whose Newton step is. With K scores ℓ′ is a vector g, ℓ″ a matrix, and

    z̃ = z + a (I − a G ℓ″)⁻¹ (G g + t),   G = (x ⊗ I)ᵀ A⁻¹ (x ⊗ I).

A is the same for all rows where c is; else it takes the mean of c, which changes z̃ − z by a share of 1/S. At most
20,000 rows are looked at, drawn by the seed; where they are many times the unknowns, the mean in H is over them alone.

The hinge: ℓ′ = −yθ with the multipliers θ of the fit, so that rows with θ = 0 keep their score (but for t, what the
larger share of the others does to all). The rest follows from the rows at the kink, which resist any move. Those
exactly at M = 1 are too few to say how much: others arrive there, and some leave, as the weights move. So the 2(d + 1)
different rows nearest to the kink, with all their copies, share its curvature: ℓ″ = 1/(2ε) where |M − 1| ≤ ε, the mean
of ℓ″ over that window. (Equal rows resist in one direction: hundreds of them at the kink would leave the others free.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linsep.errors import Refused
from linsep.model import LinearModel, Objective, Training, problems_of
from linsep.problem.joint_problem import JointProblem
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.problem import Problem
from linsep.problem.reductions import Joint, Reduction
from linsep.selection.leverages import Fitted, Rows, inverse_root, penalised, products, share
from linsep.special import softmax
from linsep.types import FloatArray, IntArray

#: Rows looked at, at most.
MOST_ROWS = 20_000
#: Unknowns up to which a Hessian is formed: of one margin or 1-of-K targets, and of softmax.
MOST_COLUMNS, MOST_JOINT = 3_000, 1_200
#: Multiplications that the leverages may cost, and scores held in all.
_MOST_WORK, _MOST_SCORES = 8e9, 1 << 26
#: 1 − aℓ″h below this is a row that alone decides its score: no linear statement is worth anything.
_LEAST = 1e-8
#: Of the window around the kink.
_LEAST_WIDTH = 1e-9


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Rows, and their scores as left out, (m,) for one score, else (m, k).

    everywhere   the scores of all rows as fitted
    amounts      c for the rows
    extreme      how many of the rows decide their own score (1 − aℓ″h ≈ 0), so that the formula says nothing
    """

    rows: IntArray
    scores: FloatArray
    everywhere: FloatArray
    amounts: FloatArray
    extreme: int = 0

    @property
    def fitted(self) -> FloatArray:
        """The scores of the rows as fitted."""
        return self.everywhere[self.rows]


def refusal(training: Training, objective: Objective) -> str | None:
    """Why left-out scores of such a fit cannot be had from its Hessian, or None."""
    d, scheme, loss = training.design.d, objective.scheme, objective.loss
    if not objective.penalty.ridge:
        return "the penalty is not α/2 ‖w‖² alone: with L1 or bounds the weights at their limits change with the rows"
    if training.offset is not None:
        return "there are offsets"
    if isinstance(scheme, Joint):
        if scheme.loss.name not in ("softmax", "one_of_k"):
            return f"the loss {scheme.loss.name!r} has no second derivative to use"
        unknowns = (d + 1) * (training.n_classes if scheme.loss.name == "softmax" else 1)
        most = MOST_JOINT if scheme.loss.name == "softmax" else MOST_COLUMNS
    else:
        if not loss.convex or not (loss.name == "hinge" or (loss.smooth and loss.offers("d2"))):
            return f"the loss {loss.name!r} has no second derivative, or is not convex"
        if loss.name == "hinge" and objective.alpha == 0.0:
            return "the hinge loss without a penalty has no unique optimum"
        unknowns, most = d + 1, MOST_COLUMNS
    if unknowns > most:
        return f"its Hessian has {unknowns:,} rows, more than {most:,}"
    if scheme.count(training.n_classes) > _MOST_SCORES // 1000:
        return f"there are {scheme.count(training.n_classes):,} problems"
    return None


def copies_left_out(training: Training) -> FloatArray:
    """c: one copy of every row, and all of it where it is less than one."""
    if training.weights is None:
        return np.ones(training.design.n)
    unit = np.ones(training.design.n)
    if training.class_factors is not None:
        unit = training.class_factors[training.labels.codes]
    return np.minimum(training.weights, unit)


def copies(training: Training) -> float:
    """How many rows there are when a row of weight k counts as k, and one of less than 1 as a whole one."""
    if training.weights is None:
        return float(training.design.n)
    amounts, kept = copies_left_out(training), training.weights > 0.0
    return float((training.weights[kept] / amounts[kept]).sum())


def left_out(model: LinearModel, training: Training, *, seed: int = 0, most: int = MOST_ROWS) -> LeftOut:
    """Left-out scores of the rows of a fit, or of a sample of them; refuses where there is no shortcut."""
    reason = refusal(training, model.objective)
    if reason is not None:
        raise Refused(f"left-out scores are not available: {reason}")
    rows = sampled_rows(training, _affordable(training, model.objective, most), seed)
    amounts = copies_left_out(training)
    everywhere = training.design.scores(np.array(model.w))
    scores, extreme = everywhere[rows], 0
    if isinstance(model.objective.scheme, Joint):
        problem = next(problems_of(training, model.objective))
        scores, extreme = _joint_scores(problem, Fitted(model.w, everywhere), Rows(rows, amounts))
    else:
        assert isinstance(model.objective.scheme, Reduction)
        tasks = model.objective.scheme.reduce(training.labels)
        for j, (problem, task) in enumerate(zip(problems_of(training, model.objective), tasks, strict=True)):
            within, at = _within(rows, task.rows)
            every = slice(None) if task.rows is None else task.rows
            fitted = Fitted(model.w[:, j].copy(), everywhere[every, j], model.run.dual[j])
            scores[at, j], wild = _margin_scores(problem, fitted, Rows(within, amounts[every]))
            extreme = max(extreme, wild)
    if scores.shape[1] == 1:
        everywhere, scores = everywhere[:, 0], scores[:, 0]
    return LeftOut(rows, scores, everywhere, amounts[rows], extreme)


def sampled_rows(training: Training, most: int, seed: int) -> IntArray:
    """At most so many of the rows that count, in order, the same for the same seed."""
    n = training.design.n
    rows = np.arange(n) if training.weights is None else np.flatnonzero(training.weights > 0.0)
    if len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))


def _affordable(training: Training, objective: Objective, most: int) -> int:
    """Rows whose leverages, and whose scores, are affordable: at least 1,000."""
    d, k = training.design.d + 1, objective.scheme.count(training.n_classes)
    softmax = isinstance(objective.scheme, Joint) and objective.scheme.loss.name == "softmax"
    work = 2.0 * d * k * k * (d + k) if softmax else 2.0 * d * d
    return int(min(most, max(_MOST_WORK / work, 1000.0), _MOST_SCORES / k))


def _within(rows: IntArray, among: IntArray | None) -> tuple[IntArray, IntArray]:
    """Those of the rows that a problem is about: their places in the problem, and among the rows asked for."""
    if among is None:
        return rows, np.arange(len(rows))
    _, at, within = np.intersect1d(rows, among, assume_unique=True, return_indices=True)
    return within, at


def _margin_scores(problem: Problem, fitted: Fitted, rows: Rows) -> tuple[FloatArray, int]:
    assert isinstance(problem, MarginProblem)
    shares = rows.shares(problem)
    slopes, curves = _derivatives(problem, fitted)
    R = _margin_root(problem, curves, rows)
    z, y, slope = fitted.scores[rows.chosen], problem.target[rows.chosen], slopes[rows.chosen]
    t = problem.design.rows(rows.chosen).scores(problem.alpha * (R @ (R.T @ penalised(fitted.w)))[:, None])[:, 0]
    h = np.zeros(len(z))
    pulls = np.flatnonzero((slope != 0.0) | (curves[rows.chosen] != 0.0))  # no other row's leverage is asked for
    for part, Q in products(problem.design.rows(rows.chosen[pulls]), R):
        h[pulls[part]] = np.einsum("ij,ij->i", Q, Q)
    rest = 1.0 - shares * curves[rows.chosen] * h
    moved = shares * (y * slope * h + t)
    return z + moved / np.maximum(rest, _LEAST), int((rest < _LEAST).sum())


def _derivatives(problem: MarginProblem, fitted: Fitted) -> tuple[FloatArray, FloatArray]:
    """ℓ′ and ℓ″ of every row's margin; at the kink of the hinge −θ and the window's share.

    A fit that was stopped before it had multipliers has those of its margins' signs.
    """
    margins = problem.target * fitted.scores
    if problem.loss.smooth:
        return problem.loss.d1(margins), problem.loss.d2(margins)
    slopes = problem.loss.d1(margins) if fitted.theta is None else -fitted.theta
    distance = np.abs(margins - 1.0)
    width = max(_reach(problem, distance, 2 * (problem.design.d + 1)), _LEAST_WIDTH)
    return slopes, np.where(distance <= width, 0.5 / width, 0.0)


def _reach(problem: MarginProblem, distance: FloatArray, count: int) -> float:
    """The distance within which so many different rows lie, or all that count."""
    rows = np.arange(len(distance)) if problem.weights is None else np.flatnonzero(problem.weights > 0.0)
    # equal rows, and almost no others, have equal products with random numbers
    mark = np.random.default_rng(0).normal(size=problem.design.d + 1)
    looked_at = count
    while True:
        looked_at = min(4 * looked_at, len(rows))
        near = rows[np.argpartition(distance[rows], looked_at - 1)[:looked_at]]
        near = near[np.argsort(distance[near], kind="stable")]
        marks = problem.design.rows(near).scores(mark).astype(np.float32)
        first = np.sort(np.unique(marks, return_index=True)[1])
        if len(first) >= count or looked_at == len(rows):
            return float(distance[near[first[min(count, len(first)) - 1]]])


def _margin_root(problem: MarginProblem, curves: FloatArray, rows: Rows) -> FloatArray:
    if problem.loss.smooth:
        enough, at = rows.enough_of(problem)
        return inverse_root(enough, curves[at] * share(enough), rows.mean(problem))
    near = np.flatnonzero(curves)
    return inverse_root(problem.rows(near), (curves * share(problem))[near], rows.mean(problem))


def _joint_scores(problem: Problem, fitted: Fitted, rows: Rows) -> tuple[FloatArray, int]:
    assert isinstance(problem, JointProblem)
    return _LEAVE_JOINT[problem.loss.name](problem, fitted, rows)


def _one_of_k_scores(problem: JointProblem, fitted: Fitted, rows: Rows) -> tuple[FloatArray, int]:
    """All classes share one A, and ℓ″ = 2I."""
    point_scores = fitted.scores[rows.chosen]
    shares = rows.shares(problem)[:, None]
    R = inverse_root(rows.enough_of(problem)[0], None, rows.mean(problem))
    h, t = np.empty((len(shares), 1)), np.empty_like(point_scores)
    pull = problem.alpha * (R.T @ penalised(fitted.w))
    for part, Q in products(problem.design.rows(rows.chosen), R):
        h[part, 0] = np.einsum("ij,ij->i", Q, Q)
        t[part] = Q @ pull
    g = problem.loss.gradient(point_scores, problem.target[rows.chosen])
    rest = 1.0 - 2.0 * shares * h
    return point_scores + shares * (g * h + t) / np.maximum(rest, _LEAST), int((rest < _LEAST).sum())


def _softmax_scores(problem: JointProblem, fitted: Fitted, rows: Rows) -> tuple[FloatArray, int]:
    size, k = fitted.w.shape
    z = fitted.scores[rows.chosen]
    P = softmax(z)
    g = problem.loss.gradient(z, problem.target[rows.chosen])
    a = rows.shares(problem)
    enough, at = rows.enough_of(problem)
    R = inverse_root(enough, softmax(fitted.scores[at]), rows.mean(problem))
    pull = problem.alpha * (R.T @ penalised(fitted.w).ravel())
    out, extreme = np.empty_like(z), 0
    for part, Q in products(problem.design.rows(rows.chosen), R.reshape(size, -1)):
        B = Q.reshape(len(Q), k, -1)
        G = B @ B.transpose(0, 2, 1)
        p, share = P[part], a[part, None]
        # G (diag p − p pᵀ)
        curved = G * p[:, None, :] - (G @ p[:, :, None]) * p[:, None, :]
        system = np.eye(k) - share[:, :, None] * curved
        moved = share * ((G @ g[part, :, None])[:, :, 0] + B @ pull)
        wild = np.linalg.det(system) < _LEAST
        system[wild] = np.eye(k)
        extreme += int(wild.sum())
        out[part] = z[part] + np.linalg.solve(system, moved[:, :, None])[:, :, 0]
    return out, extreme


_LEAVE_JOINT: dict[str, Callable[[JointProblem, Fitted, Rows], tuple[FloatArray, int]]] = {
    "softmax": _softmax_scores,
    "one_of_k": _one_of_k_scores,
}
