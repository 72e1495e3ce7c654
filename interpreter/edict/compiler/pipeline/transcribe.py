"""A form for someone who owns the box: a module's cards with blanks, to be filled in from the printed ones.

Filled in, it is a module like any other, laid over the one it transcribes; what is deleted from it stays as
it is.
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
from edict.compiler.syntax.printing import printed
from edict.support.text import EDITION


def manifest_of(module: Module, others: Sequence[str]) -> str:
    """The manifest of the form, which goes over the `others` that have something to say of the module's cards too."""
    over = f"over: [{', '.join(others)}]\n" if others else ""
    return (
        f"name: {module.name}-transcribed\n"
        f'title: "{module.manifest.title}, as printed"\n'
        f"version: 1.0.0\nkind: module\nlanguage: {EDITION}\n"
        f"summary: Cards of {module.name} copied from the box by hand.\n"
        f"origin: printed\nrequires: [{module.name}]\n{over}"
    )


def form(module: Module, linked: LinkedBook, beside: str = "") -> str:
    """The cards of a module that are not known as printed, each rewritten with blanks; nothing if there is none.

    `beside`: those that count only when the module of this name is played too.
    """
    cards = [_card(thing, linked) for thing in _unsure(module, linked, beside)]
    head = [
        f"# {module.manifest.title}: fill in every {BLANK} from the printed card.",
        "# Delete a definition to leave that card as it is. How to write effects: docs/reference.md.",
    ]
    return "\n".join([*head, *(line for card in cards for line in ("", *card))]) + "\n" if cards else ""


def _unsure(module: Module, linked: LinkedBook, beside: str) -> Iterator[t.Thing]:
    book = linked.resolved.book
    for name, definition in book.definitions.items():
        note = book.notes.get(name, t.Note())
        if isinstance(definition, t.Thing) and note.module == module.name and note.origin != "printed":
            if _beside(definition) == beside and _is_card(
                definition, linked.resolved.require_definition(definition.kind.word)
            ):
                yield definition


def _beside(thing: t.Thing) -> str:
    """The module without which it does not count: its file lies in `with/NAME/`."""
    folders = PurePosixPath(thing.span.file).parts[1:-1]
    return folders[1] if folders[:1] == ("with",) else ""


def _is_card(thing: t.Thing, kind: t.Kind) -> bool:
    """Whether it is something one holds in hand: it does something, or things of its kind do."""
    return bool(thing.abilities) or kind.works_if is not None or any(field.block for field in thing.fields)


def _card(thing: t.Thing, linked: LinkedBook) -> list[str]:
    name, kind = thing.name.word, linked.resolved.require_definition(thing.kind.word)
    note = linked.resolved.book.notes[name]
    title = BLANK if note.origin == "original" else thing.title
    return [
        f"# stands for {name} at {thing.span.file}:{thing.span.line}",
        f"# {note.origin or 'origin not given'}: {describe_thing(linked.resolved, thing)}".rstrip(": "),
        *([f"# {note.source}"] if note.source else []),
        f"rewrite {thing.kind.word} {name}" + (f' "{title}"' if title else ""),
        *(line for field in thing.fields for line in _field(linked.resolved, kind, field)),
        *([f"  {BLANK}"] if thing.abilities or kind.works_if is not None else []),
    ]


def _field(resolved: ResolvedBook, kind: t.Kind, value: t.FieldValue) -> Iterator[str]:
    """A blank for what the card says; what it does not say stays as it is."""
    declared = next((field for field in kind.fields if field.name.word == value.name.word), None)
    if declared is None:
        return  # where it comes from, which will have changed
    placed = {name.word for unique in kind.unique for name in unique.fields}  # by which things are told apart
    if _on_card(declared) and value.name.word not in placed and not _lent(resolved, value):
        yield f"  {value.name.word} {BLANK}"
    else:
        yield from (text for line in printed(value, 1) for text in line.written)


def _on_card(field: t.FieldDef) -> bool:
    """Whether a card says such a thing: marks and estimates of bots it does not."""
    shape = field.type.shape if field.type else ""
    return field.shown or shape in ("effect", "amounts") or not field.optional


def _lent(resolved: ResolvedBook, value: t.FieldValue) -> bool:
    """Whether it only does what another card says."""
    steps = value.block or ()
    named = [step.thing for step in steps if isinstance(step, t.DoField)]
    lenders = [resolved.meaning.get(thing) for thing in named if isinstance(thing, t.Name)]
    return len(lenders) == len(steps) > 0 and all(isinstance(one, Symbol) and one.sort == "thing" for one in lenders)
