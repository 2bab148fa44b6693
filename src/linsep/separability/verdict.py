"""The verdict as a value, with the witness that proves it, and in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from math import nan
from typing import Any

import numpy as np

from linsep.cached import cached_property
from linsep.separability.words import in_words
from linsep.types import FloatArray, IntArray

Array = np.ndarray[Any, Any]


class Verdict(Enum):
    """The three cases; the value is the sentence."""

    SEPARABLE = "separable: a hyperplane has every row strictly on its side"
    QUASI_SEPARABLE = "quasi-separable: a hyperplane has no row on the wrong side, but some always lie on it"
    NOT_SEPARABLE = "not separable: no hyperplane has every row strictly on its side"


@dataclass(frozen=True, eq=False)
class Combination:
    """Weights λ > 0 of sum 1 on rows, `others` being the class (by number) that each row is held against.

    With aᵢ = the row's (x, 1) for its own class and −(x, 1) for the other, Σ λᵢaᵢ = 0: exactly, if the weights are
    fractions. For two classes the rows of either class have weight ½ in all and the same mean: the common point.
    """

    rows: IntArray
    others: IntArray
    weights: tuple[Fraction, ...]

    @cached_property
    def values(self) -> FloatArray:
        """The weights, rounded."""
        return np.array([float(w) for w in self.weights])


@dataclass(frozen=True, eq=False)
class Separability:
    """Whether a hyperplane tells the classes apart, and the proof. What a verdict has no use for is None or nan.

    verdict       SEPARABLE, QUASI_SEPARABLE or NOT_SEPARABLE
    w, b          the hyperplane, (d,) and a number; with K classes (d, K) and (K,), scores ⟨wₖ, x⟩ + bₖ
    exact         (w, b) as fractions, one row a class but the first, where float64 cannot hold what is proved
    margin        the smallest y(⟨w, x⟩ + b)/‖w‖; with K classes the smallest (z_c − z_k)/‖w_c − w_k‖
    rows          those strictly on their side, the others lying on the hyperplane; with K classes those strictly ahead
                  of some other class
    features      those with a weight that is not 0 in w
    hull          a point common to both convex hulls, by its weights: why no hyperplane separates strictly
    faces         combinations that leave no direction but those in which all margins are 0, each on what the one before
                  has left (the first is `hull`): why nothing is even quasi-separable
    proved        the verdict is exact
    residual      δ, the distance between the two hull points (0: they are the same): no margin exceeds `largest_margin`
    names         of the features, where X had them
    """

    verdict: Verdict
    classes: Array
    fit_intercept: bool
    n_rows: int
    n_features: int
    proved: bool
    w: FloatArray | None = None
    b: Any = None
    exact: tuple[tuple[Fraction, ...], ...] | None = None
    margin: float = nan
    rows: IntArray | None = None
    features: IntArray | None = None
    hull: Combination | None = None
    faces: tuple[Combination, ...] = ()
    residual: float = nan
    names: Array | None = None
    alone: IntArray | None = None
    fingerprint: dict[str, str] = field(default_factory=dict)

    @property
    def separable(self) -> bool:
        return self.verdict is Verdict.SEPARABLE

    def __bool__(self) -> bool:
        return self.separable

    @property
    def has_optimum(self) -> bool | None:
        """Whether the log loss (softmax) has a minimum without a penalty; None where that is not proved."""
        if self.verdict is not Verdict.NOT_SEPARABLE:
            return False
        return True if self.faces else None

    @property
    def largest_margin(self) -> float:
        """No hyperplane has a larger margin: half the distance of two points of the hulls, δ/2 (through 0: δ).

        nan for more than two classes, unless the combination is exact: δ then bounds no single margin.
        """
        if len(self.classes) > 2 and self.residual != 0.0:
            return nan
        return self.residual / 2.0 if self.fit_intercept else self.residual

    @property
    def ties(self) -> IntArray | None:
        """Rows that lie on the hyperplane."""
        return None if self.rows is None else np.setdiff1d(np.arange(self.n_rows), self.rows)

    @property
    def feature_names(self) -> list[str] | None:
        """Names of `features`: those of the frame, else x0, x1, …"""
        return None if self.features is None else [self.name_of(int(j)) for j in self.features]

    def name_of(self, feature: int) -> str:
        return f"x{feature}" if self.names is None else str(self.names[feature])

    @property
    def hyperplane(self) -> Any:
        """w and b as a `Hyperplane`, two classes only."""
        from linsep import geometry

        if self.w is None or self.w.ndim != 1:
            raise AttributeError("only a verdict on two classes with a hyperplane has one")
        return geometry.Hyperplane(self.w, self.b)  # type: ignore[attr-defined,unused-ignore]

    def summary(self) -> str:
        """The verdict in words: what was found, and what proves it."""
        return in_words(self)

    def __str__(self) -> str:
        return self.summary()
