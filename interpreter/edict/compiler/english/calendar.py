"""The calendar of a game: edges of phases and routines, moments and other events in order, and whose turn it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace

from edict.compiler.semantics.ability_targets import MEMBERSHIP_EDGES, STEP_EDGES
from edict.compiler.semantics.call_graph import collect_handlers, expand_group, iter_callees_of_node
from edict.compiler.semantics.link import LinkedBook
from edict.compiler.semantics.symbols import ResolvedBook, definition_of, keep_of, list_event_params, split_parts
from edict.compiler.semantics.whose_turn import gives_turns
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import format_event
from edict.compiler.syntax.roles import Role, iter_role_values, iter_run_names
from edict.compiler.syntax.traversal import iter_fields
from edict.support.morphology import spell_name, split_title

# the edge ("start", "end", or "" for a moment) and the name
EventKey = tuple[str, str]


_CHANGES: dict[type, tuple[str, ...]] = {t.Add: MEMBERSHIP_EDGES[:1], t.Remove: MEMBERSHIP_EDGES[1:]}


@dataclass(frozen=True, slots=True)
class CalendarEntry:
    """An event of a game that rules may wait for."""

    name: str
    # start | end of a phase or routine, joining | leaving a set, gaining | losing a resource, empty for a moment
    edge: str
    title: str
    depth: int = 0  # in how many phases it lies
    values: tuple[tuple[str, str], ...] = ()  # names and sorts of its parameters
    turn: bool = False  # whether it comes in some player's turn
    nobody: bool = False  # whether it comes in nobody's turn

    @property
    def line(self) -> str:
        """The first line of an ability that waits for it."""
        return f"when {format_event(self.name, self.edge)}"

    @property
    def sort(self) -> str:
        """Its sort among search results, always "moment"."""
        return "moment"

    @property
    def display_title(self) -> str:
        """Its title, or else its name spelled out."""
        return self.title or spell_name(self.name)

    @property
    def description(self) -> str:
        """Its time and its parameters, in English."""
        values = ", ".join(name for name, _ in self.values)
        return format_event(self.display_title, self.edge) + (f", with {values}" if values else "")


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the rules that is being walked through, or an entry that has come up."""

    what: object
    turn: bool  # in a player's turn
    depth: int  # in how many phases

    def replace_content(self, what: object) -> _Part:
        """Return the part with other content, in the same turn and at the same depth."""
        return replace(self, what=what)


def to_data(entry: CalendarEntry) -> dict[str, object]:
    """Return an entry for JSON."""
    return {"line": entry.line, **asdict(entry), "values": dict(entry.values)}


def build_calendar(linked: LinkedBook) -> tuple[CalendarEntry, ...]:
    """Return all entries in the order in which they can first come; moments that no rule triggers come last."""
    walker = _CourseWalker(linked.resolved)
    walker.walk(_Part(linked.game.course, False, 0))
    for definition in linked.resolved.book.definitions.values():
        if isinstance(definition, t.Moment):
            walker.entries.setdefault(("", definition.name.word), _make_entry(walker.resolved, definition))
    return tuple(walker.entries.values())


@dataclass
class _CourseWalker:
    """A walk through the course as it is played, each part once in a player's turn and once outside."""

    resolved: ResolvedBook
    entries: dict[EventKey, CalendarEntry] = field(default_factory=dict)
    seen: set[tuple[object, bool]] = field(default_factory=set)

    def walk(self, course: _Part) -> None:
        """Walk through a course depth first and add its entries to `entries`."""
        stack = [iter([course])]
        while stack:  # no recursion: chains of calls may be long
            part = next(stack[-1], None)
            if part is None:
                stack.pop()
            elif isinstance(part.what, CalendarEntry):
                self.add_entry(part.what, part)
            else:
                stack.append(self.expand(part))

    def expand(self, part: _Part) -> Iterator[_Part]:
        """Yield what is in a part, in order."""
        node = part.what
        if isinstance(node, tuple):
            yield from map(part.replace_content, node)
        elif node in self.resolved.expansions:
            yield part.replace_content(self.resolved.expansions[node])
        elif isinstance(node, t.Stmt) and any(iter_run_names(node, "phase")):
            yield from self.expand_phase(node, part)
        elif isinstance(node, t.Node) and not isinstance(node, t.Name):
            yield from self.expand_step(node, part)

    def expand_step(self, node: t.Node, part: _Part) -> Iterator[_Part]:
        """Yield a step's parts and what it calls; the block of `each player` is somebody's turn."""
        starts_turn = gives_turns(self.resolved, node)
        for name, value in iter_fields(node):
            yield replace(part, what=value, turn=part.turn or (starts_turn and name == "block"))
        for callee in iter_callees_of_node(self.resolved, node) if isinstance(node, t.Stmt) else ():
            yield from self.enter(callee, part)
        for keep in (keep_of(self.resolved, place) for place in iter_role_values(node, Role.CHANGED)):
            if isinstance(keep, t.Keep) and keep in self.resolved.event_params and not keep.secret:
                edges = _CHANGES.get(type(node), MEMBERSHIP_EDGES)
                yield from (part.replace_content(_make_entry(self.resolved, keep, edge)) for edge in edges)
        if type(node) in STEP_EDGES and isinstance(node, t.Stmt):
            yield from map(part.replace_content, self.iter_move_entries(node))

    def iter_move_entries(self, node: t.Stmt) -> Iterator[CalendarEntry]:
        """Yield the gains and losses of the resources that a step names."""
        parts = (part for bundle in iter_role_values(node, Role.MOVED) for part in split_parts(self.resolved, bundle))
        names = (part.what for part in parts if isinstance(part, t.Part))
        for definition in (definition_of(self.resolved, name) for name in names):
            for resource in expand_group(self.resolved, definition) if definition is not None else ():
                values = (("player", "player"), ("amount", "number"))
                for edge in STEP_EDGES[type(node)]:
                    yield CalendarEntry(resource.name.word, edge, split_title(resource.title)[0], values=values)

    def enter(self, callee: t.Node, part: _Part) -> Iterator[_Part]:
        """Yield what a callee brings, once; abilities of what a player owns happen in that player's turn."""
        if isinstance(callee, t.Moment):
            yield part.replace_content(_make_entry(self.resolved, callee))
        turn = part.turn or callee in collect_handlers(self.resolved).owned
        if isinstance(callee, t.Routine):
            yield part.replace_content(_make_entry(self.resolved, callee, "start"))
        if isinstance(callee, t.Routine | t.Action | t.Ability | t.FieldValue) and self.mark_visit(callee, turn):
            yield _Part(tuple(value for _, value in iter_fields(callee)), turn, part.depth)
        if isinstance(callee, t.Routine):
            yield part.replace_content(_make_entry(self.resolved, callee, "end"))

    def expand_phase(self, play: t.Stmt, part: _Part) -> Iterator[_Part]:
        """Yield a phase's start, its steps, its end, and what waits for them."""
        phase, *handlers = iter_callees_of_node(self.resolved, play)
        if not isinstance(phase, t.Phase) or not self.mark_visit(phase, part.turn):
            return
        name, title, below = phase.name.word, split_title(phase.title)[0], replace(part, depth=part.depth + 1)
        for edge, block in (("start", phase.block), ("", ()), ("end", ())):
            if edge:
                yield part.replace_content(CalendarEntry(name, edge, title))
            for handler in handlers:
                if getattr(handler, "edge", "") == edge:
                    yield from self.enter(handler, below)
            yield below.replace_content(block)

    def mark_visit(self, node: t.Node, turn: bool) -> bool:
        """Record that a node was walked in or outside of a turn, and return True if it is new."""
        is_new = (node, turn) not in self.seen
        self.seen.add((node, turn))
        return is_new

    def add_entry(self, moment: CalendarEntry, part: _Part) -> None:
        """Add an entry, or update in whose turn a known one comes."""
        key = (moment.edge, moment.name)
        old = self.entries.get(key, replace(moment, depth=part.depth))
        self.entries[key] = replace(old, turn=old.turn or part.turn, nobody=old.nobody or not part.turn)


def _make_entry(resolved: ResolvedBook, moment: t.Moment | t.Routine | t.Keep, edge: str = "") -> CalendarEntry:
    """Return the entry for an event of a definition, with its title and the parameters that come with it."""
    values = tuple((param.name.word, param.kind.word) for param in list_event_params(resolved, moment))
    return CalendarEntry(moment.name.word, edge, split_title(moment.title)[0], values=values)


def find_entries(entries: tuple[CalendarEntry, ...], words: str) -> Iterator[CalendarEntry]:
    """Yield the entries in whose names, titles and parameters all the words occur."""
    wanted_words = words.casefold().split()
    for entry in entries:
        text = " ".join((entry.line, entry.title, *(name for pair in entry.values for name in pair))).casefold()
        if all(word in text for word in wanted_words):
            yield entry
