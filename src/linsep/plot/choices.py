"""An expert's choices: what was taken, less what was not, on one side of a line through 0."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from linsep.data.choices import read_choices, read_states
from linsep.errors import InvalidData
from linsep.plot.lines import draw_line
from linsep.plot.style import BLACK, BLUE, GREY, HALO, VERMILION, Axes, frame, legend, one_axes
from linsep.types import FloatArray


def choice_differences(model: Any, states: Any, choices: Any, *, ax: Axes | None = None) -> Axes:
    """φ(a*, s) − φ(a, s) for every action that was not taken: a model that agrees has them all ahead of its line.

    Parameters
    ----------
    model : fitted `ChoicePerceptron` of two features
    states, choices : as in its `fit`
    ax : matplotlib axes, optional
    """
    check_is_fitted(model)
    found = read_states(states, None, None, 1)
    taken = read_choices(choices, found)
    table = found.design.table
    rows: FloatArray = np.asarray(table.toarray() if found.design.sparse else table, dtype=np.float64)
    if rows.shape[1] != 2 or np.shape(model.coef_) != (2,):
        raise InvalidData(f"the actions have {rows.shape[1]} features; a picture of choices has two")
    edges = np.asarray(found.segments.offsets)
    parts = zip(edges[:-1], edges[1:], taken, strict=True)
    delta = np.vstack([rows[at] - np.delete(rows[low:high], at - low, axis=0) for low, high, at in parts])
    ahead = delta @ np.asarray(model.coef_) > 0.0
    axes = one_axes(ax, (5.0, 4.6))
    axes.set_aspect("equal")
    limits = frame(axes, np.vstack([delta, np.zeros(2)]), 0.15)
    draw_line(axes, np.append(model.coef_, 0.0), limits, color=BLACK, lw=1.8, label="⟨w, δ⟩ = 0")
    for these, colour, marker, words in (
        (ahead, BLUE, "o", "a* is ahead"),
        (~ahead, VERMILION, "X", "a* is not ahead"),
    ):
        style: dict[str, Any] = {"color": colour, "marker": marker, "s": 34.0, "edgecolors": "black", "linewidths": 0.6}
        axes.scatter(delta[these, 0], delta[these, 1], zorder=3, label=words, **style)
    reach = 0.3 * (limits[1] - limits[0]) / float(np.linalg.norm(model.coef_))
    tip = (reach * float(model.coef_[0]), reach * float(model.coef_[1]))
    axes.annotate("", tip, (0.0, 0.0), arrowprops={"arrowstyle": "-|>", "color": BLACK, "lw": 1.8}, zorder=5)
    axes.annotate("w", tip, (4, 4), textcoords="offset points", path_effects=HALO, zorder=5)
    axes.plot(0.0, 0.0, "+", color=GREY, ms=10)
    axes.set(xlabel="φ(a*, s) − φ(a, s), first feature", ylabel="second feature")
    legend(axes, ax, 3)
    return axes
