"""An estimate: the maximum, what it maximises, and what its covariance is made of.

With H minus the second derivative of what is maximised, and J that of the log likelihood alone,

    θ̂ − θ ≈ H⁻¹ (score of the sample at θ) + bias,     bias = −H⁻¹ Q θ for the penalty ½θᵀQθ.
"""

from __future__ import annotations

from dataclasses import dataclass

from linsep.cached import cached_property
from linsep.errors import Refused
from linsep.inference.centred import CentredSample, centred
from linsep.inference.criterion import Criterion, Place
from linsep.inference.sample import Sample
from linsep.inference.weighting import Weighting
from linsep.problem.linear_algebra import factor
from linsep.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Estimate:
    """The place of the maximum; clusters: a number a row, or None."""

    criterion: Criterion
    place: Place
    weighting: Weighting
    clusters: IntArray | None = None

    @property
    def sample(self) -> Sample:
        return self.criterion.sample

    @property
    def theta(self) -> FloatArray:
        return self.place.theta

    @cached_property
    def centred(self) -> CentredSample:
        """The rows that H, J and M are summed over."""
        return centred(self.sample)

    @cached_property
    def bread(self) -> FloatArray:
        """H⁻¹ of the centred rows."""
        found = factor(self.criterion.curvature(self.centred.sample, self.place.terms), certain=True)
        if not found.full_rank:
            raise Refused(
                "the second derivative of the objective is singular at the estimate, as far as float64 can tell, so "
                "the weights are not determined and have no standard errors. Scale the columns, drop those that say "
                "the same, or give alpha > 0"
            )
        root = found.inverse_root()
        return root @ root.T

    @cached_property
    def information(self) -> FloatArray:
        """J of the centred rows."""
        return self.centred.sample.information(self.place.terms)

    @property
    def observations(self) -> float:
        return self.weighting.observations(self.sample.counts)

    @cached_property
    def log_likelihood(self) -> float:
        """Of the data at the estimate, without any penalty (minus the summed loss where that is no likelihood)."""
        return float(self.sample.counts @ self.place.terms.value)
