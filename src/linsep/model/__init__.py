"""The model as a value: weights, classes and certificate, and what they come from."""

from linsep.model.fit import Effort, Watch, fit_model, problems_of
from linsep.model.model import LinearModel, Objective, Origin, Run
from linsep.model.training import Training, read_training, with_offset

__all__ = [
    "Effort",
    "LinearModel",
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
