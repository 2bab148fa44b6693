"""LIBLINEAR by its own Python wrapper. Its lists of nodes are built before the clock starts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.entrants.base import ONE_VS_REST, PENALISED_INTERCEPT, Entrant, answer, tolerances
from benchmarks.types import Fit, Matrix, Setting, Task

DUAL = {"log": 7, "hinge": 3, "squared_hinge": 1, "crammer_singer": 4}
PRIMAL = {"log": 0, "squared_hinge": 2}
LASSO = {"log": 6, "squared_hinge": 5}


class Liblinear(Entrant):
    """Its primal solvers (-s 0, 2), its dual ones (-s 7, 3, 1, 4), or those with L1 (-s 6, 5)."""

    module = "liblinear.liblinearutil"

    def __init__(self, form: str, solvers: dict[str, int]) -> None:
        self.name = f"LIBLINEAR {form}"
        self.solvers = solvers
        self.dual = form == "dual"
        self.penalties = frozenset({"l1" if form == "L1" else "l2"})

    def refuses(self, task: Task) -> str | None:
        if task.loss == "softmax":
            return ONE_VS_REST
        if task.loss not in self.solvers:
            return f"no such solver for the {task.loss} loss"
        return PENALISED_INTERCEPT if task.intercept and self.dual else None

    def ladder(self, task: Task) -> tuple[Setting, ...]:
        dual = (10.0, 3.0, 1.0, 3e-1, 1e-1, 3e-2, 1e-2, 1e-3, 1e-4, 1e-5)
        return tolerances(dual if self.dual else (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6), name="e")

    def prepare(self, task: Task, X: Matrix, y: NDArray[np.int64]) -> Any:
        rows = sparse.csr_matrix(X, dtype=np.float64)
        return self.imported().problem(y.astype(np.float64), rows, bias=1 if task.intercept else -1)

    def fit(self, task: Task, prepared: Any, setting: Setting) -> Fit:
        free_intercept = "-B 1 -R" if task.intercept else ""
        options = f"-s {self.solvers[task.loss]} -c {task.C!r} -e {setting['e']!r} -q {free_intercept}"
        model = self.imported().train(prepared, options)
        columns = task.classes if task.multiclass else 1
        weights = np.ctypeslib.as_array(model.w, (task.d + task.intercept, columns)).T
        labels = np.asarray(model.get_labels(), dtype=np.int64)
        if task.multiclass:
            weights = weights[np.argsort(labels)]
        elif labels[0] == 0:  # the one vector is for the label met first
            weights = -weights
        return answer(task, weights[:, : task.d].copy(), weights[:, -1].copy() if task.intercept else 0.0)
