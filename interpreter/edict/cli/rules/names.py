"""`names`: what rules may speak of, by name, with titles and in English."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby

from edict.cli.errors import UsageError
from edict.cli.rules.helpers import known, show
from edict.handbook.judging import without_judgement
from edict.handbook.naming import Called, matching
from edict.handbook.naming import names as all_names
from edict.rendering import WIDTH, plain
from edict.report import did_you_mean

LEAD = " " * 6
LONGEST = 160  # characters of what a name means; `show` tells all of it


def names(words: Sequence[str], game: str, modules: Sequence[str]) -> int:
    """Print the names, or only those in which the words are found."""
    rules = without_judgement(known(game, modules))
    about = " ".join(words)
    found = list(matching(all_names(rules), about))
    if not found:
        near = did_you_mean(about, [one.written.split()[0] for one in all_names(rules)])
        remedy = near or "without words, everything is listed"
        raise UsageError(f"no name in {rules.game.manifest.title} has `{about}` in it or in its title", remedy)
    show(list(_lines(found)))
    return 0


def _lines(found: Sequence[Called]) -> Iterator[tuple[str, str]]:
    for number, (sort, members) in enumerate(groupby(found, key=lambda one: one.sort)):
        yield from [("", "")] if number else []
        yield "bold", sort
        for one in members:
            title = f'  "{one.title}"' if one.title else ""
            yield "", plain(f"  {one.written}{title}")
            meaning = textwrap.shorten(plain(one.meaning), LONGEST, placeholder=" ...")
            lines = textwrap.wrap(meaning, WIDTH, initial_indent=LEAD, subsequent_indent=LEAD)
            yield from (("", line) for line in lines)
