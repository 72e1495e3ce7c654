"""Questions on the screen and typed answers: the labels of options, their drawing, and the match of typed words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from string import ascii_lowercase

from rich.text import Text

from edict.apps.cli.playing.screen import (
    Lines,
    Screen,
    fit,
    flow,
    flow_blocks,
    lines_width,
    pack_columns,
    wrap,
    wrap_hanging,
)
from edict.game.explanations.option_previews import DICE, OptionPreview
from edict.game.table.options import Ask, Option
from edict.game.table.view import View
from edict.runtime.program import LinkedThing, Program
from edict.runtime.program.opcodes import DECLINE
from edict.support.records import dataclass
from edict.support.rendering import escape_terminal
from edict.support.text import matches_beginnings, split_words
from edict.support.translations import N_, gettext
from edict.support.translations.texts import join_texts, translate

NUMBER_DOMAINS = ("number", "die")  # domains whose options are numbers


def option_labels(ask: Ask) -> tuple[str, ...]:
    """Return the text to type for each option, so that no number has two meanings.

    Options that are numbers, or things with a number, are labeled by it. Other options are numbered from 1, or lettered
    if a position could be mistaken for a number in an option.
    """
    if ask.domain in NUMBER_DOMAINS:
        return tuple(_amount_labels(ask.options))
    numbers = own_numbers(ask)
    if numbers:
        return tuple(_own_number_labels(ask.options, numbers))
    positions = tuple(str(position) for position in range(1, len(ask.options) + 1))
    if any(
        number_text not in ("", position)
        for position, number_text in zip(positions, map(_visible_number, ask.options), strict=True)
    ):
        return tuple(_letter_labels(len(ask.options)))
    return positions


def own_numbers(ask: Ask) -> tuple[str, ...]:
    """Return the printed number of each thing to choose, as text; () unless all things have distinct ones.

    The number is the one in the title, if these are distinct, or else the caption.
    """
    things = [option for option in ask.options if option.value != DECLINE]
    if ask.domain != "thing" or not things:
        return ()
    title_numbers = [[word for word in split_words(option.text) if word.isdecimal()] for option in things]
    if all(len(numbers) == 1 for numbers in title_numbers) and len({number for (number,) in title_numbers}) == len(
        title_numbers
    ):
        numbers_by_index = {option.index: number for option, (number,) in zip(things, title_numbers, strict=True)}
    elif all(option.caption.isdecimal() for option in things):
        numbers_by_index = {option.index: option.caption for option in things}
    else:
        return ()
    return tuple(numbers_by_index.get(option.index, "") for option in ask.options)


def _amount_labels(options: Sequence[Option]) -> Iterator[str]:
    """Yield a number itself, `0` for declining if no option is 0, and letters for other options."""
    letters = _letter_labels(len(options))
    decline_label = "" if any(option.text == "0" for option in options) else "0"
    for option in options:
        number = option.text if option.text.lstrip("-").isdecimal() else ""
        yield number or (decline_label if option.value == DECLINE else "") or next(letters)


def _own_number_labels(options: Sequence[Option], numbers: Sequence[str]) -> Iterator[str]:
    """Yield `5`, or `5a` and `5b` for equal numbers, and `0` for declining if nothing else is 0."""
    counts, used = Counter(numbers), Counter[str]()
    for option, number in zip(options, numbers, strict=True):
        used[number] += 1
        if option.value == DECLINE:
            yield "" if counts["0"] else "0"
        else:
            yield number if counts[number] == 1 else f"{number}{next(_letter_labels(1, used[number] - 1))}"


def _letter_labels(count: int, start: int = 0) -> Iterator[str]:
    """Yield `a` to `z`, then `aa` to `zz` and so on."""
    for number in range(start, start + count):
        yield ascii_lowercase[number % 26] * (number // 26 + 1)


def _visible_number(option: Option) -> str:
    """Return the number that an option begins with or has as its caption."""
    found = re.match(r"\d+", option.text)
    return found[0] if found else option.caption if option.caption.isdecimal() else ""


def match_options(ask: Ask, typed: str) -> list[Option]:
    """Return the options that the typed text can mean: by label, text, key, number, or beginnings of words."""
    typed = " ".join(typed.casefold().split())
    exact = [option for option, label in zip(ask.options, option_labels(ask), strict=True) if typed and label == typed]
    exact = exact or [option for option in ask.options if typed in (option.text.casefold(), option.key.casefold())]
    numbers = own_numbers(ask)
    if not exact and typed.isdecimal() and numbers:
        return [option for option, number in zip(ask.options, numbers, strict=True) if number == typed]
    return exact or match_words(ask.options, typed)


def match_words(options: Sequence[Option], typed: str) -> list[Option]:
    """Return the options whose words begin as typed, in order; those beginning at their first word take precedence.

    Typed numbers alone must be the first words of an option, as they mean amounts or dice.
    """
    parts = split_words(typed)
    if all(part.isdecimal() for part in parts):
        return [option for option in options if parts and split_words(option.text)[: len(parts)] == parts]
    matches = [option for option in options if matches_beginnings(split_words(option.text), parts)]
    leading = [option for option in matches if option.text.casefold().startswith(typed)]
    return leading or matches


def join_choices(options: Sequence[Option]) -> str:
    """Return the texts of options for a message, such as `Statue or Stables`."""
    texts = [option.text for option in options]
    shown = texts if len(texts) <= 5 else [*texts[:4], translate("{number} others", number=len(texts) - 4)]
    return join_texts(shown, "or")


def describe_ambiguity(typed: str, options: Sequence[Option]) -> str:
    """Return the line that a typed text can mean several options."""
    return translate("`{typed}` could be {options}: type more of it.", typed=typed, options=join_choices(options))


# detail of options: run on, without dice in prices; run on; in columns; in columns with effects, without dice in
# prices; in columns with effects; with effects, one per line
BARE, RUN_ON, BRIEF, DENSE, PAIRED, WHOLE = range(6)
MAX_LISTED_NUMBERS = 12  # more numbers are shown as ranges
MAX_NUMBERS_WITH_OUTCOMES = 32  # more numbers are shown without outcomes
BRACKETS = re.compile(r" \([^()]*\)")
EXPLAIN_HINT = N_("(? explains them)")  # shown if there is no room for effects
ARTICLES = {"a", "an", "the"}
LEAST_BLOCK = 30  # least columns for an option with its effect


@dataclass(frozen=True, slots=True)
class PresentedQuestion:
    """A question with the outcomes of its options."""

    ask: Ask
    because: str = ""  # title of the rule that asks
    outcomes: Sequence[str] = ()  # cost and gain of each option
    prices: Sequence[str] = ()  # cost of each option, in short
    prices_without_dice: Sequence[str] = ()
    listed: bool = False  # lists on the board show the effects of options

    @property
    def rows(self) -> Iterator[tuple[str, Option, str]]:
        """Return each option with its label and its cost and gain."""
        return zip(
            option_labels(self.ask), self.ask.options, self.outcomes or [""] * len(self.ask.options), strict=True
        )


def build_question(ask: Ask, because: str, outcomes: Sequence[OptionPreview]) -> PresentedQuestion:
    """Return a question ready to print: why it is asked, and each option's outcome and cost in words."""
    texts = [outcome.text for outcome in outcomes]
    return PresentedQuestion(
        ask,
        because,
        texts,
        [describe_cost(outcome) for outcome in outcomes],
        [describe_cost_without_dice(outcome) for outcome in outcomes],
    )


def describe_cost(prospect: OptionPreview) -> str:
    """Return the cost of an option, such as `dice 2 3`, `dice 1 3 or 4`, or `dice 4 or a +2 token, dice 2`."""
    common_word = {payment.partition(" ")[0] for payment in prospect.alternative_costs}
    ways = (
        [payment.partition(" ")[2] for payment in prospect.alternative_costs]
        if len(common_word) == 1
        else prospect.alternative_costs
    )
    either = " ".join([*(common_word if len(common_word) == 1 else ()), f" {gettext('or')} ".join(ways)])
    return BRACKETS.sub("", ", ".join(filter(None, (*prospect.costs, either))))


def describe_cost_without_dice(prospect: OptionPreview) -> str:
    """Return the cost of an option without its dice, which are asked for if there is a choice."""
    dice = {change.text.removeprefix("-") for change in prospect.changes if change.sort == DICE}
    return BRACKETS.sub("", ", ".join(cost for cost in prospect.costs if cost not in dice))


def render_question(screen: Screen, question: PresentedQuestion, detail: int) -> Lines:
    """Return the lines of prompt and options, in a level of detail from BARE to WHOLE."""
    heading = screen.to_text(question.ask.player)
    because = "" if _names_rule(question.ask.prompt, question.because) else question.because
    heading.append(escape_terminal(f" ({because})") if because else "", style="dim").append(": ")
    heading.append_text(screen.to_text(question.ask.prompt, "bold"))
    if detail < DENSE and not question.listed and any(option.words for option in question.ask.options):
        heading.append(f"  {translate(EXPLAIN_HINT)}", style="dim")
    return [*wrap(heading, screen.width), *render_options(screen, question, detail)]


def _names_rule(prompt: str, title: str) -> bool:
    """Return True if a prompt has all words of a rule's title but its articles."""
    return set(split_words(title)) - ARTICLES <= set(split_words(prompt))


def render_options(screen: Screen, question: PresentedQuestion, detail: int) -> Lines:
    """Return the options of a question in a detail, from BARE to WHOLE."""
    ask = question.ask
    if ask.domain in NUMBER_DOMAINS and (len(ask.options) > MAX_NUMBERS_WITH_OUTCOMES or not any(question.outcomes)):
        return flow(list(_draw_amounts(screen, ask)), screen.width, "  ")
    digits = max(map(len, option_labels(ask)))
    has_texts = any(option.caption or option.words or outcome for _, option, outcome in question.rows)
    if detail == WHOLE and has_texts:
        return list(_draw_detailed_options(screen, question, digits))
    prices = question.prices_without_dice if detail in (BARE, DENSE) else question.prices
    heads = [_draw_option_head(screen, label, option, digits) for label, option, _ in question.rows]
    items = [
        _draw_brief_option(question, head, option, price, detail)
        for head, option, price in zip(heads, ask.options, prices or [""] * len(ask.options), strict=True)
    ]
    if detail >= DENSE and has_texts:
        return flow_blocks(
            lambda width: [wrap_hanging(item, width, digits + 2) for item in items], screen.width, LEAST_BLOCK
        )
    fitting = [line for item in items for line in wrap_hanging(item, screen.width, digits + 2)]
    run_on = flow(fitting, screen.width, "  ")
    return run_on if detail <= RUN_ON and len(run_on) > 1 else pack_columns(fitting, screen.width, 1)


def _draw_brief_option(question: PresentedQuestion, line: Text, option: Option, price: str, detail: int) -> Text:
    """Add printed values, price and, from DENSE on, effect of an option to its line; in BARE only the price."""
    shown_cost = translate("costs {costs}", costs=price)
    printed = "" if price and detail == BARE else _shorten_caption(question.ask, option, shown_cost)
    # the printed cost may differ from the actual one
    differs = translate("costs {costs}", costs="").strip() in printed
    cost = translate("now costs {costs}", costs=price) if differs else shown_cost
    words = f"{printed}; {cost}" if printed and price else printed or price
    line.append(escape_terminal(f" ({words})") if words else "", style="dim")
    return line.append(escape_terminal(f"  {option.words}") if option.words and detail >= DENSE else "")


def _draw_option_head(screen: Screen, label: str, option: Option, digits: int) -> Text:
    """Return an option's label, right-aligned in `digits` columns, and its text unless that is the label."""
    line = Text(f" {label.rjust(digits)} ", style="bold")
    return line if label == option.text else line.append_text(screen.to_text(option.text))


def _shorten_caption(ask: Ask, option: Option, outcome: str) -> str:
    """Return an option's caption without the fields that its outcome, or its label, shows already."""
    if own_numbers(ask) and option.caption == own_numbers(ask)[option.index]:
        return ""
    remaining = option.caption
    for part in filter(
        None, outcome.split("; ")
    ):  # only whole fields: a number that follows can belong to the same field
        remaining = re.sub(rf"(^|, ){re.escape(part)}(?=$|, \D)", "", remaining)
    return remaining.removeprefix(", ")


def _draw_detailed_options(screen: Screen, question: PresentedQuestion, digits: int) -> Iterator[Text]:
    """Yield the lines of each option with printed values, cost and gain, and effect, beside its title."""
    heads = [_draw_option_head(screen, label, option, digits) for label, option, _ in question.rows]
    title_width = min(lines_width(heads), screen.width // 2)
    for head, (_, option, outcome) in zip(heads, question.rows, strict=True):
        printed = _shorten_caption(question.ask, option, outcome)
        text = screen.to_text(f"({printed}) {outcome}" if printed and outcome else printed or outcome)
        if option.words:
            text.append("  " if text.plain else "").append(
                escape_terminal(option.words), style="dim" if outcome else ""
            )
        *long_title, last = wrap_hanging(head, title_width, digits + 2)
        yield from long_title
        beside = wrap(text, screen.width - title_width - 2) or [Text("")]
        for part in (last, *(Text("") for _ in beside[1:])):
            line = fit(part, title_width).append("  ").append_text(beside.pop(0))
            line.rstrip()
            yield line


def _draw_amounts(screen: Screen, ask: Ask) -> Iterator[Text]:
    """Yield the numbers to choose from, as `0 to 5, 7` if there are many, and a line for each other option."""
    all_labels = option_labels(ask)
    numbers = [label for label, option in zip(all_labels, ask.options, strict=True) if label == option.text]
    runs = _format_runs([int(label) for label in numbers]) if len(numbers) > MAX_LISTED_NUMBERS else numbers
    yield from wrap(screen.to_text("  " + ", ".join(runs)), screen.width)
    for option, label in zip(ask.options, all_labels, strict=True):
        if label != option.text:
            yield _draw_option_head(screen, label, option, len(label))


def _format_runs(values: Sequence[int]) -> Iterator[str]:
    """Yield numbers as text, consecutive ones as `0 to 5`."""
    first = 0
    for i, value in enumerate(values):
        if values[i + 1 : i + 2] != [value + 1]:
            yield str(value) if i == first else translate("{first} to {last}", first=values[first], last=value)
            first = i + 1


def describe_valid_answers(ask: Ask) -> str:
    """Return what can be typed, in a few words."""
    label_texts = [label for label in option_labels(ask) if label]
    if ask.domain in NUMBER_DOMAINS:
        return f", {gettext('or')} ".join(_describe_valid_amounts(ask))
    if own_numbers(ask):
        return translate("a number from the list, or the start of a word")
    message = NUMBER_OR_WORD if label_texts[0].isdecimal() else LETTER_OR_WORD
    return translate(message, first=label_texts[0], last=label_texts[-1])


NUMBER_OR_WORD = N_("a number from {first} to {last}, or the start of a word")
LETTER_OR_WORD = N_("a letter from {first} to {last}, or the start of a word")


def _describe_valid_amounts(ask: Ask) -> Iterator[str]:
    """Yield `a number from the list` or the only number, then labels of other options, such as `0 for No`."""
    numbers = [label for label, option in zip(option_labels(ask), ask.options, strict=True) if label == option.text]
    yield from [translate("a number from the list")] if len(numbers) > 1 else numbers
    others = [
        (label, option.text)
        for label, option in zip(option_labels(ask), ask.options, strict=True)
        if label != option.text
    ]
    yield from (translate("{label} for {option}", label=label, option=text) for label, text in others[:2])


def describe_things(program: Program, query: str) -> list[str]:
    """Return the effects of things with a name or title."""
    return [line for thing in find_things(program, query) for line in describe_thing(thing)]


def find_things(program: Program, query: str) -> list[LinkedThing]:
    """Return the things with a name or title, or else up to 8 whose words begin so."""
    candidates = [thing for kind in program.kinds for thing in kind.things]
    name = query.casefold().strip()
    exact = [thing for thing in candidates if name in (thing.name.casefold(), thing.title.casefold())]
    if exact:
        return exact
    name_options = [Option(i, i, thing.name, thing.title or thing.name) for i, thing in enumerate(candidates)]
    return [candidates[option.index] for option in match_words(name_options, " ".join(split_words(query)))][:8]


def find_numbered_titles(view: View, number: str) -> set[str]:
    """Return the titles of the things on the panels that have a number printed on them."""
    rows = (row for panel in view.panels() for row in panel.rows if row.key and row.caption == number)
    return {row.title for row in rows} if number.isdecimal() else set()


def describe_thing(thing: LinkedThing) -> Iterator[str]:
    """Yield the title, printed values and effect of a thing."""
    values = f" ({thing.caption})" if thing.caption else ""
    yield f" {thing.title or thing.name}{values}{': ' + thing.words if thing.words else ''}"
