"""Bases of functions around centres μⱼ:

    RadialBasis     φⱼ(x) = exp(−‖x − μⱼ‖² / (2σⱼ²))
    SigmoidBasis    φⱼ(x) = 1 / (1 + e^{−t}),    t = (x_f − μⱼ) / σⱼ,  one feature f at a time

Centres are given or found: for radial functions by k-means, drawn rows or a grid over the ranges; for sigmoids by the
quantiles of each feature. A width σ that is not given is the median distance from a centre to its nearest other one.
"""

from __future__ import annotations

from math import inf
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import expit
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from linsep.errors import InvalidData, InvalidParameter, unknown_name
from linsep.types import FloatArray

Array = np.ndarray[Any, Any]

_PLACEMENTS = ("kmeans", "rows")


class _Basis(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """What both share: reading of X, and names from the fitted centres."""

    n_features_in_: int

    def _read(self, X: Any, *, reset: bool) -> FloatArray:
        read: FloatArray = validate_data(self, X, dtype=np.float64, reset=reset)
        return read

    def _labels(self, input_features: Any) -> list[str]:
        check_is_fitted(self)
        return [str(name) for name in _check_feature_names_in(self, input_features)]


class RadialBasis(_Basis):
    """Gaussian bumps around centres: φⱼ(x) = exp(−‖x − μⱼ‖² / (2σⱼ²)).

    Parameters
    ----------
    centres : int or array of shape (m, d), default=10
        How many to find (never more than there are different rows), or the centres themselves.
    placement : {"kmeans", "rows"}, default="kmeans"
        How to find them: the means of k-means, or rows drawn without replacement.
    width : float, array of shape (m,) or None, default=None
        σ, one for all or one a centre; None: the median distance from a centre to its nearest other one.
    random_state : int, RandomState or None, default=0
        For k-means and drawing.

    Attributes
    ----------
    centres_ : array of shape (m, d)
    widths_ : array of shape (m,)
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    >>> from linsep import RadialBasis
    >>> basis = RadialBasis([[0.0, 0.0], [1.0, 0.0]], width=0.5).fit([[0.0, 0.0], [1.0, 1.0]])
    >>> basis.transform([[0.0, 0.0]]).round(4)
    array([[1.    , 0.1353]])
    >>> basis.get_feature_names_out(["a", "b"])
    array(['radial(a=0, b=0)', 'radial(a=1, b=0)'], dtype=object)
    """

    def __init__(
        self, centres: Any = 10, *, placement: str = "kmeans", width: Any = None, random_state: Any = 0
    ) -> None:
        self.centres = centres
        self.placement = placement
        self.width = width
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Settle centres and widths; y is not used."""
        if self.placement not in _PLACEMENTS:
            raise unknown_name("placement", self.placement, _PLACEMENTS)
        given = None if isinstance(self.centres, Integral) else _matrix("centres", self.centres)
        rows = self._read(X, reset=True)
        if given is None:
            self.centres_ = self._find(rows, _count("centres", self.centres))
        elif given.shape[1] != rows.shape[1]:
            raise InvalidParameter(f"centres have {given.shape[1]} features, but X has {rows.shape[1]}")
        else:
            self.centres_ = given
        self.widths_ = _widths(self.width, self.centres_)
        return self

    def _find(self, rows: FloatArray, count: int) -> FloatArray:
        random = check_random_state(self.random_state)
        different: FloatArray = np.unique(rows, axis=0)
        if count >= len(different):
            return different
        if self.placement == "rows":
            drawn: FloatArray = different[np.sort(random.choice(len(different), count, replace=False))]
            return drawn
        from sklearn.cluster import KMeans  # not at the top: it takes longer to import than all of linsep

        means = KMeans(count, n_init=1, random_state=random).fit(rows).cluster_centers_
        found: FloatArray = means[np.lexsort(means.T[::-1])]
        return found

    def transform(self, X: Any) -> FloatArray:
        """φ of every row, (n, m)."""
        check_is_fitted(self)
        squares: FloatArray = cdist(self._read(X, reset=False), self.centres_, "sqeuclidean")
        return np.exp(-0.5 * squares / np.square(self.widths_))

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """radial(a=0.5, b=1): the centre by feature; its number where there are more than four features."""
        labels = self._labels(input_features)
        if len(labels) > 4:
            return np.array([f"radial{j}" for j in range(len(self.centres_))], dtype=object)
        named = (", ".join(f"{f}={v:.6g}" for f, v in zip(labels, c, strict=True)) for c in self.centres_)
        return _distinct([f"radial({inside})" for inside in named])


class SigmoidBasis(_Basis):
    """Sigmoids along each feature: φ(x) = 1 / (1 + e^{−(x_f − μ)/σ}) for every feature f and centre μ.

    Parameters
    ----------
    centres : int or array of shape (m,), default=5
        How many a feature, at its quantiles 1/(m + 1), …, m/(m + 1), or the centres themselves, for all features.
    width : float or None, default=None
        σ, for all; None: for each feature the median distance between neighbouring centres.

    Attributes
    ----------
    centres_ : array of shape (d, m)
    widths_ : array of shape (d,)
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    >>> from linsep import SigmoidBasis
    >>> basis = SigmoidBasis([0.0, 2.0], width=1.0).fit([[0.0], [2.0]])
    >>> basis.transform([[0.0]]).round(4)
    array([[0.5   , 0.1192]])
    >>> basis.get_feature_names_out(["age"])
    array(['sigmoid(age - 0)', 'sigmoid(age - 2)'], dtype=object)
    """

    def __init__(self, centres: Any = 5, *, width: Any = None) -> None:
        self.centres = centres
        self.width = width

    def fit(self, X: Any, y: Any = None) -> Self:
        """Settle centres and widths; y is not used."""
        given = None if isinstance(self.centres, Integral) else _matrix("centres", self.centres, least_dimensions=2)
        if given is not None and len(given) != 1:
            raise InvalidParameter(f"centres={self.centres!r}: allowed are a whole number and a line of numbers")
        rows = self._read(X, reset=True)
        if given is None:
            count = _count("centres", self.centres)
            quantiles = np.quantile(rows, np.arange(1, count + 1) / (count + 1), axis=0)
            self.centres_: FloatArray = np.ascontiguousarray(quantiles.T)
        else:
            self.centres_ = np.repeat(given, rows.shape[1], axis=0)
        widths = [_widths(self.width, np.unique(line)[:, None])[0] for line in self.centres_]
        self.widths_: FloatArray = np.array(widths)
        return self

    def transform(self, X: Any) -> FloatArray:
        """φ of every row, (n, d·m): all functions of the first feature, then of the second, ….."""
        check_is_fitted(self)
        rows = self._read(X, reset=False)
        t = (rows[:, :, None] - self.centres_) / self.widths_[:, None]
        values: FloatArray = expit(t).reshape(len(rows), -1)
        return values

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """sigmoid(age - 30) for the centre 30 of the feature age."""
        labels = self._labels(input_features)
        pairs = zip(labels, self.centres_, strict=True)
        names = [f"sigmoid({f} {'-' if c >= 0 else '+'} {abs(c):.6g})" for f, line in pairs for c in line]
        return _distinct(names)


def _count(name: str, given: Any) -> int:
    if isinstance(given, bool) or given < 1:
        raise InvalidParameter(f"{name}={given!r}: allowed are a whole number >= 1 and an array of centres")
    return int(given)


def _matrix(name: str, given: Any, least_dimensions: int = 0) -> FloatArray:
    wrong = InvalidParameter(f"{name}={given!r}: allowed are a whole number >= 1 and an array of centres")
    if np.ndim(given) == 0:
        raise wrong
    try:
        array = np.array(given, dtype=np.float64, ndmin=least_dimensions)
    except (TypeError, ValueError):
        raise wrong from None
    if array.ndim != 2 or 0 in array.shape or not np.isfinite(array).all():
        raise InvalidData(f"{name} has shape {array.shape}; allowed is a finite table with one centre a row")
    return array


def _widths(given: Any, centres: FloatArray) -> FloatArray:
    """One width a centre."""
    if given is None:
        return np.full(len(centres), _spacing(centres))
    if isinstance(given, Real) and not isinstance(given, bool) and 0.0 < float(given) < inf:
        return np.full(len(centres), float(given))
    try:
        widths = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        widths = np.empty(0)
    if widths.shape != (len(centres),) or not (np.isfinite(widths) & (widths > 0)).all():
        raise InvalidParameter(f"width={given!r}: allowed are a finite number > 0, one for each centre, and None")
    return widths


def _spacing(centres: FloatArray) -> float:
    """The median distance to the nearest other centre; 1 for a single one."""
    if len(centres) < 2:
        return 1.0
    distances = cdist(centres, centres)
    np.fill_diagonal(distances, np.inf)
    spacing = float(np.median(distances.min(axis=1)))
    if spacing == inf:
        raise InvalidData("the distances of the centres leave float64: scale X, or give centres and width")
    return spacing if spacing > 0.0 else 1.0


def _distinct(names: list[str]) -> Array:
    """A repeated name gets its number: set_output needs different names."""
    seen: dict[str, int] = {}
    out = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        out.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return np.array(out, dtype=object)
