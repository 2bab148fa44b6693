"""Probabilities of margins: `probability=True` against scikit-learn's CalibratedClassifierCV, on rows neither has seen.

    python -m benchmarks.calibration [--repeats 3] [names ...]

Both sides fit the same objective (squared hinge or hinge, C = 1/(nα) = 1) and predict the same rows. Seconds are those
of the processor and all threads, the best of the repeats, sides in turns: what else the machine does counts little.
Each begins after a rest, as threads of BLAS look out for more work long after the last, and would count for the other.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_svmlight_file
from sklearn.metrics import log_loss
from sklearn.svm import LinearSVC

from benchmarks.datasets import DATASETS
from benchmarks.plan_unseen import adult, classic
from benchmarks.store import shared
from benchmarks.types import Absent, Data
from linsep import LinearSVM

#: Seconds.
_REST = 0.2


@dataclass(frozen=True)
class Split:
    """Rows to fit to, and rows to be predicted."""

    train: Data
    test: Data


def halves(data: Data) -> Split:
    """Two thirds of the rows, and the others."""
    order = np.random.default_rng(0).permutation(len(data.y))
    cut = 2 * len(order) // 3
    return Split(*(Data(data.X[rows], data.y[rows]) for rows in (np.sort(order[:cut]), np.sort(order[cut:]))))


def a9a() -> Split:
    X, y = load_svmlight_file(str(shared("a9a_test.svm.gz")), n_features=123)
    return Split(DATASETS["a9a"](), Data(X.tocsr(), (y > 0).astype(np.int64)))


SPLITS: dict[str, Callable[[], Split]] = {
    "a9a": a9a,
    "w8a": lambda: halves(classic("w8a")),
    "phishing": lambda: halves(classic("phishing")),
    "adult": lambda: halves(adult()),
    "letter": lambda: halves(DATASETS["letter"]()),
}


def sides(loss: str, rows: int) -> dict[str, Any]:
    """Estimators of one objective."""
    theirs = LinearSVC(loss=loss, dual="auto" if loss == "squared_hinge" else True, max_iter=10_000)
    return {
        "linsep": LinearSVM(loss, alpha=1.0 / rows, probability=True),
        "CalibratedClassifierCV": CalibratedClassifierCV(theirs),
    }


def measure(split: Split, loss: str, repeats: int) -> dict[str, tuple[float, float, float]]:
    """Seconds, Brier score and log loss of each side."""
    found: dict[str, tuple[float, float, float]] = {}
    for _ in range(repeats):
        for side, model in sides(loss, len(split.train.y)).items():
            time.sleep(_REST)
            began = time.process_time()
            model.fit(split.train.X, split.train.y)
            seconds = time.process_time() - began
            P = model.predict_proba(split.test.X)
            true = split.test.y[:, None] == model.classes_
            brier = float(np.square(P - true).sum(axis=1).mean() / 2.0)
            best = min(seconds, found[side][0]) if side in found else seconds
            found[side] = best, brier, float(log_loss(split.test.y, P, labels=model.classes_))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="data sets; all of them by default")
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in given.names or SPLITS:
        try:
            split = SPLITS[name]()
        except Absent as absent:
            print(f"{name:<10}skipped: {absent}")
            continue
        for loss in ("squared_hinge", "hinge"):
            found = measure(split, loss, given.repeats)
            for side, (seconds, brier, log) in found.items():
                print(f"{name:<10}{loss:<15}{side:<24}{seconds:>8.3f} s   Brier {brier:.5f}   log loss {log:.5f}")
            ours, theirs = found.values()
            print(f"{name:<10}{loss:<15}{theirs[0] / ours[0]:.1f} times less processor time", flush=True)


if __name__ == "__main__":
    main()
