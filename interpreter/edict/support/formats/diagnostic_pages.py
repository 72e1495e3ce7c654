"""The pages of `grammar/diagnostics/`: what each code means."""

from __future__ import annotations

import re
from dataclasses import dataclass

from edict.support import resources

CODE = re.compile(r"[A-Z]\d{4}\Z")


@dataclass(frozen=True, slots=True)
class Page:
    """The page of a code: its heading, its first paragraph, and all of it as Markdown."""

    title: str
    about: str
    text: str


def code_of(asked: str) -> str:
    """A code as people type it: `111` is E0111."""
    wanted = asked.upper()
    return f"E{wanted.rjust(4, '0')}" if wanted.isdecimal() else wanted


def codes() -> list[str]:
    """All codes that have a page."""
    return sorted(file.stem for file in (resources.grammar() / "diagnostics").glob("*.md"))


def read_page(code: str) -> Page | None:
    """The page of a code, if there is one."""
    file = resources.grammar() / "diagnostics" / f"{code}.md"
    if not CODE.match(code) or not file.is_file():
        return None
    text = re.sub(r"\A---\n.*?\n---\n", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
    heading, _, rest = text.strip().partition("\n")
    return Page(heading.partition(": ")[2], rest.strip().partition("\n\n")[0], text)
