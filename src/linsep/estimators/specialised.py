"""The classical names: a loss each, everything else from LinearClassifier."""

from __future__ import annotations

from typing import Any

from linsep.errors import unknown_name
from linsep.estimators.linear import LinearClassifier
from linsep.model import Objective, Training


class LogisticRegression(LinearClassifier):
    """Logistic regression: the log loss ln(1 + e^−M), softmax for more than two classes.

        P(w, b) = 1/S Σᵢ sᵢ ln(1 + e^{−yᵢ(⟨xᵢ, w⟩ + b)}) + α/2 ‖w‖²

    All parameters and attributes are those of `LinearClassifier`, without `loss`. scikit-learn's C is 1/(nα).

    >>> from sklearn.datasets import load_breast_cancer
    >>> from linsep import LogisticRegression
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LogisticRegression(alpha=1e-2).fit(X, y)
    >>> model.certificate_.holds
    True
    """

    def __init__(
        self,
        *,
        alpha: float = 1e-4,
        fit_intercept: bool = True,
        class_weight: Any = None,
        multiclass: Any = "auto",
        solver: str = "auto",
        tol: float = 1e-4,
        max_iter: int | None = None,
        time_limit: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            "log",
            alpha=alpha,
            fit_intercept=fit_intercept,
            class_weight=class_weight,
            multiclass=multiclass,
            solver=solver,
            tol=tol,
            max_iter=max_iter,
            time_limit=time_limit,
            warm_start=warm_start,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )


class LinearSVM(LinearClassifier):
    """The support vector machine with a linear kernel: a wide margin, few points within it.

        P(w, b) = 1/S Σᵢ sᵢ max(0, 1 − yᵢ(⟨xᵢ, w⟩ + b)) + α/2 ‖w‖²        (loss="hinge")

    loss is "hinge" or "squared_hinge". The intercept is free, not penalised. More than two classes: "ovr" by
    default, "crammer_singer" (hinge only), "ovo", "ecoc". Other parameters and all attributes are those of
    `LinearClassifier`.
    """

    def __init__(
        self,
        loss: str = "hinge",
        *,
        alpha: float = 1e-4,
        fit_intercept: bool = True,
        class_weight: Any = None,
        multiclass: Any = "auto",
        solver: str = "auto",
        tol: float = 1e-4,
        max_iter: int | None = None,
        time_limit: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            loss,
            alpha=alpha,
            fit_intercept=fit_intercept,
            class_weight=class_weight,
            multiclass=multiclass,
            solver=solver,
            tol=tol,
            max_iter=max_iter,
            time_limit=time_limit,
            warm_start=warm_start,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[Training, Objective]:
        if self.loss not in ("hinge", "squared_hinge"):
            raise unknown_name("loss of LinearSVM", self.loss, ["hinge", "squared_hinge"])
        return super()._read(X, y, sample_weight)


class LeastSquaresClassifier(LinearClassifier):
    """Least squares on targets: −1 and 1 for two classes, 1-of-K for more, solved in closed form.

        P(w, b) = 1/S Σᵢ sᵢ (1 − yᵢ(⟨xᵢ, w⟩ + b))² + α/2 ‖w‖²

    All parameters and attributes are those of `LinearClassifier`, without `loss`. The penalty of
    scikit-learn's RidgeClassifier is nα/2; alpha=0 is least squares as taught.
    """

    def __init__(
        self,
        *,
        alpha: float = 1e-4,
        fit_intercept: bool = True,
        class_weight: Any = None,
        multiclass: Any = "auto",
        solver: str = "auto",
        tol: float = 1e-4,
        max_iter: int | None = None,
        time_limit: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            "squared",
            alpha=alpha,
            fit_intercept=fit_intercept,
            class_weight=class_weight,
            multiclass=multiclass,
            solver=solver,
            tol=tol,
            max_iter=max_iter,
            time_limit=time_limit,
            warm_start=warm_start,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
