"""The whole path: the model at every α of a grid, from the one that says nothing down, each with its certificate.

Every fit begins at the last one's weights. Deviance explained is 1 − loss / loss of the best model without features.
Where an L1 penalty leaves most of many weights at zero, the coefficients are kept in sparse rows.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

from linsep.certify import Certificate
from linsep.errors import InvalidParameter, MissingPackage
from linsep.model import Effort, Objective, Training, Watch, certificate_of, fit_weights, problems_of
from linsep.problem.reductions import Joint, OneVsRest
from linsep.selection.grid import depth_of, exponential, largest_alpha, null_loss
from linsep.solvers import Status
from linsep.solvers.alpha_max import null_fit
from linsep.types import FloatArray, IntArray

#: Weights of one model from which those of an L1 path are kept in sparse rows.
_MANY = 10_000
#: Of α: by what the slopes at its largest value may be off.
_ROUNDING = 1e-8
#: Columns that a data frame of coefficients may have.
_MOST_COLUMNS = 20_000


@dataclass(frozen=True, eq=False)
class Path:
    """Models along α, the largest α first.

    alphas      (m,), falling
    coefs       (m, K, d), K = 1 for two classes; sparse rows (m, K·d) for an L1 path of many weights
    intercepts  (m, K)
    nonzeros    (m,) weights that are not zero
    deviance    (m,) share of the null model's loss that is explained
    gaps        (m,) certified relative excess of each fit
    seconds     (m,) of each fit
    """

    alphas: FloatArray
    coefs: Any = field(repr=False)
    intercepts: FloatArray = field(repr=False)
    nonzeros: IntArray = field(repr=False)
    deviance: FloatArray = field(repr=False)
    gaps: FloatArray = field(repr=False)
    seconds: FloatArray = field(repr=False)
    objective: Objective = field(repr=False)
    classes: Any = field(repr=False)
    names: Any = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.alphas)

    @property
    def l1_ratio(self) -> float:
        return self.objective.l1_ratio

    def coef(self, j: int) -> FloatArray:
        """(K, d) at the j-th α."""
        row = self.coefs[[j]].toarray() if sparse.issparse(self.coefs) else self.coefs[j]
        dense: FloatArray = np.asarray(row).reshape(self.intercepts.shape[1], -1)
        return dense

    def coefficients(self) -> dict[str, FloatArray]:
        """Each coefficient's values along the path, by the name of its feature (and of its class or problem)."""
        problems, d = self.intercepts.shape[1], self.coef(0).shape[1]
        if problems * d > _MOST_COLUMNS:
            raise InvalidParameter(
                f"the path has {problems * d:,} coefficients, and a table of more than {_MOST_COLUMNS:,} columns is "
                "not made: take path.coefs, or frame(coefficients=False)"
            )
        features = [f"x{i}" for i in range(d)] if self.names is None else [str(name) for name in self.names]
        values = np.stack([self.coef(j) for j in range(len(self))])
        return {
            f"{prefix}{name}": values[:, k, i]
            for k, prefix in enumerate(self.prefixes())
            for i, name in enumerate(features)
        }

    def columns(self, *, coefficients: bool = False) -> dict[str, Any]:
        """The path as named columns; with a column a coefficient if asked."""
        prefixes = self.prefixes()
        table = {
            "alpha": self.alphas,
            "nonzeros": self.nonzeros,
            "deviance_explained": self.deviance,
            "gap": self.gaps,
            "seconds": self.seconds,
            **{f"{prefix}intercept": self.intercepts[:, k] for k, prefix in enumerate(prefixes)},
        }
        return {**table, **self.coefficients()} if coefficients else table

    def frame(self, *, coefficients: bool = True) -> Any:
        """`columns` as a data frame of polars, or of pandas where polars is not installed."""
        table = self.columns(coefficients=coefficients)
        for package in ("polars", "pandas"):
            try:
                library = __import__(package)
            except ImportError:
                continue
            return library.DataFrame(table)
        raise MissingPackage("frame() needs polars or pandas: pip install polars, or take columns()")

    def prefixes(self) -> list[str]:
        """What the names of a problem's coefficients begin with; nothing where there is one problem."""
        problems = self.intercepts.shape[1]
        if problems == 1:
            return [""]
        scheme = self.objective.scheme
        if isinstance(scheme, Joint | OneVsRest):
            return [f"{label!s}: " for label in self.classes]
        return [f"{scheme.describe(k, self.classes)}: " for k in range(problems)]


def default_alphas(training: Training, objective: Objective, size: int, ratio: float | None) -> FloatArray:
    """An exponential grid from the α at which the model says nothing."""
    depth = depth_of(training, objective) if ratio is None else ratio
    return exponential(largest_alpha(training, objective), depth, size)


def follow(
    training: Training, objective: Objective, alphas: FloatArray, effort: Effort, watch: Watch | None = None
) -> Path:
    """The fits at these values of α, the largest first; a time limit or Ctrl-C keeps those made so far."""
    null = _mean([null_loss(problem) for problem in problems_of(training, objective)])
    rows, table = [], []
    for at, w, certificate, seconds in _fits(training, objective, alphas, effort, watch):
        rows.append(_row(w, objective))
        explained = 1.0 - _loss(training, at, w, certificate) / null if null > 0.0 else 0.0
        table.append((at.alpha, np.count_nonzero(w[:-1]), explained, certificate.relative_gap, seconds, w[-1].copy()))
    reached, nonzeros, deviance, gaps, seconds_taken, intercepts = zip(*table, strict=True)
    return Path(
        alphas=np.array(reached),
        coefs=sparse.vstack(rows, format="csr") if sparse.issparse(rows[0]) else np.stack(rows),
        intercepts=np.stack(intercepts),
        nonzeros=np.array(nonzeros, dtype=np.int64),
        deviance=np.array(deviance),
        gaps=np.array(gaps),
        seconds=np.array(seconds_taken),
        objective=objective,
        classes=training.labels.classes,
        names=training.names,
    )


def _fits(
    training: Training, objective: Objective, alphas: FloatArray, effort: Effort, watch: Watch | None
) -> Iterator[tuple[Objective, FloatArray, Certificate, float]]:
    """The objective at each α, its weights, their certificate, and the seconds they took."""
    began, start = time.perf_counter(), _null_weights(training, replace(objective, alpha=float(alphas[0])))
    for j, alpha in enumerate(alphas):
        left = effort.time_limit - (time.perf_counter() - began)
        if j > 0 and left <= 0.0:
            return
        if watch is not None:
            watch.begin(j, len(alphas))
        before, here = time.perf_counter(), replace(objective, alpha=float(alpha))
        try:
            w, solutions = fit_weights(training, here, replace(effort, time_limit=left), start)
        except KeyboardInterrupt:
            if j == 0:
                raise
            return
        if any(solution.status is Status.INTERRUPTED for solution in solutions):
            if j == 0:
                raise KeyboardInterrupt
            return
        start = w
        if watch is not None:
            for record in solutions[-1].trace[-1:]:
                watch(record)
        yield here, w, certificate_of(solutions), time.perf_counter() - before


def _null_weights(training: Training, objective: Objective) -> FloatArray | None:
    """The best intercepts alone, where L1 leaves nothing else at this α; None where it may.

    From anywhere else a fit to tol could end with weights that are small but not 0.
    """
    penalty, d = objective.penalty, training.design.d
    plain = training.offset is None and penalty.factors is None and not penalty.clip(np.zeros(d)).any()
    if not (penalty.l1_ratio > 0.0 and objective.intercept and objective.loss.smooth and plain):
        return None
    most, intercepts = penalty.l1(1)[0] * (1.0 + _ROUNDING), []
    for problem in problems_of(training, objective):
        point = null_fit(problem)
        if float(np.abs(point.grad[:-1]).max(initial=0.0)) > most:
            return None
        intercepts.append(np.atleast_1d(point.w[-1]))
    last = np.concatenate(intercepts)
    return np.vstack([np.zeros((d, len(last))), last])


def _row(w: FloatArray, objective: Objective) -> Any:
    """The weights without intercepts, (K, d), or as one sparse row."""
    coef = np.ascontiguousarray(w[:-1].T)
    if objective.l1_ratio > 0.0 and coef.size > _MANY:
        flat = coef.ravel()
        used = np.flatnonzero(flat)
        return sparse.csr_array((flat[used], used, np.array([0, len(used)])), shape=(1, flat.size))
    return coef


def _loss(training: Training, objective: Objective, w: FloatArray, certificate: Certificate) -> float:
    """The mean loss without the penalty; the mean over the problems where there are several."""
    if w.shape[1] == 1:
        return certificate.primal - objective.penalty.value(w[:-1, 0])
    losses = []
    for j, problem in enumerate(problems_of(training, objective)):
        each = np.ascontiguousarray(w[:, j]) if len(problem.shape) == 1 else w
        losses.append(problem.mean(problem.loss_values(problem.scores(each))))
    return _mean(losses)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
