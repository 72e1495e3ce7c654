"""What was found among moments, names and all that rules may speak of, as lines that people read."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby

from edict.compiler.english.calendar import CalendarEntry
from edict.prose.rulebook.name_catalog import CatalogEntry
from edict.support.morphology import add_indefinite_article, spell_name
from edict.support.rendering import WIDTH, escape_terminal
from edict.tools.language_service.answer_types import SearchEntry

WIDEST_MOMENT = 44  # columns for the lines; what follows a longer one is pushed to the right
LEAD = " " * 6
LONGEST = 160  # characters of what a name means; `show` tells all of it
MOST_FOUND = 12
Lines = Iterator[tuple[str, str]]
"""Lines, each after its style."""


def moment_lines(found: Sequence[CalendarEntry], nested: bool) -> Lines:
    """Moments in order, each as the first line of a rule; `nested`: by how many phases each lies in."""
    texts = ["  " * (one.depth if nested else 0) + one.line for one in found]
    width = min(max(map(len, texts)), WIDEST_MOMENT)
    for one, text in zip(found, texts, strict=True):
        yield "", escape_terminal(f"{text.ljust(width)}  # {'; '.join(_moment_facts(one))}")
    if any(one.nobody for one in found):
        yield "", "\n# Where it is nobody's turn, `each player` comes first: there is no `you` yet."
    yield "", "# In what an owned thing does, `you` is its owner."


def _moment_facts(one: CalendarEntry) -> Iterator[str]:
    if one.title and one.title.casefold() != spell_name(one.name):
        yield one.title
    if one.turn and one.nobody:
        yield "sometimes in a player's turn (that player is `you`), sometimes in nobody's"
    elif one.turn:
        yield "`you` is the player whose turn it is"
    else:
        yield "nobody's turn" if one.nobody else "nothing triggers it"
    if one.values:
        yield "with " + ", ".join(
            f"`{name}`" + (f" ({add_indefinite_article(sort)})" if sort != name else "") for name, sort in one.values
        )


def name_lines(found: Sequence[CatalogEntry]) -> Lines:
    """Names sort by sort, each as a rule writes it, with its meaning below."""
    for number, (sort, members) in enumerate(groupby(found, key=lambda one: one.sort)):
        yield from [("", "")] if number else []
        yield "bold", sort
        for one in members:
            title = f'  "{one.title}"' if one.title else ""
            yield "", escape_terminal(f"  {one.written}{title}")
            yield from _meaning_lines(one.meaning)


def found_lines(found: Sequence[SearchEntry]) -> Lines:
    """What fits best, each as a rule writes it, and how much more there is."""
    for one in found[:MOST_FOUND]:
        yield "bold", escape_terminal(f"{one.line}  # {'; '.join(filter(None, (one.sort, one.title)))}")
        yield from _meaning_lines(one.description)
    more = len(found) - MOST_FOUND
    if more > 0:
        yield "", f"{more} more; more words narrow it down"


def _meaning_lines(meaning: str) -> Lines:
    """The beginning of it, further in."""
    short = textwrap.shorten(escape_terminal(meaning), LONGEST, placeholder=" ...")
    yield from (("", line) for line in textwrap.wrap(short, WIDTH, initial_indent=LEAD, subsequent_indent=LEAD))
