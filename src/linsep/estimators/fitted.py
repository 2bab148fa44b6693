"""What a fitted estimator shows: the attributes of its model, and its HTML with the certificate."""

from __future__ import annotations

from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from linsep.certify import Certificate
from linsep.estimators.display import certificate_html
from linsep.model import LinearModel
from linsep.solvers import Record, Status
from linsep.types import FloatArray

Array = np.ndarray[Any, Any]


class Fitted:
    """Reads `model_`; before fit there is none, and the attributes do not exist."""

    model_: LinearModel

    @property
    def _model(self) -> LinearModel:
        try:
            return self.model_
        except AttributeError:
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments first."
            ) from None

    def _fitted(self, name: str) -> LinearModel:
        model: LinearModel | None = self.__dict__.get("model_")
        if model is None:
            raise AttributeError(f"{type(self).__name__} has {name} only after fit")
        return model

    @property
    def coef_(self) -> FloatArray:
        return self._fitted("coef_").coef

    @property
    def intercept_(self) -> FloatArray:
        return self._fitted("intercept_").intercept

    @property
    def classes_(self) -> Array:
        return self._fitted("classes_").classes

    @property
    def certificate_(self) -> Certificate:
        return self._fitted("certificate_").certificate

    @property
    def status_(self) -> Status:
        return self._fitted("status_").status

    @property
    def n_iter_(self) -> int:
        return max(self._fitted("n_iter_").run.steps, 1)

    @property
    def history_(self) -> list[Record]:
        return [record for trace in self._fitted("history_").run.traces for record in trace]

    @property
    def n_features_in_(self) -> int:
        return self._fitted("n_features_in_").n_features

    @property
    def feature_names_in_(self) -> Array:
        names = self._fitted("feature_names_in_").feature_names
        if names is None:
            raise AttributeError("feature_names_in_ exists after a fit to a frame whose columns have names")
        return names

    def save(self, path: str | PathLike[str], *, force: bool = False, time: str | None = None) -> Path:
        """Write the fitted model to one file, which `linsep.load` reads; the place written to (`LinearModel.save`)."""
        return self._model.save(path, force=force, time=time)

    def report(
        self,
        X: Any,
        y: Any,
        path: str | PathLike[str] | None = None,
        *,
        sample_weight: Any = None,
        force: bool = False,
    ) -> str:
        """A report on the fitted model and rows with their classes: one HTML page, also written to a path if given."""
        make = import_module("linsep.report").report  # a layer above: looked up when somebody asks
        page: str = make(self._model, X, y, path, sample_weight=sample_weight, force=force)
        return page

    def _repr_html_inner(self) -> str:
        shown: str = super()._repr_html_inner()  # type: ignore[misc]
        return shown + certificate_html(self.model_) if hasattr(self, "model_") else shown

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle
