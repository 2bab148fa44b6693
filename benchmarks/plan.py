"""How good plans are: every workload is planned, then fitted, and the seconds are compared.

    python -m benchmarks.plan [--unseen] [--processor] [--records plan.jsonl] [names ...]

Plan and fit are made one after the other, so that what else runs on the machine burdens both. Prints a line a fit, and
at the end the share of fits within a factor of 3 of their plan. The table of typical counts (linsep/planning/table.py)
has not seen wine and the normal ones; of the real sets it has seen other samples. --unseen: real data sets that it has
not seen in any form (plan_unseen.py). --processor: one thread, and the seconds that it had the processor, in plans as
in fits: for busy machines.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.datasets import DATASETS
from benchmarks.plan_unseen import UNSEEN
from benchmarks.types import Absent, Data
from linsep import LinearClassifier
from linsep.planning import Plan, machine
from linsep.planning import plan as planning

FACTOR = 3.0
LOSSES = ("log", "hinge", "squared_hinge", "squared")


def generated(n: int, d: int, classes: int = 2, noise: float = 1.0, seed: int = 0) -> Data:
    """Normal columns, classes by noisy linear scores."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=(d, classes)) * 2.0 / np.sqrt(d)
    return Data(X, (scores + noise * rng.gumbel(size=scores.shape)).argmax(axis=1))


def bags(n: int, d: int, words: int, seed: int = 0) -> Data:
    """Sparse rows of some words each, frequent and rare, in two classes."""
    rng = np.random.default_rng(seed)
    often = 1.0 / (np.arange(d) + 10.0)
    columns = rng.choice(d, size=(n, words), p=often / often.sum())
    ends = np.arange(0, n * words + 1, words)
    X = sparse.csr_matrix((np.full(n * words, words**-0.5), columns.ravel(), ends), shape=(n, d))
    X.sum_duplicates()
    return Data(X, (X @ rng.normal(size=d) * 3.0 + rng.logistic(size=n) > 0).astype(np.int64))


def part(name: str, rows: int) -> Data:
    """Some rows of a data set of the benchmarks."""
    data = DATASETS[name]()
    chosen = np.random.default_rng(2).permutation(len(data.y))[:rows]
    return Data(data.X[chosen], data.y[chosen])


def bundled(name: str) -> Data:
    from sklearn import datasets

    return Data(*getattr(datasets, f"load_{name}")(return_X_y=True))


WORKLOADS: dict[str, Callable[[], Data]] = {
    "wine": lambda: bundled("wine"),
    "normal-77": lambda: generated(30_000, 77, noise=0.3, seed=77),
    "normal-4-classes": lambda: generated(9_000, 40, 4, seed=79),
    "bags": lambda: bags(15_000, 12_000, 80, seed=78),
    "covtype-200k": lambda: part("covtype", 200_000),
    "covtype7-30k": lambda: part("covtype7", 30_000),
    "kddcup99-50k": lambda: part("kddcup99", 50_000),
    "letter-raw": lambda: DATASETS["letter-raw"](),
    "mnist-5k": lambda: part("mnist-f32", 5_000),
    "a9a-10k": lambda: part("a9a", 10_000),
    "text-8k": lambda: part("text", 8_000),
    "text20-5k": lambda: part("text20", 5_000),
    "banking77-4k": lambda: part("banking77", 4_000),
}


def measure(name: str, jobs: int | None) -> Iterator[dict[str, Any]]:
    """One record a loss and α: what was planned, what it took."""
    data = (WORKLOADS | UNSEEN)[name]()
    n = len(data.y)
    for loss in LOSSES:
        for alpha in (1e-2, 1e-4, 1.0 / n, 1e-6):
            model = LinearClassifier(loss, alpha=alpha, time_limit=30.0, n_jobs=jobs)
            plan: Plan = model.plan(data.X, data.y)
            began = time.perf_counter()
            model.fit(data.X, data.y)
            seconds = time.perf_counter() - began
            if not model.certificate_.holds:
                continue  # ended by the limit: how long it would have taken is not known
            yield {"name": name, "loss": loss, "alpha": alpha, "plan": asdict(plan), "seconds": seconds}


def use_processor_time() -> None:
    """Every clock, also that of the calibration, which is made anew and not kept."""
    time.perf_counter = time.thread_time
    measured = np.min([machine.measure(1) for _ in range(3)], axis=0)
    planning.speeds = lambda _: measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="workloads; all of them by default")
    parser.add_argument("--unseen", action="store_true", help="real data sets that the table has not seen")
    parser.add_argument("--processor", action="store_true", help="processor seconds of one thread")
    parser.add_argument("--records", type=Path, help="append the records to this file, one JSON object a line")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.processor:
        use_processor_time()
    ratios: list[float] = []
    for name in given.names or (UNSEEN if given.unseen else WORKLOADS):
        try:
            for record in measure(name, 1 if given.processor else None):
                ratios.append(record["plan"]["seconds"]["expected"] / record["seconds"])
                told = (
                    f"{record['plan']['solver']:<22}{record['seconds']:>10.4f} s, planned {ratios[-1]:.2f} times that"
                )
                print(f"{name:<20}{record['loss']:<15}{record['alpha']:<10.1e}{told}", flush=True)
                if given.records:
                    with given.records.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(record) + "\n")
        except Absent as absent:
            print(f"{name:<20}skipped: {absent}")
    within = np.mean([1.0 / FACTOR <= ratio <= FACTOR for ratio in ratios])
    print(f"{len(ratios)} fits, {within:.1%} within a factor of {FACTOR:g} of their plan")


if __name__ == "__main__":
    main()
