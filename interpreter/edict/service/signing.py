"""What is given to a quantity, keep, routine or moment, and which part of it is being written."""

from __future__ import annotations

from pathlib import Path

from edict.language import tree as t
from edict.language.expecting import Place, expected
from edict.handbook.telling import description
from edict.service.document_structure import before_word
from edict.service.answer_types import At, Signature
from edict.service.workspace import Workspace

_GIVEN = (
    (t.Do, "name", "args"), (t.DoField, "field", "args"), (t.DoEdge, "moment", "args"), (t.Trigger, "moment", "args"),
    (t.Apply, "head", "args"),
)  # fmt: skip


def signature(space: Workspace, path: Path, at: At) -> Signature | None:
    """The line of what takes the value at a place; None where nothing does."""
    rules = space.rules(path)
    source = rules.source(path) if rules is not None else None
    known = rules.understood(anew=False) if rules is not None else None
    if source is None or known is None:
        return None
    place = expected(before_word(source.text, at), source.name).place
    given = _given(place) if place is not None else None
    definition = known.definitions.get(given[0]) if given is not None else None
    params = [p for p in getattr(definition, "params", ()) if isinstance(p, t.Param)]
    if given is None or definition is None or not params:
        return None
    names = tuple(p.name.word if p.name.word == p.kind.word else f"{p.kind.word} called {p.name.word}" for p in params)
    label = f"{given[0]} {_joint(definition)} " + " ".join(_joined(definition, names))
    words = " ".join(line.strip() for line in description(known.known, definition))
    return Signature(label, names, min(given[1], len(names) - 1), words)


def _given(place: Place) -> tuple[str, int] | None:
    """What the innermost node around a place takes values for, and which of them stands here."""
    below: t.Node = place.name
    for node in reversed(place.around):
        for kind, head, args in _GIVEN:
            if isinstance(node, kind):
                values = getattr(node, args)
                if any(one is below for one in values):
                    return getattr(node, head).word, next(i for i, one in enumerate(values) if one is below)
        below = node
    return None


def _joint(definition: t.Definition) -> str:
    return "of" if isinstance(definition, t.Keep | t.Quantity) else "with"


def _joined(definition: t.Definition, names: tuple[str, ...]) -> list[str]:
    """The names with the words between them, as they are written when they are given."""
    between = [*getattr(definition, "joints", ()), *["and"] * len(names)]
    return [word for i, name in enumerate(names) for word in ((between[i - 1], name) if i else (name,))]
