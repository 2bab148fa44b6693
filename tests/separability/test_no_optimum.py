"""Fits without a penalty say why there is no optimum, in the words of the data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from linsep import LinearClassifier, LogisticRegression, errors, separability


@pytest.fixture
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame({"age": rng.normal(size=120), "rare": np.zeros(120), "height": rng.normal(size=120)})


def labels(frame: pd.DataFrame) -> np.ndarray:
    return (frame["age"] + np.random.default_rng(1).logistic(size=120) > 0).to_numpy().astype(int)


@pytest.mark.parametrize("loss", ["log", "exponential"])
def test_a_feature_seen_in_one_class_only_is_named(frame: pd.DataFrame, loss: str) -> None:
    y = labels(frame)
    frame.loc[np.flatnonzero(y == 1)[:5], "rare"] = 1.0
    with pytest.raises(errors.NoOptimum, match=r"quasi-separable.*Feature 'rare' separates 5 .*drop feature 'rare'"):
        LinearClassifier(loss, alpha=0.0).fit(frame, y)
    assert LinearClassifier(loss, alpha=0.0).fit(frame.drop(columns="rare"), y).certificate_.holds


def test_firth_is_a_remedy_for_two_classes_and_the_log_loss(frame: pd.DataFrame) -> None:
    y = labels(frame)
    frame.loc[np.flatnonzero(y == 1)[:5], "rare"] = 1.0
    with pytest.raises(errors.NoOptimum, match=r"or use Firth's correction, LogisticRegression\(penalty='firth'\)$"):
        LogisticRegression(alpha=0.0).fit(frame, y)
    assert np.isfinite(LogisticRegression(penalty="firth").fit(frame, y).coef_).all()
    with pytest.raises(errors.NoOptimum) as raised:
        LinearClassifier("exponential", alpha=0.0).fit(frame, y)
    assert "Firth" not in str(raised.value)


def test_a_feature_that_is_the_label_is_named(frame: pd.DataFrame) -> None:
    with pytest.raises(
        errors.NoOptimum, match=r"the data are separable and alpha = 0.*alpha > 0.*'age', which separates"
    ):
        LogisticRegression(alpha=0.0).fit(frame, frame["age"] > 0)


@pytest.mark.parametrize(
    ("scheme", "words"),
    [("softmax", "no optimum exists: the data are separable"), ("ovr", "class a against the rest"), ("ovo", "class")],
)
def test_three_classes(frame: pd.DataFrame, scheme: str, words: str) -> None:
    y = np.array(["a", "b", "c"])[np.digitize(frame["age"], [-0.5, 0.5])]
    with pytest.raises(errors.NoOptimum, match=words):
        LogisticRegression(alpha=0.0, multiclass=scheme).fit(frame[["age", "height"]], y)


def test_rows_without_weight_do_not_count(frame: pd.DataFrame) -> None:
    y = labels(frame)
    weights = np.ones(120)
    kept = np.flatnonzero(y == 1)[:5]
    frame.loc[kept, "rare"] = 1.0
    other = int(np.flatnonzero(y == 0)[0])
    frame.loc[other, "rare"] = 1.0
    assert LogisticRegression(alpha=0.0).fit(frame, y).certificate_.holds
    weights[other] = 0.0
    with pytest.raises(errors.NoOptimum, match="'rare'"):
        LogisticRegression(alpha=0.0).fit(frame, y, sample_weight=weights)


def test_names_keep_their_capitals(frame: pd.DataFrame) -> None:
    y = labels(frame)
    frame.loc[np.flatnonzero(y == 1)[:5], "rare"] = 1.0
    with pytest.raises(errors.NoOptimum, match=r"Feature 'Rare Event' separates 5 .*drop feature 'Rare Event'"):
        LogisticRegression(alpha=0.0).fit(frame.rename(columns={"rare": "Rare Event"}), y)


def test_one_class_of_three_apart_from_the_others() -> None:
    """Every row is ahead of some class then, none lies on a hyperplane, and dropping every feature is no advice."""
    data = load_iris(as_frame=True)
    with pytest.raises(errors.NoOptimum, match=r"150 of the rows .* strictly ahead of some other class") as raised:
        LogisticRegression(alpha=0.0).fit(data.data, data.target)
    assert "drop" not in str(raised.value)
    assert "hyperplane itself" not in str(raised.value)
    assert "strictly ahead of some other class" in separability(data.data, data.target).summary()
