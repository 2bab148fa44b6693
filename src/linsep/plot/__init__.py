"""Pictures: each from a fitted object and data, on matplotlib axes, which it returns. Nothing is shown or saved unasked.

matplotlib is optional: pip install 'linsep[plot]'.
"""

from linsep.plot.comparisons import input_and_feature_space, least_squares_and_outlier, memory_and_constant
from linsep.plot.losses import margin_losses, step_and_sigmoid
from linsep.plot.margins import hyperplane, ordered_margins
from linsep.plot.regions import ambiguous_regions, decision_regions
