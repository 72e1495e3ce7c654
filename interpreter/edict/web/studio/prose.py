"""Markdown as HTML, without anything that an author could load or link to. The one door to markdown-it."""

from __future__ import annotations

from markdown_it import MarkdownIt

LEFT_OUT = ["image", "link", "autolink", "html_block", "html_inline"]
_MADE = MarkdownIt("commonmark", {"html": False}).enable("table").disable(LEFT_OUT)


def prose(text: str) -> str:
    """The HTML of a text in Markdown; tags in it are escaped."""
    return str(_MADE.render(text))
