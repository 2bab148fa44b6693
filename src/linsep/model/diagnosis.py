"""Why a fit was not certified, and what to do: the sentences of the warning.

A cause is looked for only when there is something to explain: columns of very different scale, and constant
ones beside a free intercept, slow every solver down.
"""

from __future__ import annotations

from math import isfinite, log10

import numpy as np

from linsep.data.design import Design
from linsep.model.model import LinearModel
from linsep.model.summary import name_of
from linsep.problem.reductions import Reduction
from linsep.solvers import Status

_REMEDIES = {
    Status.MAX_ITER: "raise max_iter (it counts steps of about one pass each)",
    Status.TIME_LIMIT: "raise time_limit",
    Status.STALLED: "raise alpha, or scale the columns of X, for example with StandardScaler",
    Status.INTERRUPTED: "fit again, with warm_start=True to go on from here",
}


def explain(model: LinearModel, design: Design) -> str:
    """The warning: how far from the optimum, why, and what to do."""
    state = "was interrupted" if model.certified else "is not certified"
    parts = [f"{model.origin.estimator} {state}: {model.status.value}.", _distance(model)]
    cause = _scales(model, design)
    if cause:
        parts.append(f"Likely cause: {cause}.")
    remedies = [_REMEDIES.get(model.status, "")]
    if cause and model.status is not Status.STALLED:
        remedies.append("scale the columns, for example with StandardScaler")
    if isfinite(model.certificate.relative_gap):
        remedies.append(f"or accept tol={_rounded_up(model.certificate.relative_gap):.0e}")
    parts.append("Remedy: " + ", ".join(r for r in remedies if r) + ".")
    return " ".join(parts)


def _distance(model: LinearModel) -> str:
    c = model.certificate
    if not isfinite(c.relative_gap):
        return f"P = {c.primal:.6g}; how far that is from the optimum is not known{_worst(model)}."
    return (
        f"P = {c.primal:.6g} is at most {c.gap:.2g} above the optimum "
        f"(relative {c.relative_gap:.1e}, asked tol={c.tol:.1e}){_worst(model)}."
    )


def _worst(model: LinearModel) -> str:
    parts = model.certificate.parts
    if not parts:
        return ""
    worst = max(range(len(parts)), key=lambda j: parts[j].relative_gap)
    scheme = model.objective.scheme
    assert isinstance(scheme, Reduction)
    failed = sum(not status.certified for status in model.run.statuses)
    named = scheme.describe(worst, model.classes)
    return f"; {failed:,} of {len(parts):,} problems, the worst is {named}"


def no_optimum(model: LinearModel) -> str:
    """The error for a problem that has no minimiser."""
    scheme = model.objective.scheme
    which = ""
    if len(model.run.statuses) > 1:
        first = model.run.statuses.index(Status.NO_OPTIMUM)
        which = f" ({scheme.describe(first, model.classes)})"
    return (
        f"no optimum exists{which}: the data are separable and alpha = 0, so the loss falls for ever as the "
        "weights grow, and any weights returned would be arbitrary. Give alpha > 0, for example alpha=1e-4"
    )


def _scales(model: LinearModel, design: Design) -> str | None:
    """Columns whose root mean squares differ by more than a million."""
    sizes = np.sqrt(design.column_squares / design.n)
    used = np.flatnonzero(sizes > 0.0)
    if len(used) < 2:
        return None
    low, high = (int(used[k]) for k in (sizes[used].argmin(), sizes[used].argmax()))
    ratio = float(sizes[high] / sizes[low])
    if ratio < 1e6:
        return None
    return (
        f"column {name_of(model, high)!r} is about 10^{round(log10(ratio))} times as large as "
        f"column {name_of(model, low)!r}"
    )


def _rounded_up(value: float) -> float:
    """One significant digit, upwards."""
    step = 10.0 ** np.floor(np.log10(value)) if value > 0.0 else 1.0
    return float(np.ceil(value / step) * step)
