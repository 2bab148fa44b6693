"""Costs move the threshold to where a false alarm and a miss cost the same on average."""

from __future__ import annotations

import numpy as np
import pytest

from linsep.errors import InvalidParameter, Refused
from linsep.workflow.decision import Decision, decide

CLASSES = np.array(["no", "yes"])


def test_threshold_minimises_the_mean_cost() -> None:
    rng = np.random.default_rng(0)
    p = rng.uniform(size=20_000)
    truth = rng.uniform(size=20_000) < p  # probabilities that are right
    decision = decide(CLASSES, "yes", (1.0, 9.0))
    assert decision.threshold == pytest.approx(0.1)

    def cost(threshold: float) -> float:
        taken = p > threshold
        return float((1.0 * (taken & ~truth) + 9.0 * (~taken & truth)).mean())

    assert min(np.linspace(0.01, 0.99, 99), key=cost) == pytest.approx(0.1, abs=0.04)


def test_the_positive_class_may_be_the_first() -> None:
    both = np.column_stack([[0.3, 0.05], [0.7, 0.95]])
    decision = decide(CLASSES, "no", (1.0, 4.0))
    np.testing.assert_array_equal(decision.classes(np.array([1, 1]), both), [0, 1])


def test_without_costs_the_model_decides() -> None:
    predicted = np.array([0, 1, 1])
    np.testing.assert_array_equal(decide(CLASSES, None, None).classes(predicted, None), predicted)


def test_what_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="nearest is 'yes'"):
        decide(CLASSES, "yess", None)
    with pytest.raises(Refused, match="between two classes"):
        decide(np.array(["a", "b", "c"]), "a", (1.0, 2.0))
    with pytest.raises(InvalidParameter, match="positive class"):
        decide(CLASSES, None, (1.0, 2.0))


def test_record_round_trip() -> None:
    for decision in (decide(CLASSES, "no", (1.0, 4.0)), decide(CLASSES, None, None)):
        assert Decision.from_record(decision.record()) == decision
