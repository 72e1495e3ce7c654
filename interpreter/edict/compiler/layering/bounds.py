"""The pass `bounds`: the numbers of ranges that follow from settings, whichever module says how far those go."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from edict.compiler.syntax import tree as t
from edict.support.report import Diagnostic, Label, Outcome


def bounds(book: t.Book) -> Outcome[t.Book]:
    """The same rules, in which every range that names a setting holds all that the setting may be."""
    diagnostics: list[Diagnostic] = []
    changed = dict(_bounded(book, diagnostics))
    return Outcome(replace(book, definitions=book.definitions | changed) if changed else book, tuple(diagnostics))


def _bounded(book: t.Book, diagnostics: list[Diagnostic]) -> Iterator[tuple[str, t.Definition]]:
    for name, definition in book.definitions.items():
        if isinstance(definition, t.Keep) and _by_settings(definition.type):
            yield name, replace(definition, type=_within(definition.type, book, diagnostics))
        elif isinstance(definition, t.Kind) and any(_by_settings(field.type) for field in definition.fields):
            fields = tuple(_field(field, book, diagnostics) for field in definition.fields)
            yield name, replace(definition, fields=fields)


def _by_settings(type_: t.TypeName | None) -> bool:
    return type_ is not None and (type_.lowest is not None or type_.highest is not None)


def _field(field: t.FieldDef, book: t.Book, diagnostics: list[Diagnostic]) -> t.FieldDef:
    return replace(field, type=_within(field.type, book, diagnostics)) if field.type is not None else field


def _within(type_: t.TypeName, book: t.Book, diagnostics: list[Diagnostic]) -> t.TypeName:
    """What is no setting at all is for the pass that binds names to say."""
    for name in dict.fromkeys(bound for bound in (type_.lowest, type_.highest) if bound is not None):
        setting = book.definitions.get(name.word)
        if not isinstance(setting, t.Setting):
            continue
        if setting.low is None:  # and so no highest either
            diagnostics.append(_open(name, setting))
        elif name is type_.lowest:
            type_ = replace(type_, low=setting.low)
        else:
            type_ = replace(type_, high=setting.high)
    return type_


def _open(name: t.Name, setting: t.Setting) -> Diagnostic:
    word = setting.name.word
    if setting.truth:
        title, remedy = f"`{word}` is on or off, and a range goes from one number to another", "write a number"
        return Diagnostic("E0565", title, name.span, labels=(Label(setting.span, "it is declared"),), help=remedy)
    return Diagnostic(
        "E0565",
        f"`{word}` may be set to any number, and a range follows it",
        setting.span,
        labels=(Label(name.span, "the range ends"),),
        help=f"say how far it goes, as in `is {setting.value} from {min(setting.value, 1)} to {max(setting.value, 2)}`",
    )
