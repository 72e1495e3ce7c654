"""Why something is offered or not: the conditions of a question, asked one by one about one option, and told in words.

They are worked out on a copy of the state as it is while the question waits, by code the rules were compiled to;
the game is never touched. What comes to read a cell that the seat may not know has no answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from edict.program import Cause, Program
from edict.program.opcodes import DECLINE, QUESTION, YOU
from edict.program.reasons import Check, Demand, Instead, Value
from edict.table.addresses import seats_in
from edict.table.game import Game
from edict.table.knowledge import blind_value
from edict.table.options import Ask, Option
from edict.table.tracing import hidden_cells
from edict.table.wording import Wording, counted
from edict.text import capital

# --- reasons --------------------------------------------------------------------------------------------

MARK = re.compile(r"\{(\d)\}")
AIDED = ("dice", "total")  # demands beside which stand shifts, and not exceptions
FEW = 8  # members of a set that are named


@dataclass(frozen=True, slots=True)
class Finding:
    """A condition and how it came out; None if it hangs on something the seat may not know, or cannot be asked.

    `text` and `values`, what it speaks of, are as the rules have them, `words` and `amounts` as players read them.
    `parts` are the parts that were looked at; of `every` and `some`, whose members they are about is in `of`.
    """

    holds: bool | None
    text: str
    cause: Cause
    values: tuple[str, ...] = ()
    parts: tuple[Finding, ...] = ()
    of: str = ""
    shape: str = "is"
    secret: bool = False
    words: str = ""
    amounts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Alternative:
    """An exception or a shift: whether it holds, and if it then asks something else, how that came out."""

    cause: Cause
    module: str
    holds: bool | None
    when: Finding | None
    require: Finding | None
    because: str


@dataclass(frozen=True, slots=True)
class Reason:
    """One demand on an option, and whether it is met. `module` is where its rule comes from, if not from the game."""

    sort: str
    name: str
    because: str
    cause: Cause
    module: str
    holds: bool | None
    found: Finding
    unless: tuple[Alternative, ...] = ()

    @property
    def excepted(self) -> Alternative | None:
        """The exception that decides in place of the rule."""
        holding = (one for one in self.unless if one.holds)
        return None if self.sort in AIDED else next(holding, None)

    @property
    def overruling(self) -> Alternative | None:
        """An exception that may refuse in place of a rule that is kept, where it is hidden whether it holds."""
        if self.sort in AIDED or self.holds is not None or self.found.holds is not True:
            return None
        return next((one for one in self.unless if one.holds is None and one.require is not None), None)


class Why:
    """Asks about the current question in a game, as seen by one seat.

    `game` must wait for an answer (`game.seat` is a player's). seat: None sees everything.
    """

    def __init__(self, game: Game, seat: int | None) -> None:
        self.game = game
        self.seat = seat
        self.program: Program = game.program
        self.wording: Wording = game.table.wording
        self.state = game.state
        self.number = self.state[QUESTION]
        self.question = self.program.questions[self.number]
        self.hidden = frozenset[int]()
        if seat is not None:
            self.hidden = hidden_cells(game.table, game.last_step, self.state, seat)
        self._homes = dict(self.program.reasons.homes)

    # --- what can be asked about

    def candidates(self, number: int | None = None) -> Ask:
        """A question (this one, or that of a number) with everything that could ever be an answer to it."""
        number = self.number if number is None else number
        question = self.program.questions[number]
        if question.domain == "thing":
            values = list(range(len(self.wording.things(question.kind))))
        elif question.domain == "number":
            values = list(range(self.program.room))
        elif question.domain == "die":
            values = list(self.program.dice.fields)
        else:
            values = list(range(len(question.labels)))
        decline = [DECLINE] if question.decline else []
        return self.game.table.options.ask(number, max(self.game.seat, 0), [*values, *decline])

    def reasons(self, value: int) -> tuple[Reason, ...]:
        """Every demand of the question on this option, in the order in which the rules make them."""
        mine = (one for one in self.program.reasons.demands if one.question == self.number)
        return tuple(self._reason(one, value) for one in mine if one.option in (None, value))

    def excepting(self, value: int) -> tuple[Reason, ...]:
        """Those demands on this option to which there are exceptions."""
        mine = (one for one in self.program.reasons.demands if one.question == self.number and one.unless)
        return tuple(self._reason(one, value) for one in mine if one.sort not in AIDED and one.option in (None, value))

    def payment(self) -> tuple[int, int] | None:
        """Of a question with which dice: the total to be made, and the dice there are; None if that is unknown."""
        demand = next((d for d in self.program.reasons.demands if (d.question, d.sort) == (self.number, "total")), None)
        if demand is None:
            return None
        values = self.program.reasons.checks[demand.check].values
        found = [self._value(value.query, ()) for value in values]
        return (found[0], found[1]) if found[0] is not None and found[1] is not None else None

    def module(self, cause: Cause) -> str:
        """The module a rule comes from; nothing for the game itself."""
        return self._homes.get(cause.file, "")

    # --- demands

    def _reason(self, demand: Demand, value: int) -> Reason:
        args = (value,) if demand.option is None and demand.sort != "total" else ()
        found = self._check(demand.check, args, (self.question.kind,))
        unless = tuple(self._standing(one, args) for one in demand.unless)
        holds = found.holds if demand.sort in AIDED else _decided(found.holds, unless)
        cause = self.program.causes[demand.cause]
        return Reason(demand.sort, demand.name, demand.because, cause, self.module(cause), holds, found, unless)

    def _standing(self, one: Instead, args: tuple[int, ...]) -> Alternative:
        kinds = (self.question.kind,)
        when = self._check(one.check, args, kinds) if one.check >= 0 else None
        require = self._check(one.require, args, kinds) if one.require >= 0 else None
        cause = self.program.causes[one.cause]
        return Alternative(cause, self.module(cause), when is None or when.holds, when, require, one.because)

    # --- checks

    def _check(self, number: int, args: tuple[int, ...], kinds: tuple[str, ...]) -> Finding:
        check = self.program.reasons.checks[number]
        if check.parts and check.shape in ("all", "any"):
            return self._parts(check, args, kinds)
        if check.parts:
            return self._members(check, args, kinds)
        made, hushed = (None, check.secret) if check.secret or check.query < 0 else self._asked(check.query, args)
        found = self._finding(check, None if made is None else bool(made), args, kinds)
        if hushed:
            return replace(found, secret=True)
        values, amounts = (self._values(check, args, kinds, plainly) for plainly in (False, True))
        return replace(found, values=values, amounts=amounts)

    def _parts(self, check: Check, args: tuple[int, ...], kinds: tuple[str, ...]) -> Finding:
        """In order, and no further than the rules look: a later part may make sense only if the earlier ones hold."""
        decisive = check.shape == "any"
        looked: list[Finding] = []
        for part in check.parts:
            looked.append(self._check(part, args, kinds))
            if looked[-1].holds is decisive:
                break
        outcomes = [one.holds for one in looked]
        holds = decisive if outcomes[-1] is decisive else None if None in outcomes else not decisive
        return replace(self._finding(check, holds, args, kinds), parts=tuple(looked))

    def _members(self, check: Check, args: tuple[int, ...], kinds: tuple[str, ...]) -> Finding:
        """The members that decide: of `every` those without it, of `some` one with it, or else all."""
        members, hushed = self._asked(check.query, args)
        if members is None:
            return replace(self._finding(check, None, args, kinds), secret=hushed)
        inner = [
            (i, self._check(check.parts[0], (*args, i), (*_filled(kinds, args), check.kind))) for i in seats_in(members)
        ]
        decisive = check.shape == "some"
        deciding = [(i, one) for i, one in inner if one.holds is decisive]
        unknown = any(one.holds is None for _, one in inner)
        holds = decisive if deciding else None if unknown else not decisive
        shown = deciding[:1] if decisive and deciding else deciding or inner
        parts = tuple(
            replace(one, of=self.wording.title(check.kind, i), secret=False) for i, one in shown[:FEW]
        )
        return replace(self._finding(check, holds, args, kinds), parts=parts)

    def _finding(self, check: Check, holds: bool | None, args: tuple[int, ...], kinds: tuple[str, ...]) -> Finding:
        text, cause = self._named(check.text, args, kinds), self.program.causes[check.cause]
        return Finding(holds, text, cause, shape=check.shape, words=check.words or text)

    # --- values

    def _values(self, check: Check, args: tuple[int, ...], kinds: tuple[str, ...], plainly: bool) -> tuple[str, ...]:
        said = (self._said(value, args, kinds, plainly) for value in check.values)
        return tuple(dict.fromkeys(words for words in said if words))

    def _said(self, value: Value, args: tuple[int, ...], kinds: tuple[str, ...], plainly: bool) -> str:
        """`price of Statue in wood is 3`, `you have 1 wood`; nothing for what cannot be told.

        For players: `the price of the building in the good: 3`, and nothing but numbers and dice.
        """
        made = self._value(value.query, args)
        if made is None:
            return ""
        name = self._named(value.text, args, kinds)
        if value.have:
            you = self.state[YOU]
            who = "you have" if you == self.seat else f"{self.game.players[you]} has"
            return f"{who} {made or 'no'} {self._counted(name, made)}"
        if not plainly:
            return f"{name} is {self._words(value.query, made)}"
        countable = self.program.queries[value.query].type.shape in ("number", "dice")
        return f"{value.words or name}: {self._words(value.query, made)}" if countable else ""

    def _counted(self, title: str, number: int) -> str:
        """A resource in the singular or the plural; of one that is asked about only its title is known here."""
        variable = next((v for v in self.program.variables if v.resource and v.title == title), None)
        return self.wording.amount(variable, number).partition(" ")[2] if variable else counted(title, number)

    def _words(self, query: int, made: int) -> str:
        """A value in words, a long list cut short."""
        type_ = self.program.queries[query].type
        if type_.shape == "set" and made.bit_count() > FEW:
            names = [self.wording.title(type_.kind, i) for i in seats_in(made)]
            return f"{', '.join(names[:FEW])} and {len(names) - FEW} more"
        return self.wording.value(type_, made)

    def _value(self, query: int, args: tuple[int, ...]) -> int | None:
        """What a query gives; None if it would read something hidden, or cannot be worked out now."""
        return self._asked(query, args)[0]

    def _asked(self, query: int, args: tuple[int, ...]) -> tuple[int | None, bool]:
        """What a query gives, and whether it would read something hidden."""
        return blind_value(self.program, self.state, self.hidden, query, *args)

    def _named(self, text: str, args: tuple[int, ...], kinds: tuple[str, ...]) -> str:
        """A text with the names of what it is about."""
        names = [self._title(kind, value) for kind, value in zip(kinds, args, strict=False)]
        return MARK.sub(lambda found: names[int(found[1])] if int(found[1]) < len(names) else "it", text)

    def _title(self, kind: str, value: int) -> str:
        if self.question.domain == "die" and kind == self.question.kind:
            return self.game.table.options.text(self.number, value)
        return self.wording.title(kind, value) if kind and kind != "number" else str(value)


def _filled(kinds: tuple[str, ...], args: tuple[int, ...]) -> tuple[str, ...]:
    """The kinds of what has been handed over so far."""
    return kinds[: len(args)]


def _decided(rule: bool | None, unless: Sequence[Alternative]) -> bool | None:
    """How a rule comes out with its exceptions: the first that holds counts in its place.

    Where it is hidden whether one holds, what comes out either way; None if that differs.
    """
    if not unless:
        return rule
    one, *others = unless
    instead = True if one.require is None else one.require.holds
    if one.holds:
        return instead
    rest = _decided(rule, others)
    return rest if one.holds is False or instead is rest else None


# --- reasons in words -----------------------------------------------------------------------------------

SECRET = "that depends on something you may not see"
BOTH, PLAYERS, AUTHORS = "", "players", "authors"


@dataclass(frozen=True, slots=True)
class ReasonLine:
    """A line, its indentation, and the place in the rules it refers to, which is shown dim after it.

    `hang` is by how many columns its further lines stand further in, where it does not fit on one. `voice` is for whom
    the line is: those who write rules read names, conditions and places, players what they mean.
    """

    words: str
    place: str = ""
    level: int = 0
    hang: int = 0
    voice: str = BOTH


def for_readers(said: Sequence[ReasonLine], exactly: bool) -> list[ReasonLine]:
    """The lines for those who write rules, if it is to be told exactly; or else those for players, without places."""
    left_out = PLAYERS if exactly else AUTHORS
    return [one if exactly else replace(one, place="") for one in said if one.voice != left_out]


def place(cause: Cause, module: str) -> str:
    """The place of a rule, and its module."""
    return f"{cause.file}:{cause.line}" + (f", module {module}" if module else "")


# --- an option -----------------------------------------------------------------------------------


def offered(why: Why, option: Option) -> list[ReasonLine]:
    """Why an option is there: all it had to meet."""
    cause = why.program.causes[why.question.cause]
    found = [ReasonLine(f"{option.text}: offered by {named(cause)}.", place(cause, why.module(cause)))]
    if option.value < 0:
        return [*found, ReasonLine("You may always decline here.", level=1)]
    reasons = why.reasons(option.value)
    found += [*kept(reasons), *(line for reason in reasons for line in met(reason))]
    lacking = [voice for voice in (PLAYERS, AUTHORS) if all(one.voice not in (BOTH, voice) for one in found[1:])]
    return found + [ReasonLine("There are no other conditions.", level=1, voice=voice) for voice in lacking]


def refused(why: Why, option: Option) -> list[ReasonLine]:
    """Why an option is not there: what it does not meet, or at least what may be so."""
    cause = why.program.causes[why.question.cause]
    found = [ReasonLine(f"{option.text}: not offered by {named(cause)}.", place(cause, why.module(cause)))]
    reasons = why.reasons(option.value)
    failed = [reason for reason in reasons if reason.holds is False]
    doubtful = [reason for reason in reasons if reason.holds is None and not failed]
    first = [reason for reason in failed if reason.sort != "next"]  # that nothing can be chosen then, follows from it
    for reason in first or failed or doubtful:
        found += missed(reason)
    if option.value < 0:
        found.append(ReasonLine("An answer is required: you cannot decline here.", level=1))
    return found if len(found) > 1 else [*found, ReasonLine("No rule says why.", level=1)]


def refused_dice(why: Why, about: str) -> list[ReasonLine]:
    """Why dice that were named are no way to pay."""
    shown, payment = [int(face) for face in re.findall(r"[0-9]{1,2}", about)], why.payment()
    if not shown or payment is None:
        return [ReasonLine("Name dice by their numbers, as in `why not 3 5`.")]
    total, dice = payment
    mine = [face for _, _, faces in why.wording.faces(dice) for face in faces]
    found = [ReasonLine(f"{' '.join(map(str, shown))}: no way to make {total}.")]
    if any(shown.count(face) > mine.count(face) for face in shown):
        found.append(ReasonLine(f"Not all of these are among the dice: {why.wording.dice(dice)}.", level=1))
    elif sum(shown) != total:
        found.append(ReasonLine(f"They make {sum(shown)}.", level=1))
    for reason in why.reasons(0):
        text = f"There must be at least {reason.found.text} among them." if reason.found.text else "They must fit."
        found.append(ReasonLine(text, place(reason.cause, reason.module), 1))
        for one in reason.unless:
            found += _helping(one) if one.holds else _no_help(one, True)
    return found


def _helping(one: Alternative) -> list[ReasonLine]:
    return [ReasonLine(f"What could help: {_title(one)}", place(one.cause, one.module), 2)]


def named(cause: Cause) -> str:
    """A rule by its title; those that stand for themselves have none."""
    name = cause.title or cause.name
    return f"“{name}”" if name else "a rule"


NEEDS = {
    "from": "It is not among {}.",
    "where": "This must be true: {}.",
    "range": "The numbers go from {}.",
    "if": "It is offered only if {}.",
    "price": "You cannot pay {}.",
    "held": "You have none of it to give up.",
    "dice": "Your dice cannot make its total{}.",
    "next": "Afterwards there would be nothing to choose for “{}”.",
    "works": "It works only if {}.",
    "once": "It has been used: {}.",
    "used": "It has been used just now; each comes once.",
}
MET = {
    "from": "It is among {}.",
    "where": "This is true: {}.",
    "range": "The numbers go from {}.",
    "if": "This is true: {}.",
    "price": "You can pay {}.",
    "held": "You have it to give up.",
    "dice": "Your dice make its total{}.",
    "next": "Then there is something to choose for “{}”.",
    "works": "It works for you: {}.",
    "once": "It has not been used yet: {}.",
    "used": "It has not been used just now.",
    "total": "The dice make the total{}.",
}
IN_AMOUNTS = ("dice", "total", "price")  # what is told of them for players as well


def kept(reasons: Sequence[Reason]) -> list[ReasonLine]:
    """For players: what would stand in the way, and does not."""
    rules = [one for one in reasons if one.sort == "rule" and one.because and not excused(one)]
    against = [one.because for one in rules if one.holds]
    hidden = [one.because for one in rules if one.holds is None]
    none = "This is not the case" if len(against) == 1 else "None of this is the case"
    found = [ReasonLine(f"{none}: {'; '.join(against)}.", level=1, voice=PLAYERS)] if against else []
    return [*found, *(ReasonLine(f"Perhaps {one}: {SECRET}.", level=1, voice=PLAYERS) for one in hidden)]


def missed(reason: Reason) -> Iterator[ReasonLine]:
    """A demand that is not met, what it speaks of, and the exceptions and shifts that do not help."""
    where, instead = place(reason.cause, reason.module), reason.overruling or reason.excepted
    if instead is not None and instead.require is not None:
        text, there = capital(instead.because or f"{_title(instead)} requires something else"), instead.module
        yield ReasonLine(f"{text} (in place of the rule {reason.name})", place(instead.cause, there), 1, voice=AUTHORS)
        yield ReasonLine(
            f"{text}." if instead.because else f"{text}: {_deciding(instead.require)}.", level=1, voice=PLAYERS
        )
        if instead.when is not None and instead.holds is None:
            yield from _shown(instead.when, 2, "if ")
        yield from _shown(instead.require, 2, "needed: ")
        return
    if reason.sort == "rule":
        yield ReasonLine(f"{capital(_because(reason))} (rule {reason.name})", where, 1, voice=AUTHORS)
        because = reason.because or f"this must be true: {_deciding(reason.found)}"
        yield ReasonLine(f"{capital(because)}.", level=1, voice=PLAYERS)
        yield from _shown(reason.found, 2, "needed: ")
        yield from (ReasonLine(text, level=2, voice=PLAYERS) for text in _amounts(reason.found))
    else:
        yield from _demand(NEEDS[reason.sort], reason)
    for one in reason.unless:
        yield from _no_help(one, reason.sort in AIDED)


def met(reason: Reason) -> Iterator[ReasonLine]:
    """A demand that is met; rules that are simply kept are told to players all at once (`kept`)."""
    where, excepted = place(reason.cause, reason.module), reason.excepted
    if excepted is not None and excused(reason):
        text = capital(_because(reason))
        yield ReasonLine(f"{text} (rule {reason.name}), but an exception allows it:", where, 1, voice=AUTHORS)
        yield ReasonLine(f"{text}, but an exception allows it:", level=1, voice=PLAYERS)
        yield ReasonLine(_title(excepted), place(excepted.cause, excepted.module), 2)
        if excepted.when is not None:
            yield from _shown(excepted.when, 2, "if ")
        if excepted.require is not None:
            yield from _shown(excepted.require, 2, "needed: ")
    elif reason.sort == "rule":
        text = reason.found.text or reason.because
        yield ReasonLine(f"It satisfies the rule {reason.name}: {text}", where, 1, voice=AUTHORS)
        yield from (replace(one, voice=AUTHORS) for one in _detail(reason.found, 2))
    elif reason.sort in MET:
        yield from _demand(MET[reason.sort], reason)


def excused(reason: Reason) -> bool:
    """Whether it is an exception that decides: the rule is broken, or something else is asked in its place."""
    excepted = reason.excepted if reason.sort == "rule" else None
    return excepted is not None and (reason.found.holds is False or excepted.require is not None)


def _demand(pattern: str, reason: Reason) -> Iterator[ReasonLine]:
    """What is demanded beside rules, as the rules have it and as players read it."""
    exact, words = (pattern.format(_text(reason, text)) for text in (reason.found.text, reason.found.words))
    where = place(reason.cause, reason.module)
    if exact == words:
        yield ReasonLine(exact, where, 1)
    else:
        yield ReasonLine(exact, where, 1, voice=AUTHORS)
        yield ReasonLine(words, level=1, voice=PLAYERS)
    yield from _detail(reason.found, 2)
    if reason.sort in IN_AMOUNTS:
        yield from (ReasonLine(text, level=2, voice=PLAYERS) for text in _amounts(reason.found))


def _because(reason: Reason) -> str:
    return reason.because or "it would break this rule"


def _text(reason: Reason, text: str) -> str:
    if reason.sort in AIDED:
        return f" with at least {text}" if text else ""
    return text


def _title(one: Alternative) -> str:
    return one.cause.title or one.cause.name or one.because or "a house rule"


def _no_help(one: Alternative, shift: bool) -> Iterator[ReasonLine]:
    """An exception or a shift that does not hold, or a shift that does not help although it does."""
    where, name = place(one.cause, one.module), _title(one)
    if one.holds and shift:
        yield ReasonLine(f"Not even with {name}", where, 2, voice=AUTHORS)
        yield ReasonLine(f"{_named(one)}: not enough.", level=2, voice=PLAYERS)
    elif not one.holds:
        yield ReasonLine(f"No {'help' if shift else 'exception'} now: {name}", where, 2, voice=AUTHORS)
        yield ReasonLine(f"{_named(one)}: {_lacking(one)}.", level=2, voice=PLAYERS)
        if one.when is not None:
            yield from _shown(one.when, 3, "only if ")


def _named(one: Alternative) -> str:
    """For players: an exception or a shift by its title, or what it does."""
    return capital(one.cause.title or one.because or "another rule")


def _lacking(one: Alternative) -> str:
    """For players: what stands in its way."""
    if one.when is None or not _deciding(one.when):
        return "not now"
    return "; ".join(_amounts(one.when)) or f"only if {_deciding(one.when)}"


# --- conditions ------------------------------------------------------------------------------------


def _deciding(found: Finding) -> str:
    """For players: the parts of a condition that decide."""
    if found.shape in ("all", "any") and found.parts:
        parts = (_deciding(part) for part in found.parts if part.holds == found.holds)
        return " and ".join(dict.fromkeys(part for part in parts if part))
    return SECRET if found.secret else found.words


def _amounts(found: Finding) -> list[str]:
    """For players: how much of what somebody has, and what that is compared with."""
    deciding = [part for part in found.parts if found.shape not in ("all", "any") or part.holds == found.holds]
    own = ": ".join(filter(None, (found.of, "; ".join(found.amounts)))) if found.amounts else ""
    return [text for part in deciding for text in _amounts(part)] + ([own] if own else [])


def _shown(found: Finding, level: int, before: str = "") -> Iterator[ReasonLine]:
    """A condition and what it speaks of; of several parts those that decide."""
    if found.shape in ("all", "any") and found.parts:
        for part in found.parts:
            if part.holds == found.holds:
                yield from _shown(part, level, before)
        return
    if found.text:
        yield ReasonLine(before + found.text, level=level, voice=AUTHORS)
    yield from _detail(found, level)


def _detail(found: Finding, level: int) -> Iterator[ReasonLine]:
    """The values a condition speaks of, under the member they belong to."""
    if found.secret:
        yield ReasonLine(SECRET, level=level)
    if found.values:
        yield ReasonLine(", ".join(found.values), level=level, voice=AUTHORS)
    for part in found.parts:
        if found.shape in ("all", "any"):
            if part.holds == found.holds:
                yield from _detail(part, level)
        else:
            told = ", ".join(part.values) or part.text
            yield ReasonLine(f"{part.of}: {told}", level=level, voice=AUTHORS)
