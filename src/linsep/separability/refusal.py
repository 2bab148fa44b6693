"""Why there is no maximum margin: the verdict of `separability`, exact where that is, as an error.

Sets that touch as far as float64 can tell may be separable all the same, by a margin far below the length of the rows.
So the verdict is asked, and its witness is what the error carries and `verify` checks.
"""

from __future__ import annotations

from dataclasses import replace

from linsep.errors import MarginTooSmall, NoMaximumMargin, NotSeparable
from linsep.model import Training
from linsep.separability.cone import Cone
from linsep.separability.judge import combination, judge
from linsep.separability.margin_certificate import Touching
from linsep.separability.verdict import Separability
from linsep.separability.wide import near
from linsep.separability.words import common_point


def refusal(training: Training, touching: Touching, *, intercept: bool) -> NoMaximumMargin:
    """The error for two classes between which no hyperplane was found."""
    verdict = judge(training, intercept)
    if verdict.separable:
        return _too_small(verdict, touching.bound)
    verdict = _nearer(verdict, training, touching)
    through = "" if intercept else " through the origin"
    unsure = "" if verdict.proved else ", or by too little for float64 to find"
    return NotSeparable(
        f"the data are not linearly separable{through}{unsure}: {common_point(verdict)}",
        "The error's `witness` is the verdict of separability, which linsep.verify checks. For such data use "
        "LinearSVM, which lets rows be on the wrong side at a cost",
        verdict,
    )


def need_no_hyperplane(training: Training, bound: float, *, intercept: bool) -> None:
    """Raises `MarginTooSmall` where a hyperplane separates after all."""
    verdict = judge(training, intercept)
    if verdict.separable:
        raise _too_small(verdict, bound)


def _too_small(verdict: Separability, bound: float) -> MarginTooSmall:
    return MarginTooSmall(
        f"the data are linearly separable, which is proved, but no margin exceeds {bound:.3g}: too little beside the "
        "length of the rows for float64 to find the largest",
        "Centre the columns and scale them to a similar size. The error's `witness` has a hyperplane that separates",
        verdict,
    )


def _nearer(verdict: Separability, training: Training, touching: Touching) -> Separability:
    """The verdict with the two hull points at hand, where it has none that are nearer."""
    if verdict.proved:
        return verdict
    cone = Cone(training.design, training.labels.codes, training.n_classes, verdict.fit_intercept)
    found = near(cone, touching.rows, touching.weights)
    if found.mean is None or not found.residual < verdict.residual:
        return verdict
    return replace(verdict, hull=combination(cone, found.mean), residual=found.residual)
