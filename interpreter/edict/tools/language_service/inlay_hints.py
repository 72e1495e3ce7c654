"""What the text leaves unsaid and the rules know: what a group lets one choose, who changes a field's value."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from edict.compiler.semantics.link import AttachedAbility
from edict.compiler.semantics.symbols import Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.walking import walk
from edict.support.morphology import capitalize, join_words
from edict.support.rendering import escape_terminal
from edict.support.text import Span
from edict.tools.language_service.analysis import Analysis, Rules
from edict.tools.language_service.answer_types import At, Hint
from edict.tools.language_service.navigation import current_location
from edict.tools.language_service.occurrences import amended
from edict.tools.language_service.workspace import Workspace

MOST = 3  # names that are shown
MOST_MEMBERS = 6


def hints(space: Workspace, path: Path, first: int = 1, last: int = 1_000_000) -> tuple[Hint, ...]:
    """The hints of these lines of a file, in order; for lines that were changed since they were understood, none."""
    rules = space.rules(path)
    source = rules.source(path) if rules is not None else None
    known = rules.analysis(anew=False) if rules is not None else None
    if rules is None or source is None or known is None:
        return ()
    page = next((one for one in known.pages if one.file == source.name), None)
    found = ((span, text, words) for span, text, words in _hints(known, page)) if page is not None else iter(())
    placed = [one for one in (_placed(rules, known, *one) for one in found) if one is not None]
    return tuple(sorted((one for one in placed if first <= one.at.line <= last), key=lambda one: one.at))


def _placed(rules: Rules, known: Analysis, span: Span, text: str, words: str) -> Hint | None:
    where = current_location(rules, known, span)
    if where is None:
        return None
    return Hint(At(where.span.end_line, where.span.end_column), escape_terminal(text), escape_terminal(words))


def _hints(known: Analysis, page: t.Page) -> Iterator[tuple[Span, str, str]]:
    groups = {one.span: one.key[1] for one in known.occurrences.get(page.file, ()) if one.sort == "group"}
    for definition in page.definitions:
        for node in walk(definition):
            if isinstance(node, t.Part) and node.what.span in groups:
                yield from _of_group(known, node, groups[node.what.span])
        thing = amended(definition)
        if isinstance(thing, t.Thing):
            for value in thing.fields:
                yield from _of_field(known, thing, value)


def _of_group(known: Analysis, part: t.Part, name: str) -> Iterator[tuple[Span, str, str]]:
    """`gain 1 good`: which goods there are."""
    group = known.definitions.get(name)
    members = [member.word for member in group.members] if isinstance(group, t.Group) else []
    if members:
        shown = [*members[:MOST_MEMBERS], *(["..."] if len(members) > MOST_MEMBERS else [])]
        yield part.what.span, f"({join_words(shown, 'and' if part.each else 'or')})", ""


# --- fields ----------------------------------------------------------------------------------------


def _of_field(known: Analysis, thing: t.Thing, value: t.FieldValue) -> Iterator[tuple[Span, str, str]]:
    """`price 4`: what becomes of it by rules that adjust the quantities worked out from it."""
    for quantity in known.definitions.values():
        held = known.linked.adjusts.get(quantity.name.word, ())
        if held and isinstance(quantity, t.Quantity) and _reads(known, quantity, thing, value):
            words = f"{capitalize(singular_title(quantity))}, adjusted by {_who(held, len(held))}"
            yield _line(value), _sum(quantity, value, held) or f"adjusted by {_who(held, MOST)}", words


def _line(value: t.FieldValue) -> Span:
    """A field as far as it fits on one line."""
    there = value.expr or value.amounts or value.name
    return there.span


def _reads(known: Analysis, quantity: t.Quantity, thing: t.Thing, value: t.FieldValue) -> bool:
    """Whether a quantity of things of this kind is worked out from this field."""
    meaning = known.linked.resolved.meaning
    if not quantity.params or quantity.params[0].kind.word != thing.kind.word:
        return False
    read = (meaning.get(node) for node in walk(quantity.value) if isinstance(node, t.Name))
    return any(isinstance(one, Symbol) and one.sort == "field" and one.name == value.name.word for one in read)


def _sum(quantity: t.Quantity, value: t.FieldValue, held: tuple[AttachedAbility, ...]) -> str:
    """What a number comes to, if that is known before play: nothing else is read, and every change is a number."""
    adjusts = [one.ability for one in held if isinstance(one.ability, t.Adjust) and one.ability.condition is None]
    numbers = [number for one in adjusts if one.by is not None and (number := _number(one.by)) is not None]
    certain = len(numbers) == len(held) and all(one.thing is None for one in held)
    if not certain or not isinstance(value.expr, t.Number) or not isinstance(quantity.value, t.Apply):
        return ""
    bounds = (quantity.at_least, quantity.at_most)
    return f"→ {value.expr.value + sum(numbers)}" if bounds == (None, None) else ""


def _number(expr: t.Expr) -> int | None:
    if isinstance(expr, t.Unary) and expr.op == "minus" and isinstance(expr.arg, t.Number):
        return -expr.arg.value
    return expr.value if isinstance(expr, t.Number) else None


def _who(held: tuple[AttachedAbility, ...], most: int) -> str:
    names = list(dict.fromkeys(one.title if one.thing is not None else "a house rule" for one in held))
    return join_words(names, limit=most)
