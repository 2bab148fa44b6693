"""HardMarginSVM: the maximum-margin hyperplane behind scikit-learn's interface; separability/max_margin.py finds it."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from linsep.errors import (
    InvalidData,
    InvalidParameter,
    InvalidType,
    NoMaximumMargin,
    NotCertified,
    NotSeparableWarning,
)
from linsep.estimators import parameters
from linsep.estimators.discriminant import LinearDiscriminant
from linsep.model import Training
from linsep.separability.margin_certificate import MaximumMargin
from linsep.separability.max_margin import maximum_margin
from linsep.separability.refusal import refusal
from linsep.separability.rows import dense_rows, sparse_rows
from linsep.types import FloatArray, IntArray


class HardMarginSVM(LinearDiscriminant):
    """The hyperplane of maximum margin, exactly:

        min ½‖w‖²  subject to  yᵢ(⟨w, xᵢ⟩ + w₀) ≥ 1 for every row.

    The classes must be linearly separable: otherwise no such hyperplane exists, and `fit` raises `NotSeparable`, whose
    `witness` is the verdict of `separability` with its proof (`MarginTooSmall` where they are separable, but by too
    little for float64). Two classes; for more, scikit-learn's OneVsOneClassifier(HardMarginSVM()) needs only that
    every pair is separable.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether w₀ is free; otherwise it is 0 and the hyperplane passes through the origin.
    tol : float, default=1e-10
        The relative gap, (primal − dual) / primal, to reach. A fit that float64 keeps from it, between sets that almost
        touch, warns (`NotCertified`).
    fallback : classifier or None, default=None
        What to fit to data that are refused otherwise, with a warning (`NotSeparableWarning`), for example
        ``LinearSVM()``: a linear classifier with coef_ and intercept_. None: such data are refused.
    n_jobs : int or None, default=None
        Threads at most; None and −1 are all cores. The result does not depend on it.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (1, d) and (1,)
        w and w₀, averaged over the support vectors, scaled so that the smallest margin is 1.
    classes_ : array of shape (2,)
    support_ : array of shape (m,)
        The rows with a positive multiplier: on the margin, and the solution depends on no other.
    support_vectors_ : array or CSR of shape (m, d)
    dual_coef_ : array of shape (1, m)
        αᵢyᵢ, so that w = dual_coef_ @ support_vectors_ and dual_coef_ sums to 0 where w₀ is free.
    margin_ : float
        The distance of the hyperplane from the nearest row, 1/‖w‖.
    primal_, dual_, gap_ : float
        ½‖w‖² attained, the lower bound Σα − ½‖Σαyx‖² (scaled to its best), and their relative difference.
    fallback_ : classifier or None
        The fitted fallback; then the attributes from support_ on do not exist.
    n_iter_ : int
        Passes over all rows.

    Examples
    --------
    >>> from linsep import HardMarginSVM
    >>> model = HardMarginSVM().fit([[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [3.0, 5.0]], ["a", "a", "b", "b"])
    >>> round(model.margin_, 12)
    1.0
    >>> model.predict([[0.9, 0.0], [1.1, 0.0]]).tolist()
    ['a', 'b']
    """

    def __init__(
        self, *, fit_intercept: bool = True, tol: float = 1e-10, fallback: Any = None, n_jobs: int | None = None
    ) -> None:
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.fallback = fallback
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Find the hyperplane of maximum margin of rows X and their two classes y."""
        intercept = parameters.flag("fit_intercept", self.fit_intercept)
        tol = parameters.number("tol", self.tol, open_end=True)
        self._check_fallback()
        training = self._begin(X, y)
        if training.n_classes != 2:
            raise InvalidData(
                "Only binary classification is supported. The type of the target is multiclass: y has "
                f"{training.n_classes} classes; use sklearn.multiclass.OneVsOneClassifier({type(self).__name__}())"
            )
        signs = training.labels.signs()
        found = maximum_margin(training.design, signs, through_origin=not intercept, tol=tol)
        if isinstance(found, MaximumMargin):
            self._accept(found, training, tol)
        else:
            self._fall_back(X, y, refusal(training, found, intercept=intercept))
        return self

    def _accept(self, found: MaximumMargin, training: Training, tol: float) -> None:
        self._forget()
        self.coef_, self.intercept_ = found.w[None, :], np.array([found.b])
        rows = sparse_rows if training.design.sparse else dense_rows
        self.support_: IntArray = found.support
        self.support_vectors_ = rows(training.design, found.support)
        self.dual_coef_: FloatArray = (found.multipliers * training.labels.signs()[found.support])[None, :]
        self.margin_, self.primal_, self.dual_, self.gap_ = found.margin, found.primal, found.dual, found.gap
        self.n_iter_ = found.passes
        self.fallback_: Any = None
        self._result, self._rows = found, training.design.n
        if found.gap > tol:
            warnings.warn(
                f"the margin is {found.margin:.6g} and no hyperplane has more than {found.bound:.6g}: a relative "
                f"gap of {found.gap:.2g}, above tol={tol:g}. Rounding to float64 costs that much where sets almost "
                "touch; centre and scale the features, or accept the gap with a larger tol",
                NotCertified,
                stacklevel=3,
            )

    def _check_fallback(self) -> None:
        if self.fallback is not None and not (hasattr(self.fallback, "fit") and hasattr(self.fallback, "get_params")):
            kind = type(self.fallback).__name__
            raise InvalidType(
                f"fallback={self.fallback!r} is a {kind}; allowed are None and a linear classifier such as LinearSVM()"
            )

    def _fall_back(self, X: Any, y: Any, refused: NoMaximumMargin) -> None:
        """Fit the classifier for data without a maximum margin, or refuse them."""
        self._forget()
        if self.fallback is None:
            raise refused
        fitted = clone(self.fallback).fit(X, y)
        if not hasattr(fitted, "coef_") or not hasattr(fitted, "intercept_"):
            raise InvalidParameter(
                f"fallback={self.fallback!r} has no coef_ and intercept_ after fit: allowed is a linear classifier "
                "such as LinearSVM()"
            ) from refused
        self.coef_ = np.atleast_2d(np.asarray(fitted.coef_, dtype=np.float64))
        self.intercept_ = np.asarray(fitted.intercept_, dtype=np.float64).ravel()
        self.fallback_, self._reason = fitted, refused.reason
        self.n_iter_ = 1
        warnings.warn(f"{refused.reason}; {self.fallback!r} was fitted instead", NotSeparableWarning, stacklevel=3)

    def _forget(self) -> None:
        """The attributes of an earlier fit that this one may not have."""
        for name in ("support_", "support_vectors_", "dual_coef_", "margin_", "primal_", "dual_", "gap_", "_result"):
            self.__dict__.pop(name, None)

    def summary(self) -> str:
        """The fitted hyperplane in words: margin, support vectors, both objective values and their gap."""
        self._expected()
        if self.fallback_ is not None:
            return f"HardMarginSVM: {self._reason}; {self.fallback!r} was fitted instead"
        found: MaximumMargin = self._result
        through = "" if self.fit_intercept else " through the origin"
        return "\n".join(
            [
                f"HardMarginSVM: maximum margin{through}, {self._rows} rows × {self.n_features_in_} features",
                f"  margin           {found.margin:.10g}    (no hyperplane has more than {found.bound:.10g})",
                f"  support vectors  {len(found.support)}    (multipliers {found.multipliers.min():.4g} to "
                f"{found.multipliers.max():.4g})",
                f"  primal, dual     {found.primal:.10g}, {found.dual:.10g}    (relative gap {found.gap:.2g})",
                f"  passes over X    {found.passes}",
            ]
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
