"""The verifier agrees with every fit, and stands on its own."""

from __future__ import annotations

import ast
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import linsep
from linsep import LinearClassifier, LogisticRegression, OneVsOne, OutputCodes, verify
from linsep.certify import Kind
from tests.certify.cases import CONVEX, SLOPES
from tests.certify.fits import STORAGE, data, failed, unsigned

# -- what passes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("storage", ["float64", "csr", "float32"])
@pytest.mark.parametrize("loss", CONVEX)
def test_two_classes(loss: str, storage: str, intercept: bool) -> None:
    X, y, s = data()
    model = LinearClassifier(loss, alpha=1e-2, fit_intercept=intercept).fit(STORAGE[storage](X), y, s)
    verdict = verify(model, STORAGE[storage](X), y, s)
    assert verdict, verdict
    assert verdict.primal == pytest.approx(model.certificate_.primal, rel=1e-12)
    assert verdict.relative_gap <= 1e-4
    assert str(verdict).startswith("verified: P = ")


SCHEMES = [
    ("log", "softmax"),
    ("squared", "one_of_k"),
    ("hinge", "crammer_singer"),
    *((loss, scheme) for scheme in ("ovr", "ovo", "ecoc") for loss in CONVEX),
    ("log", OneVsOne(decide="scores")),
    ("squared_hinge", OutputCodes(size=5, seed=3)),
]


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("loss", "multiclass"), SCHEMES)
def test_more_classes(loss: str, multiclass: Any, intercept: bool) -> None:
    X, y, s = data(4)
    model = LinearClassifier(loss, alpha=1e-2, multiclass=multiclass, fit_intercept=intercept)
    model.fit(X, y, s)
    verdict = verify(model, X, y, s)
    assert verdict, verdict
    assert verdict.primal == pytest.approx(model.certificate_.primal, rel=1e-12)


@pytest.mark.parametrize("loss", sorted(SLOPES))
def test_without_penalty(loss: str) -> None:
    X, y, s = data(seed=1)
    y = np.random.default_rng(1).integers(0, 2, len(y))
    model = LinearClassifier(loss, alpha=0.0).fit(X, y, s)
    assert verify(model, X, y, s), verify(model, X, y, s)


@pytest.mark.parametrize("classes", [2, 3])
def test_more_columns_than_rows_without_penalty(classes: int) -> None:
    """P* = 0 is reached to rounding: what is left is the square of what rounding does to the residuals."""
    X, y, _ = data(classes, n=10, d=30)
    model = LinearClassifier("squared", alpha=0.0).fit(X, y)
    verdict = verify(model, X, y)
    assert verdict, verdict
    assert verdict.primal < 1e-25


def test_softmax_without_penalty() -> None:
    X, _, _ = data(3)
    y = np.random.default_rng(1).integers(0, 3, len(X))
    model = LogisticRegression(alpha=0.0).fit(X, y)
    assert verify(model, X, y), verify(model, X, y)


@pytest.mark.parametrize("read", STORAGE)
@pytest.mark.parametrize("fitted", STORAGE)
def test_any_storage_of_the_same_numbers(fitted: str, read: str) -> None:
    """A certificate speaks of numbers, not of how they are stored."""
    X, y, _ = data()
    model = LogisticRegression(alpha=1e-2).fit(STORAGE[fitted](X), y)
    assert verify(model, STORAGE[read](X), y)


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 2.0, 2: 0.5}])
@pytest.mark.parametrize("weighted", [True, False])
def test_class_weights(class_weight: Any, weighted: bool) -> None:
    X, y, s = data(3)
    weights = s if weighted else None
    model = LogisticRegression(alpha=1e-2, class_weight=class_weight).fit(X, y, weights)
    assert verify(model, X, y, weights)


def test_frames_and_labels_of_any_kind() -> None:
    pandas = pytest.importorskip("pandas")
    X, y, _ = data(3)
    names = np.array(["red", "green", "blue"])[y]
    frame = pandas.DataFrame(X, columns=list("abcd"))
    model = LogisticRegression(alpha=1e-2).fit(frame, names)
    assert verify(model, frame, names)
    assert verify(model, X, names.tolist())
    assert verify(model, frame, pandas.Series(names.astype(object)))
    swapped = frame[["b", "a", "c", "d"]]
    assert failed(verify(model, swapped, names)) == {"data"}


def test_a_model_without_its_estimator() -> None:
    X, y, s = data(3)
    assert verify(LogisticRegression(alpha=1e-2).fit(X, y, s).model_, X, y, s)


def test_a_model_with_class_weights_without_its_estimator() -> None:
    X, y, s = data(3)
    model = LogisticRegression(alpha=1e-2, class_weight="balanced").fit(X, y, s).model_
    if not hasattr(model, "class_weight"):
        pytest.skip("models do not record the class weights")
    assert verify(model, X, y, s)


@pytest.mark.parametrize(("loss", "multiclass"), [("log", "auto"), ("log", "softmax"), ("squared_hinge", "ovr")])
def test_smooth_losses_need_no_multipliers(loss: str, multiclass: str) -> None:
    X, y, s = data(2 if multiclass == "auto" else 3)
    model = LinearClassifier(loss, alpha=1e-3, multiclass=multiclass).fit(X, y, s).model_
    bare = replace(model, run=replace(model.run, dual=(None,) * len(model.dual)))
    verdict = verify(bare, X, y, s)
    assert verdict, verdict
    assert verdict.relative_gap < 1e-9


def test_many_columns() -> None:
    """Beyond what a Hessian is formed for: conjugate gradients."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((300, 2500), density=0.01, rng=rng, format="csr")
    y = rng.integers(0, 3, 300)
    model = LinearClassifier("log", alpha=1e-3, multiclass="ovr").fit(X, y)
    assert verify(model, X, y), verify(model, X, y)


def test_a_loose_fit_is_verified_to_its_tolerance() -> None:
    """Large enough not to be solved to rounding."""
    X, y, _ = data(n=20_000, d=6)
    model = LogisticRegression(alpha=1e-4, tol=1e-2).fit(X, y)
    verdict = verify(model, X, y)
    assert verdict, verdict
    assert 1e-9 < verdict.relative_gap <= 1e-2
    honest = unsigned(model.model_)
    boast = replace(honest, certificate=replace(honest.certificate, tol=1e-10))
    assert failed(verify(boast, X, y)) == {"tolerance"}


def test_rows_at_a_kink_of_separable_data() -> None:
    """P is tiny, and whether a row's loss is 0 or 1e-16 is a matter of rounding."""
    for seed in range(10):
        X, y, _ = data(seed=seed, n=40)
        X = (X + 30.0 * y[:, None]) * np.array([1e-2, 1.0, 10.0, 1e3])
        model = LinearClassifier("hinge", alpha=1e-4).fit(X, y)
        assert verify(model, X, y), verify(model, X, y)


def test_a_bound_by_curvature_beside_a_penalty() -> None:
    """A large column leaves the dual a wide allowance for rounding; strong convexity needs none."""
    X, y, s = data()
    X = X * np.array([1e9, 1e-9, 1.0, 1e3])
    model = unsigned(LogisticRegression(alpha=1e-6).fit(X, y, s).model_)
    assert model.certificate.kind is Kind.LOCAL_CURVATURE
    verdict = verify(model, X, y, s)
    assert verdict, verdict
    assert verdict.relative_gap < 1e-10
    claim = replace(model.certificate, kind=Kind.DUALITY_GAP)
    assert verify(replace(model, certificate=claim), X, y, s).relative_gap > 1e-9


def test_a_fit_that_fell_short_of_tol_is_not_verified() -> None:
    X, y, _ = data()
    model = LogisticRegression(alpha=1e-2).fit(X, y).model_
    short = replace(unsigned(model).certificate, bound=model.certificate.primal * (1.0 - 1e-3))
    verdict = verify(replace(unsigned(model), certificate=short), X, y)
    assert failed(verdict) == {"tolerance"}


def test_columns_of_very_different_scale() -> None:
    X, y, _ = data()
    X = X * np.array([1e9, 1e-9, 1.0, 1e3])
    model = LogisticRegression(alpha=1e-4).fit(X, y)
    assert verify(model, X, y), verify(model, X, y)


# -- how it works -------------------------------------------------------------------------------------------


def test_it_imports_nothing_of_ours() -> None:
    home = Path(linsep.__file__).parent / "certify"
    for path in [home / "verifier.py", *(home / "independent").glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                ours = name.startswith("linsep") and not name.startswith("linsep.certify.independent")
                assert not ours, f"{path.name} imports {name}"
                assert name.split(".")[0] not in ("scipy", "sklearn"), f"{path.name} imports {name}"


def test_sparse_data_are_never_made_dense(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, _ = data()
    S = sparse.csr_array(X)
    model = LogisticRegression(alpha=1e-2).fit(S, y)

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a sparse matrix was made dense")

    for kind in (sparse.csr_array, sparse.csc_array, sparse.coo_array):
        for method in ("toarray", "todense", "__array__"):
            monkeypatch.setattr(kind, method, refuse, raising=False)
    assert verify(model, S, y)
    assert verify(model, sparse.csc_array(S), y)


@pytest.mark.parametrize("storage", ["uint8", "float32", "fortran"])
def test_memory_is_bounded(storage: str) -> None:
    """Far less than a float64 copy of X, which is 64 MB."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 200, (80_000, 100), dtype=np.uint8)
    y = (X[:, 0] > X[:, 1]).astype(np.int64)
    y[::10] = 1 - y[::10]
    stored = np.asfortranarray(X) if storage == "fortran" else X.astype(storage)
    model = LogisticRegression(alpha=1.0, tol=1e-2).fit(stored, y)
    tracemalloc.start()
    assert verify(model, stored, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40e6


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_entries_stored_in_parts(dtype: Any) -> None:
    """A CSR matrix may hold an entry several times, and in any order: their sum is meant."""
    X, y, s = data()
    plain = sparse.csr_array(X.astype(dtype))
    rows = np.repeat(np.arange(len(X)), np.diff(plain.indptr))
    order = np.lexsort([np.r_[np.zeros(plain.nnz), np.ones(plain.nnz)], np.r_[rows, rows]])
    parts = np.r_[plain.data - 1, np.ones(plain.nnz, dtype)][order].astype(dtype)
    again = sparse.csr_array((parts, np.r_[plain.indices, plain.indices][order], 2 * plain.indptr), plain.shape)
    assert not again.has_canonical_format
    model = LogisticRegression(alpha=1e-2).fit(again, y, s)
    for stored in (again, plain, X):
        assert verify(model, stored, y, s), verify(model, stored, y, s)
    again.data[0] += 1
    assert failed(verify(model, again, y, s)) == {"data"}
