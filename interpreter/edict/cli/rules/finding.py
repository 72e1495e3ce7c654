"""`find`: which moment fits, and what there is to speak of, by the words people use."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from edict.cli.errors import UsageError
from edict.cli.forms import TEXT, checked_form, print_json
from edict.cli.rules.helpers import known, show
from edict.handbook.judging import without_judgement
from edict.rendering import WIDTH, plain
from edict.report import did_you_mean
from edict.service.findable import everything
from edict.service.finding import find as found_by
from edict.service.values import Found

MOST = 12
LEAD = " " * 6
LONGEST = 160  # characters of what something means; `show` tells all of it


def find(words: Sequence[str], game: str, modules: Sequence[str], form: str = TEXT) -> int:
    """Print what fits the words best: each line as a rule would write it."""
    checked_form(form)
    rules = without_judgement(known(game, modules))
    about, all_ = " ".join(words), tuple(everything(rules))
    found = found_by(all_, about)
    if form != TEXT:
        print_json([{key: value for key, value in asdict(one).items() if key != "where"} for one in found])
        return 0
    if not found:
        near = did_you_mean(about, [one.title for one in all_ if one.title])
        raise UsageError(f"nothing in {rules.game.manifest.title} fits `{about}`", near or "try fewer or other words")
    show(list(_lines(found)))
    return 0


def _lines(found: Sequence[Found]) -> Iterator[tuple[str, str]]:
    for one in found[:MOST]:
        yield "bold", plain(f"{one.line}  # {'; '.join(filter(None, (one.sort, one.title)))}")
        meaning = textwrap.shorten(plain(one.meaning), LONGEST, placeholder=" ...")
        yield from (("", line) for line in textwrap.wrap(meaning, WIDTH, initial_indent=LEAD, subsequent_indent=LEAD))
    more = len(found) - MOST
    if more > 0:
        yield "", f"{more} more; more words narrow it down"
