"""SVG elements as text, for charts and icons, with short numbers and escaped words."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


def render_element(name: str, inside: str = "", **attributes: float | str) -> str:
    """Render an element around the text of others.

    Args:
        name: The element's name.
        inside: Its content, already rendered.
        **attributes: `class_` stands for `class`, `text_anchor` for `text-anchor`; empty values are omitted.
    """
    names = {key: key.rstrip("_").replace("_", "-") for key in attributes}
    given = "".join(f' {names[key]}="{_format_value(value)}"' for key, value in attributes.items() if value != "")
    return f"<{name}{given}>{inside}</{name}>" if inside else f"<{name}{given}/>"


def render_text(text: str, **attributes: float | str) -> str:
    """Render an element of text."""
    return render_element("text", escape(text), **attributes)


ICON_VIEW_BOX = "0 0 24 24"  # view box of the icons


def render_icon_path(path: str, colour: str = "currentColor") -> str:
    """Render the filled path of an icon in `look.yaml`."""
    return render_element("path", d=path, fill=colour, fill_rule="evenodd")


def render_icon(path: str, colour: str) -> str:
    """Render an icon as a picture of its own."""
    return render_element(
        "svg", render_icon_path(path, colour), xmlns="http://www.w3.org/2000/svg", viewBox=ICON_VIEW_BOX
    )


def format_percent(number: float) -> str:
    """Format a number as a percentage, with at most two decimals."""
    return f"{format_number(number)}%"


def format_points(corners: Iterable[tuple[float, float]]) -> str:
    """Format the corners of a line or an area for a `points` attribute."""
    return " ".join(f"{format_number(x)},{format_number(y)}" for x, y in corners)


def format_number(number: float) -> str:
    """Format a number with at most two decimals."""
    text = f"{number:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _format_value(value: float | str) -> str:
    """Return an attribute value: a text with XML characters escaped, a number with at most two decimals."""
    return escape(value) if isinstance(value, str) else format_number(value)
