"""The calendar of a game: edges of phases and routines, moments and other events in order, and whose turn it is.

The round of a game is the phases that recur, in order: what the loops of the course play, or all it plays if it has no
loops. A round that consists of one phase, such as a year, is replaced by what this phase plays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, field, replace

from edict.compiler.english.block_phrases import outline_block, select_described_steps
from edict.compiler.semantics.ability_targets import MEMBERSHIP_EDGES, STEP_EDGES
from edict.compiler.semantics.call_graph import collect_handlers, expand_group, iter_callees_of_node
from edict.compiler.semantics.link import LinkedBook
from edict.compiler.semantics.symbols import ResolvedBook, definition_of, keep_of, list_event_params, split_parts
from edict.compiler.semantics.whose_turn import gives_turns
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import format_event
from edict.compiler.syntax.roles import Role, iter_role_values, iter_run_names
from edict.compiler.syntax.traversal import iter_fields
from edict.runtime.program import Stage
from edict.support.morphology import spell_name, split_title
from edict.support.records import dataclass

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
    for definition in linked.resolved.book.select(t.Moment):
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


MIN_STAGES = 2


@dataclass(frozen=True, slots=True)
class _PlayedPhase:
    phase: t.Phase
    sometimes: bool
    again: bool  # in a loop


def list_stages(linked: LinkedBook) -> tuple[Stage, ...]:
    """Return the stages of the round in order; empty if there is only one."""
    r = linked.resolved
    played = _list_titled_phases(r, linked.game.course)
    recurring = [phase for phase in played if phase.again]
    phases = recurring or played
    while len(phases) == 1:
        phases = _list_phases_in(r, phases[0].phase)
    all_stages = (replace(_make_stage(r, phase), within=_list_inner_stages(r, phase.phase)) for phase in phases)
    return tuple(all_stages) if len(phases) >= MIN_STAGES else ()


def _list_inner_stages(r: ResolvedBook, phase: t.Phase) -> tuple[Stage, ...]:
    """Return the stages within a phase; if it always plays a single phase, those within that one, too."""
    phases = _list_phases_in(r, phase)
    unconditional = [played for played in phases if not played.sometimes]
    if len(unconditional) == 1 and _list_phases_in(r, unconditional[0].phase):
        phases = [*(played for played in phases if played.sometimes), *_list_phases_in(r, unconditional[0].phase)]
    return tuple(_make_stage(r, played) for played in phases)


def _make_stage(r: ResolvedBook, played: _PlayedPhase) -> Stage:
    """Return the stage for a played phase, with its title and description."""
    phase = played.phase
    return Stage(phase.name.word, split_title(phase.title)[0], _describe_phase(r, phase), played.sometimes)


def _describe_phase(r: ResolvedBook, phase: t.Phase) -> str:
    """Return the sentences about a phase's own steps, without those that play other phases and without headings."""
    own_steps = tuple(
        step for step in select_described_steps(r, phase.block) if not any(_iter_played_phases(r, step, set()))
    )
    return " ".join(line.text for line in outline_block(r, own_steps) if line.text and not line.text.endswith(":"))


def _list_phases_in(r: ResolvedBook, phase: t.Phase) -> list[_PlayedPhase]:
    """Return the titled phases that a phase plays, in order of first occurrence."""
    return _list_titled_phases(r, phase.block)


def _list_titled_phases(r: ResolvedBook, block: Iterable[t.Node]) -> list[_PlayedPhase]:
    """Return the phases played in a block in order of first occurrence; for one without a title, those it plays."""
    phases: dict[t.Phase, _PlayedPhase] = {}
    seen = set[t.Node]()
    stack = [iter([inner_phase for step in block for inner_phase in _iter_played_phases(r, step, seen)])]
    while stack:
        played = next(stack[-1], None)
        if played is None:
            stack.pop()
        elif played.phase.title:
            phases.setdefault(played.phase, played)
        elif played.phase not in seen:
            seen.add(played.phase)
            inner = [inner_phase for step in played.phase.block for inner_phase in _iter_played_phases(r, step, seen)]
            stack.append(iter([_inherit_flags(inner_phase, played) for inner_phase in inner]))
    return list(phases.values())


def _inherit_flags(inner: _PlayedPhase, outer: _PlayedPhase) -> _PlayedPhase:
    """Return an inner phase that is optional or recurs (`sometimes`, `again`) if the outer one does."""
    return replace(inner, sometimes=inner.sometimes or outer.sometimes, again=inner.again or outer.again)


def _iter_played_phases(
    r: ResolvedBook, node: object, seen: set[t.Node], sometimes: bool = False, in_loop: bool = False
) -> Iterator[_PlayedPhase]:
    """Yield the phases that a step plays, also through routines, which are each walked once and added to `seen`."""
    if isinstance(node, tuple):
        for part in node:
            yield from _iter_played_phases(r, part, seen, sometimes, in_loop)
    elif not isinstance(node, t.Node):
        return
    elif node in r.expansions:
        yield from _iter_played_phases(r, r.expansions[node], seen, sometimes, in_loop)
    elif isinstance(node, t.Stmt) and any(iter_run_names(node, "phase")):
        phase = next(iter(iter_callees_of_node(r, node)), None)
        if isinstance(phase, t.Phase):
            yield _PlayedPhase(phase, sometimes, in_loop)
    else:
        loop = isinstance(node, t.Loop)
        perhaps = sometimes or not loop and any(iter_role_values(node, Role.DECIDES))
        for part in iter_callees_of_node(r, node) if isinstance(node, t.Stmt) else ():
            if isinstance(part, t.Routine) and part not in seen:
                seen.add(part)
                yield from _iter_played_phases(r, part.block, seen, perhaps, in_loop)
        for _, value in iter_fields(node):
            yield from _iter_played_phases(r, value, seen, perhaps, in_loop or loop)
