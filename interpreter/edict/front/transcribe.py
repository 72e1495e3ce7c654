"""A form for someone who owns the box: a module's cards with blanks, to be filled in from the printed ones.

Filled in, it is a module like any other, laid over the one it transcribes; what is deleted from it stays as
it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from edict.front import tree as t
from edict.front.folders import Module
from edict.front.limits import BLANK
from edict.front.link import Linked
from edict.front.printing import printed
from edict.front.words import thing_words

PRINTED = ("effect", "amounts")  # fields that are on the card, beside those the kind shows


def manifest_of(module: Module) -> str:
    """The manifest of the form."""
    return (
        f"name: {module.name}-transcribed\n"
        f'title: "{module.manifest.title}, as printed"\n'
        "version: 1.0.0\nkind: module\n"
        f"summary: Cards of {module.name} copied from the box by hand.\n"
        f"origin: printed\nrequires: [{module.name}]\n"
    )


def form(module: Module, linked: Linked) -> str:
    """The cards of a module that are not known as printed, each rewritten with blanks."""
    lines = [
        f"# {module.manifest.title}: fill in every {BLANK} from the printed card.",
        "# Delete a definition to leave that card as it is. How to write effects: docs/language.md.",
    ]
    for thing in _unsure(module, linked):
        lines += ["", *_card(thing, linked)]
    return "\n".join(lines) + "\n"


def _unsure(module: Module, linked: Linked) -> Iterator[t.Thing]:
    book = linked.resolved.book
    for name, definition in book.definitions.items():
        note = book.notes.get(name, t.Note())
        if isinstance(definition, t.Thing) and note.module == module.name and note.origin != "printed":
            if definition.abilities or any(f.block for f in definition.fields):
                yield definition


def _card(thing: t.Thing, linked: Linked) -> Iterator[str]:
    name, kind = thing.name.word, thing.kind.word
    note = linked.resolved.book.notes[name]
    yield f"# stands for {name} at {thing.span.file}:{thing.span.line}"
    yield f"# {note.origin or 'origin not told'}: {thing_words(linked.resolved, thing)}"
    yield f'rewrite {kind} {name} "{thing.title}"' if thing.title else f"rewrite {kind} {name}"
    on_card = {f.name.word for f in linked.resolved.get(kind).fields if f.shown or (f.type and f.type.shape in PRINTED)}
    for field in thing.fields:
        if field.name.word not in on_card:
            yield from (text for line in printed(field, 1) for text in line.written)
        else:
            yield f"  {field.name.word} {BLANK}"
    if thing.abilities:
        yield f"  {BLANK}"
