"""Numbers as people read them."""

from __future__ import annotations

from math import floor, isfinite, isnan, log10

MINUS = "−"
#: What stands where there is no number.
NOTHING = "–"


def number(value: float, digits: int = 4) -> str:
    """A number with so many significant digits: 12,345; 0.01234; 1.2 × 10⁻⁹."""
    if isnan(value):
        return NOTHING
    if not isfinite(value):
        return f"{MINUS if value < 0 else ''}∞"
    if value == 0.0:
        return "0"
    power = floor(log10(abs(value)))
    if power < -4 or power >= 9:
        return _scientific(value, digits)
    places = max(digits - 1 - power, 0)
    text = f"{value:,.{places}f}"
    return _signed(text.rstrip("0").rstrip(".") if "." in text else text)


def _scientific(value: float, digits: int) -> str:
    mantissa, exponent = f"{value:.{max(digits - 1, 0)}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    raised = str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return _signed(f"{mantissa} × 10{raised}")


def _signed(text: str) -> str:
    return text.replace("-", MINUS)


def signed(value: float, digits: int = 3) -> str:
    """With its sign, whichever it is."""
    return ("+" if value > 0.0 else "") + number(value, digits)


def percent(share: float, places: int = 1) -> str:
    """0.8514 → 85.1%"""
    return NOTHING if isnan(share) else _signed(f"{100.0 * share:.{places}f}%")


def count(total: float) -> str:
    """Whole numbers as such, weights with a digit or two."""
    return f"{int(total):,}" if float(total).is_integer() else number(total)


def plural(total: int, word: str, more: str = "") -> str:
    """1 row, 2 rows; 1 class, 2 classes."""
    return f"{total:,} {word if total == 1 else more or word + 's'}"


def shortened(text: str, most: int = 40) -> str:
    """In one line of so many characters at most."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
