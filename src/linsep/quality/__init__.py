"""How good predictions are on rows that the fit did not see: measures and curves, each with its interval."""

from typing import TYPE_CHECKING

from linsep.later import later
from linsep.quality.intervals import Estimate
from linsep.quality.measures import Predictions, Quality, measure

if TYPE_CHECKING:
    from linsep.quality.curves import Curves, draw_curves

__all__ = ["Curves", "Estimate", "Predictions", "Quality", "draw_curves", "measure"]

__getattr__ = later(__name__, dict.fromkeys(("Curves", "draw_curves"), "linsep.quality.curves"))
