"""Reliability: of the rows to which a model gave about this probability, how many were of the class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from linsep.data.labels import encode_labels
from linsep.errors import InvalidData, InvalidParameter
from linsep.plot.style import BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILION, Axes, legend, one_axes
from linsep.types import FloatArray, IntArray

_LOOKS = ((BLUE, "o"), (VERMILION, "^"), (GREEN, "s"), (ORANGE, "D"), (PURPLE, "v"))
#: Standard errors of a 95 % interval.
_Z = 1.959964


@dataclass(frozen=True, eq=False)
class Reliability:
    """For each bin of rows: the mean probability, the share that came true with its interval, and the rows."""

    predicted: FloatArray
    observed: FloatArray
    low: FloatArray
    high: FloatArray
    rows: IntArray


def reliability(came_true: Any, probability: Any, bins: int = 10) -> Reliability:
    """Bins of as many rows each, in order of the probability; Wilson's 95 % intervals."""
    true, p = np.asarray(came_true, dtype=np.float64), np.asarray(probability, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    edges = np.unique(np.linspace(0, len(p), bins + 1).astype(np.int64))
    parts = [order[a:b] for a, b in pairwise(edges)]
    n = np.array([len(part) for part in parts])
    share = np.array([true[part].mean() for part in parts])
    centre = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * np.sqrt(share * (1 - share) / n + _Z**2 / (4 * n * n))
    return Reliability(np.array([p[part].mean() for part in parts]), share, centre - half, centre + half, n)


def calibration(y: Any, probabilities: Any, *, bins: int = 10, ax: Axes | None = None) -> Axes:
    """The reliability diagram: what was predicted against what came true, with 95 % intervals, beside the diagonal.

    Two classes: the probability of the second. More: the probability of the predicted class, against how often it was
    right. The legend gives the Brier score (two classes: of the second) and the log loss, both smaller for the better.

    Parameters
    ----------
    y : classes of rows that the model has not seen
    probabilities : P (n, K) as `predict_proba` gives it, or (n,) for the second of two; or a dict of name: P
    bins : how many groups of as many rows each, at least 2
    ax : matplotlib axes, optional
    """
    if isinstance(bins, bool) or not isinstance(bins, int | np.integer) or bins < 2:
        raise InvalidParameter(f"bins={bins!r}: allowed is a whole number >= 2")
    named = dict(probabilities) if isinstance(probabilities, Mapping) else {"model": probabilities}
    if not 1 <= len(named) <= len(_LOOKS):
        raise InvalidParameter(f"{len(named)} sets of probabilities were given; one to {len(_LOOKS)} can be told apart")
    labels = encode_labels(y, len(np.asarray(y)))
    tables = {name: _table(P, labels.codes, len(labels.classes)) for name, P in named.items()}
    axes = one_axes(ax, (5.2, 4.8))
    axes.plot([0.0, 1.0], [0.0, 1.0], color=GREY, lw=1.2, ls="--", zorder=1, label="calibrated")
    for (name, P), (colour, marker) in zip(tables.items(), _LOOKS, strict=False):
        r = reliability(*_event(P, labels.codes), bins)
        spread = np.abs(np.stack([r.observed - r.low, r.high - r.observed]))
        text = f"{name}: Brier {_brier(P, labels.codes):.4f}, log loss {_log_loss(P, labels.codes):.4f}"
        axes.errorbar(
            r.predicted, r.observed, spread, color=colour, marker=marker, ms=5, lw=1.4, elinewidth=1.0, capsize=2,
            zorder=3, label=text,
        )  # fmt: skip
    two = len(labels.classes) == 2
    what = f"class {labels.classes[1]!s}" if two else "the predicted class"
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    axes.set(xlabel=f"predicted probability of {what}", ylabel="share that came true")
    axes.grid(color="0.92", lw=0.8, zorder=0)
    legend(axes, ax, 1)
    return axes


def _table(P: Any, codes: IntArray, n_classes: int) -> FloatArray:
    """(n, K), checked."""
    table = np.asarray(P, dtype=np.float64)
    if table.ndim == 1 and n_classes == 2:
        table = np.stack([1.0 - table, table], axis=1)
    if table.shape != (len(codes), n_classes):
        raise InvalidData(
            f"probabilities have the shape {np.shape(P)}; for {len(codes)} rows of {n_classes} classes it is "
            f"({len(codes)}, {n_classes})" + (f" or ({len(codes)},)" if n_classes == 2 else "")
        )
    if not ((table >= 0.0) & (table <= 1.0 + 1e-9)).all():
        raise InvalidData("probabilities are numbers from 0 to 1; others were given: scores are none")
    return table


def _event(P: FloatArray, codes: IntArray) -> tuple[FloatArray, FloatArray]:
    """What may come true, 0.0 or 1.0, and its probability."""
    if P.shape[1] == 2:
        return codes.astype(np.float64), P[:, 1]
    top = P.argmax(axis=1)
    return (top == codes).astype(np.float64), P[np.arange(len(P)), top]


def _brier(P: FloatArray, codes: IntArray) -> float:
    hit = np.zeros_like(P)
    hit[np.arange(len(P)), codes] = 1.0
    squares = float(((P - hit) ** 2).sum(axis=1).mean())
    return 0.5 * squares if P.shape[1] == 2 else squares


def _log_loss(P: FloatArray, codes: IntArray) -> float:
    own = P[np.arange(len(P)), codes]
    return float(-np.log(np.maximum(own, np.finfo(np.float64).tiny)).mean())
