"""Why something is offered or not: the conditions of a question, asked one by one about one option.

They are worked out on a copy of the state as it is while the question waits, by code the rules were compiled to;
the game is never touched. What comes to read a cell that the seat may not know has no answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from edict.game.table.addresses import seats_in
from edict.game.table.game import Game
from edict.game.table.knowledge import blind_value, make_blind
from edict.game.table.options import Ask
from edict.game.table.tracing import hidden_cells
from edict.game.table.wording import Wording
from edict.runtime.program import Cause, Program
from edict.runtime.program.opcodes import DECLINE, QUESTION, YOU
from edict.runtime.program.reasons import Check, Demand, Instead, Value
from edict.support.morphology import inflect_title, join_words

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
        parts = tuple(replace(one, of=self.wording.title(check.kind, i), secret=False) for i, one in shown[:FEW])
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
        return self.wording.amount(variable, number).partition(" ")[2] if variable else inflect_title(number, title)

    def _words(self, query: int, made: int) -> str:
        """A value in words, a long list cut short."""
        type_ = self.program.queries[query].type
        if type_.shape == "set" and made.bit_count() > FEW:
            names = [self.wording.title(type_.kind, i) for i in seats_in(made)]
            return join_words(names, most=FEW)
        return self.wording.value(type_, made)

    def _value(self, query: int, args: tuple[int, ...]) -> int | None:
        """What a query gives; None if it would read something hidden, or cannot be worked out now."""
        return self._asked(query, args)[0]

    def _asked(self, query: int, args: tuple[int, ...]) -> tuple[int | None, bool]:
        """Return the value of a query, and whether it would read something hidden."""
        return blind_value(self.program, make_blind(self.state, self.hidden), query, *args)

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
