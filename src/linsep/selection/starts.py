"""Where the fit of a fold at a new α begins.

Between two values of α at which it has been fitted, on the line in ln α. Beyond them, with α′ the nearest: what tells
the folds apart changes little with α, so if folds g have been fitted at the new α already, fold f begins at

    w_f(α′) + mean over g of (w_g(α) − w_g(α′)),

and the first fold at w(α′).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log

import numpy as np

from linsep.types import FloatArray

#: Weights that are kept, in all.
_MOST_KEPT = 1 << 25


@dataclass(eq=False)
class Starts:
    """The weights of every fold at the values of α so far, by ln α; where they are too many, the last ones."""

    count: int
    known: list[dict[float, FloatArray]] = field(init=False)

    def __post_init__(self) -> None:
        self.known = [{} for _ in range(self.count)]

    def keep(self, f: int, alpha: float, w: FloatArray) -> None:
        self.known[f][log(alpha)] = w
        while len(self.known[f]) > max(2, _MOST_KEPT // (self.count * w.size)):
            del self.known[f][next(iter(self.known[f]))]

    def at(self, f: int, alpha: float) -> FloatArray | None:
        """Weights for fold f to begin from, or None. Folds come in order: those before f have been fitted at this α."""
        mine, here = self.known[f], log(alpha)
        near = sorted(mine, key=lambda t: abs(t - here))
        if not near:
            return None
        across = [t for t in near if (t - here) * (near[0] - here) < 0.0]
        if across:
            share = (here - near[0]) / (across[0] - near[0])
            between: FloatArray = (1.0 - share) * mine[near[0]] + share * mine[across[0]]
            return between
        others = [self.known[g] for g in range(f) if here in self.known[g] and near[0] in self.known[g]]
        moved = [other[here] - other[near[0]] for other in others if other[here].shape == mine[near[0]].shape]
        ahead: FloatArray = mine[near[0]] + np.mean(moved, axis=0) if moved else mine[near[0]]
        return ahead
