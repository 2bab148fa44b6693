"""What several files of these tests need."""

from __future__ import annotations

import sys

import pytest

from linsep.separability.wide import decide_wide


@pytest.fixture
def unsolved(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a system in integers would be too much work: floating point has the last word, with its residual."""
    monkeypatch.setattr(sys.modules[decide_wide.__module__], "_SOLVED", 0)
