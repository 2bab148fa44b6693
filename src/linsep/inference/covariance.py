"""Covariance of the estimate: H⁻¹ M H⁻¹, with H of inference/estimate.py and M the variance of the summed gradients gᵢ,
both of rows off their means where that matters (inference/centred.py).

    model       M = J, the information: right if the model is. Without a penalty H = J, and this is J⁻¹
    robust      M = Σ gᵢgᵢᵀ, the sandwich (HC0): right for independent rows, even if the model is not
    clustered   M = Σ over the clusters of (Σ gᵢ)(Σ gᵢ)ᵀ: rows of a cluster may depend on each other

Small samples: robust × n/(n − p) (HC1); clustered × G/(G − 1) · (n − 1)/(n − p), as statsmodels has it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linsep.inference.estimate import Estimate
from linsep.types import FloatArray


@dataclass(frozen=True)
class Covariance(ABC):
    """model_based: M is read off the model, which must then be a likelihood; clustered: it needs clusters."""

    name: ClassVar[str]
    words: ClassVar[str]
    model_based: ClassVar[bool] = False
    clustered: ClassVar[bool] = False

    def root(self, estimate: Estimate) -> FloatArray:
        """R with RRᵀ the covariance of the estimates."""
        C = estimate.bread @ self.variance(estimate) @ estimate.bread
        return estimate.centred.given(_root(0.5 * (C + C.T)))

    @abstractmethod
    def variance(self, estimate: Estimate) -> FloatArray:
        """M."""


@dataclass(frozen=True)
class ModelBased(Covariance):
    """The information of the model."""

    name = "model"
    words = "from the information: right if the model is"
    model_based = True

    def variance(self, estimate: Estimate) -> FloatArray:
        return estimate.information


@dataclass(frozen=True)
class Robust(Covariance):
    """The sandwich; small_sample: × n/(n − p)."""

    name = "robust"
    words = "sandwich: right for independent rows, even if the model is not"
    small_sample: bool = False

    def variance(self, estimate: Estimate) -> FloatArray:
        sample, n = estimate.centred.sample, estimate.observations
        M = sample.products(estimate.place.terms, estimate.weighting.squares(sample.counts))
        return M * (n / (n - sample.size)) if self.small_sample else M


@dataclass(frozen=True)
class Clustered(Covariance):
    """The sandwich over clusters; small_sample: × G/(G − 1) · (n − 1)/(n − p)."""

    name = "clustered"
    words = "clustered sandwich: rows of a cluster may depend on each other"
    clustered = True
    small_sample: bool = True

    def variance(self, estimate: Estimate) -> FloatArray:
        assert estimate.clusters is not None
        sample, n = estimate.centred.sample, estimate.observations
        M = sample.group_products(estimate.place.terms, estimate.clusters)
        G = float(len(np.unique(estimate.clusters[sample.counts > 0.0])))
        return M * (G / (G - 1.0) * (n - 1.0) / (n - sample.size)) if self.small_sample else M


def _root(C: FloatArray) -> FloatArray:
    """R with C = RRᵀ, also for a singular C; entries of any scale."""
    diagonal = np.sqrt(C.diagonal())
    scale = np.where(diagonal > 0.0, diagonal, 1.0)  # a column of zeros beside a penalty has no error
    values, vectors = np.linalg.eigh(C / np.outer(scale, scale))
    return np.asarray(diagonal[:, None] * vectors * np.sqrt(np.maximum(values, 0.0)))


COVARIANCES: dict[str, Covariance] = {
    "model": ModelBased(),
    "robust": Robust(),
    "HC0": Robust(),
    "HC1": Robust(small_sample=True),
    "clustered": Clustered(),
}
