"""Why a fit without a penalty has no optimum, and what to do, in the words of the data: rows and features by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linsep.data.labels import Labels
from linsep.model import LinearModel, Training
from linsep.problem.reductions import Joint, Reduction
from linsep.separability.columns import alone
from linsep.separability.cone import Cone
from linsep.separability.judge import judge_cone
from linsep.separability.verdict import Separability, Verdict
from linsep.separability.words import begun, features, names, rows
from linsep.solvers import Status

#: Entries of X, and entries times weights, up to which the cause is found in about a second.
_ENTRIES, _PRODUCTS = 5_000_000, 2_000_000_000


def explain_no_optimum(model: LinearModel, training: Training) -> str | None:
    """The sentences of the error, None where the cause is not known exactly."""
    cone, which = _failed(model, training)
    entries = training.design.entries
    if entries > _ENTRIES and (cone.dims > 100 or entries * cone.dims > _PRODUCTS):
        return None
    labels = training.labels if cone.n_classes > 2 else Labels(np.array([0, 1]), cone.codes)
    verdict = judge_cone(cone, replace(training, labels=labels), {})
    if not verdict.proved:
        return None
    if verdict.verdict is Verdict.SEPARABLE:
        return f"no optimum exists{which}: {_complete(verdict, cone)}{_firth(model)}"
    if verdict.verdict is Verdict.QUASI_SEPARABLE:
        return f"no optimum exists{which}: {_quasi(verdict)}{_firth(model)}"
    return (
        f"no optimum was found{which}: the data are not separable, which is proved exactly, so one exists, but its "
        "weights are too large for the solver. Scale the columns, for example with StandardScaler, or give alpha > 0, "
        "for example alpha=1e-4"
    )


def _firth(model: LinearModel) -> str:
    """The remedy that keeps the features and needs no α, where it applies."""
    applies = model.loss == "log" and model.multiclass == "binary"
    return ", or use Firth's correction, LogisticRegression(penalty='firth')" if applies else ""


def _failed(model: LinearModel, training: Training) -> tuple[Cone, str]:
    """The conditions of the problem that has no optimum: rows with a weight, and the classes it tells apart."""
    scheme, design, codes = model.objective.scheme, training.design, training.labels.codes
    used = np.ones(design.n, dtype=bool) if training.weights is None else training.weights > 0.0
    K, which = training.n_classes, ""
    if K > 2 and isinstance(scheme, Reduction):
        first = model.run.statuses.index(Status.NO_OPTIMUM)
        task = list(scheme.reduce(training.labels))[first]
        chosen = np.arange(design.n) if task.rows is None else task.rows
        codes, within = np.zeros(design.n, dtype=np.int64), np.zeros(design.n, dtype=bool)
        codes[chosen], within[chosen] = (task.signs > 0.0).astype(np.int64), True
        K, used, which = 2, used & within, f" ({scheme.describe(first, model.classes)})"
    assert K == 2 or isinstance(scheme, Joint)
    cone = Cone(design, codes, K, model.fit_intercept)
    return (cone if used.all() else cone.within(np.flatnonzero(np.repeat(used, cone.others)))), which


def _complete(verdict: Separability, cone: Cone) -> str:
    sentence = (
        f"the data are separable and alpha = 0 (a hyperplane with margin {verdict.margin:.3g} has every row on its "
        "side), so the loss falls for ever as the weights grow. Give alpha > 0, for example alpha=1e-4"
    )
    single = alone(cone, np.arange(cone.design.d))
    found = [] if single is None else [j for j in single[0] if _separates(cone, int(j))]
    if not found:
        return sentence
    verb = "separates" if len(found) == 1 else "separate"
    return f"{sentence}, or look at {names(verdict, np.array(found))}, which {verb} the classes alone"


def _separates(cone: Cone, column: int) -> bool:
    """Whether the column alone has every row on its side; of two classes the edge may touch one."""
    single = alone(cone, np.array([column]))
    assert single is not None
    strict = cone.signs(single[1]) > 0
    own = cone.parts(cone.numbers(np.arange(cone.size)))[1]
    return bool(strict.all() or (cone.intercept and cone.others == 1 and any(strict[own == c].all() for c in (0, 1))))


def _quasi(verdict: Separability) -> str:
    assert verdict.rows is not None
    assert verdict.features is not None
    one, those = len(verdict.features) == 1, f"{len(verdict.rows):,} of the rows ({rows(verdict.rows)})"
    if len(verdict.classes) > 2:
        what = f"{'puts' if one else 'put'} {those} strictly ahead of some other class, and none behind one"
    else:
        what = (
            f"{'separates' if one else 'separate'} {those} without a mistake, the others lying on the hyperplane itself"
        )
    return (
        f"the data are quasi-separable and alpha = 0. {begun(features(verdict))} {what}, so the loss falls for ever as "
        f"these weights grow. Give alpha > 0, for example alpha=1e-4{_dropped(verdict)}"
    )


def _dropped(verdict: Separability) -> str:
    """The other remedy, where features would be left."""
    who = verdict.features if verdict.alone is None else verdict.alone
    assert who is not None
    assert verdict.rows is not None
    if len(who) == verdict.n_features or len(verdict.rows) == verdict.n_rows:  # a whole class is apart
        return ""
    return f", or drop {names(verdict, who)}" if len(who) <= 20 else ", or drop features of that direction"
