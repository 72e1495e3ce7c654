"""Things as plain data, and types of fields as JSON Schemas and as words; a part of the pass `validate_things`."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any

from edict.compiler.sources.written_data import Path
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.traversal import get_literal_number
from edict.support.morphology import add_indefinite_article, parse_number_word, quote_words
from edict.support.records import dataclass
from edict.support.report import Diagnostic, Label
from edict.support.text import NOWHERE, Span

PROVENANCE_FIELDS = ("source", "origin")  # fields that every thing may have


@dataclass
class ThingData:
    """A thing as plain data."""

    data: dict[str, Any]
    places: dict[Path, Span]  # spans of values by path
    names: dict[str, Span] = field(default_factory=dict)  # spans of field names
    diagnostics: list[Diagnostic] = field(default_factory=list)  # faults that cannot be expressed as data

    def span_of(self, path: Path) -> Span:
        """Return the span of a value, or of the nearest value around it."""
        return self.places.get(path) or (self.span_of(path[:-1]) if path else NOWHERE)

    def value_at(self, path: Path) -> Any:
        """Return the value at a path."""
        value: Any = self.data
        for part in path:
            value = value[part]
        return value


def get_kind(thing: t.Thing, book: t.Book) -> t.Kind | None:
    """Return the kind of a thing, or None if it is not declared."""
    kind = book.definitions.get(thing.kind.word)
    return kind if isinstance(kind, t.Kind) else None


def to_data(thing: t.Thing, kind: t.Kind) -> ThingData:
    """Return a thing as JSON data (`kind`, `name`, `title`, `fields`, `abilities`) with the places of its values."""
    types = {field.name.word: field.type for field in kind.fields}
    thing_data = ThingData(
        {"kind": thing.kind.word, "name": thing.name.word, "title": thing.title}, {(): thing.name.span}
    )
    fields: dict[str, Any] = {}
    thing_data.data |= {"fields": fields, "abilities": [_ability_to_data(ability) for ability in thing.abilities]}
    for field_value in thing.fields:
        word = field_value.name.word
        thing_data.places["fields", word] = _value_span(field_value)
        thing_data.names[word] = field_value.name.span
        fields[word] = _value_to_data(field_value, types.get(word), thing_data)
    return thing_data


def _ability_to_data(ability: t.Ability) -> dict[str, str]:
    """Return an ability as its type and the name it applies to, like `{"ability": "adjust", "of": "price"}`."""
    target = next(
        getattr(ability, attribute).word
        for attribute in ("quantity", "moment", "action", "target")
        if hasattr(ability, attribute)
    )
    return {"ability": type(ability).__name__.rstrip("_").lower(), "of": target}


def _value_span(value: t.FieldValue) -> Span:
    """Return the span of a value; for a block, of the name of its field."""
    if value.text is not None:
        return replace(value.span, column=value.span.end_column - len(value.text) - 2)
    if value.amounts is not None:
        return value.amounts.span
    return value.expr.span if value.expr is not None else value.name.span


def _value_to_data(value: t.FieldValue, field_type: t.TypeName | None, thing_data: ThingData) -> Any:
    """Return a field's value as JSON: step names of a block, amounts by resource, `{"text": ...}`, or an expression."""
    if value.block is not None:
        return [type(statement).__name__.lower() for statement in value.block]
    if value.amounts is not None:
        return _amounts_to_data(value, thing_data)
    if value.text is not None:
        return {"text": value.text}
    return _expression_to_data(value.expr, field_type)


def _amounts_to_data(value: t.FieldValue, thing_data: ThingData) -> dict[str, Any]:
    """Return amounts by resource, 0 for computed ones; record their spans, and diagnostics for repeated resources."""
    amounts: dict[str, Any] = {}
    spans: dict[str, Span] = {}
    for part in _list_named_parts(value):
        word = part.what.word
        if word in amounts:
            thing_data.diagnostics.append(_repeated_amount_diagnostic(word, part.what.span, spans[word]))
        spans[word] = part.what.span
        thing_data.places["fields", value.name.word, word] = part.what.span
        amounts[word] = part.amount.value if isinstance(part.amount, t.Number) else 0
    return amounts


def _list_named_parts(value: t.FieldValue) -> list[t.Part]:
    """Return the parts of an amount that name a resource, like `2 gold`; none for a value without amounts."""
    if value.amounts:
        return [part for part in value.amounts.parts if isinstance(part, t.Part)]
    return []


def _repeated_amount_diagnostic(word: str, span: Span, first: Span) -> Diagnostic:
    return Diagnostic(
        "E0308",
        f"`{word}` appears twice in these amounts",
        span,
        labels=(Label(first, "first written"),),
        help="write a single amount",
    )


def _expression_to_data(expr: t.Expr | None, field_type: t.TypeName | None) -> Any:
    """Return an expression as JSON: a number, truth, name, list of one name, or `{"expression": node type}`."""
    number = get_literal_number(expr)
    if number is not None:
        return number
    if not isinstance(expr, t.Name):
        return {"expression": type(expr).__name__.lower()}
    shape = field_type.shape if field_type else ""
    if shape == "truth" and expr.word in ("yes", "no"):
        return expr.word == "yes"
    return [expr.word] if shape in ("set", "order") else expr.word


# --- types ---------------------------------------------------------------------------------------


def field_schema(field: t.FieldDef, book: t.Book) -> dict[str, Any]:
    """Return the JSON Schema of a field's value, with its type in words as description."""
    description = {
        "description": f"{field.title}: {describe_type(field.type)}" if field.title else describe_type(field.type)
    }
    if field.type:
        return {**description, **_type_schema(field.type, book)}
    return description


def _type_schema(type_name: t.TypeName, book: t.Book) -> dict[str, Any]:
    """Return the JSON Schema of the data by which `to_data` represents values of a type."""
    match type_name.shape:
        case "number":
            return _range_schema(type_name)
        case "truth":
            return {"type": "boolean"}
        case "effect":
            return {"type": "array", "items": {"type": "string"}, "minItems": 1}
        case "amounts":
            counts = {name: {"type": "integer", "minimum": 0} for name in list_countable(book)}
            return {"type": "object", "properties": counts, "additionalProperties": False, "minProperties": 1}
        case "set" | "order":
            names = {"type": "array", "items": _member_schema(type_name, book)}
            return {"anyOf": [names, {"type": "object", "required": ["expression"]}]}
        case _:
            return _member_schema(type_name, book)


def _range_schema(type_name: t.TypeName) -> dict[str, Any]:
    """Return the schema of an integer with the type's limits, of which either may be absent."""
    bounds = {"minimum": type_name.low, "maximum": type_name.high}
    return {"type": "integer", **{key: value for key, value in bounds.items() if value is not None}}


def _member_schema(type_name: t.TypeName, book: t.Book) -> dict[str, Any]:
    """Return the schema of a name of a thing of the type's kind; any name if the kind has no things."""
    word = type_name.name.word if type_name.name else ""
    if word == "number":
        return {"type": "integer"}
    names = list_members(word, book)
    plural_ok = type_name.shape in ("set", "order")
    if not names or plural_ok or word not in book.definitions:
        return {"type": "string"}
    return {"enum": [*names, "none"] if type_name.optional else names}


def list_members(kind: str, book: t.Book) -> list[str]:
    """Return the names of all things of a kind, or of all resources of a group."""
    group = book.definitions.get(kind)
    if isinstance(group, t.Group):
        return [name.word for name in group.members]
    return [
        name
        for name, definition in book.definitions.items()
        if isinstance(definition, t.Thing) and definition.kind.word == kind
    ]


def list_countable(book: t.Book) -> list[str]:
    """Return the names of resources and dice, which amounts can count."""
    return [name for name, definition in book.definitions.items() if isinstance(definition, t.Resource | t.Die)]


def describe_type(type_name: t.TypeName | None) -> str:
    """Return a type in words, as used after "takes"."""
    if type_name is None:
        return "a value"
    name = type_name.name.word if type_name.name else ""
    match type_name.shape:
        case "number":
            if type_name.low is None:
                return "a number"
            return f"a number from {type_name.low} to {type_name.high}"
        case "set" | "order" | "bag":
            return f"a {type_name.shape} of {name}"
        case "thing":
            return ("a number" if name == "number" else add_indefinite_article(name)) + (
                " or `none`" if type_name.optional else ""
            )
    words = {"truth": "`yes` or `no`", "effect": "an effect", "amounts": "amounts", "dice": "dice"}
    return words.get(type_name.shape, type_name.shape)


def describe_value(value: Any) -> str:
    """Return what somebody wrote, in words."""
    if isinstance(value, bool):
        return "`yes` or `no`"
    if isinstance(value, int):
        return f"the number {value}"
    if isinstance(value, str):
        return f"the name `{value}`"
    if isinstance(value, list):
        return "an effect"
    words = {"text": "a text", "expression": "a calculation"}
    return next((phrase for key, phrase in words.items() if key in value), "amounts")


def suggest_literal(field: t.FieldDef, value: Any) -> str:
    """Return the number or step that a wrong value clearly means, as `3` for `three`, else ""."""
    shape, text = field.type.shape if field.type else "", value.get("text", "") if isinstance(value, dict) else ""
    if shape == "number" and text.isdecimal():
        return str(text)
    if shape == "number" and isinstance(value, str) and (number := parse_number_word(value)) is not None:
        return str(number)
    if shape == "number" and isinstance(value, dict) and [type(item) for item in value.values()] == [int]:
        return str(*value.values())
    if shape == "effect" and isinstance(value, dict) and not value.keys() & {"text", "expression"}:
        return "gain " + " and ".join(f"{count} {resource}" for resource, count in value.items())
    return ""


def suggest_form(field: t.FieldDef, value: Any, book: t.Book) -> str:
    """Return how to write a value that fits the field's type, with names of these rules, as `write cost 2 gold`."""
    name, shape = field.name.word, field.type.shape if field.type else ""
    resource = (list_countable(book) or ["..."])[0]
    if shape == "amounts":
        count = value if isinstance(value, int) else 1
        return f"write each amount with its resource: `{name} {count} {resource}`"
    if shape == "effect":
        if isinstance(value, dict) and not value.keys() & {"text", "expression"}:
            amounts = value
        else:
            amounts = {resource: 1}
        gains = " and ".join(f"{number} {resource}" for resource, number in amounts.items())
        return f"write a step: `{name} gain {gains}`"
    if shape == "number" and isinstance(value, dict) and "expression" in value:
        return f"write the number itself; computed fields belong in the kind: `{name} is ...`"
    names = list_members(field.type.name.word, book) if field.type and field.type.name else []
    if names:
        return f"write {quote_words(names)}"
    return f"write {describe_type(field.type)}"
