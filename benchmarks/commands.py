"""From files to predictions, as whole processes: `linsep train` and `linsep predict` beside a script with scikit-learn.

    python -m benchmarks.commands [NAME …] [--splits 10] [--data FOLDER]

Every split deals the rows at random, four fifths to learn from. Both sides get the same files and run at their
defaults, in turns. Seconds are the least over the splits, on the wall and of the processor; both keep the bytecode of
what they import. Accuracy is the mean over the splits, and the difference of the two has the standard error of Nadeau
and Bengio (Machine Learning 52, 2003), because the splits share rows: its square is s²(1/splits + new rows/old rows).
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

SHARE = 0.2
PIPELINE = Path(__file__).with_name("plain_pipeline.py")


@dataclass(frozen=True)
class Case:
    """The file, its target, how to read it; and which column is a text."""

    file: str
    target: str
    read: Callable[[Path], pd.DataFrame]
    text: str | None = None


def _adult(path: Path) -> pd.DataFrame:
    frame = pd.read_csv(path, header=None, skipinitialspace=True, na_values="?")
    return frame.rename(columns={j: f"c{j}" for j in range(14)} | {14: "income"})


def _titanic(path: Path) -> pd.DataFrame:
    return pd.read_csv(path).drop(columns="alive")


def _spam(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, sep="\t", header=None, names=["label", "text"], quoting=3).dropna()


def _flights(path: Path) -> pd.DataFrame:
    frame = pd.read_parquet(path).sample(300_000, random_state=0)
    return frame.assign(late=np.where(frame.pop("delay") > 15, "late", "in time"), date=frame["date"].astype(str))


CASES = {
    "titanic": Case("titanic.csv.gz", "survived", _titanic),
    "sms_spam": Case("sms_spam.tsv.gz", "label", _spam, "text"),
    "banking77": Case("banking77_train.csv.gz", "category", pd.read_csv, "text"),
    "adult": Case("adult_train.csv.gz", "income", _adult),
    "bank": Case("bank_marketing.csv.gz", "y", lambda path: pd.read_csv(path, sep=";")),
    "flights": Case("flights_3m.parquet", "late", _flights),
}


def split(case: Case, frame: pd.DataFrame, number: int, folder: Path) -> pd.Series:
    """Writes old.csv and new.csv; the truth of the latter."""
    rows = np.random.default_rng(number).permutation(len(frame))
    held = round(SHARE * len(frame))
    new, old = frame.iloc[rows[:held]], frame.iloc[rows[held:]]
    old.to_csv(folder / "old.csv", index=False)
    new.drop(columns=case.target).to_csv(folder / "new.csv", index=False)
    return new[case.target].astype(str)


def commands(case: Case) -> dict[str, list[list[str]]]:
    """The processes of each side, one after another; both write predictions.csv."""
    linsep = str(Path(sys.executable).with_name("linsep"))
    script = [sys.executable, "-P", str(PIPELINE)]  # -P: the modules beside it are not the standard library's
    options = ["-o", "old.linsep", "--force"]
    return {
        "linsep": [
            [linsep, "train", "old.csv", "-t", case.target, *options],
            [linsep, "predict", "old.linsep", "new.csv", "-o", "predictions.csv", "--force"],
        ],
        "scikit-learn": [
            [*script, "old.csv", "new.csv", "predictions.csv", case.target, *([case.text] if case.text else [])]
        ],
    }


def run(processes: list[list[str]], folder: Path) -> tuple[float, float]:
    """Seconds on the wall and of the processor."""
    kept = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    wall, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    for process in processes:
        subprocess.run(process, cwd=folder, env=kept, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - wall, processor


def compare(case: Case, frame: pd.DataFrame, splits: int, folder: Path) -> dict[str, np.ndarray]:
    """For each side wall, processor and accuracy of every split."""
    found: dict[str, list[tuple[float, float, float]]] = {side: [] for side in commands(case)}
    for number in range(splits):
        truth = split(case, frame, number, folder)
        for side, processes in commands(case).items():
            seconds = run(processes, folder)
            predicted = pd.read_csv(folder / "predictions.csv", dtype=str)["prediction"]
            found[side].append((*seconds, float((predicted.to_numpy() == truth.to_numpy()).mean())))
    return {side: np.array(runs).T for side, runs in found.items()}


def line(name: str, found: dict[str, np.ndarray]) -> str:
    """A row of the table."""
    (wall, processor, accuracy), (their_wall, their_processor, theirs) = found["linsep"], found["scikit-learn"]
    apart = accuracy - theirs
    error = apart.std(ddof=1) * np.sqrt(1.0 / len(apart) + SHARE / (1.0 - SHARE)) if len(apart) > 1 else np.nan
    return (
        f"| {name} | {wall.min():.2f} | {their_wall.min():.2f} | {processor.min():.2f} | {their_processor.min():.2f} | "
        f"{accuracy.mean():.4f} | {theirs.mean():.4f} | {apart.mean():+.4f} ± {error:.4f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.commands", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CASES))
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    given = parser.parse_args()
    print("| data | wall, s | scikit-learn | processor, s | scikit-learn | accuracy | scikit-learn | difference |")
    print("|---|---|---|---|---|---|---|---|")
    for name in given.names or CASES:
        case = CASES[name]
        if not (given.data / case.file).exists():
            print(f"| {name} | {case.file} is not there |")
            continue
        with tempfile.TemporaryDirectory() as folder:
            print(line(name, compare(case, case.read(given.data / case.file), given.splits, Path(folder))), flush=True)


if __name__ == "__main__":
    main()
