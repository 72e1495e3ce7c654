"""Statements as core: names and places, what is said, and the flow of the game."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from edict.compiler.codegen import core
from edict.compiler.codegen.core import ALL_IN_LINE, Const, Expr, Procedure
from edict.compiler.codegen.core_builder import op
from edict.compiler.lowering.asks import Ask, Branches, Need, Scope, switch
from edict.compiler.lowering.block_lowering import block, each_player, lowers, seat_order
from edict.compiler.lowering.choice_lowering import completion
from edict.compiler.lowering.containers import (
    Relocation,
    everything,
    limit_moved,
    name_of_moved,
    plus,
    put_in,
    put_in_line,
    recount,
    rewrite_line,
    take_from_line,
)
from edict.compiler.lowering.context import EVERYONE, NOTHING, Context
from edict.compiler.lowering.exceptions import change_place, exceptions_to, move_resource
from edict.compiler.lowering.hiding import decided_by, unseen
from edict.compiler.lowering.option_texts import amount_text
from edict.compiler.lowering.program_reasons import Implied, something
from edict.compiler.lowering.program_wording import bundle_label, choose_from_text
from edict.compiler.lowering.transactions import GAIN, LOSE, gainable, transfer_bundle
from edict.compiler.lowering.value_lowering import (
    LocalPlace,
    condition,
    hide,
    knowledge,
    place,
    secret_place,
    uncoerced,
    value,
    write_hidden,
)
from edict.compiler.semantics.ability_targets import LEAVING
from edict.compiler.semantics.declared_panels import displays
from edict.compiler.semantics.secret_sources import gives_away
from edict.compiler.semantics.symbols import keep_of
from edict.compiler.semantics.types import Coercion
from edict.compiler.syntax import tree as t
from edict.runtime.program import Question
from edict.runtime.program import opcodes as o

# --- values and places -----------------------------------------------------------------------------


def _noted(c: Context, expr: t.Expr) -> Expr:
    """A value; if it is a quantity, it is logged with everything that goes into it."""
    with c.within(noted=isinstance(expr, t.Apply)):
        return value(c, expr)


def _some(c: Context, let: t.Let, _: t.Block, scope: Scope) -> Need | None:
    """Of what a step in short chooses from, something must be there."""
    if not let.some:
        return None

    return Implied(
        ("possible", let),
        scope,
        let.span,
        lambda c2: core.Test(value(c2, let.value)),
        lambda c2: choose_from_text(c2.resolved, let.value),
        (let.value,),
    ).need("next")


@lowers(t.Let, needs=_some)
def _let(c: Context, let: t.Let) -> None:
    c.bind(let, c.let(_noted(c, let.value)))


@lowers(t.Set)
def _set(c: Context, step: t.Set) -> None:
    target = place(c, step.place).once(c)
    _rewrite(c, step.place, target, _noted(c, step.value))


def _rewrite(c: Context, written: t.Expr, target: LocalPlace, new: Expr) -> None:
    """A place gets another value, which whoever knew the old one does not know."""
    if c.type(written).shape == "bag":
        write_hidden(c, target, new)
    else:
        change_place(c, written, target, None, new)
        hide(c, target)
    recount(c, target)


@lowers(t.Swap)
def _swap(c: Context, swap: t.Swap) -> None:
    here, there = place(c, swap.place).once(c), place(c, swap.other).once(c)
    left, right = c.let(value(c, swap.place)), c.let(value(c, swap.other))
    for written, target, new in ((swap.place, here, right), (swap.other, there, left)):
        _rewrite(c, written, target, new)


@lowers(t.Add)
def _add(c: Context, step: t.Add) -> None:
    _change(c, step, "+")


@lowers(t.Remove)
def _remove(c: Context, step: t.Remove) -> None:
    _change(c, step, "-")


def _change(c: Context, step: t.Add | t.Remove, sign: str) -> None:
    target = place(c, step.place).once(c)
    relocation = _relocation(step)
    if relocation is not None:
        limit_moved(c, relocation, sought=_in_line(c, step, target))
    if c.type(step.place).shape == "bag":
        put_in(c, step.value, target, sign, _stayed(c, step), perhaps=_is_moved(step))
        return
    if c.type(step.place).shape == "order":
        _reorder(c, step, target)
        return
    if c.type(step.place).shape == "thing":
        _put(c, step, target)
        return
    by = c.once(_moved(c, step))
    change_place(c, step.place, target, plus(c.type(step.place).shape, sign), by)
    if gives_away(c.resolved, step.value):  # who knew the place does not know what has come or gone
        hide(c, target)
    recount(c, target)


def _put(c: Context, step: t.Add | t.Remove, target: LocalPlace) -> None:
    """A place for a single thing is empty once that is moved away; what comes takes the place of what was there."""
    thing = c.once(value(c, step.value))
    stayed = _stayed(c, step)
    with c.block() as end:
        if isinstance(step, t.Remove):
            c.unless(core.Compare("=", target.value, thing), end)
        elif _is_moved(step):
            c.unless(core.Compare(">=", thing, NOTHING), end)
        if stayed is not None:
            c.go(end, core.Compare("in", thing, stayed))
        _rewrite(c, step.place, target, Const(-1) if isinstance(step, t.Remove) else thing)


def _relocation(step: t.Add | t.Remove) -> Relocation | None:
    to = step.to if isinstance(step, t.Remove) else None
    return Relocation(step.value, step.place, to) if to is not None else None


def _is_moved(step: t.Add | t.Remove) -> bool:
    return (step.to if isinstance(step, t.Remove) else step.gone) is not None


def _moved(c: Context, step: t.Add | t.Remove) -> Expr:
    """What is added or removed; of what is moved, only what has left the place it came from."""
    stayed = _stayed(c, step)
    return value(c, step.value) if stayed is None else op(o.ANDN, value(c, step.value), stayed)


def _stayed(c: Context, step: t.Add | t.Remove) -> Expr | None:
    """What is still in the place that something is moved from, if rules may have kept it there."""
    from_ = step.gone if isinstance(step, t.Add) else None
    keep = keep_of(c.resolved, from_) if from_ is not None else None
    kept = from_ is not None and keep is not None and exceptions_to(c, keep.name.word, LEAVING)
    return value(c, from_) if from_ is not None and kept else None


def _in_line(c: Context, step: t.Add | t.Remove, target: LocalPlace) -> bool:
    """Whether a single thing is put into a long order, or taken out of it."""
    single = c.typed.coerced.get(step.value) is Coercion.THING_TO_SET and _stayed(c, step) is None
    return single and c.type(step.place).shape == "order" and target.cells > 1 and isinstance(target.base, int)


def _reorder(c: Context, step: t.Add | t.Remove, target: LocalPlace) -> None:
    if _in_line(c, step, target):
        member = c.once(uncoerced(c, step.value))
        if isinstance(step, t.Add):
            put_in_line(c, target, member, step.first)
        else:
            take_from_line(c, target, member, name_of_moved(c, _relocation(step)))
    else:
        to = "" if isinstance(step, t.Remove) else "first" if step.first else "last"
        rewrite_line(c, c.type(step.place).kind, target, c.once(_moved(c, step)), to)
    if gives_away(c.resolved, step.value):
        hide(c, target)


@lowers(t.Arrange)
def _arrange(c: Context, arrange: t.Arrange) -> None:
    target, keys = place(c, arrange.place).once(c), c.declare(max(15, c.cells(c.type(arrange.place))))
    order = c.let(target.value)
    with c.line(order, ALL_IN_LINE) as member:
        c.bind(arrange, member)
        key = value(c, arrange.key)
        c.put(keys, op(o.SUB, NOTHING, key) if arrange.direction == "highest" else key, member)
    c.step(o.SORT, order, order, keys)
    target.write(c, order)
    if gives_away(c.resolved, arrange.key):
        hide(c, target)


# --- gains and losses ------------------------------------------------------------------------------


@lowers(t.Gain)
def _gain(c: Context, gain: t.Gain) -> None:
    def carry_out(bundle: t.Bundle) -> None:
        transfer_bundle(c, GAIN, bundle, move_resource)

    if len(gain.options) == 1:
        carry_out(gain.options[0])
        return
    labels = tuple(bundle_label(c.resolved, bundle) for bundle in gain.options)
    keys = tuple(map(amount_text, gain.options))
    question = c.question(Question("gain", "What do you gain?", "branch", labels=labels, keys=keys))
    options = Branches(tuple(gainable(c, bundle) for bundle in gain.options))
    with c.block() as end:
        answer = Ask(question, options, none=end if any(options.needs) else None).put(c)
        switch(c, answer, gain.options, carry_out, lambda bundle: bundle)


@lowers(t.Lose)
def _lose(c: Context, lose: t.Lose) -> None:
    transfer_bundle(c, LOSE, lose.bundle, move_resource)


# --- what is told ----------------------------------------------------------------------------------


@lowers(t.Show)
def _show(c: Context, show: t.Show) -> None:
    for known in knowledge(secret_place(c, show.place).once(c)):
        known = known.once(c)
        known.write(c, op(o.OR, known.value, value(c, show.to)))


@lowers(t.Announce)
def _announce(c: Context, announce: t.Announce) -> None:
    for i, part in enumerate(announce.parts):
        last = i == len(announce.parts) - 1
        if isinstance(part, str):
            c.step(o.SAY, c.parts.say(part, None, last), NOTHING)
            continue
        several = c.cells(c.type(part)) > 1  # which is logged cell by cell
        c.step(o.SAY, c.parts.say("", c.sized(c.type(part)), last and not several), value(c, part))
        if last and several:
            c.step(o.SAY, c.parts.say("", None, True), NOTHING)


@lowers(t.Look)
def _look(c: Context, look: t.Look) -> None:
    names = [display.name.word for display in displays(c.resolved)]
    panel = names.index(look.display.word)
    c.step(o.SAY, c.parts.say(displays(c.resolved)[panel].title, None, True, panel), NOTHING)


# --- flow ------------------------------------------------------------------------------------------


def _one_of_both(c: Context, step: t.If, following: t.Block, scope: Scope) -> Need | None:
    """What is done if it holds must be possible if it does, and otherwise the rest."""
    then, otherwise = (completion(c, (*way, *following), scope) for way in (step.then, step.otherwise))
    if not then and not otherwise:
        return None

    def test(c2: Context) -> core.Condition:
        holds, fails = condition(c2, step.condition), core.Not(condition(c2, step.condition))
        return core.Any_((core.All((holds, _met(c2, then))), core.All((fails, _met(c2, otherwise)))))

    return something(c, step, scope, test)


@lowers(t.If, needs=_one_of_both)
def _if(c: Context, step: t.If) -> None:
    with decided_by(c, step.condition, *step.then, *step.otherwise):
        met = condition(c, step.condition)
        with c.apart() as then:
            block(c, step.then)
        with c.apart() as otherwise:
            block(c, step.otherwise)
        c.add(core.If(met, tuple(then), tuple(otherwise), cause=c.cause))


def _met(c: Context, needs: tuple[Need, ...]) -> core.Condition:
    return core.All(tuple(need.test(c) for need in needs))


def _some_pass(c: Context, each: t.Each, _: t.Block, scope: Scope) -> Need | None:
    """It must be possible for one of them."""
    needs = completion(c, each.block, scope)
    if not needs:
        return None

    def test(c2: Context) -> core.Condition:
        with c2.apart() as body:
            passed = c2.let(NOTHING)
            with _passes(c2, each):
                with c2.apart() as possible:
                    c2.set(passed, Const(1))
                c2.add(core.If(_met(c2, needs), tuple(possible), (), cause=c2.cause))
        return core.Given(tuple(body), core.Test(passed))

    return something(c, each, scope, test)


@lowers(t.Each, needs=_some_pass)
def _each(c: Context, each: t.Each) -> None:
    with decided_by(c, each.source, each), c.at_once() if each.unseen else nullcontext(), _passes(c, each):
        block(c, each.block)


@contextmanager
def _passes(c: Context, each: t.Each) -> Iterator[None]:
    meaning = c.resolved.of(each.kind)
    with _each_player(c, each) if meaning.sort == "player" else _each_thing(c, each, meaning.sort, meaning.name):
        yield


@contextmanager
def _each_player(c: Context, each: t.Each) -> Iterator[None]:
    """In the game's order; `you`, unless a name is given."""
    order: Expr
    order, among = seat_order(c), EVERYONE if each.source is None else value(c, each.source)
    if each.source is not None and c.type(each.source).shape == "order":
        order, among = among, EVERYONE
    with each_player(c, among, order, rebind=each.name is None) as member:
        if each.name is not None:
            c.bind(each, member)
        with unseen(c, each.unseen, *each.block):
            yield


@contextmanager
def _each_thing(c: Context, each: t.Each, sort: str, name: str) -> Iterator[None]:
    if each.source is not None:
        among = value(c, each.source)
    else:
        among = Const(sum(1 << i for i in c.linked.members(name))) if sort == "group" else everything(c, name)
    with c.apart() if among == NOTHING else nullcontext(), c.members(among) as member:  # modules may bring members
        if each in c.resolved.binds:
            c.bind(each, member)
        yield


def _first_pass(c: Context, repeat: t.Repeat, _: t.Block, scope: Scope) -> Need | None:
    """What is done a few times must be possible once."""
    if not isinstance(repeat.count, t.Number) or repeat.count.value < 1:
        return None
    return next(iter(completion(c, repeat.block, scope)), None)


@lowers(t.Repeat, needs=_first_pass)
def _repeat(c: Context, repeat: t.Repeat) -> None:
    left = c.let(value(c, repeat.count)) if repeat.count is not None else None
    with decided_by(c, repeat.count or repeat.until, *repeat.block), c.block() as end, c.loop():
        if left is not None:
            c.unless(core.Compare(">", left, NOTHING), end)
            c.set(left, op(o.SUB, left, Const(1)))
        elif repeat.until is not None:
            c.go(end, condition(c, repeat.until))
        block(c, repeat.block)


@lowers(t.EndGame)
def _end(c: Context, _: t.EndGame) -> None:
    end_game(c)


def end_game(c: Context, _: Procedure | None = None) -> None:
    """Settle who has won; the machine stops."""
    c.put(o.WINNERS, value(c, c.linked.game.winners))
    c.step(o.OVER)


@lowers(t.Nothing)
def _nothing(c: Context, _: t.Nothing) -> None:
    pass
