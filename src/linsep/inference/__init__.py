"""Standard errors, tests, intervals, odds ratios; Firth's correction; and refusals where nothing valid can be said."""

from linsep.inference.covariance import Clustered, Covariance, ModelBased, Robust
from linsep.inference.from_model import infer
from linsep.inference.prediction import ProbabilityIntervals
from linsep.inference.result import Inference

__all__ = ["Clustered", "Covariance", "Inference", "ModelBased", "ProbabilityIntervals", "Robust", "infer"]
