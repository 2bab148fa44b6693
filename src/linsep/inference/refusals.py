"""What no valid statement can be made about, and why: one rule each, read from top to bottom."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linsep.diagnosis import no_optimum
from linsep.errors import NoOptimum, Refused
from linsep.inference import rank
from linsep.inference.names import coefficient_names
from linsep.inference.request import Request
from linsep.inference.sample import Sample
from linsep.problem.reductions import Joint, OneMargin
from linsep.separability.judge import judge
from linsep.solvers import Status

#: Where Newton's method does not arrive although nothing speaks against a maximum.
TOO_FAR = (
    "no maximum was found from the weights of the model: they are too far from it, or float64 is too coarse. Scale the "
    "columns, for example with StandardScaler, or fit again with a smaller tol"
)
#: Coefficients up to which their covariance matrix, and the sums it is made of, are formed.
MOST = 5000

Rule = Callable[[Request], str | None]


def refuse(request: Request) -> None:
    """Raises with the first rule that applies."""
    if request.model.status is Status.NO_OPTIMUM:
        model, training = request.model, request.training
        raise no_optimum(model, training)
    _refuse_separated(request)
    for rule in RULES:
        reason = rule(request)
        if reason is not None:
            raise Refused(reason)


def _scheme(request: Request) -> str | None:
    scheme = request.model.objective.scheme
    if isinstance(scheme, OneMargin) or (isinstance(scheme, Joint) and scheme.loss.name == "softmax"):
        return None
    return (
        f"multiclass {request.model.multiclass!r} fits several problems, or a loss, that share no likelihood, so their "
        "weights have no common standard errors: fit with multiclass='softmax', or two classes at a time"
    )


def _kinks(request: Request) -> str | None:
    loss = request.model.objective.loss
    if request.joint or (loss.smooth and loss.convex and loss.offers("d2")):
        return None
    why = "is not convex" if not loss.convex else "has kinks, or no second derivative"
    return (
        f"loss {loss.name!r} {why}, so neither a likelihood nor a sandwich gives the covariance of its weights: fit "
        "LogisticRegression, or loss 'squared_hinge' with covariance='robust'; or resample the rows"
    )


def _selects(request: Request) -> str | None:
    """The L1 penalty and bounds put weights at corners."""
    penalty = request.model.objective.penalty
    if penalty.l1_ratio > 0.0 and penalty.alpha > 0.0:
        return (
            f"the L1 penalty (l1_ratio={penalty.l1_ratio:g}) chooses features by the data and shrinks those it keeps: "
            "the estimates have no normal distribution, and standard errors that ignore the choice are too small. Fit "
            "with l1_ratio=0; or choose features on one part of the rows, and fit and infer on another with alpha=0"
        )
    if penalty.bounded:
        return (
            "weights with bounds may lie on them, where estimates have no normal distribution: fit without bounds for "
            "standard errors"
        )
    return None


def _no_likelihood(request: Request) -> str | None:
    if request.likelihood or not request.covariance.model_based:
        return None
    return (
        f"loss {request.model.loss!r} is no likelihood, so it implies no standard errors of its own: give "
        "covariance='robust', the sandwich of M-estimation, or fit LogisticRegression"
    )


def _not_counts(request: Request) -> str | None:
    """Weights that are no counts know nothing of the number of observations."""
    if not request.covariance.model_based:
        return None
    if not request.weighting.copies and request.training.weights is not None:
        return (
            "weights='importance' are not counts of observations, so the information says nothing about standard "
            "errors: give covariance='robust' or 'clustered'"
        )
    if request.model.class_weight is not None and request.weighting.copies:
        return (
            f"the model was fitted with class_weight={request.model.class_weight!r}, which invents observations: its "
            "weights are not frequencies. Fit without class_weight, or give weights='importance' and "
            "covariance='robust'"
        )
    return None


def _profile(request: Request) -> str | None:
    if not request.intervals.needs_likelihood or request.firth:
        return None
    if not request.likelihood or not request.weighting.copies or not request.covariance.model_based:
        return (
            "profile intervals rest on the likelihood of the data: they need the log loss, weights='frequency' and "
            "covariance='model'; otherwise give intervals='wald'"
        )
    if request.penalised:
        return (
            f"with the penalty alpha={request.model.alpha:g} the profile of the objective is no likelihood, and its "
            "intervals have no known level: give intervals='wald', or fit with alpha=0 or penalty='firth'"
        )
    return None


def _firth(request: Request) -> str | None:
    if not request.firth or request.covariance.model_based:
        return None
    return "Firth's correction rests on the likelihood: a sandwich for it is not offered; give covariance='model'"


def _clusters(request: Request) -> str | None:
    given, needed = request.clusters is not None, request.covariance.clustered
    if given and not needed:
        return f"clusters were given, and covariance={request.covariance.name!r}: give covariance='clustered'"
    if needed and not given:
        return "covariance='clustered' needs clusters=, the cluster of every row"
    if request.clusters is not None and len(np.unique(request.clusters)) < 2:
        return "all rows are in one cluster: a variance between clusters needs at least two, and is poor below twenty"
    return None


def _size(request: Request) -> str | None:
    model = request.model
    size = (model.n_features + model.fit_intercept) * max(len(model.classes) - 1, 1)
    if size <= MOST:
        return None
    return (
        f"{size:,} coefficients have a covariance matrix of {size:,}² entries; at most {MOST:,} are allowed. Choose "
        "features first"
    )


RULES: tuple[Rule, ...] = (_scheme, _kinks, _selects, _no_likelihood, _not_counts, _firth, _profile, _clusters, _size)


def refuse_dependent(request: Request, sample: Sample) -> None:
    """Without a penalty no weights belong to columns that depend on each other."""
    if request.penalised:
        return
    found = rank.dependences(sample)
    if not found:
        return
    names = coefficient_names(request.model.feature_names, sample.design.d)
    raise Refused(
        f"without a penalty the weights are not determined: {rank.in_words(found, names)}. Drop such columns (a column "
        "far from 0 beside its spread: take off its mean), or give alpha > 0"
    )


def _refuse_separated(request: Request) -> None:
    """A fit without penalty and certificate may be on its way to infinity, where the gradient vanishes too."""
    model = request.model
    if request.penalised or request.firth or model.certified or not request.likelihood:
        return
    verdict = judge(request.training, model.fit_intercept)
    if verdict.has_optimum is False:
        remedy = "Fit with alpha > 0" if request.joint else "Fit with alpha > 0, or penalty='firth'"
        raise NoOptimum(f"the likelihood has no maximum. {remedy}. The data are {verdict.summary()}")
