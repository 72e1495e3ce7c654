"""What is different between two sets of rules: added, changed, removed; in the language and in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.printing import printed, text_of
from edict.prose.rulebook.annotated import Known
from edict.prose.rulebook.blame import Signed, merged, standing
from edict.prose.rulebook.descriptions import description
from edict.prose.rulebook.history import sort_title
from edict.prose.rulebook.judging import without_judgement
from edict.support.text import NOWHERE, Span

WAYS = ("added", "changed", "removed")


@dataclass(frozen=True, slots=True)
class RuleChange:
    """`way`: one of WAYS. `lines` are old and new ones together; `before` and `after` tell it in English."""

    way: str
    sort: str
    name: str
    title: str
    lines: tuple[Signed, ...]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    span: Span = NOWHERE


def differences(old: Known, new: Known) -> tuple[RuleChange, ...]:
    """Every definition that is not the same in both, by sort and name; what serves only to judge a position aside."""
    old, new = without_judgement(old), without_judgement(new)
    before, after = _all(old), _all(new)
    found = [*_named(old, new, before, after), *_unnamed(old, new)]
    return tuple(sorted(found, key=lambda change: (WAYS.index(change.way), change.sort, change.name, change.span)))


def _all(known: Known) -> Mapping[str, t.Definition]:
    named = {name: one for name, one in known.standing.items() if one.name.word}
    return {**known.definitions, **named}


def _named(
    old: Known, new: Known, before: Mapping[str, t.Definition], after: Mapping[str, t.Definition]
) -> Iterator[RuleChange]:
    for name in sorted({*before, *after}):
        one, other = before.get(name), after.get(name)
        if one is not None and other is not None:
            if _text(one) != _text(other):
                yield _changed(old, new, name, one, other)
        elif other is not None:
            yield _whole(new, "added", name, other)
        elif one is not None:
            yield _whole(old, "removed", name, one)


def _unnamed(old: Known, new: Known) -> Iterator[RuleChange]:
    """What stands at the top level without a name: the same if it says the same."""
    sides = [{_text(one): one for one in known.book.standalone if not one.name.word} for known in (old, new)]
    yield from (_whole(new, "added", "", one) for text, one in sides[1].items() if text not in sides[0])
    yield from (_whole(old, "removed", "", one) for text, one in sides[0].items() if text not in sides[1])


def _text(definition: t.Definition) -> str:
    return text_of(printed(definition))


def _whole(known: Known, way: str, name: str, definition: t.Definition) -> RuleChange:
    lines = tuple(standing(known, name, definition))
    words = tuple(description(known, definition))
    before, after = ((), words) if way == "added" else (words, ())
    return RuleChange(
        way, sort_title(definition), name, singular_title(definition), lines, before, after, definition.span
    )


def _changed(old: Known, new: Known, name: str, one: t.Definition, other: t.Definition) -> RuleChange:
    lines = tuple(merged(standing(old, name, one), standing(new, name, other), ""))
    before, after = tuple(description(old, one)), tuple(description(new, other))
    both = set(before) & set(after)
    return RuleChange(
        "changed",
        sort_title(other),
        name,
        singular_title(other),
        lines,
        tuple(x for x in before if x not in both),
        tuple(x for x in after if x not in both),
        other.span,
    )
