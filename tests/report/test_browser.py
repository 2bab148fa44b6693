"""The page in a real browser: phones and desks, light and dark, and paper."""

from __future__ import annotations

import re

import pytest

from linsep.report import render
from linsep.report.style import COLOURS
from tests.report.browser import Browser, find_browser
from tests.report.cases import hostile_report, many_report

PHONE, DESK = (360, 800), (1280, 900)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    return find_browser(tmp_path_factory.mktemp("browser"))


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return {"hostile": render(hostile_report()), "forty": render(many_report())}


def rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[i : i + 2], 16)) for i in (1, 3, 5))})"


@pytest.mark.parametrize(
    ("name", "size", "dark"),
    [("hostile", PHONE, False), ("hostile", DESK, True), ("forty", PHONE, True), ("forty", DESK, False)],
)
def test_fits_the_screen(browser: Browser, pages: dict[str, str], name: str, size: tuple[int, int], dark: bool) -> None:
    opened = pages[name].replace("<details>", "<details open>")
    found = browser.measured(opened, size, dark=dark)
    assert found["wide"] == size[0]
    assert found["scroll"] <= size[0]
    assert found["beyond"] == []
    assert found["loaded"] == []
    assert found["chips"]
    assert size == DESK or max(found["chips"]) <= size[0]  # on a phone they stand below their row, not beside it
    assert size == DESK or max(found["captions"]) <= size[0]  # also above a table that is wider than the phone
    assert min(found["charts"]) > 200
    assert found["background"] == rgb(COLOURS["page"][dark])
    assert found["colour"] == rgb(COLOURS["text"][dark])


def test_prints(browser: Browser, pages: dict[str, str]) -> None:
    paper = browser.printed(pages["hostile"])
    assert paper.startswith(b"%PDF")
    assert 3 <= len(re.findall(rb"/Type\s*/Page\b", paper)) <= 30
