"""α: the coefficients along the path, and the curve of left-out loss with the two values read off it."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.errors import InvalidParameter, InvalidType
from linsep.plot.style import (
    BLACK,
    BLUE,
    CLASS_COLOURS,
    GREY,
    VERMILION,
    Axes,
    AxesArray,
    legend,
    one_axes,
    several_axes,
)
from linsep.selection import Curve, Path
from linsep.types import FloatArray

_DASHES = ("-", "--", "-.", ":")


def coefficient_paths(*paths: Path, names: int = 7, k: int = 0, axes: Any = None) -> AxesArray:
    """Coefficients against α, a panel a path: with L2 all shrink together, with L1 one after another becomes zero.

    Parameters
    ----------
    paths : results of `regularization_path`
    names : how many coefficients are coloured and named, those that become largest on the first path; the rest are grey
    k : the class (or problem) whose coefficients are shown
    axes : matplotlib axes, one a path, optional
    """
    if not paths or not all(isinstance(path, Path) for path in paths):
        raise InvalidType("coefficient_paths takes results of regularization_path, at least one")
    if not 0 <= k < paths[0].intercepts.shape[1]:
        raise InvalidParameter(f"k={k}: the path has {paths[0].intercepts.shape[1]} rows of coefficients")
    panels = several_axes(axes, (1, len(paths)), (5.0, 4.0))
    shown = _largest(paths[0], k, names)
    for ax, path in zip(panels.flat, paths, strict=True):
        values = _values(path, k)
        grey = [j for j in range(values.shape[1]) if j not in shown and values[:, j].any()]
        ax.plot(path.alphas, values[:, grey], color=GREY, lw=0.7, alpha=0.5)
        for i, j in enumerate(shown):
            look = {"color": CLASS_COLOURS[i % len(CLASS_COLOURS)], "ls": _DASHES[i // len(CLASS_COLOURS) % 4]}
            ax.plot(path.alphas, values[:, j], lw=1.8, label=_name(path, j), **look)
        _log_axis(ax, path.alphas)
        ax.axhline(0.0, color=BLACK, lw=0.8)
        ax.set(ylabel="weight", title=_title(path))
    legend(panels, axes)
    return panels


def alpha_curve(curve: Any, *, ax: Axes | None = None) -> Axes:
    """Left-out loss against α with its standard error; the best α, and the largest within one standard error of it.

    Parameters
    ----------
    curve : a `Curve`, or an estimator that has chosen its α
    ax : matplotlib axes, optional
    """
    found = getattr(curve, "alpha_curve_", curve)
    if not isinstance(found, Curve):
        raise InvalidType(
            f"alpha_curve takes a Curve or an estimator fitted with alpha='cv', not {type(curve).__name__} "
            "whose alpha is a number"
        )
    axes = one_axes(ax, (5.6, 4.2))
    low, high = found.losses - found.errors, found.losses + found.errors
    axes.fill_between(found.alphas, low, high, color=BLUE, alpha=0.2, lw=0, label="± one standard error")
    axes.plot(
        found.alphas, found.losses, "o-", color=BLUE, ms=4, lw=1.6, label=f"left-out {found.scored}, {found.method}"
    )
    least = int(np.nanargmin(found.losses))
    axes.axhline(high[least], color=GREY, lw=0.8, ls=":")
    axes.axvline(found.best, color=BLACK, lw=1.4, label=f"best, α = {found.best:.3g}")
    simplest = found.one_standard_error
    axes.axvline(simplest, color=VERMILION, lw=1.4, ls="--", label=f"one standard error, α = {simplest:.3g}")
    _log_axis(axes, found.alphas)
    axes.set(ylabel=found.scored)
    legend(axes, ax, 2)
    return axes


def _log_axis(ax: Axes, alphas: FloatArray) -> None:
    """Strong penalties to the right."""
    ax.set_xscale("log")
    if len(alphas) > 1:
        ax.set_xlim(alphas.min(), alphas.max())
    ax.set_xlabel("α (stronger penalty →)")


def _values(path: Path, k: int) -> FloatArray:
    """(m, d)."""
    return np.stack([path.coef(j)[k] for j in range(len(path))])


def _largest(path: Path, k: int, names: int) -> list[int]:
    reached = np.abs(_values(path, k)).max(axis=0)
    return [int(j) for j in np.argsort(-reached, kind="stable")[:names]]


def _name(path: Path, j: int) -> str:
    return f"x{j}" if path.names is None else str(path.names[j])


def _title(path: Path) -> str:
    ratio = path.l1_ratio
    return {0.0: "L2", 1.0: "L1"}.get(ratio, f"elastic net, {ratio:.0%} L1")
