"""Measures of quality as they are shown."""

from __future__ import annotations

from collections.abc import Callable

from linsep.quality import Estimate
from linsep.report.numbers import number, percent

#: measure → how its values are written; all others as numbers
_WRITTEN: dict[str, Callable[[float], str]] = {"accuracy": percent, "balanced accuracy": percent}

#: What each measure is, for those who do not know it.
MEANINGS = {
    "accuracy": "share of rows whose class is predicted right",
    "balanced accuracy": "the same, a mean over the classes: each counts alike however many rows it has",
    "AUC": "chance that of a row of the class and another row the former has the higher score (0.5: by chance)",
    "log loss": "mean of −ln of the probability given to the true class; less is better",
    "Brier score": "mean squared error of the probabilities; less is better",
}


def shown(name: str, value: float) -> str:
    return _WRITTEN.get(name, _three)(value)


def _three(value: float) -> str:
    return f"{value:.3f}" if 0.1 <= value <= 1.0 else number(value, 3)


def title(name: str) -> str:
    return name[:1].upper() + name[1:]


def within(name: str, estimate: Estimate) -> str:
    """Both ends: 84.7% to 86.1%."""
    return f"{shown(name, estimate.low)} to {shown(name, estimate.high)}"
