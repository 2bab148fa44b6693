"""Streams: chunk after chunk, and classes that appear on the way.

The first chunk begins at the start that was asked for, weights of a new class at zero. While one class is known there
is nothing to tell apart, and w stays. Two
classes share one margin f = ⟨x, w⟩ + b, positive for the second; when a third appears, it becomes the scores of two
classes that say the same,

    softmax, Crammer–Singer   z = (−f/2, f/2, 0)             z₂ − z₁ = f, so the odds of the two are kept
    one-vs-rest               z = (−f, f, 0)                 each class's own margin
    1-of-K                    z = ((1 − f)/2, (1 + f)/2, 0)  targets −1, 1 become 0, 1

and from then on a further class adds a column.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf, isfinite, nan
from typing import Any

import numpy as np

from linsep.data.labels import Labels, encode_labels
from linsep.data.names import feature_names
from linsep.data.reading import Expected, read_rows, refuse_overflow
from linsep.data.source import as_design, locate_non_finite
from linsep.errors import InvalidData
from linsep.model.training import Training
from linsep.online.gradient import Epoch
from linsep.online.gradient_steps import Pace, Walk, mean_loss, steps_of
from linsep.online.gradient_task import Task
from linsep.problem.reductions import Joint, OneVsRest, Scheme
from linsep.types import FloatArray

Array = np.ndarray[Any, Any]

#: A loss so many times that of the start has no limit.
_HUGE = 1e8


def merge_classes(known: Array, more: Array) -> Array:
    """Both, sorted; refuses labels of another kind."""
    if not len(known):
        return np.unique(more)
    numbers = "biuf"
    same = known.dtype.kind == more.dtype.kind or (known.dtype.kind in numbers and more.dtype.kind in numbers)
    if not same:
        raise InvalidData(
            f"the labels so far are of type {known.dtype}, those of this chunk of type {more.dtype}: use one type"
        )
    return np.unique(np.concatenate((known, more)))


def grow(w: FloatArray, old: Array, new: Array, scheme: Scheme) -> FloatArray:
    """Weights for the new classes from those of the old (both sorted): (d + 1,) for up to two classes, else (d + 1, K).

    scheme: that of more than two classes.
    """
    if len(new) == len(old) or (len(new) <= 2 and w.ndim == 1):
        return w
    places = np.searchsorted(new, old)
    out = np.zeros((len(w), len(new)))
    if w.ndim == 2:
        out[:, places] = w
    elif len(old) == 2:
        out[:, places] = _two_scores(w, scheme)
    return out


def _two_scores(w: FloatArray, scheme: Scheme) -> FloatArray:
    both = np.stack((-w, w), axis=1)
    if isinstance(scheme, OneVsRest):
        return both
    both *= 0.5
    if isinstance(scheme, Joint) and scheme.loss.name == "one_of_k":
        both[-1] += 0.5
    return both


@dataclass(eq=False)
class Stream:
    """Between the chunks: classes and weights so far, a line a chunk, the rate. `fresh`: L has to begin anew."""

    classes: Array
    walk: Walk
    history: list[Epoch] = field(default_factory=list)
    eta0: float = inf
    fresh: bool = False

    def step(self, task: Task, pace: Pace) -> bool:
        """One pass over the chunk in its order; False where it diverged."""
        with np.errstate(over="ignore", invalid="ignore"):
            if self.fresh or not self.history:
                self.walk = replace(self.walk, smoothed=mean_loss(task, self.walk.w))
                self.fresh = False
            if not self.history:
                self._note(task, pace, 0.0, self.walk.smoothed)
            walk = Walk(self.walk.w.copy(), self.walk.t, self.walk.smoothed)
            steps_of(task, pace).epoch(walk, np.arange(task.design.n, dtype=np.int32), None)
            change = float(np.linalg.norm(walk.w - self.walk.w))
        self.walk, self.eta0 = walk, pace.schedule.eta0
        self._note(task, pace, change, nan)
        return isfinite(change) and walk.smoothed < _HUGE * max(self.history[0].smoothed, 1.0)

    def _note(self, task: Task, pace: Pace, change: float, loss: float) -> None:
        walk = self.walk
        penalty, rate = task.penalty.value(walk.w[:-1]), pace.schedule.rate(walk.t)
        self.history = [
            *self.history,
            Epoch(len(self.history), walk.t, loss, penalty, walk.smoothed, change, rate, nan),
        ]


@dataclass(frozen=True, eq=False)
class Chunk:
    """Rows with labels among all classes known now."""

    training: Training

    def shape(self, scheme: Scheme) -> tuple[int, ...]:
        """Of the weights that a stream with this chunk begins with."""
        k, width = self.training.n_classes, self.training.design.d + 1
        return (width,) if _one_margin(k, scheme) else (width, k)

    def begin(self, start: FloatArray) -> Stream:
        return Stream(self.training.labels.classes, Walk(start, 0, nan))

    def continued(self, stream: Stream, scheme: Scheme) -> Stream:
        """The stream with the classes that are new in this chunk."""
        classes = self.training.labels.classes
        w = grow(stream.walk.w, stream.classes, classes, scheme)
        grown = len(classes) > len(stream.classes)
        return replace(stream, classes=classes, walk=replace(stream.walk, w=w), fresh=grown)


def _one_margin(k: int, scheme: Scheme) -> bool:
    return k <= 2 and not (isinstance(scheme, Joint) and scheme.loss.binary is None)


def read_chunk(X: Any, y: Any, classes: Any, stream: Stream | None, expected: Expected | None, threads: int) -> Chunk:
    """X and y of a chunk, checked as in a fit; one class alone is allowed."""
    names = feature_names(X)
    design = as_design(X, threads) if expected is None else read_rows(X, expected, 1, threads)
    labels = encode_labels(y, design.n, fewest=1)
    if not design.scan.finite:
        raise InvalidData(locate_non_finite(X) or "Input X contains NaN or infinity")
    refuse_overflow(design)
    known = labels.classes[:0] if stream is None else stream.classes
    if classes is not None:
        known = merge_classes(known, np.atleast_1d(np.asarray(classes)))
    merged = merge_classes(known, labels.classes)
    codes = np.searchsorted(merged, labels.classes)[labels.codes]
    return Chunk(Training(design, Labels(merged, codes.astype(np.int64)), None, names))
