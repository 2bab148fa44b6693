"""The parameters of `Perceptron`, checked one by one and together, as the plan they mean."""

from __future__ import annotations

from collections.abc import Iterable
from sys import maxsize
from typing import Any

import numpy as np

from linsep.errors import InvalidData, InvalidParameter, InvalidType, Refused, unknown_name
from linsep.estimators import parameters
from linsep.online.perceptron import MULTICLASS, ORDERS, POCKETS, RULES, TIES, Plan
from linsep.types import FloatArray


def asked_plan(asked: Any) -> Plan:
    """The plan of an estimator's parameters; "auto" rates are settled with the data."""
    auto = isinstance(asked.learning_rate, str)
    if auto and asked.learning_rate != "auto":
        raise InvalidParameter(f"learning_rate={asked.learning_rate!r}: allowed are a finite number > 0 and 'auto'")
    plan = Plan(
        rule=_choice("rule", asked.rule, RULES),
        rate=1.0 if auto else parameters.number("learning_rate", asked.learning_rate, open_end=True),
        batch=_batch(asked.batch),
        tie=_choice("tie", asked.tie, TIES),
        order=_choice("order", asked.order, ORDERS),
        bias=parameters.flag("fit_intercept", asked.fit_intercept),
        joint=_choice("multiclass", asked.multiclass, MULTICLASS) == "kesler",
        normalize=parameters.flag("normalize", asked.normalize),
        average=parameters.flag("average", asked.average),
        pocket=None if asked.pocket is None else _choice("pocket", asked.pocket, POCKETS),
        record=parameters.flag("record", asked.record),
        max_epochs=parameters.whole("max_epochs", asked.max_epochs, 1),
        tol=parameters.number("tol", asked.tol),
        seed=parameters.seed(asked.random_state),
    )
    _refuse(plan)
    return plan


def _refuse(plan: Plan) -> None:
    if plan.joint and plan.rule != "mistake":
        raise Refused(
            f"multiclass='kesler' corrects the true and the predicted class of a mistake: rule={plan.rule!r} has no "
            "such form; give rule='mistake', or multiclass='independent'"
        )
    if plan.average and plan.pocket:
        raise Refused("average=True and pocket both choose the weights to return: give one of them")


def kernel_form(asked: Any) -> str | None:
    """The kernel's name in the dual form; None in the primal."""
    dual, kernel = parameters.flag("dual", asked.dual), asked.kernel
    if not callable(kernel):
        _choice("kernel", kernel, ("linear", "polynomial", "rbf", "sigmoid", "precomputed"))
    if not isinstance(asked.gamma, str):
        parameters.number("gamma", asked.gamma, open_end=True)
    elif asked.gamma not in ("scale", "auto"):
        raise unknown_name("gamma", asked.gamma, ("scale", "auto"))
    parameters.whole("degree", asked.degree, 1)
    parameters.number("coef0", asked.coef0, least=-np.inf)
    if kernel == "linear" and not dual:
        return None
    name = getattr(kernel, "__name__", "callable") if callable(kernel) else str(kernel)
    reasons = [
        (asked.rule == "unthresholded", "rule='unthresholded' corrects by amounts, not by counts"),
        (asked.normalize, "normalize=True scales w, and counts are whole"),
        (asked.start is not None, "start=… gives weights w, which need not be a sum of examples"),
        (asked.record, "record=True keeps w, which this form does not have; update_rows_ has the order of updates"),
        (asked.center and name == "precomputed", "center=True needs the rows, and a kernel matrix has none"),
    ]
    for holds, reason in reasons:
        if holds:
            raise Refused(f"the dual form (dual=True, kernel={name!r}) learns counts from 0: {reason}")
    return name


def start_weights(given: Any, units: int, d: int, bias: bool) -> FloatArray:
    """(units, d + 1), b last."""
    if given is None:
        return np.zeros((units, d + 1))
    try:
        start = np.array(given, dtype=np.float64, ndmin=2)
    except (TypeError, ValueError):
        raise InvalidType(f"start={given!r}: allowed are None and an array of weights") from None
    width = d + 1 if bias else d
    if start.shape != (units, width):
        one = f"({width},)" if units == 1 else f"({units}, {width})"
        last = "the intercept last" if bias else "without an intercept"
        raise InvalidParameter(f"start has shape {np.shape(given)}; for these data it is {one}, {last}")
    if not np.isfinite(start).all():
        raise InvalidData("start holds NaN or infinity")
    return start if bias else np.column_stack([start, np.zeros(units)])


def _batch(given: Any) -> int:
    if isinstance(given, str):
        if given not in ("incremental", "batch"):
            raise InvalidParameter(f"batch={given!r}: allowed are 'incremental', 'batch' and a whole number >= 1")
        return 1 if given == "incremental" else maxsize
    return parameters.whole("batch", given, 1)


def _choice(name: str, given: Any, allowed: Iterable[str]) -> str:
    if not isinstance(given, str) or given not in allowed:
        raise unknown_name(name, given, allowed)
    return given
