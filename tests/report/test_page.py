"""The page: well-formed, self-contained, escaped, accessible."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris

from linsep import LinearSVM, LogisticRegression
from linsep.report import build_report, render, report
from linsep.report.blocks import (
    Callout,
    Chip,
    Chips,
    Grid,
    LineChart,
    Mark,
    Paragraph,
    Report,
    Section,
    Series,
    Tone,
)  # fmt: skip
from linsep.report.html import text
from linsep.report.line_chart import draw
from tests.report.cases import (
    EMOJI,
    HEBREW,
    HOSTILE,
    LONG,
    QUOTES,
    Balance,
    fresh,
    hostile,
    hostile_report,
    many_report,
)


def _hostile() -> str:
    return render(hostile_report())


def _fresh() -> str:
    return render(build_report(hostile()[0], fresh()))


def _many() -> str:
    return render(many_report())


def _estimator() -> str:
    X, y = load_breast_cancer(return_X_y=True)
    return LogisticRegression(alpha=0.01).fit(X, y).report(X, y)


def _margins_only() -> str:
    X, y = load_iris(return_X_y=True)
    return report(LinearSVM(alpha=0.01).fit(X, y), X[::2], y[::2])


PAGES: dict[str, Callable[[], str]] = {
    "training rows": _hostile,
    "other rows": _fresh,
    "forty classes": _many,
    "estimator": _estimator,
    "no probabilities": _margins_only,
}


@pytest.fixture(scope="module", params=PAGES)
def page(request: pytest.FixtureRequest) -> str:
    return PAGES[request.param]()


def test_is_well_formed(page: str) -> None:
    assert Balance(page).faults == []


def test_loads_and_runs_nothing(page: str) -> None:
    found = Balance(page)
    assert not found.of("script")
    assert not re.search(r"(?:src|href|action|data|poster|srcset)\s*=\s*[\"']?\s*(?:https?:|//)", page)
    assert "@import" not in page
    assert "url(" not in page
    links = [a["href"] for name, a in found.elements if "href" in a]
    assert all(link is not None and (link.startswith("#") or link == "data:,") for link in links)
    assert not [name for _, attributes in found.elements for name in attributes if name.startswith("on")]
    assert len(page.encode()) < 1_000_000


def test_can_be_read_by_everybody(page: str) -> None:
    found = Balance(page)
    (root,) = found.of("html")
    assert root["lang"] == "en"
    levels = [int(name[1]) for name, _ in found.elements if re.fullmatch("h[1-6]", name)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    names = [name for name, _ in found.elements]
    charts = [i for i, name in enumerate(names) if name == "svg"]
    assert charts
    assert all(names[i + 1] == "title" and names[i + 2] == "desc" for i in charts)
    assert names.count("figure") == names.count("figcaption") == len(charts)
    ids = [a["id"] for _, a in found.elements if "id" in a]
    assert len(ids) == len(set(ids))
    assert {f"#{i}" for i in ids} >= {a["href"] for a in found.of("a")}
    assert all(a.get("scope") in ("col", "row") for a in found.of("th"))


def test_says_no_nonsense(page: str) -> None:
    words = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    for nonsense in ("nan", "NaN", "inf,", "None", "Traceback", "array("):
        assert not re.search(rf"\b{re.escape(nonsense)}\b", Balance(words).text), nonsense
    assert not re.search(r"=\"(?:nan|inf|-inf)", page)


@pytest.mark.parametrize("name", [HOSTILE, QUOTES, EMOJI, HEBREW])
def test_names_come_out_as_they_went_in(name: str) -> None:
    found = Balance(_hostile())
    assert name in found.text
    assert LONG in found.text
    assert not found.of("script")


@given(st.text(), st.text(), st.text())
def test_any_text_is_text(title: str, words: str, cell: str) -> None:
    blocks = (
        Paragraph(words),
        Callout(Tone.NOTE, title, (cell,)),
        Grid(title, (words, cell), ((cell, Chips((Chip(words),), title)),)),
    )
    found = Balance(render(Report(title, words, (Section("a", cell, blocks),))))
    assert found.faults == []
    assert {name for name, _ in found.elements} <= {
        *(
            "html",
            "head",
            "meta",
            "link",
            "title",
            "style",
            "body",
            "div",
            "header",
            "h1",
            "p",
            "bdi",
            "nav",
            "ol",
            "li",
        ),
        *("a", "main", "section", "h2", "strong", "table", "caption", "thead", "tr", "th", "tbody", "td", "span"),
        "footer",
    }


def marked(*places: float) -> tuple[list[float], list[tuple[float, float]]]:
    """The lines of marks in a chart, and where the words of each begin and end; a letter is at most 7 wide."""
    line = np.linspace(0.0, 10.0, 5)
    marks = tuple(Mark(place, "in use") for place in places)
    drawn = draw(LineChart("t", "d", "x", "y", (Series("s", line, line),), marks=marks))
    lines = [float(x) for x in re.findall(r'<line x1="([\d.]+)"[^>]*class="mark"', drawn)]
    words = re.findall(r'<text x="([\d.]+)"[^>]*class="note" text-anchor="(\w+)"', drawn)
    begins = [float(x) - (42 if anchor == "end" else 0) for x, anchor in words]
    return lines, [(begin, begin + 42) for begin in begins]


@pytest.mark.parametrize("places", [(2.0, 2.9), (2.9, 2.0), (4.0, 6.0), (5.0,), (1.5, 1.6), (8.4, 8.3)])
def test_no_line_goes_through_the_words_of_another(places: tuple[float, ...]) -> None:
    lines, words = marked(*places)
    assert len(lines) == len(words) == len(places)
    assert not any(begin < line < end for begin, end in words for line in lines)


@pytest.mark.parametrize("places", [(0.0,), (10.0,), (0.1, 0.2), (9.9, 9.8), (0.0, 10.0)])
def test_words_stay_beside_the_axis_and_within_the_picture(places: tuple[float, ...]) -> None:
    assert all(begin >= 46 and end <= 400 for begin, end in marked(*places)[1])


def test_a_long_name_breaks_after_its_parts() -> None:
    name = "balance_not_updated_after_bank_transfer"
    page = render(Report("t", "s", (Section("one", "One", (Grid("c", ("a", "b"), ((name, "a_b"),)),)),)))
    assert "balance_<wbr>not_<wbr>updated_<wbr>after_<wbr>bank_<wbr>transfer" in page
    assert "a_b" in page


def test_characters_that_html_has_no_place_for() -> None:
    assert text("a\x00b\x0bc\ud800d") == "a\ufffdb\ufffdc\ufffdd"
    render(Report("\ud800", "", ())).encode("utf-8")


def test_same_input_same_page() -> None:
    assert render(build_report(*hostile())) == _hostile()


def test_numbers_of_rows_are_numbers() -> None:
    """Every quality measure of the page is one that `measure` gives."""
    trained, made = hostile()[0], hostile_report()
    section = made.section("overview")
    assert section is not None
    assert trained.quality is not None
    accuracy = trained.quality.measures["accuracy"].value
    assert f"{100.0 * accuracy:.1f}%" in Balance(render(made)).text
    assert np.isfinite(accuracy)
