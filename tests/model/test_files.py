"""Models on disk: the same predictions and the same verdicts, to the bit, whatever the loss, scheme and labels."""

from __future__ import annotations

import datetime
import subprocess
import sys
import warnings
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification

import linsep
from linsep import (
    GradientClassifier,
    HardMarginSVM,
    LinearClassifier,
    LinearModel,
    LinearRule,
    LogisticRegression,
    MarginLoss,
    OneVsOne,
    OutputCodes,
    Perceptron,
    load,
    verify,
)
from linsep.errors import FileAccess, InvalidFile, NotCertified, Refused
from linsep.loading import LOADERS
from linsep.model import multipliers
from linsep.model.record import MOST_SMOOTH
from linsep.problem import joint, losses
from linsep.storage import read_archive, write_archive

X2, Y2 = make_classification(200, 6, n_redundant=0, flip_y=0.1, random_state=0)
X3, Y3 = load_iris(return_X_y=True)
MINIMISED = [name for name in losses.MARGIN_LOSSES.names() if losses.get(name).refusal is None]
SCHEMES = ["ovr", "ovo", "ecoc", OneVsOne(decide="scores"), OutputCodes(size=2, decode="hamming", seed=3)]


def same(one: LinearModel, two: LinearModel, X: Any) -> None:
    """Whatever a model says is the same, to the bit."""
    np.testing.assert_array_equal(one.w, two.w)
    np.testing.assert_array_equal(one.classes, two.classes)
    assert one.classes.dtype == two.classes.dtype
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))
    np.testing.assert_array_equal(one.predict(X), two.predict(X))
    assert one.gives_probabilities == two.gives_probabilities
    if one.gives_probabilities:
        np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    assert one.certificate == two.certificate
    assert one.summary() == two.summary()
    assert one.objective.scheme == two.objective.scheme


def verdicts_agree(one: LinearModel, two: LinearModel, X: Any, y: Any, sample_weight: Any = None) -> None:
    first, second = (verify(model, X, y, sample_weight) for model in (one, two))
    assert repr(first) == repr(second)


@pytest.mark.parametrize("loss", MINIMISED)
@pytest.mark.parametrize("alpha", [1e-2, 0.0])
def test_two_classes(tmp_path: Path, loss: str, alpha: float) -> None:
    fitted = LinearClassifier(loss, alpha=alpha).fit(X2, Y2).model_
    loaded = load(fitted.save(tmp_path / "m.linsep"))
    same(fitted, loaded, X2)
    verdicts_agree(fitted, loaded, X2, Y2)
    verdicts_agree(fitted, loaded, X2[::-1], Y2)  # not the data of the fit: both say so


@pytest.mark.parametrize("loss", MINIMISED)
@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
def test_reductions(tmp_path: Path, loss: str, scheme: Any) -> None:
    fitted = LinearClassifier(loss, alpha=1e-2, multiclass=scheme).fit(X3, Y3).model_
    loaded = load(fitted.save(tmp_path / "m.linsep"))
    same(fitted, loaded, X3)
    verdicts_agree(fitted, loaded, X3, Y3)


@pytest.mark.parametrize("name", joint.JOINT_LOSSES.names())
def test_joint_losses(tmp_path: Path, name: str) -> None:
    loss = joint.get(name)
    fitted = LinearClassifier(str(loss.binary), alpha=1e-2, multiclass=name).fit(X3, Y3).model_
    loaded = load(fitted.save(tmp_path / "m.linsep"))
    same(fitted, loaded, X3)
    verdicts_agree(fitted, loaded, X3, Y3)
    assert verify(loaded, X3, Y3).ok


LABELS = {
    "str": np.array(["no", "ja ö"]),
    "wide str": np.array(["no", "yes"], dtype="<U40"),
    "object": np.array(["no", "yes"], dtype=object),
    "bool": np.array([False, True]),
    "int8": np.array([-1, 1], dtype=np.int8),
    "uint64": np.array([0, 2**63], dtype=np.uint64),
    "float": np.array([-1.0, 2.0]),
    "bytes": np.array([b"a", b"bc"]),
    "datetime64": np.array(["2020-01-01", "2021-06-01"], dtype="datetime64[D]"),
    "object int": np.array([1, 10**30], dtype=object),
    "object bool": np.array([False, True], dtype=object),
    "object bytes": np.array([b"a", b"b"], dtype=object),
    "object date": np.array([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)], dtype=object),
    "object datetime": np.array([datetime.datetime(2020, 1, 1, 5), datetime.datetime(2021, 1, 1)], dtype=object),
    "empty string": np.array(["", "x"]),
    "newline": np.array(["a\nb", "a"], dtype=object),
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_labels(tmp_path: Path, labels: Any) -> None:
    y = labels[Y2]
    fitted = LogisticRegression(alpha=1e-2).fit(X2, y)
    loaded = load(fitted.save(tmp_path / "m.linsep"))
    same(fitted.model_, loaded, X2)
    assert [type(v) for v in loaded.classes.tolist()] == [type(v) for v in fitted.classes_.tolist()]
    verdicts_agree(fitted.model_, loaded, X2, y)


def test_labels_that_cannot_be_stored(tmp_path: Path) -> None:
    from fractions import Fraction

    y = np.array([Fraction(1, 3), Fraction(2, 3)], dtype=object)[Y2]
    fitted = LogisticRegression(alpha=1e-2).fit(X2, y)
    with pytest.raises(Refused, match=r"Fraction.*strings"):
        fitted.save(tmp_path / "m.linsep")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 2.0, 1: 0.5}, {np.int64(1): 3}])
def test_weights_and_provenance(tmp_path: Path, class_weight: Any) -> None:
    weights = np.random.default_rng(0).integers(1, 4, len(Y2)).astype(float)
    fitted = LinearClassifier("hinge", alpha=1e-2, class_weight=class_weight, random_state=7).fit(X2, Y2, weights)
    loaded = load(fitted.save(tmp_path / "m.linsep", time="2026-05-01 12:00"))
    assert loaded.class_weight == class_weight
    assert loaded.origin.rows == 200
    assert loaded.origin.total_weight == fitted.model_.origin.total_weight
    assert loaded.origin.seed == 7
    assert loaded.origin.time == "2026-05-01 12:00"
    assert loaded.origin.software["linsep"] == linsep.__version__
    assert loaded.origin.software["numpy"] == np.__version__
    assert loaded.origin.estimator == "LinearClassifier"
    assert loaded.fingerprints == fitted.model_.fingerprints
    verdicts_agree(fitted.model_, loaded, X2, Y2, weights)


def test_feature_names(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame(X2, columns=[f"spalte {j} ß" for j in range(6)])
    fitted = LogisticRegression(alpha=1e-2).fit(frame, Y2)
    loaded = load(fitted.save(tmp_path / "m.linsep"))
    same(fitted.model_, loaded, frame)
    assert loaded.feature_names.tolist() == list(frame.columns)
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame.rename(columns={"spalte 0 ß": "x"}))


def test_saved_again_is_the_same_file(tmp_path: Path) -> None:
    first = LogisticRegression(alpha=1e-2).fit(X3, Y3).save(tmp_path / "a.linsep", time="then")
    second = load(first).save(tmp_path / "b.linsep")
    assert first.read_bytes() == second.read_bytes()


def test_equal_fits_give_equal_files_without_their_traces(tmp_path: Path) -> None:
    one, two = (LogisticRegression(alpha=1e-2).fit(X3, Y3).model_ for _ in range(2))
    first, second = one.save(tmp_path / "a", trace=False), two.save(tmp_path / "b", trace=False)
    assert first.read_bytes() == second.read_bytes()
    assert verify(load(first), X3, Y3).ok


def test_a_fit_that_was_not_certified_stays_so(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertified)
        fitted = LogisticRegression(alpha=1e-6, max_iter=1, solver="lbfgs").fit(100 * X2, Y2).model_
    loaded = load(fitted.save(tmp_path / "m.linsep"))
    assert not loaded.certified
    assert loaded.status is fitted.status
    verdicts_agree(fitted, loaded, 100 * X2, Y2)


def test_existing_files_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "m.linsep"
    one, two = LogisticRegression(alpha=1e-2).fit(X2, Y2), LogisticRegression(alpha=1.0).fit(X2, Y2)
    one.save(path)
    with pytest.raises(FileAccess, match="force=True"):
        two.save(path)
    assert load(path).alpha == 1e-2
    two.save(path, force=True)
    assert load(path).alpha == 1.0


# -- losses and schemes of the user's own -------------------------------------------------------------------


class Quartic(MarginLoss):
    convex = True
    probability = True
    probability_scale = 1.5

    def value(self, M: Any) -> Any:
        return (1 - M) ** 4

    def d1(self, M: Any) -> Any:
        return -4 * (1 - M) ** 3


def test_own_loss_scores_and_predicts(tmp_path: Path) -> None:
    fitted = LinearClassifier(Quartic(), alpha=1e-1, tol=1e-2).fit(X2, Y2).model_
    loaded = load(fitted.save(tmp_path / "m.linsep"))
    same(fitted, loaded, X2)
    verdicts_agree(fitted, loaded, X2, Y2)
    assert verify(loaded, X2, Y2).unknown
    with pytest.raises(Refused, match=r"losses\.register\(Quartic\(\)\)"):
        loaded.objective.loss.value(np.zeros(1))


def test_own_loss_that_is_registered_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = LinearClassifier(Quartic(), alpha=1e-1, tol=1e-2).fit(X2, Y2).model_
    path = fitted.save(tmp_path / "m.linsep")
    monkeypatch.setattr(losses.MARGIN_LOSSES, "_members", dict(losses.MARGIN_LOSSES._members))
    losses.register(Quartic())
    assert isinstance(load(path).objective.loss, Quartic)


def test_own_scheme_is_refused(tmp_path: Path) -> None:
    class Mine(OneVsOne):
        pass

    fitted = LogisticRegression(alpha=1e-2, multiclass=Mine()).fit(X3, Y3)
    with pytest.raises(Refused, match="scheme Mine"):
        fitted.save(tmp_path / "m.linsep")


def test_penalties_with_factors_and_bounds(tmp_path: Path) -> None:
    fitted = LogisticRegression(alpha=1e-2).fit(X2, Y2).model_
    factors, lower = np.arange(6.0), np.array([-np.inf, 0, 0, -1, -2, -np.inf])
    objective = replace(fitted.objective, l1_ratio=0.3, factors=factors, lower=lower)
    certificate = replace(fitted.certificate, strength=0.25)
    loaded = load(replace(fitted, objective=objective, certificate=certificate).save(tmp_path / "m.linsep"))
    assert loaded.l1_ratio == 0.3
    np.testing.assert_array_equal(loaded.objective.penalty.factors, factors)
    np.testing.assert_array_equal(loaded.objective.penalty.lower, lower)
    assert loaded.objective.penalty.upper is None
    assert loaded.certificate.strength == 0.25
    wrong = replace(objective, factors=np.ones(5))
    with pytest.raises(InvalidFile, match="penalty on 5 features does not fit 6"):
        load(replace(fitted, objective=wrong).save(tmp_path / "n.linsep"))


# -- compact ------------------------------------------------------------------------------------------------


def test_multipliers_of_the_hinge_loss_are_compact(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(20_000, 5))
    y = X[:, 0] + random.normal(size=20_000) > 0
    fitted = LinearClassifier("hinge", alpha=1e-2).fit(X, y).model_
    path = fitted.save(tmp_path / "m.linsep", trace=False)
    assert path.stat().st_size < 20_000 / 2  # half a byte a row; as float64 it would be eight
    loaded = load(path)
    assert loaded.dual[0].tobytes() == fitted.dual[0].tobytes()
    assert verify(loaded, X, y).ok


def test_large_smooth_fits_leave_their_multipliers_out_and_verify(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(MOST_SMOOTH + 10, 3))
    y = X[:, 0] + random.normal(size=len(X)) > 0
    fitted = LogisticRegression(alpha=1e-2).fit(X, y).model_
    path = fitted.save(tmp_path / "m.linsep")
    assert path.stat().st_size < 20_000
    loaded = load(path)
    assert loaded.dual == (None,)
    assert verify(loaded, X, y).ok


def test_multipliers_keep_every_bit() -> None:
    random = np.random.default_rng(2)
    theta = np.where(random.random(1000) < 0.9, random.choice([0.0, -0.0, 1.0, 0.1], 1000), random.random(1000))
    duals = (theta, None, theta[:10], np.empty(0))
    back = multipliers.from_record(multipliers.to_record(duals), 4)
    assert [None if t is None else t.tobytes() for t in back] == [None if t is None else t.tobytes() for t in duals]
    assert multipliers.from_record(multipliers.to_record((None, None)), 2) == (None, None)


# -- other estimators ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "estimator",
    [
        Perceptron(max_epochs=50),
        Perceptron(max_epochs=50, probability=True),
        GradientClassifier(max_epochs=50),
        GradientClassifier("hinge", max_epochs=50),
    ],
    ids=str,
)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.filterwarnings("ignore")
def test_linear_estimators(tmp_path: Path, estimator: Any, classes: int) -> None:
    keep = classes > Y3
    X, y = X3[keep] / 8, np.array(["a", "b", "c"])[Y3[keep]]
    fitted = estimator.fit(X, y)
    loaded = load(fitted.save(tmp_path / "m.linsep"))
    assert isinstance(loaded, LinearRule)
    np.testing.assert_array_equal(loaded.decision_function(X), fitted.decision_function(X))
    np.testing.assert_array_equal(loaded.predict(X), fitted.predict(X))
    assert loaded.gives_probabilities == hasattr(fitted, "predict_proba")
    if loaded.gives_probabilities:
        np.testing.assert_array_equal(loaded.predict_proba(X), fitted.predict_proba(X))
    else:
        with pytest.raises(Refused, match="no probabilities"):
            loaded.predict_proba(X)
    assert loaded.summary() == fitted.summary()
    assert loaded.save(tmp_path / "again").read_bytes() == (tmp_path / "m.linsep").read_bytes()


def test_hard_margin(tmp_path: Path) -> None:
    keep = Y3 < 2
    fitted = HardMarginSVM().fit(X3[keep], Y3[keep])
    loaded = load(fitted.save(tmp_path / "m.linsep"))
    np.testing.assert_array_equal(loaded.predict(X3), fitted.predict(X3))


@pytest.mark.filterwarnings("ignore")
def test_a_perceptron_with_a_kernel_has_no_weights_to_save(tmp_path: Path) -> None:
    fitted = Perceptron(kernel="rbf", max_epochs=5).fit(X2, Y2)
    with pytest.raises(Refused, match="no linear weights"):
        fitted.save(tmp_path / "m.linsep")


# -- kinds and forgeries ------------------------------------------------------------------------------------


def test_an_unknown_kind(tmp_path: Path) -> None:
    write_archive(tmp_path / "x", "spaceship", {})
    with pytest.raises(InvalidFile, match="'spaceship'; this version of linsep can load 'linear_model'"):
        load(tmp_path / "x")


def test_every_kind_is_written_by_something() -> None:
    assert {"linear_model", "linear_rule"} <= set(LOADERS)


def _places(record: Any, place: tuple[str, ...] = ()) -> Any:
    for key, value in record.items():
        yield (*place, key)
        if isinstance(value, dict):
            yield from _places(value, (*place, key))


def test_forged_records_give_the_clear_error_or_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each entry in turn left out, or replaced by something of another type or size."""
    instead = (None, -1, "x", [], {}, np.zeros(3), np.zeros((2, 2)), np.array(["a"]))
    for fitted in (LogisticRegression(alpha=1e-2).fit(X3, Y3), Perceptron(max_epochs=9).fit(X3[Y3 < 2], Y3[Y3 < 2])):
        kind, record = read_archive(fitted.save(tmp_path / "m", force=True))
        for place in _places(record):
            for number in range(len(instead) + 1):
                forged = deepcopy(record)
                inner = forged
                for key in place[:-1]:
                    inner = inner[key]
                inner.pop(place[-1])
                if number < len(instead):
                    inner[place[-1]] = instead[number]
                monkeypatch.setattr("linsep.storage.read_archive", lambda path, found=(kind, forged): found)
                with suppress(InvalidFile):
                    load(tmp_path / "forged")


def test_loading_needs_no_zip_until_asked(tmp_path: Path) -> None:
    code = "import sys, linsep; print(any(name.startswith('linsep.storage') for name in sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "False"


FIXTURE = Path(__file__).parent / "fixtures" / "version1.linsep"


def test_files_of_format_1_keep_loading() -> None:
    """Made by tests/model/make_fixture.py when format 1 was new; never made again."""
    from tests.model.make_fixture import X, y

    model = load(FIXTURE)
    assert model.classes.tolist() == ["setosa", "versicolor", "virginica"]
    assert model.feature_names.tolist() == ["sepal length", "sepal width", "petal length", "petal width"]
    assert (model.loss, model.multiclass, model.alpha) == ("hinge", "ovr", 0.01)
    assert verify(model, X, y).ok
    assert model.origin.software["linsep"] == "0.1.0"
    assert (model.predict(X) == y).mean() > 0.9
