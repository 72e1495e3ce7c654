"""What one may do or leave."""

from __future__ import annotations

from edict.backend.core import Label
from edict.language import tree as t
from edict.language.roles import Role, has, having
from edict.lowering.asks import Ask, Option
from edict.lowering.blocks import OFFERS, Offer, block, lowers, stmt
from edict.lowering.completing import completable
from edict.lowering.context import Context
from edict.lowering.hiding import unseen
from edict.lowering.reason_code import here
from edict.lowering.values import condition
from edict.meaning.calls import called
from edict.meaning.edges import GAINING, MOVES
from edict.meaning.steps import steps
from edict.meaning.symbols import Local
from edict.program import Question
from edict.words import block_words, sentence, stmt_words


@lowers(t.May)
def _may(c: Context, one: t.May) -> None:
    """Offer the head; do it and the block below it, or what stands under `otherwise`."""
    decline = None if c.accepted else (one.decline or "No")
    c.accepted = False
    agreed, c.agreed = c.agreed, None
    before = agreed is not None and has(type(one.head), Role.RUNS)  # what is carried out must know of it
    with c.decided(), unseen(c, one.secretly, one), c.block() as end:
        with c.block() as no:
            if agreed is not None and before:
                agreed.note()
            _head(c, one, Offer(no, decline, one.prompt, one.then))
            if agreed is not None and not before:
                agreed.note()
            block(c, one.then)
            if one.otherwise or before:
                c.go(end)
        if agreed is not None and before:
            agreed.undo()
        block(c, one.otherwise)


def _head(c: Context, one: t.May, offer: Offer) -> None:
    """Go on only if it can be done, and is not declined."""
    head = one.head
    offered = OFFERS.get(type(head))
    if head is None or offered is None or not offered(c, head, offer):
        if offer.decline is not None:
            _yes_or_no(c, one, offer.decline, offer.no)
        if head is not None:
            stmt(c, head)


def _yes_or_no(c: Context, one: t.May, decline: str, no: Label) -> None:
    c.unless(completable(c, one.then if one.head is None else (one.head,), here(c)), no)
    words = stmt_words(c.resolved, one.head) if one.head is not None else block_words(c.resolved, one.then)
    with c.block() as go_on:
        pure = is_pure_gain(c, one)
        if pure:
            _skip_unless_asked(c, go_on)
        prompt = one.prompt or sentence(words)
        question = c.question(Question("may", prompt, "branch", labels=("Yes",), decline=decline, secret=one.secretly))
        Ask(question, (Option(0),), declined=no).put(c, told=not pure)  # a gain is mostly taken unasked


def _skip_unless_asked(c: Context, go_on: Label) -> None:
    asked = c.linked.game.ask_gains
    if asked is None:
        c.go(go_on)
    else:
        c.unless(condition(c, asked), go_on)


def is_pure_gain(c: Context, statement: t.Stmt) -> bool:
    """A gain that costs nothing and brings nothing but resources: declining it would never help."""
    if isinstance(statement, t.May):
        blocks = (*statement.then, *statement.otherwise)
        return statement.head is not None and not blocks and is_pure_gain(c, statement.head)
    if MOVES.get(type(statement)) != GAINING or any(True for _ in called(c.resolved, statement)):
        return False  # something else may be done instead
    return not any(_is_die(c, part) for bundle in having(statement, Role.MOVED) for part in bundle.parts)


def _is_die(c: Context, part: t.Part | t.PartFrom) -> bool:
    if isinstance(part, t.PartFrom):
        return False
    meaning = c.resolved.of(part.what)
    return not isinstance(meaning, Local) and meaning.sort == "die"


def is_optional(block: t.Block) -> bool:
    """Whether all of it is left to the player."""
    done = steps(block)
    return len(done) == 1 and isinstance(done[0], t.May)


def offered(block: t.Block) -> t.Block:
    """What a block offers, if it leaves what it begins with to the player."""
    first = next(iter(steps(block)), None)
    if not isinstance(first, t.May):
        return ()
    return first.then if first.head is None else (first.head,)
