"""What a player may choose: what can be completed, what may be left, and which thing, number, die or deed it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from edict.compiler.codegen import core
from edict.compiler.codegen.core import Condition, Expr, Label
from edict.compiler.codegen.core_builder import ALWAYS, op
from edict.compiler.lowering.asks import Ask, Branches, Domain, Need, Scope, here, switch
from edict.compiler.lowering.block_lowering import LOWERINGS, Needs, Offer, asks, block, lowers, no_needs, stmt
from edict.compiler.lowering.containers import everything, numbers, one_die
from edict.compiler.lowering.context import YOU, Context, mask
from edict.compiler.lowering.hiding import unseen
from edict.compiler.lowering.option_texts import branch_text
from edict.compiler.lowering.possible_answers import answers
from edict.compiler.lowering.program_reasons import (
    Implied,
    from_group,
    from_source,
    hushed,
    made,
    something,
    spelled,
    value_of,
    where_filters,
    written,
)
from edict.compiler.lowering.program_wording import (
    Words,
    branch_label,
    choose_prompt,
    condition_text,
    may_prompt,
    told_with_values,
)
from edict.compiler.lowering.value_lowering import condition, value
from edict.compiler.semantics.ability_targets import GAINING, MOVES
from edict.compiler.semantics.block_steps import steps
from edict.compiler.semantics.call_graph import called
from edict.compiler.semantics.symbols import Local, definition_of, parts_of
from edict.compiler.sources.input_limits import MOST_AHEAD
from edict.compiler.sources.work_budget import LOOKING_AHEAD, give_up, spend
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, has, having
from edict.runtime.program import PanelLine, PanelPart, Question
from edict.runtime.program import opcodes as o


def something_to_do(c: Context, block: t.Block, scope: Scope) -> tuple[Need, ...]:
    """Of an option that does something under a condition, and nothing otherwise, the condition must hold."""
    only = steps(c.resolved, block)
    conditions = [asked for step in only[:1] for asked in having(step, Role.DECIDES)]
    if len(only) != 1 or any(having(only[0], Role.INSTEAD)) or not has(type(only[0]), Role.INSTEAD):
        return ()
    return tuple(written(c, "if", asked, scope, only[0].span) for asked in conditions)


def completion(c: Context, block: t.Block, scope: Scope) -> tuple[Need, ...]:
    """What an option that begins like this needs."""
    spend(LOOKING_AHEAD)
    if c.now.ahead == MOST_AHEAD:
        raise give_up()
    with c.within(ahead=c.now.ahead + 1):
        return _completion(c, block, scope)


def _completion(c: Context, block: t.Block, scope: Scope) -> tuple[Need, ...]:
    named: list[t.Stmt] = []
    row = steps(c.resolved, block)
    for i, step in enumerate(row, 1):
        need = LOWERINGS[type(step)].needs(c, step, row[i:], scope)
        if need is not None:
            return (_knowing(tuple(named), need) if named else need,)
        if not (has(type(step), Role.BINDS) and has(type(step), Role.INTO)):
            return ()  # only what is given a name is passed over
        named.append(step)
    return ()


def may_need(c: Context, block: t.Block, effect: str = "") -> bool:
    """Return False if `completion` of a block is empty wherever it is asked for.

    effect: the name of the effect that the block is the beginning of; where it does the same one of whichever thing,
    that is not looked into.
    """
    for step in steps(c.resolved, block):
        kind: Any = type(step)
        field = getattr(step, "field", None)  # of a thing, whose effect is done
        if isinstance(step, t.Loop):
            return may_need(c, step.block, effect)
        if has(kind, Role.DECIDES) and has(kind, Role.INSTEAD):
            branches = getattr(step, "then", ()), tuple(having(step, Role.INSTEAD))
            if any(may_need(c, branch, effect) for branch in branches):
                return True
        elif isinstance(field, t.Name) and field.word == effect:
            return isinstance(definition_of(c.resolved, getattr(step, "thing", None)), t.Thing)
        elif hasattr(step, "some"):  # a name for a value needs something only if it stands for some of a set
            if step.some:
                return True
        elif LOWERINGS[kind].needs is not no_needs:
            return True
        elif not (has(kind, Role.BINDS) and has(kind, Role.INTO)):
            return False
    return False


def _knowing(named: t.Block, need: Need) -> Need:
    """The same, asked where the names that come before the step are not yet known."""

    def test(c: Context) -> Condition:
        with c.apart() as body:
            for step in named:
                LOWERINGS[type(step)].code(c, step)
        return core.Given(tuple(body), need.test(c))

    return replace(need, test=test, check=lambda c: -1)


def completable(c: Context, block: t.Block, scope: Scope) -> Condition:
    """Whether what begins like this can be completed."""
    needs = completion(c, block, scope)
    return needs[0].test(c) if needs else ALWAYS


def something_of(options: Callable[[Context, Any], Domain | Branches]) -> Needs:
    """Of a step that asks: there must be something to answer."""

    def needs(c: Context, step: t.Stmt, _: t.Block, scope: Scope) -> Need | None:
        offered = options(c, step)
        if isinstance(offered, Branches) and not all(offered.needs):
            return None
        return something(c, step, scope, offered.answerable)

    return needs


# --- what one may do or leave ----------------------------------------------------------------------


@lowers(t.May)
def _may(c: Context, may: t.May) -> None:
    """Offer the head; do it and the block below it, or what stands under `else`."""
    decline, agreed = None if c.now.accepted else may.decline, c.now.agreed
    before = agreed is not None and has(type(may.head), Role.RUNS)  # what is carried out must know of it
    with c.within(accepted=False, agreed=None), c.decided(), unseen(c, may.secretly, may), c.block() as end:
        with c.block() as no:
            if agreed is not None and before:
                agreed.note()
            _offer_head(c, may, Offer(no, decline, may.prompt, may.then))
            if agreed is not None and not before:
                agreed.note()
            block(c, may.then)
            if may.otherwise or before:
                c.go(end)
        if agreed is not None and before:
            agreed.undo()
        block(c, may.otherwise)


def _offer_head(c: Context, may: t.May, offer: Offer) -> None:
    """Go on only if it can be done, and is not declined."""
    head = may.head
    if head is None or not LOWERINGS[type(head)].offered(c, head, offer):
        if offer.decline is not None:
            _yes_or_no(c, may, offer.decline, offer.no)
        if head is not None:
            stmt(c, head)


def _yes_or_no(c: Context, may: t.May, decline: str, no: Label) -> None:
    c.unless(completable(c, may.then if may.head is None else (may.head,), here(c)), no)
    with c.block() as go_on:
        pure = is_pure_gain(c, may)
        if pure:
            _skip_unless_asked(c, go_on)
        prompt = may_prompt(c.resolved, may.prompt, may.head, may.then)
        yes = Question("may", prompt, "branch", labels=("Yes",), keys=("yes",), secret=may.secretly)
        question = c.question(yes, decline)
        Ask(question, Branches(((),)), declined=no).put(c, told=not pure)  # a gain is mostly taken unasked


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
    if MOVES.get(type(statement)) != (GAINING,) or any(True for _ in called(c.resolved, statement)):
        return False  # something else may be done instead
    return not any(
        _is_die(c, part) for bundle in having(statement, Role.MOVED) for part in parts_of(c.resolved, bundle)
    )


def _is_die(c: Context, part: t.Part | t.PartFrom) -> bool:
    if isinstance(part, t.PartFrom):
        return False
    meaning = c.resolved.of(part.what)
    return not isinstance(meaning, Local) and meaning.sort == "die"


def is_optional(c: Context, block: t.Block) -> bool:
    """Whether all of it is left to the player."""
    done = steps(c.resolved, block)
    return len(done) == 1 and isinstance(done[0], t.May)


def offered(c: Context, block: t.Block) -> t.Block:
    """What a block offers, if it leaves what it begins with to the player."""
    first = next(iter(steps(c.resolved, block)), None)
    if not isinstance(first, t.May):
        return ()
    return first.then if first.head is None else (first.head,)


# --- one or the other ------------------------------------------------------------------------------


def _branch_needs(c: Context, branch: t.Branch) -> tuple[Need, ...]:
    scope, condition = here(c), branch.condition
    own_need = () if condition is None else (written(c, "if", condition, scope, branch.span),)
    return (*own_need, *something_to_do(c, branch.block, scope), *completion(c, branch.block, scope))


def _branches(c: Context, choice: t.ChooseOne) -> Branches:
    return Branches(tuple(_branch_needs(c, branch) for branch in choice.branches))


@lowers(t.ChooseOne, needs=something_of(_branches))
def _choose_one(c: Context, choice: t.ChooseOne) -> None:
    """Branches whose condition fails, or that cannot be completed, are not offered."""
    told = tuple(told_with_values(c.resolved, branch.block, c.where) for branch in choice.branches)
    labels = tuple(map(partial(branch_label, c.resolved), choice.branches, told))
    titles = tuple(map(partial(_title, c), choice.branches, told))
    question = c.question(
        Question(
            "choose-one",
            choice.prompt or "Choose one",
            "branch",
            labels=labels,
            keys=tuple(map(branch_text, choice.branches)),
            secret=choice.secretly,
            titles=titles if any(title.parts for title in titles) else (),
        )
    )

    def carry_out(branch: t.Branch) -> None:
        with c.decided():
            block(c, branch.block)

    with unseen(c, choice.secretly, choice), c.block() as end:
        answer = Ask(question, _branches(c, choice), seat(c, choice), none=end).put(c)
        switch(c, answer, choice.branches, carry_out, lambda branch: branch)


def _title(c: Context, branch: t.Branch, told: Words) -> PanelLine:
    """The parts of a title, or of what is told without one; values are worked out while the question waits."""
    parts = (branch.title, *branch.more) if branch.title else told
    return PanelLine("", tuple(_part(c, part) for part in parts) if len(parts) > 1 else ())


def _part(c: Context, part: str | t.Expr) -> PanelPart:
    if isinstance(part, str):
        return PanelPart(part, -1)
    return PanelPart("…", -1) if hushed(c, part) else PanelPart("", made(c, part, here(c)).query)


def seat(c: Context, choice: t.Choose | t.ChooseOne) -> Expr:
    return value(c, choice.asking) if choice.asking is not None else YOU


# --- things and numbers ----------------------------------------------------------------------------


def choice_question(c: Context, choice: t.Choose, decline: str | None) -> int:
    meaning = c.resolved.of(choice.kind)
    kind = {"group": "resource"}.get(meaning.sort, meaning.name)
    prompt = choice.prompt or choose_prompt(c.resolved, choice.kind, meaning.name)
    domain = "number" if meaning.sort == "number" else "thing"
    possible = answers(c, choice.kind, choice, choice.source, choice.where)
    question = Question(f"choose-{choice.name.word}", prompt, domain, kind, possible, secret=choice.secretly)
    return c.question(question, decline)


def domain(c: Context, choice: t.Choose) -> Domain:
    """What may be chosen."""
    filters, scope, source = where_filters(c, choice.where), here(c, choice), choice.source
    if choice.low is not None and choice.high is not None:
        low, high = choice.low, choice.high
        return Domain(lambda c2: numbers(c2, low, high), _range(choice, low, high, scope), filters)
    if source is not None:
        return Domain(lambda c2: value(c2, source), from_source(c, choice, source, scope), filters)
    meaning = c.resolved.of(choice.kind)
    if meaning.sort == "group":
        group = mask(c.linked.members(meaning.name))
        return Domain(lambda c2: group, from_group(choice.kind, group, scope, choice.span), filters)
    return Domain(lambda c2: everything(c2, meaning.name), None, filters)


def _range(choice: t.Choose, low: t.Expr, high: t.Expr, scope: Scope) -> Need:
    it = scope.params[0]

    def test(c: Context) -> Condition:
        above = core.Compare(">=", c.where[it], value(c, low))
        return core.All((above, core.Compare("<=", c.where[it], value(c, high))))

    return Implied(
        ("range", low, high),
        scope,
        low.span,
        test,
        lambda c: f"{spelled(c, low, scope)} to {spelled(c, high, scope)}",
        (low, high),
        lambda c: (*value_of(c, low, scope), *value_of(c, high, scope)),
        lambda c: f"{condition_text(c.resolved, low)} to {condition_text(c.resolved, high)}",
    ).need("range", choice.span)


@asks(t.Choose, something_of(domain))
def _choose(c: Context, choice: t.Choose, offer: Offer) -> bool:
    question = choice_question(c, choice, offer.decline)
    c.bind(choice, Ask(question, domain(c, choice), seat(c, choice), offer.no, offer.declined).put(c))
    return True


# --- dice ------------------------------------------------------------------------------------------


def _dice(c: Context, choice: t.ChooseDie) -> Domain:
    """The fields of all dice there are to choose from."""
    scope = here(c, choice)
    it = scope.params[0]

    def fields(c2: Context) -> Expr:
        return op(o.DFIELDS, value(c2, choice.source))

    origin = Implied(
        "die",
        scope,
        choice.span,
        lambda c2: core.Compare("in", c2.where[it], fields(c2)),
        lambda c2: spelled(c2, choice.source, scope),
        (choice.source,),
        lambda c2: value_of(c2, choice.source, scope),
        lambda c2: condition_text(c2.resolved, choice.source),
    )
    return Domain(fields, origin.need("from"))


@asks(t.ChooseDie, something_of(_dice))
def _choose_die(c: Context, choice: t.ChooseDie, offer: Offer) -> bool:
    which = Question("choose-die", choice.prompt or "Which die?", "die", secret=choice.secretly)
    question = c.question(which, offer.decline)
    die = Ask(question, _dice(c, choice), none=offer.no, declined=offer.declined).put(c)
    c.bind(choice, c.let(one_die(c, die)))
    return True
