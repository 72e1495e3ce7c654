"""A question on the screen: its prompt, its options in as much detail as there is room for, and explanations."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from edict.cli.playing.answers import COUNTED, by_words, label, matching, words_of
from edict.cli.playing.layout import Lines, fit, packed, width_of
from edict.cli.playing.screen import Screen
from edict.program import Program, Thing
from edict.rendering import plain
from edict.table.options import Ask, Option

FEW = 6  # options without details that stand on one line, if they fit
LONGEST_RUN = 12  # numbers beyond so many are shown as a range


def shown(screen: Screen, ask: Ask, because: str, room: int) -> Lines:
    """The question in about `room` lines: an option a line with what it does, or else several on a line."""
    heading = screen.text(ask.player)
    heading.append(plain(f" ({because})") if because else "", style="dim").append(": ")
    heading.append_text(screen.text(ask.prompt, "bold"))
    return [heading, *options(screen, ask, room - 1)]


def options(screen: Screen, ask: Ask, room: int) -> Lines:
    if ask.domain in COUNTED:
        return [screen.text("  " + ", ".join(_numbers(ask)))]
    lines = [_option(screen, ask, option) for option in ask.options]
    if not any(option.caption or option.words for option in ask.options):
        return packed(lines, screen.width, 1 if len(lines) <= FEW else room)
    if len(lines) <= room:
        return _detailed(screen, ask, lines)
    packed_ = packed([_with_caption(line, o) for line, o in zip(lines, ask.options, strict=True)], screen.width, room)
    return packed_ if len(packed_) <= room else packed(lines, screen.width, room)


def _option(screen: Screen, ask: Ask, option: Option) -> Text:
    digits = len(str(len(ask.options)))
    return Text(f" {label(ask, option).rjust(digits)} ", style="bold").append_text(screen.text(option.text))


def _with_caption(line: Text, option: Option) -> Text:
    return line.copy().append(plain(f" ({option.caption})"), style="dim") if option.caption else line


def _detailed(screen: Screen, ask: Ask, lines: Lines) -> Lines:
    """Each option with its values and what it does, in columns, cut at the edge of the screen."""
    title = width_of(lines)
    caption = max((len(option.caption) for option in ask.options), default=0)
    made: Lines = []
    for line, option in zip(lines, ask.options, strict=True):
        if option.caption or option.words:
            line = fit(line, title).append("  ").append(plain(option.caption.ljust(caption)), style="dim")
            line.append("  ").append(plain(option.words))
        made.append(fit(line, min(line.cell_len, screen.width)))
    return made


def _numbers(ask: Ask) -> Iterator[str]:
    """`0 to 5`, or each of a few, and what is no number."""
    values = [int(option.text) for option in ask.options if label(ask, option)]
    if len(values) > LONGEST_RUN and values == list(range(values[0], values[-1] + 1)):
        yield f"{values[0]} to {values[-1]}"
    else:
        yield from map(str, values)
    yield from (option.text for option in ask.options if not label(ask, option))


def wanted(ask: Ask) -> str:
    """What an answer may be, in a few words."""
    labels = [label(ask, option) for option in ask.options if label(ask, option)]
    if not labels:
        return "the beginning of an option's words"
    if ask.domain not in COUNTED:
        return f"a number from {labels[0]} to {labels[-1]}, or the beginning of a word"
    return f"one of the numbers, or {ask.options[-1].text.lower()}" if len(labels) < len(ask.options) else "a number"


def explained(ask: Ask, program: Program, about: str) -> list[str]:
    """What options do: all of them, or those meant by what was typed, or any other thing of the game."""
    if not about:
        return [line for option in ask.options for line in _explanation(label(ask, option), option)]
    found = matching(ask, about)
    if found:
        return [line for option in found for line in _explanation(label(ask, option), option)]
    return of_things(program, about)


def of_things(program: Program, about: str) -> list[str]:
    """What the things called so do."""
    return [line for thing in things(program, about) for line in described(thing)]


def _explanation(number: str, option: Option) -> Iterator[str]:
    values = f" ({option.caption})" if option.caption else ""
    yield f" {number} {option.text}{values}: {option.words}" if option.words else f" {number} {option.text}{values}"


def things(program: Program, about: str) -> list[Thing]:
    """The things called so, or else those whose names begin so."""
    all_ = [thing for kind in program.kinds for thing in kind.things]
    name = about.casefold().strip()
    exact = [thing for thing in all_ if name in (thing.name.casefold(), thing.title.casefold())]
    if exact:
        return exact
    made = [Option(i, i, thing.name, thing.title or thing.name) for i, thing in enumerate(all_)]
    return [all_[option.index] for option in by_words(made, " ".join(words_of(about)))][:8]


def described(thing: Thing) -> Iterator[str]:
    """A thing's title and printed values, and what it does."""
    values = f" ({thing.caption})" if thing.caption else ""
    yield f" {thing.title or thing.name}{values}{': ' + thing.words if thing.words else ''}"


__all__ = ["described", "explained", "of_things", "options", "shown", "things", "wanted"]
