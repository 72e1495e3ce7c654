"""Steps of a block without the author's words, and steps that leave loops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from edict.compiler.semantics.symbols import ResolvedBook
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.traversal import iter_fields


def expand_steps(resolved: ResolvedBook, block: t.Block) -> t.Block:
    """Return the steps of a block that have an effect, with every shorthand step expanded.

    A text is replaced by the steps below it.
    """
    expansions = resolved.expansions
    if not any(step in expansions or isinstance(step, t.Text) for step in block):
        return block
    return tuple(step for written in block for step in _expand_step(resolved, written))


def _expand_step(resolved: ResolvedBook, step: t.Stmt) -> t.Block:
    """Return the plain steps that a shorthand step or text stands for; any other step alone."""
    expansion: t.Block | None = resolved.expansions.get(step, step.block if isinstance(step, t.Text) else None)
    return (step,) if expansion is None else expand_steps(resolved, expansion)


def drop_texts(block: t.Block) -> t.Block:
    """Return a block without the author's words; shorthand steps stay as they are written."""
    if any(isinstance(step, t.Text) for step in block):
        return tuple(_iter_without_texts(block))
    return block


def iter_leave_steps(node: Any) -> Iterator[t.Leave]:
    """Yield each `leave loop` in a node (itself included) that leaves the loop around it, skipping inner loops."""
    if isinstance(node, t.Leave):
        yield node
    for _, value in iter_fields(node):
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, t.Node) and not isinstance(part, t.Loop | t.Expr):
                yield from iter_leave_steps(part)


def find_text_index(block: t.Block) -> int | None:
    """Return the index of the first text step without a block, which words the steps behind it; None if absent."""
    return next((i for i, step in enumerate(block) if isinstance(step, t.Text) and not step.block), None)


def starts_with_text(block: t.Block) -> bool:
    """Return True if a block starts with the author's words."""
    return bool(block) and isinstance(block[0], t.Text)


def _iter_without_texts(block: t.Block) -> Iterator[t.Stmt]:
    """Yield the steps of a block, with the steps below each text in place of the text."""
    for step in block:
        yield from _iter_without_texts(step.block) if isinstance(step, t.Text) else (step,)
