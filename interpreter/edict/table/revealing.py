"""What became known by an answer and cannot be forgotten: why it is not taken back.

Something has been revealed when luck was seen, when a secret came to be known to somebody, or when a fact hidden from
whoever answered decided what happened. Taking the answer back would then mean a free look.
"""

from __future__ import annotations

from collections.abc import Iterator

from edict.program.opcodes import ASK, ASKC, CHANCE, EV_CHOICE, EV_SET, EVENT_SIZE, EVERYONE, SEAT
from edict.table.addresses import Cell, seats_in, whole
from edict.table.options import is_roll
from edict.table.steps import Step, Table, rebuilt
from edict.table.tracing import Masks, Trace, traced
from edict.table.trail import has_secrets, trail
from edict.table.wording import listed


def revealed(table: Table, step: Step, seat: int) -> str:
    """What has been revealed by a step, to be followed by `since`; nothing if it can be taken back by this seat."""
    return next(_found(table, step, seat), "")


def _found(table: Table, step: Step, seat: int) -> Iterator[str]:
    yield from _luck(table, step)
    if has_secrets(table.program):
        yield from _shown(table, step, seat)
        if not trail(table, step)[-1].clean and _decided(table, step, seat):
            yield "something hidden has affected what happened"


def knows_more(table: Table, step: Step, seat: int, other: int) -> bool:
    """Whether a seat knew anything hidden from the other when this step began."""
    if step.before is None:
        return False
    state = rebuilt(table, step.before)
    masks = (state[known] for known in table.layout.watched)
    return any(mask >> seat & 1 and not mask >> other & 1 for mask in masks)


# --- luck --------------------------------------------------------------------------------------


def _luck(table: Table, step: Step) -> Iterator[str]:
    """Dice rolled and things drawn for everybody to see; of a secret draw nobody has seen anything yet.

    The answer itself, which comes first, is none of it, even if it was a die that somebody typed.
    """
    code, events = table.program.code, step.events
    for i in range(EVENT_SIZE if step.before else 0, len(events), EVENT_SIZE):
        kind, pc, number, seat, value = events[i : i + EVENT_SIZE]
        if kind != EV_CHOICE or seat != CHANCE or code[pc] in (ASK, ASKC) and code[pc + 1] == number:
            continue  # with a single option nothing is drawn
        question = table.program.questions[number]
        if is_roll(question):
            yield "dice have been rolled"
        elif not question.secret:
            what = table.options.text(number, value) if question.domain == "thing" else ""
            yield f"{what} has been drawn" if what else "something has been left to chance"


# --- secrets that come to be known -----------------------------------------------------------------


def _shown(table: Table, step: Step, seat: int) -> Iterator[str]:
    """Values that somebody came to know, other than those a seat has put there itself by its own answer."""
    if step.before is None:
        return
    old, new = rebuilt(table, step.before), rebuilt(table, step)
    drawn = any(_secretly_drawn(table, step))
    everyone = new[EVERYONE]
    for cell in table.layout.watched.values():
        changed = cell.value(old) != cell.value(new)
        known = new[cell.known] & everyone & (everyone if changed else ~old[cell.known])
        if changed and not drawn:
            known &= ~(1 << seat)
        if known and not _nothing(cell, cell.value(new)):
            names = [table.players[i] for i in seats_in(known)]
            who = "everybody has" if known == everyone else f"{listed(names)} {'has' if len(names) == 1 else 'have'}"
            yield f"{who} seen {_named(table, cell)}"


def _secretly_drawn(table: Table, step: Step) -> Iterator[bool]:
    for i in range(0, len(step.events), EVENT_SIZE):
        if step.events[i] == EV_CHOICE and step.events[i + 3] == CHANCE:
            yield table.program.questions[step.events[i + 2]].secret


def _nothing(cell: Cell, value: int) -> bool:
    """Whether there is nothing to be known: a card put away."""
    return cell.variable.type.optional and value < 0


def _named(table: Table, cell: Cell) -> str:
    there = whole(cell)
    owners = table.wording.owners(there)
    title = there.variable.title or there.variable.name
    return f"{owners}'s {title}" if owners else f"the {title}"


# --- hidden facts that decide ------------------------------------------------------------------------


def _decided(table: Table, step: Step, seat: int) -> bool:
    """Whether anything was done, came out as it did, or is offered to the seat now, because of what it may not know."""
    trace = traced(table, step, trail(table, step)[-1].begun)
    asked = rebuilt(table, step)[SEAT] == seat and _unknown(trace.chosen, seat)
    return asked or any(_unknown(masks, seat) for masks in _told(table, trace))


def _told(table: Table, trace: Trace) -> Iterator[Masks]:
    """Who knows why each thing happened that could be seen."""
    for noted in trace.events:
        yield noted.decided
        open_ = noted.kind != EV_SET or noted.cell in table.layout.cells and table.layout.cells[noted.cell].known < 0
        if noted.made is not None and open_:
            yield noted.made.known


def _unknown(masks: Masks, seat: int) -> bool:
    return not all(mask >> seat & 1 for mask in masks)


__all__ = ["knows_more", "revealed"]
