"""Between expand and layer, in full: values that stand for others, whatever their names mean.

What comes after knows only those.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from edict.language import tree as t
from edict.language.walking import parts, walk
from edict.layering.expand import Laid
from edict.report import Outcome

_LOOKED_AT = (t.Listed, t.OfMembers)
_OF_SETS = ("count", "first", "last")


def in_full(laid: Laid) -> Outcome[Laid]:
    """The same pages, with every list as a sum, and what is counted or summed up where it ends."""
    return Outcome(tuple((module, tuple(map(_page, written))) for module, written in laid))


def _page(page: t.Page) -> t.Page:
    return replace(page, definitions=tuple(map(_definition, page.definitions)))


def _definition(one: t.Definition) -> t.Definition:
    written: t.Definition = _whole(one) if any(isinstance(node, _LOOKED_AT) for node in walk(one)) else one
    return written


def _whole(node: Any) -> Any:
    """From within."""
    if isinstance(node, tuple):
        return tuple(map(_whole, node))
    if not isinstance(node, t.Node):
        return node
    inner = {name: _whole(value) for name, value in parts(node)}
    changed = {name: value for name, value in inner.items() if not _same(value, getattr(node, name))}
    whole = replace(node, **changed) if changed else node
    if isinstance(whole, t.Listed):
        return _sum(whole)
    return _about_members(whole) if isinstance(whole, t.OfMembers) else whole


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

