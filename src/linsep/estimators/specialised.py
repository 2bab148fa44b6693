"""The classical names: a loss each, everything else from LinearClassifier."""

from __future__ import annotations

from typing import Any

from linsep.errors import Refused, unknown_name
from linsep.estimators.fitting import Fitter
from linsep.estimators.linear import LinearClassifier
from linsep.model import LinearModel, Objective, Training, Watch, fit_model

#: The default of alpha, which Firth's correction does not use.
_ALPHA = 1e-4


def _firth(*given: Any) -> LinearModel:
    from linsep.inference.firth import fit_firth  # few need it

    return fit_firth(*given)


_PENALTIES: dict[str | None, Fitter] = {None: fit_model, "l2": fit_model, "firth": _firth}


class LogisticRegression(LinearClassifier):
    """Logistic regression: the log loss ln(1 + e^−M), softmax for more than two classes.

        P(w, b) = 1/S Σᵢ sᵢ ln(1 + e^{−yᵢ(⟨xᵢ, w⟩ + b)}) + α/2 ‖w‖²

    All parameters and attributes are those of `LinearClassifier`, without `loss`. scikit-learn's C is 1/(nα).

    penalty : None, "l2" or "firth", default=None
        None and "l2" are the penalty of `alpha` (for none at all give alpha=0). "firth" is Firth's correction in its
        place, for small or separated data of two classes: − 1/(2S) ln det I(w, b), I being the information of the
        log likelihood. Then `alpha` must be 0 or left at its default, `tol` and `solver` have no part in the fit,
        and the certificate is of the kind STATIONARY, because the objective is not convex.

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
        penalty: str | None = None,
        alpha: Any = 1e-4,
        l1_ratio: float = 0.0,
        penalty_factors: Any = None,
        bounds: Any = None,
        fit_intercept: bool = True,
        class_weight: Any = None,
        multiclass: Any = "auto",
        probability: bool = False,
        solver: str = "auto",
        tol: float = 1e-4,
        max_iter: int | None = None,
        time_limit: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int | Watch = 0,
    ) -> None:
        super().__init__(
            "log",
            alpha=alpha,
            l1_ratio=l1_ratio,
            penalty_factors=penalty_factors,
            bounds=bounds,
            fit_intercept=fit_intercept,
            class_weight=class_weight,
            multiclass=multiclass,
            probability=probability,
            solver=solver,
            tol=tol,
            max_iter=max_iter,
            time_limit=time_limit,
            warm_start=warm_start,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
        self.penalty = penalty

    def _fitter(self) -> Fitter:
        fitter = self._known_fitter()
        if fitter is None:
            raise unknown_name("penalty", self.penalty, [name for name in _PENALTIES if name is not None])
        if fitter is _firth and self.alpha not in (0, _ALPHA):
            raise Refused(
                f"penalty='firth' takes the place of the penalty of alpha={self.alpha!r}: give alpha=0, or leave it out"
            )
        return fitter

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._known_fitter() is not _firth
        return tags

    def _known_fitter(self) -> Fitter | None:
        """That of the penalty, if there is one of that name."""
        return _PENALTIES.get(self.penalty) if isinstance(self.penalty, str | None) else None


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
        alpha: Any = 1e-4,
        l1_ratio: float = 0.0,
        penalty_factors: Any = None,
        bounds: Any = None,
        fit_intercept: bool = True,
        class_weight: Any = None,
        multiclass: Any = "auto",
        probability: bool = False,
        solver: str = "auto",
        tol: float = 1e-4,
        max_iter: int | None = None,
        time_limit: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int | Watch = 0,
    ) -> None:
        super().__init__(
            loss,
            alpha=alpha,
            l1_ratio=l1_ratio,
            penalty_factors=penalty_factors,
            bounds=bounds,
            fit_intercept=fit_intercept,
            class_weight=class_weight,
            multiclass=multiclass,
            probability=probability,
            solver=solver,
            tol=tol,
            max_iter=max_iter,
            time_limit=time_limit,
            warm_start=warm_start,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )

    def _read(self, X: Any, y: Any, sample_weight: Any, offset: Any = None) -> tuple[Training, Objective]:
        if not (isinstance(self.loss, str) and self.loss in ("hinge", "squared_hinge")):
            raise unknown_name("loss of LinearSVM", self.loss, ["hinge", "squared_hinge"])
        return super()._read(X, y, sample_weight, offset)


class LeastSquaresClassifier(LinearClassifier):
    """Least squares on targets: −1 and 1 for two classes, 1-of-K for more, solved in closed form.

        P(w, b) = 1/S Σᵢ sᵢ (1 − yᵢ(⟨xᵢ, w⟩ + b))² + α/2 ‖w‖²

    All parameters and attributes are those of `LinearClassifier`, without `loss`. The penalty of
    scikit-learn's RidgeClassifier is nα/2; alpha=0 is least squares as taught.
    """

    def __init__(
        self,
        *,
        alpha: Any = 1e-4,
        l1_ratio: float = 0.0,
        penalty_factors: Any = None,
        bounds: Any = None,
        fit_intercept: bool = True,
        class_weight: Any = None,
        multiclass: Any = "auto",
        probability: bool = False,
        solver: str = "auto",
        tol: float = 1e-4,
        max_iter: int | None = None,
        time_limit: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int | Watch = 0,
    ) -> None:
        super().__init__(
            "squared",
            alpha=alpha,
            l1_ratio=l1_ratio,
            penalty_factors=penalty_factors,
            bounds=bounds,
            fit_intercept=fit_intercept,
            class_weight=class_weight,
            multiclass=multiclass,
            probability=probability,
            solver=solver,
            tol=tol,
            max_iter=max_iter,
            time_limit=time_limit,
            warm_start=warm_start,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
