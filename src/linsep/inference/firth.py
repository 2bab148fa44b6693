"""Firth's logistic regression: maximise l(θ) + ½ ln det I(θ), Jeffreys' prior on the weights.

    modified score  U*(θ) = Σ (sᵢ(yᵢ − pᵢ) + hᵢ(½ − pᵢ)) xᵢ,     hᵢ = sᵢ pᵢ(1 − pᵢ) xᵢᵀ I(θ)⁻¹ xᵢ

The correction takes away the bias of order 1/n of the maximum likelihood estimate, and the estimate is finite for
separated data too, because det I falls to 0 as the weights grow. The criterion is not concave, so a maximum is local as
far as can be proved, though others are looked for (inference/elsewhere.py): the certificate
is of the kind STATIONARY, and its gradient is that of the whole objective.

Where columns depend on each other (always if they outnumber the rows) det I = 0 for all weights, but the scores still
have an estimate: the prior does not depend on how they are parametrised. So w = Vβ, V an orthonormal basis of the
shortest weights for every choice of scores, and I is the information on (β, b). The w returned is what a vanishing L2
penalty would choose.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from math import inf

import numpy as np

from linsep.certify import Certificate, Kind
from linsep.data.source import as_design
from linsep.errors import Refused
from linsep.inference import rank
from linsep.inference.criterion import Ascent, Criterion, Place, ascend
from linsep.inference.elsewhere import highest
from linsep.inference.sample import Sample
from linsep.inference.terms import Margins, Terms
from linsep.model import Correction, Effort, LinearModel, Objective, Training, Watch
from linsep.model.fit import as_model
from linsep.problem.linear_algebra import factor
from linsep.problem.losses import Log
from linsep.solvers import Record, Solution, Status
from linsep.types import FloatArray

#: Weights up to which the information is formed in every step.
MOST = 3000
#: Weights up to which Newton's method has the second derivative of ln det I as well, which costs a pass for each.
_EXACT = 100
_STEPS = 1000


@dataclass(frozen=True, eq=False)
class Firth(Criterion):
    """l(θ) + ½ ln det I(θ) for two classes and the log loss."""

    concave = False

    def at(self, theta: FloatArray) -> Place:
        sample = self.sample
        terms = sample.terms(theta)
        information = sample.information(terms)
        found = factor(information.copy())
        score = sample.score(terms)
        if found.lower is None:  # so far out that det I = 0 in float64: no step ends here
            return Place(theta, -inf, score, information, terms)
        determinant = 2.0 * float(np.log(found.lower.diagonal()).sum())
        value = float(sample.counts @ terms.value) + 0.5 * determinant
        root = np.zeros((sample.design.d + 1, sample.size))
        root[: sample.width] = found.inverse_root()
        with np.errstate(over="ignore", invalid="ignore"):
            rows = _Rows.at(sample, terms, sample.design.scores(root))
            pull = sample.design.adjoint(rows.leverages * rows.half_minus_p)[: sample.width]
            steep = information - rows.second_derivative(sample) if sample.size <= _EXACT else None
        if not np.isfinite(pull).all() or (steep is not None and not np.isfinite(steep).all()):  # nor here
            return Place(theta, -inf, score, information, terms)
        return Place(theta, value, score + pull, information, terms, steep)


@dataclass(frozen=True, eq=False)
class _Rows:
    """What each row contributes to ½ ln det I: with v = s p(1 − p), q = xᵀI⁻¹x and xᵀI⁻¹ᐟ² in `spread`,

    gradient           ½ Σ q v′ x = Σ h (½ − p) x,  h = qv
    second derivative  ½ Σ q v″ xxᵀ − ½ Σₐᵦ tₐᵦ tₐᵦᵀ,  tₐᵦ = Σ v′ (xI⁻¹ᐟ²)ₐ (xI⁻¹ᐟ²)ᵦ x
    """

    spread: FloatArray
    leverages: FloatArray
    half_minus_p: FloatArray
    variance: FloatArray  # p(1 − p)
    counts: FloatArray

    @classmethod
    def at(cls, sample: Sample, terms: Terms, spread: FloatArray) -> _Rows:
        variance = terms.curvature(0, 0)
        leverages = sample.counts * variance * np.einsum("ij,ij->i", spread, spread)
        return cls(spread, leverages, _half_minus_p(terms.slopes[:, 0]), variance, sample.counts)

    def second_derivative(self, sample: Sample) -> FloatArray:
        v1 = 2.0 * self.counts * self.variance * self.half_minus_p
        first = sample.gram(0.5 * self.leverages * (1.0 - 6.0 * self.variance))
        parts = [sample.design.adjoint((v1 * u)[:, None] * self.spread)[: sample.width] for u in self.spread.T]
        t = np.concatenate(parts, axis=1)
        return first - 0.5 * t @ t.T


def _half_minus_p(slopes: FloatArray) -> FloatArray:
    """½ − p from y − p, which is positive where y = 1; where it is rounded to 0, so is the leverage."""
    return np.where(slopes > 0.0, slopes - 0.5, slopes + 0.5)


def firth_sample(training: Training, *, intercept: bool) -> Sample:
    """Two classes, the first being the reference."""
    counts = np.ones(training.design.n) if training.weights is None else training.weights
    known = None if training.offset is None else training.offset[:, None]
    return Sample(training.design, counts, Margins(Log(), training.labels.signs()), 1, intercept, known)


def fit_firth(
    training: Training,
    objective: Objective,
    effort: Effort,
    start: FloatArray | None = None,
    watch: Watch | None = None,
) -> LinearModel:
    """The model. start: weights (d + 1, 1) to begin from. `tol` is not used: the gradient goes down to rounding."""
    _refuse(training, objective)
    sample = firth_sample(training, intercept=objective.intercept)
    found = rank.dependences(sample)
    V = rank.determined(found, training.design.d) if found else None
    fewer = sample if V is None else _of_fewer_weights(sample, V)
    objective = replace(objective, alpha=0.0, correction=Correction.FIRTH)
    begin = np.zeros(fewer.size) if start is None else fewer.theta(start if V is None else _times(V.T, start))
    run = _Run(effort, sample.total, watch)
    status, place = run.highest(Firth(fewer), begin)
    certificate = Certificate(
        primal=-place.value / sample.total,
        bound=-inf,
        kind=Kind.STATIONARY,
        tol=effort.tol,
        alpha=0.0,
        gradient=float(np.linalg.norm(place.score)) / sample.total,
    )
    w = fewer.weights(place.theta)
    w = w if V is None else _times(V, w)
    return as_model(training, objective, [Solution(w[:, 0], None, status, certificate, run.trace, "firth")], w)


def _of_fewer_weights(sample: Sample, V: FloatArray) -> Sample:
    """The same scores from β, w = Vβ."""
    if V.shape[1] == 0:
        raise Refused("Firth's correction: no column of X differs between rows, so there is no weight to estimate")
    columns = sample.design.scores(np.vstack((V, np.zeros(V.shape[1]))))
    return replace(sample, design=as_design(columns, sample.design.threads))


def _times(V: FloatArray, w: FloatArray) -> FloatArray:
    """V on the weights of the features, the intercept as it is."""
    return np.vstack((V @ w[:-1], w[-1:]))


def _refuse(training: Training, objective: Objective) -> None:
    if training.n_classes > 2:
        raise Refused(
            "Only binary classification is supported. The type of the target is multiclass. Firth's correction is made "
            f"for two classes here, y holds {training.n_classes}: use penalty='l2', or fit one class against another"
        )
    if not replace(objective, alpha=0.0).penalty.ridge:
        raise Refused("Firth's correction takes no L1 penalty, factors or bounds: leave them out")
    if training.design.d > MOST:
        raise Refused(
            f"Firth's correction forms a matrix over all weights in every step: at most {MOST:,} features are allowed, "
            f"X has {training.design.d:,}. Use penalty='l2'"
        )


@dataclass
class _Run:
    """The way up, recorded, on a budget."""

    effort: Effort
    total: float
    watch: Watch | None
    began: float = field(default_factory=time.perf_counter)
    trace: list[Record] = field(default_factory=list)

    def highest(self, criterion: Criterion, start: FloatArray) -> tuple[Status, Place]:
        """The maximum above the start, or a higher one elsewhere."""
        status, last = self.follow(criterion, start)
        if status is not Status.STATIONARY or self._exhausted() is not None:
            return status, last.place
        place = highest(criterion, last.place, np.ones(len(start), dtype=bool))
        if place is not last.place:
            self._note(Ascent(place, 0.0))
        return status, place

    def follow(self, criterion: Criterion, start: FloatArray) -> tuple[Status, Ascent]:
        if self.watch is not None:
            self.watch.begin(0, 1)
        ended, last = Status.STALLED, None
        try:
            for last in ascend(criterion, start, np.ones(len(start), dtype=bool)):
                self._note(last)
                cut = None if last.arrived else self._exhausted()
                if cut is not None:
                    ended = cut
                    break
        except KeyboardInterrupt:
            if last is None:
                raise
            ended = Status.INTERRUPTED
        assert last is not None
        return (Status.STATIONARY if last.arrived else ended), last

    def _note(self, ascent: Ascent) -> None:
        seconds = time.perf_counter() - self.began
        record = Record(len(self.trace), seconds, -ascent.place.value / self.total, -inf)
        self.trace.append(record)
        if self.watch is not None:
            self.watch(record)

    def _exhausted(self) -> Status | None:
        most = _STEPS if self.effort.max_iter is None else self.effort.max_iter
        if len(self.trace) > most:
            return Status.MAX_ITER
        return Status.TIME_LIMIT if time.perf_counter() - self.began >= self.effort.time_limit else None
