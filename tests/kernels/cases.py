"""What the kernel tests run over: every storage of a matrix, and a call of every kernel.

`Stored` holds the arrays as a user would, with the dense float64 matrix they mean. `Call` holds a kernel's
arguments and runs them on a compiled module or on the reference, with new outputs full of NaN each time.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pytest
from scipy import sparse

from linsep.kernels import available, load, reference
from linsep.types import FloatArray, IntArray

Array: TypeAlias = np.ndarray[Any, Any]
VARIANTS = {isa: load(isa) for isa in available()}

every_variant = pytest.mark.parametrize("native", VARIANTS.values(), ids=VARIANTS.keys())


#: linsep without its __init__, which would import all the layers above the kernels.
BARE = """
import sys
from importlib.util import find_spec, module_from_spec
sys.modules["linsep"] = module_from_spec(find_spec("linsep"))
"""


def in_a_new_process(code: str, isa: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "LINSEP_ISA"}
    if isa is not None:
        environment["LINSEP_ISA"] = isa
    command = [sys.executable, "-c", BARE + code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


class Stored(NamedTuple):
    """A matrix as a user holds it: a dense array, or (data, indices, indptr); perhaps some rows of it."""

    arrays: Any
    X: FloatArray
    rows: IntArray | None = None
    columns: Any = None

    def matrix(self, native: ModuleType) -> Any:
        if isinstance(self.arrays, tuple):
            whole = native.Matrix.csr(*self.arrays, self.X.shape[1])
        else:
            whole = native.Matrix.dense(self.arrays)
        if self.columns is not None:
            whole = whole.with_columns(native.Matrix.csr(*self.columns, len(self.X)))
        return whole if self.rows is None else whole.take(self.rows)


Builder: TypeAlias = Callable[[int, int], Stored]


def random_entries(n: int, d: int, dtype: str) -> Array:
    random = np.random.default_rng([n, d])
    if dtype in ("u1", "?"):
        return (random.integers(0, 256, (n, d)) * (random.random((n, d)) < 0.6)).astype(dtype)
    return random.normal(size=(n, d)).astype(dtype)


def twin(array: Array) -> FloatArray:
    return np.ascontiguousarray(array, dtype=np.float64)


def dense(dtype: str, order: Any) -> Builder:
    def build(n: int, d: int) -> Stored:
        array = np.asarray(random_entries(n, d, dtype), order=order)
        return Stored(array, twin(array))

    return build


def sliced(cut: Callable[[Array, int, int], Array], order: Any) -> Builder:
    """A part of a larger array, with its strides."""

    def build(n: int, d: int) -> Stored:
        part = cut(np.asarray(random_entries(2 * n + 3, 2 * d + 3, "f8"), order=order), n, d)
        return Stored(part, twin(part))

    return build


def overlapping(n: int, d: int) -> Stored:
    """Windows of one series: each row starts one entry after the last, which BLAS would refuse."""
    windows = np.lib.stride_tricks.sliding_window_view(random_entries(1, n + d - 1, "f8")[0], d)
    return Stored(windows, twin(windows))


def on_disk(order: Any) -> Builder:
    def build(n: int, d: int) -> Stored:
        file = tempfile.TemporaryFile()  # noqa: SIM115 (the map keeps it open)
        shape, entries = (n, d), random_entries(n, d, "f4")
        np.memmap(file, np.float32, "w+", shape=shape, order=order)[...] = entries
        return Stored(np.memmap(file, np.float32, "r", shape=shape, order=order), twin(entries))

    return build


def read_only(n: int, d: int) -> Stored:
    array = random_entries(n, d, "f8")
    array.flags.writeable = False
    return Stored(array, array)


def csr(dtype: str, index: str, density: float = 0.15) -> Builder:
    """Some rows are empty, some stored entries are zero, and the columns of a row are in no order."""

    def build(n: int, d: int) -> Stored:
        random = np.random.default_rng(n)
        kept = random.random((n, d)) < density
        kept[1::4] = False
        entries = random_entries(n, d, dtype)
        entries[0, 0], kept[0, 0] = 0, True
        row, column = np.nonzero(kept)
        order = np.lexsort([random.random(len(row)), row])
        indptr = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
        arrays = (entries[row, column][order], column[order].astype(index), indptr.astype(index))
        return Stored(arrays, twin(entries * kept))

    return build


def repeated(n: int, d: int) -> Stored:
    """Every entry is stored in two parts; a sparse matrix means their sum."""
    (data, indices, indptr), X, *_ = csr("f8", "i4")(n, d)
    parts = np.stack([0.75 * data, data - 0.75 * data], axis=1).ravel()
    return Stored((parts, np.repeat(indices, 2), 2 * indptr), X)


def some_rows(builder: Builder) -> Builder:
    """Rows in any order, some of them more than once."""

    def build(n: int, d: int) -> Stored:
        whole = builder(2 * n + 1, d)
        rows = np.random.default_rng(n).integers(0, 2 * n + 1, n)
        return Stored(whole.arrays, whole.X[rows], rows)

    return build


def with_columns(builder: Builder) -> Builder:
    """Sparse rows with their transpose beside them."""

    def build(n: int, d: int) -> Stored:
        stored = builder(n, d)
        T = sparse.csr_array(stored.arrays, shape=(n, d)).tocsc()
        index = stored.arrays[1].dtype
        return stored._replace(columns=(T.data, T.indices.astype(index), T.indptr.astype(index)))

    return build


STORAGES: dict[str, Builder] = {
    **{f"{order}-{dtype}": dense(dtype, order) for order in "CF" for dtype in ("f8", "f4", "u1", "?")},
    "rows apart": sliced(lambda a, n, d: a[: 2 * n : 2, :d], "C"),
    "columns of C": sliced(lambda a, n, d: a[:n, 2 : d + 2], "C"),
    "columns apart": sliced(lambda a, n, d: a[:n, : 2 * d : 2], "F"),
    "rows of F": sliced(lambda a, n, d: a[3 : n + 3, :d], "F"),
    "rows overlap": overlapping,
    "read-only": read_only,
    "memory map C": on_disk("C"),
    "memory map F": on_disk("F"),
    **{f"csr-{dtype}-{index}": csr(dtype, index) for dtype in ("f8", "f4") for index in ("i4", "i8")},
    "csr-u1-i4": csr("u1", "i4"),
    "csr-?-i8": csr("?", "i8"),
    "csr half full": csr("f8", "i4", density=0.6),
    "take C": some_rows(dense("f8", "C")),
    "take C-f4": some_rows(dense("f4", "C")),
    "take F": some_rows(dense("f8", "F")),
    "take csr": some_rows(csr("f8", "i4")),
    "csr with columns": with_columns(csr("f8", "i4")),
    "csr-f4 with columns": with_columns(csr("f4", "i8", density=0.6)),
    "csr-u1 with columns": with_columns(csr("u1", "i4")),
}


class Out(NamedTuple):
    """An array for the kernel to fill."""

    shape: tuple[int, ...]


class InOut(NamedTuple):
    """An array for the kernel to change."""

    start: FloatArray


TAKE_NO_MATRIX = {
    "loss_values",
    "loss_search",
    "loss_linearised",
    "loss_conjugate",
    "joint_values",
    "joint_linearised",
    "joint_domain",
    "class_tilt",
    "joint_conjugate",
    "joint_search",
}
TAKE_SINGLE = {"scores", "adjoint", "joint_pass", "joint_hessian", "gram"}


@dataclass(frozen=True)
class Call:
    """The arguments between the matrix (where the kernel takes one) and the number of threads."""

    kernel: str
    args: tuple[Any, ...]

    @property
    def takes_matrix(self) -> bool:
        return self.kernel not in TAKE_NO_MATRIX

    @property
    def takes_single(self) -> bool:
        return self.kernel in TAKE_SINGLE

    def __str__(self) -> str:
        return " ".join([self.kernel, *(a for a in self.args if isinstance(a, str))])

    def fresh(self) -> list[Any]:
        """The arguments as the kernel gets them: inputs that cannot be written, new outputs."""
        return [self._fresh(a) for a in self.args]

    @staticmethod
    def _fresh(argument: Any) -> Any:
        if isinstance(argument, Out):
            return np.full(argument.shape, np.nan)
        if isinstance(argument, InOut):
            return argument.start.copy()
        if isinstance(argument, np.ndarray):
            argument.flags.writeable = False
        return argument

    def native(self, module: ModuleType, matrix: Any, threads: int = 1, single: bool = False) -> list[Array]:
        trailing = (threads, single) if self.takes_single else (threads,)
        return self._run(getattr(module, self.kernel), matrix, trailing)

    def reference(self, X: FloatArray) -> list[Array]:
        return self._run(getattr(reference, self.kernel), X, ())

    def _run(self, function: Callable[..., Any], matrix: Any, trailing: tuple[Any, ...]) -> list[Array]:
        args = self.fresh()
        returned = function(*([matrix] if self.takes_matrix else []), *args, *trailing)
        outputs = [a for a, b in zip(args, self.args, strict=True) if isinstance(b, (Out, InOut))]
        if self.kernel == "gram":
            outputs = [np.triu(outputs[0])]
        values = returned if isinstance(returned, tuple) else () if returned is None else (returned,)
        return [*outputs, *map(np.array, values)]


def weights(kind: str, n: int) -> FloatArray | None:
    random = np.random.default_rng(n)
    s = random.exponential(size=n)
    if kind == "some zero":
        s[random.random(n) < 0.4] = 0.0
    return None if kind == "none" else s


WEIGHTS = ["none", "given", "some zero"]


def pass_calls(X: FloatArray, k: int) -> Iterator[Call]:
    """Every kernel that reads a matrix, at scores of order 1."""
    (n, d), random = X.shape, np.random.default_rng(k)
    size = max(1.0, float(np.sqrt((X**2).sum(axis=1)).max()))
    w, W = (2 * random.normal(size=(d + 1, *K)) / size for K in ((), (k,)))
    y, labels = random.choice([-1.0, 1.0], n), random.integers(0, k, n)
    s, P = weights("some zero", n), random.dirichlet(np.ones(k), n)
    yield Call("scores", (w, 1, Out((n,))))
    yield Call("scores", (W, k, Out((n, k))))
    yield Call("adjoint", (random.normal(size=n), 1, Out((d + 1,))))
    yield Call("adjoint", (random.normal(size=(n, k)), k, Out((d + 1, k))))
    yield Call("loss_pass", ("log", y, s, 0.5, w, Out((n,)), Out((n,)), Out((n,)), Out((d + 1,))))
    yield Call("loss_pass", ("squared", y, None, 1 / n, w, Out((n,)), None, None, Out((d + 1,))))
    for loss in reference.JOINT_LOSSES:
        outputs = (Out((n, k)), Out((n, k)), Out((d + 1, k)))
        yield Call("joint_pass", (loss, labels, s, 0.5, W, k, *outputs))
    yield Call("joint_pass", ("softmax", labels, None, 1 / n, W, k, None, None, Out((d + 1, k))))
    share = random.random(k)
    yield Call("fold_pass", ("log", y, s, labels, share, W, Out((n, k)), Out((n,)), Out((n,)), Out((d + 1, k))))
    yield Call("fold_pass", ("squared", y, None, labels, share, W, None, Out((n,)), Out((n,)), Out((d + 1, k))))
    yield Call("joint_hessian", ("softmax", labels, s, 0.5, P, W, k, Out((n, k)), Out((d + 1, k))))
    yield Call("joint_hessian", ("one_of_k", labels, None, 2.0, P, W, k, None, Out((d + 1, k))))
    yield Call("class_sums", (labels, s, 0.5, k, Out((d + 1, k))))
    yield Call("class_sums", (labels, None, 1 / n, k, Out((d + 1, k))))
    yield Call("hessian", (random.random(n), w, Out((n,)), Out((d + 1,))))
    yield Call("hessian", (random.normal(size=n), w, None, Out((d + 1,))))
    yield Call("row_norms", (None, Out((n,))))
    yield Call("row_norms", (random.random(d), Out((n,))))
    for counted in (0.8, 0.2):  # most rows, or few
        c = random.random(n) * (random.random(n) < counted)
        yield Call("gram", (c, None, 1, Out((1, d + 1, d + 1))))
        yield Call("gram", (c, labels, k, Out((k, d + 1, d + 1))))


def loss_calls(n: int, kind: str, k: int = 3) -> Iterator[Call]:
    """Every kernel that needs no matrix, for every loss; half the scores are whole numbers, to meet kinks."""
    random = np.random.default_rng(n)
    f, u, y = 3 * random.normal(size=n), random.normal(size=n), random.choice([-1.0, 1.0], n)
    Z, labels, s = 3 * random.normal(size=(n, k)), random.integers(0, k, n), weights(kind, n)
    f[::2], Z[::2] = np.round(f[::2]), np.round(Z[::2])
    for name, loss in reference.LOSSES.items():
        yield Call("loss_values", (name, f, y, s, 0.5, Out((n,)), Out((n,))))
        yield Call("loss_values", (name, f, y, s, 0.5, None, None))
        yield Call("loss_search", (name, f, u, 0.3, y, s, 0.5))
        if loss.conjugate is not None:
            theta = np.clip(np.abs(u), *loss.domain)
            yield Call("loss_linearised", (name, f, u, y, Out((n,))))
            yield Call("loss_conjugate", (name, InOut(theta), y, s, 0.5, (0.9, 0.7), Out((n,))))
    yield Call(
        "class_tilt", (InOut(random.dirichlet(np.ones(k), n)), random.exponential(size=k), labels, s, k, Out((2, k)))
    )
    for name in reference.JOINT_LOSSES:
        yield Call("joint_values", (name, InOut(Z), labels, s, 0.5, k, Out((n, k))))
        yield Call("joint_values", (name, InOut(Z), labels, s, 0.5, k, None))
        if reference.JOINT_LOSSES[name].curve is not None:
            state, U = reference.JOINT_LOSSES[name].state(Z), random.normal(size=(n, k))
            yield Call("joint_linearised", (name, state, U, None, labels, k, Out((n, k))))
            yield Call("joint_linearised", (name, state, U, random.normal(size=k), labels, k, Out((n, k))))
        yield Call("joint_domain", (name, InOut(random.normal(size=(n, k))), labels, k))
        theta = (labels[:, None] == np.arange(k)) - random.dirichlet(np.ones(k), n)
        yield Call("joint_conjugate", (name, theta, labels, s, 0.5, k, Out((n, k))))
        yield Call("joint_search", (name, Z, random.normal(size=(n, k)), 0.3, labels, s, 0.5, k))


def assert_close(actual: list[Array], expected: list[Array], tolerance: float, what: object) -> None:
    """Every entry within `tolerance` of its own size and of the largest."""
    assert len(actual) == len(expected)
    for a, e in zip(actual, expected, strict=True):
        np.testing.assert_allclose(a, e, rtol=tolerance, atol=tolerance * float(np.abs(e).max()), err_msg=str(what))
