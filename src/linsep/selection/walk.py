"""Down a grid of α, further where the best lies at its end, and no further than it pays."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from linsep.model import Watch
from linsep.selection.curve import Curve
from linsep.solvers import Record
from linsep.types import FloatArray

#: α → loss, standard error, certified relative excess of the fits
Evaluate = Callable[[float], tuple[float, float, float]]

#: A grid ends early after so many values in a row that are worse than the best by so many standard errors.
_WORSE_VALUES, _WORSE_ERRORS = 3, 2.0
#: Decades that a grid may be extended by, either way.
_MOST_DECADES = 6.0
#: Intervals of ln α on which a parabola through three losses can be trusted.
_SHORT = 1.7
#: By which a search goes on where the parabola was wrong and the best still lies at its end.
_DECADE = 0.1
#: Of the first loss: a rise above it that may end a grid.
_SOME = 0.01
#: Losses that differ by less than this, relatively, are level: there is nothing to be found further on.
_LEVEL = 1e-4

#: Steps that change the loss by less than this many standard errors are level too; and of a coarse grid, whose steps
#: are large: what lies beyond is not worth looking for.
_NOTHING, COARSE_LEVEL = 0.03, 0.1


@dataclass(eq=False)
class Walk:
    """The values tried so far."""

    evaluate: Evaluate
    time_limit: float
    watch: Watch | None = None
    level: float = 0.0  # standard errors that count for nothing where a grid may be extended
    alphas: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    began: float = field(default_factory=time.perf_counter)
    interrupted: bool = False

    def through(self, alphas: FloatArray) -> None:
        """All of these values, largest first, unless the time runs out."""
        for j, alpha in enumerate(alphas.tolist()):
            if not self._try(alpha, j, len(alphas)):
                return
        self._tell_edge()

    def down(self, alphas: FloatArray) -> None:
        """This grid, cut short where only worse is to come, extended where the best lies at its end."""
        ratio = float(alphas[1] / alphas[0])
        for j, alpha in enumerate(alphas):
            if not self._try(float(alpha), j, len(alphas)):
                return
            if self._past_the_best():
                if j + 1 < len(alphas):
                    self.notes.append(f"the grid ends at α = {alpha:.3g}: smaller values only got worse")
                break
        self._extend(ratio)
        self._tell_edge()

    def coarsely(self, alphas: FloatArray) -> None:
        """From the middle of this grid down, as long as it pays; then up, while the top is within an error of the best.

        The upper half costs fits that say next to nothing.
        """
        middle = (len(alphas) + 1) // 2
        for j, alpha in enumerate(alphas[middle:]):
            if not self._try(float(alpha), j, len(alphas)):
                return
            ends = (
                (self._risen, "smaller values only got worse"),
                (self._levelled, "smaller values change next to nothing"),
                (self._turned, "the losses turn there"),
            )
            why = next((words for ended, words in ends if ended()), None)
            if why is not None:
                if middle + j + 1 < len(alphas):
                    self.notes.append(f"the grid ends at α = {alpha:.3g}: {why}")
                break
        for alpha in alphas[:middle][::-1]:
            if not self._open_above():
                break
            if not self._try(float(alpha), len(self.alphas), len(alphas)):
                return
        if not self._turning():
            self._extend(float(alphas[1] / alphas[0]))

    def refine(self, times: int) -> None:
        """So many more values, each at the vertex of the parabola (in ln α) through the best and its neighbours."""
        turned = self._turning()
        for j in range(times):
            near = self._lowest()
            if near is None:
                break
            if not self._try(float(np.exp(near)), j, times):
                return
        if turned and np.argmin(self.alphas) == np.nanargmin(self.losses):
            # the parabola saw a bump, not the lowest point: one value further on tells how the losses go on
            if not self._try(_DECADE * min(self.alphas), 0, 1):
                return
            self._extend(_DECADE)
        self._tell_edge()

    def curve(self, method: str, scored: str, notes: tuple[str, ...]) -> Curve:
        order = np.argsort(-np.array(self.alphas), kind="stable")
        alphas, losses, errors = (np.array(column)[order] for column in (self.alphas, self.losses, self.errors))
        made = Curve(alphas, losses, errors, method, scored, (*notes, *self.notes), self.interrupted)
        at_best = self.alphas.index(made.best)
        excess = self.gaps[at_best] * abs(self.losses[at_best])
        if excess <= self.errors[at_best] or scored.startswith("minus"):
            return made
        note = f"the fits of the folds at the best α are proved to within {self.gaps[at_best]:.1g} only"
        return replace(made, notes=(*made.notes, note))

    def _try(self, alpha: float, number: int, count: int) -> bool:
        """Whether there was time for it; the first value is always tried. Ctrl-C ends the search, not what it found."""
        if self.interrupted:
            return False
        seconds = time.perf_counter() - self.began
        if self.alphas and seconds >= self.time_limit:
            self.notes.append(f"time_limit ended the search after {len(self.alphas)} values of α")
            return False
        try:
            if self.watch is not None:
                self.watch.begin(number, count)
            loss, error, gap = self.evaluate(alpha)
        except KeyboardInterrupt:
            if not self.alphas:
                raise
            self.interrupted = True
            self.notes.append(f"Ctrl-C ended the search after {len(self.alphas)} values of α")
            return False
        self.alphas.append(alpha)
        self.losses.append(loss)
        self.errors.append(error)
        self.gaps.append(gap)
        if self.watch is not None:
            self.watch(Record(0, time.perf_counter() - self.began, loss, loss * (1.0 - gap)))
        return True

    def _levelled(self) -> bool:
        """Whether the losses fell well below the first, and the last two steps changed them by next to nothing."""
        if len(self.losses) < 4:
            return False
        steps, error = np.abs(np.diff(self.losses[-3:])), self.errors[-1]
        fell = self.losses[0] - min(self.losses) > _WORSE_ERRORS * error
        return fell and bool((steps < _NOTHING * error).all())

    def _risen(self) -> bool:
        """On a coarse grid one value is enough that is well above the best."""
        best = int(np.nanargmin(self.losses))
        return self.losses[-1] - self.losses[best] > _WORSE_ERRORS * self.errors[best]

    def _open_above(self) -> bool:
        """Whether the largest α is within a standard error of the best, so that neither rule has its value yet."""
        top, best = int(np.argmax(self.alphas)), int(np.nanargmin(self.losses))
        return bool(self.losses[top] - self.losses[best] <= self.errors[best])

    def _turning(self) -> bool:
        """Whether the smallest α is the best, but the parabola through the last three values turns before it."""
        t, losses, errors = self._ascending()
        if len(t) < 3 or not np.isfinite(losses[:3]).all() or int(np.nanargmin(losses)) != 0:
            return False
        level = losses[:3].max() - losses[0] < _NOTHING * errors[0]
        return not level and t[0] < _parabola(t[:3], losses[:3]) < t[1]

    def _turned(self) -> bool:
        """The same on intervals on which the parabola can be trusted; where it was wrong, `refine` goes on."""
        return self._turning() and bool(np.diff(self._ascending()[0][:3]).max() < _SHORT)

    def _lowest(self) -> float | None:
        """ln α where the curve should be lowest, or None where the errors cannot tell that from the best so far.

        Where the vertex is next to a value tried already, half-way into the wider of the two intervals; unless both are
        so short that the parabola can be trusted, or all three values are as good.
        """
        t, losses, errors = self._ascending()
        best = int(np.nanargmin(losses))
        if self._turning():
            return _end_vertex(t[:3], losses[:3])
        around = slice(best - 1, best + 2)
        if best in (0, len(t) - 1) or not np.isfinite(losses[around]).all():
            return None
        nothing = _NOTHING * errors[best]
        if losses[around].max() - losses[best] < nothing:
            return None
        level = losses[around].max() - losses[best] < self.level * errors[best]
        if _gain(t[around], losses[around]) < nothing and (level or np.diff(t[around]).max() < _SHORT):
            return None
        return _vertex(t[around], losses[around])

    def _ascending(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """ln α, losses and errors, from the smallest α."""
        order = np.argsort(np.array(self.alphas))
        return np.log(np.array(self.alphas)[order]), np.array(self.losses)[order], np.array(self.errors)[order]

    def _past_the_best(self) -> bool:
        """At the top, where scores are all but 0 and move with 1/α, any rise is as sure as it is small. It tells
        nothing of what follows: it must be of some size there, and beyond the errors that belong to that size."""
        best = int(np.nanargmin(self.losses))
        since, errors = np.array(self.losses[best + 1 :]), np.array(self.errors[best + 1 :])
        if len(since) < _WORSE_VALUES:
            return False
        rise = np.full(len(since), _WORSE_ERRORS * self.errors[best])
        if best == 0:
            rise = np.maximum(_WORSE_ERRORS * errors, _SOME * abs(self.losses[0]))
        return bool((since - self.losses[best] > rise)[-_WORSE_VALUES:].all())

    def _extend(self, ratio: float) -> None:
        """Beyond the end at which the best lies, by the same ratio, while the losses still fall."""
        for end, factor in ((-1, ratio), (0, 1.0 / ratio)):
            most = int(_MOST_DECADES / abs(np.log10(ratio)))
            added = 0
            while added < most and self._falling(end):
                alpha = (min(self.alphas) if end else max(self.alphas)) * factor
                if not self._try(alpha, 0, 1):
                    return
                added += 1
            if added:
                self.notes.append(f"the best α was at the end of the grid, which was extended to α = {alpha:.3g}")

    def _falling(self, end: int) -> bool:
        """Whether the best is the last value at this end, and better than its neighbour by more than nothing."""
        order = np.argsort(-np.array(self.alphas))
        losses = np.array(self.losses)[order]
        neighbour = losses[-2] if end else losses[1]
        at_end = int(np.nanargmin(losses)) == (len(losses) - 1 if end else 0)
        nothing = max(_LEVEL * abs(losses[end]), self.level * np.array(self.errors)[order][end])
        return at_end and neighbour - losses[end] > max(nothing, np.finfo(np.float64).tiny)

    def _tell_edge(self) -> None:
        best = self.alphas[int(np.nanargmin(self.losses))]
        for end, which, edge in ((-1, "smallest", min(self.alphas)), (0, "largest", max(self.alphas))):
            if best == edge and len(self.alphas) > 1:
                why = "a better one may lie beyond" if self._falling(end) else "the losses are level there"
                self.notes.append(f"the best α is the {which} tried, {edge:.3g}: {why}")


def _parabola(t: FloatArray, losses: FloatArray) -> float:
    """Where the parabola through three points is least; NaN where it bends the other way."""
    left, right = t[1] - t[0], t[2] - t[1]
    fall, rise = (losses[0] - losses[1]) / left, (losses[2] - losses[1]) / right
    total = fall + rise
    return float(t[1] + 0.5 * (right * fall - left * rise) / total) if total > 0.0 else float("nan")


def _gain(t: FloatArray, losses: FloatArray) -> float:
    """By how much the parabola's vertex is below the middle point."""
    left, right = t[1] - t[0], t[2] - t[1]
    bend = ((losses[0] - losses[1]) / left + (losses[2] - losses[1]) / right) / (left + right)
    return float(bend * (_parabola(t, losses) - t[1]) ** 2)


def _vertex(t: FloatArray, losses: FloatArray) -> float:
    """The parabola's vertex, the middle point being lowest; kept off the points themselves."""
    left, right = t[1] - t[0], t[2] - t[1]
    middle = _parabola(t, losses)
    if abs(middle - t[1]) > 0.1 * min(left, right):
        return middle
    return float(t[1] + 0.5 * right if right >= left else t[1] - 0.5 * left)


def _end_vertex(t: FloatArray, losses: FloatArray) -> float:
    """The parabola's vertex between the first two points, kept off the first."""
    return max(_parabola(t, losses), float(t[0] + 0.1 * (t[1] - t[0])))
