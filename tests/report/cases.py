"""Small tables, trained once, that the tests report on."""

from __future__ import annotations

from functools import cache
from html.parser import HTMLParser
from typing import Any

import numpy as np
import polars as pl

from linsep.features.frames import schema_of
from linsep.report import Report, build_report
from linsep.tables import ColumnType, Table
from linsep.workflow.recipe import Recipe
from linsep.workflow.train import train
from linsep.workflow.trained import Trained

#: What users call things: nothing of it may become markup, or turn the page around.
HOSTILE = '<script>alert("x")</script>'
QUOTES = "a\"b'c&amp;<!--"
EMOJI = "🦜 mood"
HEBREW = "שם \u202e of"
LONG = "a_name_without_any_place_to_break_" * 6


def table_of(frame: pl.DataFrame, target: str, types: dict[str, ColumnType] | None = None) -> Table:
    schema = schema_of(frame, frame).with_types({target: ColumnType.TARGET, **(types or {})}, "as the test says")
    return Table(schema, frame, sources=("folder/rows.csv",), notes=("folder/rows.csv was read by a test",))


def hostile_frame(n: int = 240, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.normal(40.0, 12.0, n)
    level = rng.choice([HOSTILE, QUOTES, HEBREW], n)
    text = np.where(rng.random(n) < 0.5, f"good {HOSTILE} deal", "meeting tomorrow שלום")
    score = 0.08 * (age - 40.0) + (level == HOSTILE) + np.char.startswith(text.astype(str), "good") - 0.7
    label = np.where(score + rng.logistic(size=n) > 0.0, HOSTILE, QUOTES)
    values: dict[str, Any] = {HOSTILE: age, EMOJI: level, LONG: text, "y": label}
    return pl.DataFrame(values)


@cache
def hostile() -> tuple[Trained, Table]:
    """Two classes, a number, a category and a text, all with hostile names."""
    table = table_of(hostile_frame(), "y", {LONG: ColumnType.TEXT, EMOJI: ColumnType.CATEGORY})
    return train(table, Recipe(cost=(1.0, 3.0), positive=HOSTILE)), table


def fresh() -> Table:
    """Other rows for the same model."""
    return table_of(hostile_frame(90, seed=1), "y", {LONG: ColumnType.TEXT, EMOJI: ColumnType.CATEGORY})


@cache
def many_classes() -> tuple[Trained, Table]:
    """Forty classes."""
    rng = np.random.default_rng(2)
    codes = np.repeat(np.arange(40), 12)
    points = rng.normal(size=(40, 5))[codes] + 0.6 * rng.normal(size=(480, 5))
    labels = np.array([f"class number {k} with a rather long name" for k in codes])
    frame = pl.DataFrame({**{f"x{j}": points[:, j] for j in range(5)}, "kind": labels})
    table = table_of(frame, "kind")
    return train(table, Recipe(alpha=1e-2)), table


@cache
def hostile_report() -> Report:
    return build_report(*hostile())


@cache
def many_report() -> Report:
    return build_report(*many_classes())


class Balance(HTMLParser):
    """Checks that elements are closed in the order in which they were opened, and collects what a page holds."""

    VOID = frozenset({"meta", "link", "br", "hr", "img", "input", "wbr"})

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.faults: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()
        self.faults += [f"<{name}> is not closed" for name in self.open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> at {self.getpos()} closes another element")

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]
