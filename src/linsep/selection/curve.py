"""Left-out loss against α, and the two values that are read off it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linsep.types import FloatArray


@dataclass(frozen=True, eq=False)
class Curve:
    """How well rows that were left out are predicted, for every α tried, the largest (simplest model) first.

    alphas  (m,), falling
    losses  (m,) mean over the left-out rows of what is to be small: the loss, or minus a scorer's value
    errors  (m,) standard error of each mean
    method  how the rows were left out, in words: "5 folds", "approximate leave-one-out"
    scored  what `losses` holds: "log loss", "minus accuracy"
    notes   what the user should know: "the best α is the smallest tried", why folds took the place of the shortcut
    interrupted  whether Ctrl-C ended the search: then the best of the values tried until then
    """

    alphas: FloatArray
    losses: FloatArray
    errors: FloatArray
    method: str
    scored: str
    notes: tuple[str, ...] = ()
    interrupted: bool = False

    @property
    def best(self) -> float:
        """The α of least loss, the largest of equals."""
        return float(self.alphas[self._least])

    @property
    def one_standard_error(self) -> float:
        """The largest α whose loss is within one standard error of the least: the simplest model that is as good."""
        least = self._least
        within = self.losses <= self.losses[least] + self.errors[least]
        return float(self.alphas[int(np.argmax(within))])

    @property
    def at_edge(self) -> bool:
        """Whether the best α is the largest or the smallest tried, so that a better one may lie beyond."""
        return self._least in (0, len(self.alphas) - 1)

    @property
    def _least(self) -> int:
        return int(np.nanargmin(self.losses))

    def sentence(self, used: float) -> str:
        """How α was found, and what was used of it."""
        least = self._least
        return (
            f"{used:.4g} of {len(self.alphas)} tried by {self.method}; {self.scored} {self.losses[least]:.4g} ± "
            f"{self.errors[least]:.2g} at the best, {self.best:.4g}; one standard error: {self.one_standard_error:.4g}"
        )

    def columns(self) -> dict[str, FloatArray]:
        """The curve as named columns, ready for any data frame."""
        return {"alpha": self.alphas, "loss": self.losses, "standard_error": self.errors}

    def record(self) -> dict[str, Any]:
        """As plain values and arrays, for a model file."""
        words = {"method": self.method, "scored": self.scored, "notes": list(self.notes)}
        return {**self.columns(), **words, "interrupted": self.interrupted}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Curve:
        return cls(
            np.asarray(record["alpha"], dtype=np.float64),
            np.asarray(record["loss"], dtype=np.float64),
            np.asarray(record["standard_error"], dtype=np.float64),
            record["method"],
            record["scored"],
            tuple(record["notes"]),
            bool(record.get("interrupted", False)),
        )
