"""The same penalty in the words of other libraries, where they have the same objective.

    scikit-learn, LIBLINEAR   C Σ ℓ + ½‖w‖²:  C = 1/(nα);  RidgeClassifier  Σ (·)² + a‖w‖²:  a = nα/2
    glmnet                    mean ℓ + λ[(1−ρ)/2 ‖w‖² + ρ‖w‖₁]:  λ = α, its alpha = ρ, for columns as they are

n is the sum of the weights. LIBLINEAR leaves its bias out of the penalty with -R only, which its dual solvers lack. One
C for all problems of one-vs-one is not one α, because their rows differ in number: nothing is said of them.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linsep.model.model import LinearModel

#: (loss, multiclass) → how others ask for it. In braces: C = 1/(nα), ridge = nα/2, ratio = ρ, what the intercept needs.
Table = dict[tuple[str, str], tuple[str, ...]]

_SKLEARN = "LogisticRegression(C={C:.4g}{free})"
_SAGA = 'LogisticRegression(C={C:.4g}, l1_ratio={ratio:.4g}, solver="saga"{free})'
_GLMNET = 'glmnet(alpha = {ratio:.4g}, lambda = {alpha:.4g}, standardize = FALSE{no_intercept}, family = "%s")'
_LINEAR_SVC = ('scikit-learn LinearSVC(loss="hinge", C={C:.4g}{free})', "LIBLINEAR -s 3 -c {C:.4g}{bias}", "{both}")
_SQUARED_SVC = ("scikit-learn LinearSVC(C={C:.4g}{free}){which}", "LIBLINEAR -s 2 -c {C:.4g}{bias}{free_bias}")
_LIBLINEAR = "LIBLINEAR -s {solver} -c {{C:.4g}}{{bias}}{{free_bias}}"
_RIDGE_CLASSIFIER = ("scikit-learn RidgeClassifier(alpha={ridge:.4g}{free})",)

_RIDGE: Table = {
    ("log", "binary"): (f"scikit-learn {_SKLEARN}", _LIBLINEAR.format(solver=0), _GLMNET % "binomial"),
    ("log", "ovr"): (f"scikit-learn OneVsRestClassifier({_SKLEARN})", _LIBLINEAR.format(solver=0)),
    ("softmax", "softmax"): (f"scikit-learn {_SKLEARN}", _GLMNET % "multinomial"),
    ("hinge", "binary"): _LINEAR_SVC,
    ("hinge", "ovr"): _LINEAR_SVC,
    ("squared_hinge", "binary"): _SQUARED_SVC,
    ("squared_hinge", "ovr"): _SQUARED_SVC,
    ("crammer_singer", "crammer_singer"): (
        'scikit-learn LinearSVC(multi_class="crammer_singer", C={C:.4g}{free})',
        "LIBLINEAR -s 4 -c {C:.4g}{bias}",
        "{both}",
    ),
    ("squared", "binary"): _RIDGE_CLASSIFIER,
    ("squared", "ovr"): _RIDGE_CLASSIFIER,
    ("one_of_k", "one_of_k"): _RIDGE_CLASSIFIER,
}
_ELASTIC_NET: Table = {
    ("log", "binary"): (f"scikit-learn {_SAGA}", _GLMNET % "binomial"),
    ("log", "ovr"): (f"scikit-learn OneVsRestClassifier({_SAGA})",),
    ("softmax", "softmax"): (f"scikit-learn {_SAGA}", _GLMNET % "multinomial"),
}
_LASSO: Table = {
    ("log", "binary"): (_LIBLINEAR.format(solver=6),),
    ("log", "ovr"): (_LIBLINEAR.format(solver=6),),
    ("squared_hinge", "binary"): (_LIBLINEAR.format(solver=5),),
    ("squared_hinge", "ovr"): (_LIBLINEAR.format(solver=5),),
}
#: What an intercept, free as ours is, takes there; and what takes its place where there is none.
_INTERCEPT = {
    "free": "", "no_intercept": "", "bias": " -B 1", "free_bias": " -R",
    "both": "both penalise the intercept", "which": ", which penalises the intercept",
}  # fmt: skip
_NO_INTERCEPT = dict.fromkeys(_INTERCEPT, "") | {"free": ", fit_intercept=False", "no_intercept": ", intercept = FALSE"}


def inverse_strength(model: LinearModel) -> float:
    """C = 1/(nα), which others have for α; infinite where nα is too small for float64."""
    strength = model.origin.total_weight * model.alpha
    return 1.0 / strength if strength > 0.0 else inf


def describe_elsewhere(model: LinearModel) -> str:
    """How to ask other libraries for this model; empty where none has it, or there is no penalty."""
    penalty = model.objective.penalty
    if model.alpha == 0.0 or penalty.factors is not None or penalty.bounded:
        return ""
    total, ratio = model.origin.total_weight, penalty.l1_ratio
    tables = [_RIDGE] if ratio == 0.0 else [_ELASTIC_NET, *([_LASSO] if ratio == 1.0 else [])]
    numbers = {
        "alpha": model.alpha,
        "C": inverse_strength(model),
        "ridge": 0.5 * total * model.alpha,
        "ratio": ratio,
    }
    words = _INTERCEPT if model.fit_intercept else _NO_INTERCEPT
    asked = [text for table in tables for text in table.get((model.loss, model.multiclass), ())]
    return "; ".join(filter(None, (text.format(**numbers, **words) for text in asked)))
