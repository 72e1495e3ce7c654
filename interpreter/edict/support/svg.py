"""Elements of SVG as text, for charts and icons: numbers are short, words escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


def element(name: str, inside: str = "", **attributes: float | str) -> str:
    """An element around others. Attributes that are words of Python end in `_`; `text_anchor` is `text-anchor`; those
    without a value are left out."""
    names = {key: key.rstrip("_").replace("_", "-") for key in attributes}
    given = "".join(f' {names[key]}="{_value(value)}"' for key, value in attributes.items() if value != "")
    return f"<{name}{given}>{inside}</{name}>" if inside else f"<{name}{given}/>"


def words(text: str, **attributes: float | str) -> str:
    """An element of text."""
    return element("text", escape(text), **attributes)


FIELD = "0 0 24 24"  # that of icons


def outline(path: str, colour: str = "currentColor") -> str:
    """What an icon in `look.yaml` shows."""
    return element("path", d=path, fill=colour, fill_rule="evenodd")


def drawing(path: str) -> str:
    """What a line drawing in `look.yaml` shows."""
    return element("path", d=path)


def icon(path: str, colour: str) -> str:
    """An icon as a picture of its own."""
    return element("svg", outline(path, colour), xmlns="http://www.w3.org/2000/svg", viewBox=FIELD)


def percent(number: float) -> str:
    return f"{short(number)}%"


def points(corners: Iterable[tuple[float, float]]) -> str:
    """The corners of a line or an area."""
    return " ".join(f"{short(x)},{short(y)}" for x, y in corners)


def short(number: float) -> str:
    """With at most two digits after the point."""
    text = f"{number:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _value(value: float | str) -> str:
    return escape(value) if isinstance(value, str) else short(value)
