"""The interface of the compiled kernels, one for every instruction set; reference.py says what they do.

All arguments go by position. Arrays that a kernel writes are C-contiguous float64, None where not wanted.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linsep.types import FloatArray, IntArray

class Matrix:
    """A design, read in place; it keeps the arrays alive that it reads."""

    @staticmethod
    def dense(data: NDArray[Any], /) -> Matrix: ...
    @staticmethod
    def csr(data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], d: int, /) -> Matrix: ...
    def take(self, rows: IntArray, /) -> Matrix: ...
    def with_columns(self, columns: Matrix, /) -> Matrix: ...
    @property
    def n(self) -> int: ...
    @property
    def d(self) -> int: ...
    @property
    def nnz(self) -> int: ...
    @property
    def subset(self) -> bool: ...

def blas_from(source: Callable[[], tuple[object, ...]], /) -> None: ...
def scores(matrix: Matrix, w: FloatArray, k: int, out: FloatArray, threads: int, single: bool, /) -> None: ...
def sides(matrix: Matrix, w: FloatArray, out: NDArray[np.bool_], threads: int, /) -> bool: ...
def adjoint(matrix: Matrix, r: FloatArray, k: int, out: FloatArray, threads: int, single: bool, /) -> None: ...
def loss_pass(
    matrix: Matrix, loss: str, y: FloatArray, s: FloatArray | None, scale: float, w: FloatArray,
    f: FloatArray, g: FloatArray | None, h: FloatArray | None, grad: FloatArray, threads: int, /,
) -> float: ...  # fmt: skip
def loss_values(
    loss: str, f: FloatArray, y: FloatArray, s: FloatArray | None, scale: float,
    g: FloatArray | None, h: FloatArray | None, threads: int, /,
) -> float: ...  # fmt: skip
def loss_search(
    loss: str, f: FloatArray, u: FloatArray, t: float, y: FloatArray, s: FloatArray | None, scale: float,
    threads: int, /,
) -> tuple[float, float]: ...  # fmt: skip
def loss_linearised(
    loss: str, f: FloatArray, u: FloatArray, y: FloatArray, theta: FloatArray, threads: int, /
) -> None: ...
def loss_conjugate(
    loss: str, theta: FloatArray, y: FloatArray, s: FloatArray | None, scale: float,
    shrink: tuple[float, float], r: FloatArray, threads: int, /,
) -> tuple[float, float]: ...  # fmt: skip
def fold_pass(
    matrix: Matrix, loss: str, y: FloatArray, s: FloatArray | None, fold: IntArray, share: FloatArray, w: FloatArray,
    every: FloatArray | None, mean: FloatArray, left: FloatArray, grad: FloatArray, threads: int, /,
) -> float: ...  # fmt: skip
def joint_pass(
    matrix: Matrix, loss: str, y: IntArray, s: FloatArray | None, scale: float, w: FloatArray, k: int,
    f: FloatArray | None, state: FloatArray | None, grad: FloatArray, threads: int, single: bool, /,
) -> float: ...  # fmt: skip
def class_sums(
    matrix: Matrix, y: IntArray, s: FloatArray | None, scale: float, k: int, out: FloatArray, threads: int, /
) -> None: ...
def joint_values(
    loss: str, z: FloatArray, y: IntArray, s: FloatArray | None, scale: float, k: int,
    r: FloatArray | None, threads: int, /,
) -> float: ...  # fmt: skip
def joint_linearised(
    loss: str, state: FloatArray, u: FloatArray, b: FloatArray | None, y: IntArray, k: int, theta: FloatArray,
    threads: int, /,
) -> None: ...  # fmt: skip
def joint_domain(loss: str, theta: FloatArray, y: IntArray, k: int, threads: int, /) -> None: ...
def class_tilt(
    q: FloatArray, factors: FloatArray, y: IntArray, s: FloatArray | None, k: int, out: FloatArray, threads: int, /
) -> None: ...
def joint_conjugate(
    loss: str, theta: FloatArray, y: IntArray, s: FloatArray | None, scale: float, k: int, r: FloatArray,
    threads: int, /,
) -> tuple[float, float]: ...  # fmt: skip
def joint_search(
    loss: str, f: FloatArray, u: FloatArray, t: float, y: IntArray, s: FloatArray | None, scale: float, k: int,
    threads: int, /,
) -> tuple[float, float]: ...  # fmt: skip
def joint_hessian(
    matrix: Matrix, loss: str, y: IntArray, s: FloatArray | None, scale: float, state: FloatArray,
    v: FloatArray, k: int, u: FloatArray | None, out: FloatArray, threads: int, single: bool, /,
) -> None: ...  # fmt: skip
def hessian(
    matrix: Matrix, h: FloatArray, v: FloatArray, u: FloatArray | None, out: FloatArray, threads: int, /
) -> None: ...
def row_norms(matrix: Matrix, q: FloatArray | None, out: FloatArray, threads: int, /) -> None: ...
def gram(
    matrix: Matrix, c: FloatArray, fold: IntArray | None, count: int, out: FloatArray, threads: int, single: bool, /
) -> None: ...
def scan(matrix: Matrix, salt: int, column_squares: FloatArray | None, threads: int, /) -> tuple[int, bool, float]: ...

class DualState:
    """The numbers of a dual coordinate descent between its sweeps."""

    b: float
    v2: float
    r: float
    active: int
    rest_high: float
    rest_low: float
    rest_below: float
    def __init__(self, seed: int, rows: int, lanes: int, windows: int, /) -> None: ...
    @property
    def rows(self) -> int: ...
    @property
    def lanes(self) -> int: ...
    @property
    def windows(self) -> int: ...
    @property
    def gap(self) -> float: ...
    @property
    def decrease(self) -> float: ...
    @property
    def violation(self) -> float: ...
    @property
    def largest(self) -> float: ...
    @property
    def visited(self) -> int: ...
    @property
    def moved(self) -> int: ...

class DualSweeps:
    """The arrays of a dual coordinate descent, which it keeps alive, and its state."""

    @staticmethod
    def over(
        loss: str, matrix: Matrix, y: FloatArray, cost: FloatArray, norm2: FloatArray, a: FloatArray,
        logit: FloatArray, w: FloatArray, lanes: FloatArray, order: NDArray[np.int32], state: DualState, /,
    ) -> DualSweeps: ...  # fmt: skip
    def sweep(self, threads: int, /) -> None: ...
    def intercept(self, scores: FloatArray, start: float, threads: int, /) -> float: ...
    def select(self, scores: FloatArray, b: float, /) -> None: ...
    def free(self) -> int: ...
    @property
    def state(self) -> DualState: ...

def crammer_singer_sweep(
    matrix: Matrix, k: int, y: IntArray, cost: FloatArray, norm2: FloatArray, a: FloatArray, b: FloatArray,
    r: FloatArray, order: NDArray[np.int32], w: FloatArray, lanes: FloatArray, lists: NDArray[np.int32],
    counts: NDArray[np.int32], whole: bool, state: DualState, threads: int, /,
) -> None: ...  # fmt: skip
def softmax_sweep(
    matrix: Matrix, k: int, cost: FloatArray, norm2: FloatArray, t: FloatArray, b: FloatArray, r: FloatArray,
    order: NDArray[np.int32], w: FloatArray, lanes: FloatArray, state: DualState, threads: int, /,
) -> None: ...  # fmt: skip
def softmax_multipliers(t: FloatArray, y: IntArray, k: int, theta: FloatArray, threads: int, /) -> None: ...
def crammer_singer_proximal(
    matrix: Matrix, k: int, y: IntArray, cost: FloatArray, centre: FloatArray, sigma: float, w: FloatArray,
    next: FloatArray, adjoint: FloatArray, hessian: FloatArray | None, threads: int, /,
) -> tuple[float, float, float]: ...  # fmt: skip

class PerceptronSettings:
    """How rows are judged and corrected; tie: −1, 1, or 0 for a mistake whatever the class."""

    @staticmethod
    def of(
        rule: str, rate: float, tie: int, batch: int, joint: bool, bias: bool, normalize: bool, average: bool,
        record: bool, pocket: bool, /,
    ) -> PerceptronSettings: ...  # fmt: skip

class PerceptronRun:
    """The state of a perceptron between epochs; w (units, width) is changed in place."""

    @staticmethod
    def over(
        matrix: Matrix, y: IntArray, w: FloatArray, units: int, shift: FloatArray | None, mean2: float,
        settings: PerceptronSettings, /,
    ) -> PerceptronRun: ...  # fmt: skip
    def epoch(self, order: IntArray, mistakes: IntArray, /) -> None: ...
    def mistakes(self) -> int: ...
    def judge(self) -> None: ...
    def total(self, out: FloatArray, /) -> int: ...
    def updates(self, out: IntArray, /) -> None: ...
    def best(self, out: FloatArray, /) -> int: ...
    def path(self, weights: FloatArray, rows: IntArray, /) -> None: ...
    @property
    def recorded(self) -> int: ...

def choice_epoch(
    matrix: Matrix, offsets: IntArray, chosen: IntArray, same: NDArray[np.uint8], order: IntArray, strict: bool,
    w: FloatArray, late: FloatArray, clock: int, mistakes: IntArray, /,
) -> int: ...  # fmt: skip
def choice_distances(matrix: Matrix, offsets: IntArray, chosen: IntArray, out: FloatArray, /) -> None: ...

class SgdState:
    """What stochastic gradient steps go by, and where they are: the steps t so far, the smoothed loss."""

    eta0: float
    smoothing: float
    t: int
    loss: float
    def __init__(
        self, eta0: float, power: float, alpha: float, smoothing: float, intercept: bool, beta: float, /
    ) -> None: ...
    def rate(self, step: float, /) -> float: ...

def sgd_margin(
    loss: str, matrix: Matrix, y: FloatArray, order: NDArray[np.int32], batch: int, w: FloatArray,
    state: SgdState, path: FloatArray | None, /,
) -> None: ...  # fmt: skip
def sgd_joint(
    loss: str, matrix: Matrix, y: IntArray, k: int, order: NDArray[np.int32], batch: int, w: FloatArray,
    state: SgdState, path: FloatArray | None, /,
) -> None: ...  # fmt: skip
def shuffle(order: NDArray[np.int32], random: int, /) -> int: ...

class KernelRows:
    """Rows of a kernel matrix, computed when they are needed."""

    @staticmethod
    def of(matrix: Matrix, name: str, gamma: float, coef0: float, degree: int, memory: float, /) -> KernelRows: ...
    @staticmethod
    def given(matrix: Matrix, columns: IntArray | None) -> KernelRows: ...
    @staticmethod
    def called(diagonal: FloatArray, call: Callable[[int], FloatArray], /) -> KernelRows: ...
    def diagonal(self, out: FloatArray, /) -> None: ...
    def block(self, rows: Matrix, first: int, out: FloatArray, threads: int, /) -> None: ...

class SmoState:
    """The numbers of a run of SMO."""

    @property
    def iterations(self) -> int: ...
    @property
    def active(self) -> int: ...
    @property
    def rows_computed(self) -> int: ...
    @property
    def dual(self) -> float: ...
    @property
    def gap(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def largest_v(self) -> float: ...
    @property
    def least_curvature(self) -> float: ...

class Smo:
    """SMO over the rows of a kernel, which it keeps alive."""

    @staticmethod
    def over(
        kernel: KernelRows, y: FloatArray, low: FloatArray, high: FloatArray, intercept: bool, bytes: float,
        shrinks: bool, /,
    ) -> Smo: ...  # fmt: skip
    def run(self, steps: int, tol: float, floor: float, threads: int, /) -> bool: ...
    def complete(self, threads: int, /) -> None: ...
    def read(self, beta: FloatArray, v: FloatArray, /) -> None: ...
    @property
    def state(self) -> SmoState: ...

class PrimalTerms:
    """Slopes, start, penalty and bounds of the coordinates of a quadratic model; z descends."""

    def __init__(
        self, g: FloatArray, w: FloatArray, a: FloatArray, c: FloatArray, lower: FloatArray, upper: FloatArray,
        z: FloatArray, /,
    ) -> None: ...  # fmt: skip

class PackedColumns:
    """Entries of some columns one after the other, their rows, and where each column starts."""

    def __init__(self, values: FloatArray, rows: NDArray[np.int32], starts: IntArray, n: int, /) -> None: ...

def primal_pack(
    columns: Matrix, chosen: IntArray, starts: IntArray, root: FloatArray | None, values: FloatArray,
    rows: NDArray[np.int32], threads: int, /,
) -> None: ...  # fmt: skip
def primal_cross(columns: PackedColumns, chosen: IntArray, G: FloatArray, threads: int, /) -> None: ...
def primal_gram(H: FloatArray, terms: PrimalTerms, violation: float, sweeps: int, /) -> tuple[float, int, bool]: ...
def primal_columns(
    columns: PackedColumns, terms: PrimalTerms, h: FloatArray, mean: FloatArray | None, q: FloatArray,
    violation: float, sweeps: int, /,
) -> tuple[float, int, bool]: ...  # fmt: skip
def primal_joint(
    columns: PackedColumns, terms: PrimalTerms, h: FloatArray, p: FloatArray, share: FloatArray,
    residual: FloatArray, violation: float, sweeps: int, /,
) -> tuple[float, int, bool]: ...  # fmt: skip
def columns_count(rows: Matrix, place: NDArray[np.int32], starts: NDArray[np.int32], threads: int, /) -> None: ...
def columns_copy(
    rows: Matrix, place: NDArray[np.int32], starts: NDArray[np.int32], values: NDArray[np.floating[Any]],
    columns: NDArray[np.int32], threads: int, /,
) -> None: ...  # fmt: skip
def columns_squares(rows: Matrix, c: FloatArray | None, out: FloatArray, threads: int, /) -> None: ...
