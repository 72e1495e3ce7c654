"""What is done in a block: all but what only describes it, the author's words and shorthand steps."""

from __future__ import annotations

from collections.abc import Iterator

from edict.language import tree as t


def steps(block: t.Block) -> t.Block:
    """The statements that do something; those below a text, or for a step in short, as if that were not there."""
    return _flat(block, (t.Text, t.InFull))


def untold(block: t.Block) -> t.Block:
    """The same with steps in short as they are written: all but the author's words."""
    return _flat(block, (t.Text,))


def own_words_at(block: t.Block) -> int | None:
    """Where the author's words for the rest of a block stand, if there are any."""
    return next((i for i, step in enumerate(block) if isinstance(step, t.Text) and not step.block), None)


def begins_with_own_words(block: t.Block) -> bool:
    """Whether the author says first what happens in a block."""
    return bool(block) and isinstance(block[0], t.Text)


def _flat(block: t.Block, passed_over: tuple[type, ...]) -> t.Block:
    return tuple(_steps(block, passed_over)) if any(isinstance(one, passed_over) for one in block) else block


def _steps(block: t.Block, passed_over: tuple[type, ...]) -> Iterator[t.Stmt]:
    for one in block:
        if isinstance(one, t.Text | t.InFull) and isinstance(one, passed_over):
            yield from _steps(one.block, passed_over)
        else:
            yield one
