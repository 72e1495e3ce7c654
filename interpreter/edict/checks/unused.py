"""What is written down and never happens: a phase nobody plays, a routine nobody does, a moment nobody triggers."""

from __future__ import annotations

from collections.abc import Iterator

from edict.language import tree as t
from edict.meaning.calls import owners
from edict.language.roles import Role, having
from edict.meaning.symbols import Resolved, definition_of
from edict.language.walking import walk
from edict.meaning.types import Typed
from edict.report import Diagnostic

VERBS = {
    t.Phase: ("phase", "played", "play"),
    t.Routine: ("routine", "done", "do"),
    t.Action: ("action", "done", "do"),
    t.Moment: ("moment", "triggered", "trigger"),
}


def unused(typed: Typed) -> Iterator[Diagnostic]:
    """Routines and phases may be parts of a game that a module laid over it has use for, so this only warns.

    What a module has made idle by laying something over its uses is no mistake of anybody.
    """
    resolved = typed.resolved
    happens, before = _happening(resolved), once_used(resolved.book)
    for definition in resolved.book.definitions.values():
        if type(definition) in VERBS and definition not in happens and definition.name.word not in before:
            sort, done, verb = VERBS[type(definition)]
            name = definition.name
            yield Diagnostic(
                "E0510", f"the {sort} `{name.word}` is never {done}", name.span, severity="warning",
                help=f"write `{verb} {name.word}` where it belongs, or delete it",
            )  # fmt: skip


def _happening(resolved: Resolved) -> set[t.Definition]:
    """What is played, done or triggered somewhere outside itself."""
    found: set[t.Definition] = set()
    for owner in owners(resolved):
        for node in walk(owner):
            for name in having(node, Role.RUNS):
                definition = definition_of(resolved, name)
                if definition is not None and definition is not owner:
                    found.add(definition)
    return found


def once_used(book: t.Book) -> set[str]:
    """The names that are used where another module now has laid something else."""
    return {name.word for covered in book.covered for node in walk(covered) for name in having(node, Role.RUNS)}
