"""Pages about writing rules: the language in short, how to write scenes, the cookbook."""

from __future__ import annotations

import re
from functools import cache

from edict.support import resources
from edict.support.morphology import quote_words
from edict.support.report import suggest_word
from edict.tools.mcp.results import ToolFailure, ToolResult

# files in `docs/` by page name
PAGES = {"language": "llms.txt", "scenes": "guides/scenes.md", "cookbook": "guides/cookbook.md"}
TITLES = {"language": "The language in short", "scenes": "How to write scenes", "cookbook": "The cookbook"}
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)


@cache
def read_page(page: str) -> str:
    """Return a page as Markdown."""
    return (resources.get_shipped_folder() / "docs" / PAGES[page]).read_text(encoding="utf-8")


def guide(page: str, section: str = "") -> ToolResult:
    """Return a page or a section of it. Raises `ToolFailure` if it has no such section."""
    text = read_page(page)
    sections = _HEADING.findall(text)
    if section:
        text = _find_section(text, section, sections)
    return ToolResult({"page": page, "sections": sections, "text": text}, text)


def _find_section(text: str, heading: str, sections: list[str]) -> str:
    """Return the section with a heading, ignoring case. Raises `ToolFailure` with a suggestion if there is none."""
    by_name = {section.casefold(): section for section in sections}
    match = by_name.get(heading.removeprefix("## ").strip().casefold())
    if match is None:
        suggestion = suggest_word(heading.casefold(), by_name) or f"its sections are {quote_words(sections, 'and')}"
        raise ToolFailure(f"the page has no section `{heading}`", suggestion)
    start = text.index(f"## {match}\n")
    end = text.find("\n## ", start)
    return text[start : end if end >= 0 else len(text)].strip() + "\n"
