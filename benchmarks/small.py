"""Whole calls on tiny data, predictions, texts to weights: linsep and scikit-learn's default in turns, best of many."""

from __future__ import annotations

import importlib
import importlib.util
import multiprocessing
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import words
from benchmarks.entrants import OURS
from benchmarks.objective import describe, objective
from benchmarks.types import Data, Fit, Task

PEER = "scikit-learn lbfgs"
Calls = dict[str, Callable[[], Any]]


@dataclass(frozen=True)
class Small:
    """One row: what is called, how often, and the ratio asked of linsep."""

    name: str
    title: str
    repeats: int
    floor: float


SMALL: dict[str, Small] = {
    small.name: small
    for small in (
        Small("tiny-iris", "fit on iris, unscaled", 300, 4.0),
        Small("tiny-cancer", "fit on breast cancer, unscaled", 200, 4.0),
        Small("predict-row", "predict 1 row of 54 float64", 3000, 2.0),
        Small("predict-million", "predict 1,000,000 x 54 float64", 15, 1.5),
        Small("predict-million-f32", "predict 1,000,000 x 54 float32", 15, 2.0),
        Small("text-words", "fit_transform 8,000 texts of 150 words", 5, 5.0),
        Small("text-words-again", "transform the same texts", 5, 5.0),
        Small("text-bigrams", "fit_transform with pairs of words", 5, 5.0),
        Small("text-bigrams-again", "transform with pairs of words", 5, 5.0),
    )
}


#: Calls of one side in a row, the first of which does not count: when it begins, the threads of the other side's BLAS
#: may still be spinning in wait of more work.
_ROW = 6


def measure(small: Small, repeats: int, threads: int) -> dict[str, dict[str, float]]:
    """Seconds (best and median) of each side, and the objective after a fit, in a fresh process."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(_measure, small.name, repeats, threads).result()


def _measure(name: str, repeats: int, threads: int) -> dict[str, dict[str, float]]:
    warnings.simplefilter("ignore")
    calls = _calls(name, threads)
    seconds: dict[str, list[float]] = {side: [] for side in calls}
    for _ in range(-(-repeats // (_ROW - 1))):
        for side, call in calls.items():
            for counts in (False, *(True,) * (_ROW - 1)):
                started = time.perf_counter()
                call()
                if counts:
                    seconds[side].append(time.perf_counter() - started)
    results = {side: {"best": min(values), "median": float(np.median(values))} for side, values in seconds.items()}
    if name.startswith("tiny"):
        for side, value in _objectives(name, calls).items():
            results[side]["objective"] = value
    return results


def _calls(name: str, threads: int) -> Calls:
    if name in words.ROWS:
        return words.calls(name, threads, PEER)
    return _fits(name, threads) if name.startswith("tiny") else _predictions(name, threads)


def _tiny(name: str) -> Data:
    datasets = importlib.import_module("sklearn.datasets")
    X, y = (datasets.load_iris if name == "tiny-iris" else datasets.load_breast_cancer)(return_X_y=True)
    return Data(X, y.astype(np.int64))


def _models(n: int, threads: int) -> dict[str, Any]:
    """scikit-learn's default and linsep's, on the same objective, C = 1."""
    models = {PEER: importlib.import_module("sklearn.linear_model").LogisticRegression()}
    if importlib.util.find_spec("linsep") is not None:
        models[OURS] = importlib.import_module("linsep").LogisticRegression(alpha=1.0 / n, n_jobs=threads)
    return models


def _fits(name: str, threads: int) -> Calls:
    data = _tiny(name)
    return {side: _fit_call(model, data) for side, model in _models(len(data.y), threads).items()}


def _fit_call(model: Any, data: Data) -> Callable[[], Any]:
    return lambda: model.fit(data.X, data.y)


def _objectives(name: str, calls: Calls) -> dict[str, float]:
    data = _tiny(name)
    n, d, classes, is_sparse = describe(data)
    task = Task("softmax" if classes > 2 else "log", 1.0, True, n, d, classes, is_sparse, 1)
    models = {side: call() for side, call in calls.items()}
    return {side: objective(task, data, Fit(model.coef_, model.intercept_)) for side, model in models.items()}


def _predictions(name: str, threads: int) -> Calls:
    rng = np.random.default_rng(0)
    rows = 1_000_000 if "million" in name else 5_000
    X = rng.normal(size=(rows, 54)).astype(np.float32 if name.endswith("f32") else np.float64)
    y = (X[:5000].astype(np.float64) @ rng.normal(size=54) + rng.logistic(size=5000) > 0).astype(np.int64)
    asked = X if "million" in name else X[:1]
    models = _models(5000, threads)
    for model in models.values():
        model.fit(X[:5000], y)
    return {side: _predict_call(model, asked) for side, model in models.items()}


def _predict_call(model: Any, X: Any) -> Callable[[], Any]:
    return lambda: model.predict(X)
