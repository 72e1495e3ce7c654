"""Numbers and lines of the log explained in words: the rules on the way, and each number's terms one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.table import why_offered
from edict.table.why_offered import Said
from edict.table.explanations import Explained, Number, Term
from edict.table.provenance import Explainer
from edict.table.log_entries import Line

HIDDEN = "you may not see how it is made up"
SECRET = "it depends on something you may not see"


# --- lines of the log ------------------------------------------------------------------------------


def line(explainer: Explainer, shown: Line) -> list[Said]:
    """What led to a line: first the rule itself, then those around it, then the numbers in it."""
    told = [explainer.entry(entry) for entry in shown.entries]
    said = [Said(shown.text)]
    for one in told:
        said += [part for part in _explained(one, len(told) > 1) if part not in said]
    return said


def _explained(one: Explained, several: bool) -> Iterator[Said]:
    level = 1
    if several:
        yield Said(f"{one.entry.text}:", level=1)
        level = 2
    *around, rule = one.chain
    yield Said(f"by {why_offered.named(rule.cause)}", why_offered.place(rule.cause, rule.module), level)
    for link in reversed(around):
        yield Said(f"in {why_offered.named(link.cause)}", why_offered.place(link.cause, link.module), level)
    if one.answer:
        yield Said(f"after the answer {one.answer}", level=level)
    for number in one.numbers:
        yield from numbered(number, level)
    if one.met:
        yield Said("It could be chosen, because:", level=level)
        for reason in one.met:
            yield from (Said(said.words, said.place, said.level + level) for said in why_offered.met(reason))


# --- numbers ---------------------------------------------------------------------------------------


def numbered(number: Number, level: int = 1) -> Iterator[Said]:
    """`battle strength 5 = 2 soldiers + 1 Guard Tower`, then each term with its rule."""
    if number.hidden:
        known = number.value is not None
        head = f"{number.name} {number.value}".strip() if known else number.name
        yield Said(f"{head}: {HIDDEN if known else SECRET}", level=level)
        return
    head = f"{number.name} {number.value}".strip()
    yield Said(f"{head} = {summed(number.terms)}" if number.terms else head, level=level)
    for term in number.terms:
        if term.cause is not None:
            when = f", if {term.when}" if term.when else ""
            yield Said(f"{_signed(term)}{when}", why_offered.place(term.cause, term.module), level + 1)


def summed(terms: Sequence[Term]) -> str:
    """`2 soldiers + 1 Guard Tower - 1 Crane`."""
    first, *rest = terms
    return " ".join([_signed(first), *(f"{'-' if t.amount < 0 else '+'} {_counted(abs(t.amount), t)}" for t in rest)])


def _signed(term: Term) -> str:
    return _counted(term.amount, term)


def _counted(amount: int, term: Term) -> str:
    label = f"({term.label})" if term.label[:1].isdigit() else term.label
    return f"{amount} {label}".strip()


__all__ = ["HIDDEN", "SECRET", "line", "numbered", "summed"]
