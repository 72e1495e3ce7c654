"""To choose a thing, a number, a die, or one of several things to do."""

from __future__ import annotations

from edict.backend import core
from edict.backend.composing import op
from edict.backend.core import Condition, Expr
from edict.language import tree as t
from edict.lowering.asks import Ask, Domain, Need, Option, filtered, from_group, from_source, written
from edict.lowering.blocks import Offer, block, declinable, lowers
from edict.lowering.completing import completes, completion, something, something_to_do
from edict.lowering.containers import everything, numbers
from edict.lowering.context import YOU, Context, mask
from edict.lowering.hiding import unseen
from edict.lowering.reason_code import Implied, Scope, here, hushed, made, spelled, value_of
from edict.lowering.values import value
from edict.program import PanelLine, PanelPart, Question
from edict.program import opcodes as o
from edict.words import an, block_words, title_of
from edict.words.settled import branch_title


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# --- one or the other ------------------------------------------------------------------------------


@lowers(t.ChooseOne)
def _choose_one(c: Context, choice: t.ChooseOne) -> None:
    """Branches whose condition fails, or that cannot be completed, are not offered."""
    labels = tuple(_label(c, branch) for branch in choice.branches)
    titles = tuple(_title(c, branch) for branch in choice.branches) if any(b.more for b in choice.branches) else ()
    question = c.question(Question(
        "choose-one", choice.prompt or "Choose one", "branch", labels=labels, secret=choice.secretly, titles=titles
    ))  # fmt: skip
    options = tuple(Option(i, _branch_needs(c, branch)) for i, branch in enumerate(choice.branches))
    with unseen(c, choice.secretly, choice), c.block() as end:
        answer = Ask(question, options, seat(c, choice), none=end).put(c)
        cases = []
        for branch in choice.branches:
            with c.decided(), c.apart() as case:
                block(c, branch.block)
            cases.append((word_cause(c, branch), tuple(case)))
        c.add(core.Switch(answer, tuple(cases), cause=c.cause))


def _label(c: Context, branch: t.Branch) -> str:
    """Its title, the same whatever its values are; or what it does."""
    return branch_title(c.resolved, branch) or capital(block_words(c.resolved, branch.block))


def _title(c: Context, branch: t.Branch) -> PanelLine:
    """The parts of a title; values are worked out while the question waits."""
    parts = (branch.title, *branch.more) if branch.more else ()
    return PanelLine("", tuple(_part(c, part) for part in parts))


def _part(c: Context, part: str | t.Expr) -> PanelPart:
    if isinstance(part, str):
        return PanelPart(part, -1)
    return PanelPart("…", -1) if hushed(c, part) else PanelPart("", made(c, part, here(c)).query)


def _branch_needs(c: Context, branch: t.Branch) -> tuple[Need, ...]:
    scope, condition = here(c), branch.condition
    own_need = () if condition is None else (written(c, "if", condition, scope, branch.span),)
    return (*own_need, *something_to_do(c, branch.block, scope), *completion(c, branch.block, scope))


@completes(t.ChooseOne)
def _some_branch(c: Context, choice: t.ChooseOne, scope: Scope) -> Need | None:
    """One of them must be possible."""
    needs = tuple(_branch_needs(c, branch) for branch in choice.branches)
    if not all(needs):
        return None
    return something(
        c, choice, scope, lambda c2: core.Any_(tuple(core.All(tuple(one.test(c2) for one in row)) for row in needs))
    )  # fmt: skip


def word_cause(c: Context, node: t.Node) -> int:
    """The cause of the words of an option."""
    now = c.causes[c.cause]
    return c.add_cause(now.name, now.title, node.span, now.asks)


def seat(c: Context, choice: t.Choose | t.ChooseOne) -> Expr:
    return value(c, choice.asking) if choice.asking is not None else YOU


# --- things and numbers ----------------------------------------------------------------------------


@lowers(t.Choose)
def _choose(c: Context, choice: t.Choose) -> None:
    """With nothing to choose from, the block ends."""
    _offer_choice(c, choice, Offer(c.skip[-1]))


@declinable(t.Choose)
def _offer_choice(c: Context, choice: t.Choose, offer: Offer) -> bool:
    question = choice_question(c, choice, offer.decline)
    c.bind(choice, Ask(question, domain(c, choice), seat(c, choice), offer.no, offer.declined).put(c))
    return True


def choice_question(c: Context, choice: t.Choose, decline: str | None) -> int:
    meaning = c.resolved.of(choice.kind)
    kind = {"group": "resource"}.get(meaning.sort, meaning.name)
    prompt = choice.prompt or f"Choose {an(_single(c, choice.kind, meaning.name))}"
    return c.question(Question(
        f"choose-{choice.name.word}", prompt, "number" if meaning.sort == "number" else "thing", kind,
        decline=decline or "", secret=choice.secretly,
    ))  # fmt: skip


def _single(c: Context, kind: t.Name, name: str) -> str:
    """What one of a kind is called, also where its plural is written."""
    title = title_of(c.resolved, kind)
    return name.replace("-", " ") if title == kind.word.replace("-", " ") else title


def domain(c: Context, choice: t.Choose) -> Domain:
    """What may be chosen."""
    filters, scope, source = filtered(c, choice.where), here(c, choice), choice.source
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

    def check(c: Context) -> int:
        text = f"{spelled(c, low, scope)} to {spelled(c, high, scope)}"
        found = (*value_of(c, low, scope), *value_of(c, high, scope))
        return Implied(("range", low, high), scope, low.span, test, text, (low, high), found).add(c)

    return Need("range", scope, choice.span, test, check)


@completes(t.Choose)
def _some_member(c: Context, choice: t.Choose, scope: Scope) -> Need:
    return something(c, choice, scope, lambda c2: core.Test(domain(c2, choice).options(c2)))


# --- dice ------------------------------------------------------------------------------------------


@lowers(t.ChooseDie)
def _choose_die(c: Context, choice: t.ChooseDie) -> None:
    _offer_die(c, choice, Offer(c.skip[-1]))


@declinable(t.ChooseDie)
def _offer_die(c: Context, choice: t.ChooseDie, offer: Offer) -> bool:
    question = c.question(Question(
        "choose-die", choice.prompt or "Which die?", "die", decline=offer.decline or "", secret=choice.secretly
    ))  # fmt: skip
    die = Ask(question, _dice(c, choice), none=offer.no, declined=offer.declined).put(c)
    c.bind(choice, c.let(op(o.DONE, die)))
    return True


def _dice(c: Context, choice: t.ChooseDie) -> Domain:
    """The fields of all dice there are to choose from."""
    scope = here(c, choice)
    it = scope.params[0]

    def fields(c2: Context) -> Expr:
        return op(o.DFIELDS, value(c2, choice.source))

    def test(c2: Context) -> Condition:
        return core.Compare("in", c2.where[it], fields(c2))

    def check(c2: Context) -> int:
        text, found = spelled(c2, choice.source, scope), value_of(c2, choice.source, scope)
        return Implied("die", scope, choice.span, test, text, (choice.source,), found).add(c2)

    return Domain(fields, Need("from", scope, choice.span, test, check))


@completes(t.ChooseDie)
def _some_die(c: Context, choice: t.ChooseDie, scope: Scope) -> Need:
    return something(c, choice, scope, lambda c2: core.Test(_dice(c2, choice).members(c2)))
