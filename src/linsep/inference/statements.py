"""What is valid, in words."""

from __future__ import annotations

import numpy as np

from linsep.inference.estimate import Estimate
from linsep.inference.request import Request

#: Standard errors by which the optimum may differ from the model's weights without a word.
_APART = 1e-3


def method(request: Request) -> str:
    """How the standard errors and intervals were found."""
    weighted = f"; weights are {request.weighting.words}" if request.training.weights is not None else ""
    return f"{request.covariance.words}; {request.intervals.words} intervals{weighted}"


def validity(request: Request) -> str:
    """The sentence for the kind of estimate."""
    if request.firth:
        return (
            "Firth's estimate: without the bias of order 1/n, finite for separated data too; the tests compare "
            "penalised likelihoods, the standard errors are those of the information. Where there are several maxima, "
            "the highest that was found counts"
        )
    if request.penalised:
        return (
            "standard errors and intervals are those of the penalised estimate, H⁻¹MH⁻¹, around its own mean: the "
            "penalty pulls it towards 0 by about its bias, which they do not contain, so the intervals cover the true "
            "coefficient less often than their level says. p-values, and AIC by the effective number of parameters, "
            "are descriptive"
        )
    if not request.likelihood:
        return f"M-estimate: what minimises the mean {request.model.loss} loss over the population, for many rows"
    return "maximum likelihood: for many rows beside the number of coefficients"


def notes(request: Request, estimate: Estimate, moved: float, above: float) -> tuple[str, ...]:
    """What else should be known."""
    weights, found = request.training.weights, []
    if moved > _APART:
        found.append(f"the estimates are the optimum; the model's weights are up to {moved:.1e} standard errors away")
    if above > 0.0:
        found.append(
            f"the estimate is a maximum, but not the highest: the profile of a coefficient rises {above:.2g} above it, "
            "so tests and intervals are not to be relied on"
        )
    if weights is not None and request.weighting.copies and not (weights == np.round(weights)).all():
        found.append(
            "the weights are not whole numbers, yet count as frequencies; weights='importance' if they are none"
        )
    if estimate.observations < 10 * estimate.sample.size and not request.firth:
        found.append(
            f"{estimate.observations:,g} observations for {estimate.sample.size} coefficients are few: estimates are "
            "biased away from 0 and tests too bold; penalty='firth' corrects the bias (two classes)"
        )
    return tuple(found)
