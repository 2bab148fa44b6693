"""Novikoff's theorem beside a run: from w = 0 the incremental rule makes at most (R/ρ)² updates on separable data.

R and ρ are those of the space the perceptron runs in: of the centred rows where it centres them, with an extra
input of 1 where it has a bias, of class k against the rest for unit k, of Kesler's vectors for the joint rule. The
thresholded rule is the mistake-driven one at twice the rate, and from w = 0 the rate only scales w. Neither the order
of the rows, nor what a tie counts as, nor a pocket or an average changes the proof.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from linsep.data.design import Design
from linsep.model import Training
from linsep.online.perceptron.plan import PerceptronStatus, Plan, Result
from linsep.online.perceptron.primal import column_means
from linsep.separability import Verdict, separability
from linsep.separability.novikoff import novikoff_bound
from linsep.solvers.patience import OutOfTime, at_most
from linsep.types import FloatArray, IntArray

#: Centred sparse rows are dense: beyond so many entries they are not made for a verdict or a bound.
_DENSE = 20_000_000
#: Units whose separability is judged for a warning.
_JUDGED = 5
#: Seconds that their verdicts may take in all.
PATIENCE = 10.0
_UNKNOWN = "the run did not converge, and only classes known to be separable have a margin ρ > 0"


@dataclass(frozen=True)
class Circumstances:
    """What a theorem must know beside the plan."""

    plan: Plan
    units: int
    started: bool = False
    center: bool = False
    kernel: str | None = None

    @property
    def linear(self) -> bool:
        return self.kernel in (None, "linear")


@dataclass(frozen=True)
class Judged:
    """What `separability` says of the units that made mistakes in the last epoch.

    verdicts   by the name of the class against the rest, "" for the run as a whole; None: not proved in time
    left_out   units with mistakes that were not asked about
    """

    verdicts: tuple[tuple[str, Verdict | None], ...] = ()
    left_out: int = 0

    @property
    def separable(self) -> bool:
        """Whether every unit is known to be: those without mistakes are by their weights."""
        return bool(self.verdicts) and not self.left_out and all(v is Verdict.SEPARABLE for _, v in self.verdicts)


def why_no_bound(at: Circumstances, status: PerceptronStatus, separable: bool = False) -> str | None:
    """Why Novikoff's bound says nothing about this run; None where it does.

    separable: the classes are known to be so although the run did not converge.
    """
    reasons = [
        (at.plan.delta, "the unthresholded rule corrects examples that are right, too"),
        (at.plan.normalize, "normalize: weights cut to unit length forget the earlier updates that the proof adds up"),
        (at.started, "the run did not start from w = 0"),
        (at.plan.batch > 1, "a block of examples is judged before any of them is corrected"),
        (not at.linear, f"the margin in the feature space of the kernel {at.kernel!r} is not computed"),
        (
            not (status.converged or separable),
            _UNKNOWN,
        ),
    ]
    return next((text for holds, text in reasons if holds), None)


def bounds(design: Design, codes: IntArray, at: Circumstances) -> FloatArray | None:
    """(R/ρ)² for every unit, one for the joint rule; None for centred sparse rows that are too many to be dense."""
    rows = space(design, at)
    if rows is None:
        return None
    if at.units == 1 or at.plan.joint:
        return np.array([novikoff_bound(rows, codes, bias=at.plan.bias)])
    return np.array([novikoff_bound(rows, codes == k, bias=at.plan.bias) for k in range(at.units)])


def space(design: Design, at: Circumstances) -> Any:
    """The rows as the perceptron sees them, before the extra 1."""
    rows = design.source
    if design.sparse:
        rows = sparse.csr_array(rows, shape=(design.n, design.d))
    if not at.center:
        return rows
    if design.sparse and design.n * design.d > _DENSE:
        return None
    dense = rows.toarray() if design.sparse else rows
    return dense - column_means(design)


def unaltered(design: Design) -> bool:
    """Whether the entries are still those that were read in the fit."""
    return replace(design).scan.fingerprint == design.scan.fingerprint


def judged(training: Training, at: Circumstances, result: Result) -> Judged:
    """What `separability` says, within `PATIENCE`; Ctrl-C ends it. Empty where it cannot be asked."""
    asked = at.linear and not at.plan.delta and len(result.mistakes) > 0
    rows = space(training.design, at) if asked and result.status is not PerceptronStatus.INTERRUPTED else None
    if rows is None:
        return Judged()
    codes, questions, left_out = training.labels.codes, [("", training.labels.codes)], 0
    if at.units > 1 and not at.plan.joint:
        wrong = np.flatnonzero(result.mistakes[-1])
        questions = [(str(training.labels.classes[k]), codes == k) for k in wrong[:_JUDGED]]
        left_out = len(wrong) - len(questions)
    verdicts: dict[str, Verdict | None] = {whom: None for whom, _ in questions}
    try:
        with at_most(PATIENCE):
            for whom, y in questions:
                found = separability(rows, y, fit_intercept=at.plan.bias, n_jobs=training.design.threads)
                verdicts[whom] = found.verdict if found.proved else None
    except (OutOfTime, KeyboardInterrupt):
        pass  # what is not decided stays None
    return Judged(tuple(verdicts.items()), left_out)
