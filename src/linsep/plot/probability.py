"""Densities, posteriors, and the gradient of logistic regression in both codings."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.errors import InvalidData, InvalidParameter
from linsep.geometry import gaussian_posteriors
from linsep.plot.style import BLACK, BLUE, GREY, VERMILION, Axes, AxesArray, legend, one_axes, several_axes
from linsep.types import FloatArray


def posteriors(means: Any, deviation: float = 1.0, priors: Any = (0.5, 0.5), *, axes: Any = None) -> AxesArray:
    """Two normal classes of one feature: P(k)p(x given k), and the posterior of the second, a sigmoid.

    Parameters
    ----------
    means : two numbers
    deviation : float, the standard deviation of both
    priors : P(k)
    axes : two matplotlib axes, optional
    """
    centres = np.asarray(means, dtype=np.float64).ravel()
    if centres.shape != (2,) or not np.isfinite(centres).all():
        raise InvalidData(f"means={means!r}: give one number for each of two classes")
    if not 0.0 < float(deviation) < np.inf:
        raise InvalidParameter(f"deviation={deviation!r}: allowed is a finite number > 0")
    x = np.linspace(centres.min() - 3.5 * deviation, centres.max() + 3.5 * deviation, 801)
    P = gaussian_posteriors(x[:, None], centres[:, None], [[deviation**2]], priors)
    scaled = (x[:, None] - centres) / deviation
    joint = np.asarray(priors, dtype=np.float64) * np.exp(-0.5 * scaled**2) / (deviation * np.sqrt(2.0 * np.pi))
    edge = float(x[np.abs(P[:, 1] - 0.5).argmin()])
    panels = several_axes(axes, (1, 2), (4.6, 3.6))
    left, right = panels[0]
    for k, (colour, dashes) in enumerate(((BLUE, "-"), (VERMILION, "--"))):
        left.plot(x, joint[:, k], color=colour, ls=dashes, lw=1.8, label=f"P({k}) p(x given {k})")
    right.plot(x, P[:, 1], color=BLACK, lw=1.8, label="P(1 given x)")
    for panel in (left, right):
        panel.axvline(edge, color=GREY, lw=1.2, ls=":", label="where the optimal rule changes")
        panel.set(xlabel="x", xlim=(x[0], x[-1]))
    left.set(ylabel="density", ylim=(0.0, None))
    right.set(ylabel="posterior", ylim=(-0.03, 1.03))
    legend(panels, axes)
    return panels


def logistic_gradients(*, ax: Axes | None = None) -> Axes:
    """The derivative of the log loss by the score f, written for y = ±1 and for t = 0, 1: the same two curves."""
    f = np.linspace(-5.0, 5.0, 401)
    panel = one_axes(ax, (5.6, 4.0))
    for y, colour in ((1, BLUE), (-1, VERMILION)):
        t, shown = (y + 1) // 2, "1" if y > 0 else "−1"
        panel.plot(f, _sigmoid(f) - t, color=colour, lw=4.5, alpha=0.35, label=f"σ(f) − t, t = {t}")
        panel.plot(f, -y * _sigmoid(-y * f), color=colour, lw=1.6, ls="--", label=f"−yσ(−yf), y = {shown}")
    panel.axhline(0.0, color=GREY, lw=0.8)
    panel.set(xlabel="score f", ylabel="derivative of the log loss", xlim=(-5.0, 5.0))
    legend(panel, ax, 2)
    return panel


def _sigmoid(f: FloatArray) -> FloatArray:
    return np.asarray(1.0 / (1.0 + np.exp(-f)))
