"""Everything with a name, for those who play: what it is and does, and its current state in their game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from edict.compiler.sources.packing import unpack
from edict.compiler.sources.words_files import in_language
from edict.compiler.syntax.word_search import plain
from edict.game.table.addresses import PLAYER, seats_in, sizes_for
from edict.game.table.game_steps import Table
from edict.game.table.panels import Grid, PanelView, Row, Substitutes
from edict.game.table.view import View
from edict.game.table.wording import HIDDEN, NOBODY, NONE
from edict.prose.rulebook.annotated import known_from
from edict.prose.rulebook.terms import Term, Terms
from edict.runtime.program import Program, Thing, Variable
from edict.runtime.program.reasons import Measure
from edict.support.morphology import capitalize, join_words
from edict.support.translations import gettext, spoken


@dataclass(frozen=True, slots=True)
class GlossaryEntry:
    """What is said about something by name; the fields that are not described here are as in `Term`.

    `caption` shows the values printed on a thing, as panels do. `now` is its state in a game. Where another thing
    counts in place of this one, `lines` begin with that, and say of the rest that it is replaced.
    """

    name: str
    title: str
    sort: str
    module: str
    caption: str
    facts: tuple[tuple[str, str], ...]
    lines: tuple[str, ...]
    exactly: tuple[str, ...]
    members: tuple[str, ...]
    touched: tuple[str, ...]
    seen_in: tuple[str, ...]
    now: tuple[str, ...]

    def says_as(self, other: GlossaryEntry) -> bool:
        """Whether two things with the same title are the same card twice."""
        mine, theirs = ((one.title, one.sort, one.caption, one.lines) for one in (self, other))
        return mine == theirs and bool(self.caption)


@dataclass(frozen=True, slots=True)
class Found:
    """What is called so: several entries where a name means several things.

    Where there is none, `nearest` says what may have been meant, as `did you mean ...?`; it may be empty.
    """

    entries: tuple[GlossaryEntry, ...]
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
    terms = _terms(table.bundle, spoken()) if table.bundle else None
    return Glossary(terms, table.program) if terms is not None else None


@lru_cache(maxsize=4)
def _terms(bundle: str, language: str) -> Terms | None:
    known = unpack(bundle).then(lambda modules: known_from(in_language(modules, language))).value
    return Terms(known) if known is not None else None


def _entry(term: Term, caption: str, view: View | None) -> GlossaryEntry:
    now = tuple(current_state(term.name, view)) if view is not None and term.name else ()
    instead = _instead(term.name, view) if view is not None else None
    lines = (
        term.lines
        if instead is None
        else (
            f"Now what counts is {instead.title or instead.name}: {instead.words}",
            *(f"Replaced by it: {line}" for line in term.lines),
        )
    )
    return GlossaryEntry(
        term.name,
        term.title,
        term.sort,
        term.module,
        caption,
        term.facts,
        lines,
        term.exactly,
        term.members,
        term.touched,
        term.seen_in,
        now,
    )


def _player(about: str, view: View) -> Iterator[GlossaryEntry]:
    """One who plays, by name: all that is said about players on the table's panels."""
    for seat, name in enumerate(view.players):
        if plain(name) == plain(about):
            rows = ((panel, row) for panel in view.panels() for row in panel.rows if row.seat == seat)
            now = tuple(columns(panel, row) for panel, row in rows)
            yield GlossaryEntry("", name, "player", "", "", (), (), (), (), (), (), now)


# --- the current state ----------------------------------------------------------------------------------

MOST = 12  # values of one thing
RESOURCE = "resource"  # the kind of all resources, which are described as what players have


def current_state(name: str, view: View) -> Iterator[str]:
    """The lines for what has this name in the rules."""
    program = view.program
    for kind in program.kinds:
        for index, thing in enumerate(kind.things):
            if thing.name == name and kind.name != RESOURCE:
                yield from _thing(kind.name, index, view)
    variable = program.variable_by_name.get(name)
    if variable is not None:
        yield from _variable(variable, view)
    yield from (line for one in program.reasons.measures if one.name == name for line in _measure(one, view))
    for setting in program.settings:
        if setting.name == name:
            value = view.state[setting.cell]
            yield f"In this game: {('on' if value else 'off') if setting.truth else value}."


# --- variables and quantities --------------------------------------------------------------------------


def _variable(variable: Variable, view: View) -> Iterator[str]:
    """What is there, of each player or of the table; what is kept for more things is listed for each of them."""
    sizes = sizes_for(variable, len(view.players))
    cells = list(product(*(range(size) for size in sizes)))
    if len(cells) > MOST:
        return
    told = [(cell, view.value(variable.name, *cell)) for cell in cells]
    words = [(_of(variable.kinds, cell, view), _said(variable, value, view)) for cell, value in told]
    if any(said != HIDDEN for _, said in words):
        yield "Now: " + "; ".join(f"{of} {said}" if of else said for of, said in words) + "."


def _said(variable: Variable, value: int | None, view: View) -> str:
    if value is None:
        return HIDDEN
    if variable.type.shape == "set" and value.bit_count() > MOST:
        return f"{value.bit_count()} {view.program.kind_by_name[variable.type.kind].plural}"
    return str(value) if variable.resource else view.wording.value(variable.type, value)


def _of(kinds: tuple[str, ...], cell: tuple[int, ...], view: View) -> str:
    return ", ".join(view.wording.title(kind, i) for kind, i in zip(kinds, cell, strict=True))


def _measure(one: Measure, view: View) -> Iterator[str]:
    """A quantity of nothing or of each player."""
    if one.kinds not in ((), (PLAYER,)):
        return
    if one.query < 0:
        yield f"Always {one.value}."
        return
    cells = [()] if not one.kinds else [(seat,) for seat in range(len(view.players))]
    values = [(_of(one.kinds, cell, view), view.compute(one.query, *cell)) for cell in cells]
    if any(value is not None for _, value in values):
        yield "Now: " + "; ".join(f"{of} {HIDDEN if value is None else value}".strip() for of, value in values) + "."


# --- things --------------------------------------------------------------------------------------------


def _thing(kind: str, index: int, view: View) -> Iterator[str]:
    """Where it lies, and what the panels say of it."""
    yield from _holders(kind, index, view)
    name = view.program.kind_by_name[kind].things[index].name
    yield from (line for panel in view.panels() for line in _on_panel(panel, name))


def _instead(name: str, view: View) -> Thing | None:
    """The thing that counts now in place of the one that has this name."""
    for kind in view.program.kinds:
        for index, thing in enumerate(kind.things):
            if thing.name == name and kind.name != RESOURCE:
                current = Substitutes(view.program, view.known_state(), view.seat).of(kind.name, index)
                return current.thing if current is not None else None
    return None


def _holders(kind: str, index: int, view: View) -> Iterator[str]:
    """The titled places it is in: `Ann's governor`, `the destiny`; of sets, those that are logged for everybody."""
    for variable in view.program.variables:
        told = variable.type.shape == "thing" or variable.type.shape == "set" and not variable.quiet
        if variable.type.kind != kind or not told or variable.title in ("", variable.name):
            continue
        for cell in product(*(range(size) for size in sizes_for(variable, len(view.players)))):
            value = view.value(variable.name, *cell)
            there = value == index if variable.type.shape == "thing" else value is not None and index in seats_in(value)
            if there:
                of = _of(variable.kinds, cell, view)
                yield f"Now: {of}'s {variable.title}." if of else f"Now: the {variable.title}."


def _on_panel(panel: PanelView, name: str) -> Iterator[str]:
    for row in panel.rows:
        told = columns(panel, row) if row.key == name else ""
        yield from [told] if told else []
    marked = [grid.player for grid in panel.grids if _marked(grid, name)]
    if marked and panel.mark:
        yield f"{capitalize(panel.mark)}: {join_words(marked)}."


def columns(panel: PanelView, row: Row) -> str:
    """A row of a panel in one sentence: `Gold: 3; Dice: 2 4`; nothing of what is empty."""
    empty = ("", gettext(NONE), gettext(NOBODY))
    told = [f"{head}: {text}" for head, text in zip(panel.header, row.cells, strict=True) if text not in empty]
    told += [panel.mark] if row.marked and panel.mark else []
    return f"{'; '.join(told)}." if told else ""


def _marked(grid: Grid, name: str) -> bool:
    return any(one.key == name and one.marked for line in grid.cells for place in line for one in place)
