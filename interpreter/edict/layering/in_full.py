"""Between expand and layer, in full: shorthand steps written out as the steps they stand for.

What comes after knows only those. The step as it was written stays beside them (`InFull.short`), for words and
printing; both hold the same nodes, so what a name means in one it means in the other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from edict.language import tree as t
from edict.layering.expand import Laid, laid_in_order
from edict.layering.leaving import leaves, left_early
from edict.layering.prices import priced, with_prices
from edict.sources.modules import above
from edict.language.walking import parts, walk
from edict.layering.several import offered, offered_dice
from edict.layering.written_out import FULL, Writer, declared
from edict.report import Diagnostic, Outcome

_LOOKED_AT = (t.Short, t.Listed, t.OfMembers, t.CanPay, t.PartPrice, t.ChooseDie)
_OF_SETS = ("count", "first", "last")


def in_full(laid: Laid) -> Outcome[Laid]:
    """The same pages, with nothing in short."""
    beneath = above(module for module, _ in laid)
    pages = dict(laid_in_order(laid))
    found: list[Diagnostic] = []
    done = []
    for module, written in laid:
        known = [name for name in pages if name == module.name or name in beneath[module.name]]
        rules = (one for name in known for page in pages[name] for one in page.definitions)
        work = _InFull(Writer(declared(rules), found))
        done.append((module, tuple(work.page(page) for page in written)))
    return Outcome(tuple(done), tuple(found))


class _InFull:
    """Goes through what is written, from within."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer

    def page(self, page: t.Page) -> t.Page:
        return replace(page, definitions=tuple(self._definition(one) for one in page.definitions))

    def _definition(self, one: t.Definition) -> t.Definition:
        if not any(isinstance(node, _LOOKED_AT) for node in walk(one)):
            return one
        written: t.Definition = self._whole(one)
        self._nowhere(written)
        return written

    def _whole(self, node: Any) -> Any:
        if isinstance(node, tuple):
            return tuple(self._whole(one) for one in node)
        if not isinstance(node, t.Node):
            return node
        before = self.writer.named
        self.writer.named |= self.writer.declared.named_by(node)
        inner = {name: self._whole(value) for name, value in parts(node)}
        self.writer.named = before
        changed = {name: value for name, value in inner.items() if not _same(value, getattr(node, name))}
        return self._one(replace(node, **changed) if changed else node)

    def _one(self, node: t.Node) -> t.Node:
        if isinstance(node, t.EachAtOnce):
            node = replace(node, block=in_secret(node.block))
        if isinstance(node, t.Loop) and leaves(node):
            return self._left_early(node)
        if type(node) in FULL:
            return self._written(node)
        if isinstance(node, t.May) and isinstance(node.head, t.InFull):
            return self._offered(node, node.head)
        if isinstance(node, t.CanPay) and node.price is not None:
            self.writer.span = node.span
            return replace(node, options=priced(self.writer, t.PayPrice(node.span, node.price, node.joker, ())))
        if isinstance(node, t.Bundle) and any(isinstance(part, t.PartPrice) for part in node.parts):
            return with_prices(self.writer, node)
        if isinstance(node, t.ChooseDie) and node.where is not None:
            self.writer.span = node.span
            source = self.writer.where(node.source, node.where)
            return t.InFull(node.span, node, (replace(node, source=source, where=None),))
        if isinstance(node, t.Listed):
            return _sum(node)
        return _about_members(node) if isinstance(node, t.OfMembers) else node

    def _offered(self, may: t.May, head: t.InFull) -> t.Stmt:
        short = head.short
        several = isinstance(short, t.ChooseSome | t.ChooseDice) and isinstance(short.count, t.Number)
        if several and short.count.value > 0:
            self.writer.span = short.span
            by = offered if isinstance(short, t.ChooseSome) else offered_dice
            return t.InFull(may.span, replace(may, head=short), (by(self.writer, may, short),))
        if isinstance(short, t.PayPrice | t.ChooseDie) and len(head.block) == 1:
            return t.InFull(may.span, replace(may, head=short), (replace(may, head=head.block[0]),))
        return replace(may, head=None, then=(head, *may.then))

    def _left_early(self, loop: Any) -> t.Stmt:
        self.writer.span = loop.span
        before, guarded = left_early(loop, self.writer.fresh("left"))
        return t.InFull(loop.span, loop, (before, self._written(guarded) if type(guarded) in FULL else guarded))

    def _written(self, short: Any) -> t.InFull:
        self.writer.span = short.span
        return t.InFull(short.span, short, FULL[type(short)](self.writer, short))

    def _nowhere(self, definition: t.Definition) -> None:
        """What leaves a loop stands in one."""
        for node in walk(definition):
            if isinstance(node, t.Leave):
                self.writer.found.append(_no_loop(node))


def in_secret(node: Any) -> Any:
    """With every question put in secret."""
    if isinstance(node, tuple):
        return tuple(in_secret(one) for one in node)
    if not isinstance(node, t.Node):
        return node
    inner = {name: in_secret(value) for name, value in parts(node)}
    changed = {name: value for name, value in inner.items() if not _same(value, getattr(node, name))}
    if hasattr(node, "secretly"):
        changed["secretly"] = True
    return replace(node, **changed) if changed else node


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, tuple):
        return len(one) == len(other) and all(_same(x, y) for x, y in zip(one, other, strict=True))
    return one is other


def _sum(listed: t.Listed) -> t.Expr:
    """`(a, b)` is `nobody + a + b`."""
    found: t.Expr = t.Name(listed.span, "nobody")
    for member in listed.members:
        found = t.Binary(listed.span, "+", found, member)
    return replace(found, wrapped=True)


def _about_members(node: Any) -> t.Node:
    """`count of trees where ...` counts those, for a number has no members."""
    whole: t.Node = node
    members = node.members
    if members.wrapped:
        return whole
    if isinstance(members, t.Unary) and members.op in _OF_SETS:
        return replace(members, arg=replace(node, members=members.arg, wrapped=True))
    if isinstance(members, t.Over):
        return replace(members, members=replace(node, members=members.members, wrapped=True))
    return whole


def _no_loop(leave: t.Leave) -> Diagnostic:
    return Diagnostic(
        "E0198", "there is no loop here to leave", leave.span,
        note="`leave loop` ends the `each` or `repeat` it stands in.",
        help="put it into a loop; to leave out the rest of a block, write it under an `if`",
    )  # fmt: skip
