"""Real data sets that the table of the plans has not seen, as a user would have them: classics, tables, texts."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import OneHotEncoder, scale

from benchmarks.datasets import _index, _polars
from benchmarks.store import shared
from benchmarks.types import Data


def classic(name: str, *, dense: bool = False) -> Data:
    X, y = load_svmlight_file(str(shared(f"{name}.svm.gz")))
    return Data(X.toarray() if dense else X.tocsr(), (y == y.max()).astype(np.int64))


def table(frame: Any, *, scaled: bool) -> Data:
    """The last column is the class, texts one-hot."""
    texts = [name for name in frame.columns[:-1] if frame[name].dtype == _polars().String]
    X = np.array(frame[:, :-1].to_dummies(texts).to_numpy(), dtype=np.float64, order="C")
    return Data(scale(X) if scaled else X, _index(frame[:, -1]))


def adult() -> Data:
    """Standardised; its columns of numbers begin with a blank, which makes them texts to the reader."""
    pl = _polars()
    frame = pl.read_csv(shared("adult_train.csv.gz"), has_header=False).with_columns(
        pl.col(pl.String).str.strip_chars()
    )
    numbers = [frame.columns[j] for j in (2, 4, 10, 11, 12)]
    return table(frame.drop_nulls().with_columns(pl.col(numbers).cast(pl.Float64)), scaled=True)


def bank() -> Data:
    """Not scaled."""
    frame = _polars().read_csv(shared("bank_marketing.csv.gz"), separator=";", infer_schema_length=None)
    return table(frame, scaled=False)


def flights() -> Data:
    """Origin and destination one-hot: sparse, tall."""
    frame = _polars().read_parquet(shared("flights_3m.parquet")).head(200_000)
    texts = [name for name in frame.columns if frame[name].dtype == _polars().String]
    X = OneHotEncoder().fit_transform(frame.select(texts).to_numpy()).tocsr()
    return Data(X, (frame["delay"].to_numpy() > 15).astype(np.int64))


def spam() -> Data:
    with gzip.open(shared("sms_spam.tsv.gz"), "rt", encoding="utf-8") as file:
        rows = [line.split("\t", 1) for line in file if "\t" in line]
    return Data(TfidfVectorizer().fit_transform([text for _, text in rows]).tocsr(), _index([kind for kind, _ in rows]))


def clinc() -> Data:
    """150 classes."""
    frame = _polars().read_csv(shared("clinc150_train.csv.gz"))
    return Data(TfidfVectorizer().fit_transform(frame[:, 0].to_list()).tocsr(), _index(frame[:, 1]))


def farm_ads() -> Data:
    from scipy import sparse

    X = sparse.load_npz(shared("farm_ads_X.npz")).tocsr().astype(np.float64)
    return Data(X, (np.load(shared("farm_ads_y.npy")) > 0).astype(np.int64))


UNSEEN: dict[str, Callable[[], Data]] = {
    "heart": lambda: classic("heart_scale", dense=True),
    "sonar": lambda: classic("sonar", dense=True),
    "ionosphere": lambda: classic("ionosphere", dense=True),
    "mushrooms": lambda: classic("mushrooms"),
    "phishing": lambda: classic("phishing"),
    "w8a": lambda: classic("w8a"),
    "adult": adult,
    "bank": bank,
    "flights": flights,
    "spam": spam,
    "farm-ads": farm_ads,
    "clinc": clinc,
}
