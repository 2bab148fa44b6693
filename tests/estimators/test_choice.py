"""ChoicePerceptron as an estimator: every form of input means the same, errors say what to do, scikit-learn's tools."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

from linsep import ChoicePerceptron
from linsep.errors import InvalidData, InvalidParameter, InvalidType, Refused
from linsep.online import recording

RNG = np.random.default_rng(0)
STATES = [RNG.integers(-3, 4, size=(k, 3)).astype(float) for k in RNG.integers(2, 6, 40)]
CHOICES = [int((s @ [2.0, -1.0, 0.5]).argmax()) for s in STATES]
FLAT = np.concatenate(STATES)
OFFSETS = np.append(0, np.cumsum([len(s) for s in STATES]))
GROUPS = np.repeat([f"s{i}" for i in range(len(STATES))], np.diff(OFFSETS))


def model(**parameters: object) -> ChoicePerceptron:
    return ChoicePerceptron(**{"average": True, "max_epochs": 10} | parameters)


@pytest.mark.parametrize("variant", ["perceptron", "logistic"])
def test_every_form_means_the_same(variant: str) -> None:
    first = model(variant=variant).fit(STATES, CHOICES)
    named = [{f"a{i}": row for i, row in enumerate(s)} for s in STATES]
    forms = [
        (tuple(s.tolist() for s in STATES), CHOICES, {}),
        ([sparse.csr_array(s) for s in STATES], CHOICES, {}),
        ([pd.DataFrame(s, columns=["x", "y", "z"]) for s in STATES], pd.Series(CHOICES), {}),
        (named, [f"a{c}" for c in CHOICES], {}),
        (FLAT, CHOICES, {"offsets": OFFSETS}),
        (FLAT, np.array(CHOICES, dtype=float), {"groups": GROUPS}),
        (FLAT.tolist(), CHOICES, {"offsets": OFFSETS.tolist()}),
        (np.asfortranarray(FLAT), CHOICES, {"groups": list(GROUPS)}),
        (sparse.csr_array(FLAT), CHOICES, {"groups": GROUPS}),
        (FLAT.astype(np.int8), CHOICES, {"groups": GROUPS}),
        (pd.DataFrame(FLAT, columns=["x", "y", "z"]), CHOICES, {"groups": GROUPS}),
    ]
    for X, choices, layout in forms:
        other = model(variant=variant).fit(X, choices, **layout)
        np.testing.assert_allclose(other.coef_, first.coef_, rtol=1e-9)
        assert other.score(X, choices, **layout) == first.score(STATES, CHOICES) == other.agreement_


def test_three_dimensions_are_states() -> None:
    X = RNG.normal(size=(20, 4, 3))
    choices = (X @ [1.0, 2.0, 3.0]).argmax(axis=1)
    np.testing.assert_array_equal(model().fit(X, choices).coef_, model().fit(list(X), choices).coef_)


def test_predictions_have_the_shape_of_the_input() -> None:
    fitted = model(variant="logistic").fit(STATES, CHOICES)
    scores, chances = fitted.decision_function(STATES), fitted.predict_proba(STATES)
    assert [len(s) for s in scores] == [len(s) for s in STATES]
    assert all(p.sum() == pytest.approx(1.0) for p in chances)
    np.testing.assert_array_equal(fitted.predict(STATES), [s.argmax() for s in scores])
    np.testing.assert_array_equal(fitted.decision_function(FLAT, offsets=OFFSETS), np.concatenate(scores))
    np.testing.assert_array_equal(fitted.predict_proba(FLAT, groups=GROUPS), np.concatenate(chances))
    assert fitted.predict([{"stay": [0, 0, 0], ("go", 1): [9, 0, 0]}]).tolist() == [("go", 1)]


def test_names_are_kept() -> None:
    frame = pd.DataFrame(FLAT, columns=["x", "y", "z"])
    fitted = model().fit(frame, CHOICES, offsets=OFFSETS)
    assert fitted.feature_names_in_.tolist() == ["x", "y", "z"]
    assert "y " in fitted.summary()
    with pytest.raises(InvalidData, match="feature names"):
        fitted.predict(frame.rename(columns={"x": "q"}), offsets=OFFSETS)
    with pytest.raises(InvalidData, match="feature names"):
        fitted.predict([frame.rename(columns={"x": "q"})])
    assert not hasattr(fitted.fit(STATES, CHOICES), "feature_names_in_")


def test_only_the_logistic_variant_has_probabilities() -> None:
    assert not hasattr(model(), "predict_proba")
    assert hasattr(model(), "partial_fit")
    assert hasattr(model(variant="logistic"), "predict_proba")
    assert not hasattr(model(variant="logistic"), "partial_fit")


def test_scikit_learn_tools() -> None:
    assert cross_val_score(model(), STATES, CHOICES, cv=4).mean() > 0.8
    search = GridSearchCV(ChoicePerceptron("logistic"), {"alpha": [1e-4, 1e-1]}, cv=3).fit(STATES, CHOICES)
    assert search.best_params_["alpha"] in (1e-4, 1e-1)
    fitted = model(random_state=3).fit(STATES, CHOICES)
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert not hasattr(copy, "coef_")
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(STATES), fitted.predict(STATES))
    assert "average=True" in repr(fitted)


def test_before_the_fit() -> None:
    for call in (model().predict, model().decision_function):
        with pytest.raises(NotFittedError):
            call(STATES)
    with pytest.raises(NotFittedError):
        model().summary()


def test_a_failed_fit_leaves_the_model() -> None:
    fitted = model().fit(STATES, CHOICES)
    before = fitted.coef_.copy()
    with pytest.raises(InvalidData):
        fitted.fit(STATES, CHOICES[:-1])
    np.testing.assert_array_equal(fitted.coef_, before)


@pytest.mark.parametrize(
    ("X", "choices", "layout", "message"),
    [
        (STATES, [*CHOICES[:-1], 99], {}, r"choices\[39\] = 99, but state 39 has"),
        (STATES, [-1, *CHOICES[1:]], {}, r"choices\[0\] = -1"),
        (STATES, [0.5, *CHOICES[1:]], {}, r"choices\[0\] = 0.5"),
        (STATES, [np.nan, *CHOICES[1:]], {}, r"choices\[0\] = nan"),
        (STATES, ["a"] * 40, {}, "give the states as dicts"),
        (STATES, CHOICES[:3], {}, "3 choices and X has 40 states"),
        (STATES, None, {}, "requires y"),
        (STATES, 3, {}, "one choice a state"),
        (
            [{"a": [1.0], "b": [2.0]}],
            ["c"],
            {},
            r"choices\[0\] = 'c' is not an action of state 0: allowed are 'a', 'b'",
        ),
        ([{"a": [1.0]}, STATES[0]], ["a", 0], {}, "1 of 2 states are dicts"),
        ([STATES[0], np.zeros((0, 3))], [0, 0], {}, "state 1 has no actions"),
        ([STATES[0], {}], [0, 0], {}, "1 of 2 states are dicts"),
        ([{"a": [1.0]}, {}], ["a", "a"], {}, "state 1 has no actions"),
        ([STATES[0], np.zeros((2, 4))], [0, 0], {}, "state 1 has 4 features an action, state 0 has 3"),
        ([[[1.0, 2.0], [1.0]]], [0], {}, "state 0 have different numbers of features"),
        ([[1.0, 2.0]], [0], {}, r"state 0 has shape \(2,\)"),
        ([], [], {}, "no states"),
        (FLAT, CHOICES, {}, "without groups or offsets"),
        (sparse.csr_array(FLAT), CHOICES, {}, "without groups or offsets"),
        ([STATES[0], np.array([[0.0, 1.0, 2.0], [0.0, np.nan, 1.0]])], [0, 0], {}, "state 1, action 1, feature 1"),
        (sparse.csr_array([[0.0, 1.0], [1.0, np.inf]]), [0], {"offsets": [0, 2]}, "state 0, action 1, feature 1"),
        (FLAT, CHOICES, {"groups": GROUPS[:-1]}, "groups has shape"),
        (FLAT[:3], [0, 0], {"groups": [1, 2, 1]}, "state 1 do not follow each other"),
        (FLAT, CHOICES, {"offsets": OFFSETS[:-1]}, "from 0 to"),
        (FLAT[:3], [0, 0], {"offsets": [0, 0, 3]}, "state 0 has no actions"),
        (FLAT[:3], [0, 0], {"offsets": [0.0, 3.0]}, "whole numbers"),
        (FLAT[:2], [0], {"groups": [1.0, np.nan]}, "groups is NaN in row 1"),
        ([pd.DataFrame(STATES[0], columns=list(c)) for c in ("xyz", "yxz")], [0, 0], {}, "columns of state 1"),
        ([np.array([[1e200], [-1e200]])], [0], {}, "overflow"),
        ([np.ones((1, 3))], [0], {}, "nothing can be learned"),
        ([np.ones((2, 3))], [0], {}, "nothing can be learned"),
    ],
)
def test_errors(X: object, choices: object, layout: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidData, match=message):
        model().fit(X, choices, **layout)


def test_other_errors() -> None:
    with pytest.raises(Refused, match="both given"):
        model().fit(FLAT, CHOICES, groups=GROUPS, offsets=OFFSETS)
    for X in ("states", {"a": [1.0]}, 3):
        with pytest.raises(InvalidType, match="one table"):
            model().fit(X, CHOICES)
    with pytest.raises(InvalidData, match="expecting 3 features"):
        model().fit(STATES, CHOICES).predict([np.ones((2, 4))])


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"variant": "logit"}, "nearest is 'logistic'"),
        ({"tie": "last"}, "allowed are 'first', 'mistake'"),
        ({"order": "random"}, "allowed are 'given', 'shuffled'"),
        ({"max_epochs": 0}, "max_epochs=0"),
        ({"alpha": -1.0}, "alpha=-1.0"),
        ({"tol": 0.0}, "tol=0.0"),
        ({"max_iter": 0}, "max_iter=0"),
        ({"random_state": -1}, "random_state=-1"),
    ],
)
def test_parameters(parameters: dict[str, object], error: str) -> None:
    with pytest.raises(InvalidParameter, match=error):
        model(**parameters).fit(STATES, CHOICES)


def test_summary_names_what_happened() -> None:
    text = ChoicePerceptron(max_epochs=1000).fit(STATES, CHOICES).summary()
    assert "40 states" in text
    assert "(R/ρ)²" in text or "none" in text
    assert "certificate holds" in model(variant="logistic").fit(STATES, CHOICES).summary()


def test_states_are_counted_on_over_the_calls_of_partial_fit() -> None:
    rng = np.random.default_rng(0)
    states = rng.normal(size=(40, 3, 4))
    choices = (states @ [1.0, 2.0, -1.0, 0.5]).argmax(axis=1)
    model = ChoicePerceptron(record=True, order="given")
    for k in range(0, 40, 10):
        model.partial_fit(states[k : k + 10], choices[k : k + 10])
    made = model.update_states_
    assert (np.diff(made) > 0).all()
    assert made[-1] >= 10
    for step, s in zip(np.diff(model.trajectory_, axis=0), made, strict=True):
        rival = states[s, choices[s]] - step  # w moved by φ(a*, s) − φ(â, s)
        assert np.abs(states[s] - rival).sum(axis=1).min() < 1e-12
    assert "of the choices given last" in model.summary()


def test_a_record_of_choices_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "_MOST_BYTES", 500)
    states = np.random.default_rng(0).normal(size=(40, 3, 4))
    with pytest.raises(Refused, match="record=False"):
        ChoicePerceptron(record=True).fit(states, np.arange(40) % 3)


def test_differences_that_underflow_are_explained() -> None:
    with pytest.raises(InvalidData, match="scale them"):
        ChoicePerceptron().fit([[[1e-200, 0.0], [0.0, 1e-200]]], [0])


@pytest.mark.parametrize("variant", ["perceptron", "logistic"])
def test_progress_of_choices(variant: str, capsys: pytest.CaptureFixture[str]) -> None:
    states = np.random.default_rng(0).normal(size=(40, 3, 4))
    ChoicePerceptron(variant, verbose=2).fit(states, states[:, :, 0].argmax(axis=1))
    first = capsys.readouterr().err.splitlines()[0]
    assert first.startswith("linsep: epoch 1, " if variant == "perceptron" else "linsep: step 0, ")
