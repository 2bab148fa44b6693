"""The same penalty in the words of other libraries, where they have the same objective.

    scikit-learn, LIBLINEAR   C Σ ℓ + ½‖w‖²:  C = 1/(nα);  RidgeClassifier  Σ (·)² + a‖w‖²:  a = nα/2
    glmnet                    mean ℓ + λ/2 ‖w‖² with alpha = 0:  λ = α, for columns as they are (standardize = FALSE)

n is the sum of the weights. LIBLINEAR leaves its bias out of the penalty with -R only, which its dual solvers lack.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linsep.model.model import LinearModel

_GLMNET = "glmnet(alpha = 0, lambda = {alpha:.4g}, standardize = FALSE"
_PENALISED = "both penalise the intercept"

#: For each loss how others ask for it; C = 1/(nα), ridge = nα/2.
_DIALECTS = {
    "log": (
        "scikit-learn LogisticRegression(C={C:.4g})",
        "LIBLINEAR -s 0 -c {C:.4g} -B 1 -R",
        _GLMNET + ', family = "binomial")',
    ),
    "softmax": ("scikit-learn LogisticRegression(C={C:.4g})", _GLMNET + ', family = "multinomial")'),
    "hinge": ('scikit-learn LinearSVC(loss="hinge", C={C:.4g})', "LIBLINEAR -s 3 -c {C:.4g} -B 1", _PENALISED),
    "squared_hinge": (
        "scikit-learn LinearSVC(C={C:.4g}), which penalises the intercept",
        "LIBLINEAR -s 2 -c {C:.4g} -B 1 -R",
    ),
    "crammer_singer": (
        'scikit-learn LinearSVC(multi_class="crammer_singer", C={C:.4g})',
        "LIBLINEAR -s 4 -c {C:.4g} -B 1",
        _PENALISED,
    ),
    "squared": ("scikit-learn RidgeClassifier(alpha={ridge:.4g})",),
    "one_of_k": ("scikit-learn RidgeClassifier(alpha={ridge:.4g})",),
}


def describe_elsewhere(model: LinearModel) -> str:
    """How to ask other libraries for this model; empty where none has it, or there is no penalty."""
    if model.alpha == 0.0 or not model.objective.penalty.ridge:
        return ""
    total = model.origin.total_weight
    values = {"alpha": model.alpha, "C": 1.0 / (total * model.alpha), "ridge": 0.5 * total * model.alpha}
    return "; ".join(_DIALECTS.get(model.loss, ())).format(**values)
