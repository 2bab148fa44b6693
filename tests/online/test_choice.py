"""Learning from choices: the pseudo-code update for update, Novikoff's bound, the reduction of K classes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linsep import ChoicePerceptron
from linsep.errors import NotConverged
from linsep.online.choice import Stop, Walk

States = list[np.ndarray]


def random_states(seed: int, n: int = 40, d: int = 4, size: int = 4) -> States:
    rng = np.random.default_rng(seed)
    return [rng.integers(-size, size + 1, size=(rng.integers(1, 6), d)).astype(float) for _ in range(n)]


def random_choices(states: States, seed: int) -> list[int]:
    rng = np.random.default_rng(seed)
    return [int(rng.integers(len(state))) for state in states]


def consistent(seed: int, n: int = 60, d: int = 4) -> tuple[States, list[int]]:
    """Choices of an expert with weights of its own; states in which its best action is not clear are left out."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=d)
    states = [s for s in random_states(seed, n, d) if len(s) == 1 or np.diff(np.sort(s @ w)[-2:])[0] > 0.5]
    return states, [int((s @ w).argmax()) for s in states]


def pseudo_code(states: States, choices: list[int], tie: str, epochs: int) -> tuple[list[np.ndarray], list[int]]:
    """As taught, in plain Python: every w, and the mistakes of every epoch."""
    w = np.zeros(states[0].shape[1])
    path, mistakes = [w], []
    for _ in range(epochs):
        mistakes.append(0)
        for phi, own in zip(states, choices, strict=True):
            scores = [float(w @ f) for f in phi]
            rivals = [a for a in range(len(phi)) if list(phi[a]) != list(phi[own])]
            if tie == "mistake":
                chosen = max(rivals, key=lambda a: scores[a], default=own)
                wrong = chosen != own and scores[chosen] >= scores[own]
            else:
                chosen = scores.index(max(scores))
                wrong = chosen in rivals
            if wrong:
                w = w + phi[own] - phi[chosen]
                path.append(w)
                mistakes[-1] += 1
        if mistakes[-1] == 0:
            break
    return path, mistakes


def fit(states: States, choices: list[int], **parameters: object) -> ChoicePerceptron:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        return ChoicePerceptron(**{"order": "given"} | parameters).fit(states, choices)


@pytest.mark.parametrize("tie", ["mistake", "first"])
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), size=st.integers(1, 5), agreeing=st.booleans())
def test_update_for_update(tie: str, seed: int, size: int, agreeing: bool) -> None:
    states = random_states(seed, n=25, size=size)
    choices = random_choices(states, seed)
    if agreeing:
        states, choices = consistent(seed)
    path, mistakes = pseudo_code(states, choices, tie, 8)
    model = fit(states, choices, tie=tie, max_epochs=8, record=True)
    np.testing.assert_array_equal(model.trajectory_, path)
    assert model.mistakes_.tolist() == mistakes
    assert model.n_updates_ == len(path) - 1 == len(model.update_states_)
    np.testing.assert_array_equal(model.coef_, path[-1])
    assert model.converged_ == (mistakes[-1] == 0)


def test_average_is_the_mean_over_visits() -> None:
    states = random_states(3)
    choices = random_choices(states, 3)
    w, seen = np.zeros(4), []
    for phi, own in [*zip(states, choices, strict=True)] * 3:
        rivals = [a for a in range(len(phi)) if (phi[a] != phi[own]).any()]
        rival = max(rivals, key=lambda a: phi[a] @ w, default=own)
        if rivals and phi[rival] @ w >= phi[own] @ w:
            w = w + phi[own] - phi[rival]
        seen.append(w)
    model = ChoicePerceptron(order="given", average=True, max_epochs=3).fit(states, choices)
    np.testing.assert_allclose(model.coef_, np.mean(seen, axis=0), rtol=1e-13)
    np.testing.assert_array_equal(model.last_coef_, w)


def test_shuffled_order_is_a_permutation_from_the_seed() -> None:
    states = random_states(5)
    choices = random_choices(states, 5)
    order = np.arange(len(states))
    np.random.default_rng(11).shuffle(order)
    shuffled = fit([states[i] for i in order], [choices[i] for i in order], max_epochs=1)
    model = fit(states, choices, order="shuffled", random_state=11, max_epochs=1)
    np.testing.assert_array_equal(model.coef_, shuffled.coef_)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), tie=st.sampled_from(["mistake", "first"]), copies=st.integers(1, 3))
def test_consistent_choices_converge_within_the_bound(seed: int, tie: str, copies: int) -> None:
    states, choices = consistent(seed)
    model = ChoicePerceptron(tie=tie, order="shuffled", random_state=seed, max_epochs=100_000)
    model.fit(states * copies, choices * copies)
    assert model.status_ is Stop.CONVERGED
    assert model.consistency_ is not None
    assert model.consistency_.consistent
    assert model.n_updates_ <= model.consistency_.updates * (1 + 1e-9)
    if model.n_undecided_ == 0:
        assert model.score(states, choices) == 1.0
    # the bound does not depend on the number of states
    assert fit(states, choices).consistency_.updates == pytest.approx(model.consistency_.updates, rel=1e-6)


def test_the_margin_is_the_largest() -> None:
    """Against a plain quadratic program: min ‖w‖² with ⟨w, δ⟩ ≥ 1 has ρ = 1/‖w‖."""
    from scipy.optimize import minimize

    states, choices = consistent(2)
    delta = np.array([s[c] - a for s, c in zip(states, choices, strict=True) for a in s if (a != s[c]).any()])
    model = ChoicePerceptron(max_epochs=10_000).fit(states, choices)
    constraint = {"type": "ineq", "fun": lambda w: delta @ w - 1, "jac": lambda w: delta}
    start = model.coef_ / (delta @ model.coef_).min()
    found = minimize(lambda w: w @ w, start, jac=lambda w: 2 * w, constraints=constraint, method="SLSQP")
    assert found.success
    assert model.consistency_.margin == pytest.approx(1 / np.linalg.norm(found.x), rel=1e-6)
    assert model.consistency_.radius == pytest.approx(np.linalg.norm(delta, axis=1).max())


def test_contradicting_choices_are_recognised() -> None:
    state = np.array([[1.0, 0.0], [0.0, 1.0]])
    with pytest.warns(NotConverged, match="no weights put every choice strictly ahead"):
        model = ChoicePerceptron(max_epochs=5).fit([state, state], [0, 1])
    assert model.consistency_.consistent is False
    assert not model.converged_
    assert "none" in model.summary()


def test_too_few_epochs_say_so() -> None:
    states, choices = consistent(1, n=200)
    with pytest.warns(NotConverged, match="larger max_epochs converges"):
        model = ChoicePerceptron(max_epochs=1).fit(states, choices)
    assert model.status_ is Stop.MAX_EPOCHS


def test_average_does_not_warn_of_mistakes() -> None:
    states = random_states(4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ChoicePerceptron(average=True, max_epochs=3).fit(states, random_choices(states, 4))


def kesler(X: np.ndarray, y: np.ndarray, K: int, epochs: int) -> np.ndarray:
    """K classes by the joint rule, as taught: correct the true class, and the best other one if it is not behind."""
    W = np.zeros((K, X.shape[1]))
    for _ in range(epochs):
        for x, k in zip(X, y, strict=True):
            scores = W @ x
            scores[k] = -np.inf
            wrong = int(scores.argmax())
            if W[wrong] @ x >= W[k] @ x:
                W[k] += x
                W[wrong] -= x
    return W


def test_k_classes_are_choices_with_block_features() -> None:
    """φ(k, x) = e_k ⊗ x: choosing among K classes is Kesler's construction."""
    rng = np.random.default_rng(0)
    K, X, y = 4, rng.choice([-2.0, -1.0, 1.0, 2.0], size=(50, 3)), rng.integers(0, 4, 50)
    model = fit([np.kron(np.eye(K), x) for x in X], y, max_epochs=7)
    np.testing.assert_array_equal(model.coef_.reshape(K, -1), kesler(X, y, K, 7))


def test_partial_fit_is_one_pass_and_goes_on() -> None:
    states = random_states(8)
    choices = random_choices(states, 8)
    whole = fit(states, choices, max_epochs=2, average=True, record=True)
    parts = ChoicePerceptron(order="given", average=True, record=True)
    for _ in range(2):
        parts.partial_fit(states[:15], choices[:15]).partial_fit(states[15:], choices[15:])
    np.testing.assert_array_equal(parts.coef_, whole.coef_)
    np.testing.assert_array_equal(parts.trajectory_, whole.trajectory_)
    assert parts.n_states_ == 2 * len(states)
    assert parts.status_ is Stop.ONE_PASS


def test_equal_actions_are_no_mistakes() -> None:
    twin = np.array([[1.0, 2.0], [1.0, 2.0], [0.0, 0.0]])
    model = ChoicePerceptron().fit([twin], [1])
    assert model.converged_
    assert model.n_undecided_ == 1
    assert "no weights can tell" in model.summary()
    assert model.predict([twin]).tolist() == [0]


def test_more_features_than_actions() -> None:
    rng = np.random.default_rng(0)
    states = [rng.integers(-2, 3, size=(3, 5000)).astype(float) for _ in range(4)]
    path, _ = pseudo_code(states, [0, 1, 2, 0], "mistake", 50)
    model = fit(states, [0, 1, 2, 0], record=True)
    np.testing.assert_array_equal(model.trajectory_, path)
    assert model.consistency_.ceiling == pytest.approx(model.consistency_.margin, rel=1e-9)


def test_an_interruption_keeps_the_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    states = random_states(4)
    choices = random_choices(states, 4)
    two = fit(states, choices, max_epochs=2)
    one_epoch = Walk.epoch

    def impatient(walk: Walk, *arguments: Any) -> int:
        if len(walk.mistakes) == 2:
            raise KeyboardInterrupt
        return one_epoch(walk, *arguments)

    monkeypatch.setattr(Walk, "epoch", impatient)
    with pytest.warns(NotConverged, match="interrupted"):
        model = ChoicePerceptron(order="given").fit(states, choices)
    assert model.status_ is Stop.INTERRUPTED
    np.testing.assert_array_equal(model.coef_, two.coef_)
