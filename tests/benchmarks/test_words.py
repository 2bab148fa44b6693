"""The texts of the benchmark, and that both sides make the same matrix of them."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import small, words


@pytest.mark.parametrize("name", words.ROWS)
def test_both_sides_give_the_same_matrix(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "texts", lambda: ["some words here", "words é again, words", "other words"])
    theirs, ours = (call() for call in words.calls(name, 2, small.PEER).values())
    np.testing.assert_allclose(ours.toarray(), theirs.toarray(), rtol=1e-14)
    assert name in small.SMALL


def test_spelling_is_one_to_one() -> None:
    spelled = [words._spell(rank) for rank in range(5000)]
    assert len(set(spelled)) == len(spelled)
    assert min(map(len, spelled)) >= 2
