"""scikit-learn: the tables, and what has no row of its own in them."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import linear_model, multiclass, svm
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import linsep
from tests.coming_from.page import here, rows, three_classes, two_classes

THEIRS = {
    "np": np, "LogisticRegression": linear_model.LogisticRegression, "LinearSVC": svm.LinearSVC, "SVC": svm.SVC,
    "RidgeClassifier": linear_model.RidgeClassifier, "Perceptron": linear_model.Perceptron,
    "OneVsRestClassifier": multiclass.OneVsRestClassifier,
}  # fmt: skip
#: How far their own stopping rules let them go.
EXACT = {"tol": 1e-10, "max_iter": 200_000, "estimator__tol": 1e-10}


class Exactly:
    """Their class, solved as far as it can go; a stopping rule that the cell gives stays."""

    def __init__(self, cls: Any) -> None:
        self.cls = cls

    def __call__(self, *given: Any, **parameters: Any) -> Any:
        made = self.cls(*given, **parameters)
        known = made.get_params()
        return made.set_params(**{k: v for k, v in EXACT.items() if k in known and k not in parameters})


def there(code: str, names: dict[str, Any]) -> Any:
    made = eval(code, {**THEIRS, **{k: Exactly(v) for k, v in THEIRS.items() if k != "np"}, **names})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return made if hasattr(made, "classes_") else made.fit(names["X"], names["y"])


@pytest.mark.parametrize(("theirs", "ours"), rows("scikit-learn, two classes"))
def test_two_classes(theirs: str, ours: str) -> None:
    names = two_classes(a=5.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", linsep.errors.NotConverged)  # five epochs of a perceptron
        a, b = there(theirs, names), here(ours, names)
    X = names["X"]
    np.testing.assert_allclose(b.decision_function(X), a.decision_function(X), rtol=1e-4, atol=1e-4)
    assert (a.predict(X) == b.predict(X)).mean() >= 0.99  # rows on the boundary
    if hasattr(a, "predict_proba") and hasattr(b, "predict_proba") and "class_weight" not in theirs:
        np.testing.assert_allclose(b.predict_proba(X), a.predict_proba(X), atol=1e-4)
    if hasattr(a, "coef_") and hasattr(b, "coef_"):
        assert b.coef_.shape == (1, 4)
        np.testing.assert_allclose(b.coef_, np.atleast_2d(a.coef_), rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(b.intercept_, a.intercept_, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(("theirs", "ours"), rows("scikit-learn, more classes"))
def test_more_classes(theirs: str, ours: str) -> None:
    names = three_classes()
    a, b, X = there(theirs, names), here(ours, names), names["X"]
    assert (a.predict(X) == b.predict(X)).all()
    if hasattr(a, "predict_proba"):
        np.testing.assert_allclose(b.predict_proba(X), a.predict_proba(X), atol=1e-5)
    if not theirs.startswith(("OneVsRest", "SVC")):
        np.testing.assert_allclose(b.decision_function(X), a.decision_function(X), rtol=1e-3, atol=1e-3)


def test_scores_of_one_of_k_are_half_way() -> None:
    names = three_classes()
    a = linear_model.RidgeClassifier(alpha=5.0).fit(names["X"], names["y"])
    b = linsep.LeastSquaresClassifier(alpha=10.0 / 150).fit(names["X"], names["y"])
    np.testing.assert_allclose(2 * b.decision_function(names["X"]) - 1, a.decision_function(names["X"]), atol=1e-10)


@pytest.mark.parametrize(
    ("theirs", "ours", "factor"),
    [
        ("log_loss", "log", 1),
        ("hinge", "hinge", 1),
        ("squared_hinge", "squared_hinge", 1),
        ("squared_error", "squared", 2),
    ],
)
def test_sgd_approaches_the_optimum(theirs: str, ours: str, factor: int) -> None:
    """From above, and to within a hundredth of the objective."""
    names = two_classes()
    X, y = names["X"], names["y"]
    given = {"alpha": 0.05, "learning_rate": "invscaling", "eta0": 0.1, "max_iter": 500, "tol": None}
    sgd = linear_model.SGDClassifier(loss=theirs, average=True, random_state=0, **given).fit(X, y)
    model = linsep.LinearClassifier(ours, alpha=0.05 * factor).fit(X, y)
    margins = np.where(y == 2, 1.0, -1.0) * sgd.decision_function(X)
    value = model.model_.objective.loss.value(margins).mean() + 0.025 * factor * float((sgd.coef_**2).sum())
    assert model.certificate_.bound <= value <= 1.01 * model.certificate_.primal


def test_sgd_takes_the_same_steps() -> None:
    names = two_classes()
    given = {"alpha": 0.05, "learning_rate": "constant", "eta0": 0.1, "shuffle": False}
    a = linear_model.SGDClassifier(loss="log_loss", tol=None, max_iter=3, **given).fit(names["X"], names["y"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", linsep.errors.NotConverged)
        b = linsep.GradientClassifier(tol_loss=None, max_epochs=3, **given).fit(names["X"], names["y"])
    np.testing.assert_allclose(b.coef_, a.coef_, rtol=1e-9)
    np.testing.assert_allclose(b.intercept_, a.intercept_, rtol=1e-9)


def test_cross_validation_keeps_c_there_and_alpha_here() -> None:
    names = two_classes()
    X, y, folds = names["X"], names["y"], np.arange(100) % 5
    splits = [(np.flatnonzero(folds != f), np.flatnonzero(folds == f)) for f in range(5)]
    Cs = np.array([0.01, 0.1, 1.0])
    cv = linear_model.LogisticRegressionCV(
        Cs=Cs, cv=splits, scoring="neg_log_loss", l1_ratios=(0.0,), tol=1e-10, use_legacy_attributes=False
    ).fit(X, y)
    chooser = linsep.CrossValidation(folds=folds, alphas=1 / (80 * Cs))
    model = linsep.LogisticRegression(alpha=chooser).fit(X, y)
    np.testing.assert_allclose(model.alpha_curve_.losses, -np.asarray(cv.scores_).mean(axis=0).ravel(), rtol=1e-4)
    assert model.alpha_ == pytest.approx(1 / (80 * float(cv.C_)))


def test_probabilities_of_margins_agree_with_predict() -> None:
    names = two_classes()
    X, y = names["X"], names["y"]
    svm_here = linsep.LinearSVM("squared_hinge", alpha=0.05, probability=True).fit(X, y)
    there_ = CalibratedClassifierCV(svm.LinearSVC(C=0.2)).fit(X, y)
    ours, theirs = svm_here.predict_proba(X), there_.predict_proba(X)
    assert (svm_here.classes_[ours.argmax(axis=1)] == svm_here.predict(X)).all()
    assert np.abs(ours - theirs).mean() < 0.1
    assert not np.allclose(ours, theirs, atol=1e-3)


TEXTS = ["Free prize, call now!", "Call me later", "A FREE prize for you, free", "later, later"]


@pytest.mark.parametrize("given", [{}, {"ngram_range": (1, 2)}, {"min_df": 2}, {"sublinear_tf": True}])
def test_texts(given: dict[str, Any]) -> None:
    ours, theirs = linsep.BagOfWords(**given), TfidfVectorizer(**given)
    np.testing.assert_allclose(ours.fit_transform(TEXTS).toarray(), theirs.fit_transform(TEXTS).toarray(), rtol=1e-12)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def test_counts() -> None:
    ours, theirs = linsep.BagOfWords(use_idf=False, norm=None), CountVectorizer()
    assert (ours.fit_transform(TEXTS).toarray() == theirs.fit_transform(TEXTS).toarray()).all()


def test_svmlight(tmp_path: Path) -> None:
    names, path = two_classes(), tmp_path / "rows.svm"
    dump_svmlight_file(names["X"], names["y"], str(path), zero_based=False)
    X, y = load_svmlight_file(str(path))
    table = linsep.read_table(path)
    assert abs(table.matrix - X).max() == 0
    assert (np.asarray(table.target, dtype=float) == y).all()


def test_columns() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"age": [22.0, 38.0, 26.0, 35.0], "class": ["third", "first", "third", "second"]})
    theirs = ColumnTransformer([("n", StandardScaler(), ["age"]), ("c", OneHotEncoder(sparse_output=False), ["class"])])
    np.testing.assert_allclose(
        linsep.TableEncoder(rare=1).fit_transform(frame), theirs.fit_transform(frame), atol=1e-12
    )


def test_a_file_in_place_of_a_pickle(tmp_path: Path) -> None:
    names = two_classes()
    model = linsep.LogisticRegression(alpha=0.05).fit(names["X"], names["y"])
    model.save(tmp_path / "model.linsep")
    again = linsep.load(tmp_path / "model.linsep")
    assert (again.decision_function(names["X"]) == model.decision_function(names["X"])).all()
