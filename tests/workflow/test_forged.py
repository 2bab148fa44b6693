"""Model files forged with a right digest: the clear error where they are loaded, or a model that predicts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linsep import ReadOptions, load, read_table, verify
from linsep.cli.look import coefficients
from linsep.cli.screen import Screen
from linsep.cli.words import show
from linsep.data.sparse_rows import as_scipy
from linsep.errors import InvalidData, InvalidFile, LinsepError
from linsep.export import to_sql
from linsep.report import build_report, render
from linsep.selection import Curve
from linsep.tables import Table
from linsep.workflow.features import EncodingSettings
from linsep.workflow.recipe import Recipe
from linsep.workflow.train import train
from linsep.workflow.trained import Trained, class_labels

WORDS = ("prize", "call now", "see you at home", "été", "a long walk home", "call your prize home")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """A column of every type, each with missing values."""
    rows = [
        f"{i % 11 or ''},{'abc'[i % 3] if i % 7 else ''},{('yes', 'no', '')[i % 3]},"
        f"{f'2024-0{1 + i % 9}-1{i % 8}' if i % 5 else ''},{WORDS[i * 5 % 6]} {WORDS[i * i % 6]} {i},"
        f"{'good' if (i * i) % 7 > 2 else 'bad'}"
        for i in range(80)
    ]
    path = tmp_path_factory.mktemp("forged") / "rows.csv"
    path.write_text("size,kind,member,since,words,class\n" + "\n".join(rows) + "\n")
    return read_table(path, ReadOptions(target="class", schema={"words": "text"}))


def trained(table: Table, words: dict[str, Any]) -> Trained:
    bases = (("radial", ("size",)), ("polynomial", ("size", "size")))
    encoding = EncodingSettings(rare=2, interactions=(("size", "kind"),), bases=bases, words=words)
    model = train(table, Recipe(loss="hinge", alpha=0.1, folds=2, positive="good", cost=(1.0, 5.0)), encoding)
    return replace(
        model, curve=Curve(np.array([1.0, 0.1]), np.array([0.6, 0.5]), np.array([0.1, 0.1]), "5 folds", "loss")
    )


@pytest.fixture(scope="module")
def sound(table: Table) -> Trained:
    return trained(table, {})


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every entry of dicts and the first entries of lists, at any depth."""
    keys = list(value) if isinstance(value, dict) else range(min(2, len(value))) if isinstance(value, list) else ()
    for key in keys:
        yield (*place, key)
        yield from places(value[key], (*place, key))


def used(model: Trained, table: Table) -> None:
    model.score(table)
    coefficients(model)
    show(Screen(json=True), model)


def numbers(record: Any) -> Iterator[tuple[Any, ...]]:
    """The places of all numbers, and of arrays of them."""
    for place in places(record):
        value = value_at(record, place)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number or (isinstance(value, np.ndarray) and value.dtype.kind in "iuf"):
            yield place


def value_at(record: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        record = record[key]
    return record


def with_number(given: Any, number: float) -> Any:
    """The number itself, or the array with the number in its first entry."""
    if not isinstance(given, np.ndarray):
        return number
    changed = np.array(given, dtype=np.float64)
    changed.flat[:1] = number
    return changed


@pytest.mark.filterwarnings("ignore")  # of NumPy, about numbers that overflow
def test_numbers_that_nothing_gives(
    sound: Trained, table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command that opens a model: a sentence, or a result; never a traceback."""
    record = sound.record()
    for place in numbers(record):
        for number in (1e308, 5e-324):
            forged = deepcopy(record)
            inner = value_at(forged, place[:-1])
            inner[place[-1]] = with_number(inner[place[-1]], number)
            monkeypatch.setattr("linsep.storage.read_archive", lambda path, found=forged: ("trained", found))
            try:
                model = load(tmp_path / "forged")
                for use in (used, verified, reported, queried):
                    with suppress(LinsepError):
                        use(model, table)
            except LinsepError:
                continue
            except Exception as problem:
                raise AssertionError(f"{place} = {number}") from problem


def verified(model: Trained, table: Table) -> None:
    X, _ = model.features.transform(table)
    verify(model.model, as_scipy(X), class_labels(table, model.classes, None), table.weights)


def reported(model: Trained, table: Table) -> None:
    render(build_report(model, table))


def queried(model: Trained, table: Table) -> None:
    to_sql(model).query("rows")


@pytest.mark.parametrize(
    ("place", "number", "said"),
    [
        (("features", "learnt", "columns", 0, "median"), np.inf, "median of its NumberEncoder is inf"),
        (("features", "learnt", "columns", 0, "deviation"), 0.0, "which is no float from 4.941e-324"),
        (("features", "learnt", "bases", 1, "parameters", "degree"), 10**9, "a polynomial of degree 1000000000"),
        (("quality", "level"), 1e12, "level of its Quality"),
        (("model", "run", "trace", "step"), np.array([np.inf]), "no sound trained"),
        (("curve", "alpha"), np.zeros(0), "its curve of 0 α"),
        (("model", "provenance", "rows"), 0, "rows of its Origin is 0"),
        (("model", "provenance", "class_factors"), np.array([np.nan, 1.0]), "class_factors of its Origin"),
    ],
)
def test_what_is_said_of_a_number(
    place: tuple[Any, ...], number: Any, said: str, sound: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = deepcopy(sound.record())
    value_at(record, place[:-1])[place[-1]] = number
    monkeypatch.setattr("linsep.storage.read_archive", lambda path: ("trained", record))
    with pytest.raises(InvalidFile, match=said):
        load(tmp_path / "forged")


def test_a_number_too_far_from_training_is_refused_by_its_row(sound: Trained, tmp_path: Path) -> None:
    (tmp_path / "far.csv").write_text("size,kind,member,since,words\n5,a,yes,2024-01-10,x\n1e300,a,yes,2024-01-10,x\n")
    with pytest.raises(InvalidData, match=r"column 'size', row 1: 1e\+300 is more than 1e\+150 standard deviations"):
        sound.score(read_table(tmp_path / "far.csv", ReadOptions(schema=sound.features.encoder.schema_)))


@pytest.mark.parametrize("words", [{}, {"buckets": 8}])
def test_every_entry_of_another_kind(
    words: dict[str, Any], table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = trained(table, words).record()
    instead = (None, -1, 10**12, "x", [], {}, [[1]], True, np.zeros(3), np.array(["a"]))
    for place in places(record):
        for number in range(len(instead) + 1):
            forged = deepcopy(record)
            inner: Any = forged
            for key in place[:-1]:
                inner = inner[key]
            if number < len(instead):
                inner[place[-1]] = instead[number]
            else:
                inner.pop(place[-1])
            monkeypatch.setattr("linsep.storage.read_archive", lambda path, found=forged: ("trained", found))
            try:
                used(load(tmp_path / "forged"), table)
            except LinsepError:
                continue
            except Exception as problem:
                raise AssertionError(f"{place} = {instead[number : number + 1]}") from problem


@pytest.mark.parametrize(
    ("name", "forge", "said"),
    [
        ("idf", lambda array: array[:3], "do not fit"),
        ("document_frequency", lambda array: array[:3], "do not fit"),
        ("offsets", lambda array: array * 1000, "do not begin and end"),
        ("offsets", lambda array: np.concatenate([array[:3], array[2:]]), "do not fit"),
        ("words", lambda array: np.full_like(array, 0x80), "one behind the other"),
        ("words", lambda array: np.full_like(array, 0xFF), "utf-8"),
    ],
)
def test_words_that_would_be_read_beyond_their_end(
    name: str, forge: Any, said: str, sound: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = deepcopy(sound.record())
    bag = record["features"]["learnt"]["columns"][-1]["bag"]
    bag[name] = forge(bag[name])
    monkeypatch.setattr("linsep.storage.read_archive", lambda path: ("trained", record))
    with pytest.raises(InvalidFile, match=said):
        load(tmp_path / "forged")
