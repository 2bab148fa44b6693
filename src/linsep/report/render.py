"""A report as one HTML page: each kind of block has a function and a line in `DRAWN`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linsep.report import bar_chart, blocks, heat_map, line_chart
from linsep.report.html import Markup, isolated, joined, tag, text
from linsep.report.style import style_sheet

#: Letters from which a cell is given the width of a sentence.
_LONG = 28


def render(report: blocks.Report) -> str:
    """The page: no network, no script."""
    head = tag(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="color-scheme" content="light dark">'),
        Markup('<meta name="referrer" content="no-referrer">'),
        Markup('<link rel="icon" href="data:,">'),
        tag("title", report.title),
        tag("style", Markup(style_sheet())),
    )
    header = tag("header", tag("h1", isolated(report.title)), tag("p", isolated(report.subtitle), class_="subtitle"))
    links = (tag("li", tag("a", each.title, href=f"#{each.name}")) for each in report.sections)
    contents = tag("nav", tag("ol", *links), aria_label="Contents")
    main = tag("main", *map(_section, report.sections))
    footer = tag("footer", "Made with linsep. The page is complete in itself: it loads nothing and runs nothing.")
    body = tag("body", tag("div", header, tag("div", contents, main, class_="columns"), footer, class_="layout"))
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _section(section: blocks.Section) -> Markup:
    title = f"{section.name}-title"
    heading = tag("h2", section.title, id=title)
    return tag("section", heading, *map(draw, section.blocks), id=section.name, aria_labelledby=title)


def draw(block: blocks.Block) -> Markup:
    return DRAWN[type(block)](block)


def _paragraph(block: blocks.Paragraph) -> Markup:
    return tag("p", isolated(block.text))


def _heading(block: blocks.Heading) -> Markup:
    return tag("h3", isolated(block.text))


def _code(block: blocks.Code) -> Markup:
    return tag("pre", tag("code", block.text), tabindex="0")


def _callout(block: blocks.Callout) -> Markup:
    lines = (tag("p", isolated(line)) for line in block.lines)
    return tag("div", tag("strong", isolated(block.title)), *lines, class_=f"callout {block.tone.value}", role="note")


def _facts(block: blocks.Facts) -> Markup:
    return tag("dl", *(joined(tag("dt", title), tag("dd", isolated(words))) for title, words in block.pairs))


def _cards(block: blocks.Cards) -> Markup:
    return tag("div", *map(_card, block.cards), class_="cards")


def _card(card: blocks.Card) -> Markup:
    parts = [tag("div", card.label, class_="what"), tag("div", isolated(card.value), class_="value")]
    parts += [tag("div", isolated(card.detail), class_="detail")] if card.detail else []
    return tag("div", *parts, class_=f"card {card.tone.value}")


def _bullets(block: blocks.Bullets) -> Markup:
    return tag("ul", *(tag("li", isolated(line)) for line in block.lines))


def _grid(block: blocks.Grid) -> Markup:
    header = (tag("th", isolated(name), scope="col", class_=_kind("", j, block)) for j, name in enumerate(block.header))
    rows = (tag("tr", *(_field(cell, j, block) for j, cell in enumerate(row))) for row in block.rows)
    table = tag("table", tag("caption", isolated(block.caption)), tag("thead", tag("tr", *header)), tag("tbody", *rows))
    return tag("div", table, class_="box", tabindex="0", role="region", aria_label=block.caption)


def _field(cell: blocks.Cell, place: int, block: blocks.Grid) -> Markup:
    """The first of a row is its heading."""
    kind = _kind(cell, place, block)
    return tag("td", _cell(cell), class_=kind) if place else tag("th", _cell(cell), scope="row", class_=kind)


def _kind(cell: blocks.Cell, place: int, block: blocks.Grid) -> str | None:
    """Numbers stand at the right; long words get the width of a sentence, however narrow the screen."""
    if place in block.numeric:
        return "number"
    return "long" if isinstance(cell, str) and len(cell) > _LONG else None


def _cell(cell: blocks.Cell) -> Markup:
    if isinstance(cell, str):  # a long name may go on below after any of its parts
        return Markup(isolated(cell).replace("_", "_<wbr>")) if len(cell) > _LONG else isolated(cell)
    if isinstance(cell, blocks.Meter):
        filled = tag("i", style=f"width: {100.0 * min(abs(cell.share), 1.0):.0f}%")
        return joined(text(cell.text), tag("span", filled, class_="meter down" if cell.share < 0.0 else "meter"))
    above = tag("div", isolated(cell.text), class_="quote") if cell.text else Markup("")
    return joined(above, tag("div", *map(_chip, cell.chips), class_="chips") if cell.chips else "")


def _chip(chip: blocks.Chip) -> Markup:
    side = {True: "chip up", False: "chip down", None: "chip"}[chip.up]
    return tag("span", isolated(chip.text), class_=side)


def _figure(block: blocks.Figure) -> Markup:
    chart = tag("div", CHARTS[type(block.chart)](block.chart), class_="scroll", tabindex="0")
    caption = tag("figcaption", tag("strong", isolated(block.chart.title)), isolated(block.caption))
    table = tag("details", tag("summary", "The same as a table"), _grid(block.table))
    return tag("figure", caption, chart, table)


def _beside(block: blocks.Beside) -> Markup:
    return tag("div", *map(draw, block.blocks), class_="beside")


def _folded(block: blocks.Folded) -> Markup:
    return tag("details", tag("summary", isolated(block.summary)), *map(draw, block.blocks))


CHARTS: dict[type, Callable[[Any], Markup]] = {
    blocks.LineChart: line_chart.draw,
    blocks.BarChart: bar_chart.draw,
    blocks.HeatMap: heat_map.draw,
}

DRAWN: dict[type, Callable[[Any], Markup]] = {
    blocks.Paragraph: _paragraph,
    blocks.Heading: _heading,
    blocks.Code: _code,
    blocks.Callout: _callout,
    blocks.Facts: _facts,
    blocks.Cards: _cards,
    blocks.Bullets: _bullets,
    blocks.Grid: _grid,
    blocks.Figure: _figure,
    blocks.Beside: _beside,
    blocks.Folded: _folded,
}
