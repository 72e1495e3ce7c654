"""Longer pieces told line by line: what belongs to a step stands below it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from edict.language import tree as t
from edict.language.roles import Role, having
from edict.meaning.symbols import Resolved, Symbol
from edict.language.walking import walk
from edict.words.abilities import if_clause, replaced_head, when_head
from edict.words.conditions import condition
from edict.words.choosing import branch_head, may_head, one_head
from edict.words.short import loop_head, pay_head
from edict.words.statements import block_words, each_head, repeat_head, spending, spoken
from edict.words.telling import tell
from edict.words.titles import sentence
from edict.words.typed import any_of

LONGEST = 90  # letters a line may have that says all in one


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence and the lines that belong to it; `about` is the phase, routine or moment it leads to."""

    text: str
    below: tuple[Line, ...] = ()
    about: str = ""


def lines(resolved: Resolved, block: t.Block) -> tuple[Line, ...]:
    """The steps of a block, a line each."""
    return tuple(line for step in spoken(resolved, block) for line in _step(resolved, step))


def ability_lines(resolved: Resolved, ability: t.Ability) -> Line:
    """An ability; what it does stands below when it takes several steps."""
    if isinstance(ability, t.When) and _long(resolved, ability.block):
        return Line(sentence(f"{when_head(resolved, ability)}:"), lines(resolved, ability.block))
    if isinstance(ability, t.Exception_) and ability.rule is None and _long(resolved, ability.then):
        return Line(sentence(f"{_instead(resolved, ability)}:"), lines(resolved, ability.then))
    return Line(sentence(tell(resolved, ability)))


def _instead(r: Resolved, a: t.Exception_) -> str:
    head = replaced_head(r, a)
    return f"{head}, but" if head.startswith("do not") else head


def _long(r: Resolved, block: t.Block) -> bool:
    """Whether a block is better read line by line."""
    return len([step for step in spoken(r, block) if tell(r, step)]) > 1 or len(block_words(r, block)) > LONGEST


def _step(r: Resolved, step: t.Stmt) -> Iterator[Line]:
    if isinstance(step, t.If):
        yield from _if(r, step)
    elif isinstance(step, t.Each) and step.source is None and not any_of(r, step.kind):
        return  # nothing to go through; a module may bring some
    elif isinstance(step, t.Each):
        yield _headed(r, each_head(r, step).removeprefix("for "), step.block)
    elif isinstance(step, t.Repeat):
        yield _headed(r, repeat_head(r, step), step.block)
    elif isinstance(step, t.May):
        yield from _may(r, step)
    elif isinstance(step, t.ChooseOne):
        yield Line(sentence(f"{one_head(r, step)}:"), tuple(_branch(r, branch) for branch in step.branches))
    elif isinstance(step, t.Spend) and _long(r, step.then):
        yield from _paid(r, step, spending(r, step))
    elif isinstance(step, t.InFull):
        yield from _step(r, step.short)
    elif isinstance(step, (t.For, t.EachRound, t.EachNumber, t.EachAtOnce)):
        yield _headed(r, loop_head(r, step).removeprefix("for "), step.block)
    elif isinstance(step, t.PayPrice) and _long(r, step.then):
        yield from _paid(r, step, pay_head(r, step))
    elif isinstance(step, t.Text):
        yield from _own_words(r, step)
    elif isinstance(step, t.Trigger):
        yield Line("", about=_about(r, step.moment))
    else:
        name = step.phase if isinstance(step, t.Play) else step.name if isinstance(step, t.Do) else None
        about = _about(r, name) if name is not None else ""
        text = sentence(tell(r, step))
        yield from [Line(text, about=about)] if text else []


def _paid(r: Resolved, step: t.Spend | t.PayPrice, head: str) -> Iterator[Line]:
    yield Line(sentence(f"{head}, if you can, to:"), lines(r, step.then))
    if step.otherwise:
        yield _headed(r, "if you cannot", step.otherwise)


def _own_words(r: Resolved, text: t.Text) -> Iterator[Line]:
    """The author's sentence; it leads to what is carried out first, and moments come in after it as ever."""
    inner = list(walk(text.block))
    led = next((name for node in inner for name in having(node, Role.RUNS) if not isinstance(node, t.Trigger)), None)
    yield Line(sentence(tell(r, text)), about=_about(r, led) if led is not None else "")
    for moment in dict.fromkeys(_about(r, node.moment) for node in inner if isinstance(node, t.Trigger)):
        yield Line("", about=moment)


def _about(r: Resolved, name: t.Name) -> str:
    meaning = r.meaning.get(name)
    return meaning.name if isinstance(meaning, Symbol) else ""


def _headed(r: Resolved, head: str, block: t.Block) -> Line:
    """A heading and its steps, on one line when they are short."""
    below = lines(r, block)
    if len(below) == 1 and _short(head, below[0]) and ": " not in below[0].text:
        return replace(below[0], text=sentence(f"{head}: {_small(r, below[0])}"))
    return Line(sentence(f"{head}:"), below)


def _short(head: str, line: Line) -> bool:
    """Whether a line can stand behind its heading."""
    return not line.below and bool(line.text) and len(head) + len(line.text) <= LONGEST


def _small(r: Resolved, line: Line) -> str:
    """A sentence after a colon or comma; what is written in capitals stays so, and so does a phase."""
    text, first = line.text, line.text.partition(" ")[0]
    if isinstance(r.book.definitions.get(line.about), t.Phase):
        return text
    return text[:1].lower() + text[1:] if first[1:].islower() or first in ("A", "X") else text


def _if(r: Resolved, step: t.If) -> Iterator[Line]:
    head = f"if {condition(r, step.condition)}"
    then = lines(r, step.then)
    if len(then) == 1 and _short(head, then[0]):
        phase = isinstance(r.book.definitions.get(then[0].about), t.Phase)
        yield replace(then[0], text=sentence(f"{head}{':' if phase else ','} {_small(r, then[0])}"))
    elif then:
        yield Line(sentence(f"{head}:"), then)
    if step.otherwise:
        following = step.otherwise[0]
        if len(step.otherwise) == 1 and isinstance(following, t.If):
            yield from _otherwise(r, _if(r, following))
        else:
            yield _headed(r, "otherwise", step.otherwise)


def _branch(r: Resolved, branch: t.Branch) -> Line:
    """One of the ways of a choice; its steps stand below it when there are several."""
    head, below = branch_head(r, branch), lines(r, branch.block)
    if len(below) == 1 and _short(head, below[0]):
        return replace(below[0], text=sentence(f"{head}: {_small(r, below[0])}") if head else below[0].text)
    return Line(sentence(f"{head or 'this'}:"), below) if below else Line(sentence(head or "nothing"))


def _otherwise(r: Resolved, found: Iterator[Line]) -> Iterator[Line]:
    for i, line in enumerate(found):
        yield replace(line, text=f"Otherwise, {_small(r, line)}") if i == 0 else line


def _may(r: Resolved, step: t.May) -> Iterator[Line]:
    head = may_head(r, step)
    about = _about(r, step.head.name) if isinstance(step.head, t.Do) else ""
    then = lines(r, step.then)
    if not _long(r, step.then):
        offered = ", then ".join(words for words in (head, block_words(r, step.then)) if words)
        yield Line(sentence(f"you may {offered}"), about=about)
    elif isinstance(step.head, t.Spend):
        yield Line(sentence(f"you may {spending(r, step.head)} to:"), then, about)
    else:
        yield Line(sentence(f"you may {head}; then:" if head else "you may:"), then, about)
    if step.otherwise:
        yield _headed(r, "otherwise", step.otherwise)


__all__ = ["Line", "ability_lines", "if_clause", "lines"]
