"""What rules have of a type: values that may stand anywhere in a player's turn, and what a thing of a kind is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from edict.compiler.semantics.symbols import NUMBER, PLAYER, RESOURCE, Resolved
from edict.compiler.semantics.types import declared, param_type
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import plurals
from edict.runtime.program import Type


def at_hand(resolved: Resolved, wanted: Type) -> Iterator[str]:
    """Values of a type that rules may speak of anywhere in a player's turn."""
    all_ = resolved.book.definitions.values()
    if wanted.shape == "thing" and wanted.kind == PLAYER.kind:
        yield from ("you", "left of you")
    elif wanted.shape == "thing" and wanted.kind == RESOURCE.kind:
        yield from (resource.name.word for resource in all_ if isinstance(resource, t.Resource))
    elif wanted.shape == "thing":
        yield from (thing.name.word for thing in all_ if isinstance(thing, t.Thing) and thing.kind.word == wanted.kind)
    elif wanted.shape == "bag" and wanted.kind:
        yield f"1 of each {wanted.kind}"
    yield from kept(resolved, wanted)
    if wanted.shape == "set" and wanted.kind:
        yield from all_of(resolved, wanted.kind)
    elif wanted == NUMBER:
        yield from (f"{resource.name.word} of you" for resource in all_ if isinstance(resource, t.Resource))


def kept(resolved: Resolved, wanted: Type) -> Iterator[str]:
    """What is remembered of a type, for the table or for `you`; without a kind, of any."""
    for keep in resolved.book.definitions.values():
        kinds = [param.kind.word for param in keep.params] if isinstance(keep, t.Keep) else [""]
        if isinstance(keep, t.Keep) and kinds in ([], [PLAYER.kind]) and _is_of(declared(resolved, keep.type), wanted):
            yield keep.name.word + (" of you" if kinds else "")


def _is_of(have: Type, wanted: Type) -> bool:
    return have.shape == wanted.shape and wanted.kind in (have.kind, "")


def all_of(resolved: Resolved, kind: str) -> Iterator[str]:
    """The sets of all things of a kind."""
    groups = (group.name.word for group in resolved.book.definitions.values() if isinstance(group, t.Group))
    for name in groups if kind == "resource" else () if kind == "number" else (kind,):
        yield plurals(name)[2 if name.endswith("y") else 1]


def asked_of(resolved: Resolved, kind: str) -> Iterator[tuple[str, Type]]:
    """What is asked of one thing of a kind, or of a player, each with its type: fields, keeps and resources."""
    for definition in resolved.book.definitions.values():
        if isinstance(definition, t.Kind) and definition.name.word == kind:
            yield from ((field.name.word, declared(resolved, field.type)) for field in definition.fields if field.type)
        elif isinstance(definition, t.Resource) and kind == PLAYER.kind:
            yield definition.name.word, NUMBER
        elif isinstance(definition, t.Keep) and [param.kind.word for param in definition.params] == [kind]:
            yield definition.name.word, declared(resolved, definition.type)


def given(resolved: Resolved, params: Iterable[t.Param], written: Iterable[str] = ()) -> list[str]:
    """What a moment, quantity or the like can be given: what is written, and then something of the right type."""
    some, have = list[str](), list(written)
    for number, param in enumerate(params):
        of = param_type(resolved, param)
        name = param.kind.word
        group = resolved.book.definitions.get(name)
        members = [member.word for member in group.members] if isinstance(group, t.Group) else []
        example = next(iter(members or at_hand(resolved, of)), "3" if of == NUMBER else param.name.word)
        some.append(have[number] if number < len(have) else example)
    return some


def other_way_round(resolved: Resolved, params: Sequence[t.Param], types: Sequence[Type]) -> bool:
    """Whether two values that are given would fit if they changed places, and do not as they are."""
    if len(params) != 2 or len(types) != 2:
        return False
    first, second = (param_type(resolved, param) for param in params)
    return _is_of(types[0], second) and _is_of(types[1], first) and not _is_of(types[0], first)
