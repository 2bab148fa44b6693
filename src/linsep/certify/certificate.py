"""A certificate: how far a fit can be from the optimum, as a value."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from math import inf, isfinite, sqrt

#: The gap beyond which, beside 1 or P, rounding leaves nothing that could be called a bound.
_COARSE = 1e-3


class Kind(Enum):
    """What the lower bound rests on; the value is the sentence that reports show."""

    DUALITY_GAP = "a dual point bounds the optimum from below"
    LOCAL_CURVATURE = "strong convexity around the point bounds the optimum from below"
    STATIONARY = "the objective is not convex: the gradient is small, but no bound on the optimum exists"
    NONE = "no bound on the optimum is known"


@dataclass(frozen=True)
class Certificate:
    """The proof that comes with a fit.

    primal       P(w, b), the value reached
    bound        a number that no (w, b) can go below
    kind         what the bound rests on
    tol          the relative excess that was asked for
    alpha        of the objective; with α > 0 the gap also bounds ‖w − w*‖
    gradient     norm of the gradient (or of a subgradient's distance to zero) where it is known
    allowance    how much of a gap may be rounding; never less than what it does to a mean loss of 1
    strength     strong convexity of P in w, where that is not α: α(1−ρ) times the least penalty factor
    parts        the certificates of the binary problems of a reduction, or empty
    fingerprint  hashes of the data and the parameters it speaks of
    """

    primal: float
    bound: float
    kind: Kind
    tol: float
    alpha: float
    gradient: float = inf
    allowance: float = 0.0
    parts: tuple[Certificate, ...] = ()
    fingerprint: dict[str, str] = field(default_factory=dict)
    strength: float | None = None

    @property
    def gap(self) -> float:
        """An upper bound on P(w, b) − P*."""
        return max(self.primal - self.bound, 0.0) if isfinite(self.primal) else inf

    @property
    def relative_gap(self) -> float:
        """gap / P: what `tol` is about. For a reduction that of its worst part."""
        if self.parts:
            return max(part.relative_gap for part in self.parts)
        if not isfinite(self.gap):
            return inf
        return self.gap / abs(self.primal) if self.primal != 0.0 else (0.0 if self.gap == 0.0 else inf)

    @property
    def at_rounding(self) -> bool:
        """The gap is down to what rounding allows, even if `tol` asks for less; and that is still a small gap."""
        if self.parts:
            return all(part.at_rounding or part.relative_gap <= part.tol for part in self.parts)
        return self.gap <= min(4.0 * self.allowance, _COARSE * max(1.0, abs(self.primal)))

    @property
    def holds(self) -> bool:
        """Certified: within `tol`, or as near as float64 can tell."""
        return self.relative_gap <= self.tol or self.at_rounding

    @property
    def distance(self) -> float:
        """‖w − w*‖ is at most this: strong convexity gives α/2 ‖w − w*‖² ≤ gap (`strength` in the place of α)."""
        strength = self.alpha if self.strength is None else self.strength
        return sqrt(2.0 * self.gap / strength) if strength > 0.0 and isfinite(self.gap) else inf

    def prediction_change(self, row_norm: float) -> float:
        """No score of a row of this norm (without intercept) is further than this from the optimum's."""
        return self.distance * row_norm

    def __str__(self) -> str:
        if not isfinite(self.relative_gap):
            return f"not certified: {self.kind.value}"
        state = "certified" if self.holds else "NOT certified"
        within = f"within {self.relative_gap:.1e} of the optimum (relative; asked {self.tol:.1e})"
        return f"{state}: P = {self.primal:.9g}, {within}"


def combine(parts: tuple[Certificate, ...]) -> Certificate:
    """One certificate for a model made of several problems: sums, and the worst part binds."""
    worst = max(parts, key=lambda part: part.relative_gap)
    return Certificate(
        primal=sum(part.primal for part in parts),
        bound=sum(part.bound for part in parts),
        kind=worst.kind,
        tol=worst.tol,
        alpha=worst.alpha,
        gradient=max(part.gradient for part in parts),
        allowance=sum(part.allowance for part in parts),
        parts=parts,
        strength=worst.strength,
    )
