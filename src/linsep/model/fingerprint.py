"""Fingerprints of what a model was fitted to and of what it says, so that a certificate speaks of these alone.

    X          the kernels' hash of the entries (kernels/scan.cpp): the same for every storage and element type
    y          BLAKE2b, 8 bytes, of the class numbers as little-endian uint32, after the classes as text
    weights    BLAKE2b, 8 bytes, of the weights as little-endian float64; "none" where every row counts once
    coef       the same of the model's weights, intercepts last
    objective  the same of loss, multiclass, alpha and intercept as text; l1_ratio, factors and bounds where given
    offset     the same of the offsets, where there are any
    claims     the same of the certificate's numbers as text, then those of its parts

All are 16 hexadecimal digits. They detect accidents, not attacks. certify/independent/identity.py has them too.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from linsep.certify import Certificate
from linsep.data.design import Design
from linsep.data.labels import Labels
from linsep.types import FloatArray

if TYPE_CHECKING:
    from linsep.model.model import LinearModel


def fingerprints(
    design: Design, labels: Labels, weights: FloatArray | None, offset: FloatArray | None = None
) -> dict[str, str]:
    """Those of the data, by name."""
    known = {} if offset is None else {"offset": _digest(offset.astype("<f8", copy=False))}
    return {
        "X": f"{design.scan.fingerprint:016x}",
        "y": of_labels(labels),
        "weights": "none" if weights is None else _digest(weights.astype("<f8", copy=False)),
        **known,
    }


def of_model(model: LinearModel) -> dict[str, str]:
    """Those of weights, parameters and the certificate's numbers."""
    objective = f"{model.loss} {model.multiclass} {model.alpha.hex()} {model.fit_intercept}" + _penalty_words(model)
    claims = "\n".join(_numbers(c) for c in (model.certificate, *model.certificate.parts))
    nothing = np.empty(0)
    return {
        "coef": _digest(model.w.astype("<f8", copy=False)),
        "objective": _digest(nothing, objective.encode()),
        "claims": _digest(nothing, claims.encode()),
    }


def _numbers(c: Certificate) -> str:
    numbers = (c.primal, c.bound, c.tol, c.alpha, c.gradient, c.allowance)
    words = [c.kind.name, *(float(x).hex() for x in numbers)]
    return " ".join(words if c.strength is None else [*words, c.strength.hex()])


def _penalty_words(model: LinearModel) -> str:
    """What the penalty is beyond the ridge."""
    if model.objective.penalty.ridge:
        return ""
    arrays = (model.penalty_factors, *model.bounds)
    hashes = ["none" if a is None else _digest(np.ascontiguousarray(a, "<f8")) for a in arrays]
    return " ".join(["", model.l1_ratio.hex(), *hashes])


def of_labels(labels: Labels) -> str:
    names = "\n".join(map(str, labels.classes.tolist())).encode()
    return _digest(labels.codes.astype("<u4"), names)


def _digest(array: np.ndarray[Any, np.dtype[np.generic]], first: bytes = b"") -> str:
    state = blake2b(first, digest_size=8)
    state.update(np.ascontiguousarray(array).data)
    return state.hexdigest()
