"""The plain pipeline of scikit-learn as a script: numbers imputed and scaled, categories one-hot, texts tf-idf.

python benchmarks/plain_pipeline.py old.csv new.csv predictions.csv TARGET [TEXT COLUMN]
"""

from __future__ import annotations

import sys

import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler


def main(old: str, new: str, predictions: str, target: str, text: str | None = None) -> None:
    learnt, wanted = pd.read_csv(old), pd.read_csv(new)
    y = learnt.pop(target)
    if text:
        columns = ColumnTransformer([("text", TfidfVectorizer(), text)])
    else:
        numbers = list(learnt.select_dtypes("number").columns)
        words = [name for name in learnt.columns if name not in numbers]
        learnt[words], wanted[words] = learnt[words].astype(str), wanted[words].astype(str)
        scaled = make_pipeline(SimpleImputer(), StandardScaler())
        columns = ColumnTransformer([("n", scaled, numbers), ("c", OneHotEncoder(handle_unknown="ignore"), words)])
    model = make_pipeline(columns, LogisticRegression(max_iter=1000)).fit(learnt, y)
    pd.DataFrame({"prediction": model.predict(wanted)}).to_csv(predictions, index=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
