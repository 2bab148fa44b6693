"""How much a fit of each solver typically takes, counted in the units of work.py.

Least squares of ln seconds over some nine hundred fits of generated and real data (dense and sparse, 60 to 1,000,000
rows, α from 10⁻⁶ to 10⁻²), each planned and fitted in turn on a busy machine; then the level of each solver so that the
median of `python -m benchmarks.plan` on a quiet one is right; `steep` over 112 fits of generated bags of words and
texts; softmax_dual over 84 fits of such bags and of samples of two text collections, in processor seconds, where a
trial told nothing beyond the sizes. Data, not code: fitted again when solvers change.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Typical:
    """counts     units of each kind (work.UNITS), relative to one pass, one Gram matrix, one factorisation, one call
    exponents  of e to the traits of the size (work.Size.traits)
    trust      the power of a trial's seconds over those expected of it
    unended    what a trial that ran into its limit adds
    steep      of e to `Size.steepness`: what a small α adds on wide rows beyond the exponents and the trial, whose rows
               are too few for their columns to show it
    spread     the range: expected divided and multiplied by it
    """

    counts: tuple[float, float, float, float, float, float, float]
    exponents: tuple[float, float, float, float]
    trust: float
    unended: float = 1.0
    steep: float = 0.0
    spread: float = 4.0


#: By solver, and whether it has K scores a row.
TABLE: dict[tuple[str, bool], Typical] = {
    ("augmented_lagrangian", False): Typical(
        (79, 1.1, 72, 0.87, 0.31, 7.9, 63), (0.067, -0.066, -0.33, 0.058), 0.60, 1.4
    ),
    ("crammer_singer", True): Typical((120, 110, 8.4, 48, 0, 0, 0), (0.02, 0.049, -0.067, 0), 0.97, 1.9),
    ("dual_cd", False): Typical((1.9, 0.4, 20, 19, 0, 0, 0), (0.16, -0.094, 0, -0.5), 0.49, 3.3, 0.33),
    ("lbfgs", False): Typical((24, 1, 170, 220, 0, 0, 0), (0.16, -0.0027, -1, 0.23), 0.44, 1.4),
    ("least_squares", False): Typical((2.5, 0.88, 21, 29, 0.028, 0.27, 0.3), (0.014, -0.13, -1.4, 0), 0.17, 2.4, 0.33),
    ("least_squares", True): Typical((2, 37, 0.34, 0.25, 0.0079, 0.26, 0.01), (0.004, -0.024, -0.99, 0), 0.27, 3.2),
    ("newton", False): Typical((6.1, 0.61, 61, 47, 0.39, 3.1, 5.1), (0.06, -0.15, -1.7, -0.021), 0.17, 1),
    ("newton", True): Typical((10, 0.3, 0.36, 0.3, 0.4, 0.3, 0.3), (0.12, 0.65, -0.84, 0), 0.53, 2),
    ("newton_cg", False): Typical((0.0073, 0.0074, 0.0074, 0.51, 0, 0, 0), (0.18, -0.22, 0, 0), 0.79, 2),
    ("newton_cg", True): Typical((0.068, 0.62, 0.062, 0.46, 0, 0, 0), (0.35, -0.4, 0, 0), 0.63, 2.4),
    ("softmax_dual", True): Typical((44, 18, 18, 18, 0, 0, 0), (0.1, 0.13, 0, 0), 0.0),
    ("whitened", False): Typical((0.22, 0.2, 0.2, 0.2, 0.19, 0.2, 0.099), (0.01, -0.17, 0, 0), 0.75, 2),
    ("whitened", True): Typical((0.025, 0.028, 0.043, 0.028, 0.6, 0.24, 0.0015), (0.12, -0.59, 0, 0), 0.89, 1.4),
}

#: For a solver with too few measurements: passes, and little trust in them.
_UNKNOWN = Typical((5, 5, 100, 100, 1, 1, 1), (0.2, 0, 0, 0), 0.7, 2, spread=10.0)


def typical(solver: str, *, joint: bool) -> Typical:
    """The counts of that solver; those of one score a row where there are none of several."""
    return TABLE.get((solver, joint), TABLE.get((solver, False), _UNKNOWN))
