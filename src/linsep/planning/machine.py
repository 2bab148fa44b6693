"""How fast this machine is: seconds a unit of work, measured once and kept in the user's cache directory.

The calibration takes less than two seconds for each number of threads: a tiny fit, a pass over dense and over sparse
rows, a Gram matrix of each, a factorisation, the best of several. A cache of another machine, version or number of
cores, or one that cannot be read, is measured again; where nothing can be written, it lasts as long as the process.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor

from linsep.data.source import as_design
from linsep.kernels.threads import resolve_threads, single_threaded_blas
from linsep.planning.work import UNITS
from linsep.problem import losses
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import L2
from linsep.solvers import fit_problem
from linsep.types import FloatArray

#: Changes when what is measured does.
_FORMAT = 2
#: How often each is measured, and the seconds after which no more.
_REPEATS, _SECONDS = 5, 0.25


def identity() -> dict[str, Any]:
    """What the speeds depend on."""
    return {
        "format": _FORMAT,
        "version": version("linsep"),
        "machine": f"{platform.node()} {platform.machine()} {platform.processor()}",
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "cores": resolve_threads(None),
    }


def cache_file() -> Path:
    """Where the speeds are kept: LINSEP_CACHE, or the directory that the system has for such things."""
    given = os.environ.get("LINSEP_CACHE") or os.environ.get("XDG_CACHE_HOME")
    if os.environ.get("LINSEP_CACHE"):
        return Path(str(given)) / "speeds.json"
    places = {"win32": os.environ.get("LOCALAPPDATA"), "darwin": str(Path.home() / "Library" / "Caches")}
    return Path(given or places.get(sys.platform) or Path.home() / ".cache") / "linsep" / "speeds.json"


@cache
def speeds(threads: int) -> FloatArray:
    """Seconds a unit of each kind with so many threads: from the cache, or measured and cached."""
    try:
        path: Path | None = cache_file()
    except RuntimeError:  # no home directory
        path = None
    kept = {} if path is None else _read(path)
    if threads not in kept:
        kept[threads] = measure(threads)
        if path is not None:
            _write(path, kept)
    return kept[threads]


def _read(path: Path) -> dict[int, FloatArray]:
    """The cached speeds by number of threads, if they are of this machine; those that make sense."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["identity"] != identity():
            return {}
        kept = {int(t): np.array([float(of[u]) for u in UNITS]) for t, of in record["seconds"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
    return {t: values for t, values in kept.items() if all(isfinite(v) and v > 0.0 for v in values)}


def _write(path: Path, kept: dict[int, FloatArray]) -> None:
    """Whole or not at all; a directory that cannot be written is no error."""
    seconds = {str(t): dict(zip(UNITS, map(float, values), strict=True)) for t, values in kept.items()}
    record = {"identity": identity(), "seconds": seconds}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
            json.dump(record, file)
        os.replace(file.name, path)
    except OSError:
        return


def measure(threads: int) -> FloatArray:
    """Seconds a unit with so many threads, in the order of UNITS."""
    rng = np.random.default_rng(0)
    tiny = _problem(rng.normal(size=(60, 4)), 1)
    tall = _problem(rng.normal(size=(100_000, 30)), threads)
    broad = as_design(rng.normal(size=(8_000, 200)), threads)
    matrix = sparse.random_array((20_000, 2_000), density=0.02, format="csr", rng=rng)
    wide, narrow = _problem(matrix, threads), as_design(matrix[:, :500].tocsr(), threads)
    square = np.eye(600) + 1e-3
    with single_threaded_blas():
        call = _best(lambda: fit_problem(tiny))
        dense = _best(lambda: tall.at(tall.zero())) / tall.design.entries
        scattered = _best(lambda: wide.at(wide.zero())) / wide.design.entries
        gram = _best(lambda: broad.gram(np.ones(broad.n))) / (broad.n * broad.d**2)
        scatter = _best(lambda: narrow.gram(np.ones(narrow.n))) / (narrow.entries**2 / narrow.n)
        cube = _best(lambda: cho_factor(square)) / len(square) ** 3
    return np.array([call, 4.0 * dense, dense, scattered, gram, scatter, cube])


def _problem(X: Any, threads: int) -> MarginProblem:
    signs = np.where(np.arange(X.shape[0]) % 2, 1.0, -1.0)
    return MarginProblem(as_design(X, threads), signs, None, L2(1e-2), True, loss=losses.get("log"))


def _best(work: Callable[[], object]) -> float:
    """The least of several seconds: what others do on the machine only adds."""
    taken: list[float] = []
    while len(taken) < _REPEATS and sum(taken) < _SECONDS:
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return min(taken)
