"""What the editor asks about the texts of a desk, answered by the language service as plain data.

Each question is a function of a desk and what the page sent; it raises `Refused` with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from edict.service import checking, colouring, completing, hinting, hovering, navigating, outlining, renaming, signing
from edict.service.laying_out import indentation, laid_out
from edict.service.values import At, Refused
from edict.text import Span
from edict.web.studio import shapes
from edict.web.studio.desk import Desk
from edict.web.studio.prose import prose

Asked = Mapping[str, Any]


def _path(desk: Desk, asked: Asked) -> Path:
    name = str(asked.get("file", ""))
    if name not in desk.texts:
        raise Refused("there is no such file in this variant")
    return desk.path(name)


def _at(asked: Asked) -> At:
    line, column = asked.get("line"), asked.get("column")
    if not isinstance(line, int) or not isinstance(column, int):
        raise Refused("that is not a place in a file")
    return At(max(line, 1), max(column, 1))


def problems(desk: Desk, asked: Asked) -> Any:
    """All that is wrong with the variant, in whatever files. `whole`: also what only making the code finds out."""
    if asked.get("whole"):
        desk.check_whole()
    with desk.asking() as space:
        found = checking.problems(space, desk.manifest, whole=False)
        desk.was_wrong |= any(one.severity == "error" for one in found)
        return [shapes.problem(one, desk.named) for one in found]


def colours(desk: Desk, asked: Asked) -> Any:
    with desk.asking() as space:
        return shapes.colours(colouring.colours(space, _path(desk, asked)))


def complete(desk: Desk, asked: Asked) -> Any:
    with desk.asking() as space:
        return [shapes.item(one) for one in completing.completions(space, _path(desk, asked), _at(asked))]


def words(desk: Desk, asked: Asked) -> Any:
    """The English of something that is offered."""
    with desk.asking() as space:
        return completing.words_of(space, desk.manifest, str(asked.get("name", "")))


def hover(desk: Desk, asked: Asked) -> Any:
    with desk.asking() as space:
        found = hovering.hover(space, _path(desk, asked), _at(asked))
        return {"html": prose(found.text), "at": shapes.place(found.span)} if found is not None else None


def meaning(desk: Desk, asked: Asked) -> Any:
    """What is said about the definition around a place, and then of the word there, if that is something else.

    It counts as read where somebody has `looked` for it.
    """
    path, at = _path(desk, asked), _at(asked)
    with desk.asking() as space:
        around = (one for one in outlining.outline(space, path) if one.span.line <= at.line <= one.span.end_line)
        places = [*(At(one.name_span.line, one.name_span.end_column) for one in around), at]
        found = [one for one in (hovering.hover(space, path, place) for place in places) if one is not None]
        desk.read |= {_word(space.text(path), one.span) for one in found} if asked.get("looked") else set()
    return "<hr>".join(prose(text) for text in dict.fromkeys(one.text for one in found))


def _word(text: str, span: Span) -> str:
    return text.split("\n")[span.line - 1][span.column - 1 : span.end_column - 1]


def definition(desk: Desk, asked: Asked) -> Any:
    """Where the word at a place is declared."""
    with desk.asking() as space:
        found = navigating.definitions(space, _path(desk, asked), _at(asked))
        return [shapes.related(one, "", desk.named) for one in found]


def references(desk: Desk, asked: Asked) -> Any:
    """Everywhere the word at a place is written, each with its line."""
    with desk.asking() as space:
        found = navigating.references(space, _path(desk, asked), _at(asked))
        lines = [space.text(one.path).split("\n")[one.span.line - 1].strip() for one in found]
        return [shapes.related(one, line, desk.named) for one, line in zip(found, lines, strict=True)]


def signature(desk: Desk, asked: Asked) -> Any:
    """What the value at a place is given to, and which part of it is being written."""
    with desk.asking() as space:
        found = signing.signature(space, _path(desk, asked), _at(asked))
    return {"label": found.label, "part": found.parameters[found.active], "words": found.words} if found else None


def hints(desk: Desk, asked: Asked) -> Any:
    """What the text leaves unsaid, to be shown behind words."""
    with desk.asking() as space:
        found = hinting.hints(space, _path(desk, asked))
        return [{"line": one.at.line, "column": one.at.column, "text": one.text, "words": one.words} for one in found]


def renamable(desk: Desk, asked: Asked) -> Any:
    with desk.asking() as space:
        return renaming.can_rename(space, _path(desk, asked), _at(asked))[0]


def rename(desk: Desk, asked: Asked) -> Any:
    with desk.asking() as space:
        found = renaming.rename(space, _path(desk, asked), _at(asked), str(asked.get("name", "")))
        return shapes.changes(found, desk.named)


def indent(_: Desk, asked: Asked) -> Any:
    """How far in a line begins below the text that is sent: it is asked with every line, so it waits for nothing."""
    return indentation(str(asked.get("before", "")))


def layout(desk: Desk, asked: Asked) -> Any:
    """The file in its canonical layout."""
    with desk.asking() as space:
        return laid_out(space, _path(desk, asked))


QUESTIONS: dict[str, Callable[[Desk, Asked], Any]] = {
    one.__name__: one
    for one in (
        problems, colours, complete, words, hover, meaning, definition, references, signature, hints, renamable, rename,
        indent, layout,
    )
}
