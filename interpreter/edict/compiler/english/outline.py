"""Longer pieces line by line: what belongs to a step comes below it; the wording is beside the words of its kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from edict.compiler.english.block_phrases import block_words, spoken
from edict.compiler.english.phrase_tables import Line, outliner, tell
from edict.compiler.semantics.symbols import Resolved, Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, having
from edict.support.morphology import to_sentence, uncapitalize

LONGEST = 90  # letters a line may have that says all in one


def lines(resolved: Resolved, block: t.Block) -> tuple[Line, ...]:
    """The steps of a block, a line each."""
    return tuple(line for step in spoken(resolved, block) for line in step_lines(resolved, step))


def step_lines(r: Resolved, step: t.Stmt) -> Iterator[Line]:
    """The lines of a step; if its kind has none, a sentence that leads to what the step carries out."""
    special = outliner(step)
    if special is not None:
        yield from special(r, step)
        return
    text = to_sentence(tell(r, step))
    if text:
        yield Line(text, about=about(r, next(having(step, Role.RUNS), None)))


def long(r: Resolved, block: t.Block) -> bool:
    """Whether a block is better read line by line."""
    return len([step for step in spoken(r, block) if tell(r, step)]) > 1 or len(block_words(r, block)) > LONGEST


def about(r: Resolved, name: t.Name | None) -> str:
    """The name of what a line leads to; nothing for what is not declared."""
    meaning = r.meaning.get(name) if name is not None else None
    return meaning.name if isinstance(meaning, Symbol) else ""


def headed(r: Resolved, head: str, block: t.Block) -> Line:
    """A heading and its steps, on one line when they are short."""
    below = lines(r, block)
    if len(below) == 1 and short(head, below[0]) and ": " not in below[0].text:
        return replace(below[0], text=to_sentence(f"{head}: {small(r, below[0])}"))
    return Line(to_sentence(f"{head}:"), below)


NO_VERBS = frozenset(
    "if you your each every everybody everyone nobody the that this it there from for a an once twice their its".split()
)


def paid_words(r: Resolved, step: Any, head: str) -> str:
    """A price, what it is paid for, and what happens if it cannot be paid, on one line."""
    then, otherwise = block_words(r, step.then), block_words(r, step.otherwise)
    comma = "," * (", " in head)
    if then and not _asks_to(then):
        head, then = f"{head}, if you can, and then{',' * then.startswith('if ')} {then}", ""
    return head + (f"{comma} to {then}" if then else "") + (f"; if you cannot, {otherwise}" if otherwise else "")


def _asks_to(words: str) -> bool:
    """Whether what is done begins with a verb, so that it can stand behind `to`."""
    first = words.partition(" ")[0].rstrip(":,")
    return first.islower() and first.isalpha() and first not in NO_VERBS


def paid_lines(r: Resolved, step: Any, head: str) -> Iterator[Line]:
    """The same; what takes several steps stands below."""
    if not long(r, step.then):
        yield Line(to_sentence(tell(r, step)))
        return
    yield Line(to_sentence(f"{head}, if you can, to:"), lines(r, step.then))
    if step.otherwise:
        yield headed(r, "if you cannot", step.otherwise)


def short(head: str, line: Line) -> bool:
    """Whether a line can stand behind its heading."""
    return not line.below and bool(line.text) and len(head) + len(line.text) <= LONGEST


def small(r: Resolved, line: Line) -> str:
    """A sentence after a colon or comma; what is written in capitals stays so, and so does a phase."""
    is_phase = isinstance(r.book.definitions.get(line.about), t.Phase)
    return line.text if is_phase else uncapitalize(line.text)
