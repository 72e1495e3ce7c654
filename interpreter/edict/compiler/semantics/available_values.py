"""Values and attributes that rules have of a type, for examples in messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from edict.compiler.semantics.symbols import NUMBER, PLAYER, RESOURCE, ResolvedBook
from edict.compiler.semantics.types import from_type_name, param_type
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import list_inflected_forms
from edict.runtime.program import ValueType


def iter_available_values(resolved: ResolvedBook, wanted: ValueType) -> Iterator[str]:
    """Yield the source text of values of a type that rules may use anywhere in a player's turn."""
    definitions = resolved.book.definitions.values()
    if wanted.shape == "thing" and wanted.kind == PLAYER.kind:
        yield from ("you", "left of you")
    elif wanted.shape == "thing" and wanted.kind == RESOURCE.kind:
        yield from (resource.name.word for resource in definitions if isinstance(resource, t.Resource))
    elif wanted.shape == "thing":
        yield from (thing.name.word for thing in resolved.book.things if thing.kind.word == wanted.kind)
    elif wanted.shape == "bag" and wanted.kind:
        yield f"1 of each {wanted.kind}"
    yield from iter_state_values(resolved, wanted)
    if wanted.shape == "set" and wanted.kind:
        yield from iter_set_names(resolved, wanted.kind)
    elif wanted == NUMBER:
        yield from (f"{resource.name.word} of you" for resource in definitions if isinstance(resource, t.Resource))


def iter_state_values(resolved: ResolvedBook, wanted: ValueType) -> Iterator[str]:
    """Yield the state variables (`keep`) of a type, of the table or `you`; a type without a kind matches all kinds."""
    for keep in resolved.book.definitions.values():
        kinds = [param.kind.word for param in keep.params] if isinstance(keep, t.Keep) else [""]
        if (
            isinstance(keep, t.Keep)
            and kinds in ([], [PLAYER.kind])
            and _matches_type(from_type_name(resolved, keep.type), wanted)
        ):
            yield keep.name.word + (" of you" if kinds else "")


def _matches_type(have: ValueType, wanted: ValueType) -> bool:
    """Return True if two types have one shape, and one kind unless `wanted` names none."""
    return have.shape == wanted.shape and wanted.kind in (have.kind, "")


def iter_set_names(resolved: ResolvedBook, kind: str) -> Iterator[str]:
    """Yield the names for the set of all things of a kind (plurals)."""
    groups = (group.name.word for group in resolved.book.definitions.values() if isinstance(group, t.Group))
    for name in groups if kind == "resource" else () if kind == "number" else (kind,):
        yield list_inflected_forms(name)[2 if name.endswith("y") else 1]


def iter_attributes(resolved: ResolvedBook, kind: str) -> Iterator[tuple[str, ValueType]]:
    """Yield the fields, state variables and resources of a thing of a kind, or of a player, each with its type."""
    for definition in resolved.book.definitions.values():
        if isinstance(definition, t.Kind) and definition.name.word == kind:
            yield from (
                (field.name.word, from_type_name(resolved, field.type)) for field in definition.fields if field.type
            )
        elif isinstance(definition, t.Resource) and kind == PLAYER.kind:
            yield definition.name.word, NUMBER
        elif isinstance(definition, t.Keep) and [param.kind.word for param in definition.params] == [kind]:
            yield definition.name.word, from_type_name(resolved, definition.type)


def complete_arguments(resolved: ResolvedBook, params: Iterable[t.Param], written: Iterable[str] = ()) -> list[str]:
    """Return one source text for each parameter, as an example of a call.

    Args:
        resolved: The rules.
        params: The parameters of a moment, quantity or the like.
        written: Arguments that the author wrote; they come first, the rest is filled in by type.
    """
    arguments, known = list[str](), list(written)
    for number, param in enumerate(params):
        type_ = param_type(resolved, param)
        name = param.kind.word
        group = resolved.book.definitions.get(name)
        members = [member.word for member in group.members] if isinstance(group, t.Group) else []
        example = next(
            iter(members or iter_available_values(resolved, type_)), "3" if type_ == NUMBER else param.name.word
        )
        arguments.append(known[number] if number < len(known) else example)
    return arguments


def are_arguments_swapped(resolved: ResolvedBook, params: Sequence[t.Param], types: Sequence[ValueType]) -> bool:
    """Return True if two arguments fit their two parameters only in reverse order."""
    if len(params) != 2 or len(types) != 2:
        return False
    first, second = (param_type(resolved, param) for param in params)
    return _matches_type(types[0], second) and _matches_type(types[1], first) and not _matches_type(types[0], first)
