"""Model files forged with a right digest: the clear error where they are loaded, or a model that predicts."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linsep import ReadOptions, load, read_table
from linsep.cli.look import coefficients
from linsep.cli.screen import Screen
from linsep.cli.words import show
from linsep.errors import InvalidFile, LinsepError
from linsep.tables import Table
from linsep.workflow.features import EncodingSettings
from linsep.workflow.recipe import Recipe
from linsep.workflow.train import train
from linsep.workflow.trained import Trained

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
    encoding = EncodingSettings(rare=2, interactions=(("size", "kind"),), words=words)
    return train(table, Recipe(alpha=0.1, positive="good", cost=(1.0, 5.0)), encoding)


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
    name: str, forge: Any, said: str, table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = deepcopy(trained(table, {}).record())
    bag = record["features"]["learnt"]["columns"][-1]["bag"]
    bag[name] = forge(bag[name])
    monkeypatch.setattr("linsep.storage.read_archive", lambda path: ("trained", record))
    with pytest.raises(InvalidFile, match=said):
        load(tmp_path / "forged")
