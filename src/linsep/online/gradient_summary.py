"""A gradient descent in words."""

from __future__ import annotations

from math import isfinite
from typing import Any

from linsep.online.gradient import Epoch
from linsep.online.gradient_task import RestLoss
from linsep.online.words import counted
from linsep.problem.base import JointLoss, MarginLoss

#: The weights, the gradient of the loss on a row, and what its letters are.
_GRADIENTS = {
    "signed": ("w", "y ℓ′(y z) x", "y in {−1, 1}, z = ⟨x, w⟩ + b"),
    "binary": ("w", "(t ℓ′(z) − (1 − t) ℓ′(−z)) x", "t in {0, 1}, z = ⟨x, w⟩ + b"),
    "log": ("w", "(σ(z) − t) x", "t in {0, 1}, z = ⟨x, w⟩ + b"),
    "joint": ("W", "x ∇ℓ(z)ᵀ", "z = Wᵀx + b"),
}
_RATES = {
    "constant": "constant",
    "curvature": "constant, 1/L by the curvature",
    "1/t": "η₀/t",
    "inverse_scaling": "η₀/tᵖ",
}


def summarise(fitted: Any, loss: MarginLoss | JointLoss) -> str:
    """Of a fitted GradientClassifier; loss: the one whose gradient it followed."""
    classes = counted(len(fitted.classes_), "class", "classes")
    form = "log" if (fitted.targets, loss.name) == ("binary", "log") else fitted.targets
    lines = [
        f"{type(fitted).__name__}: {classes}, {counted(fitted.n_features_in_, 'feature')}",
        f"objective  {_objective(loss)} + {_penalty(fitted.l1_ratio)}, α = {fitted.alpha_:g}"
        + ", features standardised" * fitted.scale,
        f"update     {_update('joint' if isinstance(loss, JointLoss) else form, fitted.l1_ratio)}",
        f"steps      {_steps(fitted)}",
        f"stopped    {fitted.status_.value}",
    ]
    if fitted.history_:
        lines.append(f"reached    {_reached(fitted.history_[0], fitted.history_[-1])}")
    return "\n".join(lines)


def _update(form: str, ratio: float) -> str:
    """The step on one row; with an L1 part every weight then moves towards 0 and stops there."""
    w, gradient, where = _GRADIENTS[form]
    if ratio == 0.0:
        return f"{w} ← {w} − η ({gradient} + α {w}), {where}"
    ridge = "" if ratio == 1.0 else f" + {1.0 - ratio:.4g} α {w}"
    lasso = "" if ratio == 1.0 else f"{ratio:.4g} "
    return f"{w} ← soft({w} − η ({gradient}{ridge}), {lasso}η α), {where}"


def _penalty(ratio: float) -> str:
    if ratio == 0.0:
        return "α/2 ‖w‖²"
    return "α‖w‖₁" if ratio == 1.0 else f"α({ratio:.4g}‖w‖₁ + {0.5 * (1.0 - ratio):.4g}‖w‖²)"


def _objective(loss: MarginLoss | JointLoss) -> str:
    if isinstance(loss, RestLoss):
        return f"mean {loss.margin.name} loss, summed over every class against the rest,"
    return f"mean {loss.name} loss"


def _steps(fitted: Any) -> str:
    rows = {"batch": "all rows", "stochastic": "one row"}.get(str(fitted.batch), f"{fitted.batch} rows at most")
    power = f", p = {fitted.power:g}" if fitted.learning_rate == "inverse_scaling" else ""
    eta0 = f"{fitted.eta0_:.4g}" if isfinite(fitted.eta0_) else "not known before the second class"
    return f"{rows} each, rate {_RATES[fitted.learning_rate]}{power}, η₀ = {eta0}"


def _reached(first: Epoch, last: Epoch) -> str:
    full = f", loss {last.loss:.6g}" if last.loss == last.loss else ""
    above = f"; the objective is above the {first.objective:.6g} it began with" * (
        last.objective > first.objective > 0.0
    )
    epochs = f"{counted(last.epoch, 'epoch')}, {counted(last.updates, 'update')}"
    return f"{epochs}{full}, smoothed loss {last.smoothed:.6g}, |Δw| {last.change:.3g}{above}"
