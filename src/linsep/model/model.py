"""LinearModel: weights, classes and certificate, frozen, with what they were fitted to.

Scores are X w + b, one pass over the rows. Two classes have one score, positive for the second class; else
the multiclass scheme turns the scores into K class scores, and the largest wins, the first of equals.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from linsep.certify import Certificate
from linsep.data.design import Design
from linsep.data.names import Names
from linsep.data.reading import Expected, checked_scores, read_rows
from linsep.errors import InvalidData, Refused
from linsep.model import probability
from linsep.model.calibration import Calibration
from linsep.model.correction import Correction
from linsep.model.weights import Weights
from linsep.problem.base import MarginLoss
from linsep.problem.penalties import Penalty
from linsep.problem.reductions import Joint, OneMargin, Scheme
from linsep.solvers import Record, Status
from linsep.types import FloatArray, NotNegative, Positive, PositiveLine, Share, Within

Array = np.ndarray[Any, Any]

#: Predictions with more class scores than this are made block by block.
_BLOCK = 2**24


@dataclass(frozen=True, eq=False)
class Objective:
    """What was minimised: mean loss + penalty (problem/penalties.py), perhaps corrected; a scheme for the classes."""

    loss: MarginLoss
    scheme: Scheme
    alpha: NotNegative
    intercept: bool
    l1_ratio: Share = 0.0
    factors: FloatArray | None = field(default=None, repr=False)
    lower: FloatArray | None = field(default=None, repr=False)
    upper: FloatArray | None = field(default=None, repr=False)
    correction: Correction = Correction.NONE

    @property
    def penalty(self) -> Penalty:
        return Penalty(self.alpha, self.l1_ratio, self.factors, self.lower, self.upper)


@dataclass(frozen=True, eq=False)
class Origin:
    """What the model was fitted to, and by which estimator.

    class_factors  (K,), what each class's weight was
    software  versions of the packages that fitted a model that was loaded; empty: those that run now
    time      when it was saved, if the one who saved it said so
    """

    rows: Annotated[int, Within(1, 2**53)]
    total_weight: Positive
    names: Names | None
    fingerprints: dict[str, str]
    estimator: str = "LinearModel"
    class_weight: Any = None
    seed: int | None = None
    software: dict[str, str] = field(default_factory=dict)
    time: str | None = None
    class_factors: PositiveLine | None = None


@dataclass(frozen=True, eq=False)
class Run:
    """How the fit went: the worst status; for each problem its own, its trace, its multipliers θ if kept."""

    status: Status
    solver: str
    statuses: tuple[Status, ...] = field(repr=False)
    traces: tuple[list[Record], ...] = field(repr=False)
    dual: tuple[FloatArray | None, ...] = field(repr=False)

    @property
    def steps(self) -> int:
        """The most that one problem took."""
        return max(trace[-1].step if trace else 0 for trace in self.traces)

    @property
    def seconds(self) -> float:
        """In the solvers, all problems together."""
        return sum(trace[-1].seconds if trace else 0.0 for trace in self.traces)


@dataclass(frozen=True, eq=False)
class LinearModel(Weights):
    """w is (d + 1, m), the intercepts last: m = 1 for two classes, else a column a class or problem.

    calibration: what makes probabilities of scores that are none by themselves, where that was asked for.
    """

    w: Annotated[FloatArray, Within(axes=2)] = field(repr=False)
    classes: Array
    objective: Objective
    certificate: Certificate
    run: Run
    origin: Origin
    calibration: Calibration | None = None
    _packed: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        w = np.ascontiguousarray(self.w)
        w.flags.writeable = False
        object.__setattr__(self, "w", w)
        # what every prediction needs, looked up once
        object.__setattr__(self, "_packed", w.ravel() if w.shape[1] == 1 else w)

    def flaw(self) -> str | None:
        """Why no fit gives it, or None: weights, factors and names fit the classes and features (storage/fields.py)."""
        scheme, K, objective = self.objective.scheme, len(self.classes), self.objective
        if self.classes.ndim != 1 or K < 2 or not len(self.w) or self.w.shape[1] != scheme.count(K):
            return f"weights of the shape {self.w.shape} do not fit {K} classes told apart by {scheme.name!r}"
        factors = self.origin.class_factors
        if factors is not None and factors.shape != (K,):
            return f"class factors of the shape {factors.shape} do not fit {K} classes"
        for by_column in (objective.factors, objective.lower, objective.upper):
            if by_column is not None and by_column.shape != (self.n_features,):
                return f"a penalty on {by_column.size} features does not fit {self.n_features}"
        across = (K,) if isinstance(scheme, Joint) else ()
        if any(theta is not None and theta.shape[1:] != across for theta in self.dual):
            return f"its multipliers do not fit {K} classes told apart by {scheme.name!r}"
        names = self.feature_names
        if names is not None and names.shape != (self.n_features,):
            return f"{len(names)} names do not fit {self.n_features} features"
        return None

    # -- what it is -------------------------------------------------------------------------------------

    @property
    def n_features(self) -> int:
        return len(self.w) - 1

    @property
    def loss(self) -> str:
        scheme = self.objective.scheme
        return scheme.loss.name if isinstance(scheme, Joint) else self.objective.loss.name

    @property
    def multiclass(self) -> str:
        scheme = self.objective.scheme
        return scheme.loss.name if isinstance(scheme, Joint) else scheme.name

    @property
    def alpha(self) -> float:
        return self.objective.alpha

    @property
    def l1_ratio(self) -> float:
        return self.objective.l1_ratio

    @property
    def penalty_factors(self) -> FloatArray | None:
        return self.objective.factors

    @property
    def bounds(self) -> tuple[FloatArray | None, FloatArray | None]:
        """The least and the greatest weight of every column, None where there is none."""
        return self.objective.lower, self.objective.upper

    @property
    def fit_intercept(self) -> bool:
        return self.objective.intercept

    @property
    def status(self) -> Status:
        return self.run.status

    @property
    def certified(self) -> bool:
        """Whether the certificate holds; for an objective that is not convex, whether the gradient vanished."""
        return self.status is not Status.NO_OPTIMUM and (self.status.certified or self.certificate.holds)

    @property
    def solver(self) -> str:
        return self.run.solver

    @property
    def dual(self) -> tuple[FloatArray | None, ...]:
        return self.run.dual

    @property
    def feature_names(self) -> Names | None:
        return self.origin.names

    @property
    def class_weight(self) -> Any:
        """As given to the fit: None, "balanced" or a dict."""
        return self.origin.class_weight

    @property
    def n_rows(self) -> int:
        return self.origin.rows

    @property
    def fingerprints(self) -> dict[str, str]:
        return self.origin.fingerprints

    @property
    def gives_probabilities(self) -> bool:
        return self.calibration is not None or probability.available(self.objective.scheme, self.objective.loss)

    # -- what it says -----------------------------------------------------------------------------------

    def scores(self, X: Any, threads: int | None = None) -> FloatArray:
        """X w + b: (n,) for m = 1, else (n, m)."""
        return self._scores(self.read(X, threads), X)

    def decision_function(self, X: Any, threads: int | None = None, *, offset: Any = None) -> FloatArray:
        """Class scores: (n,), positive for the second class, or (n, K); with a known part, of that shape, added."""
        scores = self.class_scores(self.scores(X, threads))
        if offset is None:
            return scores
        known = np.asarray(offset, dtype=np.float64)
        if known.shape != scores.shape:
            raise InvalidData(f"offset has the shape {known.shape}; the scores have {scores.shape}")
        return scores + known

    def class_scores(self, scores: FloatArray) -> FloatArray:
        """Scores (n,) or (n, m) become class scores: (n,) for two classes, else (n, K)."""
        if isinstance(self.objective.scheme, OneMargin):
            return scores
        return self.objective.scheme.retrieve(scores, len(self.classes), self.objective.loss)

    def predict(self, X: Any, threads: int | None = None) -> Array:
        """The class of every row."""
        design = self.read(X, threads)
        if isinstance(self.objective.scheme, OneMargin) and (second := design.sides(self._packed)) is not None:
            return self.classes.take(second.view(np.int8), mode="clip")  # a fifth of the time of np.where
        width = max(self.w.shape[1], len(self.classes))
        if design.n * width <= _BLOCK or self.w.shape[1] == 1:
            return self._labels(self._scores(design, X))
        # more scores than should be held at once
        size = max(_BLOCK // width, 1)
        starts = range(0, design.n, size)
        blocks = (design.rows(np.arange(a, min(a + size, design.n))) for a in starts)
        return np.concatenate([self._labels(self._scores(block, X)) for block in blocks])

    def predict_proba(self, X: Any, threads: int | None = None) -> FloatArray:
        """P(class) for every row and class, (n, K); weights of the classes are divided out."""
        self._require_probabilities()
        return self.probabilities(self.scores(X, threads))

    def probabilities(self, scores: FloatArray) -> FloatArray:
        """P(class), (n, K), from what `scores` gives."""
        self._require_probabilities()
        factors = self.origin.class_factors
        if self.calibration is not None:
            return self.calibration.probabilities(self.class_scores(scores), factors)
        return probability.probabilities(scores, self.objective.scheme, self.objective.loss, factors)

    def predict_log_proba(self, X: Any, threads: int | None = None) -> FloatArray:
        """ln P(class), (n, K)."""
        self._require_probabilities()
        scores, factors = self.scores(X, threads), self.origin.class_factors
        if self.calibration is not None:
            return self.calibration.log_probabilities(self.class_scores(scores), factors)
        return probability.log_probabilities(scores, self.objective.scheme, self.objective.loss, factors)

    def summary(self) -> str:
        """The model in words: objective, certificate, how it was found, its largest weights."""
        from linsep.model.summary import summarise

        return summarise(self)

    # -- as a file --------------------------------------------------------------------------------------

    def save(
        self, path: str | PathLike[str], *, force: bool = False, time: str | None = None, trace: bool = True
    ) -> Path:
        """Write the model to one file, which `linsep.load` reads (docs/model-file.md); the place written to.

        force  replace a file that is there already
        time   when this was, kept as given; None: the file says nothing of it, and the same model gives the same bytes
        trace  keep how the fit went, with the seconds it took: without it equal fits give equal files
        """
        from linsep.model.record import KIND, model_record
        from linsep.storage import write_archive

        return write_archive(path, KIND, model_record(self, time=time, trace=trace), force=force)

    def record(self) -> dict[str, Any]:
        """As plain values and arrays, for a model file."""
        from linsep.model.record import model_record

        return model_record(self)

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> LinearModel:
        from linsep.model.record import model_from

        return model_from(record)

    # -- inside -----------------------------------------------------------------------------------------

    def read(self, X: Any, threads: int | None = None) -> Design:
        """X as a design with the features of this model. Entries are not looked at: the scores tell."""
        return read_rows(
            X, Expected(self.n_features, self.origin.names, self.origin.estimator), self.w.shape[1], threads
        )

    def _scores(self, design: Design, X: Any) -> FloatArray:
        return checked_scores(design, self._packed, X)

    def _labels(self, scores: FloatArray) -> Array:
        if isinstance(self.objective.scheme, OneMargin):
            second: Array = self.classes[(scores > 0.0).view(np.int8)]
            return second
        best: Array = self.classes[self.class_scores(scores).argmax(axis=1)]
        return best

    def _require_probabilities(self) -> None:
        if not self.gives_probabilities:
            raise Refused(
                f"loss {self.loss!r} with multiclass {self.multiclass!r} gives no probabilities; the losses "
                "'log' and 'exponential' do, for two classes and by 'softmax' or 'ovr' for more, and with "
                "probability=True every loss does"
            )
