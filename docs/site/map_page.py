"""`docs/reference/kingsburg.md`, made from the rules of the base game.

    python docs/site/map_page.py --write

`tests/project/test_made_pages.py` compares it with what the rules are.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from generated_pages import write_or_print

from edict.prose.rulebook.annotated_rules import AnnotatedRules, read_annotated_rules, remove_judgement
from edict.prose.rulebook.name_catalog import CatalogEntry, add_usage, iter_names
from edict.tools import operations

DOCS = Path(__file__).resolve().parent.parent
HEAD = """\
# What rules can name in Kingsburg

A map of the base game for those who write rules for it: its moments in the order of a year, then every name with its
meaning, the phases in which it happens, and a line as rules write it. `kingsburg find` searches the same, and
`--with MODULE` adds a module; in any other game it lists what that game has. Made from the rules
(`python docs/site/map_page.py --write`).
"""


def page() -> str:
    """All of docs/reference/kingsburg.md."""
    rules = remove_judgement(read_annotated_rules("kingsburg").unwrap())
    return "\n".join([HEAD, "## Moments of a year\n", *_iter_moments(rules), *_iter_names(rules)])


def _iter_moments(rules: AnnotatedRules) -> Iterator[str]:
    lines = (line for _, line in operations.find(rules, kind="moments").lines)
    yield from ("```text", *lines, "```\n")


def _iter_names(rules: AnnotatedRules) -> Iterator[str]:
    for heading, entries in groupby(add_usage(rules, iter_names(rules)), key=lambda entry: entry.sort):
        yield f"## {heading.capitalize()}\n"
        yield from map(_format_entry, entries)
        yield ""


def _format_entry(entry: CatalogEntry) -> str:
    title = f" “{entry.title}”" if entry.title else ""
    parts = (entry.meaning, f"In {entry.happens}." if entry.happens else "", f"`{entry.example}`" * bool(entry.example))
    return f"- **`{entry.written}`**{title}: {' '.join(filter(None, parts))}"


FILES = {DOCS / "reference" / "kingsburg.md": page}

if __name__ == "__main__":
    write_or_print(FILES)
