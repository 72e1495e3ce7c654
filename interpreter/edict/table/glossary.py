"""Everything with a name, for those who play: what it is and does, and its current state in their game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from edict.handbook.annotated import known_from
from edict.handbook.terms import Term, Terms
from edict.language.finding import plain
from edict.sources.packing import unpack
from edict.program import Program
from edict.table.standing import columns, standing
from edict.table.game_steps import Table
from edict.table.view import View


@dataclass(frozen=True, slots=True)
class Entry:
    """What is said about something by name; the fields that are not described here are as in `Term`.

    `caption` shows the values printed on a thing, as panels do. `now` is its state in a game.
    """

    name: str
    title: str
    sort: str
    module: str
    caption: str
    facts: tuple[tuple[str, str], ...]
    lines: tuple[str, ...]
    members: tuple[str, ...]
    touched: tuple[str, ...]
    seen_in: tuple[str, ...]
    now: tuple[str, ...]

    def says_as(self, other: Entry) -> bool:
        """Whether two things with the same title are the same card twice."""
        mine, theirs = ((one.title, one.sort, one.caption, one.lines) for one in (self, other))
        return mine == theirs and bool(self.caption)


@dataclass(frozen=True, slots=True)
class Found:
    """What is called so: several entries where a name means several things.

    Where there is none, `nearest` says what may have been meant, as `did you mean ...?`; it may be empty.
    """

    entries: tuple[Entry, ...]
    nearest: str = ""


class Glossary:
    """The names of one set of rules."""

    def __init__(self, terms: Terms, program: Program) -> None:
        self.terms = terms
        self.captions = {thing.name: thing.caption for kind in program.kinds for thing in kind.things}

    def look(self, about: str, view: View | None = None) -> Found:
        """What somebody means who types this; with a view, also its state there, as far as that seat may know."""
        found = self.terms.look(about)
        made = [_entry(term, self.captions.get(term.name, ""), view) for term in found]
        entries = tuple(one for i, one in enumerate(made) if not any(one.says_as(other) for other in made[:i]))
        if not entries and view is not None:
            entries = tuple(_player(about, view))
        return Found(entries, "" if entries else self.terms.nearest(about))

    def titles(self) -> tuple[str, ...]:
        """All that can be asked about, by title, in order of the alphabet."""
        return self.terms.titles()


def glossary_of(table: Table) -> Glossary | None:
    """The glossary of the rules a game is played under; None if the game does not hold them."""
    terms = _terms(table.bundle) if table.bundle else None
    return Glossary(terms, table.program) if terms is not None else None


@lru_cache(maxsize=2)
def _terms(bundle: str) -> Terms | None:
    known = unpack(bundle).then(known_from).value
    return Terms(known) if known is not None else None


def _entry(term: Term, caption: str, view: View | None) -> Entry:
    now = tuple(standing(term.name, view)) if view is not None and term.name else ()
    return Entry(
        term.name, term.title, term.sort, term.module, caption, term.facts, term.lines, term.members, term.touched,
        term.seen_in, now,
    )  # fmt: skip


def _player(about: str, view: View) -> Iterator[Entry]:
    """One who plays, by name: all that is said about players on the table's panels."""
    for seat, name in enumerate(view.players):
        if plain(name) == plain(about):
            rows = ((panel, row) for panel in view.panels() for row in panel.rows if row.seat == seat)
            now = tuple(columns(panel, row) for panel, row in rows)
            yield Entry("", name, "player", "", "", (), (), (), (), (), now)


__all__ = ["Entry", "Found", "Glossary", "glossary_of"]
