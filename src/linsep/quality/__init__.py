"""How good predictions are on rows that the fit did not see: measures and curves, each with its interval."""

from linsep.quality.curves import Curves, draw_curves
from linsep.quality.intervals import Estimate
from linsep.quality.measures import Predictions, Quality, measure

__all__ = ["Curves", "Estimate", "Predictions", "Quality", "draw_curves", "measure"]
