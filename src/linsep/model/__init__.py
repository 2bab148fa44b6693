"""The model as a value: weights, classes and certificate, and what they come from."""

from linsep.model.correction import Correction
from linsep.model.fit import Effort, Watch, fit_model
from linsep.model.model import LinearModel, Objective, Origin, Run
from linsep.model.training import Training, read_training

__all__ = [
    "Correction",
    "Effort",
    "LinearModel",
    "Objective",
    "Origin",
    "Run",
    "Training",
    "Watch",
    "fit_model",
    "read_training",
]
