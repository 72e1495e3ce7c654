"""What each option costs and brings, before it is taken: every one is tried on what its player may know.

What the next answers of the same player decide (with which dice) is reported for each way, and what all ways have in
common for the option itself. Changes are told in numbers and words: resources, what is kept, dice in hand, and
quantities on the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from edict.game.explanations.what_if import CHOICES, HIDDEN, LUCK, OTHERS, UNKNOWN, OptionTrial, TriedOutcome
from edict.game.explanations.why_options import Alternative, Why
from edict.game.table.addresses import PLAYER, Cell, changes_in, choices_in, seats_in
from edict.game.table.game import Game
from edict.game.table.game_steps import Table
from edict.game.table.knowledge import Peeked, blind_value
from edict.game.table.options import Option
from edict.runtime.program import Cause, Variable
from edict.runtime.program import opcodes as o
from edict.support.morphology import join_words, uncapitalize_title
from edict.support.translations import N_

# --- what a try changes ---------------------------------------------------------------------------------

RESOURCE, KEPT, DICE, QUANTITY = "resource", "kept", "dice", "quantity"


@dataclass(frozen=True, slots=True)
class Change:
    """Something that is otherwise afterwards, to be compared by what it is and comes to, not by who did it.

    `sort` is resource, kept, dice or quantity. `seat` is whose it is (-1: the table's), `of` what else it is of, by
    titles. `owner` is the player's name, empty if that is who asks or nobody. `before` and `after` are as the machine
    has them, `amount` the difference of numbers. `loss`: the one who asks has less.
    """

    name: str
    title: str
    sort: str
    seat: int
    owner: str
    of: tuple[str, ...]
    before: int
    after: int
    amount: int | None
    text: str
    loss: bool = False
    causes: tuple[Cause, ...] = field(default=(), compare=False)


class Changes:
    """Tells what changed between the state in which a seat is asked and that after a try."""

    def __init__(self, table: Table, seat: int, start: list[int]) -> None:
        self.table = table
        self.seat = seat
        self.start = start
        self.shown = list(self._shown())
        self.before = [self._value(start, query) for _, query in self.shown]

    def of(self, tried: TriedOutcome) -> tuple[Change, ...]:
        """What an option costs, what else changes, and then the quantities on the table."""
        cells: dict[int, tuple[int, int, list[Cause]]] = {}
        for pc, cell, old, new in changes_in(tried.events):
            there = self.table.layout.cells.get(cell)
            if there is not None and there.variable.type.cells > 1:
                cell, old, new = there.address, there.value(self.start), there.value(tried.state)
            first, _, causes = cells.get(cell, (old, new, []))
            cells[cell] = first, new, [*causes, self.table.program.cause_at(pc)]
        found = [
            change
            for at, (old, new, causes) in sorted(cells.items())
            if old != new and (change := self._cell(at, old, new, tuple(dict.fromkeys(causes)))) is not None
        ]
        return (*sorted(found, key=lambda one: not one.loss), *(self._quantities(tried.state) if cells else ()))

    # --- cells

    def _cell(self, at: int, old: int, new: int, causes: tuple[Cause, ...]) -> Change | None:
        cell = self.table.layout.cells.get(at)
        if cell is None or not self._at_table(cell):
            return None
        variable = cell.variable
        if variable.resource:
            return self._resource(cell, old, new, causes)
        if variable.type.shape == "dice" and variable.kinds == (PLAYER,):
            return self._dice(cell, old, new, causes)
        return None if variable.quiet else self._kept(cell, old, new, causes)

    def _at_table(self, cell: Cell) -> bool:
        pairs = zip(cell.variable.kinds, cell.of, strict=True)
        return all(i < len(self.table.players) for kind, i in pairs if kind == PLAYER)

    def _resource(self, cell: Cell, old: int, new: int, causes: tuple[Cause, ...]) -> Change:
        amount = new - old
        words = self.table.wording.amount(cell.variable, abs(amount))
        text = f"{'-' if amount < 0 else '+'}{words}"
        return self._made(cell, RESOURCE, (old, new), text, amount < 0, causes)

    def _dice(self, cell: Cell, old: int, new: int, causes: tuple[Cause, ...]) -> Change | None:
        """Dice put away or got; faces that change are no price."""
        less, more = self._without(old, new), self._without(new, old)
        if less and more or not less and not more:
            return None
        words = f"{cell.variable.title} {self.table.wording.dice(less or more)}"
        return self._made(cell, DICE, (old, new), f"{'-' if less else '+'}{words}", bool(less), causes)

    def _without(self, dice: int, others: int) -> int:
        """The dice that are not among others."""
        layout, left = self.table.program.dice, 0
        for at in map(layout.place, layout.fields):
            full = (1 << layout.width) - 1
            left |= max((dice >> at & full) - (others >> at & full), 0) << at
        return left

    def _kept(self, cell: Cell, old: int, new: int, causes: tuple[Cause, ...]) -> Change:
        """What is kept: lost if it was this seat's and is nobody's or another's, or nothing is left of it."""
        variable, wording = cell.variable, self.table.wording
        if variable.type.shape == "thing" and variable.type.kind == PLAYER and self.seat in (old, new):
            return self._made(cell, KEPT, (old, new), variable.title, old == self.seat, causes)
        if variable.type.shape == "set":
            parts = [("-", old & ~new), ("+", new & ~old)]
            told = (
                (sign, join_words(wording.title(variable.type.kind, i) for i in seats_in(m))) for sign, m in parts if m
            )
            text = f"{variable.title}: {', '.join(f'{sign}{words}' for sign, words in told)}"
        else:
            text = f"{variable.title}: {wording.value(variable.type, old)} → {wording.value(variable.type, new)}"
        mine = variable.kinds[:1] == (PLAYER,) and cell.of[:1] == (self.seat,)
        nothing = variable.type.optional and new < 0 or variable.type.shape == "set" and not new & ~old
        return self._made(cell, KEPT, (old, new), text, mine and nothing, causes)

    def _made(
        self, cell: Cell, sort: str, values: tuple[int, int], text: str, loss: bool, causes: tuple[Cause, ...]
    ) -> Change:
        variable, wording = cell.variable, self.table.wording
        seat, of = _owner(variable, cell.of)
        titles = tuple(wording.title(kind, i) for kind, i in of)
        owner = self.table.players[seat] if seat not in (self.seat, -1) else ""
        where = ", ".join(titles)
        old, new = values
        amount = new - old if variable.type.shape == "number" else None
        return Change(
            variable.name,
            variable.title or variable.name,
            sort,
            seat,
            owner,
            titles,
            old,
            new,
            amount,
            f"{where}: {text}" if where else text,
            loss and seat in (self.seat, -1),
            causes,
        )

    # --- quantities on the table

    def _shown(self) -> Iterator[tuple[str, int]]:
        """The numbers shown of each player, but for those of which one has so much: their titles and queries."""
        program = self.table.program
        for panel in program.panels:
            if panel.shape == "rows" and panel.kind == PLAYER and not panel.looked:
                for line in panel.lines:
                    (query, *more) = (part.query for part in line.parts) if line.parts else (-1,)
                    if not more and query >= 0 and program.queries[query].type.shape == "number":
                        if not self._is_cell(query):
                            yield line.title, query

    def _is_cell(self, query: int) -> bool:
        """Whether a query does no more than read a variable, whose changes are reported anyway."""
        code = self.table.program.code
        at = self.table.program.queries[query].entry
        at += o.SIZE[o.MOV] if code[at] == o.MOV else 0  # for whom it is asked
        return code[at] == o.LDX and code[at + o.SIZE[o.LDX]] == o.RET

    def _value(self, state: list[int], query: int) -> int | None:
        return blind_value(self.table.program, state.copy(), query, self.seat)[0]

    def _quantities(self, state: list[int]) -> Iterator[Change]:
        for (title, query), old in zip(self.shown, self.before, strict=True):
            new = self._value(state, query)
            if old is not None and new is not None and old != new:
                text = f"{uncapitalize_title(title)} {old} → {new}"
                yield Change(title, title, QUANTITY, self.seat, "", (), old, new, new - old, text, new < old)


def _owner(variable: Variable, of: Sequence[int]) -> tuple[int, list[tuple[str, int]]]:
    """Whose a cell is, and what else it is of."""
    pairs = list(zip(variable.kinds, of, strict=True))
    seat = next((i for kind, i in pairs if kind == PLAYER), -1)
    return seat, [(kind, i) for kind, i in pairs if kind != PLAYER]


def once_used(table: Table, before: Sequence[int], after: Sequence[int]) -> Iterator[tuple[str, Cause]]:
    """What works once in a while and has been used up by anybody: the phase that brings it back, and its rule."""
    program = table.program
    for period in program.periods:
        phase = next((title for name, title in program.phases if name == period.phase), period.phase)
        for seat in range(len(table.players)):
            try:
                used = after[period.base + seat] & ~before[period.base + seat]
            except Peeked:
                continue  # whether it was used depends on something hidden
            yield from ((phase, program.causes[period.abilities[bit]]) for bit in seats_in(used))


# --- what an option leads to ----------------------------------------------------------------------------

DEEPEST = 6  # answers that are gone through after the option itself
MOST_WAYS = 24  # of one option
MOST_TRIES = 240  # for one question
FEW = 3  # ways to pay that are reported in one line

EXCEPTION, SHIFT, ONCE = "exception", "shift", "once"
THEN = {
    LUCK: N_("then chance decides"),
    OTHERS: N_("then others decide"),
    CHOICES: N_("then you choose"),
    HIDDEN: N_("the rest is hidden"),
    UNKNOWN: N_("the rest takes too long to try out"),
}


@dataclass(frozen=True, slots=True)
class Use:
    """A rule that is needed or used up: an exception that lets the option be taken, a shift, what works once.

    `text` says it in a few words.
    """

    sort: str
    title: str
    text: str
    cause: Cause = field(compare=False)


@dataclass(frozen=True, slots=True)
class Outlook:
    """What an answer is certain to lead to.

    `changes` are net, what is lost first. `ends` says why no more is said: luck, others, hidden, choices or unknown; it
    is empty where that is all.
    """

    changes: tuple[Change, ...]
    uses: tuple[Use, ...]
    ends: str

    @property
    def costs(self) -> tuple[str, ...]:
        """What is spent, given up or used up, in words: `a +2 token (once per season)`, `King's Envoy`."""
        lost = [one.text.removeprefix("-") for one in self.changes if one.loss and one.sort != QUANTITY]
        once = {use.title: use.text for use in self.uses if use.sort == ONCE}
        spent = [once.pop(text, text) for text in lost]
        shifts = [use.text for use in self.uses if use.sort == SHIFT and use.text not in lost]
        used = [next((once.pop(t).replace(t, text, 1) for t in [*once] if text.startswith(t)), text) for text in shifts]
        return tuple(dict.fromkeys((*spent, *used, *once.values())))

    @property
    def by(self) -> tuple[str, ...]:
        """The exceptions that let it be, unless they are called like what they cost."""
        lost = {_bare(one.text.removeprefix("-")) for one in self.changes if one.loss}
        return tuple(use.text for use in self.uses if use.sort == EXCEPTION and _bare(use.text) not in lost)

    @property
    def gains(self) -> tuple[str, ...]:
        """What else changes, each player's in one: `+2 gold`, `Ben: -1 wood, -1 stone`."""
        found: dict[str, list[str]] = {}
        for one in self.changes:
            if not one.loss and one.sort != QUANTITY:
                found.setdefault(one.owner, []).append(one.text)
        own = found.pop("", [])
        return (*own, *(f"{owner}: {', '.join(texts)}" for owner, texts in found.items()))

    @property
    def shifts(self) -> tuple[str, ...]:
        """What that does to the quantities on the table: `strength 4 → 6`."""
        return tuple(one.text for one in self.changes if one.sort == QUANTITY)

    @property
    def text(self) -> str:
        """All of it in one line; empty if there is nothing to say."""
        return self._line(", ".join(self.costs))

    def _line(self, costs: str) -> str:
        by = f"thanks to {join_words(self.by)}" if self.by else ""
        parts = (f"costs {costs}" if costs else "", by, *_grouped(self.gains), ", ".join(self.shifts))
        told = [part for part in parts if part]
        return "; ".join([*told, THEN[self.ends]] if told and self.ends else told)


@dataclass(frozen=True, slots=True)
class Continuation(Outlook):
    """One way to continue after an option: the further answers, and the total outcome."""

    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Effect(Outlook):
    """What an effect written on a thing (in this field, by its name) would do now to whoever is asked."""

    name: str = ""


@dataclass(frozen=True, slots=True)
class Prospect(Outlook):
    """An option and what is certain to come of it, whichever of the `ways` is taken; a single way is not listed.

    `effects` are those of the thing that is chosen: none of them need come, but if one does, it is this.
    """

    option: Option = field(kw_only=True)
    ways: tuple[Continuation, ...] = ()
    effects: tuple[Effect, ...] = ()

    @property
    def either(self) -> tuple[str, ...]:
        """What the ways cost beyond what all of them do, each once: `dice 2 3`, `a +2 token and dice 3`."""
        common = self.costs
        costs = (join_words(cost for cost in way.costs if cost not in common) or "nothing more" for way in self.ways)
        found = tuple(dict.fromkeys(costs))
        return found if len(found) > 1 else ()

    @property
    def text(self) -> str:
        """All of it in one line; of ways to pay that differ, the first few."""
        either = self.either
        if not either:
            return self._line(", ".join(self.costs))
        others = len(either) - FEW
        more = [f"one of {others} other ways" if others > 1 else either[FEW]] if others > 0 else []
        return self._line(", ".join((*self.costs, f"either {', or '.join([*either[:FEW], *more])}")))


def prospects(game: Game) -> tuple[Prospect, ...]:
    """The prospects of each option of the current question, for whoever is asked; none if that is chance.

    They hold nothing that the seat does not know. Nothing is said where what it may not know decides already.
    """
    if game.over or game.seat < 0:
        return ()
    looking = _Looking(game)
    return tuple(looking.prospect(option) for option in game.ask.options)


Needed = tuple[tuple[Alternative, ...], ...]


class _Looking:
    """Goes through the options of one question."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.trial = OptionTrial(game.table, game.last_step, game.state)
        self.changes = Changes(game.table, game.seat, self.trial.start)
        self.why = Why(game, game.seat)
        self.tries = 0
        self.met = set[tuple[int, ...]]()

    def prospect(self, option: Option) -> Prospect:
        if not self.trial.known:
            return Prospect((), (), HIDDEN, option=option)
        tried = self._try(self.trial.start, option.index)
        needed, effects = tuple(self._standing(option)), tuple(self._effects(option))
        self.met = set()
        ways = list(self._ways(option, tried, needed, ())) if tried.ends == CHOICES else []
        if not ways or len(ways) > MOST_WAYS or any(way.ends == CHOICES for way in ways):
            whole = self._way(option, tried, needed, ())
            return Prospect(whole.changes, whole.uses, whole.ends, option=option, effects=effects)
        changes, used = _common([way.changes for way in ways]), _common([way.uses for way in ways])
        ends = {way.ends for way in ways}
        several = tuple(ways) if len(ways) > 1 else ()
        end = ends.pop() if len(ends) == 1 else CHOICES
        return Prospect(changes, used, end, option=option, ways=several, effects=effects)

    def _try(self, state: list[int], index: int) -> TriedOutcome:
        self.tries += 1
        return self.trial.answer(state, index)

    def _ways(
        self, option: Option, tried: TriedOutcome, needed: Needed, answers: tuple[str, ...]
    ) -> Iterator[Continuation]:
        """Every way to go on, until there are too many; of those that come to the same, in another order, the first."""
        values = tried.options() if tried.ends == CHOICES else []
        if not values or len(answers) == DEEPEST or self.tries + len(values) > MOST_TRIES:
            yield self._way(option, tried, needed, answers)
            return
        for index, value in enumerate(values):
            following = self._try(tried.state, index)
            if self._again(following.state):
                continue
            whole = TriedOutcome(tried.events + following.events, following.state, following.ends, following.asked)
            yield from self._ways(option, whole, needed, (*answers, self.game.table.options.text(tried.asked, value)))

    def _again(self, state: list[int]) -> bool:
        """Whether this state was come to before, by whatever way and with however much work."""
        met = tuple(list(state)[: o.SPENT] + list(state)[o.TOTAL + 1 :])
        again = met in self.met
        self.met.add(met)
        return again

    def _way(self, option: Option, tried: TriedOutcome, needed: Needed, answers: tuple[str, ...]) -> Continuation:
        shifts = tuple(self._shifts(tried.events))
        exceptions = tuple(self._exceptions(needed, tried.events))
        changes = tuple(one for one in self.changes.of(tried) if not self._echoes(one, option))
        return Continuation(changes, (*exceptions, *shifts, *self._once(tried, shifts)), tried.ends, answers)

    def _echoes(self, change: Change, option: Option) -> bool:
        """Whether a change says no more than the option itself: that what was chosen is kept."""
        if change.sort != KEPT or option.value < 0 or change.after != option.value:
            return False
        return self.game.program.variable_by_name[change.name].type.kind == self.why.question.kind

    def _effects(self, option: Option) -> Iterator[Effect]:
        """What the effects of a thing would do now, with what other rules add to them or put in their place."""
        program, question = self.game.program, self.why.question
        if question.domain != "thing" or option.value < 0:
            return
        carried = {one.field: one for one in program.carriers if one.kind == question.kind}
        for name, entry in program.entries:
            sort, *words = name.split(" ")
            if sort == "effect" and words[:1] == [option.key] and len(words) == 2:
                by = carried.get(words[1])
                tried = self.trial.routine(by.entry, by.param, option.value) if by else self.trial.routine(entry)
                yield Effect(self.changes.of(tried), tuple(self._once(tried, ())), tried.ends, words[1])

    # --- rules that are needed or used up

    def _standing(self, option: Option) -> Iterator[tuple[Alternative, ...]]:
        """The exceptions that hold for an option, of each rule that it would not keep without them."""
        for reason in self.why.excepting(option.value) if option.value >= 0 else ():
            if reason.found.holds is False and reason.excepted is not None:
                yield tuple(one for one in reason.unless if one.holds)

    def _exceptions(self, standing: Sequence[tuple[Alternative, ...]], events: Sequence[int]) -> Iterator[Use]:
        """Of the exceptions to a rule that hold the one that is used: of several that which did something."""
        did = {(cause.name, cause.title) for cause in self._causes(events)}
        for holding in standing:
            used = [one for one in holding if (one.cause.name, one.cause.title) in did] or holding
            title = used[0].cause.title or used[0].because or used[0].cause.name
            yield Use(EXCEPTION, title, title, used[0].cause)

    def _causes(self, events: Sequence[int]) -> Iterator[Cause]:
        for pc, *_ in changes_in(events):
            yield self.game.program.cause_at(pc)

    def _shifts(self, events: Sequence[int]) -> Iterator[Use]:
        """The shifts in the ways that were paid, also if there was only one; what they spend is listed separately."""
        for number, _, value in choices_in(events):
            question = self.game.program.questions[number]
            if question.domain == "ways" and value >= 0:
                cause = self.game.program.causes[question.cause]
                for text in self.game.table.wording.split(question, value)[1]:
                    yield Use(SHIFT, text, text, cause)

    def _once(self, tried: TriedOutcome, shifts: Sequence[Use]) -> Iterator[Use]:
        for phase, cause in once_used(self.game.table, self.trial.start, tried.state):
            title = cause.title or join_words(use.text for use in shifts) or cause.name
            yield Use(ONCE, title, f"{title} (once per {uncapitalize_title(phase)})", cause)


def _bare(text: str) -> str:
    """A text without its article: what is called like what it costs need not be said twice."""
    return text.removeprefix("the ")


def _grouped(gains: Sequence[str]) -> Iterator[str]:
    """One's own together, then each other's."""
    yield ", ".join(gain for gain in gains if ": " not in gain)
    yield from (gain for gain in gains if ": " in gain)


Told = TypeVar("Told", Change, Use)


def _common(several: Sequence[tuple[Told, ...]]) -> tuple[Told, ...]:
    """What all have in common, as the first has it."""
    first, *others = several
    return tuple(one for one in first if all(one in other for other in others))
