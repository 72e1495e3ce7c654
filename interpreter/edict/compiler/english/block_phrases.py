"""Phrases for blocks of steps, on one line or line by line, and the choice of the steps that are described at all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from edict.compiler.english.phrases import OutlineLine, describe, get_outliner
from edict.compiler.semantics.symbols import ResolvedBook, Symbol, drop_texts, find_text_index
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, iter_role_values
from edict.support.morphology import join_words, to_sentence, uncapitalize


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


MAX_LINE_LENGTH = 90  # characters of a line that says everything at once


def outline_block(resolved: ResolvedBook, block: t.Block) -> tuple[OutlineLine, ...]:
    """Return the steps of a block, a line each."""
    return tuple(line for step in select_described_steps(resolved, block) for line in outline_step(resolved, step))


def outline_step(r: ResolvedBook, step: t.Stmt) -> Iterator[OutlineLine]:
    """Yield the lines of a step from its class's outliner, else one sentence, linked to the rule that it runs."""
    outliner_ = get_outliner(step)
    if outliner_ is not None:
        yield from outliner_(r, step)
        return
    text = to_sentence(describe(r, step))
    if text:
        yield OutlineLine(text, about=get_subject(r, next(iter_role_values(step, Role.RUNS), None)))


def needs_outline(r: ResolvedBook, block: t.Block) -> bool:
    """Return True if a block has several described steps, or one line of it exceeds `MAX_LINE_LENGTH`."""
    return (
        len([step for step in select_described_steps(r, block) if describe(r, step)]) > 1
        or len(describe_block(r, block)) > MAX_LINE_LENGTH
    )


def get_subject(r: ResolvedBook, name: t.Name | None) -> str:
    """Return the name of what a line refers to; empty if it is not declared."""
    meaning = r.meaning.get(name) if name is not None else None
    return meaning.name if isinstance(meaning, Symbol) else ""


def outline_with_heading(r: ResolvedBook, head: str, block: t.Block) -> OutlineLine:
    """Return a heading with the steps below it, on one line if they are short."""
    below = outline_block(r, block)
    if len(below) == 1 and head.startswith(ALL_PLAYERS) and below[0].text.startswith(ALL_PLAYERS_ACTING):
        return below[0]  # `each player: everybody secretly bids`
    if len(below) == 1 and fits_behind(head, below[0]) and ": " not in below[0].text:
        return replace(below[0], text=to_sentence(f"{head}: {continue_sentence(r, below[0])}"))
    return OutlineLine(to_sentence(f"{head}:"), below)


# heads of loops over all players, and sentences that have all players as their subject already
ALL_PLAYERS = ("each player", "everybody")
ALL_PLAYERS_ACTING = ("Each player ", "Everybody ", "All players ")

# words that start a step without a verb in the imperative
NO_VERBS = frozenset(
    "if you your each every everybody everyone nobody the that this it there from for a an once twice their its".split()
)


def describe_payment(r: ResolvedBook, step: Any, head: str) -> str:
    """Return on one line a price, what it is paid for, and what happens if it cannot be paid."""
    then, otherwise = describe_block(r, step.then), describe_block(r, step.otherwise)
    comma = "," * (", " in head)
    if then and not _starts_with_verb(then):
        head, then = f"{head}, if you can, and then{',' * then.startswith('if ')} {then}", ""
    return head + (f"{comma} to {then}" if then else "") + (f"; if you cannot, {otherwise}" if otherwise else "")


def _starts_with_verb(words: str) -> bool:
    """Return True if a step starts with a verb, so that `to` can precede it."""
    first = words.partition(" ")[0].rstrip(":,")
    return first.islower() and first.isalpha() and first not in NO_VERBS


def outline_payment(r: ResolvedBook, step: Any, head: str) -> Iterator[OutlineLine]:
    """Yield the lines of a price, with what it is paid for below if that takes several steps."""
    if not needs_outline(r, step.then):
        yield OutlineLine(to_sentence(describe(r, step)))
        return
    yield OutlineLine(to_sentence(f"{head}, if you can, to:"), outline_block(r, step.then))
    if step.otherwise:
        yield outline_with_heading(r, "if you cannot", step.otherwise)


def fits_behind(head: str, line: OutlineLine) -> bool:
    """Return True if a line fits on one line with its heading."""
    return not line.below and bool(line.text) and len(head) + len(line.text) <= MAX_LINE_LENGTH


def continue_sentence(r: ResolvedBook, line: OutlineLine) -> str:
    """Return a line's text for the place after a colon or comma; titles of phases stay capitalized."""
    is_phase = isinstance(r.book.definitions.get(line.about), t.Phase)
    return line.text if is_phase else uncapitalize(line.text)
