"""The worked example: the figures it promises, in gardens that the learner has not seen."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

EXAMPLES = str(Path(__file__).parents[2] / "examples")


@pytest.fixture(scope="module")
def game() -> ModuleType:
    sys.path.insert(0, EXAMPLES)
    try:
        import grid_game
    finally:
        sys.path.remove(EXAMPLES)
    return grid_game


@pytest.mark.parametrize("variant", ["perceptron", "logistic"])
def test_the_learner_plays_almost_like_the_expert(game: ModuleType, variant: str) -> None:
    report = game.teach(variant, games=100, seed=3)
    assert report.unseen > 3000
    assert report.agreement >= 0.9
    assert report.wins["expert"] >= 0.85
    assert report.wins["learner"] >= report.wins["expert"] - 0.1
    assert report.wins["random steps"] <= 0.1


def test_the_same_seed_is_the_same_game(game: ModuleType) -> None:
    first, second = (game.play_many(game.expert, 3, 5, unseen=True) for _ in range(2))
    assert [g.actions for g in first] == [g.actions for g in second]
    assert first[0].actions != game.play_many(game.expert, 1, 6, unseen=True)[0].actions


def test_chances_are_chances_and_fall_with_time(game: ModuleType) -> None:
    garden = game.play_many(game.expert, 1, 0, unseen=False)[0].states[0].garden
    for sooner, later in zip(garden.survival[:-1], garden.survival[1:], strict=True):
        assert later.min() >= 0.0
        assert (later <= sooner + 1e-12).all()
    np.testing.assert_allclose(garden.survival[4], garden.survival[4].transpose(0, 2, 1), atol=1e-12)


def test_what_is_seen_has_a_name_each(game: ModuleType) -> None:
    state = game.play_many(game.expert, 1, 0, unseen=False)[0].states[0]
    assert all(len(row) == len(game.FEATURES) for row in game.seen(state).values())


def test_the_command_reports(
    game: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["grid_game.py", "--games", "12", "--show"])
    game.main()
    out = capsys.readouterr().out
    assert "agreement" in out
    assert "turn 1:" in out
    assert all(name in out for name in game.FEATURES)
