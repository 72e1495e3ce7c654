"""Choices to code: or, may, choose one, choose, spend one thing or another."""

from __future__ import annotations

from dataclasses import dataclass

from edict.front import tree as t
from edict.front.lower import actions, amounts, costs, demands
from edict.front.lower.asking import ask, capital, dispatch, offer_decline
from edict.front.lower.blocks import block, stmt
from edict.front.lower.completing import JUMPS, jump_impossible
from edict.front.lower.context import Context
from edict.backend.emit import Label, Operand
from edict.front.lower.expressions import (
    jump, resource_place, value,
)  # fmt: skip
from edict.front.symbols import Local
from edict.front.words import block_words, bundle_words, sentence, stmt_words
from edict.program import NO, YES
from edict.program import opcodes as o


def _jump_declined(c: Context, answer: Operand, no: Label) -> None:
    c.emit(o.JLT, answer, c.const(0), no)
    c.fork(NO, YES)


# --- one or the other ------------------------------------------------------------------------------


def gain(c: Context, stmt: t.Gain) -> None:
    if len(stmt.options) == 1:
        amounts.gain_bundle(c, stmt.options[0])
        return
    labels = tuple(capital(bundle_words(c.resolved, b)) for b in stmt.options)
    question = c.question("gain", "What do you gain?", "branch", labels=labels)
    for i in range(len(labels)):
        c.emit(o.OFFER, c.const(i))
    answer = ask(c, question)
    dispatch(c, answer, [lambda b=b: amounts.gain_bundle(c, b) for b in stmt.options], stmt.options)  # type: ignore[misc]


def choose_one(c: Context, choice: t.ChooseOne) -> None:
    """Branches whose condition fails, or that cannot be completed, are not offered."""
    labels = tuple(b.title or capital(block_words(c.resolved, b.block)) for b in choice.branches)
    question = c.question(
        "choose-one", choice.prompt or "Choose one", "branch", labels=labels, secret=choice.secretly
    )  # fmt: skip
    some, end = c.copy(c.const(0)), c.label()
    for i, branch in enumerate(choice.branches):
        skip = c.label()
        if branch.condition is not None:
            jump(c, branch.condition, skip, False)
        jump_impossible(c, branch.block, skip)
        c.emit(o.MOV, some, c.const(1))
        c.emit(o.OFFER, c.const(i))
        c.put(skip)
    c.emit(o.JZ, some, end)
    for i, branch in enumerate(choice.branches):
        demands.branch(c, question, i, branch)
    seat = value(c, choice.asking) if choice.asking is not None else o.YOU
    answer = ask(c, question, seat)
    dispatch(c, answer, [lambda b=b: block(c, b.block) for b in choice.branches], choice.branches)  # type: ignore[misc]
    c.put(end)


# --- choosing things, numbers, dice ------------------------------------------------------------------


def choose(c: Context, choice: t.Choose, decline: str | None, no: Label | None = None) -> None:
    """With nothing to choose from, or declined, go to `no` (or the end of the block)."""
    out = no or c.skip[-1]
    seat = value(c, choice.asking) if choice.asking is not None else o.YOU
    options = demands.options_of(c, choice)
    c.emit(o.JZ, options, out)
    c.emit(o.OFFERS, options)
    offer_decline(c, decline)
    question = demands.choice_question(c, choice, decline)
    demands.choosing(c, question, choice)
    answer = ask(c, question, seat)
    c.bind(choice, answer)
    if decline is not None:
        _jump_declined(c, answer, out)


def _fields(c: Context, choice: t.ChooseDie) -> Operand:
    """What dice there are to choose from."""
    fields = c.cell()
    c.emit(o.DFIELDS, fields, value(c, choice.source))
    return fields


def choose_die(c: Context, choice: t.ChooseDie, decline: str | None, no: Label | None = None) -> None:
    out, fields = no or c.skip[-1], _fields(c, choice)
    c.emit(o.JZ, fields, out)
    c.emit(o.OFFERS, fields)
    offer_decline(c, decline)
    question = c.question("choose-die", choice.prompt or "Which die?", "die", decline=decline or "")
    demands.die(c, question, choice)
    answer = ask(c, question)
    if decline is not None:
        _jump_declined(c, answer, out)
    dice = c.cell()
    c.emit(o.DONE, dice, answer)
    c.bind(choice, dice)


# --- spending ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Alternative:
    """One way to pay: a bundle, or a single resource out of a group."""

    bundle: t.Bundle
    resource: int | None
    label: str


def alternatives(c: Context, spend: t.Spend) -> list[Alternative]:
    found: list[Alternative] = []
    for bundle in spend.options:
        part = bundle.parts[0]
        several = costs.resources_of(c, part) if isinstance(part, t.Part) else None
        single = len(bundle.parts) == 1 and isinstance(part.amount, t.Number) and part.amount.value == 1
        if single and several is not None and isinstance(part, t.Part) and not part.each:
            found += [Alternative(bundle, r, capital(_one_of(c, r))) for r in several]
        else:
            found.append(Alternative(bundle, None, capital(bundle_words(c.resolved, bundle))))
    return found


def _one_of(c: Context, resource: int) -> str:
    definition = c.linked.resources[resource]
    return "1 " + (definition.title or definition.name.word).partition("/")[0]


def spend(c: Context, one: t.Spend) -> None:
    no = c.label()
    pay(c, one, None, no, block_words(c.resolved, one.then))
    block(c, one.then)
    c.put(no)


def pay(c: Context, one: t.Spend, decline: str | None, no: Label, then: str, prompt: str = "") -> None:
    """Pay one of the alternatives; go to `no` if none can be paid, or declined."""
    ways = alternatives(c, one)
    some, paid = c.copy(c.const(0)), c.cell()
    if one.name is not None:
        c.bind(one, paid)
    for i, way in enumerate(ways):
        skip = c.label()
        _jump_unpayable(c, way, skip)
        c.emit(o.MOV, some, c.const(1))
        c.emit(o.OFFER, c.const(i))
        c.put(skip)
    c.emit(o.JZ, some, no)
    if decline is None:
        c.fork(NO, YES)
    offer_decline(c, decline)
    labels = tuple(w.label for w in ways)
    plain = f"What do you spend to {then}?" if then else "What do you spend?"
    question = c.question("spend", prompt or plain, "branch", labels=labels, decline=decline or "")
    for i, way in enumerate(ways):
        demands.price(c, question, i, way.bundle, way.resource)
    answer = ask(c, question)
    if decline is not None:
        _jump_declined(c, answer, no)
    written = [w.bundle for w in ways] if len(one.options) > 1 else []
    dispatch(c, answer, [lambda w=w: _pay(c, w, paid) for w in ways], written)  # type: ignore[misc]


def _jump_unpayable(c: Context, way: Alternative, skip: Label) -> None:
    if way.resource is None:
        costs.jump_unpayable(c, way.bundle, skip)
    elif costs.has_floor(c, way.resource):
        c.emit(o.JLT, resource_place(c, way.resource).read(c), c.const(1), skip)


def _pay(c: Context, way: Alternative, paid: Operand) -> None:
    if way.resource is None:
        amounts.lose_bundle(c, way.bundle)
        return
    place, cell = resource_place(c, way.resource), c.cell()
    c.emit(o.SUB, cell, place.read(c), c.const(1))
    place.write(c, cell)
    c.emit(o.MOV, paid, c.const(way.resource))


# --- may ---------------------------------------------------------------------------------------------


def may(c: Context, one: t.May) -> None:
    """Offer the head; do it and the block below it, or what stands under `otherwise`."""
    decline = None if c.accepted else (one.decline or "No")
    c.accepted = False
    agreed, c.agreed = c.agreed, None
    no, end = c.label(), c.label()
    mark = c.frame.used
    head = one.head
    if isinstance(head, t.Choose):
        choose(c, head, decline, no)
    elif isinstance(head, t.ChooseDie):
        choose_die(c, head, decline, no)
    elif isinstance(head, t.Spend):
        pay(c, head, decline, no, block_words(c.resolved, one.then), one.prompt)
    elif isinstance(head, t.Do) and c.symbol(head.name).sort == "action":
        done = actions.do_action(c, c.symbol(head.name).name, decline)
        c.emit(o.JZ, done, no)
        c.fork(NO, YES)
    else:
        _yes_or_no(c, one, decline, no)
        if head is not None:
            stmt(c, head)
    if agreed is not None:
        agreed()
    block(c, one.then)
    if one.otherwise:
        c.emit(o.JMP, end)
    c.put(no)
    block(c, one.otherwise)
    c.put(end)
    c.frame.used = mark


def _yes_or_no(c: Context, one: t.May, decline: str | None, no: Label) -> None:
    if decline is None:
        return
    if one.head is None:
        jump_impossible(c, one.then, no)
    go_on = c.label()
    if is_pure_gain(c, one):
        _skip_unless_asked(c, go_on)
    words = stmt_words(c.resolved, one.head) if one.head is not None else block_words(c.resolved, one.then)
    question = c.question("may", one.prompt or sentence(words), "branch", labels=("Yes",), decline=decline)
    c.emit(o.OFFER, c.const(0))
    c.emit(o.OFFER, c.const(o.DECLINE))
    answer = ask(c, question)
    if is_pure_gain(c, one):  # mostly taken unasked, so no parting of ways
        c.emit(o.JLT, answer, c.const(0), no)
    else:
        _jump_declined(c, answer, no)
    c.put(go_on)


def _skip_unless_asked(c: Context, go_on: Label) -> None:
    asked = c.linked.game.ask_gains
    if asked is None:
        c.emit(o.JMP, go_on)
    else:
        jump(c, asked, go_on, False)


def is_pure_gain(c: Context, statement: t.Stmt) -> bool:
    """A gain that costs nothing and brings nothing but resources: declining it would never help."""
    if isinstance(statement, t.May):
        blocks = (*statement.then, *statement.otherwise)
        return statement.head is not None and not blocks and is_pure_gain(c, statement.head)
    if not isinstance(statement, t.Gain):
        return False
    parts = [p for b in statement.options for p in b.parts]
    return not any(_is_die(c, p) for p in parts)


JUMPS.update({
    t.Choose: lambda c, choice, no: c.emit(o.JZ, demands.options_of(c, choice), no),
    t.ChooseDie: lambda c, choice, no: c.emit(o.JZ, _fields(c, choice), no),
    t.Spend: lambda c, price, no: costs.jump_none_payable(c, price.options, no),
})


def _is_die(c: Context, part: t.Part | t.PartFrom) -> bool:
    if isinstance(part, t.PartFrom):
        return False
    meaning = c.resolved.of(part.what)
    return not isinstance(meaning, Local) and meaning.sort == "die"

