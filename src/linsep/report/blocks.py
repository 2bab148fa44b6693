"""What a report is made of: plain values without a word of HTML.

A report is a list of sections, a section a list of blocks. Every string is text as it is: whoever draws it escapes it,
in one place, so that a column called <script> is a column called <script>.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from linsep.types import FloatArray


class Tone(Enum):
    """How something is meant; the value is the name of its class in the style sheet."""

    PLAIN = "plain"
    NOTE = "note"
    GOOD = "good"
    CAUTION = "caution"
    SERIOUS = "serious"


@dataclass(frozen=True)
class Chip:
    """A few words in a frame; up: it speaks for what the table says, down: against it, None: neither."""

    text: str
    up: bool | None = None


@dataclass(frozen=True)
class Chips:
    """A cell of chips; text: a line above them."""

    chips: tuple[Chip, ...]
    text: str = ""


@dataclass(frozen=True)
class Meter:
    """A cell with a bar: share from −1 to 1 of the widest, and the number in words."""

    text: str
    share: float


Cell: TypeAlias = str | Chips | Meter


@dataclass(frozen=True)
class Grid:
    """A table. numeric: the columns that hold numbers; caption: what it is, for those who cannot see it too."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    numeric: frozenset[int] = frozenset()


@dataclass(frozen=True, eq=False)
class Series:
    """A line y(x), with the ends of its interval where it has one; points: marked one by one."""

    label: str
    x: FloatArray
    y: FloatArray
    low: FloatArray | None = None
    high: FloatArray | None = None
    points: bool = False


@dataclass(frozen=True)
class Mark:
    """An upright line at x with a word."""

    x: float
    label: str


@dataclass(frozen=True, eq=False)
class LineChart:
    """Lines over one pair of axes. diagonal: what chance, or perfection, would look like, in words; "" for none."""

    title: str
    description: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    x_log: bool = False
    diagonal: str = ""
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True)
class Bar:
    """A number with a name, and the ends of its interval where it has one."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class BarChart:
    """Bars from 0, a line each."""

    title: str
    description: str
    value_label: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, eq=False)
class HeatMap:
    """Counts of rows (down) and columns (across), coloured by their share of the row."""

    title: str
    description: str
    row_label: str
    column_label: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: FloatArray
    shares: FloatArray


Chart: TypeAlias = LineChart | BarChart | HeatMap


@dataclass(frozen=True, eq=False)
class Figure:
    """A chart, what to see in it, and the same as a table."""

    chart: Chart
    caption: str
    table: Grid


@dataclass(frozen=True)
class Paragraph:
    text: str


@dataclass(frozen=True)
class Heading:
    """Within a section."""

    text: str


@dataclass(frozen=True)
class Code:
    """Lines to be copied."""

    text: str


@dataclass(frozen=True)
class Callout:
    """What must not be overlooked."""

    tone: Tone
    title: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Facts:
    """Titles and sentences."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Card:
    """A number one should know: what it is, its value, a line below."""

    label: str
    value: str
    detail: str = ""
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True)
class Cards:
    cards: tuple[Card, ...]


@dataclass(frozen=True)
class Bullets:
    lines: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Beside:
    """Blocks side by side where there is room."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True, eq=False)
class Folded:
    """Blocks that are shown on demand."""

    summary: str
    blocks: tuple[Block, ...]


Block: TypeAlias = Paragraph | Heading | Code | Callout | Facts | Cards | Bullets | Grid | Figure | Beside | Folded


@dataclass(frozen=True, eq=False)
class Section:
    """name: for links within the page."""

    name: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, eq=False)
class Report:
    title: str
    subtitle: str
    sections: tuple[Section, ...] = field(default=())

    def section(self, name: str) -> Section | None:
        return next((each for each in self.sections if each.name == name), None)
