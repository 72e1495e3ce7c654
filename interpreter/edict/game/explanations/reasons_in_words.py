"""Reasons in words: why an option is offered or refused, line by line.

What authors are told names rules, conditions and places; players are told what these mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from edict.game.explanations.why_options import AIDED, Alternative, Finding, Reason, Why
from edict.game.table.options import Option
from edict.runtime.program import Cause
from edict.support.morphology import capitalize

SECRET = "that depends on something you may not see"
BOTH, PLAYERS, AUTHORS = "", "players", "authors"


@dataclass(frozen=True, slots=True)
class ReasonLine:
    """A line, its indentation, and the place in the rules it refers to, which is shown dim after it.

    `hang` is by how many columns its further lines stand further in, where it does not fit on one. `voice` is for whom
    the line is: those who write rules read names, conditions and places, players what they mean.
    """

    words: str
    place: str = ""
    level: int = 0
    hang: int = 0
    voice: str = BOTH


def for_readers(said: Sequence[ReasonLine], exactly: bool) -> list[ReasonLine]:
    """The lines for those who write rules, if it is to be told exactly; or else those for players, without places."""
    left_out = PLAYERS if exactly else AUTHORS
    return [one if exactly else replace(one, place="") for one in said if one.voice != left_out]


def place(cause: Cause, module: str) -> str:
    """The place of a rule, and its module."""
    return f"{cause.file}:{cause.line}" + (f", module {module}" if module else "")


# --- an option -----------------------------------------------------------------------------------


def offered(why: Why, option: Option) -> list[ReasonLine]:
    """Why an option is there: all it had to meet."""
    cause = why.program.causes[why.question.cause]
    found = [ReasonLine(f"{option.text}: offered by {named(cause)}.", place(cause, why.module(cause)))]
    if option.value < 0:
        return [*found, ReasonLine("You may always decline here.", level=1)]
    reasons = why.reasons(option.value)
    found += [*kept(reasons), *(line for reason in reasons for line in met(reason))]
    lacking = [voice for voice in (PLAYERS, AUTHORS) if all(one.voice not in (BOTH, voice) for one in found[1:])]
    return found + [ReasonLine("There are no other conditions.", level=1, voice=voice) for voice in lacking]


def refused(why: Why, option: Option) -> list[ReasonLine]:
    """Why an option is not there: what it does not meet, or at least what may be so."""
    cause = why.program.causes[why.question.cause]
    found = [ReasonLine(f"{option.text}: not offered by {named(cause)}.", place(cause, why.module(cause)))]
    reasons = why.reasons(option.value)
    failed = [reason for reason in reasons if reason.holds is False]
    doubtful = [reason for reason in reasons if reason.holds is None and not failed]
    first = [reason for reason in failed if reason.sort != "next"]  # that nothing can be chosen then, follows from it
    for reason in first or failed or doubtful:
        found += missed(reason)
    if option.value < 0:
        found.append(ReasonLine("An answer is required: you cannot decline here.", level=1))
    return found if len(found) > 1 else [*found, ReasonLine("No rule says why.", level=1)]


def refused_dice(why: Why, about: str) -> list[ReasonLine]:
    """Why dice that were named are no way to pay."""
    shown, payment = [int(face) for face in re.findall(r"[0-9]{1,2}", about)], why.payment()
    if not shown or payment is None:
        return [ReasonLine("Name dice by their numbers, as in `why not 3 5`.")]
    total, dice = payment
    mine = [face for _, _, faces in why.wording.faces(dice) for face in faces]
    found = [ReasonLine(f"{' '.join(map(str, shown))}: no way to make {total}.")]
    if any(shown.count(face) > mine.count(face) for face in shown):
        found.append(ReasonLine(f"Not all of these are among the dice: {why.wording.dice(dice)}.", level=1))
    elif sum(shown) != total:
        found.append(ReasonLine(f"They make {sum(shown)}.", level=1))
    for reason in why.reasons(0):
        text = f"There must be at least {reason.found.text} among them." if reason.found.text else "They must fit."
        found.append(ReasonLine(text, place(reason.cause, reason.module), 1))
        for one in reason.unless:
            found += _helping(one) if one.holds else _no_help(one, True)
    return found


def _helping(one: Alternative) -> list[ReasonLine]:
    return [ReasonLine(f"What could help: {_title(one)}", place(one.cause, one.module), 2)]


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
IN_AMOUNTS = ("dice", "total", "price")  # what is told of them for players as well


def kept(reasons: Sequence[Reason]) -> list[ReasonLine]:
    """For players: what would stand in the way, and does not."""
    rules = [one for one in reasons if one.sort == "rule" and one.because and not excused(one)]
    against = [one.because for one in rules if one.holds]
    hidden = [one.because for one in rules if one.holds is None]
    none = "This is not the case" if len(against) == 1 else "None of this is the case"
    found = [ReasonLine(f"{none}: {'; '.join(against)}.", level=1, voice=PLAYERS)] if against else []
    return [*found, *(ReasonLine(f"Perhaps {one}: {SECRET}.", level=1, voice=PLAYERS) for one in hidden)]


def missed(reason: Reason) -> Iterator[ReasonLine]:
    """A demand that is not met, what it speaks of, and the exceptions and shifts that do not help."""
    where, instead = place(reason.cause, reason.module), reason.overruling or reason.excepted
    if instead is not None and instead.require is not None:
        text, there = capitalize(instead.because or f"{_title(instead)} requires something else"), instead.module
        yield ReasonLine(f"{text} (in place of the rule {reason.name})", place(instead.cause, there), 1, voice=AUTHORS)
        yield ReasonLine(
            f"{text}." if instead.because else f"{text}: {_deciding(instead.require)}.", level=1, voice=PLAYERS
        )
        if instead.when is not None and instead.holds is None:
            yield from _shown(instead.when, 2, "if ")
        yield from _shown(instead.require, 2, "needed: ")
        return
    if reason.sort == "rule":
        yield ReasonLine(f"{capitalize(_because(reason))} (rule {reason.name})", where, 1, voice=AUTHORS)
        because = reason.because or f"this must be true: {_deciding(reason.found)}"
        yield ReasonLine(f"{capitalize(because)}.", level=1, voice=PLAYERS)
        yield from _shown(reason.found, 2, "needed: ")
        yield from (ReasonLine(text, level=2, voice=PLAYERS) for text in _amounts(reason.found))
    else:
        yield from _demand(NEEDS[reason.sort], reason)
    for one in reason.unless:
        yield from _no_help(one, reason.sort in AIDED)


def met(reason: Reason) -> Iterator[ReasonLine]:
    """A demand that is met; rules that are simply kept are told to players all at once (`kept`)."""
    where, excepted = place(reason.cause, reason.module), reason.excepted
    if excepted is not None and excused(reason):
        text = capitalize(_because(reason))
        yield ReasonLine(f"{text} (rule {reason.name}), but an exception allows it:", where, 1, voice=AUTHORS)
        yield ReasonLine(f"{text}, but an exception allows it:", level=1, voice=PLAYERS)
        yield ReasonLine(_title(excepted), place(excepted.cause, excepted.module), 2)
        if excepted.when is not None:
            yield from _shown(excepted.when, 2, "if ")
        if excepted.require is not None:
            yield from _shown(excepted.require, 2, "needed: ")
    elif reason.sort == "rule":
        text = reason.found.text or reason.because
        yield ReasonLine(f"It satisfies the rule {reason.name}: {text}", where, 1, voice=AUTHORS)
        yield from (replace(one, voice=AUTHORS) for one in _detail(reason.found, 2))
    elif reason.sort in MET:
        yield from _demand(MET[reason.sort], reason)


def excused(reason: Reason) -> bool:
    """Whether it is an exception that decides: the rule is broken, or something else is asked in its place."""
    excepted = reason.excepted if reason.sort == "rule" else None
    return excepted is not None and (reason.found.holds is False or excepted.require is not None)


def _demand(pattern: str, reason: Reason) -> Iterator[ReasonLine]:
    """What is demanded beside rules, as the rules have it and as players read it."""
    exact, words = (pattern.format(_text(reason, text)) for text in (reason.found.text, reason.found.words))
    where = place(reason.cause, reason.module)
    if exact == words:
        yield ReasonLine(exact, where, 1)
    else:
        yield ReasonLine(exact, where, 1, voice=AUTHORS)
        yield ReasonLine(words, level=1, voice=PLAYERS)
    yield from _detail(reason.found, 2)
    if reason.sort in IN_AMOUNTS:
        yield from (ReasonLine(text, level=2, voice=PLAYERS) for text in _amounts(reason.found))


def _because(reason: Reason) -> str:
    return reason.because or "it would break this rule"


def _text(reason: Reason, text: str) -> str:
    if reason.sort in AIDED:
        return f" with at least {text}" if text else ""
    return text


def _title(one: Alternative) -> str:
    return one.cause.title or one.cause.name or one.because or "a house rule"


def _no_help(one: Alternative, shift: bool) -> Iterator[ReasonLine]:
    """An exception or a shift that does not hold, or a shift that does not help although it does."""
    where, name = place(one.cause, one.module), _title(one)
    if one.holds and shift:
        yield ReasonLine(f"Not even with {name}", where, 2, voice=AUTHORS)
        yield ReasonLine(f"{_named(one)}: not enough.", level=2, voice=PLAYERS)
    elif not one.holds:
        yield ReasonLine(f"No {'help' if shift else 'exception'} now: {name}", where, 2, voice=AUTHORS)
        yield ReasonLine(f"{_named(one)}: {_lacking(one)}.", level=2, voice=PLAYERS)
        if one.when is not None:
            yield from _shown(one.when, 3, "only if ")


def _named(one: Alternative) -> str:
    """For players: an exception or a shift by its title, or what it does."""
    return capitalize(one.cause.title or one.because or "another rule")


def _lacking(one: Alternative) -> str:
    """For players: what stands in its way."""
    if one.when is None or not _deciding(one.when):
        return "not now"
    return "; ".join(_amounts(one.when)) or f"only if {_deciding(one.when)}"


# --- conditions ------------------------------------------------------------------------------------


def _deciding(found: Finding) -> str:
    """For players: the parts of a condition that decide."""
    if found.shape in ("all", "any") and found.parts:
        parts = (_deciding(part) for part in found.parts if part.holds == found.holds)
        return " and ".join(dict.fromkeys(part for part in parts if part))
    return SECRET if found.secret else found.words


def _amounts(found: Finding) -> list[str]:
    """For players: how much of what somebody has, and what that is compared with."""
    deciding = [part for part in found.parts if found.shape not in ("all", "any") or part.holds == found.holds]
    own = ": ".join(filter(None, (found.of, "; ".join(found.amounts)))) if found.amounts else ""
    return [text for part in deciding for text in _amounts(part)] + ([own] if own else [])


def _shown(found: Finding, level: int, before: str = "") -> Iterator[ReasonLine]:
    """A condition and what it speaks of; of several parts those that decide."""
    if found.shape in ("all", "any") and found.parts:
        for part in found.parts:
            if part.holds == found.holds:
                yield from _shown(part, level, before)
        return
    if found.text:
        yield ReasonLine(before + found.text, level=level, voice=AUTHORS)
    yield from _detail(found, level)


def _detail(found: Finding, level: int) -> Iterator[ReasonLine]:
    """The values a condition speaks of, under the member they belong to."""
    if found.secret:
        yield ReasonLine(SECRET, level=level)
    if found.values:
        yield ReasonLine(", ".join(found.values), level=level, voice=AUTHORS)
    for part in found.parts:
        if found.shape in ("all", "any"):
            if part.holds == found.holds:
                yield from _detail(part, level)
        else:
            told = ", ".join(part.values) or part.text
            yield ReasonLine(f"{part.of}: {told}", level=level, voice=AUTHORS)
