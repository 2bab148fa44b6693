"""Types used throughout: arrays, and numbers with the range they are in, which is checked where a file is read
(storage/fields.py)."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

_LARGEST = sys.float_info.max
_LEAST = 5e-324


@dataclass(frozen=True)
class Within:
    """From low to high, both included: a number, or every entry of an array of so many axes. NaN is nowhere."""

    low: float = -_LARGEST
    high: float = _LARGEST
    axes: int = 0

    def holds(self, value: Any) -> bool:
        if self.axes == 0:
            return bool(self.low <= value <= self.high)
        return value.ndim == self.axes and bool(np.all((value >= self.low) & (value <= self.high)))


Finite = Annotated[float, Within()]
Positive = Annotated[float, Within(_LEAST)]
NotNegative = Annotated[float, Within(0.0)]
Share = Annotated[float, Within(0.0, 1.0)]
#: Of rows, documents and the like.
Count = Annotated[int, Within(0, 2**53)]
Line = Annotated[FloatArray, Within(axes=1)]
PositiveLine = Annotated[FloatArray, Within(_LEAST, axes=1)]
