"""What is done in a block: all but the author's words, which only tell of it."""

from __future__ import annotations

from collections.abc import Iterator

from edict.language import tree as t


def steps(block: t.Block) -> t.Block:
    """The statements that do something; those that stand below a text are done as if it were not there."""
    return tuple(_steps(block)) if any(isinstance(one, t.Text) for one in block) else block


def _steps(block: t.Block) -> Iterator[t.Stmt]:
    for one in block:
        if isinstance(one, t.Text):
            yield from _steps(one.block)
        else:
            yield one
