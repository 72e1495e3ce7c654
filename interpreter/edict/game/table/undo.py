"""Undo: which answers can be taken back, and what became known by an answer and cannot be forgotten.

Dice that were just typed go, or somebody's own last answer, as long as nothing has been revealed since.

Something has been revealed when luck was seen, when a secret came to be known to somebody, or when a fact hidden from
whoever answered decided what happened. Taking the answer back would then mean a free look.

Nor may it tell anything whether an answer can be taken back. So what counts is not what a hidden fact has led to but
that something hung on it, whichever way that went: up to there, everything that looks the same has gone the same way,
and what came after is not mentioned.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import takewhile

from edict.game.table.addresses import Cell, Event, events_of, seats_in, whole
from edict.game.table.game_errors import GameError
from edict.game.table.game_steps import Step, Table, chain_of, rebuilt
from edict.game.table.knowledge import Secrets
from edict.game.table.options import is_roll
from edict.game.table.tracing import Noted, SecretWritten, may_know, taints, traced
from edict.runtime.program.opcodes import CHANCE, EV_CHOICE, EVERYONE, SEAT, YOU
from edict.support.morphology import join_words

HIDDEN = "something hidden has affected what happened"
FREELY = "`play --takebacks free` lets you, when you play alone"
BACK = "`back` goes back over that too"


# --- which answers go --------------------------------------------------------------------------


def last_answer(last: Step) -> Sequence[Step]:
    """The last answer a player gave, and the typed dice after it, the latest first. Raises `GameError` without one."""
    steps = chain_of(last)[:0:-1]
    dice = len(list(takewhile(lambda step: step.seat == CHANCE, steps)))
    if dice == len(steps):
        raise GameError("there is no answer to take back")
    return steps[: dice + 1]


def last_typed(table: Table, last: Step, seat: int, people: Collection[int]) -> tuple[Sequence[Step], str]:
    """What was typed last, the latest first, and what to say when it is taken back.

    That is dice, or the seat's last answer and what bots answered after it. Raises `GameError` if people did.
    """
    steps = chain_of(last)[:0:-1]
    dice = _typed_dice(table, steps)
    if dice:
        return dice, "The dice are taken back: type them again."
    return _own_answer(table, steps, seat, people), "Your last answer is taken back."


def _typed_dice(table: Table, steps: Sequence[Step]) -> Sequence[Step]:
    """The throw that was typed last, if nobody has answered since; a slip of the finger is no luck."""

    def throw(step: Step) -> tuple[int, int]:
        assert step.before is not None
        return step.question, rebuilt(table, step.before)[YOU]

    return list(takewhile(lambda step: step.seat == CHANCE and throw(step) == throw(steps[0]), steps))


def _own_answer(table: Table, steps: Sequence[Step], seat: int, people: Collection[int]) -> Sequence[Step]:
    """The seat's last answer and all that came after it, the latest first."""
    for number, step in enumerate(steps, 1):
        if step.seat == seat >= 0:
            return steps[:number]
        if step.seat in people:
            raise GameError(f"{table.players[step.seat]} has answered since")
    raise GameError("you have not answered anything yet")


def check_unrevealed(table: Table, steps: Sequence[Step], seat: int, remedy: str) -> None:
    """Raises `GameError` if anything was revealed by these steps, which begin with the latest."""
    for step in reversed(steps):
        who = table.players[step.seat] if step.seat >= 0 else ""
        if who and step.seat != seat and step.before is not None:
            if _knows_more(table, rebuilt(table, step.before), step.seat, seat):
                raise GameError(f"{_knowing(table, step.seat)} since", remedy)
        if step.seat == CHANCE and len(steps) > 1 and steps[-1].seat != CHANCE:
            raise GameError("dice have been rolled since", remedy)
        found = revealed(table, step, seat)
        if found:
            raise GameError(f"{found} since", remedy)


# --- what was revealed -------------------------------------------------------------------------


def revealed(table: Table, step: Step, seat: int) -> str:
    """What has been revealed by a step, to be followed by `since`; nothing if it can be taken back by this seat."""
    return next(_found(table, step, seat), "") if step.before is not None else ""


def _found(table: Table, step: Step, seat: int) -> Iterator[str]:
    assert step.before is not None
    trace = traced(table, step, taints(table, step)[-1].begun)
    old = rebuilt(table, step.before)
    hidden = min((place for place, known in trace.hung if not may_know(known, seat)), default=len(trace.events) + 1)
    for place, (event, noted) in enumerate(zip(events_of(step.events)[:hidden], trace.events[:hidden], strict=True)):
        if place > 0:  # the answer itself, which comes first, is no luck, even if it was a die that somebody typed
            yield from _luck(table, event, noted, seat)
        put = [one for one in trace.put if one.place <= place]
        if _in_secret(table, event, noted, seat) and _knows_more(table, _write_masks(table, old, put), event[3], seat):
            yield from _shown(table, old, put, seat)
            yield _knowing(table, event[3])
    if hidden <= len(trace.events):
        yield HIDDEN
    yield from _shown(table, old, trace.put, seat)
    if rebuilt(table, step)[SEAT] == seat and not may_know(trace.chosen, seat):
        yield HIDDEN


def _knows_more(table: Table, state: Sequence[int], seat: int, other: int) -> bool:
    """Return True if a seat knows something in a state that is hidden from the other seat."""
    return Secrets.of(table.program).knows_more(state, seat, other)


def _knowing(table: Table, seat: int) -> str:
    """That somebody has answered whose answer tells something, to be followed by `since`."""
    return f"{table.players[seat]}, who knows something that you do not, has answered"


# --- what others do ----------------------------------------------------------------------------


def _in_secret(table: Table, event: Event, noted: Noted, seat: int) -> bool:
    """Whether somebody else had a single option in a secret choice, and so seems to have been asked."""
    there = noted.forced is not None and event[3] not in (CHANCE, seat)
    return there and table.program.questions[event[2]].secret


def _write_masks(table: Table, old: Sequence[int], put: Sequence[SecretWritten]) -> list[int]:
    """Return a copy of a state with the masks of seats, of all that was put there, as they were then."""
    state = [*old]
    for written in put:
        if written.at in table.layout.watched:
            state[written.at] = written.value
    return state


# --- luck --------------------------------------------------------------------------------------


def _luck(table: Table, event: Event, noted: Noted, seat: int) -> Iterator[str]:
    """Dice rolled and things drawn for everybody to see; of a secret draw nobody has seen anything yet."""
    kind, _, number, whose, value = event
    if kind != EV_CHOICE or whose != CHANCE or noted.forced is not None and may_know(noted.forced, seat):
        return  # with a single option nothing is drawn, unless nobody can tell that there was only one
    question = table.program.questions[number]
    if is_roll(question):
        yield "dice have been rolled"
    elif not question.secret:
        what = table.options.text(number, value) if question.domain == "thing" else ""
        yield f"{what} has been drawn" if what else "something has been left to chance"


# --- secrets that come to be known -----------------------------------------------------------------


def _shown(table: Table, old: Sequence[int], put: Sequence[SecretWritten], seat: int) -> Iterator[str]:
    """Yield the values that somebody came to know, other than what a seat knew and has put there itself."""
    known, everyone = _write_masks(table, old, put), old[EVERYONE]
    written = {one.at: one for one in put if one.at not in table.layout.watched}
    for at, cell in table.layout.watched.items():
        new = [written[i] for i in range(cell.address, cell.address + cell.variable.type.cells) if i in written]
        seen = known[at] & everyone & (everyone if new else ~old[at])
        if all(may_know(one.known, seat) for one in new):
            seen = 0 if _nothing(cell, new, old, seat) else seen & ~(1 << seat) if new else seen
        if seen:
            names = [table.players[i] for i in seats_in(seen)]
            who = "everybody has" if seen == everyone else f"{join_words(names)} {'has' if len(names) == 1 else 'have'}"
            yield f"{who} seen {_named(table, cell)}"


def _nothing(cell: Cell, new: Sequence[SecretWritten], old: Sequence[int], seat: int) -> bool:
    """Whether there is nothing to be known, as the seat knows itself: a card put away."""
    if not cell.variable.type.optional:
        return False
    return new[-1].value < 0 if new else bool(old[cell.known] >> seat & 1) and cell.value(old) < 0


def _named(table: Table, cell: Cell) -> str:
    there = whole(cell)
    owners = table.wording.owners(there)
    title = there.variable.title or there.variable.name
    return f"{owners}'s {title}" if owners else f"the {title}"
