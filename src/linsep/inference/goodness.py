"""How well a model fits as a whole: its log likelihood against that of the null model, which has intercepts alone.

    LR = 2(l − l₀), χ² with as many degrees of freedom as there are weights of features
    AIC = 2k − 2l,  BIC = k ln n − 2l,  k the number of coefficients (with a penalty tr H⁻¹J, the effective number)
    McFadden 1 − l/l₀,  Cox–Snell R² = 1 − e^(−LR/n),  Nagelkerke R²/(1 − e^(2l₀/n))

Firth's LR is that of its penalised likelihood, the features held at 0 in the same model, as its intervals are.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, nan

import numpy as np
from scipy.special import chdtrc

from linsep.inference.criterion import Penalised, maximum
from linsep.inference.estimate import Estimate
from linsep.inference.sample import Sample
from linsep.types import FloatArray, IntArray


@dataclass(frozen=True)
class Goodness:
    """statistic and p_value are of the likelihood-ratio test; p_value is nan where the test is not valid."""

    observations: float
    log_likelihood: float
    null_log_likelihood: float
    statistic: float
    degrees: int
    p_value: float
    parameters: float

    @property
    def aic(self) -> float:
        return 2.0 * (self.parameters - self.log_likelihood)

    @property
    def bic(self) -> float:
        return self.parameters * log(self.observations) - 2.0 * self.log_likelihood

    @property
    def mcfadden(self) -> float:
        return 1.0 - self.log_likelihood / self.null_log_likelihood

    @property
    def cox_snell(self) -> float:
        return 1.0 - exp(2.0 * (self.null_log_likelihood - self.log_likelihood) / self.observations)

    @property
    def nagelkerke(self) -> float:
        return self.cox_snell / (1.0 - exp(2.0 * self.null_log_likelihood / self.observations))


def goodness(estimate: Estimate, null: float, statistic: float, *, valid: bool) -> Goodness:
    """null: the log likelihood of the null model; valid: the statistic has its χ² distribution."""
    degrees = int(estimate.sample.is_feature().sum())
    return Goodness(
        estimate.observations,
        estimate.log_likelihood,
        null,
        statistic,
        degrees,
        float(chdtrc(degrees, statistic)) if valid else nan,
        float(np.einsum("ij,ji->", estimate.bread, estimate.information)),
    )


def null_log_likelihood(codes: IntArray, counts: FloatArray, n_classes: int, *, intercept: bool) -> float:
    """Every row has the probabilities of the classes as a whole; without intercepts, the same for each class."""
    totals = np.bincount(codes, weights=counts, minlength=n_classes)
    S = float(totals.sum())
    return float(totals @ np.log(totals / S)) if intercept else -S * log(n_classes)


def null_beside_offset(sample: Sample) -> float:
    """The same where the scores have a known part: the intercepts are fitted beside it."""
    features = sample.is_feature() > 0.0
    return maximum(Penalised(sample, np.zeros((sample.size, sample.size))), np.zeros(sample.size), ~features).value


def restricted_statistic(estimate: Estimate) -> float:
    """2(maximum − maximum with all features held at 0) of what the estimate maximises."""
    features = estimate.sample.is_feature() > 0.0
    null = maximum(estimate.criterion, np.zeros(len(features)), ~features)
    return 2.0 * (estimate.place.value - null.value)
