"""Whether data and parameters are those that a certificate speaks of.

Fingerprints are BLAKE2b of 8 bytes, in hexadecimal, but for X (rows.py):

    y          the classes as text, one a line, then the class numbers as little-endian uint32
    weights    sample weights times class weights as little-endian float64; "none" where every row counts once
    coef       the model's weights (d + 1, m), intercepts last, as little-endian float64
    objective  loss, multiclass, alpha in hexadecimal, intercept, separated by blanks; where the penalty is not a ridge
               also l1_ratio in hexadecimal and the hashes of factors, lower and upper bounds, "none" where absent
    offset     as little-endian float64; only where there is one
    claims     kind and numbers of the certificate in hexadecimal, then those of its parts, a line each

The last three may be missing: what they protect is then only found where it makes the certificate untrue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import Any

import numpy as np

from linsep.certify.independent.penalty import Penalty
from linsep.certify.independent.rows import Rows, fingerprint

Array = np.ndarray[Any, Any]
#: Notes a check: its name, whether it passed, and what to say if not; returns whether it passed.
Checks = Callable[[str, bool, str], bool]

_TINY = float(np.finfo(np.float64).tiny)


def same_shape(model: Any, rows: Rows, y: Any, weights: Any) -> tuple[bool, str]:
    """Whether X, y and the sample weights have the shapes of the fit, and what to say if not."""
    shape, expected = rows.shape, (model.n_rows, len(model.w) - 1)
    if shape != expected:
        return False, f"X has the shape {shape}, the model was fitted to {expected}"
    if weights is not None and np.shape(weights) not in ((), shape[:1]):
        return False, f"sample_weight has the shape {np.shape(weights)}, not one weight a row"
    labels = np.shape(y)
    return labels in (shape[:1], (shape[0], 1)), f"y has the shape {labels}, not one label a row"


def class_numbers(y: Any, classes: Any) -> Array | None:
    """The number of each row's class, None if there is a label of no class."""
    known = {label: k for k, label in enumerate(np.asarray(classes).tolist())}
    try:
        values, places = np.unique(np.asarray(y).ravel(), return_inverse=True)
    except TypeError:  # labels of several types, which cannot be sorted
        return None
    numbers = np.array([known.get(value, -1) for value in values.tolist()])
    return None if (numbers < 0).any() else numbers[places.ravel()]


def row_weights(given: Any, class_weight: Any, codes: Array, classes: Any) -> Array | None:
    """Sample weights times class weights ("balanced": S/(K S_k)); None where every row counts once."""
    weights = None if given is None else np.broadcast_to(np.asarray(given, np.float64), codes.shape)
    if class_weight is None:
        return weights
    if isinstance(class_weight, str):
        totals = np.bincount(codes, weights=weights, minlength=len(classes)).astype(np.float64)
        factors = float(totals.sum()) / (len(classes) * np.maximum(totals, _TINY))
    else:
        factors = np.array([float(class_weight.get(label, 1.0)) for label in np.asarray(classes).tolist()])
    return np.asarray(factors[codes] if weights is None else factors[codes] * weights)


def check_parameters(checks: Checks, model: Any) -> None:
    """Weights, parameters and the certificate's numbers."""
    certificate, recorded = model.certificate, model.certificate.fingerprint
    objective = f"{model.loss} {model.multiclass} {float(model.alpha).hex()} {bool(model.fit_intercept)}"
    objective += _penalty_words(model)
    found = {
        "coef": ("coefficients", "weights or intercepts", np.ascontiguousarray(model.w, "<f8").tobytes()),
        "objective": ("parameters", "loss, multiclass, alpha or intercept", objective.encode()),
        "claims": ("certificate", "the certificate's numbers", "\n".join(_lines(certificate)).encode()),
    }
    for key, (name, subject, content) in found.items():
        if key in recorded:
            checks(name, _digest(content) == recorded[key], f"{subject} were changed after the fit")
    checks("fingerprints", recorded == model.fingerprints, "those of model and certificate differ")
    alphas = {part.alpha for part in (certificate, *certificate.parts)}
    checks("alpha", alphas == {model.alpha}, f"it is {model.alpha!r}, that certified is {sorted(alphas)}")
    free = model.fit_intercept or not np.any(model.w[-1])
    checks("intercept", free, "the model has none, yet its value is not 0")
    penalty = Penalty.of(model)
    kept = penalty is None or penalty.allows(model.w[:-1])
    checks("bounds", kept, "a weight is outside the bounds that the model states")
    checks("finite", bool(np.isfinite(model.w).all()), "weights are infinite or not a number")


def _lines(certificate: Any) -> Iterator[str]:
    """The numbers of a certificate and of its parts."""
    for c in (certificate, *certificate.parts):
        numbers = (c.primal, c.bound, c.tol, c.alpha, c.gradient, c.allowance)
        strength = getattr(c, "strength", None)
        words = [c.kind.name, *(float(x).hex() for x in numbers)]
        yield " ".join(words if strength is None else [*words, float(strength).hex()])


def _penalty_words(model: Any) -> str:
    """Of the objective, what is beyond the ridge."""
    if Penalty.of(model) is None:
        return ""
    arrays = (model.penalty_factors, *model.bounds)
    hashes = ["none" if a is None else _digest(np.ascontiguousarray(a, "<f8").tobytes()) for a in arrays]
    return " ".join(["", float(model.l1_ratio).hex(), *hashes])


def check_offset(checks: Checks, model: Any, offset: Any) -> Array | None:
    """The offset as (n, m), None where there is none."""
    recorded = model.certificate.fingerprint.get("offset")
    if offset is None and recorded is None:
        return None
    given = "none" if offset is None else _digest(np.ascontiguousarray(offset, "<f8").tobytes())
    same = given == recorded and offset is not None
    checks("offset", same, f"the offsets are not those of the fit (fingerprint {given}, then {recorded or 'none'})")
    return np.asarray(offset, np.float64).reshape(len(np.atleast_1d(offset)), -1) if same else None


def check_data(checks: Checks, model: Any, rows: Rows, codes: Array, weights: Array | None) -> None:
    """X, labels and weights."""
    recorded = model.certificate.fingerprint
    names = "\n".join(map(str, np.asarray(model.classes).tolist())).encode()
    weighed = "none" if weights is None else _digest(weights.astype("<f8").tobytes())
    found = {
        "y": ("labels", "labels or classes", _digest(names + codes.astype("<u4").tobytes())),
        "weights": ("sample_weight", "sample or class weights", weighed),
        "X": ("data", "the entries of X", fingerprint(rows)),
    }
    for key, (name, subject, here) in found.items():
        there = recorded.get(key, "not recorded")
        checks(name, here == there, f"{subject} are not those of the fit (fingerprint {here}, then {there})")


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=8).hexdigest()
