"""Two exceptions to one rule may not both replace it, unless one says it goes over the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from edict.language import tree as t
from edict.meaning.symbols import Symbol
from edict.meaning.types import Typed
from edict.report import Diagnostic, Label


def contradicting_exceptions(typed: Typed) -> Iterator[Diagnostic]:
    """Exceptions that only allow agree with each other; those that put something else in place do not.

    Each that contradicts others is told of once, with the first of those.
    """
    found: dict[tuple[str, str], list[tuple[str, t.Exception_]]] = {}
    for name, ability in _exceptions(typed):
        meaning = typed.resolved.of(ability.target)
        if isinstance(meaning, Symbol) and _replaces(ability):
            key = (meaning.name, ability.rule.word if ability.rule else "")
            found.setdefault(key, []).append((name, ability))
    for (target, rule), held in found.items():
        for number, (other, b) in enumerate(held):
            a = next((a for one, a in islice(held, number) if not _settled(one, a, other, b)), None)
            if a is not None:
                yield _both(f"{target}.{rule}" if rule else target, a, b, typed.resolved.book.files)


def _exceptions(typed: Typed) -> Iterator[tuple[str, t.Exception_]]:
    book = typed.resolved.book
    for definition in book.definitions.values():
        if isinstance(definition, t.Thing):
            yield from ((definition.name.word, a) for a in definition.abilities if isinstance(a, t.Exception_))
    yield from ((s.name.word, s.ability) for s in book.standalone if isinstance(s.ability, t.Exception_))


def _replaces(exception: t.Exception_) -> bool:
    return exception.rule is None or exception.require is not None


def _settled(one: str, a: t.Exception_, other: str, b: t.Exception_) -> bool:
    return bool(a.over and a.over.word == other) or bool(b.over and b.over.word == one)


def _both(target: str, a: t.Exception_, b: t.Exception_, files: Mapping[str, str]) -> Diagnostic:
    """Of two modules beside each other, one must be written for when both are played."""
    first, second = files.get(a.span.file, ""), files.get(b.span.file, "")
    remedy = "let one of them say `over` and the other's name, or write one exception for both cases"
    if first != second:
        remedy += f"; where neither module is laid over the other, in a file in `{second}/with/{first}/`"
    return Diagnostic(
        "E0503", f"two exceptions replace `{target}`, and both could hold at once", b.span,
        labels=(Label(a.span, f"the other one, of `{first}`," if first != second else "the other one"),), help=remedy,
    )  # fmt: skip
