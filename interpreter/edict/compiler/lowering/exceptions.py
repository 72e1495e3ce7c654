"""Exceptions: which of several counts, and what each puts in the place of a rule, a phase, a routine or a step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from edict.compiler.codegen import core
from edict.compiler.codegen.core import Cell, Condition, Const, Expr, Label, Procedure, Var
from edict.compiler.codegen.core_builder import ALWAYS, op
from edict.compiler.lowering.asks import Need, Scope, cause_of, switch
from edict.compiler.lowering.block_lowering import block, raise_moment
from edict.compiler.lowering.context import NOTHING, YOU, Context, rule_of
from edict.compiler.lowering.costs import Plain, has_floor
from edict.compiler.lowering.hiding import by_abilities
from edict.compiler.lowering.program_reasons import check, guarded
from edict.compiler.lowering.program_wording import exception_label, exception_prompt
from edict.compiler.lowering.quantities import holds
from edict.compiler.lowering.value_lowering import LocalPlace, condition, resource_place, singleton, value
from edict.compiler.semantics.ability_targets import JOINING, LEAVING, LOSING, PASSING
from edict.compiler.semantics.link import AttachedAbility
from edict.compiler.semantics.precedence import Precedence, Rival, done_in, precedence
from edict.compiler.semantics.symbols import Local, brought, keep_of
from edict.compiler.syntax import tree as t
from edict.runtime.program import Question
from edict.runtime.program import opcodes as o
from edict.runtime.program.reasons import Instead

Held = tuple[AttachedAbility, ...]
Holds = Callable[[AttachedAbility], Condition]


def exception_of(held: AttachedAbility) -> t.Exception_:
    assert isinstance(held.ability, t.Exception_)
    return held.ability


def conflicts(c: Context, held: Held) -> Precedence:
    """What they say of each other."""
    return precedence(c.resolved, [Rival(attached.name, exception_of(attached), attached.thing) for attached in held])


def foremost(c: Context, held: Held, met: Holds | None = None) -> list[Condition]:
    """Of each, whether it holds and none that comes before it does."""
    above, conditions = conflicts(c, held).above, list[Condition]()
    now = met or partial(holds, c)
    for place, attached in enumerate(held):
        others = tuple(core.Not(now(held[other])) for other in sorted(above[place]))
        conditions.append(core.All((now(attached), *others)))
    return conditions


def one_counts(c: Context, held: Held, met: Holds, instead: Callable[[int], None], end: Label) -> None:
    """Of those that hold the first, or the one that the player chooses, is done `instead`, and then it goes to `end`.

    It goes on behind all of it if none holds.
    """
    by_abilities(c, held)
    if any(conflicts(c, held).beside):
        _chosen(c, held, met, instead, end)
        return
    for number, attached in enumerate(held):
        with c.because_of(attached), c.block() as skip:
            c.unless(met(attached), skip)
            instead(number)
            c.go(end)


def _chosen(c: Context, held: Held, met: Holds, instead: Callable[[int], None], end: Label) -> None:
    """Of those that hold and come before all others that do, the player chooses one."""
    labels = tuple(exception_label(attached) for attached in held)
    keys = tuple(attached.name for attached in held)
    question = c.question(Question("exception", "Which of these applies?", "branch", labels=labels, keys=keys))

    def carry_out(number: int) -> None:
        with c.because_of(held[number]):
            instead(number)

    answer = Var()
    with c.apart() as chosen:
        switch(c, answer, range(len(held)), carry_out)
    with c.block() as none:
        options = tuple((i, (now,)) for i, now in enumerate(foremost(c, held, met)))
        c.add(core.Ask(question, YOU, options, answer, none, cause=c.cause))
        c.add(*chosen)
        c.go(end)


# --- to phases and routines ------------------------------------------------------------------------


Replaceable = t.Routine | t.Phase


def replaced(c: Context, whole: Replaceable) -> None:
    """The block of a phase or routine, or what an exception puts in its place while it holds."""
    _done_whole(c, whole, c.linked.exceptions.get((whole.name.word, ""), ()))


def _done_whole(c: Context, whole: Replaceable, held: Held) -> None:
    """The same, where these are all the exceptions."""
    with c.block() as end:
        one_counts(c, held, partial(holds, c), lambda number: _in_its_place(c, whole, number, held), end)
        with c.within(whole=whole.name.word):
            block(c, whole.block)


def _in_its_place(c: Context, whole: Replaceable, number: int, held: Held) -> None:
    """What an exception does; in it the whole means what happens without this one, and those that come before it."""
    with c.within(without={**c.now.without, whole: (held, number)}):
        block(c, exception_of(held[number]).then)


def done_there(c: Context, routine: t.Routine, given: Sequence[Expr]) -> bool:
    """Do a routine where it is a step of a phase in which exceptions to it hold; gives whether there are any.

    They are put together with the steps around them, since they may speak of what is bound there.
    """
    held = exceptions_there(c, routine.name.word, "")
    if not held:
        return False
    usual, name = c.linked.exceptions.get((routine.name.word, ""), ()), routine.name.word
    c.bind_each(routine.params, given)
    raise_moment(c, name, "start", *given)
    with c.block() as end:

        def instead(number: int) -> None:
            both = (*usual, held[number])
            with c.within(whole="", without={**c.now.without, routine: (both, len(usual))}):
                block(c, exception_of(held[number]).then)

        one_counts(c, held, partial(holds, c), instead, end)
        c.call(_usual(c, routine, usual), *given)
    raise_moment(c, name, "end", *given)
    return True


def without(c: Context, whole: Replaceable) -> Procedure | None:
    """What is done again by an exception to it, which has its start and its end around all; None for what is not."""
    if whole not in c.now.without:
        return None
    all_, number = c.now.without[whole]
    above = conflicts(c, all_).above[number]
    return _usual(c, whole, tuple(other for i, other in enumerate(all_) if i != number and i not in above))


def _usual(c: Context, whole: Replaceable, held: Held) -> Procedure:
    """What happens where these are all the exceptions, without its start and end."""
    params = whole.params if isinstance(whole, t.Routine) else ()

    def body(c2: Context, p: Procedure) -> None:
        c2.bind_each(params, p.params)
        _done_whole(c2, whole, held)

    name, others = whole.name.word, tuple(c.linked.held.index(attached) for attached in held)
    return c.procedure(("usual", name, others), len(params), body, rule_of(whole))


# --- to the rules of an action ---------------------------------------------------------------------


@dataclass(frozen=True)
class RuleWithExceptions:
    """A rule, and the exceptions to it, of which the first that holds stands in its place."""

    action: t.Action
    rule: t.Rule
    held: tuple[AttachedAbility, ...]

    def about(self, c: Context) -> frozenset[int]:
        """The places of the choices that it or an exception to it speaks of."""
        excepted = (getattr(attached.ability, part) for attached in self.held for part in ("condition", "require"))
        asked = (self.rule.require, *excepted)
        locals_ = [c.resolved.binds[choice] for choice in self.action.params]
        return frozenset(i for i, it in enumerate(locals_) if any(c.speaks_of(it, expr) for expr in asked))

    def level(self, c: Context) -> int:
        """The last choice it speaks of: it can be checked from there on."""
        return max((place + 1 for place in self.about(c)), default=0)

    def test(self, c: Context) -> Condition:
        if all(_required(attached) is None for attached in self.held):
            required, allowed = condition(c, self.rule.require), tuple(holds(c, attached) for attached in self.held)
            return core.Excepted(required, allowed) if allowed else required
        if any(conflicts(c, self.held).beside):
            return self._any_of(c)
        met = condition(c, self.rule.require)
        for attached in reversed(self.held):
            instead = _required(attached)
            then = ALWAYS if instead is None else condition(c, instead)
            met = core.Either(holds(c, attached), then, met)
        return met

    def _any_of(self, c: Context) -> Condition:
        """The player chooses which counts, so it is enough that one of them lets it pass."""
        passed = tuple(
            core.All((first, ALWAYS if (instead := _required(attached)) is None else condition(c, instead)))
            for attached, first in zip(self.held, foremost(c, self.held), strict=True)
        )
        none_holds = core.Not(core.Any_(tuple(holds(c, attached) for attached in self.held)))
        return core.Any_((*passed, core.All((none_holds, condition(c, self.rule.require)))))

    def need(self, c: Context, *it: Local) -> Need:
        """As what an option must meet, whose name is given; without a name, as what the action itself must meet."""
        action, rule = self.action, self.rule
        scope = Scope((f"{action.name.word}.{rule.name.word}", action.title or action.name.word), it)
        return Need(
            "rule",
            scope,
            rule.span,
            self.test,
            lambda c2: check(c2, rule.require, scope),
            rule.name.word,
            rule.because,
            lambda c2: tuple(_rule_instead(c2, attached, *it) for attached in self.held),
        )

    # --- the price of an exception -------------------------------------------------------------------

    def used(self, c: Context) -> list[tuple[Var, AttachedAbility]]:
        """A flag for each exception that does something: set for the one that is needed.

        None is if the rule itself allows, or an exception that does nothing; of several that hold one is chosen.
        """
        priced = [attached for attached in self.held if exception_of(attached).then]
        flags = [(c.let(NOTHING), attached) for attached in priced]
        if not priced:
            return []
        with c.block() as done:
            c.go(done, condition(c, self.rule.require))
            for free in (attached for attached in self.held if attached not in priced):
                c.go(done, holds(c, free))
            if len(flags) > 1:
                self._ask_which(c, flags)
            else:
                c.unless(holds(c, priced[0]), done)
                c.set(flags[0][0], Const(1))
        return flags

    def _ask_which(self, c: Context, flags: list[tuple[Var, AttachedAbility]]) -> None:
        """Which of the exceptions that hold is used, as each has its price."""
        labels = tuple(exception_label(attached) for _, attached in flags)
        prompt, keys = exception_prompt(self.rule.because), tuple(attached.name for _, attached in flags)
        question = c.question(Question("exception", prompt, "branch", labels=labels, keys=keys))
        answer, options = Var(), tuple((i, (holds(c, attached),)) for i, (_, attached) in enumerate(flags))
        c.add(core.Ask(question, YOU, options, answer, cause=c.cause))
        switch(c, answer, flags, lambda used: c.set(used[0], Const(1)))


def rules_of(c: Context, action: t.Action) -> tuple[RuleWithExceptions, ...]:
    exceptions = c.linked.exceptions
    return tuple(
        RuleWithExceptions(action, r, exceptions.get((action.name.word, r.name.word), ())) for r in action.rules
    )


def carry_out_exception(c: Context, flag: Var, held: AttachedAbility) -> None:
    """What an exception does, if it was used."""
    with c.block() as skip:
        c.unless(core.Test(flag), skip)
        with c.because_of(held):
            block(c, exception_of(held).then)


def _required(held: AttachedAbility) -> t.Expr | None:
    return exception_of(held).require


def _rule_instead(c: Context, held: AttachedAbility, *it: Local) -> Instead:
    exception, scope = exception_of(held), Scope((held.name, held.title), it)
    require = check(c, exception.require, scope) if exception.require is not None else -1
    return Instead(cause_of(c, scope, exception.span), guarded(c, held, it), require, exception.because)


# --- to steps: whichever of those that hold, once --------------------------------------------------


def exceptions_to(c: Context, name: str, edge: str) -> Held:
    """Those to a routine, or to what is done to a keep or a resource: here before anywhere."""
    return (*exceptions_there(c, name, edge), *c.linked.exceptions.get((name, edge), ()))


def exceptions_there(c: Context, name: str, part: str) -> Held:
    """Those that hold only where this is done by a step of the phase or routine that is being put together."""
    return c.linked.exceptions.get((name, done_in(part, c.now.whole)), ()) if c.now.whole else ()


def in_place(c: Context, held: Held, end: Label) -> None:
    """What the exception does that counts, and then it goes to `end`; it goes on if none holds."""

    def met(attached: AttachedAbility) -> Condition:
        return core.All((core.Test(Cell(c.layout.replacing[attached.ability]), empty=True), holds(c, attached)))

    def instead(number: int) -> None:
        cell = c.layout.replacing[held[number].ability]
        c.put(cell, Const(1))
        with c.decided():
            block(c, exception_of(held[number]).then)
        c.put(cell, NOTHING)

    one_counts(c, held, met, instead, end)


def _or_not(c: Context, result: Var, held: Held) -> None:
    """Do what is done instead; the result is whether anything is."""
    c.set(result, Const(1))
    with c.block() as done:
        in_place(c, held, done)
        c.set(result, NOTHING)


def _ask(c: Context, instead: Procedure, given: Sequence[Expr], done: Label) -> None:
    """Go there if something is done instead."""
    answer = c.declare()
    c.add(core.Call(instead, tuple(given), answer, c.now.perhaps, cause=c.cause))
    c.go(done, core.Test(answer))


# --- to gains and losses ---------------------------------------------------------------------------


def move_resource(c: Context, edge: str, resource: Expr, by: Expr, plain: Plain) -> None:
    """Gain or lose so much, or do what is done instead, and what waits for that."""
    numbers = [resource.value] if isinstance(resource, Const) else range(len(c.linked.resources))
    concerned = [number for number in numbers if _is_concerned(c, number, edge)]
    if not concerned:
        plain(c, resource, by)
        return
    resource, by = c.once(resource), c.once(by)
    with c.block() as end:
        for number in concerned:
            with _if_it_is(c, resource, number):
                much = _that_moves(c, edge, number, by)
                _instead(c, edge, number, much, end)
                if edge == LOSING:
                    _come(c, edge, number, much)
        plain(c, resource, by)
        for number in concerned if edge != LOSING else ():
            with _if_it_is(c, resource, number):
                _come(c, edge, number, by)


@contextmanager
def _if_it_is(c: Context, resource: Expr, number: int) -> Iterator[None]:
    """What is added inside is done if it is this resource."""
    with c.block() as other:
        if not isinstance(resource, Const):
            c.unless(core.Compare("=", resource, Const(number)), other)
        yield


def _that_moves(c: Context, edge: str, number: int, by: Expr) -> Expr:
    """What one does not have cannot be lost."""
    if edge != LOSING or not has_floor(c, number):
        return by
    return c.once(op(o.MIN, by, resource_place(c, number).value))


def _is_concerned(c: Context, number: int, edge: str) -> bool:
    name = c.linked.resources[number].name.word
    waiting = any(at == edge and number in c.linked.members(moved) for moved, at in c.linked.whens)
    return bool(exceptions_to(c, name, edge)) or waiting


def _called(c: Context, number: int) -> list[t.Definition]:
    """A resource, and the groups it belongs to."""
    resource = c.linked.resources[number]
    groups = (definition for definition in c.resolved.book.definitions.values() if isinstance(definition, t.Group))
    return [resource, *(definition for definition in groups if number in c.linked.members(definition.name.word))]


def _instead(c: Context, edge: str, number: int, by: Expr, end: Label) -> None:
    """Do what is done instead, if anything is, and go to the end."""
    resource = c.linked.resources[number]
    name = resource.name.word

    def bring(c2: Context, much: Expr) -> None:
        player = c2.let(YOU)
        for definition in _called(c2, number):
            params, given = brought(c2.resolved, definition), _given(definition, number, player, much)
            c2.bind_each(params, given[: len(params)])

    there = exceptions_there(c, name, edge)
    if there:
        bring(c, by)
        with c.within(whole=""):
            in_place(c, there, end)
    held = c.linked.exceptions.get((name, edge), ())
    if not held:
        return

    def body(c2: Context, p: Procedure) -> None:
        bring(c2, p.params[0])
        _or_not(c2, p.result, held)

    _ask(c, c.procedure((edge, name), 1, body, rule_of(resource)), (by,), end)


def _given(about: t.Definition, number: int, player: Expr, by: Expr) -> tuple[Expr, ...]:
    """Who moves it, which of a group it is, and how much."""
    return (player, Const(number), by) if isinstance(about, t.Group) else (player, by)


def _come(c: Context, edge: str, number: int, by: Expr) -> None:
    """What waits for it."""
    with c.block() as none:
        c.unless(core.Compare(">", by, NOTHING), none)
        for definition in _called(c, number):
            raise_moment(c, definition.name.word, edge, *_given(definition, number, c.let(YOU), by))


# --- to what joins and leaves a keep ---------------------------------------------------------------


def passes(c: Context, keep: t.Keep, edge: str, given: Sequence[Expr], among: Expr) -> Expr:
    """Of what would join or leave, that for which nothing else is done instead."""
    if not exceptions_to(c, keep.name.word, edge):
        return among
    remaining, kind = c.let(among), c.layout.keeps[keep.name.word].type.kind
    there, anywhere = exceptions_there(c, keep.name.word, edge), c.linked.exceptions.get((keep.name.word, edge), ())
    with c.members(c.once(among)) as member, c.block() as passing:
        with c.block() as stays:
            if there:
                stayed = c.let(NOTHING)
                with c.within(whole=""):
                    _stay_or_not(c, keep, there, (*given, member), stayed)
                c.go(stays, core.Test(stayed))
            if anywhere:
                _ask(c, _passing(c, keep, edge, anywhere), (*given, member), stays)
            c.go(passing)
        c.set(remaining, op(o.ANDN, remaining, singleton(c, member, kind)))
    return remaining


def _passing(c: Context, keep: t.Keep, edge: str, held: Held) -> Procedure:
    """Whether something else was done instead. Where it is kept for a player, that player is `you`."""
    params, name = brought(c.resolved, keep), keep.name.word

    def body(c2: Context, p: Procedure) -> None:
        _stay_or_not(c2, keep, held, p.params, p.result)

    return c.procedure((edge, name), len(params), body, rule_of(keep))


def _stay_or_not(c: Context, keep: t.Keep, held: Held, given: Sequence[Expr], result: Var) -> None:
    params = brought(c.resolved, keep)
    c.bind_each(params, given)
    owner = next((var for param, var in zip(params, given, strict=True) if param.kind.word == "player"), None)
    before = c.let(YOU)
    if owner is not None:
        c.put(o.YOU, owner)
    _or_not(c, result, held)
    c.put(o.YOU, before)


# --- what joins and leaves a keep, with the rules that wait for it ---------------------------------


def change_place(c: Context, written: t.Expr, target: LocalPlace, code: int | None, by: Expr) -> None:
    """Set a place to a value; or, by the operation of this code, to what comes of its own and that."""
    keep = keep_of(c.resolved, written)
    awaited = [edge for edge in PASSING if keep is not None and (keep.name.word, edge) in c.linked.whens]
    if keep is not None and any(exceptions_to(c, keep.name.word, edge) for edge in PASSING):
        _change_what_may(c, keep, written, target, _made(target, code, by))
        return
    if keep is None or not awaited:
        target.write(c, _made(target, code, by))
        return
    by = c.once(by)
    given = [c.let(value(c, arg)) for arg in (written.args if isinstance(written, t.Apply) else ())]
    if LEAVING in awaited:
        _come_each(c, keep, LEAVING, given, op(o.ANDN, target.value, _made(target, code, by)))
    before = c.let(target.value)  # which those rules may have changed
    target.write(c, _made(target, code, by))
    if JOINING in awaited:
        _come_each(c, keep, JOINING, given, op(o.ANDN, target.value, before))


def _change_what_may(c: Context, keep: t.Keep, written: t.Expr, target: LocalPlace, made: Expr) -> None:
    """The same where something else may be done instead; what joins and leaves is settled before that."""
    made = c.let(made)
    given = [c.let(value(c, arg)) for arg in (written.args if isinstance(written, t.Apply) else ())]
    gone, come = c.once(op(o.ANDN, target.value, made)), c.once(op(o.ANDN, made, target.value))
    removed = c.once(passes(c, keep, LEAVING, given, gone))
    if (keep.name.word, LEAVING) in c.linked.whens:
        _come_each(c, keep, LEAVING, given, removed)
    target.write(c, op(o.ANDN, target.value, removed))
    added = c.once(passes(c, keep, JOINING, given, come))
    target.write(c, op(o.OR, target.value, added))
    if (keep.name.word, JOINING) in c.linked.whens:
        _come_each(c, keep, JOINING, given, added)


def _made(target: LocalPlace, code: int | None, by: Expr) -> Expr:
    return by if code is None else op(code, target.value, by)


def _come_each(c: Context, keep: t.Keep, edge: str, given: Sequence[Expr], among: Expr) -> None:
    with c.members(c.once(among)) as member:
        raise_moment(c, keep.name.word, edge, *given, member)
