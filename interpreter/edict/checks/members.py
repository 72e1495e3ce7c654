"""What is asked of each member of a set, or counts for each of a group, and does not speak of the member."""

from __future__ import annotations

from collections.abc import Iterator

from edict.checks.intervals import range_of
from edict.language import tree as t
from edict.language.printing.expressions import NOT, expression
from edict.language.roles import Role, having
from edict.language.sorts import plurals
from edict.language.walking import walk
from edict.meaning.calls import abilities, is_you, owners
from edict.meaning.symbols import NUMBER, Resolved, definition_of
from edict.meaning.types import Typed
from edict.meaning.whose import nobodys
from edict.report import Diagnostic, Edit, Label, listed


def members_asked(typed: Typed) -> Iterator[Diagnostic]:
    meaning, binds, nobody = typed.resolved.meaning, typed.resolved.binds, nobodys(typed.resolved)
    for owner in owners(typed.resolved):
        for node in walk(owner):
            for asked in _asked(node):
                local = binds.get(asked) or binds.get(node)  # of a choice, which has a name of its own
                names = [name for name in walk(asked) if isinstance(name, t.Name)]
                if _compares(typed, node, asked) and all(meaning.get(name) is not local for name in names):
                    yield _same_for_all(asked)
                    continue
                you = next((name for name in names if is_you(typed.resolved, name) and name not in nobody), None)
                if you is not None and local is not None and all(meaning.get(name) is not local for name in names):
                    yield Diagnostic(
                        "E0557", "this asks about you, and so it is the same for each of them", asked.span,
                        severity="warning",
                        help="write `it` for the one that is asked about, or put this into an `if` before",
                        edits=(Edit(you.span, "it"),),
                    )  # fmt: skip


def _asked(node: t.Node) -> Iterator[t.Expr]:
    yield from (one for one in having(node, Role.PER_MEMBER) if isinstance(one, t.Expr))


def _compares(typed: Typed, node: t.Node, asked: t.Expr) -> bool:
    """Whether members come before others by this number; a sum may well be of something that is the same for all."""
    return typed.of(asked) == NUMBER and not isinstance(node, t.Over)


def _same_for_all(key: t.Expr) -> Diagnostic:
    return Diagnostic(
        "E0557", "this is the same for each of them, so it puts none before another", key.span, severity="warning",
        help="ask about `it`, which is each of them in turn",
    )  # fmt: skip


def for_each_resource(typed: Typed) -> Iterator[Diagnostic]:
    """`adjust price by -1`, where a price is so much of each good: that is 1 less of each, and of all together more."""
    for adjust in (one for one in abilities(typed.resolved) if isinstance(one, t.Adjust)):
        quantity = definition_of(typed.resolved, adjust.quantity)
        for param in quantity.params if isinstance(quantity, t.Quantity) else ():
            group = definition_of(typed.resolved, param.kind)
            if isinstance(quantity, t.Quantity) and isinstance(group, t.Group) and len(group.members) > 1:
                if _is_amount_in(typed.resolved, quantity, param) and not _meant(typed, quantity, param, adjust):
                    yield _for_each(adjust, param, group)


def _is_amount_in(resolved: Resolved, quantity: t.Quantity, param: t.Param) -> bool:
    """Whether it goes back to amounts that are written out, resource by resource; a limit for each is none of these."""
    fields = (node for node in walk(quantity.value) if isinstance(node, t.Apply) and len(node.args) == 2)
    return any(
        resolved.meaning[node.head].sort == "field" and _names(resolved, node.args[1], param) for node in fields
    )


def _meant(typed: Typed, quantity: t.Quantity, param: t.Param, adjust: t.Adjust) -> bool:
    """Whether it speaks of the resource; or takes something off a thing it names, which may cost one resource alone."""
    said = [one for one in (adjust.by, adjust.condition) if one is not None]
    if any(_names(typed.resolved, node, param) for one in said for node in walk(one)):
        return True
    compared = [node for node in walk(adjust.condition) if isinstance(node, t.Binary) and node.op in ("=", "in")]
    others = [one for one in quantity.params if one is not param]
    named = any(_names(typed.resolved, node.left, one) for node in compared for one in others)
    low, high = range_of(typed, adjust.by)
    return (low, high) == (0, 0) or (named and high <= 0)


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
