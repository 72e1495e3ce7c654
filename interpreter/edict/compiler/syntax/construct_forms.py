"""Forms of constructs for the reference, such as `choose a KIND [from SET] as NAME`.

They are derived from the patterns of the classes. Words in capitals stand for what is to be written there, which
follows from the roles and types of the class's fields.
Brackets surround optional parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import indent
from typing import Any

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.patterns import Gap, OptionalPart, Pattern, classes_by_rule, iter_gaps, lines_under, patterns
from edict.compiler.syntax.roles import (
    Iterates,
    MemberOfField,
    Requires,
    RequiresShape,
    Role,
    SetOfKind,
    field_roles,
    get_field_note,
    get_referred_sorts,
)

_EDGE_FORMS = "joining KEEP | leaving KEEP | gaining RESOURCE | losing RESOURCE"
# placeholders by the specification of a gap
_BY_SPEC = {
    "article": "a",
    "text": '"text"',
    "below": "\n  STEPS",
    "number": "N",
    "signed": "N",
    "bundles": "AMOUNTS",
    "many": "NUMBER",
    "bundle": "AMOUNTS",
    "args": "VALUE [and VALUE]",
    "parts": '"text", VALUE',
    "list": "VALUE, VALUE and VALUE",
    "rankings": "most NUMBER [then fewest NUMBER]",
    "givens": "KIND [called NAME] [and ...]",
    "type": "TYPE",
    "of": "KIND [called NAME] [by ...]",
    "switch": "(on | off | N)",
    "signs": "+1 or -1",
    "zero": "0",
    "step": "STEP",
    "target": f"(ACTION.RULE | PHASE | ROUTINE | {_EDGE_FORMS})",
    "and": "FIELD [and FIELD]",
    "awaited": f"(MOMENT | start of PHASE | end of PHASE | {_EDGE_FORMS})",
}
# placeholders of fields for which the derived one would not be clear
_BY_FIELD = {
    "Arrange.direction": "(lowest | highest)",
    "DoEdge.edge": "(start | end)",
    "Over.op": "(sum | best | least)",
    "OfSeveral.op": "(best | least)",
    "Quantified.op": "(every | some | no)",
    "Part.said": "all",
    "Kind.order": "FIELD",
    "PartPrice.source": "FIELD of THING",
    "NextTo.shape": "(square | hexagonal)",
    "NumbersFrom.kind": "number",
    "Connected.start": "SET",
    "Connected.through": "SET",
    "LongestPath.through": "SET",
    "Thing.text": 'text "text", VALUE',
    "Game.players": "players N to N",
    "RollSeveral.rolls": "NUMBER DIE, NUMBER DIE and NUMBER DIE",
    "Remove_.kind": "KIND",
    "Column.parts": "VALUE, VALUE",
    "Listed.members": "THING, THING",
    "Track.steps": "NUMBER, NUMBER",
}
_TYPES = {"truth": "CONDITION", "resources": "RESOURCES"}  # placeholders of types whose name would not be clear
# forms of nodes on lines of their own
_BELOW = {"FieldValue": "FIELD VALUE", "Ability": "ABILITY", "Choose": "choose a KIND as NAME ..."}


def derive_forms(rule: str) -> Iterator[str]:
    """Yield the form of the construct with this grammar rule; nothing if its class has no pattern."""
    node_type: Any = classes_by_rule().get(rule)
    if node_type is None:
        return
    pattern = patterns(node_type)[rule]
    form = _render_pattern(node_type, pattern)
    if not any(gap.spec == "line" for gap in iter_gaps(pattern)):
        form += "".join(
            "\n" + indent(_render_pattern(node_type, line), "  ") for line in lines_under(node_type).values()
        )
    yield form + ("\n[else\n  STEPS]" if "otherwise" in vars(node_type).get("__annotations__", {}) else "")


def _render_pattern(node_type: Any, pattern: Pattern) -> str:
    """Return a pattern as a form such as `choose a KIND [from SET] as NAME`, with optional parts in brackets."""
    pieces = "".join(
        f"[{''.join(_render_piece(node_type, inner) for inner in piece.pieces)}]"
        if isinstance(piece, OptionalPart)
        else _render_piece(node_type, piece)
        for piece in pattern
    )
    spaced = pieces.replace("[ ", " [").replace(" ]", "] ").replace("CONDITION|", "CONDITION |")
    return re.sub(r"\[(\n *)", r"\1[", spaced)


def _render_piece(node_type: Any, piece: str | Gap) -> str:
    """Return a literal piece of a pattern as it is, or the placeholder of a gap."""
    return piece if isinstance(piece, str) else _render_gap(node_type, piece)


def _render_gap(node_type: Any, gap: Gap) -> str:
    """Return the placeholder of a gap, such as `KIND`, or the indented forms of the lines that it puts below."""
    if gap.spec == "line":
        return "\n" + indent(_render_pattern(node_type, lines_under(node_type)[gap.field]), "  ")
    if gap.spec[:1].isupper():
        return "".join("\n" + indent(form, "  ") for form in _render_lines_below(gap.spec))
    if gap.spec == "word":
        return gap.field.replace("_", " ")
    if gap.spec == "names":
        placeholder = _placeholder(node_type, gap.field)
        return f"{placeholder}[, {placeholder}]"
    return (
        _BY_FIELD.get(f"{node_type.__name__}.{gap.field}")
        or _BY_SPEC.get(gap.spec)
        or _placeholder(node_type, gap.field)
    )


def _render_lines_below(name: str) -> Iterator[str]:
    """Yield the forms of a node class whose nodes stand on lines below another node."""
    node_type = getattr(t, name)
    if name in _BELOW:
        yield _BELOW[name]
    else:
        yield from (_render_pattern(node_type, pattern) for pattern in patterns(node_type).values())


def _placeholder(node_type: Any, field: str) -> str:
    """Return the word in capitals for a value or name in a field."""
    sorts = get_referred_sorts(node_type, field)
    takes, shaped = get_field_note(node_type, field, Requires), get_field_note(node_type, field, RequiresShape)
    roles = field_roles(node_type, field)
    if roles & {Role.BINDS, Role.BINDS_BELOW} or field == "name" and not sorts:
        return "NAME"
    if sorts:
        return sorts[0].upper()
    if takes is not None:
        return _TYPES.get(takes.shape, takes.shape.upper())
    if shaped is not None:
        return shaped.shape.upper()
    if get_field_note(node_type, field, MemberOfField):
        return "THING"
    if get_field_note(node_type, field, SetOfKind) or get_field_note(node_type, field, Iterates):
        return "SET"
    if Role.CHANGED in roles or Role.SHOWN in roles:
        return "PLACE"
    return _DEFAULTS.get(field, "VALUE")


# placeholders of fields without roles or types
_DEFAULTS = {
    "joker": "RESOURCE",
    "price": "AMOUNTS",
    "fields": "FIELD",
    "over": "NAME",
    "beside": "NAME",
    "thing": "THING",
}
