"""The pages of `grammar/diagnostics/`, which explain each diagnostic code."""

from __future__ import annotations

import re
from dataclasses import dataclass

from edict.support import resources

CODE = re.compile(r"[A-Z]\d{4}\Z")


@dataclass(frozen=True, slots=True)
class DiagnosticPage:
    """The page of a diagnostic code."""

    title: str  # its heading
    about: str  # its first paragraph
    text: str  # the whole page as Markdown


def normalize_code(typed: str) -> str:
    """Return the full code for one as people type it, such as E0111 for `111`."""
    code = typed.upper()
    return f"E{code.rjust(4, '0')}" if code.isdecimal() else code


def list_codes() -> list[str]:
    """List all codes that have a page."""
    return sorted(file.stem for file in (resources.grammar_folder() / "diagnostics").glob("*.md"))


def read_diagnostic_page(code: str) -> DiagnosticPage | None:
    """Read the page of a code; None if there is none."""
    file = resources.grammar_folder() / "diagnostics" / f"{code}.md"
    if not CODE.match(code) or not file.is_file():
        return None
    text = re.sub(r"\A---\n.*?\n---\n", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
    heading, _, rest = text.strip().partition("\n")
    return DiagnosticPage(heading.partition(": ")[2], rest.strip().partition("\n\n")[0], text)
