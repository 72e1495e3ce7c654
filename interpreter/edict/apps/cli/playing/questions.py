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

from edict.apps.cli.playing.screen import Lines, Screen, fit, flowing, packed, width_of, wrapped
from edict.game.explanations.option_previews import DICE, OptionPreview
from edict.game.table.options import Ask, Option
from edict.runtime.program import LinkedThing, Program
from edict.runtime.program.opcodes import DECLINE
from edict.support.morphology import join_words
from edict.support.rendering import escape_terminal

COUNTED = ("number", "die")  # domains whose options are numbers themselves


def labels(ask: Ask) -> tuple[str, ...]:
    """What to type for each option, such that no number ever means two things.

    Where options are numbers, or things that show a number of their own, that number; else their places, counted
    from 1; or letters, where a position could be taken for a number in an option.
    """
    if ask.domain in COUNTED:
        return tuple(_by_amount(ask.options))
    numbers = own_numbers(ask)
    if numbers:
        return tuple(_by_own_numbers(ask.options, numbers))
    places = tuple(str(place) for place in range(1, len(ask.options) + 1))
    if any(shown not in ("", place) for place, shown in zip(places, map(_shown_number, ask.options), strict=True)):
        return tuple(_lettered(len(ask.options)))
    return places


def label(ask: Ask, option: Option) -> str:
    return labels(ask)[option.index]


def own_numbers(ask: Ask) -> tuple[str, ...]:
    """The number by which each thing to choose from is known: the one in its title, where no two have the same; else
    the one that is all it shows. Nothing where things are not known by numbers."""
    things = [option for option in ask.options if option.value != DECLINE]
    if ask.domain != "thing" or not things:
        return ()
    titled = [[word for word in words_of(option.text) if word.isdecimal()] for option in things]
    if all(len(numbers) == 1 for numbers in titled) and len({one for (one,) in titled}) == len(titled):
        found = {option.index: one for option, (one,) in zip(things, titled, strict=True)}
    elif all(option.caption.isdecimal() for option in things):
        found = {option.index: option.caption for option in things}
    else:
        return ()
    return tuple(found.get(option.index, "") for option in ask.options)


def _by_amount(options: Sequence[Option]) -> Iterator[str]:
    """A number is itself; declining is `0`, if nothing else is; what else is no number has a letter."""
    letters = _lettered(len(options))
    none = "" if any(option.text == "0" for option in options) else "0"
    for option in options:
        number = option.text if option.text.lstrip("-").isdecimal() else ""
        yield number or (none if option.value == DECLINE else "") or next(letters)


def _by_own_numbers(options: Sequence[Option], numbers: Sequence[str]) -> Iterator[str]:
    """`5`, or `5a` and `5b` where two show the same; declining is `0`, if nothing else is."""
    often, met = Counter(numbers), Counter[str]()
    for option, number in zip(options, numbers, strict=True):
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
    numbers = own_numbers(ask)
    if not exact and typed.isdecimal() and numbers:
        return [option for option, number in zip(ask.options, numbers, strict=True) if number == typed]
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
    return join_words(shown, "or")


BARE, RUN_ON, BRIEF, LINES, WHOLE = range(5)
"""How options are drawn: run on, without the dice they take; with them; in columns; a line each; all that is told."""
LONGEST_RUN = 12  # numbers beyond so many are shown as a range
MOST_TOLD = 32  # numbers beyond so many are not told one by one what they bring
BRACKETS = re.compile(r" \([^()]*\)")
EXPLAINED = "  (? explains them)"  # where there is no room for what the options do
LEAST_WORDS = 12  # columns worth beginning to say what something does in


@dataclass(frozen=True, slots=True)
class Put:
    """A question as it is put. because: the rule that asks.

    told: of each option what it costs and brings; prices: what it costs, as shortly as can be; dues: that without dice.
    listed: what the options do stands above, in lists of the board.
    """

    ask: Ask
    because: str = ""
    told: Sequence[str] = ()
    prices: Sequence[str] = ()
    dues: Sequence[str] = ()
    listed: bool = False

    @property
    def rows(self) -> Iterator[tuple[str, Option, str]]:
        """Each option with its label, and with what it costs and brings."""
        return zip(labels(self.ask), self.ask.options, self.told or [""] * len(self.ask.options), strict=True)


def put(ask: Ask, because: str, found: Sequence[OptionPreview]) -> Put:
    """A question with the prospects of its options, if they are known."""
    told = [one.text for one in found]
    return Put(ask, because, told, [shortly(one) for one in found], [due(one) for one in found])


def shortly(prospect: OptionPreview) -> str:
    """What an option costs: `dice 2 3`, `dice 1 3 or 4`, `dice 4 or a +2 token, dice 2`."""
    first = {way.partition(" ")[0] for way in prospect.alternative_costs}
    ways = (
        [way.partition(" ")[2] for way in prospect.alternative_costs] if len(first) == 1 else prospect.alternative_costs
    )
    either = " ".join([*(first if len(first) == 1 else ()), " or ".join(ways)])
    return BRACKETS.sub("", ", ".join(filter(None, (*prospect.costs, either))))


def due(prospect: OptionPreview) -> str:
    """What an option costs but for dice, which are asked for where there is a choice."""
    dice = {change.text.removeprefix("-") for change in prospect.changes if change.sort == DICE}
    return BRACKETS.sub("", ", ".join(cost for cost in prospect.costs if cost not in dice))


def shown(screen: Screen, put: Put, room: int) -> Lines:
    """The question; `room`: how its options are drawn."""
    heading = screen.text(put.ask.player)
    heading.append(escape_terminal(f" ({put.because})") if put.because else "", style="dim").append(": ")
    heading.append_text(screen.text(put.ask.prompt, "bold"))
    if room < LINES and not put.listed and any(option.words for option in put.ask.options):
        heading.append(EXPLAINED, style="dim")
    return [*wrapped(heading, screen.width), *options(screen, put, room)]


def options(screen: Screen, put: Put, room: int) -> Lines:
    ask = put.ask
    if ask.domain in COUNTED and (len(ask.options) > MOST_TOLD or not any(put.told)):
        return flowing(list(_amounts(screen, ask)), screen.width, "  ")
    if room >= LINES and any(option.caption or option.words or told for _, option, told in put.rows):
        return list(_detailed(screen, put, room == WHOLE))
    digits = max(map(len, labels(ask)))
    prices = (put.dues if room == BARE else put.prices) or [""] * len(ask.options)
    heads = [_option(screen, one, option, digits) for one, option, _ in put.rows]
    items = [_brief(put, *one, room) for one in zip(heads, ask.options, prices, strict=True)]
    fitting = [fit(item, min(item.cell_len, screen.width)) for item in items]
    run_on = flowing(fitting, screen.width, "  ")
    return run_on if room <= RUN_ON and len(run_on) > 1 else packed(fitting, screen.width, 1)


def _brief(put: Put, line: Text, option: Option, price: str, room: int) -> Text:
    """An option in a few words: its printed values and its price; the price alone where there is no room for both."""
    printed = "" if price and room == BARE else _caption(put.ask, option, f"costs {price}")
    again = "now " if "costs " in printed else ""  # what is printed is not what is paid
    words = f"{printed}; {again}costs {price}" if printed and price else printed or price
    return line.append(escape_terminal(f" ({words})") if words else "", style="dim")


def _option(screen: Screen, one: str, option: Option, digits: int) -> Text:
    line = Text(f" {one.rjust(digits)} ", style="bold")
    return line if one == option.text else line.append_text(screen.text(option.text))


def _caption(ask: Ask, option: Option, told: str) -> str:
    """The printed values, without what is told of the option anyway, or is the number that stands before it."""
    if own_numbers(ask) and option.caption == own_numbers(ask)[option.index]:
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
        said.append("  " if told else "").append(escape_terminal(words), style="dim" if told else "")
    first, *rest = wrapped(said, room) or [Text("")]
    line = head.append_text(first)
    if words and not whole and not rest and screen.width - line.cell_len > LEAST_WORDS:
        line.append("  " if told else "").append(escape_terminal(words), style="dim" if told else "")
    line.rstrip()
    yield fit(line, min(line.cell_len, screen.width))
    for more in rest:
        yield Text(" " * (screen.width - room)).append_text(more)


def _amounts(screen: Screen, ask: Ask) -> Iterator[Text]:
    """`0 to 5, 7`, or each of a few, and what is no number with what to type for it."""
    found = labels(ask)
    numbers = [one for one, option in zip(found, ask.options, strict=True) if one == option.text]
    runs = _runs([int(one) for one in numbers]) if len(numbers) > LONGEST_RUN else numbers
    yield from wrapped(screen.text("  " + ", ".join(runs)), screen.width)
    for option, one in zip(ask.options, found, strict=True):
        if one != option.text:
            yield _option(screen, one, option, len(one))


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
        return ", or ".join(_amounts_wanted(ask))
    if own_numbers(ask):
        return "one of the numbers shown, or the beginning of a word"
    what = "a number" if named[0].isdecimal() else "a letter"
    return f"{what} from {named[0]} to {named[-1]}, or the beginning of a word"


def _amounts_wanted(ask: Ask) -> Iterator[str]:
    """`one of the numbers shown`, `4`, and what to type for what is no number: `0 for No`."""
    numbers = [one for one, option in zip(labels(ask), ask.options, strict=True) if one == option.text]
    yield from ["one of the numbers shown"] if len(numbers) > 1 else numbers
    others = [(one, option.text) for one, option in zip(labels(ask), ask.options, strict=True) if one != option.text]
    yield from (f"{one} for {text}" for one, text in others[:2])


def of_things(program: Program, about: str) -> list[str]:
    """What the things called so do."""
    return [line for thing in things(program, about) for line in described(thing)]


def things(program: Program, about: str) -> list[LinkedThing]:
    """The things called so, or else those whose names begin so."""
    all_ = [thing for kind in program.kinds for thing in kind.things]
    name = about.casefold().strip()
    exact = [thing for thing in all_ if name in (thing.name.casefold(), thing.title.casefold())]
    if exact:
        return exact
    made = [Option(i, i, thing.name, thing.title or thing.name) for i, thing in enumerate(all_)]
    return [all_[option.index] for option in by_words(made, " ".join(words_of(about)))][:8]


def described(thing: LinkedThing) -> Iterator[str]:
    """A thing's title and printed values, and what it does."""
    values = f" ({thing.caption})" if thing.caption else ""
    yield f" {thing.title or thing.name}{values}{': ' + thing.words if thing.words else ''}"
