"""How much a fit of each solver typically takes, counted in the units of work.py.

Least squares of ln seconds over some nine hundred fits of generated and real data (dense and sparse, 60 to 1,000,000
rows, α from 10⁻⁶ to 10⁻²), each planned and fitted in turn. Data, not code: fitted again when solvers change.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Typical:
    """counts     units of each kind (work.UNITS), relative to one pass, one Gram matrix, one factorisation, one call
    exponents  of e to the traits of the size (work.Size.traits)
    trust      the power of a trial's seconds over those expected of it
    unended    what a trial that ran into its limit adds
    spread     the range: expected divided and multiplied by it
    """

    counts: tuple[float, float, float, float, float, float, float]
    exponents: tuple[float, float, float, float]
    trust: float
    unended: float = 1.0
    spread: float = 4.0


#: By solver, and whether it has K scores a row.
TABLE: dict[tuple[str, bool], Typical] = {
    ("augmented_lagrangian", False): Typical(
        (100, 1.4, 92, 1.1, 0.39, 10, 80), (0.067, -0.066, -0.33, 0.058), 0.60, 1.4
    ),
    ("crammer_singer", True): Typical((120, 110, 8.4, 48, 0, 0, 0), (0.02, 0.049, -0.067, 0), 0.97, 1.9),
    ("dual_cd", False): Typical((6.7, 1.4, 72, 67, 0, 0, 0), (0.16, -0.094, 0, -0.5), 0.49, 3.3),
    ("lbfgs", False): Typical((24, 1, 170, 220, 0, 0, 0), (0.16, -0.0027, -1, 0.23), 0.44, 1.4),
    ("least_squares", False): Typical((5.5, 1.9, 45, 62, 0.06, 0.59, 0.64), (0.014, -0.13, -1.4, 0), 0.17, 2.4),
    ("least_squares", True): Typical((4.8, 89, 0.82, 0.61, 0.019, 0.63, 0.024), (0.004, -0.024, -0.99, 0), 0.27, 3.2),
    ("newton", False): Typical((12, 1.2, 120, 93, 0.77, 6.1, 10), (0.06, -0.15, -1.7, -0.021), 0.17, 1),
    ("newton", True): Typical((34, 1, 1.2, 1, 1.3, 1, 1), (0.12, 0.65, -0.84, 0), 0.53, 2),
    ("newton_cg", False): Typical((0.98, 1, 1, 69, 0, 0, 0), (0.18, -0.22, 0, 0), 0.79, 2),
    ("newton_cg", True): Typical((1.1, 10, 1, 7.4, 0, 0, 0), (0.35, -0.4, 0, 0), 0.63, 2.4),
    ("whitened", False): Typical((1.1, 1, 0.99, 1, 0.98, 1, 0.5), (0.01, -0.17, 0, 0), 0.75, 2),
    ("whitened", True): Typical((1, 1.1, 1.7, 1.1, 24, 9.4, 0.059), (0.12, -0.59, 0, 0), 0.89, 1.4),
}

#: For a solver with too few measurements: passes, and little trust in them.
_UNKNOWN = Typical((5, 5, 100, 100, 1, 1, 1), (0.2, 0, 0, 0), 0.7, 2, 10.0)


def typical(solver: str, *, joint: bool) -> Typical:
    """The counts of that solver; those of one score a row where there are none of several."""
    return TABLE.get((solver, joint), TABLE.get((solver, False), _UNKNOWN))
