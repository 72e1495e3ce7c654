"""The calendar of a game: when phases begin and end and which moments come, in order, and who is `you` there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace

from edict.compiler.semantics.ability_targets import MOVES, PASSING
from edict.compiler.semantics.call_graph import called, calls, moved
from edict.compiler.semantics.link import Linked
from edict.compiler.semantics.symbols import Resolved, brought, definition_of, keep_of, parts_of
from edict.compiler.semantics.whose_turn import gives_turns
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import awaited
from edict.compiler.syntax.roles import Role, having, runs
from edict.compiler.syntax.walking import parts
from edict.support.morphology import spell_name, split_title

Key = tuple[str, str]
"""The edge (start, end, or nothing for a moment) and the name."""


_CHANGES: dict[type, tuple[str, ...]] = {t.Add: PASSING[:1], t.Remove: PASSING[1:]}


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that comes in a game, and that rules may wait for.

    edge: `start` or `end` of a phase or routine, `joining` or `leaving` a set, `gaining` or `losing` a resource,
    nothing for a moment. depth: in how many phases it lies. values: names and sorts of what comes along. turn, nobody:
    whether it comes in some player's turn, and whether in nobody's.
    """

    name: str
    edge: str
    title: str
    depth: int = 0
    values: tuple[tuple[str, str], ...] = ()
    turn: bool = False
    nobody: bool = False

    @property
    def line(self) -> str:
        """The line with which a rule begins that waits for it."""
        return f"when {awaited(self.name, self.edge)}"

    @property
    def sort(self) -> str:
        """What it is, for those who look for it."""
        return "moment"

    @property
    def called(self) -> str:
        """Its title, or else its name in words."""
        return self.title or spell_name(self.name)

    @property
    def meaning(self) -> str:
        """When it comes, and with what, in English."""
        values = ", ".join(name for name, _ in self.values)
        return awaited(self.called, self.edge) + (f", with {values}" if values else "")


@dataclass(frozen=True, slots=True)
class _Part:
    """Something that is gone through, or a moment that has come, in a player's turn or not, so many phases deep."""

    what: object
    turn: bool
    depth: int

    def with_(self, what: object) -> _Part:
        return replace(self, what=what)


def as_data(one: Moment) -> dict[str, object]:
    """A moment, for programs."""
    return {"line": one.line, **asdict(one), "values": dict(one.values)}


def calendar(linked: Linked) -> tuple[Moment, ...]:
    """All that comes, in the order in which it first can; what nothing in the rules brings about comes last."""
    walk = _Walk(linked.resolved)
    walk.through(_Part(linked.game.course, False, 0))
    for definition in linked.resolved.book.definitions.values():
        if isinstance(definition, t.Moment):
            walk.found.setdefault(("", definition.name.word), _moment(walk.resolved, definition))
    return tuple(walk.found.values())


@dataclass
class _Walk:
    """Goes through the course as it is played, each stretch once in a player's turn and once outside."""

    resolved: Resolved
    found: dict[Key, Moment] = field(default_factory=dict)
    seen: set[tuple[object, bool]] = field(default_factory=set)

    def through(self, course: _Part) -> None:
        waiting = [iter([course])]
        while waiting:  # not by calls of itself: what does what may be a long chain
            part = next(waiting[-1], None)
            if part is None:
                waiting.pop()
            elif isinstance(part.what, Moment):
                self.note(part.what, part)
            else:
                waiting.append(self.within(part))

    def within(self, part: _Part) -> Iterator[_Part]:
        """What is in a part, in order."""
        node = part.what
        if isinstance(node, tuple):
            yield from map(part.with_, node)
        elif node in self.resolved.full:
            yield part.with_(self.resolved.full[node])
        elif isinstance(node, t.Stmt) and any(runs(node, "phase")):
            yield from self.phase(node, part)
        elif isinstance(node, t.Node) and not isinstance(node, t.Name):
            yield from self.step(node, part)

    def step(self, node: t.Node, part: _Part) -> Iterator[_Part]:
        """A step and what it sets going; the block of `each player` is somebody's turn."""
        gives = gives_turns(self.resolved, node)
        for name, value in parts(node):
            yield replace(part, what=value, turn=part.turn or (gives and name == "block"))
        for one in called(self.resolved, node) if isinstance(node, t.Stmt) else ():
            yield from self.into(one, part)
        for keep in (keep_of(self.resolved, place) for place in having(node, Role.CHANGED)):
            if isinstance(keep, t.Keep) and keep in self.resolved.passing and not keep.secret:
                edges = _CHANGES.get(type(node), PASSING)
                yield from (part.with_(_moment(self.resolved, keep, edge)) for edge in edges)
        if type(node) in MOVES and isinstance(node, t.Stmt):
            yield from map(part.with_, self.moved(node))

    def moved(self, node: t.Stmt) -> Iterator[Moment]:
        """The gains and losses of what a step names."""
        parts = (part for bundle in having(node, Role.MOVED) for part in parts_of(self.resolved, bundle))
        named = (part.what for part in parts if isinstance(part, t.Part))
        for definition in (definition_of(self.resolved, name) for name in named):
            for one in moved(self.resolved, definition) if definition is not None else ():
                values = (("player", "player"), ("amount", "number"))
                for edge in MOVES[type(node)]:
                    yield Moment(one.name.word, edge, split_title(one.title)[0], values=values)

    def into(self, one: t.Node, part: _Part) -> Iterator[_Part]:
        """What is set going, each once; what a player owns happens in that player's turn."""
        if isinstance(one, t.Moment):
            yield part.with_(_moment(self.resolved, one))
        turn = part.turn or one in calls(self.resolved).owned
        if isinstance(one, t.Routine):
            yield part.with_(_moment(self.resolved, one, "start"))
        if isinstance(one, t.Routine | t.Action | t.Ability | t.FieldValue) and self.first(one, turn):
            yield _Part(tuple(value for _, value in parts(one)), turn, part.depth)
        if isinstance(one, t.Routine):
            yield part.with_(_moment(self.resolved, one, "end"))

    def phase(self, play: t.Stmt, part: _Part) -> Iterator[_Part]:
        """Its start, its steps, its end, and what waits for them."""
        phase, *waiting = called(self.resolved, play)
        if not isinstance(phase, t.Phase) or not self.first(phase, part.turn):
            return
        name, title, below = phase.name.word, split_title(phase.title)[0], replace(part, depth=part.depth + 1)
        for edge, block in (("start", phase.block), ("", ()), ("end", ())):
            if edge:
                yield part.with_(Moment(name, edge, title))
            for one in waiting:
                if getattr(one, "edge", "") == edge:
                    yield from self.into(one, below)
            yield below.with_(block)

    def first(self, node: t.Node, turn: bool) -> bool:
        new = (node, turn) not in self.seen
        self.seen.add((node, turn))
        return new

    def note(self, moment: Moment, part: _Part) -> None:
        """That it comes here; of what was noted already, whose turn it is now."""
        key = (moment.edge, moment.name)
        old = self.found.get(key, replace(moment, depth=part.depth))
        self.found[key] = replace(old, turn=old.turn or part.turn, nobody=old.nobody or not part.turn)


def _moment(resolved: Resolved, moment: t.Moment | t.Routine | t.Keep, edge: str = "") -> Moment:
    values = tuple((param.name.word, param.kind.word) for param in brought(resolved, moment))
    return Moment(moment.name.word, edge, split_title(moment.title)[0], values=values)


def matching(moments: tuple[Moment, ...], words: str) -> Iterator[Moment]:
    """Those in whose names, titles and values all the words are found."""
    wanted = words.casefold().split()
    for one in moments:
        text = " ".join((one.line, one.title, *(name for pair in one.values for name in pair))).casefold()
        if all(word in text for word in wanted):
            yield one
