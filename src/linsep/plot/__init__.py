"""Pictures: each from a fitted object and data, on matplotlib axes, which it returns. Nothing is shown unasked.

matplotlib is optional: pip install 'linsep[plot]'.
"""

from linsep.plot.calibration import calibration
from linsep.plot.certificate import certified_gaps
from linsep.plot.choices import choice_differences
from linsep.plot.comparisons import input_and_feature_space, least_squares_and_outlier, memory_and_constant
from linsep.plot.descent import descent_path, loss_and_smoothed, scaling_and_descent, sigmoid_minima
from linsep.plot.geometry import projections, separation
from linsep.plot.losses import margin_losses, step_and_sigmoid
from linsep.plot.margins import hyperplane, ordered_margins
from linsep.plot.novikoff import mistakes_per_epoch, novikoff_proof
from linsep.plot.perceptron import perceptron_gif, perceptron_steps
from linsep.plot.perceptron_data import flipped_labels, many_solutions, order_of_examples
from linsep.plot.probability import logistic_gradients, posteriors
from linsep.plot.regions import ambiguous_regions, decision_regions
from linsep.plot.selection import alpha_curve, coefficient_paths

__all__ = [
    "alpha_curve",
    "ambiguous_regions",
    "calibration",
    "certified_gaps",
    "choice_differences",
    "coefficient_paths",
    "decision_regions",
    "descent_path",
    "flipped_labels",
    "hyperplane",
    "input_and_feature_space",
    "least_squares_and_outlier",
    "logistic_gradients",
    "loss_and_smoothed",
    "many_solutions",
    "margin_losses",
    "memory_and_constant",
    "mistakes_per_epoch",
    "novikoff_proof",
    "order_of_examples",
    "ordered_margins",
    "perceptron_gif",
    "perceptron_steps",
    "posteriors",
    "projections",
    "scaling_and_descent",
    "separation",
    "sigmoid_minima",
    "step_and_sigmoid",
]
