"""Elements of HTML and SVG as text. Whatever was not made here is escaped here."""

from __future__ import annotations

import re
from html import escape

#: Characters that HTML has no place for, and halves of characters that UTF-8 cannot hold.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def text(words: str) -> Markup:
    """Words as they are, safe in an element or an attribute."""
    return words if isinstance(words, Markup) else Markup(escape(_FORBIDDEN.sub("\ufffd", words), quote=True))


def isolated(words: str) -> Markup:
    """Words of the user, whichever way they are written: they do not turn what stands around them."""
    return words if isinstance(words, Markup) else Markup(f"<bdi>{text(words)}</bdi>")


def tag(name: str, *children: str, **attributes: str | float | None) -> Markup:
    """An element; `class_` and `stroke_width` are class and stroke-width, None is left out."""
    inner = "".join(map(text, children))
    return Markup(f"<{name}{_attributes(attributes)}>{inner}</{name}>")


def _attributes(given: dict[str, str | float | None]) -> str:
    return "".join(
        f' {name.rstrip("_").replace("_", "-")}="{text(_plain(value))}"'
        for name, value in given.items()
        if value is not None
    )


def _plain(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"


def joined(*parts: str) -> Markup:
    return Markup("".join(map(text, parts)))
