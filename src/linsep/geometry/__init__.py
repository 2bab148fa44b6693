"""Hyperplanes, signed distances and margins; decision regions; posteriors and the optimal rule."""

from linsep.geometry.bayes import bayes_rule, class_posteriors, gaussian_posteriors
from linsep.geometry.hyperplane import Hyperplane
from linsep.geometry.logistic import logistic_gradient
from linsep.geometry.margins import (
    Margins,
    functional_margin,
    functional_margins,
    geometric_margin,
    geometric_margins,
    margins,
)
from linsep.geometry.regions import DecisionRegions

__all__ = [
    "DecisionRegions",
    "Hyperplane",
    "Margins",
    "bayes_rule",
    "class_posteriors",
    "functional_margin",
    "functional_margins",
    "gaussian_posteriors",
    "geometric_margin",
    "geometric_margins",
    "logistic_gradient",
    "margins",
]
