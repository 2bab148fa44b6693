"""The parameters of `GradientClassifier`, checked before any work."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linsep.errors import InvalidData, InvalidParameter, InvalidType, unknown_name
from linsep.estimators import parameters, penalty_parameters
from linsep.online.gradient import Rules
from linsep.online.gradient_rate import Schedule, curvature, rate_from
from linsep.online.gradient_steps import Pace
from linsep.online.gradient_task import Task, loss_of
from linsep.problem import multiclass
from linsep.problem.base import MarginLoss
from linsep.problem.reductions import Scheme
from linsep.selection import Chooser
from linsep.types import FloatArray

_POWERS = {"constant": 0.0, "curvature": 0.0, "1/t": 1.0, "inverse_scaling": None}


@dataclass(frozen=True)
class Settings:
    """batch: rows a step, None for all; eta0: None for the rate of the curvature."""

    loss: MarginLoss
    scheme: Scheme
    alpha: float
    l1_ratio: float
    intercept: bool
    batch: int | None
    eta0: float | None
    power: float
    smoothing: float | None
    binary_targets: bool
    scale: bool
    rules: Rules

    def for_rows(self, n: int) -> Settings:
        """A batch of all rows is steepest descent."""
        return replace(self, batch=None) if self.batch is not None and self.batch >= n else self

    def pace(self, task: Task, most: float = np.inf) -> Pace:
        """The rate, by the curvature where none was given (at most `most`), and the a of the smoothed loss."""
        n = task.design.n
        batch = None if self.batch is None else min(self.batch, n)
        eta0 = min(rate_from(curvature(task, batch)), most) if self.eta0 is None else self.eta0
        updates = 1 if batch is None else -(-n // batch)
        return Pace(Schedule(eta0, self.power), self.smoothing or 1.0 / updates, batch)


def read_settings(given: Any) -> Settings:
    """The settings of an estimator with these parameters as attributes; an α that was chosen is `alpha_`, else 1."""
    loss = parameters.margin_loss(given.loss)
    scheme = multiclass.find(given.multiclass, loss)
    loss_of(scheme, loss)  # refuses schemes of many problems
    return Settings(
        loss=loss,
        scheme=scheme,
        alpha=_alpha(given),
        l1_ratio=penalty_parameters.share(given.l1_ratio),
        intercept=parameters.flag("fit_intercept", given.fit_intercept),
        batch=_batch(given.batch),
        eta0=_eta0(given),
        power=_power(given),
        smoothing=_smoothing(given.smoothing),
        binary_targets=_one_of("targets", given.targets, ("signed", "binary")) == "binary",
        scale=parameters.flag("scale", given.scale),
        rules=_rules(given),
    )


def _alpha(given: Any) -> float:
    alpha = parameters.alpha(given.alpha)
    return float(getattr(given, "alpha_", 1.0)) if isinstance(alpha, Chooser) else alpha


def _one_of(name: str, given: Any, allowed: tuple[str, ...]) -> str:
    if not isinstance(given, str) or given not in allowed:
        raise unknown_name(name, given, allowed)
    return given


def _batch(given: Any) -> int | None:
    if isinstance(given, str):
        return None if _one_of("batch", given, ("batch", "stochastic")) == "batch" else 1
    if not parameters.is_whole(given) or given < 1:
        raise InvalidParameter(
            f"batch={given!r}: allowed are 'stochastic' (one row a step), 'batch' (all rows a step) and a whole "
            "number >= 1 of rows a step"
        )
    return int(given)


def _eta0(given: Any) -> float | None:
    if given.eta0 is None:
        return None
    if given.learning_rate == "curvature":
        raise InvalidParameter(
            f"eta0={given.eta0!r} with learning_rate='curvature', which chooses the rate itself: leave eta0=None, or "
            "give learning_rate='constant', '1/t' or 'inverse_scaling'"
        )
    return parameters.number("eta0", given.eta0, open_end=True)


def _power(given: Any) -> float:
    power = parameters.number("power", given.power)
    fixed = _POWERS[_one_of("learning_rate", given.learning_rate, tuple(_POWERS))]
    return power if fixed is None else fixed


def _smoothing(given: Any) -> float | None:
    if given is None:
        return None
    value = parameters.number("smoothing", given, open_end=True)
    if value > 1.0:
        raise InvalidParameter(f"smoothing={given!r}: allowed is 0 < a <= 1, or None for 1 / (updates an epoch)")
    return value


def _rules(given: Any) -> Rules:
    record = given.record
    if record is not None:
        record = _one_of("record", record, ("epochs", "updates"))
    return Rules(
        max_epochs=parameters.whole("max_epochs", given.max_epochs, 1),
        tol_w=None if given.tol_w is None else parameters.number("tol_w", given.tol_w, open_end=True),
        tol_loss=None if given.tol_loss is None else parameters.number("tol_loss", given.tol_loss, open_end=True),
        shuffle=parameters.flag("shuffle", given.shuffle),
        seed=parameters.seed(given.random_state),
        record=record,
    )


def start_weights(given: Any, shape: tuple[int, ...], settings: Settings) -> FloatArray:
    """Zero, random in (−1/2d, 1/2d), or the user's (m, d + 1), the intercept last; as the kernels hold them."""
    if isinstance(given, str):
        w = np.zeros(shape)
        if _one_of("start", given, ("random", "zero")) == "random":
            half = 0.5 / (shape[0] - 1)
            w[:] = np.random.default_rng(settings.rules.seed).uniform(-half, half, shape)
            w[-1] *= settings.intercept
        return w
    return _given_start(given, shape, settings.intercept)


def _given_start(given: Any, shape: tuple[int, ...], intercept: bool) -> FloatArray:
    try:
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidType(f"start={given!r}: allowed are 'zero', 'random' and an array of weights") from None
    wanted = shape[::-1]
    if len(wanted) == 1 and array.shape == (1, *wanted):
        array = array[0]
    if array.shape != wanted:
        raise InvalidData(
            f"start has shape {array.shape}; here it is {wanted}: the weights of every feature, then the intercept"
            + (", a row a class" if len(wanted) == 2 else "")
        )
    if not np.isfinite(array).all():
        raise InvalidData("start holds NaN or infinity")
    w = np.ascontiguousarray(array.T)
    if not intercept and np.any(w[-1] != 0.0):
        raise InvalidParameter("start has an intercept other than 0, and fit_intercept=False: give 0 there")
    return w
