"""What is added to the mean loss besides the penalty; the value is how the objective is written."""

from __future__ import annotations

from enum import Enum


class Correction(Enum):
    """FIRTH: Jeffreys' prior, I(w, b) = Σ sᵢ pᵢ(1 − pᵢ) (xᵢ, 1)(xᵢ, 1)ᵀ being the information of the log likelihood."""

    NONE = ""
    FIRTH = " − 1/(2S) ln det I(w, b), Firth's correction"
