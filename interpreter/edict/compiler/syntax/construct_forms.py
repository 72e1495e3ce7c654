"""How a construct is written, from the pattern of its class: `choose a KIND [from SET] as NAME`.

What stands in capitals is what is asked for there, which follows from the roles and types at the fields of the class.
Brackets are around what may be left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import indent
from typing import Any

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.patterns import Gap, Optional, Pattern, by_rule, gaps, lines_under, patterns
from edict.compiler.syntax.roles import MemberOf, Role, SetOf, Shaped, Takes, Through, note, refers, roles_of

_STEPWISE = "joining KEEP | leaving KEEP | gaining RESOURCE | losing RESOURCE"
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
    "target": f"(ACTION.RULE | PHASE | ROUTINE | {_STEPWISE})",
    "and": "FIELD [and FIELD]",
    "awaited": f"(MOMENT | start of PHASE | end of PHASE | {_STEPWISE})",
}
_SAID = {
    "Arrange.direction": "(lowest | highest)",
    "DoEdge.edge": "(start | end)",
    "Over.op": "(sum | best | least)",
    "OfSeveral.op": "(best | least)",
    "Quantified.op": "(every | some)",
    "Part.said": "all",
    "Kind.order": "FIELD",
    "PartPrice.source": "FIELD of THING",
    "NextTo.shape": "(square | hexagonal)",
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
_TYPES = {"truth": "CONDITION", "resources": "RESOURCES"}
_BELOW = {"FieldValue": "FIELD VALUE", "Ability": "ABILITY", "Choose": "choose a KIND as NAME ..."}


def form_of_rule(rule: str) -> Iterator[str]:
    """How what has this rule is written; nothing for a class that has no pattern."""
    kind: Any = by_rule().get(rule)
    if kind is None:
        return
    pattern = patterns(kind)[rule]
    form = _form(kind, pattern)
    if not any(gap.spec == "line" for gap in gaps(pattern)):
        form += "".join("\n" + indent(_form(kind, line), "  ") for line in lines_under(kind).values())
    yield form + ("\n[else\n  STEPS]" if "otherwise" in vars(kind).get("__annotations__", {}) else "")


def _form(kind: Any, pattern: Pattern) -> str:
    pieces = "".join(
        f"[{''.join(_piece(kind, inner) for inner in one.pieces)}]" if isinstance(one, Optional) else _piece(kind, one)
        for one in pattern
    )
    spaced = pieces.replace("[ ", " [").replace(" ]", "] ").replace("CONDITION|", "CONDITION |")
    return re.sub(r"\[(\n *)", r"\1[", spaced)


def _piece(kind: Any, piece: str | Gap) -> str:
    return piece if isinstance(piece, str) else _slot(kind, piece)


def _slot(kind: Any, gap: Gap) -> str:
    """What is asked for in a gap."""
    if gap.spec == "line":
        return "\n" + indent(_form(kind, lines_under(kind)[gap.field]), "  ")
    if gap.spec[:1].isupper():
        return "".join("\n" + indent(form, "  ") for form in _forms_below(gap.spec))
    if gap.spec == "word":
        return gap.field.replace("_", " ")
    if gap.spec == "names":
        one = _meant(kind, gap.field)
        return f"{one}[, {one}]"
    return _SAID.get(f"{kind.__name__}.{gap.field}") or _BY_SPEC.get(gap.spec) or _meant(kind, gap.field)


def _forms_below(name: str) -> Iterator[str]:
    """How the nodes of a class are written that stand below another."""
    kind = getattr(t, name)
    if name in _BELOW:
        yield _BELOW[name]
    else:
        yield from (_form(kind, pattern) for pattern in patterns(kind).values())


def _meant(kind: Any, field: str) -> str:
    """What a value or name in a field may be, in a word."""
    sorts = refers(kind, field)
    takes, shaped = note(kind, field, Takes), note(kind, field, Shaped)
    roles = roles_of(kind, field)
    if roles & {Role.BINDS, Role.BINDS_BELOW} or field == "name" and not sorts:
        return "NAME"
    if sorts:
        return sorts[0].upper()
    if takes is not None:
        return _TYPES.get(takes.shape, takes.shape.upper())
    if shaped is not None:
        return shaped.shape.upper()
    if note(kind, field, MemberOf):
        return "THING"
    if note(kind, field, SetOf) or note(kind, field, Through):
        return "SET"
    if Role.CHANGED in roles or Role.SHOWN in roles:
        return "PLACE"
    return _OTHERWISE.get(field, "VALUE")


_OTHERWISE = {
    "joker": "RESOURCE",
    "price": "AMOUNTS",
    "fields": "FIELD",
    "over": "NAME",
    "beside": "NAME",
    "thing": "THING",
}
