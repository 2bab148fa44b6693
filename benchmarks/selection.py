"""Whole sweeps over the penalty: choosing it by 5 folds × 20 values, and paths of 100 values with L1.

    python -m benchmarks.selection [NAME …] [--threads 2] [--repeats 1]

Every side gets the same values of the penalty, the same folds and the same number of threads; sides run in turns in one
process. The last column is what each is worth: the least left-out loss for a choice, the worst relative excess of the
objective over the best side's for a path. Paths are run at several tolerances, and the fastest that is off by no more
than 1e-4 anywhere counts.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.datasets import DATASETS
from benchmarks.store import load, prepare
from benchmarks.types import Absent, Data
from benchmarks.worker import limit_threads

Array = NDArray[np.float64]
#: seconds are measured around the call; its answer is judged afterwards
Call = Callable[[], Any]
OURS = "linsep"


@dataclass(frozen=True)
class Sweep:
    """A row: the data, how many of their rows, the ratio asked of linsep, and what a side may be off by to count."""

    name: str
    title: str
    data: str
    rows: int
    kind: str
    floor: float
    most: float = np.inf


SWEEPS = {
    sweep.name: sweep
    for sweep in (
        Sweep("cv-covtype", "5 folds x 20 values, covtype, 100,000 rows", "covtype", 100_000, "cv", 10.0),
        Sweep("cv-covtype-all", "5 folds x 20 values, covtype, all rows", "covtype", 10**9, "cv", 10.0),
        Sweep("cv-text", "5 folds x 20 values, sparse text", "text", 20_000, "cv", 5.0),
        Sweep("path-text", "L1 path of 100 values, sparse text", "text", 20_000, "path", 5.0, 1e-4),
        Sweep("path-a9a", "L1 path of 100 values, a9a", "a9a", 10**9, "path", 1.5, 1e-4),
    )
}


def choices(data: Data, threads: int) -> dict[str, Call]:
    """C from 1e-4 to 1e4 for the folds' training parts, as LogisticRegressionCV has it; the same shuffled folds."""
    from sklearn.linear_model import LogisticRegressionCV
    from sklearn.model_selection import PredefinedSplit

    import linsep

    Cs = np.geomspace(1e-4, 1e4, 20)
    alphas = 1.0 / (0.8 * len(data.y) * Cs)
    fold = np.random.default_rng(0).permutation(len(data.y)) % 5
    ours = linsep.LogisticRegression(alpha=linsep.CrossValidation(folds=fold, alphas=alphas), n_jobs=threads)
    theirs = LogisticRegressionCV(Cs=Cs, cv=PredefinedSplit(fold), scoring="neg_log_loss", n_jobs=threads)
    return {OURS: lambda: ours.fit(data.X, data.y), "scikit-learn": lambda: theirs.fit(data.X, data.y)}


def least_losses(answers: dict[str, Any], data: Data) -> dict[str, float]:
    def least(model: Any) -> float:
        if hasattr(model, "alpha_curve_"):
            return float(model.alpha_curve_.losses.min())
        return float(-np.asarray(next(iter(model.scores_.values()))).mean(axis=0).max())

    return {side: least(model) for side, model in answers.items()}


def paths(data: Data, threads: int) -> dict[str, Call]:
    """Without an intercept, which some of the others would penalise or do not have."""
    import linsep
    from linsep.model import Objective, read_training
    from linsep.problem import losses
    from linsep.problem.reductions import OneMargin
    from linsep.selection.path import default_alphas

    objective = Objective(losses.get("log"), OneMargin(), 1.0, False, 1.0)
    alphas = default_alphas(read_training(data.X, data.y, None, None, 1), objective, 100, 1e-2)
    settings: dict[str, Any] = {"alphas": alphas, "l1_ratio": 1.0, "fit_intercept": False, "n_jobs": threads}

    def ours(tol: float) -> list[Array]:
        path = linsep.regularization_path(data.X, data.y, **settings, tol=tol)
        return [path.coef(j)[0] for j in range(len(path))]

    calls: dict[str, Call] = {f"{OURS} {tol:g}": partial(ours, tol) for tol in (1e-2, 1e-4)}
    signs = np.where(data.y == 1, 1.0, -1.0)
    C = 1.0 / (len(data.y) * alphas)
    loops = {
        "scikit-learn liblinear": ("sklearn.linear_model", "LogisticRegression", "C", C,
                                   {"penalty": "l1", "solver": "liblinear", "fit_intercept": False}, (1e-2, 1e-4)),
        "celer": ("celer", "LogisticRegression", "C", C, {"warm_start": True}, (1e-2, 1e-3)),
        "skglm": ("skglm", "SparseLogisticRegression", "alpha", alphas,
                  {"fit_intercept": False, "warm_start": True}, (1e-4, 1e-5, 1e-6)),
    }  # fmt: skip
    for side, (module, name, parameter, values, arguments, tolerances) in loops.items():
        if importlib.util.find_spec(module) is not None:
            kind = getattr(importlib.import_module(module), name)
            for tol in tolerances:
                calls[f"{side} {tol:g}"] = _loop(kind(**arguments, tol=tol), parameter, values, data.X, signs)
    if importlib.util.find_spec("liblinear") is not None:
        calls |= {f"LIBLINEAR -s 6 {tol:g}": _liblinear(data.X, signs, C, tol) for tol in (1e-2, 1e-3)}
    return calls


def _liblinear(X: Any, signs: Array, C: Array, tol: float) -> Call:
    """Its solver for L1 takes no weights to begin from; its lists of nodes are built before the clock starts."""
    module = importlib.import_module("liblinear.liblinearutil")
    rows = module.problem(signs, X)

    def fit(c: float) -> Array:
        model = module.train(rows, f"-s 6 -c {c!r} -e {tol!r} -q")
        w: Array = np.ctypeslib.as_array(model.w, (X.shape[1],)).copy()
        return w if model.get_labels()[0] == 1 else -w

    return lambda: [fit(float(c)) for c in C]


def _loop(model: Any, parameter: str, values: Array, X: Any, signs: Array) -> Call:
    def run() -> list[Array]:
        return [model.set_params(**{parameter: value}).fit(X, signs).coef_.ravel().copy() for value in values]

    return run


def worst_excesses(answers: dict[str, Any], data: Data) -> dict[str, float]:
    import linsep

    alphas = linsep.regularization_path(data.X, data.y, l1_ratio=1.0, fit_intercept=False, size=100, ratio=1e-2).alphas
    signs = np.where(data.y == 1, 1.0, -1.0)
    values = {
        side: np.array([
            np.logaddexp(0.0, -signs * (data.X @ w)).mean() + alpha * np.abs(w).sum()
            for w, alpha in zip(coefs, alphas, strict=True)
        ])
        for side, coefs in answers.items()
    }  # fmt: skip
    best = np.min(list(values.values()), axis=0)
    return {side: float((value / best - 1.0).max()) for side, value in values.items()}


KINDS = {"cv": (choices, least_losses), "path": (paths, worst_excesses)}


def measure(sweep: Sweep, threads: int, repeats: int) -> dict[str, tuple[float, float]]:
    """Seconds, best of the repeats, and worth of every side."""
    data = load(prepare(sweep.data, DATASETS[sweep.data]))
    data = Data(data.X[: sweep.rows], data.y[: sweep.rows])
    make, judge = KINDS[sweep.kind]
    calls = make(data, threads)
    seconds, answers = dict.fromkeys(calls, np.inf), {}
    for _ in range(repeats):
        for side, call in calls.items():
            began = time.perf_counter()
            answers[side] = call()
            seconds[side] = min(seconds[side], time.perf_counter() - began)
            print(f"  {side:30} {seconds[side]:8.2f} s", flush=True)
    worth = judge(answers, data)
    return {side: (seconds[side], worth[side]) for side in calls}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.selection", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*SWEEPS, []], help="default: all but cv-covtype-all")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=1)
    options = parser.parse_args()
    limit_threads(options.threads)
    warnings.simplefilter("ignore")
    for name in options.names or [name for name in SWEEPS if name != "cv-covtype-all"]:
        sweep = SWEEPS[name]
        print(f"{name}: {sweep.title}")
        try:
            sides = measure(sweep, options.threads, options.repeats)
        except Absent as reason:
            print(f"  skipped: {reason}")
            continue
        for side, (seconds, worth) in sides.items():
            print(f"  {side:30} {seconds:8.2f} s   {worth:.6g}")
        counting = {side: seconds for side, (seconds, worth) in sides.items() if worth <= sweep.most}
        ours = min(seconds for side, seconds in counting.items() if side.startswith(OURS))
        others = min(seconds for side, seconds in counting.items() if not side.startswith(OURS))
        print(f"  {others / ours:.1f} times faster than the fastest other; asked {sweep.floor:g}")


if __name__ == "__main__":
    main()
