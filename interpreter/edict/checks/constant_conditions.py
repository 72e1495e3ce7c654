"""Conditions that always or never hold, that no pass through a loop changes, that are the same for each member, or can
be read in two ways."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, reduce
from itertools import chain, pairwise
from operator import is_
from typing import Any

from edict.checks.check_registry import Checks, Rules, blocks, offering, with_blocks, with_role
from edict.language import tree as t
from edict.language.nouns import plurals
from edict.language.printing.printed_expressions import NOT, expression
from edict.language.roles import Overwrites, Role, Takes, has, having, note, roles_of
from edict.language.walking import holding, parts, walk
from edict.meaning.block_steps import leaving
from edict.meaning.call_graph import is_you
from edict.meaning.effects import Effects, all_reads, effects, own_effects
from edict.meaning.possible_values import Claim, Reader, possible
from edict.meaning.precedence import exceptions_to
from edict.meaning.symbols import NUMBER, TRUTH, Resolved, definition_of
from edict.meaning.types import Typed
from edict.program import Type
from edict.report import Diagnostic, Edit, Label, as_written_or, listed

_SET = "to"  # how it is said of a place what it holds, where a step before has seen to that


checks = Checks()


@checks.at(with_blocks)
def just_set(rules: Rules, node: t.Node) -> Iterable[Diagnostic]:
    """Notes what is known where a place is given a value that is written out, and the next step asks about it."""
    for block in blocks(node):
        for step, following in pairwise(block):
            places, values = [*having(step, Role.CHANGED)], [*having(step, Role.INTO)]
            if isinstance(step, Overwrites) and len(places) == len(values) == 1:
                if has(type(following), Role.DECIDES) and _written_out(rules.typed, places[0], values[0]):
                    same = t.Binary(places[0].span, "=", places[0], values[0], said=_SET)
                    rules.known[following] = [(same, True)]
    return ()


def _deciding(kind: type) -> bool:
    return has(kind, Role.DECIDES) and has(kind, Role.INSTEAD)


@checks.at(_deciding)
def passed_on(rules: Rules, one: t.Node) -> Iterable[Diagnostic]:
    """Notes what is known where the blocks below a condition begin with another one, and nothing has changed yet."""
    condition, before = next(having(one, Role.DECIDES)), rules.known.get(one, ())
    for block, so in ((getattr(one, "then", ()), True), (tuple(having(one, Role.INSTEAD)), False)):
        if block and type(block[0]) is type(one):
            rules.known[block[0]] = [*before, (condition, so)]
    return ()


@cache
def _asking(kind: type) -> tuple[str, ...]:
    """The fields of a node that may be conditions."""
    found = ((field, note(kind, field, Takes)) for field in holding(kind))
    return tuple(
        field for field, takes in found
        if Role.PER_MEMBER in roles_of(kind, field) or (takes is not None and takes.shape == "truth")
    )  # fmt: skip


@checks.at(_asking)
def foregone(rules: Rules, node: t.Node) -> Iterator[Diagnostic]:
    """Only what declarations and the conditions before it make certain."""
    for condition in _conditions(rules.typed, node):
        yield from _said(rules.reader, node, condition, rules.known.get(node, ()))


def _written_out(typed: Typed, place: t.Expr, value: t.Expr) -> bool:
    """Whether it is a place for a single value, and the value is the same whenever it is put there."""
    named = isinstance(value, t.Name) and typed.resolved.of(value).sort in ("thing", "builtin")
    return typed.of(place).shape in ("number", "truth", "thing") and (named or isinstance(value, t.Number))


@checks.at(t.Action)
def at_odds(rules: Rules, action: t.Action) -> Iterator[Diagnostic]:
    """Rules of which one always refuses what the others let pass, and nothing makes an exception."""
    exceptions, reader = exceptions_to(rules.resolved, action), rules.reader
    excepted = {exception.rule.word for exception in exceptions if exception.rule is not None}
    passed = [rule for rule in action.rules if rule.name.word not in excepted]
    claims = [(rule.require, True) for rule in passed if not reader.cannot_be([(rule.require, True)])]
    for i, (require, _) in enumerate(claims):
        if reader.cannot_be(claims[: i + 1]):
            yield Diagnostic(
                "E0550", f"no choice can pass this rule of `{action.name.word}` and those before it", require.span,
                severity="warning", labels=(Label(claims[i - 1][0].span, "the rule before it"),),
                help="let one of them go, or make an exception to it",
            )  # fmt: skip
            return


def _conditions(typed: Typed, node: t.Node) -> Iterator[t.Expr]:
    kind: type = type(node)
    for field in _asking(kind):
        condition = getattr(node, field)
        if isinstance(condition, t.Name) and (field != "condition" or _always(node, condition)):
            continue  # `require yes`, `repeat until no`: so it is meant
        if isinstance(condition, t.Expr) and typed.of(condition) == TRUTH:
            yield condition


def _always(node: t.Node, condition: t.Name) -> bool:
    """`adjust limit by 1 if yes`"""
    return isinstance(node, t.Ability) and condition.word == "yes"


def _said(reader: Reader, node: t.Node, condition: t.Expr, before: Sequence[Claim]) -> Iterator[Diagnostic]:
    for so in (False, True):
        claim = (condition, not so)
        if reader.cannot_be([claim]):
            yield _foregone(node, condition, so, None)
        elif before and _matters(node, so) and reader.cannot_be([*before, claim]) and not reader.cannot_be(before):
            yield _foregone(node, condition, so, _cause(reader, before, claim))
        else:
            continue
        return
    if isinstance(condition, t.Binary) and condition.op in ("and", "or"):
        yield from _said(reader, node, condition.left, before)
        yield from _said(reader, node, condition.right, before)


def _cause(reader: Reader, before: Sequence[Claim], claim: Claim) -> t.Expr:
    """The last of those without which it could be."""
    needed = (one for one in reversed(before) if not reader.cannot_be([*(b for b in before if b is not one), claim]))
    return next(needed, before[-1])[0]


def _matters(node: t.Node, so: bool) -> bool:
    """Of a loop it is no news that its end has not come yet when it begins."""
    return so or not isinstance(node, t.Loop)


def _foregone(node: t.Node, condition: t.Expr, so: bool, cause: t.Expr | None) -> Diagnostic:
    if isinstance(node, t.Ability) and not so:
        code, title = "E0515", "this never applies: its condition never holds"
    else:
        code, title = "E0550", "this condition always holds" if so else "this condition never holds"
    by = "step" if isinstance(cause, t.Binary) and cause.said == _SET else "condition"
    labels = (Label(cause.span, f"because of this {by}"),) if cause is not None else ()
    return Diagnostic(
        code, title + (" here" if cause is not None else ""), condition.span, severity="warning", labels=labels,
        help="leave the condition out, or compare with something that can differ" if so else
        "compare with something that can be, or delete it",
    )  # fmt: skip


# --- `and` beside `or` ---------------------------------------------------------------------------


@checks.at(t.Binary)
def mixed(rules: Rules, node: t.Binary) -> Iterator[Diagnostic]:
    """Told with both readings; the parentheses of the one that holds change nothing."""
    if node.op == "or":
        if _is_bare(node.left, "or"):
            rules.joined.add(node.left)
        arms = _arms(node, "or") if node not in rules.joined else []
        if any(_is_bare(arm, "and") for arm in arms):
            yield _two_readings(node, arms)


def _is_bare(expr: t.Expr, op: str) -> bool:
    return isinstance(expr, t.Binary) and expr.op == op and not expr.wrapped


def _arms(expr: t.Expr, op: str) -> list[t.Expr]:
    """What `and` or `or` joins, without the parentheses that may stand around all of it."""
    if not isinstance(expr, t.Binary) or expr.op != op:
        return [expr]
    return [one for side in (expr.left, expr.right) for one in (_arms(side, op) if _is_bare(side, op) else [side])]


def _two_readings(node: t.Binary, arms: Sequence[t.Expr]) -> Diagnostic:
    mixed_in = [arm for arm in arms if _is_bare(arm, "and")]
    read = _chain("or", [replace(arm, wrapped=True) if arm in mixed_in else arm for arm in arms])
    groups: list[list[t.Expr]] = [[]]  # as if `or` held together more tightly
    for arm in arms:
        first, *others = _arms(arm, "and") if arm in mixed_in else [arm]
        groups[-1].append(first)
        groups += [[one] for one in others]
    eithers = [group[0] if len(group) == 1 else replace(_chain("or", group), wrapped=True) for group in groups]
    other = _chain("and", eithers)
    ends = [(arm.span, replace(arm.span, line=arm.span.end_line, column=arm.span.end_column)) for arm in mixed_in]
    starts = [(replace(whole, end_line=whole.line, end_column=whole.column), end) for whole, end in ends]
    return Diagnostic(
        "E0577", "`and` and `or` stand beside each other without parentheses", node.span, severity="warning",
        note=f"`and` holds together more tightly than `or`, so this is read as `{expression(read)}`.",
        help=f"put in these parentheses, which change nothing; or write `{expression(other)}`, if that is meant",
        edits=tuple(edit for start, end in starts for edit in (Edit(start, "("), Edit(end, ")"))), exact=True,
        readings=as_written_or(
            [Edit(node.span, expression(other))], f"it means `{expression(read)}`", f"it means `{expression(other)}`"
        ),
    )  # fmt: skip


def _chain(op: str, arms: Sequence[t.Expr]) -> t.Expr:
    return reduce(lambda left, right: t.Binary(left.span.to(right.span), op, left, right), arms)


# --- what is asked of each member, or counts for each of a group ---------------------------------


@checks.at(with_role(Role.PER_MEMBER))
def members_asked(rules: Rules, node: t.Node) -> Iterator[Diagnostic]:
    meaning, binds, its = rules.resolved.meaning, rules.resolved.binds, rules.resolved.asked
    all_asked = [one for one in having(node, Role.PER_MEMBER) if isinstance(one, t.Expr)]
    for asked in all_asked:
        # of what has a name of its own, `it` belongs to what is asked first
        local = next((its[one] for one in all_asked if one in its), binds.get(node))
        names = [name for name in walk(asked) if isinstance(name, t.Name)]
        if any(meaning.get(name) is local for name in names):
            continue
        if (lost := _lost(node, rules.typed.of(asked))) is not None:
            yield Diagnostic(
                "E0557", f"this is the same for each of them, so {lost}", asked.span, severity="warning",
                help="ask about `it`, which is each of them in turn",
            )  # fmt: skip
            continue
        you = next((name for name in names if is_you(rules.resolved, name) and name not in rules.nobodys), None)
        if you is not None and local is not None:
            yield Diagnostic(
                "E0557", "this asks about you, and so it is the same for each of them", asked.span, severity="warning",
                help="write `it` for the one that is asked about, or put this into an `if` before",
                edits=(Edit(you.span, "it"),),
                readings=as_written_or([Edit(you.span, "it")], "`you` is meant", "`it` is meant"),
            )  # fmt: skip


def _lost(node: t.Node, asked: Type) -> str | None:
    """What does not come of what is asked of each member if it is the same for all; a sum may well be of that."""
    if asked.shape == "set":
        return "all of them lead to the same places"
    adds_up = isinstance(node, t.Over | t.LongestPath | t.LongestTrail)
    return "it puts none before another" if asked == NUMBER and not adds_up else None


@checks.at(t.Adjust)
def for_each_resource(rules: Rules, adjust: t.Adjust) -> Iterator[Diagnostic]:
    """`adjust price by -1`, where a price is so much of each good: that is 1 less of each, and of all together more."""
    quantity = definition_of(rules.resolved, adjust.quantity)
    for param in quantity.params if isinstance(quantity, t.Quantity) else ():
        group = definition_of(rules.resolved, param.kind)
        if isinstance(quantity, t.Quantity) and isinstance(group, t.Group) and len(group.members) > 1:
            if _amounts_in(rules.resolved, quantity, param) and not _means_one(rules.typed, quantity, param, adjust):
                yield _for_each(adjust, param, group)


def _amounts_in(resolved: Resolved, quantity: t.Quantity, param: t.Param) -> list[t.Apply]:
    """Return where it looks at amounts that are written out by resource; a limit for each resource is none of these."""
    fields = (node for node in walk(quantity.value) if isinstance(node, t.Apply) and len(node.args) == 2)
    return [
        node for node in fields
        if resolved.meaning[node.head].sort == "field" and _names(resolved, node.args[1], param)
    ]  # fmt: skip


def _means_one(typed: Typed, quantity: t.Quantity, param: t.Param, adjust: t.Adjust) -> bool:
    """Return True if it speaks of the resource, or takes something off a thing it names that may cost one resource."""
    if adjust.times is not None or adjust.divided is not None:
        return True  # half of a price is half of each
    said = [one for one in (adjust.number, adjust.condition) if one is not None]
    if any(_names(typed.resolved, node, param) for one in said for node in walk(one)):
        return True
    compared = [node for node in walk(adjust.condition) if isinstance(node, t.Binary) and node.op in ("=", "in")]
    others = [one for one in quantity.params if one is not param]
    about = [node.right for node in compared if any(_names(typed.resolved, node.left, one) for one in others)]
    named = bool(about) and not all(_costs_several(typed.resolved, quantity, param, thing) for thing in about)
    by = possible(typed, adjust.number)
    return by.number == 0 or (named and by.high <= 0)


def _costs_several(resolved: Resolved, quantity: t.Quantity, param: t.Param, named: t.Expr) -> bool:
    """Return True if what is named is a thing in whose amounts several resources are written."""
    thing = definition_of(resolved, named) if isinstance(named, t.Name) else None
    amounts = {node.head.word for node in _amounts_in(resolved, quantity, param)}
    written = [one.amounts for one in thing.fields if one.name.word in amounts] if isinstance(thing, t.Thing) else []
    return any(bundle is not None and len(bundle.parts) > 1 for bundle in written)


def _names(resolved: Resolved, node: t.Node, param: t.Param) -> bool:
    return isinstance(node, t.Name) and resolved.meaning.get(node) is resolved.binds[param]


def _for_each(adjust: t.Adjust, param: t.Param, group: t.Group) -> Diagnostic:
    name, members = param.name.word, [one.word for one in group.members]
    asked = f" and {expression(adjust.condition, NOT)}" if adjust.condition is not None else ""
    one, each = f"{name} is {members[0]}{asked}", f"{name} is in {plurals(group.name.word)[-1]}{asked}"
    return Diagnostic(
        "E0574", f"this counts once for each `{name}`: for {listed(members, 'and')}", adjust.quantity.span,
        severity="warning", labels=(Label(param.span, f"each has its own `{adjust.quantity.word}`"),),
        help=f"if one of them is meant, write `if {one}`, or name another; if each is, write `if {each}`",
    )  # fmt: skip


# --- loops ----------------------------------------------------------------------------------------


@checks.at(t.Loop)
def endless(rules: Rules, loop: t.Loop) -> Iterator[Diagnostic]:
    """Certain: no way out of the loop changes what its condition reads, and none ends the game; or none that a player
    could not decline each time."""
    for until in having(loop, Role.AWAITED):
        yield from _endless(rules.resolved, until, loop.block)


@checks.at(t.Definition)
def nothing_to_leave(rules: Rules, owner: t.Definition) -> Iterator[Diagnostic]:
    for leave in leaving(owner):
        yield Diagnostic(
            "E0198", "there is no loop here to leave", leave.span,
            note="`leave loop` ends the `each` or `repeat` it stands in.",
            help="put it into a loop; to leave out the rest of a block, write it under an `if`",
        )  # fmt: skip


def _endless(resolved: Resolved, until: t.Expr, block: t.Block) -> Iterator[Diagnostic]:
    if _in_vain(resolved, until, block):
        yield Diagnostic(
            "E0511", "nothing in this loop can change what it waits for", until.span,
            labels=(Label(block[0].span, "the loop begins"),),
            help="change in the loop what `until` asks about, or use `repeat ... times`",
        )  # fmt: skip
        return
    offer = next((one for one in walk(block) if offering(type(one))), None)
    if offer is not None and _in_vain(resolved, until, _declined(block)):
        yield Diagnostic(
            "E0559", "whoever declines each time keeps this loop going forever", until.span, severity="warning",
            labels=(Label(offer.span, "this offer can be declined"),),
            help="write `else` below the offer, and under it `leave loop`, or what brings the end nearer",
        )  # fmt: skip


def _declined(value: Any) -> Any:
    """The same rules where every offer is declined; what holds no offer is the very same."""
    if isinstance(value, tuple):
        some = (
            _declined(tuple(having(one, Role.INSTEAD))) if offering(type(one)) else (_declined(one),) for one in value
        )
        steps = tuple(chain.from_iterable(some))
        return value if len(steps) == len(value) and all(map(is_, steps, value)) else steps
    if not isinstance(value, t.Node):
        return value
    inner = {name: _declined(one) for name, one in parts(value)}
    changed = {name: one for name, one in inner.items() if one is not getattr(value, name)}
    return replace(value, **changed) if changed else value


def _in_vain(resolved: Resolved, until: t.Expr, block: t.Block) -> bool:
    if any(leave for one in block for leave in leaving(one)):
        return False
    awaited = all_reads(resolved, until)
    return not any(done.ends or awaited & done.changes for done in _done(resolved, block))


def _done(resolved: Resolved, block: t.Block) -> Iterator[Effects]:
    """What the loop does: first that which stands in it, which is enough for most, and then all it calls."""
    yield own_effects(resolved, *block)
    yield effects(resolved, *block)
