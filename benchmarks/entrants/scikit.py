"""scikit-learn: LogisticRegression by solver, LinearSVC, and what scikit-learn-intelex puts in place."""

from __future__ import annotations

from typing import Any

from benchmarks.entrants.base import NEVER, PENALISED_INTERCEPT, Entrant, answer, tolerances
from benchmarks.types import Fit, Setting, Task

LARGEST_HESSIAN = 12_000  # rows of a square float64 matrix of 1.2 GB
LADDERS = {
    "lbfgs": (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8),
    "newton-cholesky": (1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8),
    "newton-cg": (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8),
    "liblinear": (1e-1, 1e-2, 1e-3, 1e-4, 1e-5),
    "saga": (1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6),
}


class Logistic(Entrant):
    """LogisticRegression with one solver."""

    module = "sklearn.linear_model"

    def __init__(self, solver: str) -> None:
        self.solver = solver
        self.name = f"scikit-learn {solver}"
        self.penalties = {"saga": frozenset({"l1", "l2"}), "liblinear": frozenset({"l1"})}.get(solver, self.penalties)

    def refuses(self, task: Task) -> str | None:
        if task.loss not in ("log", "softmax"):
            return "logistic loss only"
        unknowns = task.d * (task.classes if task.multiclass else 1)
        if self.solver == "newton-cholesky" and unknowns > LARGEST_HESSIAN:
            return f"would need a {unknowns:,} x {unknowns:,} Hessian"
        return PENALISED_INTERCEPT if self.solver == "liblinear" and task.intercept else None

    def ladder(self, task: Task) -> tuple[Setting, ...]:
        return tolerances(LADDERS[self.solver])

    def fit(self, task: Task, prepared: Any, setting: Setting) -> Fit:
        model = (
            self.imported()
            .LogisticRegression(
                C=task.C,
                solver=self.solver,
                fit_intercept=task.intercept,
                max_iter=NEVER,
                **({"penalty": "l1"} if task.l1 else {}),
                **setting,
            )
            .fit(*prepared)
        )
        return answer(task, model.coef_, model.intercept_)


class Intelex(Logistic):
    """The same class as scikit-learn-intelex replaces it. On dense data its lbfgs holds the tolerance against
    the gradient of the sum and not of the mean, so its ladder begins much looser."""

    module = "sklearnex.linear_model"

    def __init__(self, solver: str) -> None:
        super().__init__(solver)
        self.name = f"intelex {solver}"

    @property
    def family(self) -> str:
        return "sklearn"

    def ladder(self, task: Task) -> tuple[Setting, ...]:
        looser = (1e4, 1e3, 1e2, 1e1, 1.0) if self.solver == "lbfgs" and not task.sparse else ()
        return tolerances(looser) + super().ladder(task)


class LinearSvc(Entrant):
    """LinearSVC: LIBLINEAR's dual solver inside scikit-learn."""

    name = "scikit-learn LinearSVC"
    module = "sklearn.svm"

    @property
    def family(self) -> str:
        return "liblinear"

    def refuses(self, task: Task) -> str | None:
        if task.loss in ("log", "softmax"):
            return "hinge losses only"
        return PENALISED_INTERCEPT if task.intercept else None

    def ladder(self, task: Task) -> tuple[Setting, ...]:
        return tolerances((10.0, 3.0, 1.0, 3e-1, 1e-1, 3e-2, 1e-2, 1e-3, 1e-4, 1e-5))

    def fit(self, task: Task, prepared: Any, setting: Setting) -> Fit:
        loss = {"multi_class": "crammer_singer"} if task.multiclass else {"loss": task.loss}
        model = (
            self.imported()
            .LinearSVC(C=task.C, dual=True, fit_intercept=False, max_iter=NEVER, random_state=0, **loss, **setting)
            .fit(*prepared)
        )
        return answer(task, model.coef_, 0.0)
