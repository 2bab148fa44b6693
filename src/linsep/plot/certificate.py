"""The proof of an optimum: what a certificate allows a fit to be worse, and what it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linsep.errors import InvalidData, InvalidParameter
from linsep.plot.style import BLACK, GREY, VERMILION, Axes, legend, one_axes


def certified_gaps(models: Sequence[Any], *, ax: Axes | None = None) -> Axes:
    """The relative gap that each of some fits proves, and by how much the best of them is better: never more.

    Parameters
    ----------
    models : fitted models of the same objective on the same rows, with different `tol`
    ax : matplotlib axes, optional
    """
    if not len(models) or not all(hasattr(model, "certificate_") for model in models):
        raise InvalidParameter("models: give fitted models with a certificate, for example some LogisticRegression")
    found = sorted((model.certificate_ for model in models), key=lambda certificate: -certificate.tol)
    tol, value, bound = (np.array([getattr(c, name) for c in found]) for name in ("tol", "primal", "bound"))
    if (bound[:, None] > value + 1e-12 * np.abs(value)).any():
        raise InvalidData("one model is below the lower bound of another: they are not of the same objective")
    gap, excess = (value - bound) / np.abs(value), (value - value.min()) / np.abs(value)
    axes = one_axes(ax, (5.6, 4.0))
    axes.plot(tol, tol, color=GREY, lw=1.2, ls=":", label="tol")
    axes.plot(tol, gap, "o-", color=BLACK, lw=1.6, ms=5, label="gap, proved")
    seen = excess > 0.0
    axes.plot(tol[seen], excess[seen], "s--", color=VERMILION, lw=1.6, ms=5, label="excess over the best of the fits")
    axes.set(xscale="log", yscale="log", xlabel="tol", ylabel="relative to the objective")
    axes.invert_xaxis()
    legend(axes, ax)
    return axes
