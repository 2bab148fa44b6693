"""The figure, from records only: seconds against relative excess, one panel a workload, linsep in front."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from benchmarks.entrants import ENTRANTS, OURS
from benchmarks.records import Record, entrants, excess

COLUMNS = 4
FLOOR = 1e-9  # an excess of zero is drawn here


def draw(records: Record, path: Path) -> None:
    """Write a PNG with one panel for each workload that has runs."""
    matplotlib = importlib.import_module("matplotlib")
    matplotlib.use("Agg")
    pyplot = importlib.import_module("matplotlib.pyplot")
    panels = [record for record in records["workloads"].values() if record["runs"]]
    columns = max(1, min(COLUMNS, len(panels)))
    rows = max(1, -(-len(panels) // columns))
    figure, axes = pyplot.subplots(
        rows, columns, figsize=(4.2 * columns, 3.2 * rows + 0.8), squeeze=False, layout="constrained"
    )
    colours = dict(zip((n for n in ENTRANTS if n != OURS), pyplot.colormaps["tab20"].colors, strict=False))
    for axis, record in zip(axes.flat, panels, strict=False):
        _panel(axis, record, {**colours, OURS: "black"})
    for axis in list(axes.flat)[len(panels) :]:
        axis.axis("off")
    handles = {label: line for axis in axes.flat for line, label in zip(*axis.get_legend_handles_labels(), strict=True)}
    figure.legend(
        handles.values(), handles.keys(), loc="outside lower center", ncols=min(7, 2 * columns), frameon=False
    )
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def _panel(axis: Any, record: Record, colours: dict[str, Any]) -> None:
    for name in entrants(record):
        front = _front([(r["seconds"], max(excess(record, r), FLOOR)) for r in record["runs"] if r["entrant"] == name])
        width, order = (2.6, 3) if name == OURS else (1.2, 2)
        axis.plot(*zip(*front, strict=True), "o-", ms=3, lw=width, zorder=order, label=name, color=colours[name])
    axis.set(xscale="log", yscale="log", ylim=(FLOOR / 2, 1), title=record["title"])
    axis.tick_params(axis="x", which="minor", labelbottom=False)
    axis.set_xlabel("seconds")
    axis.set_ylabel("relative excess")
    for tolerance in record["rules"]["tolerances"]:
        axis.axhline(tolerance, lw=0.5, color="0.8", zorder=1)


def _front(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The runs that no other run of the same entrant beats in both time and excess."""
    front: list[tuple[float, float]] = []
    for seconds, value in sorted(points):
        if not front or value < front[-1][1]:
            front.append((seconds, value))
    return front
