"""Reasons in words: why an option is offered or refused, line by line.

Authors read the names, conditions and places of rules; players read their meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce

from edict.game.explanations.option_reasons import AIDED_SORTS, Alternative, Finding, OptionExplainer, OptionReason
from edict.game.table.options import Option
from edict.runtime.program import Cause
from edict.support.morphology import capitalize
from edict.support.records import dataclass
from edict.support.translations import N_
from edict.support.translations.texts import SLOT, Text, capitalize_text, english_of, join_parts, map_text, translate

SECRET = N_("that depends on something you may not see")
BOTH, PLAYERS, AUTHORS = "", "players", "authors"


@dataclass(frozen=True, slots=True)
class ReasonLine:
    """One line of an explanation."""

    words: str
    place: str = ""  # place in the rules, shown dimmed after the line
    level: int = 0  # indentation
    hang: int = 0  # additional indentation of wrapped lines in columns
    voice: str = BOTH  # the readers: BOTH, PLAYERS or AUTHORS


def select_voice(lines: Sequence[ReasonLine], exactly: bool) -> list[ReasonLine]:
    """Return the lines for authors if `exactly`, else those for players without places."""
    excluded = PLAYERS if exactly else AUTHORS
    return [line if exactly else replace(line, place="") for line in lines if line.voice != excluded]


def format_place(cause: Cause, module: str) -> str:
    """Format the place of a rule with its module."""
    return f"{cause.file}:{cause.line}" + (f", module {module}" if module else "")


# --- an option -----------------------------------------------------------------------------------


def describe_offered_option(why: OptionExplainer, option: Option) -> list[ReasonLine]:
    """Describe why an option is offered, with all requirements that it satisfies."""
    cause = why.program.causes[why.question.cause]
    lines = [_describe_choice(CAN_CHOOSE, why, option, cause)]
    if option.value < 0:
        return [*lines, ReasonLine(translate("You may always decline."), level=1)]
    reasons = why.reasons_for(option.value)
    lines += [
        *describe_kept_rules(reasons),
        *(line for reason in reasons for line in describe_satisfied_requirement(reason)),
    ]
    missing_voices = [
        voice for voice in (PLAYERS, AUTHORS) if all(line_.voice not in (BOTH, voice) for line_ in lines[1:])
    ]
    no_others = translate("There are no other conditions.")
    return lines + [ReasonLine(no_others, level=1, voice=voice) for voice in missing_voices]


CAN_CHOOSE = N_("{option}: you can choose this for {rule}.")
CANNOT_CHOOSE = N_("{option}: you can't choose this for {rule}.")


def _describe_choice(message: str, why: OptionExplainer, option: Option, cause: Cause) -> ReasonLine:
    """Return the line that an option can, or cannot, be chosen for a rule, with the place of the rule."""
    text = map_text(option.text, lambda words: words.removesuffix("."))
    return ReasonLine(
        translate(message, option=text, rule=quote_rule(cause)), format_place(cause, why.module_of(cause))
    )


def describe_refused_option(why: OptionExplainer, option: Option) -> list[ReasonLine]:
    """Describe why an option is not offered, with the requirements that it fails or may fail."""
    cause = why.program.causes[why.question.cause]
    lines = [_describe_choice(CANNOT_CHOOSE, why, option, cause)]
    reasons = why.reasons_for(option.value)
    failed = [reason for reason in reasons if reason.holds is False]
    unknown = [reason for reason in reasons if reason.holds is None and not failed]
    # a missing next choice only follows from the other failures
    direct = [reason for reason in failed if reason.sort != "next"]
    for reason in direct or failed or unknown:
        lines += describe_failed_requirement(reason)
    if option.value < 0:
        lines.append(ReasonLine(translate("You can't decline: you must choose."), level=1))
    if len(lines) > 1:
        return lines
    return [*lines, ReasonLine(translate("No rule gives a reason."), level=1)]


def describe_refused_dice(why: OptionExplainer, text_: str) -> list[ReasonLine]:
    """Return lines on why dice named by their faces (`3 5`) cannot pay: not at hand, wrong total, or a rule."""
    named_faces, payment = [int(face) for face in re.findall(r"[0-9]{1,2}", text_)], why.payment()
    if not named_faces or payment is None:
        return [ReasonLine(translate("Name dice by their numbers, as in `why not 3 5`."))]
    total, dice = payment
    own_faces = [face for _, _, faces in why.wording.faces(dice) for face in faces]
    named = " ".join(map(str, named_faces))
    lines = [ReasonLine(translate("{dice}: these don't pay {number}.", dice=named, number=total))]
    if any(named_faces.count(face) > own_faces.count(face) for face in named_faces):
        own_dice = why.wording.dice(dice)
        lines.append(
            ReasonLine(translate("You don't have all of these dice. You have {dice}.", dice=own_dice), level=1)
        )
    elif sum(named_faces) != total:
        lines.append(ReasonLine(translate("They add up to {number}.", number=sum(named_faces)), level=1))
    for reason in why.reasons_for(0):
        if reason.found.text:
            text = translate("You must use at least {dice}.", dice=reason.found.words)
        else:
            text = translate("They must fit.")
        lines.append(ReasonLine(text, format_place(reason.cause, reason.module), 1))
        for alternative in reason.unless:
            if alternative.holds:
                lines += _describe_helping(alternative)
            else:
                lines += _describe_not_helping(alternative, True)
    return lines


def _describe_helping(alternative: Alternative) -> list[ReasonLine]:
    """Return one line `What could help: ...` with the title and place of an exception or shift."""
    return [
        ReasonLine(
            translate("This could help: {rule}", rule=_alternative_title(alternative)),
            format_place(alternative.cause, alternative.module),
            2,
        )
    ]


def quote_rule(cause: Cause) -> str:
    """Return a rule's title or name in quotes, or `a rule`."""
    name = cause.title or cause.name
    return translate("“{rule}”", rule=name) if name else translate("a rule")


# text of a requirement that fails, by its sort
FAILED_TEXTS = {
    "from": N_("It is not one of {text}."),
    "where": N_("This must be true: {text}."),
    "range": N_("The numbers go from {text}."),
    "if": N_("You can choose it only if {text}."),
    "price": N_("You cannot pay {text}."),
    "held": N_("You have none to pay."),
    "dice": N_("No combination of your dice adds up to the total{text}."),
    "next": N_("Afterwards you would have nothing to choose for “{text}”."),
    "works": N_("It works only if {text}."),
    "once": N_("You have used it: {text}."),
    "used": N_("You have just used it; use each only once."),
}
# text of a requirement that holds, by its sort
SATISFIED_TEXTS = {
    "from": N_("It is one of {text}."),
    "where": N_("This is true: {text}."),
    "range": N_("The numbers go from {text}."),
    "if": N_("This is true: {text}."),
    "price": N_("You can pay {text}."),
    "held": N_("You have it to pay with."),
    "dice": N_("Some of your dice add up to the total{text}."),
    "next": N_("Then you have something to choose for “{text}”."),
    "works": N_("It works for you: {text}."),
    "once": N_("You have not used it yet: {text}."),
    "used": N_("You have not just used it."),
    "total": N_("The dice add up to the total{text}."),
}
AMOUNT_SORTS = ("dice", "total", "price")  # sorts whose amounts players read as well


def describe_kept_rules(reasons: Sequence[OptionReason]) -> list[ReasonLine]:
    """Describe, for players, the rules that could forbid the option and do not."""
    rules = [
        reason for reason in reasons if reason.sort == "rule" and reason.because and not is_decided_by_exception(reason)
    ]
    objections = [reason.because for reason in rules if reason.holds]
    uncertain = [reason.because for reason in rules if reason.holds is None]
    message = NOT_THE_CASE if len(objections) == 1 else NONE_IS_THE_CASE
    lines = [translate(message, reasons=join_parts("; ", objections))] if objections else []
    lines += [
        translate("Perhaps {reason}: {unknown}.", reason=reason, unknown=translate(SECRET)) for reason in uncertain
    ]
    return [ReasonLine(line, level=1, voice=PLAYERS) for line in lines]


NOT_THE_CASE = N_("This is not the case: {reasons}.")
NONE_IS_THE_CASE = N_("None of this is the case: {reasons}.")


def describe_failed_requirement(reason: OptionReason) -> Iterator[ReasonLine]:
    """Iterate over the lines on a failed requirement, with exceptions and shifts that do not help."""
    location, instead = (
        format_place(reason.cause, reason.module),
        reason.uncertain_exception or reason.deciding_exception,
    )
    if instead is not None and instead.require is not None:
        text, module = (
            capitalize(instead.because or f"{_alternative_title(instead)} requires something else"),
            instead.module,
        )
        yield ReasonLine(
            f"{text} (in place of the rule {reason.name})", format_place(instead.cause, module), 1, voice=AUTHORS
        )
        needed = _decisive_text(instead.require)
        reason_text = capitalize_text(
            instead.because
            or translate(
                "{rule} requires something else: {condition}", rule=_alternative_title(instead), condition=needed
            )
        )
        yield ReasonLine(translate("{sentence}.", sentence=reason_text), level=1, voice=PLAYERS)
        if instead.when is not None and instead.holds is None:
            yield from _describe_condition(instead.when, 2, "if ")
        yield from _describe_condition(instead.require, 2, "needed: ")
        return
    if reason.sort == "rule":
        yield ReasonLine(f"{capitalize(_reason_text(reason))} (rule {reason.name})", location, 1, voice=AUTHORS)
        condition = _decisive_text(reason.found)
        because = reason.because or translate("This must be true: {text}", text=condition)
        yield ReasonLine(translate("{sentence}.", sentence=capitalize_text(because)), level=1, voice=PLAYERS)
        yield from _describe_condition(reason.found, 2, "needed: ")
        yield from (ReasonLine(text, level=2, voice=PLAYERS) for text in _decisive_amounts(reason.found))
    else:
        yield from _describe_requirement(FAILED_TEXTS[reason.sort], reason)
    for alternative in reason.unless:
        yield from _describe_not_helping(alternative, reason.sort in AIDED_SORTS)


def describe_satisfied_requirement(reason: OptionReason) -> Iterator[ReasonLine]:
    """Iterate over the lines on a satisfied requirement.

    Players read about kept rules all at once (`describe_kept_rules`).
    """
    location, excepted = format_place(reason.cause, reason.module), reason.deciding_exception
    if excepted is not None and is_decided_by_exception(reason):
        text = capitalize(_reason_text(reason))
        yield ReasonLine(f"{text} (rule {reason.name}), but an exception allows it:", location, 1, voice=AUTHORS)
        broken = capitalize_text(reason.because or translate("it would break this rule"))
        allowed = translate("{sentence}, but an exception allows it:", sentence=broken)
        yield ReasonLine(allowed, level=1, voice=PLAYERS)
        yield ReasonLine(_alternative_title(excepted), format_place(excepted.cause, excepted.module), 2)
        if excepted.when is not None:
            yield from _describe_condition(excepted.when, 2, "if ")
        if excepted.require is not None:
            yield from _describe_condition(excepted.require, 2, "needed: ")
    elif reason.sort == "rule":
        text = reason.found.text or reason.because
        yield ReasonLine(f"It satisfies the rule {reason.name}: {text}", location, 1, voice=AUTHORS)
        yield from (replace(line_, voice=AUTHORS) for line_ in _describe_values(reason.found, 2))
    elif reason.sort in SATISFIED_TEXTS:
        yield from _describe_requirement(SATISFIED_TEXTS[reason.sort], reason)


def is_decided_by_exception(reason: OptionReason) -> bool:
    """Return True if an exception decides: the rule is broken, or the exception requires something else."""
    excepted = reason.deciding_exception if reason.sort == "rule" else None
    return excepted is not None and (reason.found.holds is False or excepted.require is not None)


def _describe_requirement(pattern: str, reason: OptionReason) -> Iterator[ReasonLine]:
    """Iterate over the lines on a requirement that is no rule, for authors and for players."""
    exact = SLOT.sub(lambda _: _format_aided_text(reason, reason.found.text), pattern)
    words = translate(pattern, text=_format_aided_words(reason, reason.found.words))
    location = format_place(reason.cause, reason.module)
    if exact == words:
        yield ReasonLine(exact, location, 1)
    else:
        yield ReasonLine(exact, location, 1, voice=AUTHORS)
        yield ReasonLine(words, level=1, voice=PLAYERS)
    yield from _describe_values(reason.found, 2)
    if reason.sort in AMOUNT_SORTS:
        yield from (ReasonLine(text, level=2, voice=PLAYERS) for text in _decisive_amounts(reason.found))


def _reason_text(reason: OptionReason) -> str:
    return reason.because or "it would break this rule"


def _format_aided_text(reason: OptionReason, text: str) -> str:
    """Return ` with at least ` and the text if shifts or exceptions may aid the requirement, else the text."""
    if reason.sort in AIDED_SORTS:
        return f", using at least {text}" if text else ""
    return text


def _format_aided_words(reason: OptionReason, text: str) -> str:
    """Return the same as `_format_aided_text` in the current language."""
    if reason.sort in AIDED_SORTS:
        return translate(", using at least {dice}", dice=text) if text else ""
    return text


def _alternative_title(alternative: Alternative) -> str:
    """Return the title of an exception's rule, else its name, its reason or `a house rule`."""
    return alternative.cause.title or alternative.cause.name or alternative.because or translate("a house rule")


def _describe_not_helping(alternative: Alternative, shift: bool) -> Iterator[ReasonLine]:
    """Iterate over the lines on an exception or shift that does not hold, or a shift that is not enough."""
    location, name = format_place(alternative.cause, alternative.module), _alternative_title(alternative)
    if alternative.holds and shift:
        yield ReasonLine(f"Not even with {name}", location, 2, voice=AUTHORS)
        offer = _public_offer(alternative, shift)
        yield ReasonLine(translate("{offer}, but that is not enough.", offer=offer), level=2, voice=PLAYERS)
    elif not alternative.holds:
        yield ReasonLine(f"{'Does not help' if shift else 'Does not apply'} now: {name}", location, 2, voice=AUTHORS)
        offer = _public_offer(alternative, shift)
        yield ReasonLine(_describe_missing(offer, alternative), level=2, voice=PLAYERS)
        if alternative.when is not None:
            yield from _describe_condition(alternative.when, 3, "only if ")


_EFFECT_OF_SHIFT = re.compile(r"\Awhen [^,]*, you may ([^,]*).*", re.DOTALL)


def _public_offer(alternative: Alternative, shift: bool) -> str:
    """Return what an exception or shift could do for players: `The Market would help`, `You could raise the total`."""
    because = alternative.because
    effect = _EFFECT_OF_SHIFT.match(english_of(because)) if not alternative.cause.title else None
    if effect is not None and (not isinstance(because, Text) or not because.is_translated):
        return map_text(because, lambda _: f"You could {effect[1]}")
    title = capitalize_text(alternative.title or because or translate("another rule"))
    return translate(WOULD_HELP if shift else WOULD_ALLOW, rule=title)


WOULD_HELP, WOULD_ALLOW = N_("{rule} would help"), N_("{rule} would allow this")


def _describe_missing(offer: str, alternative: Alternative) -> str:
    """Return an offer with the amounts that it would need, else `only if ...`, else `not now`."""
    condition = "" if alternative.when is None else _decisive_text(alternative.when)
    if alternative.when is None or not condition:
        return translate("{offer}, but not now.", offer=offer)
    amounts = join_parts("; ", _decisive_amounts(alternative.when))
    if english_of(amounts).startswith("you "):
        few = map_text(amounts, lambda words: re.sub(r"\Ayou have (?=\d)", "you have only ", words))
        return translate("{offer}, but {amounts}.", offer=offer, amounts=few)
    if amounts:
        return translate("{offer}: {amounts}.", offer=offer, amounts=amounts)
    title = alternative.cause.title
    if title and english_of(condition).startswith(f"{english_of(title)} "):
        condition = map_text(condition, lambda words: re.sub(rf"\A{re.escape(english_of(title))} ", "it ", words))
    return translate("{offer}, but only if {condition}.", offer=offer, condition=condition)


# --- conditions ------------------------------------------------------------------------------------


def _decisive_text(finding: Finding) -> str:
    """Return the words of the parts that make a condition true or false, joined by `and`."""
    if finding.shape in ("all", "any") and finding.parts:
        parts = (_decisive_text(part) for part in finding.parts if part.holds == finding.holds)
        distinct = list(dict.fromkeys(part for part in parts if part))
        return reduce(lambda first, last: translate("{first} and {last}", first=first, last=last), distinct or [""])
    return translate(SECRET) if finding.secret else finding.words


def _decisive_amounts(finding: Finding) -> list[str]:
    """Return texts such as `Ann: 2 gold of 3` for the parts that make a condition true or false."""
    parts = [part for part in finding.parts if finding.shape not in ("all", "any") or part.holds == finding.holds]
    if finding.amounts:
        own = join_parts(": ", filter(None, (finding.of, join_parts("; ", finding.amounts))))
    else:
        own = ""
    return [text for part in parts for text in _decisive_amounts(part)] + ([own] if own else [])


def _describe_condition(finding: Finding, level: int, prefix: str = "") -> Iterator[ReasonLine]:
    """Iterate over the lines on a condition and its values; of several parts, those that decide."""
    if finding.shape in ("all", "any") and finding.parts:
        for part in finding.parts:
            if part.holds == finding.holds:
                yield from _describe_condition(part, level, prefix)
        return
    if finding.text:
        yield ReasonLine(prefix + finding.text, level=level, voice=AUTHORS)
    yield from _describe_values(finding, level)


def _describe_values(finding: Finding, level: int) -> Iterator[ReasonLine]:
    """Yield a line for authors with the values of a condition, and one for each member it was checked for."""
    if finding.secret:
        yield ReasonLine(translate(SECRET), level=level)
    if finding.values:
        yield ReasonLine(", ".join(finding.values), level=level, voice=AUTHORS)
    for part in finding.parts:
        if finding.shape in ("all", "any"):
            if part.holds == finding.holds:
                yield from _describe_values(part, level)
        else:
            text = ", ".join(part.values) or part.text
            yield ReasonLine(f"{part.of}: {text}", level=level, voice=AUTHORS)
