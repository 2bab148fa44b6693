"""Real files, from the file as it is to predictions on rows held out, beside the plain scikit-learn pipeline.

Every row is held out once, in four folds, and predicted with α chosen by linsep and at scikit-learn's own C. Accuracy
is compared up to chance: of the rows that one classifier has right and the other wrong, in all folds together, linsep
may not lose more than two standard errors beyond half.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from linsep.cli.app import main

DATA = Path(os.environ.get("LINSEP_DATA", Path(__file__).parents[3] / "shared" / "data"))
#: Enough to tell the two apart, few enough to wait for.
ROWS, FOLDS = 8_000, 4


@dataclass(frozen=True)
class Case:
    """file, the target's name, how to read it with pandas; α, what to leave out, and which column is a text."""

    file: str
    target: str
    read: Callable[[Path], pd.DataFrame]
    alpha: str = "auto"
    drop: tuple[str, ...] = ()
    text: str | None = None


def _flights(path: Path) -> pd.DataFrame:
    frame = pd.read_parquet(path).iloc[::100]
    return frame.assign(late=np.where(frame.pop("delay") > 15, "late", "in time"), date=frame["date"].astype(str))


def _adult(path: Path) -> pd.DataFrame:
    frame = pd.read_csv(path, header=None, skipinitialspace=True, na_values="?")
    return frame.rename(columns={j: f"c{j}" for j in range(14)} | {14: "income"})


def _banking(path: Path) -> pd.DataFrame:
    frame = pd.read_csv(path)
    return frame[frame["category"].isin(sorted(frame["category"].unique())[:20])]


def _spam(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, sep="\t", header=None, names=["label", "text"], quoting=3).dropna()


CASES = {
    "adult": Case("adult_train.csv.gz", "income", _adult),
    "bank": Case("bank_marketing.csv.gz", "y", lambda path: pd.read_csv(path, sep=";")),
    "titanic": Case("titanic.csv.gz", "survived", pd.read_csv, drop=("alive",)),
    "spam": Case("sms_spam.tsv.gz", "label", _spam, text="text"),
    "banking77": Case("banking77_train.csv.gz", "category", _banking, "1e-6", text="text"),
    "flights": Case("flights_3m.parquet", "late", _flights),
}


def pipeline(case: Case, X: pd.DataFrame) -> Any:
    if case.text:
        made = ColumnTransformer([("text", TfidfVectorizer(), case.text)])
    else:
        numbers = list(X.select_dtypes("number").columns)
        rest = [name for name in X.columns if name not in numbers]
        scaled = make_pipeline(SimpleImputer(), StandardScaler())
        made = ColumnTransformer([("n", scaled, numbers), ("c", OneHotEncoder(handle_unknown="ignore"), rest)])
    return make_pipeline(made, LogisticRegression(max_iter=1000))


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main([*arguments, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def predicted(capsys: pytest.CaptureFixture[str], case: Case, old: pd.DataFrame, new: pd.DataFrame, alpha: str) -> Any:
    """By the command line, from files."""
    old.to_csv("old.csv", index=False)
    new.drop(columns=case.target).to_csv("new.csv", index=False)
    told(capsys, "train", "old.csv", "-t", case.target, "--alpha", alpha, "--held-out", "0", "--force")
    assert main(["predict", "old.linsep", "new.csv", "-o", "predictions.csv", "--force"]) == 0
    return pd.read_csv("predictions.csv", dtype=str)["prediction"].to_numpy()


def predicted_plainly(case: Case, old: pd.DataFrame, new: pd.DataFrame) -> Any:
    """By the pipeline of scikit-learn."""
    X, Z = (frame.drop(columns=case.target) for frame in (old, new))
    if case.text is None:
        words = [c for c in X.columns if X[c].dtype.kind not in "ifu"]
        X, Z = X.astype(dict.fromkeys(words, str)), Z.astype(dict.fromkeys(words, str))
    return pipeline(case, X).fit(X, old[case.target]).predict(Z).astype(str)


@pytest.mark.parametrize("name", CASES)
def test_as_good_as_scikit_learn(name, tmp_path, monkeypatch, capsys):
    case = CASES[name]
    if not (DATA / case.file).exists():
        pytest.skip(f"{case.file} is not there")
    monkeypatch.chdir(tmp_path)
    frame = case.read(DATA / case.file).drop(columns=list(case.drop))
    frame = frame.sample(min(len(frame), ROWS), random_state=0)
    right: dict[str, list[Any]] = {"chosen": [], "same C": [], "scikit-learn": []}
    for fold in range(FOLDS):
        held = np.arange(len(frame)) % FOLDS == fold
        old, new = frame[~held], frame[held]
        truth = new[case.target].astype(str).to_numpy()
        right["chosen"].append(predicted(capsys, case, old, new, case.alpha) == truth)
        right["same C"].append(predicted(capsys, case, old, new, str(1 / len(old))) == truth)
        right["scikit-learn"].append(predicted_plainly(case, old, new) == truth)
    found = {way: np.concatenate(parts) for way, parts in right.items()}
    theirs = found.pop("scikit-learn")
    for way, ours in found.items():
        lost, won = int((theirs & ~ours).sum()), int((ours & ~theirs).sum())
        with capsys.disabled():
            print(f"\n{name}, {way}: {ours.mean():.4f} (scikit-learn {theirs.mean():.4f}), won {won}, lost {lost}")
        assert lost - won <= 2.0 * np.sqrt(lost + won), way


@pytest.mark.parametrize("options", [("--drop-ragged",), ("--quote", "", "--drop-ragged")])
def test_spam_as_the_file_is(options, tmp_path, monkeypatch, capsys):
    """Without a header, with quotes that nobody closes and a line without a label."""
    if not (DATA / "sms_spam.tsv.gz").exists():
        pytest.skip("sms_spam.tsv.gz is not there")
    monkeypatch.chdir(tmp_path)
    found = told(
        capsys, "train", str(DATA / "sms_spam.tsv.gz"), "-t", "1", *options, "--alpha", "1e-5", "--held-out", "0"
    )
    assert found["classes"] == ["ham", "spam"]
    assert found["rows"] > 5500
