"""Plans of the tests do not measure the machine: a unit of each kind has seconds of its own."""

from __future__ import annotations

import numpy as np
import pytest

from linsep.planning import plan

SPEEDS = np.array([3e-4, 3e-9, 7e-10, 2e-9, 8e-11, 1e-9, 2e-11])


@pytest.fixture(autouse=True)
def speeds(monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    monkeypatch.setattr(plan, "speeds", lambda _: SPEEDS)
    return SPEEDS
