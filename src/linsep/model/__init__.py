"""The model as a value: weights, classes and certificate, and what they come from. What fits one is loaded when asked
for, and so is the rule without a certificate."""

from typing import TYPE_CHECKING

from linsep.later import later
from linsep.model.correction import Correction
from linsep.model.model import LinearModel, Objective, Origin, Run
from linsep.model.watch import Watch

if TYPE_CHECKING:
    from linsep.model.fit import Effort, certificate_of, fit_model, fit_weights, problems_of
    from linsep.model.rule import LinearRule
    from linsep.model.training import Training, read_training, with_offset

__all__ = [
    "Correction",
    "Effort",
    "LinearModel",
    "LinearRule",
    "Objective",
    "Origin",
    "Run",
    "Training",
    "Watch",
    "certificate_of",
    "fit_model",
    "fit_weights",
    "problems_of",
    "read_training",
    "with_offset",
]

_LATER = {
    "linsep.model.fit": ("Effort", "certificate_of", "fit_model", "fit_weights", "problems_of"),
    "linsep.model.rule": ("LinearRule",),
    "linsep.model.training": ("Training", "read_training", "with_offset"),
}
__getattr__ = later(__name__, {name: module for module, names in _LATER.items() for name in names})
