"""Reasons in words: why an option is offered, or why it is not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from edict.program import Cause
from edict.table.options import Option
from edict.table.constraints import Finding, Reason, Standing, Why

SECRET = "that depends on something you may not see"


@dataclass(frozen=True, slots=True)
class Said:
    """A line, its indentation, and the place in the rules it refers to, which is shown dim after it.

    `hang` is by how many columns its further lines stand further in, where it does not fit on one.
    """

    words: str
    place: str = ""
    level: int = 0
    hang: int = 0


def place(cause: Cause, module: str) -> str:
    """The place of a rule, and its module."""
    return f"{cause.file}:{cause.line}" + (f", module {module}" if module else "")


# --- an option -----------------------------------------------------------------------------------


def offered(why: Why, option: Option) -> list[Said]:
    """Why an option is there: all it had to meet."""
    cause = why.program.causes[why.question.cause]
    found = [Said(f"{option.text}: offered by {named(cause)}.", place(cause, why.module(cause)))]
    if option.value < 0:
        return [*found, Said("You may always decline here.", level=1)]
    reasons = [line for reason in why.reasons(option.value) for line in met(reason)]
    return [*found, *(reasons or [Said("There are no other conditions.", level=1)])]


def refused(why: Why, option: Option) -> list[Said]:
    """Why an option is not there: what it does not meet, or at least what may be so."""
    cause = why.program.causes[why.question.cause]
    found = [Said(f"{option.text}: not offered by {named(cause)}.", place(cause, why.module(cause)))]
    reasons = why.reasons(option.value)
    failed = [reason for reason in reasons if reason.holds is False]
    doubtful = [reason for reason in reasons if reason.holds is None and not failed]
    for reason in failed or doubtful:
        found += missed(reason)
    if option.value < 0:
        found.append(Said("An answer is required: you cannot decline here.", level=1))
    return found if len(found) > 1 else [*found, Said("No rule says why.", level=1)]


def refused_dice(why: Why, about: str) -> list[Said]:
    """Why dice that were named are no way to pay."""
    shown, payment = [int(face) for face in re.findall(r"[0-9]{1,2}", about)], why.payment()
    if not shown or payment is None:
        return [Said("Name dice by their numbers, as in `why not 3 5`.")]
    total, dice = payment
    mine = [face for _, _, faces in why.wording.faces(dice) for face in faces]
    found = [Said(f"{' '.join(map(str, shown))}: no way to make {total}.")]
    if any(shown.count(face) > mine.count(face) for face in shown):
        found.append(Said(f"Not all of these are among the dice: {why.wording.dice(dice)}.", level=1))
    elif sum(shown) != total:
        found.append(Said(f"They make {sum(shown)}.", level=1))
    for reason in why.reasons(0):
        text = f"There must be at least {reason.found.text} among them." if reason.found.text else "They must fit."
        found.append(Said(text, place(reason.cause, reason.module), 1))
        for one in reason.unless:
            found += _helping(one) if one.holds else _no_help(one, True)
    return found


def _helping(one: Standing) -> list[Said]:
    return [Said(f"What could help: {_title(one)}", place(one.cause, one.module), 2)]


def named(cause: Cause) -> str:
    """A rule by its title; those that stand for themselves have none."""
    name = cause.title or cause.name
    return f"“{name}”" if name else "a rule"


NEEDS = {
    "from": "It is not among {}.",
    "where": "This must be true: {}.",
    "range": "The numbers go from {}.",
    "if": "It is offered only if {}.",
    "price": "You cannot pay {}.",
    "held": "You have none of it to give up.",
    "dice": "Your dice cannot make its total{}.",
    "next": "Afterwards there would be nothing to choose for “{}”.",
    "works": "It works only if {}.",
    "once": "It has been used: {}.",
    "used": "It has been used just now; each comes once.",
}
MET = {
    "from": "It is among {}.",
    "where": "This is true: {}.",
    "range": "The numbers go from {}.",
    "if": "This is true: {}.",
    "price": "You can pay {}.",
    "held": "You have it to give up.",
    "dice": "Your dice make its total{}.",
    "next": "Then there is something to choose for “{}”.",
    "works": "It works for you: {}.",
    "once": "It has not been used yet: {}.",
    "used": "It has not been used just now.",
    "total": "The dice make the total{}.",
}


def missed(reason: Reason) -> Iterator[Said]:
    """A demand that is not met, what it speaks of, and the exceptions and shifts that do not help."""
    where, instead = place(reason.cause, reason.module), reason.overruling or reason.excepted
    if instead is not None and instead.require is not None:
        text = _capital(instead.because or f"{_title(instead)} requires something else")
        yield Said(f"{text} (in place of the rule {reason.name})", place(instead.cause, instead.module), 1)
        if instead.when is not None and instead.holds is None:
            yield from _shown(instead.when, 2, "if ")
        yield from _shown(instead.require, 2, "needed: ")
        return
    if reason.sort == "rule":
        yield Said(f"{_capital(_because(reason))} (rule {reason.name})", where, 1)
        yield from _shown(reason.found, 2, "needed: ")
    else:
        yield Said(NEEDS[reason.sort].format(_text(reason)), where, 1)
        yield from _detail(reason.found, 2)
    for one in reason.unless:
        yield from _no_help(one, reason.sort in ("dice", "total"))


def met(reason: Reason) -> Iterator[Said]:
    where, excepted = place(reason.cause, reason.module), reason.excepted
    if reason.sort == "rule" and excepted is not None and (reason.found.holds is False or excepted.require is not None):
        yield Said(f"{_capital(_because(reason))} (rule {reason.name}), but an exception allows it:", where, 1)
        yield Said(_title(excepted), place(excepted.cause, excepted.module), 2)
        if excepted.when is not None:
            yield from _shown(excepted.when, 2, "if ")
        if excepted.require is not None:
            yield from _shown(excepted.require, 2, "needed: ")
    elif reason.sort == "rule":
        yield Said(f"It follows the rule {reason.name}: {reason.found.text or reason.because}", where, 1)
        yield from _detail(reason.found, 2)
    elif reason.sort in MET:
        yield Said(MET[reason.sort].format(_text(reason)), where, 1)
        yield from _detail(reason.found, 2)


def _because(reason: Reason) -> str:
    return reason.because or "it would break this rule"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _text(reason: Reason) -> str:
    if reason.sort in ("dice", "total"):
        return f" with at least {reason.found.text}" if reason.found.text else ""
    return reason.found.text


def _title(one: Standing) -> str:
    return one.cause.title or one.cause.name or one.because or "a house rule"


def _no_help(one: Standing, shift: bool) -> Iterator[Said]:
    """An exception or a shift that does not hold, or a shift that does not help although it does."""
    where, name = place(one.cause, one.module), _title(one)
    if one.holds and shift:
        yield Said(f"Not even with {name}", where, 2)
    elif not one.holds:
        yield Said(f"No {'help' if shift else 'exception'} now: {name}", where, 2)
        if one.when is not None:
            yield from _shown(one.when, 3, "only if ")


# --- conditions ------------------------------------------------------------------------------------


def _shown(found: Finding, level: int, before: str = "") -> Iterator[Said]:
    """A condition and what it speaks of; of several parts those that decide."""
    if found.shape in ("all", "any") and found.parts:
        for part in found.parts:
            if part.holds == found.holds:
                yield from _shown(part, level, before)
        return
    if found.text:
        yield Said(before + found.text, level=level)
    yield from _detail(found, level)


def _detail(found: Finding, level: int) -> Iterator[Said]:
    """The values a condition speaks of, under the member they belong to."""
    if found.secret:
        yield Said(SECRET, level=level)
    if found.values:
        yield Said(", ".join(found.values), level=level)
    for part in found.parts:
        if found.shape in ("all", "any"):
            if part.holds == found.holds:
                yield from _detail(part, level)
        else:
            told = ", ".join(part.values) or part.text
            yield Said(f"{part.of}: {told}", level=level)


__all__ = ["Said", "met", "missed", "named", "offered", "place", "refused", "refused_dice"]
