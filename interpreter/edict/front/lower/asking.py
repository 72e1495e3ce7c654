"""Questions: what is offered, what is asked, and what is done with the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from edict.front import tree as t
from edict.front.lower.context import Context
from edict.front.lower.emit import Operand
from edict.front.lower.expressions import everything, group_set, value
from edict.front.lower.sifting import kept
from edict.front.words import title_of
from edict.program import NEITHER, YES
from edict.program import opcodes as o


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def ask(c: Context, question: int, seat: Operand = o.YOU) -> Operand:
    answer = c.cell()
    c.emit(o.ASK, question, seat, answer)
    return answer


def offer_decline(c: Context, decline: str | None) -> None:
    if decline is not None:
        c.emit(o.OFFER, c.const(o.DECLINE))


def dispatch(c: Context, answer: Operand, cases: Sequence[Callable[[], None]], written: Sequence[t.Node] = ()) -> None:
    """Do the case of the answer's number; `written` are the words of each, if rules have words for them."""
    end = c.label()
    for i, case in enumerate(cases):
        skip = c.label()
        c.emit(o.JNE, answer, c.const(i), skip)
        if written:
            c.fork(NEITHER, YES, written[i].span)
        case()
        c.emit(o.JMP, end)
        c.put(skip)
    c.put(end)


def choice_question(c: Context, choice: t.Choose, decline: str | None) -> int:
    meaning = c.resolved.of(choice.kind)
    kind = {"group": "resource"}.get(meaning.sort, meaning.name)
    domain = "number" if meaning.sort == "number" else "thing"
    prompt = choice.prompt or f"Choose a {title_of(c.resolved, choice.kind)}"
    return c.question(
        f"choose-{choice.name.word}", prompt, domain, kind, decline=decline or "", secret=choice.secretly
    )  # fmt: skip


def options_of(c: Context, choice: t.Choose) -> Operand:
    """The set of what may be chosen."""
    found = domain_of(c, choice)
    return found if choice.where is None else kept(c, choice.where, found, choice.where)


def domain_of(c: Context, choice: t.Choose) -> Operand:
    meaning = c.resolved.of(choice.kind)
    if choice.low is not None and choice.high is not None:
        return _range(c, value(c, choice.low), value(c, choice.high))
    if choice.source is not None:
        return value(c, choice.source)
    if meaning.sort == "group":
        return c.const(group_set(c, meaning.name))
    return everything(c, meaning.name)


def _range(c: Context, low: Operand, high: Operand) -> Operand:
    """The numbers from low to high, within 0 to 61; empty if high is below low."""
    found, first, last, end = c.copy(c.const(0)), c.cell(), c.cell(), c.label()
    c.emit(o.MAX, first, low, c.const(0))
    c.emit(o.MIN, last, high, c.const(61))
    c.emit(o.JLT, last, first, end)
    c.emit(o.BIT, last, last)
    c.emit(o.BIT, first, first)
    c.emit(o.SUB, found, last, first)
    c.emit(o.ADD, found, found, last)
    c.put(end)
    return found
