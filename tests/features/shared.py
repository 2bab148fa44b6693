"""Data sets from the folder of shared data; a test that needs one skips where it is absent."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest

DATA = Path(os.environ.get("LINSEP_DATA", Path(__file__).parents[3] / "shared" / "data"))
#: How each is read, and its target.
TABLES = {
    "adult_train.csv.gz": ({"has_header": False}, "column_15"),
    "bank_marketing.csv.gz": ({"separator": ";", "infer_schema_length": None}, "y"),
    "titanic.csv.gz": ({}, "survived"),
}


def path_of(name: str) -> Path:
    if not (DATA / name).exists():
        pytest.skip(f"{name} is not in the folder of shared data")
    return DATA / name


def table(name: str) -> tuple[pl.DataFrame, pl.Series]:
    """Features and target."""
    options, target = TABLES[name]
    frame = pl.read_csv(path_of(name), **options).with_columns(pl.col(pl.String).str.strip_chars())
    if name.startswith("adult"):
        frame = frame.rename({c: f"column_{j}" for j, c in enumerate(frame.columns, 1)}).drop_nulls()
        numbers = [f"column_{j}" for j in (1, 3, 5, 11, 12, 13)]
        frame = frame.with_columns(pl.col(numbers).cast(pl.String).str.strip_chars().cast(pl.Float64))
    return frame.drop(target), frame[target]


def sms() -> list[str]:
    options = {"separator": "\t", "has_header": False, "quote_char": None}
    return pl.read_csv(path_of("sms_spam.tsv.gz"), **options).to_series(1).fill_null("").to_list()


def banking() -> list[str]:
    return pl.read_csv(path_of("banking77_train.csv.gz"))["text"].to_list()
