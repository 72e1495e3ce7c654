"""Phrases for blocks of steps on one line, and the choice of the steps that are described at all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from edict.compiler.english.phrase_tables import describe
from edict.compiler.semantics.block_steps import drop_texts, find_text_index
from edict.compiler.semantics.symbols import ResolvedBook
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, iter_role_values
from edict.support.morphology import join_words


def describe_block(resolved: ResolvedBook, block: t.Block) -> str:
    """Return all steps of a block on one line, without those that need no words."""
    phrases = (describe(resolved, step) for step in select_described_steps(resolved, block))
    return "; ".join(_join_losses(words for words in phrases if words))


_PLAIN_LOSS = re.compile(r"lose ((?:\d+|an?) [^,;:]*)")
_NOT_PLAIN = re.compile(r" (?:or|if|for|then|equal to|as much|as many) ")


def _join_losses(phrases: Iterable[str]) -> Iterator[str]:
    """Join adjacent losses of plain amounts, as in `lose 1 wood, 1 stone, 1 VP and a building`."""
    amounts: list[str] = []
    for phrase in phrases:
        loss = _PLAIN_LOSS.fullmatch(phrase)
        if loss and not _NOT_PLAIN.search(phrase):
            amounts += loss[1].split(" and ")
            continue
        if amounts:
            yield f"lose {join_words(amounts)}"
            amounts = []
        yield phrase
    if amounts:
        yield f"lose {join_words(amounts)}"


def select_described_steps(r: ResolvedBook, block: t.Block) -> list[t.Stmt]:
    """Return the steps of a block that need words; the author's words replace the steps after them."""
    block = _apply_usual_settings(r, block)
    cut = find_text_index(block)
    steps = block if cut is None else (*block[:cut], replace(block[cut], block=block[cut + 1 :]))  # type: ignore[call-arg]
    steps = steps if r.authored else drop_texts(block)
    return [
        step
        for previous, step in zip((None, *steps), steps, strict=False)
        if not _shows_emptied_place(r, previous, step)
    ]


def _apply_usual_settings(r: ResolvedBook, block: t.Block) -> t.Block:
    """Return a block in which each `if` on a setting gives way to its branch under the usual settings."""
    if not any(step in r.usual for step in block):
        return block
    return tuple(
        step_ for step in block for step_ in (_apply_usual_settings(r, r.usual[step]) if step in r.usual else (step,))
    )


def _shows_emptied_place(r: ResolvedBook, previous: t.Stmt | None, step: t.Stmt) -> bool:
    """Return True if a step shows the very place that the step before it set to `none` or `nobody`."""
    shown = list(iter_role_values(step, Role.SHOWN))
    is_emptied = [expr.word for expr in iter_role_values(previous, Role.INTO) if isinstance(expr, t.Name)] in (
        ["none"],
        ["nobody"],
    )
    return (
        bool(shown)
        and is_emptied
        and [describe(r, expr) for expr in iter_role_values(previous, Role.CHANGED)]
        == [describe(r, expr) for expr in shown]
    )
