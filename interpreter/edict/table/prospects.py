"""What each option costs and brings, before it is taken: every one is tried on what its player may know.

What the next answers of the same player decide (with which dice) is reported for each way, and what all ways have in
common for the option itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from edict.program import Cause
from edict.program import opcodes as o
from edict.program.opcodes import EVENT_SIZE, EV_CHOICE
from edict.table.changes import KEPT, QUANTITY, Change, Changes, inside, once_used
from edict.table.game import Game
from edict.table.options import Option
from edict.table.constraints import Standing, Why
from edict.table.what_if import CHOICES, HIDDEN, LUCK, OTHERS, UNKNOWN, Trial, Tried, changed
from edict.table.wording import listed

DEEPEST = 6  # answers that are gone through after the option itself
MOST_WAYS = 24  # of one option
MOST_TRIES = 240  # for one question
FEW = 3  # ways to pay that are reported in one line

EXCEPTION, SHIFT, ONCE = "exception", "shift", "once"
THEN = {
    LUCK: "then chance decides", OTHERS: "then others decide", CHOICES: "then you choose", HIDDEN: "the rest is hidden",
    UNKNOWN: "the rest takes too long to try out",
}  # fmt: skip


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
        """What is spent, given up or used up, in words: `1 +2 token (once per season)`, `King's Envoy`."""
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
        by = f"thanks to {listed(self.by)}" if self.by else ""
        parts = (f"costs {costs}" if costs else "", by, *_grouped(self.gains), ", ".join(self.shifts))
        told = [part for part in parts if part]
        return "; ".join([*told, THEN[self.ends]] if told and self.ends else told)


@dataclass(frozen=True, slots=True)
class Way(Outlook):
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
    ways: tuple[Way, ...] = ()
    effects: tuple[Effect, ...] = ()

    @property
    def either(self) -> tuple[str, ...]:
        """What the ways cost beyond what all of them do, each once: `dice 2 3`, `1 +2 token and dice 3`."""
        common = self.costs
        costs = (listed(cost for cost in way.costs if cost not in common) or "nothing more" for way in self.ways)
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


Needed = tuple[tuple[Standing, ...], ...]


class _Looking:
    """Goes through the options of one question."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.trial = Trial(game.table, game.last_step, game.state)
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

    def _try(self, state: list[int], index: int) -> Tried:
        self.tries += 1
        return self.trial.answer(state, index)

    def _ways(
        self, option: Option, tried: Tried, needed: Needed, answers: tuple[str, ...]
    ) -> Iterator[Way]:
        """Every way to go on, until there are too many; of those that come to the same, in another order, the first."""
        values = tried.options() if tried.ends == CHOICES else []
        if not values or len(answers) == DEEPEST or self.tries + len(values) > MOST_TRIES:
            yield self._way(option, tried, needed, answers)
            return
        for index, value in enumerate(values):
            following = self._try(tried.state, index)
            if self._again(following.state):
                continue
            whole = Tried(tried.events + following.events, following.state, following.ends, following.asked)
            yield from self._ways(option, whole, needed, (*answers, self.game.table.options.text(tried.asked, value)))

    def _again(self, state: list[int]) -> bool:
        """Whether this state was come to before, by whatever way and with however much work."""
        met = tuple(list(state)[: o.SPENT] + list(state)[o.TOTAL + 1 :])
        again = met in self.met
        self.met.add(met)
        return again

    def _way(self, option: Option, tried: Tried, needed: Needed, answers: tuple[str, ...]) -> Way:
        shifts = tuple(self._shifts(tried.events))
        exceptions = tuple(self._exceptions(needed, tried.events))
        changes = tuple(one for one in self.changes.of(tried) if not self._echoes(one, option))
        return Way(changes, (*exceptions, *shifts, *self._once(tried, shifts)), tried.ends, answers)

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

    def _standing(self, option: Option) -> Iterator[tuple[Standing, ...]]:
        """The exceptions that hold for an option, of each rule that it would not keep without them."""
        for reason in self.why.excepting(option.value) if option.value >= 0 else ():
            if reason.found.holds is False and reason.excepted is not None:
                yield tuple(one for one in reason.unless if one.holds)

    def _exceptions(self, standing: Sequence[tuple[Standing, ...]], events: Sequence[int]) -> Iterator[Use]:
        """Of the exceptions to a rule that hold the one that is used: of several that which did something."""
        did = {(cause.name, cause.title) for cause in self._causes(events)}
        for holding in standing:
            used = [one for one in holding if (one.cause.name, one.cause.title) in did] or holding
            title = used[0].cause.title or used[0].because or used[0].cause.name
            yield Use(EXCEPTION, title, title, used[0].cause)

    def _causes(self, events: Sequence[int]) -> Iterator[Cause]:
        for pc, *_ in changed(events):
            yield self.game.program.cause_at(pc)

    def _shifts(self, events: Sequence[int]) -> Iterator[Use]:
        """The shifts in the ways that were paid, also if there was only one; what they spend is listed separately."""
        for i in range(0, len(events), EVENT_SIZE):
            question = self.game.program.questions[events[i + 2]] if events[i] == EV_CHOICE else None
            if question is not None and question.domain == "ways" and events[i + 4] >= 0:
                cause = self.game.program.causes[question.cause]
                for text in self.game.table.wording.split(question, events[i + 4])[1]:
                    yield Use(SHIFT, text, text, cause)

    def _once(self, tried: Tried, shifts: Sequence[Use]) -> Iterator[Use]:
        for phase, cause in once_used(self.game.table, self.trial.start, tried.state):
            title = cause.title or listed(use.text for use in shifts) or cause.name
            yield Use(ONCE, title, f"{title} (once per {inside(phase)})", cause)


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


__all__ = ["THEN", "Effect", "Outlook", "Prospect", "Use", "Way", "prospects"]
