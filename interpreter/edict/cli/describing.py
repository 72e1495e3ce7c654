"""What the commands that describe rules share: rules read, places named, lines in columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.cli.errors import UsageError, WrongRules
from edict.cli.rules_by_name import default_game, steady, texts_of
from edict.handbook.annotated import Known, read
from edict.handbook.blame import Signed
from edict.handbook.looking import Named, nearest, shown_in
from edict.handbook.showing import place
from edict.rendering import plain

WIDEST = 78  # columns for the language; what is longer pushes its signature to the right


def known(game: str, modules: Sequence[str]) -> Known:
    """The rules of a game; raises `RulesError` with the texts in which to show the places."""
    names = [steady(name) for name in (game or default_game(), *modules)]
    outcome = read(names[0], tuple(names[1:]))
    if outcome.value is None or not outcome.ok:
        raise WrongRules(outcome.diagnostics, texts_of(names))
    return outcome.value


def found_in(rules: Known, about: str) -> tuple[Known, list[Named]]:
    """What is called so, and the rules to show it in: with what is there for bots only if nothing else is called so.

    Raises `UsageError` if nothing is.
    """
    view, found = shown_in(rules, about)
    if found:
        return view, found
    raise UsageError(f"nothing in {rules.game.manifest.title} is named `{about}`", nearest(rules, about))


def in_columns(lines: Sequence[Signed], indent: str = "  ", base: str = "") -> Iterator[tuple[str, str]]:
    """Each line with its mark, and its signature at the right: file and line, module, and who took it away."""
    texts = [line.text.split("\n") for line in lines]
    width = min(max((len(part) for text in texts for part in text), default=0), WIDEST)
    places = max((len(place(line.span)) for line in lines), default=0)
    for line, (first, *more) in zip(lines, texts, strict=True):
        gone = f"  (until {line.by})" if line.by else ""
        sign = f"{place(line.span).ljust(places)}  {line.module or base}{gone}"
        yield line.mark, plain(f"{indent}{line.mark} {first.ljust(width)}  {sign}".rstrip())
        yield from ((line.mark, plain(f"{indent}{line.mark} {part}")) for part in more)
