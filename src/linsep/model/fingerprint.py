"""Fingerprints of what a model was fitted to, so that a certificate speaks of these data and no others.

    X        the kernels' hash of the entries (kernels/scan.cpp): the same for every storage and element type
    y        BLAKE2b, 8 bytes, of the class numbers as little-endian uint32, after the classes as text
    weights  BLAKE2b, 8 bytes, of the weights as little-endian float64; "none" where every row counts once

All are 16 hexadecimal digits. They detect accidents, not attacks.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from linsep.data.design import Design
from linsep.data.labels import Labels
from linsep.types import FloatArray


def fingerprints(design: Design, labels: Labels, weights: FloatArray | None) -> dict[str, str]:
    """The three fingerprints by name."""
    return {
        "X": f"{design.scan.fingerprint:016x}",
        "y": of_labels(labels),
        "weights": "none" if weights is None else _digest(weights.astype("<f8", copy=False)),
    }


def of_labels(labels: Labels) -> str:
    names = "\n".join(map(str, labels.classes.tolist())).encode()
    return _digest(labels.codes.astype("<u4"), names)


def _digest(array: np.ndarray[tuple[int], np.dtype[np.generic]], first: bytes = b"") -> str:
    state = blake2b(first, digest_size=8)
    state.update(array.tobytes())
    return state.hexdigest()
