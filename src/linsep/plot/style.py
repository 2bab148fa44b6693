"""What all pictures share: colours, markers, axes, legends. The only module that imports matplotlib.

Colours are those of Okabe and Ito, which the colour-blind can tell apart; classes differ by marker as well, so that a
picture survives a grey printer. No global setting of matplotlib is changed, and nothing is ever shown or saved unasked.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.errors import InvalidData, InvalidParameter, MissingPackage
from linsep.types import FloatArray, IntArray

try:
    from matplotlib import pyplot
    from matplotlib.animation import FuncAnimation, PillowWriter
    from matplotlib.axes import Axes
    from matplotlib.colors import ListedColormap, to_rgb
    from matplotlib.patheffects import withStroke
    from matplotlib.ticker import MaxNLocator
except ImportError as missing:
    raise MissingPackage(
        f"linsep.plot draws with matplotlib, which cannot be imported ({missing}): pip install 'linsep[plot]'"
    ) from missing

__all__ = ["Axes", "FuncAnimation", "ListedColormap", "PillowWriter", "pyplot"]

AxesArray = np.ndarray[Any, Any]

BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#E69F00", "#009E73", "#CC79A7"
SKY, VERMILION, YELLOW, BLACK, GREY = "#56B4E9", "#D55E00", "#F0E442", "#000000", "#777777"
CLASS_COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, YELLOW, GREY)
CLASS_MARKERS = ("o", "^", "s", "D", "v", "P", "X", "*")
#: A white edge around letters that stand over points.
HALO = [withStroke(linewidth=3.0, foreground="white")]
PANEL = (4.6, 4.0)  # inches


def tint(colour: str, strength: float = 0.28) -> tuple[float, float, float]:
    """The colour mixed with white."""
    red, green, blue = (1.0 - strength * (1.0 - part) for part in to_rgb(colour))
    return red, green, blue


def one_axes(ax: Axes | None, size: tuple[float, float] = PANEL) -> Axes:
    """The axes given, or those of a new figure."""
    if ax is None:
        return pyplot.subplots(figsize=size, layout="constrained")[1]
    if not isinstance(ax, Axes):
        raise InvalidParameter(f"ax={ax!r} is a {type(ax).__name__}; allowed are matplotlib axes and None")
    return ax


def several_axes(axes: Any, shape: tuple[int, int], size: tuple[float, float] = PANEL) -> AxesArray:
    """As many axes as panels, given in any arrangement, or those of a new figure; an array of that shape."""
    rows, columns = shape
    if axes is None:
        figure_size = (size[0] * columns, size[1] * rows)
        figure, panels = pyplot.subplots(rows, columns, figsize=figure_size, squeeze=False)
        figure.set_layout_engine("constrained", h_pad=0.08, w_pad=0.06)
        return panels
    given = np.atleast_1d(np.asarray(axes, dtype=object))
    if given.size != rows * columns or not all(isinstance(ax, Axes) for ax in given.flat):
        raise InvalidParameter(
            f"axes={axes!r}: allowed are {rows * columns} matplotlib axes, for example those of "
            f"matplotlib.pyplot.subplots({rows}, {columns}), and None"
        )
    return given.reshape(shape)


def scatter_classes(ax: Axes, at: FloatArray, codes: IntArray, classes: Any, size: float = 26.0) -> None:
    """Points (n, 2), a colour and a marker for each class."""
    check_classes(classes)
    for k, label in enumerate(classes):
        mine = codes == k
        style: dict[str, Any] = {"color": CLASS_COLOURS[k], "marker": CLASS_MARKERS[k], "s": size}
        ax.scatter(at[mine, 0], at[mine, 1], edgecolors="black", linewidths=0.6, zorder=3, label=str(label), **style)


def check_classes(classes: Any) -> None:
    """So many classes can be told apart in a picture."""
    if len(classes) > len(CLASS_COLOURS):
        raise InvalidData(
            f"there are {len(classes)} classes, and a picture tells {len(CLASS_COLOURS)} apart: give the rows (and a "
            "model) of some of them"
        )


def ring(ax: Axes, at: FloatArray, label: str, colour: str = BLACK, size: float = 90.0) -> None:
    """Circles around points."""
    if len(at):
        ax.scatter(at[:, 0], at[:, 1], s=size, facecolors="none", edgecolors=colour, lw=1.2, zorder=4, label=label)


def legend(axes: Any, given: Any, columns: int = 4) -> None:
    """One legend for all axes, outside them: under the panels of our own figure, beside the last of given axes."""
    panels = list(np.atleast_1d(np.asarray(axes, dtype=object)).flat)
    found: dict[str, Any] = {}
    for ax in panels:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    if not found:
        return
    look: dict[str, Any] = {"frameon": False, "fontsize": "small", "handletextpad": 0.5}
    if given is None:
        figure = panels[0].get_figure()
        columns = _columns(list(found), columns, figure.get_figwidth())
        figure.legend(found.values(), found.keys(), loc="outside lower center", ncols=columns, **look)
    else:
        panels[-1].legend(found.values(), found.keys(), loc="upper left", bbox_to_anchor=(1.01, 1.0), **look)


def _columns(labels: list[str], most: int, width: float) -> int:
    """As many columns as a line of that many inches holds, filled from top to bottom as matplotlib does."""
    sizes = [0.07 * len(label) + 0.6 for label in labels]
    for count in range(min(most, len(labels)), 1, -1):
        if sum(max(part) for part in np.array_split(sizes, count)) <= width:
            return count
    return 1


def whole_ticks(ax: Axes, which: str = "x") -> None:
    """Ticks at whole numbers: there is no half epoch."""
    (ax.xaxis if which == "x" else ax.yaxis).set_major_locator(MaxNLocator(integer=True, nbins=7))


def frame(ax: Axes, at: FloatArray, pad: float = 0.08) -> tuple[float, float, float, float]:
    """Limits around points, a little wider than they reach; set on the axes and returned."""
    low, high = at.min(axis=0), at.max(axis=0)
    room = pad * np.where(high > low, high - low, 1.0)
    (left, bottom), (right, top) = low - room, high + room
    ax.set_xlim(left, right)
    ax.set_ylim(bottom, top)
    return float(left), float(right), float(bottom), float(top)
