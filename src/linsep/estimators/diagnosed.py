"""`diagnosis_` and `diagnose`: what else there is to know about a fit, on every estimator that fits an objective."""

from __future__ import annotations

from typing import Any

from linsep.diagnosis import Diagnosis, Kept
from linsep.estimators import parameters
from linsep.estimators.fitted import Fitted
from linsep.model import read_training


class Diagnosed(Fitted):
    """Reads `_kept`, which fit leaves."""

    _kept: Kept
    n_jobs: Any

    @property
    def diagnosis_(self) -> Diagnosis:
        self._fitted("diagnosis_")
        return self._kept.diagnosis()

    def diagnose(self, X: Any, y: Any, sample_weight: Any = None) -> Diagnosis:
        """The diagnosis with the data of the fit given once more, for where they were not kept."""
        class_weight, threads = self._model.class_weight, parameters.threads(self.n_jobs)
        return self._kept.again(read_training(X, y, sample_weight, class_weight, threads, type(self).__name__))

    def _serious(self) -> list[str]:
        """Lines of the summary; what remains is said there already."""
        found = [f for f in self.diagnosis_.serious if f.kind != "unfinished"]
        lines = [f"look at     {f.sentence}" for f in found[:2]]
        if len(found) > 2:
            lines.append(f"            and {len(found) - 2} more in diagnosis_")
        return ["", *lines] if lines else []
