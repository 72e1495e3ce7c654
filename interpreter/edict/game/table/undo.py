"""Undo: the answers that can be taken back, and the reasons against it.

Typed dice can be taken back, or a player's own last answer, as long as nothing has been revealed since.

Something has been revealed when luck was seen, when somebody learned a secret, or when a fact hidden from the player
who answered decided what happened. Undoing would then give a free look.

Whether an answer can be taken back must not reveal anything either. So it does not matter what a hidden fact led to,
only that something depended on it, whichever way that went: up to there, all states that look the same went the same
way, and what came after is not mentioned.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import takewhile

from edict.game.table.addresses import Event, VariableCell, bits_of, enclosing_bag, iter_choices, unpack_events
from edict.game.table.game_errors import GameError
from edict.game.table.game_steps import GameStep, GameTable, list_steps, rebuild_state
from edict.game.table.knowledge import Secrets
from edict.game.table.options import is_roll
from edict.game.table.tracing import SecretWrite, TracedEvent, may_know, trace_step, trace_taint
from edict.runtime.program import Program
from edict.runtime.program.opcodes import CHANCE, EV_CHOICE, EVERYONE, SEAT, YOU
from edict.support.translations import N_
from edict.support.translations.texts import join_texts, translate

HIDDEN_REASON = N_("something hidden has affected what happened")
FREE_TAKEBACKS_REMEDY = N_("`play --takebacks free` lets you, when you play alone")
BACK_REMEDY = N_("`back` goes back over that too")
SINCE = N_("{reason} since")


# --- which answers go --------------------------------------------------------------------------


def find_last_answer(last: GameStep) -> Sequence[GameStep]:
    """Return the last answer of a player and the typed dice after it, the latest first. Raises `GameError`."""
    steps = list_steps(last)[:0:-1]
    dice = len(list(takewhile(lambda step: step.seat == CHANCE, steps)))
    if dice == len(steps):
        raise GameError(translate("there is no answer to take back"))
    return steps[: dice + 1]


def find_last_typed_steps(
    table: GameTable, last: GameStep, seat: int, people: Collection[int]
) -> tuple[Sequence[GameStep], str]:
    """Return the steps to take back (dice just typed, else back to the seat's last answer), and a message.

    These are dice, or the seat's last answer with the bots' answers after it. Raises `GameError` if another person
    answered since.
    """
    steps = list_steps(last)[:0:-1]
    dice = _find_typed_roll(table, steps)
    if dice:
        return dice, translate("Type the dice again.")
    return _find_own_answer(table, steps, seat, people), translate("Your last move is undone.")


def _find_typed_roll(table: GameTable, steps: Sequence[GameStep]) -> Sequence[GameStep]:
    """Return the dice of the last typed roll if nobody has answered since; correcting a typo reveals nothing."""

    def roll_of(step: GameStep) -> tuple[int, int]:
        """Return the question of a die with the seat it is rolled for; dice of one roll have the same."""
        assert step.before is not None
        return step.question, rebuild_state(table, step.before)[YOU]

    return list(takewhile(lambda step: step.seat == CHANCE and roll_of(step) == roll_of(steps[0]), steps))


def _find_own_answer(
    table: GameTable, steps: Sequence[GameStep], seat: int, people: Collection[int]
) -> Sequence[GameStep]:
    """Return the steps back to the seat's last answer, the latest first, unless another person answered since."""
    for number, step in enumerate(steps, 1):
        if step.seat == seat >= 0:
            return steps[:number]
        if step.seat in people:
            raise GameError(translate("{player} has answered since", player=table.players[step.seat]))
    raise GameError(translate("you have not answered anything yet"))


def require_no_revelation(table: GameTable, steps: Sequence[GameStep], seat: int, remedy: str) -> None:
    """Raise `GameError` if others learned anything by these steps: dice, draws, or a secret of the seat."""
    for step in reversed(steps):
        name = table.players[step.seat] if step.seat >= 0 else ""
        if name and step.seat != seat and step.before is not None:
            if _knows_more(table, rebuild_state(table, step.before), step.seat, seat):
                raise _refuse(_informed_answer_reason(table, step.seat), remedy)
        if step.seat == CHANCE and len(steps) > 1 and steps[-1].seat != CHANCE:
            raise _refuse(translate("dice have been rolled"), remedy)
        reason = describe_revelation(table, step, seat)
        if reason:
            raise _refuse(reason, remedy)


def _refuse(reason: str, remedy: str) -> GameError:
    """Return the error for an undo that is refused because of what has happened since."""
    return GameError(translate(SINCE, reason=reason), translate(remedy) if remedy else "")


# --- what was revealed -------------------------------------------------------------------------


def describe_revelation(table: GameTable, step: GameStep, seat: int) -> str:
    """Return what a step revealed, as a clause to be followed by `since`; empty if this seat can take it back."""
    if step.before is not None:
        return next(_iter_revelations(table, step, seat), "")
    return ""


def _iter_revelations(table: GameTable, step: GameStep, seat: int) -> Iterator[str]:
    """Yield clauses on what a step revealed, for an undo by the seat: luck, secrets, hidden influences."""
    assert step.before is not None
    taint = trace_taint(table, step)
    if taint.is_public:  # it can have revealed luck only, and most steps show by themselves whether they did
        first_luck = next((question for question, chooser, _ in iter_choices(step.events) if chooser == CHANCE), None)
        if first_luck is None:
            return
        if step.seat != CHANCE and _is_rolled_freely(table.program, first_luck):
            yield translate("dice have been rolled")
            return
    trace = trace_step(table, step, taint.before)
    old = rebuild_state(table, step.before)
    hidden = min(
        (place for place, known in trace.dependencies if not may_know(known, seat)), default=len(trace.events) + 1
    )
    for place, (event, noted) in enumerate(
        zip(unpack_events(step.events)[:hidden], trace.events[:hidden], strict=True)
    ):
        if place > 0:  # the answer itself comes first and is no luck, even if it is a typed die
            yield from _iter_visible_luck(table, event, noted, seat)
        put = [one for one in trace.secret_writes if one.place <= place]
        if _is_forced_secret_choice(table, event, noted, seat) and _knows_more(
            table, _write_masks(table, old, put), event[3], seat
        ):
            yield from _iter_learned_secrets(table, old, put, seat)
            yield _informed_answer_reason(table, event[3])
    if hidden <= len(trace.events):
        yield translate(HIDDEN_REASON)
    yield from _iter_learned_secrets(table, old, trace.secret_writes, seat)
    if rebuild_state(table, step)[SEAT] == seat and not may_know(trace.choice_knowers, seat):
        yield translate(HIDDEN_REASON)


def _is_rolled_freely(program: Program, question: int) -> bool:
    """Return True if a question is for the face of a die that may show several."""
    return is_roll(program.questions[question]) and all(sides > 1 for _, _, sides, _ in program.dice.kinds)


def _knows_more(table: GameTable, state: Sequence[int], seat: int, other: int) -> bool:
    """Return True if a seat knew anything hidden from the other when this step began."""
    return Secrets.from_program(table.program).knows_more(state, seat, other)


def _informed_answer_reason(table: GameTable, seat: int) -> str:
    """Return the reason that an informed player has answered, to be followed by `since`."""
    return translate("{player}, who knows something that you do not, has answered", player=table.players[seat])


# --- what others do ----------------------------------------------------------------------------


def _is_forced_secret_choice(table: GameTable, event: Event, traced_event: TracedEvent, seat: int) -> bool:
    """Return True if another player had a single option in a secret choice, and so seems to have been asked."""
    is_forced = traced_event.options_knowers is not None and event[3] not in (CHANCE, seat)
    return is_forced and table.program.questions[event[2]].secret


def _write_masks(table: GameTable, old: Sequence[int], put: Sequence[SecretWrite]) -> list[int]:
    """Return a copy of a state into which only the masks of knowers among these writes are written."""
    state = [*old]
    for written in put:
        if written.cell in table.layout.watched:
            state[written.cell] = written.value
    return state


# --- luck --------------------------------------------------------------------------------------


def _iter_visible_luck(table: GameTable, event: Event, traced_event: TracedEvent, seat: int) -> Iterator[str]:
    """Iterate over rolls and draws that everybody saw; a secret draw has been seen by nobody yet."""
    kind, _, number, chooser, value = event
    if (
        kind != EV_CHOICE
        or chooser != CHANCE
        or traced_event.options_knowers is not None
        and may_know(traced_event.options_knowers, seat)
    ):
        return  # a single option is not drawn, unless nobody can tell that there was only one
    question = table.program.questions[number]
    if is_roll(question):
        yield translate("dice have been rolled")
    elif not question.secret:
        text = table.options.text(number, value) if question.domain == "thing" else ""
        yield (
            translate("{title} has been drawn", title=text) if text else translate("something has been left to chance")
        )


# --- secrets that come to be known -----------------------------------------------------------------


def _iter_learned_secrets(
    table: GameTable, old: Sequence[int], writes: Sequence[SecretWrite], seat: int
) -> Iterator[str]:
    """Iterate over values that somebody learned, except those that the seat knew and put there itself."""
    knowers, everyone = _write_masks(table, old, writes), old[EVERYONE]
    written = {write.cell: write for write in writes if write.cell not in table.layout.watched}
    for address, cell in table.layout.watched.items():
        writes_here = [
            written[cell_address]
            for cell_address in range(cell.address, cell.address + cell.variable.type.cells)
            if cell_address in written
        ]
        learners = knowers[address] & everyone & (everyone if writes_here else ~old[address])
        if all(may_know(write.knowers, seat) for write in writes_here):
            if _is_known_empty(cell, writes_here, old, seat):
                learners = 0
            elif writes_here:
                learners = learners & ~(1 << seat)
            else:
                learners = learners
        if learners:
            names = [table.players[cell_address] for cell_address in bits_of(learners)]
            label = _cell_label(table, cell)
            if learners == everyone:
                yield translate("everybody has seen {title}", title=label)
            elif len(names) == 1:
                yield translate("{player} has seen {title}", player=names[0], title=label)
            else:
                yield translate("{players} have seen {title}", players=join_texts(names), title=label)


def _is_known_empty(cell: VariableCell, writes: Sequence[SecretWrite], old: Sequence[int], seat: int) -> bool:
    """Return True if the seat itself knows that nothing is there, such as after discarding a card."""
    if not cell.variable.type.optional:
        return False
    if writes:
        return writes[-1].value < 0
    return bool(old[cell.known] >> seat & 1) and cell.value(old) < 0


def _cell_label(table: GameTable, cell: VariableCell) -> str:
    """Return `Ann's hand`, or `the deck` for a cell without an owner; the whole bag for a cell of a bag."""
    whole_cell = enclosing_bag(cell)
    owners = table.wording.owners(whole_cell)
    title = whole_cell.variable.title or whole_cell.variable.name
    return (
        translate("{owner}'s {title}", owner=owners, title=title) if owners else translate("the {title}", title=title)
    )
