"""A question on the screen, and what people type understood: its prompt, its options in as much detail as there is
room for; the label of an option, or the beginnings of its words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from rich.text import Text

from edict.cli.playing.screen import fit, flowing, Lines, packed, Screen, width_of, wrapped
from edict.program import Program, Thing
from edict.program.opcodes import DECLINE
from edict.rendering import plain
from edict.table.prospects import DICE, Prospect
from edict.table.options import Ask, Option

COUNTED = ("number", "die")  # domains whose options are numbers themselves


def labels(ask: Ask) -> tuple[str, ...]:
    """What to type for each option, such that no number ever means two things.

    Where options are numbers, or things that show a number of their own, that number; else their places, counted
    from 1; or letters, where a position could be taken for a number in an option.
    """
    if ask.domain in COUNTED:
        return tuple(option.text if option.text.lstrip("-").isdecimal() else "" for option in ask.options)
    if has_own_numbers(ask):
        return tuple(_by_own_numbers(ask.options))
    places = tuple(str(place) for place in range(1, len(ask.options) + 1))
    if any(shown not in ("", place) for place, shown in zip(places, map(_shown_number, ask.options), strict=True)):
        return tuple(_lettered(len(ask.options)))
    return places


def label(ask: Ask, option: Option) -> str:
    return labels(ask)[option.index]


def has_own_numbers(ask: Ask) -> bool:
    """Whether the options are things each of which shows nothing but a number."""
    things = [option for option in ask.options if option.value != DECLINE]
    return ask.domain == "thing" and bool(things) and all(option.caption.isdecimal() for option in things)


def _by_own_numbers(options: Sequence[Option]) -> Iterator[str]:
    """`5`, or `5a` and `5b` where two show the same; declining is `0`, if nothing else is."""
    often, met = Counter(option.caption for option in options), Counter[str]()
    for option in options:
        number = option.caption
        met[number] += 1
        if option.value == DECLINE:
            yield "" if often["0"] else "0"
        else:
            yield number if often[number] == 1 else f"{number}{next(_lettered(1, met[number] - 1))}"


def _lettered(count: int, start: int = 0) -> Iterator[str]:
    """`a` to `z`, then `aa` ..."""
    for number in range(start, start + count):
        yield ascii_lowercase[number % 26] * (number // 26 + 1)


def _shown_number(option: Option) -> str:
    """The number an option begins with, or shows and nothing else."""
    found = re.match(r"\d+", option.text)
    return found[0] if found else option.caption if option.caption.isdecimal() else ""


def matching(ask: Ask, typed: str) -> list[Option]:
    """The options that what was typed may mean: one if it is clear."""
    typed = " ".join(typed.casefold().split())
    exact = [option for option, one in zip(ask.options, labels(ask), strict=True) if typed and one == typed]
    exact = exact or [option for option in ask.options if typed in (option.text.casefold(), option.key.casefold())]
    if not exact and typed.isdecimal() and has_own_numbers(ask):
        return [option for option in ask.options if option.caption == typed]
    return exact or by_words(ask.options, typed)


def by_words(options: Sequence[Option], typed: str) -> list[Option]:
    """Options whose words begin as typed, in that order; those beginning at their first word before others.

    Nothing but numbers must be the option's first words: they mean amounts or dice, not whatever else is counted there.
    """
    parts = words_of(typed)
    if all(part.isdecimal() for part in parts):
        return [option for option in options if parts and words_of(option.text)[: len(parts)] == parts]
    found = [option for option in options if begins(words_of(option.text), parts)]
    first = [option for option in found if option.text.casefold().startswith(typed)]
    return first or found


def words_of(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def begins(words: Sequence[str], typed: Sequence[str]) -> bool:
    """Whether each typed word begins one of the words, in their order; numbers only as a whole."""
    rest = iter(words)
    return bool(typed) and all(
        any(word == part or not part.isdecimal() and word.startswith(part) for word in rest) for part in typed
    )


def choices(options: Sequence[Option]) -> str:
    """`Statue or Stables`, for asking which is meant."""
    texts = [option.text for option in options]
    shown = texts if len(texts) <= 5 else [*texts[:4], f"{len(texts) - 4} others"]
    return " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


BARE, RUN_ON, BRIEF, LINES, WHOLE = range(5)
"""How options are drawn: run on, without the dice they take; with them; in columns; a line each; all that is told."""
LONGEST_RUN = 12  # numbers beyond so many are shown as a range
MOST_TOLD = 32  # numbers beyond so many are not told one by one what they bring
BRACKETS = re.compile(r" \([^()]*\)")
LEAST_WORDS = 12  # columns worth beginning to say what something does in


@dataclass(frozen=True, slots=True)
class Put:
    """A question as it is put. because: the rule that asks.

    told: of each option what it costs and brings; prices: what it costs, as shortly as can be; dues: that without dice.
    """

    ask: Ask
    because: str = ""
    told: Sequence[str] = ()
    prices: Sequence[str] = ()
    dues: Sequence[str] = ()

    @property
    def rows(self) -> Iterator[tuple[str, Option, str]]:
        """Each option with its label, and with what it costs and brings."""
        return zip(labels(self.ask), self.ask.options, self.told or [""] * len(self.ask.options), strict=True)


def put(ask: Ask, because: str, found: Sequence[Prospect]) -> Put:
    """A question with the prospects of its options, if they are known."""
    told = [one.text for one in found]
    return Put(ask, because, told, [shortly(one) for one in found], [due(one) for one in found])


def shortly(prospect: Prospect) -> str:
    """What an option costs: `dice 2 3`, `dice 1 3 or 4`, `dice 4 or a +2 token, dice 2`."""
    first = {way.partition(" ")[0] for way in prospect.either}
    ways = [way.partition(" ")[2] for way in prospect.either] if len(first) == 1 else prospect.either
    either = " ".join([*(first if len(first) == 1 else ()), " or ".join(ways)])
    return BRACKETS.sub("", ", ".join(filter(None, (*prospect.costs, either))))


def due(prospect: Prospect) -> str:
    """What an option costs but for dice, which are asked for where there is a choice."""
    dice = {change.text.removeprefix("-") for change in prospect.changes if change.sort == DICE}
    return BRACKETS.sub("", ", ".join(cost for cost in prospect.costs if cost not in dice))


def shown(screen: Screen, put: Put, room: int) -> Lines:
    """The question; `room`: how its options are drawn."""
    heading = screen.text(put.ask.player)
    heading.append(plain(f" ({put.because})") if put.because else "", style="dim").append(": ")
    heading.append_text(screen.text(put.ask.prompt, "bold"))
    return [*wrapped(heading, screen.width), *options(screen, put, room)]


def options(screen: Screen, put: Put, room: int) -> Lines:
    ask = put.ask
    if ask.domain in COUNTED and (len(ask.options) > MOST_TOLD or not any(put.told)):
        return wrapped(screen.text("  " + ", ".join(_numbers(ask))), screen.width)
    if room >= LINES and any(option.caption or option.words or told for _, option, told in put.rows):
        return list(_detailed(screen, put, room == WHOLE))
    digits = max(map(len, labels(ask)))
    prices = (put.dues if room == BARE else put.prices) or [""] * len(ask.options)
    heads = [_option(screen, one, option, digits) for one, option, _ in put.rows]
    items = [_brief(screen, ask, *one) for one in zip(heads, ask.options, prices, strict=True)]
    fitting = [fit(item, min(item.cell_len, screen.width)) for item in items]
    run_on = flowing(fitting, screen.width, "  ")
    return run_on if room <= RUN_ON and len(run_on) > 1 else packed(fitting, screen.width, 1)


def _brief(screen: Screen, ask: Ask, line: Text, option: Option, price: str) -> Text:
    words = "; ".join(filter(None, (_caption(ask, option, price), price)))
    return line.append(plain(f" ({words})") if words else "", style="dim")


def _option(screen: Screen, one: str, option: Option, digits: int) -> Text:
    line = Text(f" {one.rjust(digits)} ", style="bold")
    return line if one == option.text else line.append_text(screen.text(option.text))


def _caption(ask: Ask, option: Option, told: str) -> str:
    """The printed values, without what is told of the option anyway, or is the number that stands before it."""
    if has_own_numbers(ask):
        return ""
    left = option.caption
    for part in filter(None, told.split("; ")):  # a whole field: what goes on with a number may be of the same
        left = re.sub(rf"(^|, ){re.escape(part)}(?=$|, \D)", "", left)
    return left.removeprefix(", ")


def _detailed(screen: Screen, put: Put, whole: bool) -> Iterator[Text]:
    """Each option with its printed values, what it costs and brings; and what it does, where there is room."""
    digits = max(map(len, labels(put.ask)))
    heads = [_option(screen, one, option, digits) for one, option, _ in put.rows]
    title = min(width_of(heads), screen.width // 2)
    for head, (_, option, told) in zip(heads, put.rows, strict=True):
        head = fit(head, title) if head.cell_len <= title else head
        printed = _caption(put.ask, option, told)
        said = f"({printed}) {told}" if printed and told else printed or told
        yield from _line(screen, head.append("  "), said, option.words, whole)


def _line(screen: Screen, head: Text, told: str, words: str, whole: bool) -> Iterator[Text]:
    """An option: what is `told` of it whole, on further lines if it must be; its `words` on what is left of a line."""
    room = screen.width - head.cell_len
    if room < LEAST_WORDS:
        yield fit(head, min(head.cell_len, screen.width))
        return
    said = screen.text(told)
    if whole and words:
        said.append("  " if told else "").append(plain(words), style="dim" if told else "")
    first, *rest = wrapped(said, room) or [Text("")]
    line = head.append_text(first)
    if words and not whole and not rest and screen.width - line.cell_len > LEAST_WORDS:
        line.append("  " if told else "").append(plain(words), style="dim" if told else "")
    line.rstrip()
    yield fit(line, min(line.cell_len, screen.width))
    for more in rest:
        yield Text(" " * (screen.width - room)).append_text(more)


def _numbers(ask: Ask) -> Iterator[str]:
    """`0 to 5, 7`, or each of a few, and what is no number."""
    values = [int(one) for one in labels(ask) if one]
    if len(values) > LONGEST_RUN:
        yield from _runs(values)
    else:
        yield from map(str, values)
    yield from (option.text for option, one in zip(ask.options, labels(ask), strict=True) if not one)


def _runs(values: Sequence[int]) -> Iterator[str]:
    """Those that follow each other as `0 to 5`."""
    first = 0
    for i, value in enumerate(values):
        if values[i + 1 : i + 2] != [value + 1]:
            yield str(value) if i == first else f"{values[first]} to {value}"
            first = i + 1


def wanted(ask: Ask) -> str:
    """What an answer may be, in a few words."""
    named = [one for one in labels(ask) if one]
    if ask.domain in COUNTED:
        return f"one of the numbers, or {ask.options[-1].text.lower()}" if len(named) < len(ask.options) else "a number"
    if has_own_numbers(ask):
        return "one of the numbers shown, or the beginning of a word"
    what = "a number" if named[0].isdecimal() else "a letter"
    return f"{what} from {named[0]} to {named[-1]}, or the beginning of a word"


def of_things(program: Program, about: str) -> list[str]:
    """What the things called so do."""
    return [line for thing in things(program, about) for line in described(thing)]


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
