"""The pass `resolve_bounds`, which gives ranges that follow settings the numbers of those settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from edict.compiler.syntax import tree as t
from edict.support.report import Diagnostic, Label, Outcome


def resolve_bounds(book: t.Book) -> Outcome[t.Book]:
    """Return the book with numbers at the ends of every range that names a setting."""
    diagnostics: list[Diagnostic] = []
    changed = dict(_iter_resolved_definitions(book, diagnostics))
    return Outcome(replace(book, definitions=book.definitions | changed) if changed else book, tuple(diagnostics))


def _iter_resolved_definitions(book: t.Book, diagnostics: list[Diagnostic]) -> Iterator[tuple[str, t.Definition]]:
    """Yield name and new definition of each state variable and kind with a range that names a setting."""
    for name, definition in book.definitions.items():
        if isinstance(definition, t.Keep) and _follows_setting(definition.type):
            yield name, replace(definition, type=_resolve_type(definition.type, book, diagnostics))
        elif isinstance(definition, t.Kind) and any(_follows_setting(field.type) for field in definition.fields):
            fields = tuple(_resolve_field(field, book, diagnostics) for field in definition.fields)
            yield name, replace(definition, fields=fields)


def _follows_setting(type_: t.TypeName | None) -> bool:
    """Return True if an end of a type's range is a name in place of a number."""
    return type_ is not None and (type_.lowest is not None or type_.highest is not None)


def _resolve_field(field: t.FieldDef, book: t.Book, diagnostics: list[Diagnostic]) -> t.FieldDef:
    """Return a field whose range has the limits of the settings it names."""
    if field.type is not None:
        return replace(field, type=_resolve_type(field.type, book, diagnostics))
    return field


def _resolve_type(type_name: t.TypeName, book: t.Book, diagnostics: list[Diagnostic]) -> t.TypeName:
    """Return a type with the limits of the settings it names; other names are left to the pass `resolve`."""
    for name in dict.fromkeys(bound for bound in (type_name.lowest, type_name.highest) if bound is not None):
        setting = book.definitions.get(name.word)
        if not isinstance(setting, t.Setting):
            continue
        if setting.low is None:  # a setting has both limits or none
            diagnostics.append(_unbounded_diagnostic(name, setting))
        elif name is type_name.lowest:
            type_name = replace(type_name, low=setting.low)
        else:
            type_name = replace(type_name, high=setting.high)
    return type_name


def _unbounded_diagnostic(name: t.Name, setting: t.Setting) -> Diagnostic:
    """Return the error for a range that ends at a setting which is on or off, or may be any number."""
    word = setting.name.word
    if setting.truth:
        title, remedy = f"`{word}` is on or off, but a range needs two numbers", "write a number"
        return Diagnostic("E0565", title, name.span, labels=(Label(setting.span, "it is declared"),), help=remedy)
    return Diagnostic(
        "E0565",
        f"`{word}` can be any number, but a range depends on it",
        setting.span,
        labels=(Label(name.span, "the range"),),
        help=f"limit it, as in `is {setting.value} from {min(setting.value, 1)} to {max(setting.value, 2)}`",
    )
