"""The data sets by name: real ones read from the data folder, generated ones made from a seed."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks import text
from benchmarks.store import shared
from benchmarks.types import Absent, Data

DATASETS: dict[str, Callable[[], Data]] = {}


def dataset(name: str) -> Callable[[Callable[[], Data]], Callable[[], Data]]:
    """Register the function that builds the data set `name`."""

    def register(build: Callable[[], Data]) -> Callable[[], Data]:
        DATASETS[name] = build
        return build

    return register


def _standardised(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Columns of mean 0 and variance 1, in place; constant columns become 0."""
    X -= X.mean(axis=0)
    deviation = X.std(axis=0)
    X /= np.where(deviation > 0, deviation, 1.0)
    return X


def _covtype() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    frame = _polars().read_parquet(shared("covtype.parquet"))
    X = np.ascontiguousarray(frame[:, :-1].to_numpy(), dtype=np.float64)
    return _standardised(X), frame[:, -1].to_numpy().astype(np.int64)


@dataset("covtype")
def covtype() -> Data:
    """Forest cover, class 2 against the others, standardised."""
    X, cover = _covtype()
    return Data(X, (cover == 2).astype(np.int64))


@dataset("covtype-f32")
def covtype_f32() -> Data:
    data = covtype()
    return Data(data.X.astype(np.float32), data.y)


@dataset("covtype7")
def covtype7() -> Data:
    X, cover = _covtype()
    return Data(X, cover - 1)


@dataset("dense")
def dense() -> Data:
    """A stand-in for covtype that is always there: correlated columns, a quarter of them rare 0/1 ones."""
    rng = np.random.default_rng(3)
    n, d, rare = 500_000, 54, 14
    mixing = rng.normal(size=(d, d)) * np.geomspace(1.0, 0.03, d)[:, None]
    X = rng.normal(size=(n, d)) @ mixing
    X[:, :rare] = rng.random((n, rare)) < np.geomspace(0.2, 1e-3, rare)
    X = _standardised(X)
    scores = X @ rng.normal(size=d) * 0.6 + 0.3 * X[:, 20] * X[:, 21]
    return Data(X, (rng.logistic(size=n) < scores).astype(np.int64))


@dataset("a9a")
def a9a() -> Data:
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(str(shared("a9a.svm.gz")), n_features=123)
    return Data(_int32(X), (y > 0).astype(np.int64))


@dataset("kddcup99")
def kddcup99() -> Data:
    """Intrusions against normal traffic: three categorical columns one-hot, everything standardised."""
    frame = _polars().read_csv(shared("kddcup99_10pct.csv.gz"), has_header=False)
    labels = frame[:, -1].to_numpy()
    X = frame[:, :-1].to_dummies(frame.columns[1:4]).to_numpy()
    return Data(_standardised(np.array(X, dtype=np.float64, order="C")), (labels != "normal.").astype(np.int64))


@dataset("mnist")
def mnist() -> Data:
    with np.load(shared("mnist.npz")) as arrays:
        X, y = arrays["X_train"], arrays["y_train"]
    return Data(X.reshape(len(X), -1) / 255.0, y.astype(np.int64))


@dataset("mnist-f32")
def mnist_f32() -> Data:
    data = mnist()
    return Data(data.X.astype(np.float32), data.y)


@dataset("letter")
def letter() -> Data:
    data = letter_raw()
    return Data(_standardised(data.X), data.y)


@dataset("letter-raw")
def letter_raw() -> Data:
    """Sixteen counts from 0 to 15, as they come."""
    frame = _polars().read_csv(shared("letter.tsv.gz"), separator="\t")
    return Data(np.array(frame[:, :-1].to_numpy(), dtype=np.float64, order="C"), _index(frame[:, -1]))


@dataset("banking77")
def banking77() -> Data:
    from sklearn.feature_extraction.text import TfidfVectorizer

    frame = _polars().read_csv(shared("banking77_train.csv.gz"))
    return Data(_int32(TfidfVectorizer().fit_transform(frame[:, 0].to_list())), _index(frame[:, 1]))


@dataset("text")
def narrow_text() -> Data:
    corpus = text.Corpus(25_000, 45_000, 0, mean_length=203, classes=2, signal=0.25, noise=0.05, seed=1)
    return Data(*text.generate(corpus))


@dataset("text-wide")
def wide_text() -> Data:
    corpus = text.Corpus(25_000, 45_000, 395_000, mean_length=203, classes=2, signal=0.25, noise=0.05, seed=1)
    return Data(*text.generate(corpus))


@dataset("text20")
def many_class_text() -> Data:
    corpus = text.Corpus(11_314, 56_438, 0, mean_length=130, classes=20, signal=0.5, noise=0.05, seed=2)
    return Data(*text.generate(corpus))


def _polars() -> Any:
    """The reader of real data."""
    if importlib.util.find_spec("polars") is None:
        raise Absent("polars is not installed")
    return importlib.import_module("polars")


def _index(labels: Iterable[str]) -> NDArray[np.int64]:
    """The place of each label in their alphabetical order."""
    return np.unique(np.array(list(labels)), return_inverse=True)[1].astype(np.int64)


def _int32(X: sparse.spmatrix) -> sparse.csr_matrix:
    """CSR with int32 indices, which every entrant accepts."""
    X = sparse.csr_matrix(X, dtype=np.float64)
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    X.sort_indices()
    return X
