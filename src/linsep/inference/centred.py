"""Rows off their means, for sums of products of columns that lie far from 0.

With mean/spread = ρ a Gram matrix beside an intercept has lost ρ² of its accuracy. Off its means the estimate is
T⁻¹θ̂, with the same weights and the intercept b + ⟨x̄, w⟩, and so

    Cov θ̂ = T Cov(T⁻¹θ̂) Tᵀ,     T takes ⟨x̄, w⟩ from the intercept of every score.

Given a root R of the inner covariance, TR is one of the outer, and loses no more than ρ.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from linsep.inference.sample import Sample
from linsep.solvers.centring import far_means, off_means
from linsep.types import FloatArray


@dataclass(frozen=True, eq=False)
class CentredSample:
    """means: what was taken off the columns, in two parts as in solvers/centring.py; empty where nothing was."""

    sample: Sample
    means: tuple[FloatArray, ...] = ()

    def given(self, root: FloatArray) -> FloatArray:
        """T times the columns of root, (p, r)."""
        out = root.reshape(self.sample.scores, self.sample.width, -1).copy()
        for part in reversed(self.means):
            out[:, -1] -= part @ out[:, :-1]
        return out.reshape(root.shape)


def centred(sample: Sample) -> CentredSample:
    """The sample off its means where that matters and is affordable, else as it is."""
    means = far_means(sample.design) if sample.intercept else None
    if means is None:
        return CentredSample(sample)
    design, rest = off_means(sample.design, means)
    return CentredSample(replace(sample, design=design), (means, rest))
