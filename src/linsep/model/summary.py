"""A model in words."""

from __future__ import annotations

from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from linsep.certify import Certificate, Kind
from linsep.model.correction import Correction
from linsep.model.dialects import describe_elsewhere, inverse_strength

if TYPE_CHECKING:
    from linsep.model.model import LinearModel

_SHOWN_CLASSES = 6
_SHOWN_FEATURES = 12

#: Losses in words, for the line that states the objective.
_LOSSES = {
    "log": "log loss ln(1 + e^-M)",
    "hinge": "hinge loss max(0, 1 - M)",
    "squared_hinge": "squared hinge loss max(0, 1 - M)²",
    "smoothed_hinge": "smoothed hinge loss",
    "squared": "squared loss (1 - M)²",
    "exponential": "exponential loss e^-M",
    "sigmoid": "sigmoid loss 2/(1 + e^M)",
    "softmax": "softmax loss",
    "crammer_singer": "Crammer-Singer loss",
    "one_of_k": "squared loss with 1-of-K targets",
}


def summarise(model: LinearModel) -> str:
    """Objective, certificate, how it was found, and the largest weights, one subject a line."""
    lines = [
        f"{model.origin.estimator}: {describe_data(model)}",
        *(f"{title:<12}{text}" for title, text in facts(model)),
        "",
        *_weights_table(model),
    ]
    return "\n".join(lines)


def facts(model: LinearModel) -> list[tuple[str, str]]:
    """Titles and sentences: what was minimised, how well, and how."""
    rows = [
        ("objective", describe_objective(model)),
        ("alpha", describe_alpha(model)),
        *(("elsewhere", text) for text in [describe_elsewhere(model)] if text),
        ("certificate", describe_certificate(model.certificate)),
    ]
    if model.l1_ratio > 0.0:
        used = int((model.coef != 0.0).any(axis=0).sum())
        rows.insert(2, ("features", f"{used:,} of {model.n_features:,} have a weight, all others exactly 0"))
    if not model.certified:
        rows.append(("status", model.status.value))
    if model.gives_probabilities and (model.calibration is not None or model.origin.class_factors is not None):
        rows.append(("probability", describe_probability(model)))
    problems = f"{len(model.run.traces):,} problems, at most " if len(model.run.traces) > 1 else ""
    effort = f"{problems}{model.run.steps:,} step{'s' * (model.run.steps != 1)}, {model.run.seconds:.3g} s"
    return [*rows, ("solver", f"{model.solver}, {effort}")]


def describe_data(model: LinearModel) -> str:
    shown = ", ".join(str(c) for c in model.classes[:_SHOWN_CLASSES])
    more = ", …" if len(model.classes) > _SHOWN_CLASSES else ""
    classes = f"{len(model.classes):,} classes ({shown}{more})"
    return f"{model.n_rows:,} rows, {model.n_features:,} features, {classes}"


def describe_objective(model: LinearModel) -> str:
    by = "" if model.multiclass in ("binary", model.loss) else f", {model.multiclass}"
    penalty = describe_penalty(model)
    intercept = "free intercept" if model.fit_intercept else "no intercept"
    return f"mean {_LOSSES.get(model.loss, 'loss ' + model.loss)}{penalty}{by}; {intercept}"


def describe_penalty(model: LinearModel) -> str:
    """The penalty as a formula, and what is special about it."""
    ratio, penalty = model.l1_ratio, " + α/2 ‖w‖²"
    if ratio > 0.0:
        penalty = f" + α({ratio:.4g}‖w‖₁ + {0.5 * (1.0 - ratio):.4g}‖w‖²)" if ratio < 1.0 else " + α‖w‖₁"
    words = penalty if model.alpha > 0.0 else model.objective.correction.value or ", no penalty"
    factors, (lower, upper) = model.penalty_factors, model.bounds
    if factors is not None and model.alpha > 0.0:
        words += f" with a factor a feature ({int((factors == 0.0).sum()):,} not penalised)"
    if lower is not None or upper is not None:
        bounded = np.zeros(model.n_features, dtype=bool)
        for bound in (lower, upper):
            bounded |= False if bound is None else np.isfinite(bound)
        words += f", weights of {int(bounded.sum()):,} features bounded"
    return words


def describe_alpha(model: LinearModel) -> str:
    """α with what other libraries call it."""
    if model.objective.correction is Correction.FIRTH:
        return "none: Firth's correction takes its place"
    if model.alpha == 0.0:
        return "0, which others write C = ∞"
    return f"{model.alpha:.6g}, which others write C = 1/(nα) = {inverse_strength(model):.4g}"


def describe_probability(model: LinearModel) -> str:
    """Where probabilities come from, and that class weights were divided out."""
    words = []
    if model.calibration is not None:
        words.append(f"from the scores of {model.calibration.rows:,} left-out rows ({model.calibration.method})")
    if model.origin.class_factors is not None:
        words.append("class weights are divided out of predict_proba; predict decides with them")
    return "; ".join(words)


def describe_certificate(certificate: Certificate) -> str:
    """The certificate in a sentence or two, honest where there is none."""
    c = certificate
    if c.kind is Kind.STATIONARY:
        return f"none: {c.kind.value} (‖gradient‖ = {c.gradient:.1e}, P = {c.primal:.9g})"
    if not isfinite(c.relative_gap):
        return f"NONE: {c.kind.value}; P = {c.primal:.9g}"
    state = "holds" if c.holds else "DOES NOT HOLD"
    first = f"{state}: P = {c.primal:.9g} is at most {c.gap:.1e} above the optimum"
    asked = f"relative {c.relative_gap:.1e}, asked {c.tol:.1e}"
    if c.parts:
        asked += f"; worst of {len(c.parts):,} problems"
    if c.distance < inf and not c.parts:
        return f"{first} ({asked}), so ‖w − w*‖ ≤ {c.distance:.1e}"
    return f"{first} ({asked})"


def _weights_table(model: LinearModel) -> list[str]:
    """The features with the largest weights, one a line, and the intercept; a column a class."""
    coef = model.coef[:_SHOWN_CLASSES]
    order = np.argsort(-np.abs(model.coef).max(axis=0), kind="stable")[:_SHOWN_FEATURES]
    labels = [*(name_of(model, int(j)) for j in order), *(["intercept"] if model.fit_intercept else [])]
    width = max(len("weight"), *map(len, labels))
    lines = [_row("", _headers(model), width)] if len(coef) > 1 else []
    lines += [_row(label, coef[:, j], width) for label, j in zip(labels, order, strict=False)]
    if model.fit_intercept:
        lines.append(_row("intercept", model.intercept[:_SHOWN_CLASSES], width))
    used = int((model.coef != 0.0).any(axis=0).sum())
    smaller, none = max(used - len(order), 0), model.n_features - max(used, len(order))
    hidden = [f"{smaller:,} features with smaller weights"] * (smaller > 0) + [f"{none:,} with none"] * (none > 0)
    return [*lines, f"and {', '.join(hidden)}"] if hidden else lines


def _headers(model: LinearModel) -> list[str]:
    if model.multiclass not in ("ovo", "ecoc"):
        return [str(c)[:12] for c in model.classes[:_SHOWN_CLASSES]]
    return [f"problem {j}" for j in range(min(len(model.coef), _SHOWN_CLASSES))]


def _row(label: str, values: Any, width: int) -> str:
    cells = (f"{v:>12}" if isinstance(v, str) else f"{v:>12.5g}" for v in values)
    return f"{label:<{width}} " + " ".join(cells)


def name_of(model: LinearModel, feature: int) -> str:
    """The feature's name, or x and its number."""
    return f"x{feature}" if model.feature_names is None else str(model.feature_names[feature])
