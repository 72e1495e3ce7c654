"""Part of `in_full`: loops that are left early.

Whether a loop has been left is a name of its own. Behind every step that may leave it, the rest of the block is
done only if it has not, and so is every further turn.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from edict.language import tree as t
from edict.language.walking import copied, is_block, parts, walk


def leaves(node: t.Node) -> bool:
    """Whether it may leave the loop it stands in; loops within have been seen to before."""
    return any(isinstance(inner, t.Leave) for inner in walk(node))


def left_early(loop: Any, flag: t.Name) -> tuple[t.Let, t.Stmt]:
    """A loop in which `leave loop` only says so, with the step before it that says that it has not been left."""
    block = _guarded(loop.block, flag)
    started = t.Let(loop.span, flag, t.Number(loop.span, 0))
    if isinstance(loop, t.Repeat) and loop.until is not None:
        until = t.Binary(loop.span, "or", _is(flag, 1), loop.until)
        return started, replace(loop, until=until, block=block)
    return started, replace(loop, block=(_unless(flag, block),))


def _guarded(block: t.Block, flag: t.Name) -> t.Block:
    for i, one in enumerate(block):
        if leaves(one):
            rest = _guarded(block[i + 1 :], flag)
            return (*block[:i], _flagged(one, flag), *((_unless(flag, rest),) if rest else ()))
    return block


def _flagged(node: Any, flag: t.Name) -> Any:
    """A step that may leave the loop, with all blocks that stand in it."""
    if isinstance(node, t.Leave):
        return t.InFull(node.span, node, (t.Set(node.span, copied(flag), t.Number(node.span, 1)),))
    changed = {}
    for name, value in parts(node):
        if is_block(value):
            changed[name] = _guarded(value, flag)
        elif isinstance(value, tuple) and any(isinstance(one, t.Branch) for one in value):
            changed[name] = tuple(_flagged(branch, flag) for branch in value)
    return replace(node, **changed)


def _unless(flag: t.Name, block: t.Block) -> t.If:
    return t.If(block[0].span, _is(flag, 0), block, ())


def _is(flag: t.Name, number: int) -> t.Expr:
    return t.Binary(flag.span, "=", copied(flag), t.Number(flag.span, number))
