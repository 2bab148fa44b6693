"""scikit-learn's own checks, none of them expected to fail."""

import warnings
from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from linsep import HardMarginSVM, KernelSVM, LinearSVM, LogisticRegression, Perceptron
from linsep.errors import NotCertified
from tests.estimators.cases import ESTIMATORS

#: The checks fit data that are not separable, which HardMarginSVM alone refuses: see docs/maximum-margin.md.
HARD_MARGINS = [HardMarginSVM(fallback=LinearSVM()), HardMarginSVM(fit_intercept=False, fallback=LinearSVM())]

PERCEPTRONS = [
    Perceptron(),
    Perceptron(multiclass="kesler", average=True),
    Perceptron(rule="thresholded", batch=8, center=True, pocket="epoch"),
    Perceptron(rule="unthresholded", batch="batch"),
    Perceptron(kernel="rbf", max_epochs=50),
]
KERNELS = [
    KernelSVM(),
    KernelSVM("linear", multiclass="ovr"),
    KernelSVM("polynomial", degree=2, coef0=1.0, alpha=1e-1, class_weight="balanced"),
    KernelSVM("precomputed"),
]
FIRTH = LogisticRegression(penalty="firth")


@pytest.mark.filterwarnings("ignore::linsep.errors.NotSeparableWarning", "ignore::linsep.errors.NotConverged")
@parametrize_with_checks([*ESTIMATORS, FIRTH, *HARD_MARGINS, *PERCEPTRONS, *KERNELS])
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_fits_of_the_checks_are_certified(estimator: Any) -> None:
    from sklearn.base import clone

    from tests.estimators.cases import IRIS_X, IRIS_Y

    with warnings.catch_warnings():
        warnings.simplefilter("error", NotCertified)
        model = clone(estimator).fit(IRIS_X, IRIS_Y)
    assert model.certificate_.holds
    assert model.status_.certified
    assert model.score(IRIS_X, IRIS_Y) > 0.8
