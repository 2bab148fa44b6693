"""Inference as a value: coefficients with their uncertainty, and what may be said about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from linsep.errors import MissingPackage, unknown_name
from linsep.inference.goodness import Goodness
from linsep.inference.intervals import Tested
from linsep.inference.prediction import ProbabilityIntervals, probability_intervals
from linsep.model import LinearModel
from linsep.types import FloatArray

Array = np.ndarray[Any, Any]

FRAMES = ("polars", "pandas")


@dataclass(frozen=True, eq=False)
class Inference:
    """Coefficients θ, in one vector: of two classes those of the log odds of `others[0]` against `reference`; of more
    those of the log odds of each other class against it, class after class.

    names            of the coefficients; with more than two classes "class: feature"
    features         the feature (or "intercept") of each
    classes          the class of each
    estimates        the optimum to rounding: a few Newton steps from the model's weights, which are within its tol
    covariance       of the estimates
    root             R with RRᵀ the covariance
    tested           z, and the ends of the intervals at `level`
    bias             with a penalty: the estimated bias of each estimate, −H⁻¹Qθ̂; else None
    scale            e^(scale·θ) is an odds ratio (1 for the log loss); 0 where scores are no log odds
    goodness         of the fit as a whole; None for a loss that is no likelihood
    statement        what is valid, in a sentence
    notes            what else should be known
    """

    model: LinearModel = field(repr=False)
    reference: Any
    others: tuple[Any, ...]
    features: tuple[str, ...]
    classes: tuple[Any, ...]
    estimates: FloatArray
    covariance: FloatArray = field(repr=False)
    root: FloatArray = field(repr=False)
    tested: Tested = field(repr=False)
    level: float
    goodness: Goodness | None
    bias: FloatArray | None
    scale: float
    method: str
    statement: str
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        if len(self.others) == 1:
            return self.features
        return tuple(f"{c}: {f}" for c, f in zip(self.classes, self.features, strict=True))

    @property
    def standard_errors(self) -> FloatArray:
        return np.asarray(np.sqrt(self.covariance.diagonal()))

    @property
    def z(self) -> FloatArray:
        """The estimate over its standard error; for profile intervals the signed root of the likelihood ratio."""
        return self.tested.z

    @property
    def p_values(self) -> FloatArray:
        """Of the hypothesis that the coefficient is 0, two-sided."""
        return self.tested.p_values

    @property
    def intervals(self) -> FloatArray:
        """(p, 2): lower and upper ends."""
        return np.stack((self.tested.lower, self.tested.upper), axis=1)

    @property
    def odds_ratios(self) -> FloatArray:
        """By what the odds are multiplied as the feature grows by 1; nan where scores are no log odds."""
        return self._ratios(self.estimates)

    @property
    def odds_ratio_intervals(self) -> FloatArray:
        """(p, 2)."""
        return self._ratios(self.intervals)

    def _ratios(self, values: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(self.scale * values)) if self.scale > 0.0 else np.full_like(values, np.nan)

    def predict(self, X: Any, level: float | None = None) -> ProbabilityIntervals:
        """Probabilities of the classes for new rows, with intervals that stay within (0, 1)."""
        return probability_intervals(self, X, self.level if level is None else level)

    def columns(self) -> dict[str, Array]:
        """The table as named columns, ready for any data frame."""
        low, high = self.intervals.T
        ratio_low, ratio_high = self.odds_ratio_intervals.T
        names = {"feature": np.array(self.features, dtype=object)}
        if len(self.others) > 1:
            names = {"class": np.array(self.classes), **names}
        return {
            **names,
            "estimate": self.estimates,
            "standard_error": self.standard_errors,
            "z": self.z,
            "p_value": self.p_values,
            "lower": low,
            "upper": high,
            "odds_ratio": self.odds_ratios,
            "odds_ratio_lower": ratio_low,
            "odds_ratio_upper": ratio_high,
        }

    def frame(self, library: str = "polars") -> Any:
        """The table as a data frame of polars or pandas."""
        if library not in FRAMES:
            raise unknown_name("library of data frames", library, FRAMES)
        try:
            return import_module(library).DataFrame({name: list(c) for name, c in self.columns().items()})
        except ImportError:
            raise MissingPackage(f"{library} is not installed: pip install {library}, or use columns()") from None

    def summary(self) -> str:
        """The coefficients as a table, the fit as a whole, and what is valid."""
        from linsep.inference.words import summarise

        return summarise(self)

    def __str__(self) -> str:
        return self.summary()
