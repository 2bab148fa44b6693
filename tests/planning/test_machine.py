"""The cache of speeds: read if it is of this machine, measured again if not, no error where it cannot be kept."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from linsep.planning import machine
from linsep.planning.work import UNITS


class Counted:
    """A measurement that counts how often it is made."""

    times = 0

    def __call__(self, threads: int) -> np.ndarray:
        self.times += 1
        return np.arange(1.0, 8.0) * 1e-9 / threads


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Counted:
    monkeypatch.setenv("LINSEP_CACHE", str(tmp_path / "cache"))
    measure = Counted()
    monkeypatch.setattr(machine, "measure", measure)
    return measure


def fresh(threads: int = 1) -> np.ndarray:
    """As a new process would ask."""
    machine.speeds.cache_clear()
    found = machine.speeds(threads)
    machine.speeds.cache_clear()
    return found


def test_measured_once_and_kept(counted: Counted) -> None:
    first, second = fresh(), fresh()
    assert counted.times == 1
    assert np.array_equal(first, second)
    record = json.loads(machine.cache_file().read_text())
    assert record["identity"]["cores"] >= 1
    assert set(record["seconds"]["1"]) == set(UNITS)


def test_every_number_of_threads_has_speeds_of_its_own(counted: Counted) -> None:
    for _ in range(2):
        for threads in (1, 2, 4):
            assert np.array_equal(fresh(threads), Counted()(threads))
    assert counted.times == 3


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[:20],
        lambda text: "",
        lambda text: "[1, 2]",
        lambda text: text.replace('"1": {', '"one": {'),
        lambda text: text[: text.index('"seconds"')] + '"seconds": 3}',
        lambda text: text.replace('"cores"', '"cold"'),
        lambda text: text.replace("1e-09", "-1"),
        lambda text: text.replace("1e-09", "NaN"),
        lambda text: text.replace("1e-09", '"fast"'),
        lambda text: text.replace('"format": 2', '"format": 1'),
    ],
)
def test_what_is_spoilt_or_of_another_machine_is_measured_again(counted: Counted, spoil: object) -> None:
    fresh()
    path = machine.cache_file()
    path.write_text(spoil(path.read_text()))  # type: ignore[operator]
    assert np.array_equal(fresh(), Counted()(1))
    assert counted.times == 2
    fresh()
    assert counted.times == 2


def test_bytes_that_are_no_text(counted: Counted) -> None:
    machine.cache_file().parent.mkdir(parents=True)
    machine.cache_file().write_bytes(b"\xff\xfe\x00")
    assert len(fresh()) == len(UNITS)


def test_where_nothing_can_be_written_it_lasts_for_the_process(
    counted: Counted, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("not a directory")
    monkeypatch.setenv("LINSEP_CACHE", str(tmp_path / "file" / "below"))
    machine.speeds.cache_clear()
    machine.speeds(1)
    machine.speeds(1)
    machine.speeds.cache_clear()
    assert counted.times == 1


def test_the_cache_is_where_the_system_has_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("LINSEP_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert machine.cache_file() == tmp_path / "linsep" / "speeds.json"


def test_a_measurement_has_seconds_for_every_unit() -> None:
    found = machine.measure(1)
    assert found.shape == (len(UNITS),)
    assert (found > 0.0).all()
