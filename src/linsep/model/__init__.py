"""The model as a value: weights, classes and certificate, and what they come from."""

from linsep.model.correction import Correction
from linsep.model.fit import Effort, Watch, fit_model, problems_of
from linsep.model.model import LinearModel, Objective, Origin, Run
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
    "fit_model",
    "problems_of",
    "read_training",
    "with_offset",
]
