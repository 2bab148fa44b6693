"""Check a certificate without trusting the code that made it.

This file and certify/independent/ need NumPy alone and import nothing else of this package. Everything is
computed again from the model's numbers and the data, in float64, block by block of rows:

- the fingerprints, so that data and parameters are those that the certificate speaks of;
- P(w, b) = 1/S Σ sᵢ ℓ(zᵢ) + Ω(w) for every problem, zᵢ = xᵢw + b + oᵢ the row's score or K scores, Ω the penalty (below
  α/2 ‖w‖²; certify/independent/penalty.py has L1, factors and bounds);
- a lower bound on its optimum. For any R, a number a score, Fenchel's ℓ(z) ≥ −⟨R, z⟩ − ℓ*(−R) gives

      P(w, b) ≥ −1/S Σ sᵢ ℓ*(−Rᵢ) − ‖v‖²/2α − ⟨r, b⟩,     v = 1/S Σ sᵢ Rᵢxᵢ,   r = 1/S Σ sᵢ Rᵢ,

  and |b*| ≤ B on the level set of P charges the last term. R comes from the multipliers that the model holds;
  a smooth loss needs none: R = −ℓ′ − ℓ″·[X 1]p, p a Newton step, is good enough. Without a penalty
  certify/independent/curvature.py has the bound, for hinge-like losses certify/independent/balance.py.

A verification is `ok`, or says what does not hold, or is `unknown`: nothing contradicts the model, but there is no
proof to check (a loss of the user's own, a loss that is not convex, a fit that found no bound).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np

from linsep.certify.independent.balance import balance_bounds, too_many
from linsep.certify.independent.curvature import curvature_bound, too_large
from linsep.certify.independent.firth import check_firth
from linsep.certify.independent.identity import (
    check_data,
    check_offset,
    check_parameters,
    class_numbers,
    row_weights,
    same_shape,
)
from linsep.certify.independent.losses import FORMULAS, JOINT, Joint, Margins
from linsep.certify.independent.penalised import Bounds
from linsep.certify.independent.penalty import Penalty
from linsep.certify.independent.problems import Problems
from linsep.certify.independent.rows import Rows
from linsep.certify.independent.separation import check_separability

__all__ = ["Check", "Verification", "verify"]

Array = np.ndarray[Any, Any]

_SCORES = 2**22  # of the problems that are checked together
_SAME = 1e-9  # relative difference within which two values of P are the same
_NEAR = 8.0  # allowances for rounding by which two computations may differ


class Check(NamedTuple):
    """One thing that was checked."""

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True)
class Verification:
    """What was found; as a truth value, `ok`. The numbers are recomputed, nan where that was not reached.

    ok       the model and its certificate are what they say
    checks   (name, passed, detail) in the order in which they were made
    unknown  nothing contradicts the model, but it has no proof that could be checked

    statement: what was verified, where that is not a fit

    primal, bound and gap are sums over the problems of a reduction, relative_gap is that of the worst.
    """

    ok: bool
    checks: tuple[Check, ...]
    primal: float = nan
    bound: float = nan
    gap: float = nan
    relative_gap: float = nan
    unknown: bool = False
    statement: str = ""

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        if self.ok and self.statement:
            return f"verified: {self.statement}, computed again from the data"
        if self.ok:
            return (
                f"verified: P = {self.primal:.9g} is at most {self.gap:.1e} above the optimum "
                f"(relative {self.relative_gap:.1e}), computed again from the data"
            )
        state = "cannot be verified" if self.unknown else "NOT verified"
        return "\n".join([f"{state}:", *(f"  {c.name}: {c.detail}" for c in self.checks if not c.passed)])


def verify(model: Any, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> Verification:
    """Check a fitted model, an estimator that holds one, or a verdict on separability against its data."""
    if hasattr(model, "hull") and hasattr(model, "verdict"):
        return _verify_witness(model, X, y)
    fitted = getattr(model, "model_", model)
    if not all(hasattr(fitted, name) for name in ("w", "certificate", "objective")):
        raise TypeError(f"verify needs a fitted estimator, a model or a verdict; given was {type(model).__name__}")
    checks, rows = _Checks(), Rows(X)
    if not checks("shape", *same_shape(fitted, rows, y, sample_weight)):
        return checks.verification()
    codes = class_numbers(y, fitted.classes)
    if codes is None:
        checks("labels", False, "y holds labels that are not among the model's classes")
        return checks.verification()
    weights = row_weights(sample_weight, getattr(model, "class_weight", None), codes, fitted.classes)
    check_parameters(checks, fitted)
    check_data(checks, fitted, rows, codes, weights)
    known = check_offset(checks, fitted, offset)
    if not checks.passed:
        return checks.verification()
    if fitted.loss not in (*FORMULAS, *JOINT) or fitted.objective.scheme.name not in _SCHEMES:
        checks("proof", False, f"loss {fitted.loss!r}, multiclass {fitted.multiclass!r}: the user's own")
        return checks.verification()
    if fitted.objective.correction.value:
        primal = check_firth(checks, fitted, next(_groups(fitted, rows, codes, weights, known)).problems)
        return checks.verification(primal=primal)
    return _check_claims(checks, fitted, _groups(fitted, rows, codes, weights, known))


def _verify_witness(witness: Any, X: Any, y: Any) -> Verification:
    """A verdict of `separability`, by its witness."""
    checks = _Checks()
    check_separability(checks, witness, X, y)
    return checks.verification(statement=witness.verdict.value)


@dataclass
class _Checks:
    """Collects the checks."""

    made: list[Check] = field(default_factory=list)

    def __call__(self, name: str, passed: bool, otherwise: str) -> bool:
        self.made.append(Check(name, passed, "holds" if passed else otherwise))
        return passed

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.made)

    def verification(self, statement: str = "", **numbers: float) -> Verification:
        failed = {check.name for check in self.made if not check.passed}
        return Verification(not failed, tuple(self.made), **numbers, unknown=failed == {"proof"}, statement=statement)


# -- the problems of the model ------------------------------------------------------------------------------

_SCHEMES = ("binary", "ovr", "ovo", "ecoc", "joint")


class _Group(NamedTuple):
    """Problems with the same rows: their columns of w, and their numbers among the certificate's parts."""

    problems: Problems
    columns: slice
    parts: slice


def _groups(model: Any, rows: Rows, codes: Array, weights: Array | None, offset: Array | None) -> Iterator[_Group]:
    """All problems. Those of one-vs-one have rows of their own, the others are taken together."""
    scheme, m, K = model.objective.scheme, model.w.shape[1], len(model.classes)
    counts = np.ones(len(codes)) if weights is None else weights
    penalty = Penalty.of(model)

    def problems(loss: Margins | Joint, chosen: Array | None) -> Problems:
        s = counts if chosen is None else counts[chosen]
        return Problems(rows, chosen, s / s.sum(), loss, model.alpha, model.fit_intercept, penalty, offset)

    if scheme.name == "joint":
        yield _Group(problems(Joint(model.loss, codes, m), None), slice(0, m), slice(0, 1))
    elif scheme.name == "ovo":
        for j, (first, second) in enumerate(zip(*np.triu_indices(K, 1), strict=True)):
            chosen = np.flatnonzero((codes == first) | (codes == second))
            signs = np.where(codes[chosen] == second, 1.0, -1.0)[:, None]
            yield _Group(problems(Margins(model.loss, signs), chosen), slice(j, j + 1), slice(j, j + 1))
    else:
        table, size = _sign_table(scheme, K), max(_SCORES // len(codes), 1)
        for low in range(0, m, size):
            columns = slice(low, min(low + size, m))
            group = problems(Margins(model.loss, table[codes, columns]), None)
            part = None if offset is None else offset[:, columns]
            yield _Group(replace(group, offset=part), columns, columns)


def _sign_table(scheme: Any, K: int) -> Array:
    """(K, m): the side that each class is on in each problem."""
    if scheme.name == "binary":
        return np.array([[-1.0], [1.0]])
    if scheme.name == "ovr":
        return np.asarray(2.0 * np.eye(K) - 1.0)
    return np.where(np.asarray(scheme.codebook(K)) > 0, 1.0, -1.0)


# -- whether the claims are true ----------------------------------------------------------------------------


def _check_claims(checks: _Checks, model: Any, groups: Iterator[_Group]) -> Verification:
    claims = model.certificate.parts or (model.certificate,)
    P, bound, slack = (np.full(len(claims), nan) for _ in range(3))
    missing = ""
    for group in groups:
        here = _recompute(model, group, claims[group.parts])
        P[group.parts], bound[group.parts], slack[group.parts] = here.primal, here.bound, here.slack
        missing = missing or here.missing
    said_P, said_bound, tol = np.array([[c.primal, c.bound, c.tol] for c in claims]).T
    near = _SAME * np.abs(P) + slack

    def check(name: str, holds: Array, sentence: str, *numbers: Array) -> None:
        j = int(np.argmin(holds))
        which = f"problem {j} of {len(holds)}: " if len(holds) > 1 else ""
        checks(name, bool(holds.all()), which + sentence.format(*(float(x[j]) for x in numbers)))

    check("objective", np.abs(said_P - P) <= near, "P is {:.12g}, the certificate says {:.12g}", P, said_P)
    if missing:
        checks("proof", False, missing)
    else:
        check("bound", said_bound <= bound + near, "proved is {:.12g}, claimed {:.12g}", bound, said_bound)
        allowed, gap = tol * np.abs(P), P - bound
        enough = (gap <= allowed + slack) & np.array([c.holds for c in claims])
        check("tolerance", enough, "the gap is {:.3g}, allowed {:.3g}", gap, allowed)
        total = model.certificate.primal, model.certificate.bound
        same = np.allclose(total, (said_P.sum(), said_bound.sum()), rtol=_SAME, atol=float(slack.sum()))
        checks("parts", same, "the certificate's numbers are not the sums of its parts")
    gaps = np.maximum(P - bound, 0.0)
    relative = np.divide(gaps, np.abs(P), out=np.where(gaps > 0.0, inf, 0.0), where=P != 0.0)
    return checks.verification(
        primal=float(P.sum()),
        bound=float(bound.sum()),
        gap=float(gaps.sum()),
        relative_gap=float(relative.max()),
    )


class _Recomputed(NamedTuple):
    """For each problem P, a bound on its optimum, what rounding may hide; why there is no bound, if so."""

    primal: Array
    bound: Array
    slack: Array
    missing: str = ""


def _recompute(model: Any, group: _Group, claims: Any) -> _Recomputed:
    problems, W = group.problems, np.ascontiguousarray(model.w[:, group.columns])
    Z = problems.scores(W)
    P = problems.primal(W, Z)
    noise = problems.noise(W, Z) + (problems.unit if problems.attained else 0.0)
    claimed = np.array([claim.bound for claim in claims])
    found = _bound(model, group, W, P, claimed - _SAME * np.abs(P))
    if isinstance(found, str):
        return _Recomputed(P, np.full_like(P, -inf), _NEAR * noise, found)
    if problems.attained:  # no loss is negative, and no penalty
        found = found.best(Bounds(np.zeros_like(P), np.zeros_like(P)))
    return _Recomputed(P, found.value, _NEAR * (found.allowance + noise))


def _bound(model: Any, group: _Group, W: Array, P: Array, enough: Array) -> Bounds | str:
    """The bound by whatever proof there is, or why there is none."""
    problems, stored = group.problems, model.dual[group.parts]
    if not problems.loss.convex:
        return f"loss {model.loss!r} is not convex, so there is no bound on its optimum"
    if not np.isfinite(enough).all():
        return "the fit ended without a bound on the optimum: the model was not certified"
    local = problems.loss.smooth and not too_large(problems)
    claims = (model.certificate.parts or (model.certificate,))[group.parts]
    if problems.alpha == 0.0 and problems.penalty is None:
        if (enough <= 0.0).all():  # no loss is negative
            return Bounds(np.zeros_like(P), np.zeros_like(P))
        if local:
            return curvature_bound(problems, W, P, enough)
        if not problems.loss.smooth and not too_many(problems) and all(theta is not None for theta in stored):
            return balance_bounds(problems, stored)
        return "without a penalty the proof can only be checked at a moderate size"
    problems, W = problems.off_means(W)
    held = [theta is not None for theta in stored]
    if all(held) or (any(held) and problems.penalty is not None and local):
        found = problems.dual(_multipliers(problems, stored), P)
    elif problems.penalty is not None and local:
        return curvature_bound(problems, W, P, enough)
    elif problems.penalty is not None:
        return "with L1, penalty factors or bounds multipliers are needed, which the model does not hold"
    elif problems.loss.smooth:
        found = problems.own_bound(W, P, enough)
    else:
        return f"loss {model.loss!r} needs its multipliers, which the model does not hold"
    if local and any(claim.kind.name == "LOCAL_CURVATURE" for claim in claims):
        return found.best(curvature_bound(problems, W, P, enough))
    return found


def _multipliers(problems: Problems, stored: Any) -> Array:
    """The stored multipliers as R: θ times the sign of the row for margins. NaN, where the shape is wrong.

    A problem that holds none has zeros, which prove little: its bound is another.
    """
    joint, none = isinstance(problems.loss, Joint), np.zeros(len(problems.shares))
    columns = [none if theta is None else theta for theta in stored]
    theta = np.asarray(columns[0] if joint else np.stack(columns, axis=1), np.float64)
    if len(theta) != len(problems.shares):
        return np.full((len(problems.shares), theta.shape[1]), nan)
    return theta if isinstance(problems.loss, Joint) else np.asarray(problems.loss.signs * theta)
