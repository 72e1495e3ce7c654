"""What an action's rules and shifts may ask about: only what is settled when they are looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from edict.language import tree as t
from edict.meaning.calls import abilities
from edict.meaning.symbols import Local, definition_of
from edict.language.walking import walk
from edict.meaning.types import Typed
from edict.report import Diagnostic, Label


RULES_FIRST = "rules are looked at before one pays"
TOTALS_FIRST = "what dice can make is worked out before one pays"
COSTS_FIRST = "what may be used is worked out before anything is chosen"


def too_early(typed: Typed) -> Iterator[Diagnostic]:
    for definition in typed.resolved.book.definitions.values():
        if isinstance(definition, t.Action) and definition.payment is not None:
            paid = {typed.resolved.binds[definition.payment]}
            yield from _speaking(typed, paid, (r.require for r in definition.rules), RULES_FIRST)
    for ability in abilities(typed.resolved):
        if isinstance(ability, t.Exception_):
            yield from _exception(typed, ability)
        elif isinstance(ability, t.Shift):
            yield from _shift(typed, ability)


def _action(typed: Typed, name: t.Name) -> t.Action | None:
    definition = definition_of(typed.resolved, name)
    return definition if isinstance(definition, t.Action) else None


def _exception(typed: Typed, exception: t.Exception_) -> Iterator[Diagnostic]:
    action = _action(typed, exception.target)
    if action is not None and action.payment is not None:
        asked = (e for e in (exception.condition, exception.require) if e is not None)
        yield from _speaking(typed, {typed.resolved.binds[action.payment]}, asked, RULES_FIRST)


def _shift(typed: Typed, shift: t.Shift) -> Iterator[Diagnostic]:
    action = _action(typed, shift.action)
    if action is None:
        return
    if action.payment is None:
        yield Diagnostic(
            "E0517", f"`{action.name.word}` is not paid with dice, so there is no total to shift", shift.action.span,
            labels=(Label(action.name.span, "this action"),),
            help="name an action with a line `choose dice from ... making ...`",
        )  # fmt: skip
        return
    paid = {typed.resolved.binds[action.payment]}
    chosen = paid | {typed.resolved.binds[choice] for choice in action.params}
    yield from _speaking(typed, paid, filter(None, [shift.condition]), TOTALS_FIRST)
    yield from _speaking(typed, chosen, filter(None, [shift.spending]), COSTS_FIRST)


def _speaking(typed: Typed, of: set[Local], asked: Iterable[t.Node], why: str) -> Iterator[Diagnostic]:
    """The first word for something that is not yet known, in each of these."""
    for expr in asked:
        names = [n for n in walk(expr) if isinstance(n, t.Name) and typed.resolved.meaning.get(n) in of]
        for name in names[:1]:
            yield Diagnostic(
                "E0516", f"`{name.word}` is not yet known here", name.span, note=why,
                help="ask about something that is settled before",
            )  # fmt: skip
