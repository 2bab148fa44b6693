"""Choosing among the actions of a state by their scores ⟨w, φ(a, s)⟩: the largest wins, the first of equals."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from linsep.data.choices import States, read_choices, read_states
from linsep.data.names import check_names
from linsep.errors import InvalidData
from linsep.estimators import parameters
from linsep.types import FloatArray

Array = np.ndarray[Any, Any]


class Chooser(BaseEstimator):  # type: ignore[misc]
    """Actions by `coef_` (d,)."""

    coef_: FloatArray
    n_features_in_: int

    def _threads(self) -> int:
        return parameters.threads(getattr(self, "n_jobs", None))

    def _check_fitted(self) -> None:
        if not hasattr(self, "coef_"):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments first."
            )

    def _read(self, X: Any, groups: Any, offsets: Any) -> States:
        self._check_fitted()
        states = read_states(X, groups, offsets, self._threads())
        owner = type(self).__name__
        check_names(X if states.flat else X[0], getattr(self, "feature_names_in_", None), owner)
        if states.design.d != self.n_features_in_:
            raise InvalidData(
                f"X has {states.design.d} features, but {owner} is expecting {self.n_features_in_} features as input: "
                "those it was fitted with"
            )
        return states

    def _scores(self, states: States) -> FloatArray:
        scores = states.design.scores(np.append(self.coef_, 0.0))
        if not np.isfinite(scores).all():
            raise InvalidData("the scores of X overflow float64: its entries are too large for the weights")
        return scores

    def decision_function(self, X: Any, *, groups: Any = None, offsets: Any = None) -> list[FloatArray] | FloatArray:
        """⟨w, φ(a, s)⟩ for every action: an array a state, or one for all rows where X is one table."""
        states = self._read(X, groups, offsets)
        scores = self._scores(states)
        return scores if states.flat else states.segments.split(scores)

    def predict(self, X: Any, *, groups: Any = None, offsets: Any = None) -> Array:
        """The action of every state with the largest score, the first of equals: its row in the state, or its key."""
        states = self._read(X, groups, offsets)
        within = states.segments.argmax(self._scores(states)) - states.segments.starts
        if states.keys is None:
            return within
        keys = np.empty(len(within), dtype=object)
        keys[:] = [actions[i] for actions, i in zip(states.keys, within, strict=True)]
        return keys

    def score(self, X: Any, choices: Any, *, groups: Any = None, offsets: Any = None) -> float:
        """Agreement: the share of the states in which `predict` gives the expert's own action."""
        states = self._read(X, groups, offsets)
        return float((states.segments.argmax(self._scores(states)) == read_choices(choices, states)).mean())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.sparse = False, True
        tags.target_tags.required = True
        return tags
