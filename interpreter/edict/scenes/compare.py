"""Facts of a scene against the state of its game: whatever is not as the scene says is a difference."""

from __future__ import annotations

from dataclasses import dataclass, field

from edict.program import Program, Type, opcodes as o
from edict.program.cells import value_at
from edict.report import RulesError
from edict.table.addresses import PLAYER, Layout
from edict.table.log_entries import Entry
from edict.table.log import Teller
from edict.table.options import Options
from edict.table.knowledge import compute
from edict.scenes.scene_facts import Facts
from edict.scenes.scene_files import Scene
from edict.scenes.scene_vocabulary import Words
from edict.table.carry_over import readings
from edict.text import Span

_PLAYERS = Type("set", PLAYER)


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that is not as the scene says; `help` where the scene lacks something."""

    what: str
    expected: str
    found: str
    span: Span
    help: str = ""


@dataclass
class Compared:
    """A scene, the state and events of its game, and what differs."""

    scene: Scene
    program: Program
    layout: Layout
    words: Words
    state: list[int]
    before: list[int] = field(init=False)
    options: Options = field(init=False)
    events: list[int] = field(init=False, default_factory=list)
    differences: list[Difference] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self.before = self.state.copy()
        self.options = Options(self.program, self.words.wording)

    def differs(self, what: str, expected: str, found: str, span: Span) -> None:
        self.differences.append(Difference(what, expected, found, span))

    def compare(self, facts: Facts) -> None:
        """The facts against the state as it is."""
        state, words = self.state, self.words
        for fact in facts.values:
            found = value_at(fact.spot.variable.type, state, fact.spot.address)
            if found != fact.value:
                type_ = fact.spot.variable.type
                self.differs(words.label(fact.spot), words.text(type_, fact.value), words.text(type_, found), fact.span)
        self.compare_quantities(facts)
        for known in facts.knows:
            does = bool(state[known.spot.known] >> known.seat & 1)
            if does != known.does:
                told = [f"{words.players[known.seat]} {'knows' if x else 'does not know'}" for x in (known.does, does)]
                self.differs(words.label(known.spot), told[0], told[1], known.span)
        self.compare_end(facts)
        self.compare_lines(facts)
        if facts.unchanged is not None:
            self.compare_rest(facts, facts.unchanged)

    def compare_quantities(self, facts: Facts) -> None:
        for one in facts.measured:
            query, what = one.measure.query, self.words.labelled(one.measure, one.of)
            try:
                found = compute(self.program, self.state, query, *one.of) if query >= 0 else one.measure.value
            except RulesError as fault:
                self.differs(what, str(one.value), fault.diagnostics[0].title, one.span)
                continue
            if found != one.value:
                self.differs(what, str(one.value), str(found), one.span)

    def compare_end(self, facts: Facts) -> None:
        state, words = self.state, self.words
        over = state[o.STATUS] == o.GAME_OVER
        if facts.over is not None and facts.over[0] != over:
            told = ["the game is over" if x else "the game continues" for x in (facts.over[0], over)]
            self.differs("the end", told[0], told[1], facts.over[1])
        if facts.winners is not None:
            mask = sum(1 << seat for seat in facts.winners[0])
            found = words.text(_PLAYERS, state[o.WINNERS]) if over else "the game is not over"
            if not over or state[o.WINNERS] != mask:
                self.differs("winners", words.text(_PLAYERS, mask), found, facts.winners[1])

    def compare_lines(self, facts: Facts) -> None:
        """Lines of the log: those expected of one reader stand in this order."""
        after: dict[int | None, int] = {}
        for line in facts.lines:
            texts = [entry.text for entry in self.read(line.seat)]
            start = after.get(line.seat, 0) if line.there else 0
            meant = {reading.casefold() for reading in readings(line.text, self.words.renamed)}
            there = (i for i in range(start, len(texts)) if any(text in texts[i].casefold() for text in meant))
            place = next(there, None)
            who = "the log" if line.seat is None else f"the log {self.words.players[line.seat]} reads"
            if line.there and place is None:
                self.differs(who, f"`{line.text}`", "no such line", line.span)
            elif not line.there and place is not None:
                self.differs(who, f"no `{line.text}`", f"`{texts[place]}`", line.span)
            elif place is not None:
                after[line.seat] = place + 1

    def read(self, seat: int | None) -> list[Entry]:
        """The log, as one player may read it or as it is."""
        if seat is None:
            return self.log()
        return [seen for entry in self.log() if (seen := entry.seen_by(seat)) is not None]

    def log(self) -> list[Entry]:
        teller = Teller(self.program, self.layout, self.words.wording, self.options, self.before)
        return teller.tell(self.events)

    def compare_rest(self, facts: Facts, span: Span) -> None:
        """Nothing else that people see may have changed."""
        said = {fact.spot.address for fact in facts.values}
        for cell in self.layout.whole:
            old, new = cell.value(self.before), cell.value(self.state)
            if old != new and not cell.variable.quiet and cell.address not in said:
                spot, type_ = self.words.spot(cell.variable, cell.of), cell.variable.type
                self.differs(self.words.label(spot), self.words.text(type_, old), self.words.text(type_, new), span)
