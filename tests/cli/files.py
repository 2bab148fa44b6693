"""The files that the examples of README, docs/cli.md and --help speak of, generated."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import polars as pl

WORDS = (
    "free",
    "prize",
    "call",
    "now",
    "meet",
    "lunch",
    "home",
    "later",
    "cash",
    "see",
    "you",
    "tomorrow",
    "win",
    "bus",
)


def people(rows: int, seed: int = 0) -> pl.DataFrame:
    """Like the census data: numbers, categories with missing values, an id; the class depends on age, hours, degree."""
    rng = np.random.default_rng(seed)
    age, hours = rng.integers(18, 80, rows), rng.normal(40, 9, rows).round(1)
    degree = rng.choice(["basic", "school", "college", "phd"], rows, p=[0.2, 0.4, 0.3, 0.1])
    worth = (
        0.05 * (age - 45) + 0.09 * (hours - 40) + np.select([degree == "phd", degree == "college"], [2.0, 1.0], -0.7)
    )
    rich = worth + rng.logistic(size=rows) > 0.0
    return pl.DataFrame(
        {
            "id": [f"P{seed}-{i:05d}" for i in range(rows)],
            "age": age,
            "hours": [None if u < 0.03 else float(h) for h, u in zip(hours, rng.random(rows), strict=True)],
            "degree": [None if u < 0.03 else str(d) for d, u in zip(degree, rng.random(rows), strict=True)],
            "member": rng.random(rows) < 0.5,
            "income": np.where(rich, ">50K", "<=50K"),
        }
    )


def messages(rows: int, seed: int = 0) -> list[str]:
    """label, tab, text; with quotes that open and never close, as people write."""
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(rows):
        spam = rng.random() < 0.4
        chance = np.array([3.0] * 4 + [1.0] * 4 + [3.0, 1.0, 1.0, 1.0, 3.0, 1.0]) if spam else np.ones(14)
        words = rng.choice(WORDS, 7, p=chance / chance.sum())
        lines.append(("spam" if spam else "ham") + "\t" + ('"' if rng.random() < 0.05 else "") + " ".join(words))
    return lines


def svmlight(rows: int, seed: int = 0) -> str:
    """Three classes: -1, 0 and 7."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    labels = np.select([X[:, 0] > 0.5, X[:, 1] > 0.3], [7, 0], -1)
    return "".join(
        f"{k} " + " ".join(f"{j + 1}:{v:.4f}" for j, v in enumerate(row) if j != 2 or v > 0) + "\n"
        for k, row in zip(labels, X, strict=True)
    )


def mushrooms(rows: int) -> pl.DataFrame:
    """The smell decides."""
    rng = np.random.default_rng(0)
    smell, cap = rng.choice(["plain", "foul", "almond"], rows), rng.choice(["flat", "bell"], rows)
    return pl.DataFrame({"smell": smell, "cap": cap, "class": np.where(smell == "foul", "poisonous", "edible")})


def write_all(folder: Path) -> None:
    people(500).write_csv(folder / "adult.csv")
    people(200, 1).write_csv(folder / "adult_test.csv")
    people(60, 2).drop("income").write_csv(folder / "new.csv")
    (folder / "adult.csv.gz").write_bytes(gzip.compress((folder / "adult.csv").read_bytes()))
    for part in (1, 2):
        (folder / f"part-{part}.csv.gz").write_bytes(gzip.compress(people(200, 2 + part).write_csv().encode()))
    (folder / "spam.tsv").write_text("\n".join(messages(300)) + "\n")
    loans = people(300, 5).rename({"income": "default"})
    loans.with_columns(
        default=pl.when(pl.col("default") == ">50K").then(pl.lit("yes")).otherwise(pl.lit("no"))
    ).write_parquet(folder / "loans.parquet")
    mushrooms(200).write_csv(folder / "mushrooms.csv")
    (folder / "rows.svm").write_text(svmlight(300))
    (folder / "settings.toml").write_text(
        'target = "income"\nignore = ["member"]\nloss = "hinge"\nalpha = 0.01\nheld_out = 0\n'
    )
    (folder / "types.toml").write_text('age = "category"\n')
