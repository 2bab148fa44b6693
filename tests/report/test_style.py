"""Colours that can be told from what they stand on, light and dark: WCAG's contrast, 4.5 for text and 3 for lines."""

from __future__ import annotations

import pytest

from linsep.report.heat_map import DENSE, FAINT
from linsep.report.style import COLOURS, style_sheet

TEXT = ("text", "quiet", "link", "good", "caution", "serious", "c1", "c2")
LINES = ("c1", "c2", "c3", "c4", "c5")


def luminance(rgb: tuple[float, float, float]) -> float:
    linear = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[i : i + 2], 16) / 255.0 for i in (1, 3, 5))
    return red, green, blue


def contrast(a: tuple[float, float, float], b: tuple[float, float, float]) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def over(colour: str, page: str, share: float) -> tuple[float, float, float]:
    red, green, blue = (share * a + (1.0 - share) * b for a, b in zip(rgb(colour), rgb(page), strict=True))
    return red, green, blue


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["page", "raised"])
def test_text_can_be_read(mode: int, ground: str) -> None:
    for name in TEXT:
        assert contrast(rgb(COLOURS[name][mode]), rgb(COLOURS[ground][mode])) >= 4.5, name
    for name in LINES:
        assert contrast(rgb(COLOURS[name][mode]), rgb(COLOURS[ground][mode])) >= 3.0, name


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("colour", ["c1", "c2"])
def test_numbers_on_squares_can_be_read(mode: int, colour: str) -> None:
    for share in (FAINT, 0.5 * DENSE, DENSE):
        square = over(COLOURS[colour][mode], COLOURS["page"][mode], share)
        assert contrast(rgb(COLOURS["text"][mode]), square) >= 4.5, share


def test_every_colour_is_one_of_the_list() -> None:
    rules = style_sheet().split("\n", 2)[2]
    used = {part.split(")")[0] for part in rules.split("var(--")[1:]}
    assert used - {"c"} <= set(COLOURS)
    assert "#" not in rules.replace("#{", "")
    assert rules.count("{") == rules.count("}")
