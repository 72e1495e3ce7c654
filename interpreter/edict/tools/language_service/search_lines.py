"""Search results for people, as lines: moments, names, and anything else rules can mention."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby

from edict.compiler.english.calendar import CalendarEntry
from edict.prose.rulebook.name_catalog import CatalogEntry
from edict.support.morphology import add_indefinite_article, spell_name
from edict.support.rendering import WIDTH, escape_terminal
from edict.tools.language_service.answer_types import SearchEntry

MOMENT_COLUMN_WIDTH = 44  # columns; a longer line pushes its comment to the right
INDENT = " " * 6
MAX_MEANING_LENGTH = 160  # characters; `show` prints all of it
MAX_SHOWN = 12
StyledLines = Iterator[tuple[str, str]]  # pairs of a style and a line


def format_moments(moments: Sequence[CalendarEntry], nested: bool) -> StyledLines:
    """Yield moments in order, each as the first line of a rule.

    Args:
        moments: The moments.
        nested: Indent each by the number of phases around it.
    """
    texts = ["  " * (moment.depth if nested else 0) + moment.line for moment in moments]
    width = min(max(map(len, texts)), MOMENT_COLUMN_WIDTH)
    for moment, text in zip(moments, texts, strict=True):
        yield "", escape_terminal(f"{text.ljust(width)}  # {'; '.join(_iter_moment_facts(moment))}")
    if any(moment.nobody for moment in moments):
        yield "", "\n# If it is nobody's turn, start with `each player`: there is no `you` yet."
    yield "", "# In the abilities of an owned thing, `you` is its owner."


def _iter_moment_facts(moment: CalendarEntry) -> Iterator[str]:
    """Yield the title of a moment, whose turn it is and the values it comes with, as phrases."""
    if moment.title and moment.title.casefold() != spell_name(moment.name):
        yield moment.title
    if moment.turn and moment.nobody:
        yield "sometimes in a player's turn (that player is `you`), sometimes in nobody's"
    elif moment.turn:
        yield "`you` is the player whose turn it is"
    else:
        yield "nobody's turn" if moment.nobody else "nothing triggers it"
    if moment.values:
        yield "with " + ", ".join(
            f"`{name}`" + (f" ({add_indefinite_article(sort)})" if sort != name else "") for name, sort in moment.values
        )


def format_names(names: Sequence[CatalogEntry]) -> StyledLines:
    """Yield names grouped by sort, each as a rule writes it, with its meaning below."""
    for group_number, (sort, members) in enumerate(groupby(names, key=lambda named_rule: named_rule.sort)):
        yield from [("", "")] if group_number else []
        yield "bold", sort
        for named_rule in members:
            title = f'  "{named_rule.title}"' if named_rule.title else ""
            yield "", escape_terminal(f"  {named_rule.written}{title}")
            yield from _format_meaning(named_rule.meaning)
            if named_rule.happens:
                yield from _format_meaning(f"In {named_rule.happens}.")
            if named_rule.example:
                yield "", escape_terminal(f"{INDENT}> {named_rule.example}")


def format_entries(entries: Sequence[SearchEntry]) -> StyledLines:
    """Yield the best search entries, each as a rule writes it, and the number of those not shown."""
    for entry in entries[:MAX_SHOWN]:
        yield "bold", escape_terminal(f"{entry.line}  # {'; '.join(filter(None, (entry.sort, entry.title)))}")
        yield from _format_meaning(entry.description)
    hidden_count = len(entries) - MAX_SHOWN
    if hidden_count > 0:
        yield "", f"{hidden_count} more results; add words to narrow the search"


def _format_meaning(meaning: str) -> StyledLines:
    """Yield a meaning as indented lines, cut at `MAX_MEANING_LENGTH` characters."""
    short = textwrap.shorten(escape_terminal(meaning), MAX_MEANING_LENGTH, placeholder=" ...")
    yield from (("", line) for line in textwrap.wrap(short, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT))
