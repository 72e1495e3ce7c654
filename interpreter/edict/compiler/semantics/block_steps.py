"""What is done in a block: all but what only describes it, the author's words and shorthand steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from edict.compiler.semantics.symbols import Resolved
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.walking import parts


def steps(resolved: Resolved, block: t.Block) -> t.Block:
    """The statements that do something; those below a text, or for a step in short, as if that were not there."""
    full = resolved.full
    if not any(step in full or isinstance(step, t.Text) for step in block):
        return block
    return tuple(step for written in block for step in _steps_of(resolved, written))


def _steps_of(resolved: Resolved, step: t.Stmt) -> t.Block:
    inner: t.Block | None = resolved.full.get(step, step.block if isinstance(step, t.Text) else None)
    return (step,) if inner is None else steps(resolved, inner)


def untold(block: t.Block) -> t.Block:
    """The same with steps in short as they are written: all but the author's words."""
    return tuple(_told(block)) if any(isinstance(step, t.Text) for step in block) else block


def leaving(node: Any) -> Iterator[t.Leave]:
    """The steps in it that leave the loop it stands in, or is; what stands in loops within leaves those."""
    if isinstance(node, t.Leave):
        yield node
    for _, value in parts(node):
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, t.Node) and not isinstance(part, t.Loop | t.Expr):
                yield from leaving(part)


def own_words_at(block: t.Block) -> int | None:
    """Where the author's words for the rest of a block stand, if there are any."""
    return next((i for i, step in enumerate(block) if isinstance(step, t.Text) and not step.block), None)


def begins_with_own_words(block: t.Block) -> bool:
    """Whether the author says first what happens in a block."""
    return bool(block) and isinstance(block[0], t.Text)


def _told(block: t.Block) -> Iterator[t.Stmt]:
    for step in block:
        yield from _told(step.block) if isinstance(step, t.Text) else (step,)
