"""A fitted `ChoicePerceptron` in words."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from linsep.model.summary import describe_certificate
from linsep.online.choice import Stop
from linsep.online.choice_bound import Consistency
from linsep.online.words import counted

if TYPE_CHECKING:
    from linsep.estimators.choice import ChoicePerceptron

_SHOWN_FEATURES = 12


def summarise(model: ChoicePerceptron) -> str:
    """What was learned from, how, how well, and the largest weights, one subject a line."""
    sizes = ((model.n_states_, "state"), (model.n_actions_, "action"), (model.n_features_in_, "feature"))
    head = "ChoicePerceptron: " + ", ".join(counted(number, what) for number, what in sizes)
    rows = _logistic(model) if model.certificate_ is not None else _perceptron(model)
    if model.n_undecided_:
        same = "an action has the features of the expert's: no weights can tell them apart"
        rows.append(("undecided", f"in {model.n_undecided_:,} states {same}"))
    return "\n".join([head, *(f"{title:<12}{text}" for title, text in rows), "", *_weights(model)])


def _logistic(model: ChoicePerceptron) -> list[tuple[str, str]]:
    assert model.certificate_ is not None
    return [
        ("objective", f"mean of -ln p(expert's action) + α/2 ‖w‖², α = {model.certificate_.alpha:g}"),
        ("certificate", describe_certificate(model.certificate_)),
        ("stopped", f"{model.status_.value}, {counted(model.n_iter_, 'step')}"),
        ("agreement", f"{model.agreement_:.1%} of the choices learned from"),
    ]


def _perceptron(model: ChoicePerceptron) -> list[tuple[str, str]]:
    weights = "the mean over all visits" if model.averaged_ else "the last ones"
    learned = "given last" if model.status_ is Stop.ONE_PASS else "learned from"
    tail = ", ".join(f"{m:,}" for m in model.mistakes_[-5:])
    rows = [
        ("stopped", f"{model.status_.value}, {counted(model.n_iter_, 'epoch')}"),
        ("updates", f"{model.n_updates_:,}; mistakes of the last epochs: {tail}"),
        ("weights", weights),
        ("agreement", f"{model.agreement_:.1%} of the choices {learned}"),
    ]
    if model.consistency_ is not None:
        rows.insert(2, ("bound", bound_sentence(model.consistency_)))
    return rows


def bound_sentence(known: Consistency) -> str:
    """Novikoff's bound, or why there is none."""
    if known.consistent:
        return (
            f"at most (R/ρ)² = {known.updates:.6g} updates in any order: R = {known.radius:.4g}, ρ = {known.margin:.4g}"
        )
    if known.consistent is False:
        limit = f"the convex hull of the differences comes within {known.ceiling:.1e} of 0"
        return f"none: no weights put every choice strictly ahead ({limit})"
    ceiling = "" if known.ceiling == inf else f"; no margin exceeds {known.ceiling:.1e}"
    return f"none: no weights are known that put every choice strictly ahead{ceiling}"


def _weights(model: ChoicePerceptron) -> list[str]:
    names = getattr(model, "feature_names_in_", None)
    order = np.argsort(-np.abs(model.coef_), kind="stable")[:_SHOWN_FEATURES]
    labels = [f"x{j}" if names is None else str(names[j]) for j in order]
    width = max(map(len, labels))
    lines = [f"{label:<{width}} {model.coef_[j]:>12.5g}" for label, j in zip(labels, order, strict=True)]
    hidden = model.n_features_in_ - len(order)
    return [*lines, f"and {hidden:,} features with smaller weights"] if hidden else lines
