"""The compiled kernels: arrays in, arrays out.

The same C++ sources are built for several instruction sets. The best one that this CPU has is loaded;
the environment variable ``LINSEP_ISA`` (``baseline``, ``avx2``, ``avx512``) forces one. What reads text is built once:
that is `_parsing`.
"""

from __future__ import annotations

import importlib.util
import os
from types import ModuleType
from typing import TYPE_CHECKING

from linsep.errors import InvalidParameter, unknown_name
from linsep.kernels import blas

__all__ = ["available", "isa", "load", "native"]

#: What the CPU must have for each variant, best first.
_REQUIRED: dict[str, frozenset[str]] = {
    "avx512": frozenset({"AVX512F", "AVX512CD", "AVX512BW", "AVX512DQ", "AVX512VL", "FMA3", "BMI2"}),
    "avx2": frozenset({"AVX2", "FMA3", "BMI2"}),
    "baseline": frozenset(),
}


def _cpu_features() -> frozenset[str]:
    from numpy._core._multiarray_umath import __cpu_features__  # type: ignore[import-not-found]

    have = {name for name, present in __cpu_features__.items() if present}
    if "AVX512_SKX" in have:  # NumPy's name for F, CD, BW, DQ and VL together
        have |= {"AVX512F", "AVX512CD", "AVX512BW", "AVX512DQ", "AVX512VL"}
    if "X86_V3" in have or "AVX2" in have:  # every CPU with AVX2 has FMA3 and BMI2
        have |= {"AVX2", "FMA3", "BMI2"}
    if "X86_V4" in have:
        have |= {"AVX512F", "AVX512CD", "AVX512BW", "AVX512DQ", "AVX512VL"}
    return frozenset(have)


def _built(isa: str) -> bool:
    return importlib.util.find_spec(f"{__name__}._{isa}") is not None


def available() -> list[str]:
    """The variants that are built and that this CPU can run, best first."""
    have = _cpu_features()
    return [isa for isa, needs in _REQUIRED.items() if needs <= have and _built(isa)]


def load(isa: str) -> ModuleType:
    """The compiled module for one instruction set, told where to find SciPy's BLAS."""
    module = importlib.import_module(f"{__name__}._{isa}")
    module.blas_from(blas.pointers)
    return module


def _choose() -> str:
    usable = available()
    forced = os.environ.get("LINSEP_ISA")
    if not forced:
        return usable[0]
    if forced not in _REQUIRED:
        raise unknown_name("LINSEP_ISA", forced, _REQUIRED)
    if forced not in usable:
        raise InvalidParameter(
            f"LINSEP_ISA={forced}, but this machine runs only: {', '.join(usable)}. Unset it to choose by itself."
        )
    return forced


isa: str = _choose()
if TYPE_CHECKING:
    from linsep.kernels import _baseline as native  # one interface for every variant
else:
    native = load(isa)
