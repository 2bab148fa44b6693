"""ONNX graphs, run by onnxruntime."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from linsep import LogisticRegression
from linsep.errors import InvalidParameter, InvalidType, MissingPackage, Refused
from linsep.export import to_onnx
from tests.export.models import KEEP, MODELS, SPECIAL, Y3, X, rows, rules

runtime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")


def run(model: Any, X: Any, dtype: str = "float64") -> dict[str, Any]:
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(to_onnx(model, dtype).SerializeToString(), options)
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {"X": np.asarray(X, dtype=dtype)}), strict=True))


@pytest.mark.parametrize("model", (MODELS | SPECIAL).values(), ids=MODELS | SPECIAL)
def test_same_answers(model: Any) -> None:
    new = rows()
    found = run(model, new)
    scores = model.decision_function(new)
    np.testing.assert_allclose(found["scores"], scores, rtol=1e-12, atol=1e-9)
    assert found["scores"].shape == scores.shape
    np.testing.assert_array_equal(found["label"], model.predict(new))
    assert ("probabilities" in found) == model.gives_probabilities
    if model.gives_probabilities:
        np.testing.assert_allclose(found["probabilities"], model.predict_proba(new), atol=1e-9)
        assert list(found)[:2] == ["label", "probabilities"]


@pytest.mark.filterwarnings("ignore")
def test_other_estimators() -> None:
    for estimator in rules().values():
        found = run(estimator, X)
        np.testing.assert_array_equal(found["label"], estimator.predict(X))
        if hasattr(estimator, "predict_proba"):
            np.testing.assert_allclose(found["probabilities"], estimator.predict_proba(X), atol=1e-9)


def test_float32_rows_are_computed_in_double_precision() -> None:
    model = MODELS["log softmax"]
    narrow = X.astype(np.float32)
    found = run(model, narrow, "float32")
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(narrow), atol=1e-9)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (np.array([3, -5]), np.array([3, -5])),
        (np.array([1, 0], dtype=np.uint8), np.array([1, 0])),
        (np.array([True, False]), np.array([True, False])),
        (np.array([1.0, 2.0]), np.array([1.0, 2.0])),
        (np.array(["a", "ö"], dtype=object), np.array(["a", "ö"], dtype=object)),
        (np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]"), np.array(["2020-01-01", "2021-01-01"])),
        (np.array([b"a", b"b"]), np.array(["b'a'", "b'b'"])),
    ],
)
def test_labels(labels: Any, expected: Any) -> None:
    numbers = (X[:, 3] > 1).astype(int)
    model = LogisticRegression(alpha=1e-2).fit(X, labels[numbers])
    found = run(model, X)["label"]
    np.testing.assert_array_equal(found, expected[numbers_of(model.predict(X), labels)])


def numbers_of(predicted: Any, labels: Any) -> Any:
    return (predicted == labels[1]).astype(int)


def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidParameter, match="float16"):
        to_onnx(MODELS["log"], "float16")
    with pytest.raises(InvalidType, match="given was a int"):
        to_onnx(3)
    with pytest.raises(Refused, match="code words"):
        to_onnx(LogisticRegression(alpha=1e-2, multiclass="ecoc").fit(X, Y3))
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingPackage, match=r"linsep\[onnx\]"):
        to_onnx(MODELS["log"])


def test_rows_of_two_classes_alone() -> None:
    assert set(run(MODELS["log"], X[KEEP])["label"]) <= set(Y3[KEEP])
