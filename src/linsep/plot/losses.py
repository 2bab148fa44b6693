"""Losses as functions of the margin M = y(⟨w, x⟩ + b), and the sigmoid as a smooth step."""

from __future__ import annotations

from collections.abc import Iterable
from math import log
from typing import Any

import numpy as np

from linsep.errors import InvalidParameter
from linsep.plot.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, Axes, legend, one_axes
from linsep.problem import losses as known
from linsep.problem.base import MarginLoss
from linsep.types import FloatArray

#: The losses shown unless asked otherwise: label, colour and dashes, so that grey lines differ too.
_LOOKS: dict[str, tuple[str, str, Any]] = {
    "log": ("logarithmic, log₂(1 + e⁻ᴹ)", BLUE, "-"),
    "hinge": ("hinge, max(0, 1 − M)", VERMILION, "--"),
    "squared_hinge": ("squared hinge, max(0, 1 − M)²", ORANGE, ":"),
    "smoothed_hinge": ("smoothed hinge", SKY, (0, (5, 1, 1, 1, 1, 1))),
    "squared": ("squared, (1 − M)²", GREEN, "-."),
    "exponential": ("exponential, e⁻ᴹ", PURPLE, (0, (3, 1, 1, 1))),
    "sigmoid": ("sigmoid, 2 / (1 + eᴹ)", GREY, (0, (6, 2))),
    "perceptron": ("perceptron, max(0, −M)", "#8B5A00", (0, (1, 1))),
}
_SHOWN = ("log", "hinge", "squared", "exponential", "sigmoid", "perceptron")


def margin_losses(losses: Iterable[Any] | None = None, *, span: Any = (-2.5, 2.5), ax: Axes | None = None) -> Axes:
    """Losses against the margin, beside the 0–1 loss [M ≤ 0] that they stand for.

    The log loss is shown in base 2, so that it passes through 1 at M = 0 and lies above the 0–1 loss everywhere; so do
    the hinge, squared and exponential loss. The perceptron's and the smoothed hinge do not.

    Parameters
    ----------
    losses : names or `MarginLoss` objects, optional
    span : (lowest, highest) margin shown
    ax : matplotlib axes, optional
    """
    if isinstance(losses, str | MarginLoss):
        losses = (losses,)
    chosen = [known.resolve(loss) for loss in (_SHOWN if losses is None else losses)]
    low, high = _span(span)
    axes = one_axes(ax, (5.6, 4.6))
    M = np.linspace(low, high, 1001)
    axes.plot([low, 0.0], [1.0, 1.0], color=BLACK, lw=2.6, zorder=3, label="0–1 loss, [M ≤ 0]")
    axes.plot([0.0, high], [0.0, 0.0], color=BLACK, lw=2.6, zorder=3)
    axes.plot([0.0], [1.0], "o", color=BLACK, ms=6, zorder=4)
    axes.plot([0.0], [0.0], "o", mfc="white", mec=BLACK, ms=6, zorder=4)
    for loss in chosen:
        label, colour, dashes = _LOOKS.get(loss.name, (loss.name, GREY, "-"))
        axes.plot(M, shown_value(loss, M), color=colour, ls=dashes, lw=1.8, label=label)
    axes.set(xlabel="margin M = y (⟨w, x⟩ + b)", ylabel="loss", xlim=(low, high), ylim=(-0.15, 4.0))
    axes.axvline(0.0, color="0.8", lw=0.8, zorder=0)
    legend(axes, ax, 2)
    return axes


def shown_value(loss: MarginLoss, M: FloatArray) -> FloatArray:
    """ℓ(M), the log loss in base 2."""
    value = loss.value(M)
    return value / log(2.0) if loss.name == "log" else value


def step_and_sigmoid(steepness: Iterable[float] = (1.0, 3.0, 10.0), *, ax: Axes | None = None) -> Axes:
    """The threshold unit [z > 0] beside σ(cz) = 1 / (1 + e^−cz), which has a derivative and tends to it as c grows.

    Parameters
    ----------
    steepness : values of c > 0
    ax : matplotlib axes, optional
    """
    values = [float(c) for c in steepness]
    if not values or not all(np.isfinite(c) and c > 0.0 for c in values):
        raise InvalidParameter(f"steepness={steepness!r}: allowed are finite numbers > 0")
    axes = one_axes(ax, (5.6, 3.8))
    z = np.linspace(-5.0, 5.0, 1001)
    axes.plot([-5.0, 0.0], [0.0, 0.0], color=BLACK, lw=2.4, label="step, [z > 0]")
    axes.plot([0.0, 5.0], [1.0, 1.0], color=BLACK, lw=2.4)
    axes.plot([0.0], [0.0], "o", color=BLACK, ms=6)
    axes.plot([0.0], [1.0], "o", mfc="white", mec=BLACK, ms=6)
    looks = ((BLUE, "-"), (VERMILION, "--"), (GREEN, "-."), (PURPLE, ":"))
    for i, c in enumerate(values):
        colour, dashes = looks[i % len(looks)]
        axes.plot(
            z, 1.0 / (1.0 + np.exp(-c * z)), color=colour, ls=dashes, lw=1.8, label=f"σ({c:g}·z)" if c != 1 else "σ(z)"
        )
    axes.set(xlabel="score z = ⟨w, x⟩ + b", ylabel="output", xlim=(-5.0, 5.0), ylim=(-0.06, 1.06))
    axes.set_yticks([0.0, 0.5, 1.0])
    axes.grid(axis="y", color="0.88", lw=0.8)
    legend(axes, ax)
    return axes


def _span(span: Any) -> tuple[float, float]:
    try:
        low, high = (float(end) for end in span)
    except (TypeError, ValueError):
        low = high = np.nan
    if not low < 0.0 < high or not np.isfinite(high - low):
        raise InvalidParameter(f"span={span!r}: allowed is (lowest, highest) margin, one negative and one positive")
    return low, high
