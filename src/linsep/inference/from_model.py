"""`infer(model, X, y)`: from a fitted model and its data to what may be said about its coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.errors import InvalidType, Refused
from linsep.inference import statements
from linsep.inference.criterion import Criterion, NoMaximum, Penalised, maximum, quadratic_penalty
from linsep.inference.estimate import Estimate
from linsep.inference.firth import Firth
from linsep.inference.goodness import Goodness, goodness, null_beside_offset, null_log_likelihood, restricted_statistic
from linsep.inference.names import coefficient_names
from linsep.inference.refusals import TOO_FAR, refuse, refuse_dependent
from linsep.inference.request import Request, Settings, read_request
from linsep.inference.result import Inference
from linsep.inference.sample import Sample
from linsep.inference.terms import Margins, ReferenceSoftmax
from linsep.kernels.threads import available_threads
from linsep.model import LinearModel, read_training, with_offset
from linsep.types import FloatArray


def infer(
    model: LinearModel,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    covariance: Any = "model",
    clusters: Any = None,
    level: float = 0.95,
    weights: Any = "frequency",
    reference: Any = None,
    intervals: Any = None,
    offset: Any = None,
) -> Inference:
    """Standard errors, tests, intervals and odds ratios of a fitted model, from the data it was fitted to.

    Parameters
    ----------
    model : LinearModel
        `model_` of a fitted estimator; estimators have a method `inference` with the other parameters.
    X, y, sample_weight, offset
        The data of the fit. Others are refused: their fingerprints differ.
    covariance : "model", "robust" ("HC0"), "HC1", "clustered", or a Covariance, default="model"
        "model": from the information, right if the model is. "robust": the sandwich, right for independent rows
        even if the model is not. "clustered": rows of a cluster may depend on each other.
    clusters : labels, one a row
        For covariance="clustered".
    level : float, default=0.95
        Of the intervals.
    weights : "frequency" or "importance", default="frequency"
        Whether a weight of k is k observations, or one that counts k times as much, which needs a sandwich.
    reference : a class, default the first
        Coefficients are of log odds against it.
    intervals : "wald", "profile" or None, default=None
        None: "profile" for Firth's correction, else "wald". Profile intervals come with likelihood-ratio tests.

    Returns
    -------
    Inference

    Examples
    --------
    Two of ten smokers and one of twenty others fell ill: the odds ratio is (2·19)/(8·1).

    >>> from linsep import LogisticRegression
    >>> smokes = [[1]] * 10 + [[0]] * 20
    >>> ill = [1, 1] + [0] * 8 + [1] + [0] * 19
    >>> model = LogisticRegression(alpha=0).fit(smokes, ill)
    >>> result = model.inference(smokes, ill)
    >>> print(result.names[0], result.odds_ratios[0].round(6), (result.standard_errors[0] ** 2).round(6))
    x0 4.75 1.677632
    >>> round(1 / 2 + 1 / 8 + 1 / 1 + 1 / 19, 6)
    1.677632
    """
    if not isinstance(model, LinearModel):
        raise InvalidType(
            f"inference needs a LinearModel, given was {type(model).__name__}; of a fitted estimator that is `model_`, "
            "or call its method inference(X, y)"
        )
    threads, owner = available_threads(), model.origin.estimator
    request = read_request(
        model,
        Settings(covariance, clusters, level, weights, reference, intervals),
        lambda: with_offset(
            read_training(X, y, sample_weight, model.class_weight, threads, owner), offset, model.objective.scheme
        ),
    )
    refuse(request)
    return _result(request, _estimate(request))


def _estimate(request: Request) -> Estimate:
    """The optimum to rounding, a few Newton steps from the model's weights."""
    sample = _sample(request)
    refuse_dependent(request, sample)
    plain = Penalised(sample, quadratic_penalty(sample, request.strengths))
    criterion: Criterion = Firth(sample) if request.firth else plain
    try:
        place = maximum(criterion, sample.theta(_against(request.model.w, request)))
    except NoMaximum:
        raise Refused(TOO_FAR) from None
    return Estimate(criterion, place, request.weighting, request.clusters)


def _sample(request: Request) -> Sample:
    training, r = request.training, request.reference
    given = np.ones(training.design.n) if training.weights is None else training.weights
    counts, codes = request.weighting.counts(given), training.labels.codes
    if not request.joint:
        loss = Margins(request.model.objective.loss, np.where(codes == r, -1.0, 1.0))
        return Sample(training.design, counts, loss, 1, request.model.fit_intercept, _known(request))
    m = training.n_classes - 1
    place = np.empty(training.n_classes, dtype=np.int64)
    place[_others(request)], place[r] = np.arange(m), m
    softmax = ReferenceSoftmax(place[codes])
    return Sample(training.design, counts, softmax, m, request.model.fit_intercept, _known(request))


def _known(request: Request) -> FloatArray | None:
    """The offset (n, m) of the scores against the reference class."""
    offset = request.training.offset
    if offset is None:
        return None
    return _against(offset if offset.ndim == 2 else offset[:, None], request)


def _others(request: Request) -> list[int]:
    return [k for k in range(len(request.model.classes)) if k != request.reference]


def _against(w: FloatArray, request: Request) -> FloatArray:
    """Weights (d + 1, m), or scores (n, m), against the reference class, which is as well the gauge of softmax."""
    if request.joint:
        return np.asarray(w[:, _others(request)] - w[:, [request.reference]])
    return w if request.reference == 0 else -w


def _result(request: Request, estimate: Estimate) -> Inference:
    model, sample = request.model, estimate.sample
    root = request.covariance.root(estimate)
    covariance = root @ root.T
    tested = request.intervals.of(estimate, covariance, request.level)
    names = coefficient_names(model.feature_names, model.n_features)[: sample.width]
    others = tuple(model.classes[k] for k in _others(request))
    return Inference(
        model=model,
        reference=model.classes[request.reference],
        others=others,
        features=tuple(names * sample.scores),
        classes=tuple(c for c in others for _ in range(sample.width)),
        estimates=estimate.theta,
        covariance=covariance,
        root=root,
        tested=tested,
        level=request.level,
        goodness=_goodness(request, estimate),
        bias=_bias(request, estimate),
        scale=_odds_scale(request),
        method=statements.method(request),
        statement=statements.validity(request),
        notes=statements.notes(request, estimate, _moved(request, estimate, covariance), tested.above),
    )


def _goodness(request: Request, estimate: Estimate) -> Goodness | None:
    if not request.likelihood:
        return None
    codes, K, intercept = request.training.labels.codes, request.training.n_classes, request.model.fit_intercept
    if request.training.offset is None:
        null = null_log_likelihood(codes, estimate.sample.counts, K, intercept=intercept)
    else:
        null = null_beside_offset(estimate.sample)
    statistic = restricted_statistic(estimate) if request.firth else 2.0 * (estimate.log_likelihood - null)
    valid = not request.penalised and request.weighting.copies and request.model.class_weight is None
    return goodness(estimate, null, statistic, valid=valid)


def _bias(request: Request, estimate: Estimate) -> FloatArray | None:
    """−H⁻¹Qθ̂."""
    if not request.penalised:
        return None
    pull = quadratic_penalty(estimate.sample, request.strengths) @ estimate.theta
    return estimate.centred.given(-estimate.bread @ pull[:, None])[:, 0]  # Q has no part in the intercepts


def _odds_scale(request: Request) -> float:
    if request.joint:
        return 1.0
    loss = request.model.objective.loss
    return loss.probability_scale if loss.probability else 0.0


def _moved(request: Request, estimate: Estimate, covariance: FloatArray) -> float:
    """How far the estimates are from the model's weights, in standard errors."""
    given = estimate.sample.theta(_against(request.model.w, request))
    distance, errors = np.abs(estimate.theta - given), np.sqrt(covariance.diagonal())
    return float(np.max(distance[errors > 0.0] / errors[errors > 0.0], initial=0.0))
