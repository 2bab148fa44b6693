"""The model as a value: weights, classes and certificate, and what they come from. What fits one is loaded when asked
for."""

from typing import TYPE_CHECKING

from linsep.later import later
from linsep.model.correction import Correction
from linsep.model.model import LinearModel, Objective, Origin, Run
from linsep.model.rule import LinearRule
from linsep.model.training import Training, read_training, with_offset
from linsep.model.watch import Watch

if TYPE_CHECKING:
    from linsep.model.fit import Effort, certificate_of, fit_model, fit_weights, problems_of

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

_LATER = ("Effort", "certificate_of", "fit_model", "fit_weights", "problems_of")
__getattr__ = later(__name__, dict.fromkeys(_LATER, "linsep.model.fit"))
