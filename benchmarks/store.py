"""Where data come from: files beside the project, and a cache of prepared arrays outside of it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks.types import Absent, Data

ROOT = Path(__file__).resolve().parent.parent
VERSION = "1"  # raise it when a generator or a reader changes: prepared arrays are then made anew


def shared(name: str) -> Path:
    """The path of a data file: in the folder LINSEP_DATA, else in ../shared/data beside the project."""
    folder = Path(os.environ.get("LINSEP_DATA", ROOT.parent / "shared" / "data"))
    path = folder / name
    if not path.exists():
        raise Absent(f"{name} is not in the data folder (set LINSEP_DATA)")
    return path


def cache() -> Path:
    """The cache folder, under the system's folder for temporary files."""
    folder = Path(tempfile.gettempdir()) / "linsep-bench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def prepare(name: str, build: Callable[[], Data]) -> Path:
    """Build a data set once and keep its arrays in a folder that worker processes load from."""
    folder = cache() / f"{name}-v{VERSION}"
    if folder.exists():
        return folder
    data = build()
    unfinished = Path(tempfile.mkdtemp(dir=cache()))
    if sparse.issparse(data.X):
        for part in ("data", "indices", "indptr"):
            np.save(unfinished / f"{part}.npy", getattr(data.X, part))
        np.save(unfinished / "shape.npy", np.array(data.X.shape))
    else:
        np.save(unfinished / "X.npy", data.X)
    np.save(unfinished / "y.npy", data.y)
    try:
        unfinished.rename(folder)
    except OSError:  # another process was faster
        shutil.rmtree(unfinished)
    return folder


def load(folder: Path) -> Data:
    """Read the prepared arrays into memory."""
    y = np.load(folder / "y.npy")
    if (folder / "X.npy").exists():
        return Data(np.load(folder / "X.npy"), y)
    parts = tuple(np.load(folder / f"{part}.npy") for part in ("data", "indices", "indptr"))
    n, d = np.load(folder / "shape.npy")
    return Data(sparse.csr_matrix(parts, shape=(int(n), int(d))), y)
