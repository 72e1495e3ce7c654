"""Part of the pass `shape`: things as plain data, and the types of fields as schemas and as words."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from edict.compiler.sources.yaml_reader import Path
from edict.compiler.syntax import tree as t
from edict.support.morphology import NUMBER_WORDS, add_indefinite_article, quote_words
from edict.support.report import Diagnostic, Label
from edict.support.text import NOWHERE, Span

# Words that begin a definition, for those who misspelt one: `resorce x` reads like a thing.
DEFINITIONS = (
    "resource",
    "group",
    "die",
    "kind",
    "keep",
    "quantity",
    "value",
    "moment",
    "phase",
    "routine",
    "action",
    "setting",
    "game",
    "display",
    "assert",
    "exception",
    "amend",
    "remove",
    "adjust",
    "when",
    "shift",
)
NOTES = ("source", "origin")
"""The fields that every thing has."""


@dataclass
class Plain:
    """A thing as data, the place of each part by its path, and what could not become data."""

    data: dict[str, Any]
    places: dict[Path, Span]
    names: dict[str, Span] = field(default_factory=dict)
    found: list[Diagnostic] = field(default_factory=list)

    def place(self, path: Path) -> Span:
        return self.places.get(path) or (self.place(path[:-1]) if path else NOWHERE)

    def at(self, path: Path) -> Any:
        value: Any = self.data
        for part in path:
            value = value[part]
        return value

    def said(self, path: Path) -> str:
        return str(self.at(path))


def kind_of(thing: t.Thing, book: t.Book) -> t.Kind | None:
    kind = book.definitions.get(thing.kind.word)
    return kind if isinstance(kind, t.Kind) else None


def as_data(thing: t.Thing, kind: t.Kind) -> Plain:
    """The thing as `{"kind", "name", "title", "fields", "abilities"}`."""
    types = {f.name.word: f.type for f in kind.fields}
    written = Plain({"kind": thing.kind.word, "name": thing.name.word, "title": thing.title}, {(): thing.name.span})
    fields: dict[str, Any] = {}
    written.data |= {"fields": fields, "abilities": [_ability(one) for one in thing.abilities]}
    for value in thing.fields:
        word = value.name.word
        written.places["fields", word] = _place(value)
        written.names[word] = value.name.span
        fields[word] = _value(value, types.get(word), written)
    return written


def _ability(ability: t.Ability) -> dict[str, str]:
    target = next(getattr(ability, x).word for x in ("quantity", "moment", "action", "target") if hasattr(ability, x))
    return {"ability": type(ability).__name__.rstrip("_").lower(), "of": target}


def _place(value: t.FieldValue) -> Span:
    """Where a value stands; of a block, the name of its field."""
    if value.text is not None:
        return replace(value.span, column=value.span.end_column - len(value.text) - 2)
    if value.amounts is not None:
        return value.amounts.span
    return value.expr.span if value.expr is not None else value.name.span


def _value(value: t.FieldValue, type_: t.TypeName | None, written: Plain) -> Any:
    if value.block is not None:
        return [type(statement).__name__.lower() for statement in value.block]
    if value.amounts is not None:
        return _amounts(value, written)
    if value.text is not None:
        return {"text": value.text}
    return _expression(value.expr, type_)


def _amounts(value: t.FieldValue, written: Plain) -> dict[str, Any]:
    amounts: dict[str, Any] = {}
    spans: dict[str, Span] = {}
    for part in _parts(value):
        word = part.what.word
        if word in amounts:
            written.found.append(_twice(word, part.what.span, spans[word]))
        spans[word] = part.what.span
        written.places["fields", value.name.word, word] = part.what.span
        amounts[word] = part.amount.value if isinstance(part.amount, t.Number) else 0
    return amounts


def _parts(value: t.FieldValue) -> list[t.Part]:
    """The amounts of a field, each with its name."""
    return [part for part in value.amounts.parts if isinstance(part, t.Part)] if value.amounts else []


def _twice(word: str, span: Span, first: Span) -> Diagnostic:
    return Diagnostic(
        "E0308",
        f"`{word}` stands twice in these amounts",
        span,
        labels=(Label(first, "it already stands"),),
        help="write one amount of it",
    )


def _expression(expr: t.Expr | None, type_: t.TypeName | None) -> Any:
    number = _number(expr)
    if number is not None:
        return number
    if not isinstance(expr, t.Name):
        return {"expression": type(expr).__name__.lower()}
    shape = type_.shape if type_ else ""
    if shape == "truth" and expr.word in ("yes", "no"):
        return expr.word == "yes"
    return [expr.word] if shape in ("set", "order") else expr.word


def _number(expr: t.Expr | None) -> int | None:
    if isinstance(expr, t.Unary) and expr.op == "minus" and isinstance(expr.arg, t.Number):
        return -expr.arg.value
    return expr.value if isinstance(expr, t.Number) else None


# --- types ---------------------------------------------------------------------------------------


def field_schema(field: t.FieldDef, book: t.Book) -> dict[str, Any]:
    """The schema of a field's value, with its type in words."""
    said = {"description": f"{field.title}: {spoken(field.type)}" if field.title else spoken(field.type)}
    return {**said, **_type_schema(field.type, book)} if field.type else said


def _type_schema(type_: t.TypeName, book: t.Book) -> dict[str, Any]:
    match type_.shape:
        case "number":
            return _range(type_)
        case "truth":
            return {"type": "boolean"}
        case "effect":
            return {"type": "array", "items": {"type": "string"}, "minItems": 1}
        case "amounts":
            counts = {name: {"type": "integer", "minimum": 0} for name in countable(book)}
            return {"type": "object", "properties": counts, "additionalProperties": False, "minProperties": 1}
        case "set" | "order":
            names = {"type": "array", "items": _one_of(type_, book)}
            return {"anyOf": [names, {"type": "object", "required": ["expression"]}]}
        case _:
            return _one_of(type_, book)


def _range(type_: t.TypeName) -> dict[str, Any]:
    bounds = {"minimum": type_.low, "maximum": type_.high}
    return {"type": "integer", **{key: value for key, value in bounds.items() if value is not None}}


def _one_of(type_: t.TypeName, book: t.Book) -> dict[str, Any]:
    """A thing by its name; of kinds whose things are not in the book, any name."""
    word = type_.name.word if type_.name else ""
    if word == "number":
        return {"type": "integer"}
    names = members(word, book)
    plural_ok = type_.shape in ("set", "order")
    if not names or plural_ok or word not in book.definitions:
        return {"type": "string"}
    return {"enum": [*names, "none"] if type_.optional else names}


def members(kind: str, book: t.Book) -> list[str]:
    """The names of all things of a kind, resources of a group, and so on."""
    group = book.definitions.get(kind)
    if isinstance(group, t.Group):
        return [name.word for name in group.members]
    return [name for name, d in book.definitions.items() if isinstance(d, t.Thing) and d.kind.word == kind]


def countable(book: t.Book) -> list[str]:
    """What amounts can be of: resources and dice."""
    return [name for name, d in book.definitions.items() if isinstance(d, t.Resource | t.Die)]


def spoken(type_: t.TypeName | None) -> str:
    """A type in words, as after "takes"."""
    if type_ is None:
        return "a value"
    name = type_.name.word if type_.name else ""
    match type_.shape:
        case "number":
            return "a number" if type_.low is None else f"a number from {type_.low} to {type_.high}"
        case "set" | "order" | "bag":
            return f"a {type_.shape} of {name}"
        case "thing":
            return ("a number" if name == "number" else add_indefinite_article(name)) + (
                " or `none`" if type_.optional else ""
            )
    words = {"truth": "`yes` or `no`", "effect": "an effect", "amounts": "amounts", "dice": "dice"}
    return words.get(type_.shape, type_.shape)


def described(value: Any) -> str:
    """What somebody wrote, in words."""
    if isinstance(value, bool):
        return "`yes` or `no`"
    if isinstance(value, int):
        return f"the number {value}"
    if isinstance(value, str):
        return f"the name `{value}`"
    if isinstance(value, list):
        return "an effect"
    words = {"text": "a text", "expression": "a calculation"}
    return next((said for key, said in words.items() if key in value), "amounts")


def instead(field: t.FieldDef, value: Any) -> str:
    """What to write in place of a value of the wrong type, if that is plain from what was written; or nothing."""
    shape, text = field.type.shape if field.type else "", value.get("text", "") if isinstance(value, dict) else ""
    if shape == "number" and text.isdecimal():
        return str(text)
    if shape == "number" and isinstance(value, str) and value in NUMBER_WORDS:
        return str(NUMBER_WORDS.index(value))
    if shape == "number" and isinstance(value, dict) and [type(only) for only in value.values()] == [int]:
        return str(*value.values())
    if shape == "effect" and isinstance(value, dict) and not value.keys() & {"text", "expression"}:
        return "gain " + " and ".join(f"{n} {what}" for what, n in value.items())
    return ""


def remedy(field: t.FieldDef, value: Any, book: t.Book) -> str:
    """What to write in place of a value of the wrong type."""
    name, shape = field.name.word, field.type.shape if field.type else ""
    resource = (countable(book) or ["..."])[0]
    if shape == "amounts":
        count = value if isinstance(value, int) else 1
        return f"write each amount with what it is of: `{name} {count} {resource}`"
    if shape == "effect":
        amounts = value if isinstance(value, dict) and not value.keys() & {"text", "expression"} else {resource: 1}
        return f"write what is done: `{name} gain {' and '.join(f'{n} {what}' for what, n in amounts.items())}`"
    if shape == "number" and isinstance(value, dict) and "expression" in value:
        return f"write the number itself; what is computed belongs into the kind: `{name} is ...`"
    names = members(field.type.name.word, book) if field.type and field.type.name else []
    return f"write {quote_words(names)}" if names else f"write {spoken(field.type)}"
