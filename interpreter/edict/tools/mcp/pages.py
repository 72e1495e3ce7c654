"""What there is to read about writing rules: the language in short, how to write scenes, the cookbook."""

from __future__ import annotations

import re
from functools import cache

from edict.support import resources
from edict.support.morphology import quote_words
from edict.support.report import suggest_word
from edict.tools.mcp.results import ToolFailure, ToolResult

PAGES = {"language": "llms.txt", "scenes": "scenes.md", "cookbook": "cookbook.md"}
"""The files in `docs/` by what they are called here."""
TITLES = {"language": "The language in short", "scenes": "How to write scenes", "cookbook": "The cookbook"}
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)


@cache
def text_of(page: str) -> str:
    """A page as Markdown."""
    return (resources.shipped_folder() / "docs" / PAGES[page]).read_text(encoding="utf-8")


def guide(page: str, section: str = "") -> ToolResult:
    """A page, or a section of it. Raises `ToolFailure` if it has no such section."""
    text = text_of(page)
    sections = _HEADING.findall(text)
    if section:
        text = _section(text, section, sections)
    return ToolResult({"page": page, "sections": sections, "text": text}, text)


def _section(text: str, wanted: str, sections: list[str]) -> str:
    by_name = {one.casefold(): one for one in sections}
    found = by_name.get(wanted.removeprefix("## ").strip().casefold())
    if found is None:
        remedy = suggest_word(wanted.casefold(), by_name) or f"there are {quote_words(sections, 'and')}"
        raise ToolFailure(f"the page has no section `{wanted}`", remedy)
    start = text.index(f"## {found}\n")
    end = text.find("\n## ", start)
    return text[start : end if end >= 0 else len(text)].strip() + "\n"
