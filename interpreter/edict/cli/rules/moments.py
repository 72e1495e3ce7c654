"""`moments`: the calendar of a game, each line to be copied as the first line of a rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.cli.errors import UsageError
from edict.cli.rules.helpers import known, show
from edict.words.calendar import Moment, calendar, matching
from edict.language.sorts import a
from edict.rendering import plain
from edict.report import did_you_mean

WIDEST = 44  # columns for the lines; what follows a longer one is pushed to the right


def moments(words: Sequence[str], game: str, modules: Sequence[str]) -> int:
    """Print when what happens, in order, or only that in which the words are found."""
    rules = known(game, modules)
    all_ = calendar(rules.linked)
    about = " ".join(words)
    found = tuple(matching(all_, about)) if about else all_
    if not found:
        near = did_you_mean(about, [one.name for one in all_]) or "without words, everything is listed"
        raise UsageError(f"no moment of {rules.game.manifest.title} has `{about}` in its name or title", near)
    show([("", plain(line)) for line in _lines(found, nested=not about)])
    return 0


def _lines(found: Sequence[Moment], nested: bool) -> Iterator[str]:
    texts = ["  " * (one.depth if nested else 0) + one.line for one in found]
    width = min(max(map(len, texts)), WIDEST)
    for one, text in zip(found, texts, strict=True):
        yield f"{text.ljust(width)}  # {'; '.join(_facts(one))}"
    if any(one.nobody for one in found):
        yield "\n# Where it is nobody's turn, `each player` comes first: there is no `you` yet."
    yield "# In what an owned thing does, `you` is its owner."


def _facts(one: Moment) -> Iterator[str]:
    if one.title and one.title.casefold() != one.name.replace("-", " "):
        yield one.title
    if one.turn and one.nobody:
        yield "sometimes in a player's turn (that player is `you`), sometimes in nobody's"
    elif one.turn:
        yield "`you` is the player whose turn it is"
    else:
        yield "nobody's turn" if one.nobody else "nothing triggers it"
    if one.values:
        yield "with " + ", ".join(f"`{name}`" + (f" ({a(sort)})" if sort != name else "") for name, sort in one.values)
