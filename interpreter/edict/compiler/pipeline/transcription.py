"""A form for the owner of a boxed game, with a module's cards and blanks to be filled in from the printed ones.

Filled in, it is a module like any other, laid over the one that it transcribes. Definitions that are deleted from the
form stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from edict.compiler.english import describe_thing
from edict.compiler.semantics.link import LinkedBook
from edict.compiler.semantics.symbols import ResolvedBook, Symbol
from edict.compiler.sources.folders import Module
from edict.compiler.sources.input_limits import BLANK
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.printing import print_lines
from edict.support.text import EDITION


def build_form_manifest(module: Module, others: Sequence[str]) -> str:
    """Return the manifest of a form, laid over the module and `others`, the modules that also change its cards."""
    over = f"over: [{', '.join(others)}]\n" if others else ""
    return (
        f"name: {module.name}-transcribed\n"
        f'title: "{module.manifest.title}, as printed"\n'
        f"version: 1.0.0\nkind: module\nlanguage: {EDITION}\n"
        f"summary: Cards of {module.name} copied from the box by hand.\n"
        f"origin: printed\nrequires: [{module.name}]\n{over}"
    )


def build_form(module: Module, linked: LinkedBook, beside: str = "") -> str:
    """Return a fill-in rule file for the cards whose printed text is not known, or "" if there are none.

    Args:
        module: The module.
        linked: The linked rules.
        beside: "" for the module's own files, or the name in `with/NAME/` for its conditional files.
    """
    cards = [_render_card(thing, linked) for thing in _iter_unprinted_cards(module, linked, beside)]
    head = [
        f"# {module.manifest.title}: fill in every {BLANK} from the printed card.",
        "# Delete a definition to leave that card as it is. How to write effects: docs/guides/write-rules.md.",
    ]
    if cards:
        return "\n".join([*head, *(line for card in cards for line in ("", *card))]) + "\n"
    return ""


def _iter_unprinted_cards(module: Module, linked: LinkedBook, beside: str) -> Iterator[t.Thing]:
    """Yield the module's cards with an origin other than `printed`; only those in `with/NAME/` for `beside` NAME."""
    book = linked.resolved.book
    for name, definition in book.definitions.items():
        note = book.notes.get(name, t.Note())
        if isinstance(definition, t.Thing) and note.module == module.name and note.origin != "printed":
            if _condition_module(definition) == beside and _is_card(
                definition, linked.resolved.require_definition(definition.kind.word)
            ):
                yield definition


def _condition_module(thing: t.Thing) -> str:
    """Return NAME for a thing in a file in `with/NAME/`; "" for others."""
    folders = PurePosixPath(thing.span.file).parts[1:-1]
    return folders[1] if folders[:1] == ("with",) else ""


def _is_card(thing: t.Thing, kind: t.Kind) -> bool:
    """Return True if a thing may be a card, because it or its kind has effects."""
    return bool(thing.abilities) or kind.works_if is not None or any(field.block for field in thing.fields)


def _render_card(thing: t.Thing, linked: LinkedBook) -> list[str]:
    """Return the lines of a form to rewrite one card, with blanks for the parts that the printed card states."""
    name, kind = thing.name.word, linked.resolved.require_definition(thing.kind.word)
    note = linked.resolved.book.notes[name]
    title = BLANK if note.origin == "original" else thing.title
    return [
        f"# stands for {name} at {thing.span.file}:{thing.span.line}",
        f"# {note.origin or 'origin not given'}: {describe_thing(linked.resolved, thing)}".rstrip(": "),
        *([f"# {note.source}"] if note.source else []),
        f"rewrite {thing.kind.word} {name}" + (f' "{title}"' if title else ""),
        *(line for field in thing.fields for line in _render_field(linked.resolved, kind, field)),
        *([f"  {BLANK}"] if thing.abilities or kind.works_if is not None else []),
    ]


def _render_field(resolved: ResolvedBook, kind: t.Kind, value: t.FieldValue) -> Iterator[str]:
    """Yield a field with a blank if the card states it, else as it is."""
    declared = next((field for field in kind.fields if field.name.word == value.name.word), None)
    if declared is None:
        return  # `source` or `origin`, which change with the transcription
    identifying = {name.word for unique in kind.unique for name in unique.fields}  # fields that identify things
    if _is_printed(declared) and value.name.word not in identifying and not _delegates(resolved, value):
        yield f"  {value.name.word} {BLANK}"
    else:
        yield from (text for line in print_lines(value, 1) for text in line.physical_lines)


def _is_printed(field: t.FieldDef) -> bool:
    """Return True for a field that is `shown`, required, an effect or amounts, and so is printed on a card."""
    shape = field.type.shape if field.type else ""
    return field.shown or shape in ("effect", "amounts") or not field.optional


def _delegates(resolved: ResolvedBook, value: t.FieldValue) -> bool:
    """Return True if every step of an effect runs the effect of another thing that is named."""
    steps = value.block or ()
    things = [step.thing for step in steps if isinstance(step, t.DoField)]
    lenders = [resolved.meaning.get(thing) for thing in things if isinstance(thing, t.Name)]
    return len(lenders) == len(steps) > 0 and all(
        isinstance(symbol, Symbol) and symbol.sort == "thing" for symbol in lenders
    )
