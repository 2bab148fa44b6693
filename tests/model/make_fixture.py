"""Made tests/model/fixtures/version1.linsep, which must load for ever: `python -m tests.model.make_fixture FILE`.

For a new format run it with the name of a new file; the older ones stay as they are.
"""

from __future__ import annotations

import sys

import pandas as pd
from sklearn.datasets import load_iris

from linsep import LinearSVM

_DATA = load_iris()
X = pd.DataFrame(_DATA.data, columns=[name.removesuffix(" (cm)") for name in _DATA.feature_names])
y = _DATA.target_names[_DATA.target]

if __name__ == "__main__":
    LinearSVM(alpha=1e-2, random_state=5).fit(X, y).save(sys.argv[1], time="2026-11-16")
