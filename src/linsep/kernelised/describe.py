"""A kernel model in words, and why a fit was not certified."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from linsep.certify import Certificate, Kind
from linsep.kernelised.functions import Kernel
from linsep.kernelised.model import KernelModel
from linsep.model.summary import describe_certificate
from linsep.solvers import Status
from linsep.types import IntArray

_SHOWN = 6
_INDEFINITE = "a stationary point of the dual: without convexity this is a local statement"

_REMEDIES = {
    Status.MAX_ITER: "scale the columns of X if they are not, raise alpha or max_iter (steps of SMO)",
    Status.TIME_LIMIT: "raise time_limit, or cache_size if there is memory",
    Status.STALLED: "raise alpha, or scale the columns of X, for example with StandardScaler",
    Status.INTERRUPTED: "fit again",
}


def summarise(model: KernelModel, classes: np.ndarray[Any, Any], counts: IntArray, owner: str) -> str:
    """Objective, kernel, certificate, how it was found, and the support vectors, one subject a line."""
    alpha = model.certificate.alpha
    shown = ", ".join(str(c) for c in classes[:_SHOWN]) + (", …" if len(classes) > _SHOWN else "")
    by = "" if model.scheme.name == "binary" else f", {model.scheme.name}"
    support = ", ".join(f"{c!s}: {k:,}" for c, k in list(zip(classes, counts, strict=True))[:_SHOWN])
    support += ", …" if len(classes) > _SHOWN else ""
    problems = f"{len(model.traces):,} problems, at most " if len(model.traces) > 1 else ""
    lines = [
        ("objective", f"mean hinge loss max(0, 1 - M) + α/2 ‖w‖²{by}; {_intercept(model)}"),
        ("kernel", describe_kernel(model.kernel)),
        ("alpha", f"{alpha:.6g}, which others write C = 1/(nα) = {1.0 / (model.rows * alpha):.4g}{_own_rows(model)}"),
        ("certificate", _certificate(model.certificate)),
        ("status", _INDEFINITE if model.status is Status.STATIONARY else model.status.value),
        ("support", f"{len(model.support):,} of {model.rows:,} rows ({support})"),
        ("solver", f"SMO, {problems}{model.steps:,} steps, {model.seconds:.3g} s"),
    ]
    head = f"{owner}: {model.rows:,} rows, {len(classes):,} classes ({shown})"
    return "\n".join([head, *(f"{title:<12}{text}" for title, text in lines)])


def _certificate(c: Certificate) -> str:
    if c.kind is not Kind.STATIONARY:
        return describe_certificate(c)
    return (
        f"none: the kernel is not known to be positive semi-definite (violation {c.gradient:.1e}, P = {c.primal:.9g})"
    )


def describe_kernel(kernel: Kernel) -> str:
    """Its formula with the constants."""
    g, c, p = f"{kernel.gamma:.6g}", f"{kernel.coef0:.6g}", kernel.degree
    formulas = {
        "linear": "linear, ⟨x, z⟩",
        "polynomial": f"polynomial, ({g}⟨x, z⟩ + {c})^{p}",
        "rbf": f"rbf, exp(−{g}‖x − z‖²)",
        "sigmoid": f"sigmoid, tanh({g}⟨x, z⟩ + {c})",
        "precomputed": "precomputed",
    }
    return formulas.get(kernel.name, f"the function {kernel.name}")


def _intercept(model: KernelModel) -> str:
    return "free intercept" if model.intercept else "no intercept"


def _own_rows(model: KernelModel) -> str:
    return " for a problem of all rows" if model.scheme.name == "ovo" else ""


def explain(model: KernelModel, classes: np.ndarray[Any, Any]) -> str:
    """The warning: how far from the optimum, why, and what to do."""
    c = model.certificate
    where = ""
    if c.parts:
        worst = max(range(len(c.parts)), key=lambda j: c.parts[j].relative_gap)
        failed = sum(not status.certified for status in model.statuses)
        where = f"; {failed:,} of {len(c.parts):,} problems, the worst is {model.scheme.describe(worst, classes)}"
    far = f"P = {c.primal:.6g}; how far that is from the optimum is not known{where}."
    remedy = _REMEDIES.get(model.status, "raise alpha")
    if isfinite(c.relative_gap):
        asked = f"(relative {c.relative_gap:.1e}, asked tol={c.tol:.1e})"
        far = f"P = {c.primal:.6g} is at most {c.gap:.2g} above the optimum {asked}{where}."
        remedy += f", or accept tol={1.05 * c.relative_gap:.1e}" if c.relative_gap < 0.1 else ""
    return f"KernelSVM is not certified: {model.status.value}. {far} Remedy: {remedy}."
