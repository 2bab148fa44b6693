"""What a fit has to do, counted: the units of work whose seconds a calibration measures.

| unit    | one of it                                                              |
|---------|------------------------------------------------------------------------|
| call    | the Python around a problem                                            |
| row     | a row or column and score: what is done beside the entries             |
| dense   | an entry of X and score in a pass                                      |
| sparse  | the same of sparse rows                                                |
| gram    | a product for XᵀcX, n·d² of them for a matrix and score                |
| scatter | the same of sparse rows: entries times entries a row                   |
| cube    | d³ for a factorisation, a score                                        |

A score is one of K where a joint loss has K of them, else there is one for each problem.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linsep.solvers.fit import runs_to_rounding
from linsep.types import FloatArray

UNITS = ("call", "row", "dense", "sparse", "gram", "scatter", "cube")
#: Columns beyond which no solver forms XᵀcX.
WIDEST = 3000


@dataclass(frozen=True)
class Size:
    """The facts that the work depends on: rows, columns, stored entries, scores a row of one problem, problems; the
    mean squared length of the (centred) rows over α, which is how ill-conditioned the problem can be."""

    rows: int
    columns: int
    entries: int
    sparse: bool
    scores: int = 1
    problems: int = 1
    hardness: float = 1.0

    @property
    def work(self) -> FloatArray:
        """Units of each kind for one step of each kind."""
        n, d, e = float(self.rows), float(self.columns), float(self.entries)
        products = (e * min(e / n, d) if self.sparse else n * d * d) if d <= WIDEST else 0.0
        here, there = (0.0, 1.0) if self.sparse else (1.0, 0.0)
        cube = d**3 if d <= WIDEST else 0.0
        k = self.scores
        units = [1.0, (n + d) * k, e * k * here, e * k * there, products * k * here, products * k * there, cube * k]
        return self.problems * np.array(units)

    @property
    def steepness(self) -> float:
        """ln hardness beyond 10, where no XᵀcX is formed and steps grow with it."""
        return max(float(np.log(max(self.hardness, 1.0))) - 10.0, 0.0) if self.columns > WIDEST else 0.0

    @property
    def traits(self) -> FloatArray:
        """What makes steps many or few: ln hardness, ln rows a column, going on to rounding, several problems."""
        hard = float(np.clip(np.log(max(self.hardness, 1.0)), 0.0, 30.0))
        small = runs_to_rounding(self.rows, self.columns, self.scores)
        return np.array([hard - 10.0, np.log(self.rows / self.columns) - 4.0, float(small), float(self.problems > 1)])
