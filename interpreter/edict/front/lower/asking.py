"""Questions: what is asked, and what is done with the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from edict.front import tree as t
from edict.front.lower.context import Context
from edict.backend.emit import Operand
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
