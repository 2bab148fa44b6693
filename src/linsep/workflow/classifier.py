"""The estimator of a recipe: all of `LinearClassifier` that fits, told what the columns of its matrix are called."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from linsep.errors import DataWarning, NotCertified
from linsep.estimators import parameters, penalty_parameters
from linsep.estimators.fitting import Fitting
from linsep.model import LinearModel, Objective, Training, Watch
from linsep.problem import multiclass
from linsep.selection import CrossValidation, Curve, LeaveOneOut
from linsep.tables import Table
from linsep.workflow.recipe import Recipe

#: Kinds of findings that are told by the warning of the fit, with causes and remedies.
_TOLD = frozenset({"unfinished"})


class TableClassifier(Fitting):
    """Speaks of columns by the names given to `of`, in errors and in its diagnosis; the model itself has none."""

    _names: Any = None

    @classmethod
    def of(
        cls,
        recipe: Recipe,
        watch: Watch | None = None,
        names: Iterable[str] | None = None,
        trusted: Curve | None = None,
    ) -> TableClassifier:
        """As the recipe says; trusted: how α was chosen for rows that these are a part of."""
        made = cls(
            recipe.loss,
            alpha=_alpha(recipe, trusted),
            l1_ratio=recipe.l1,
            multiclass=recipe.multiclass,
            class_weight=recipe.class_weight,
            tol=recipe.tol,
            time_limit=recipe.time,
            n_jobs=recipe.threads,
            random_state=recipe.seed,
            probability=True,
            verbose=0 if watch is None else watch,
        )
        made._names = None if names is None else np.array(list(names), dtype=object)
        return made

    def check(self) -> None:
        """All parameters, before there are data."""
        multiclass.find(self.multiclass, parameters.margin_loss(self.loss))
        penalty_parameters.read(self.l1_ratio, self.penalty_factors, self.bounds)
        parameters.threads(self.n_jobs)
        self._effort()
        parameters.alpha(self.alpha)

    def learn(self, X: Any, table: Table) -> tuple[LinearModel, tuple[str, ...]]:
        """The model of the table's target, and what is to be known if it is not certified."""
        groups = None if isinstance(self.alpha, float) else table.groups
        with warnings.catch_warnings(record=True) as caught:
            for kind in (NotCertified, DataWarning):
                warnings.simplefilter("always", kind)
            self.fit(X, table.target, table.weights, groups=groups)
        told = tuple(str(each.message) for each in caught if issubclass(each.category, NotCertified))
        return replace(self.model_, origin=replace(self.model_.origin, names=None)), told

    def findings(self) -> tuple[str, ...]:
        """What should be looked at before the model is used, gravest first."""
        return tuple(str(each) for each in self.diagnosis_.serious if each.kind not in _TOLD)

    def _read(self, X: Any, y: Any, sample_weight: Any, offset: Any = None) -> tuple[Training, Objective]:
        training, objective = super()._read(X, y, sample_weight, offset)
        return replace(training, names=self._names, owner="the model"), objective


def _alpha(recipe: Recipe, trusted: Curve | None) -> Any:
    """A number as it is, a name as the chooser with the recipe's folds; a name that is none is left to be refused.

    Leave-one-out that was checked by refits on all rows is not checked again on a part of them.
    """
    if recipe.alpha == "auto":
        checked = trusted is not None and trusted.method == LeaveOneOut.method
        return LeaveOneOut(folds=recipe.folds, refits=0 if checked else LeaveOneOut.refits)
    if recipe.alpha == "cv":
        return CrossValidation(folds=recipe.folds)
    return recipe.alpha if isinstance(recipe.alpha, str) else float(recipe.alpha)
