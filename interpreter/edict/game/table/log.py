"""The machine's events as lines people can read, each with the rule that caused it.

Who may read a line follows from who knew the value at that moment, so the teller follows the state
along the events: a value hidden when it was set stays hidden in the log though it was shown later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from edict.game.table.addresses import PLAYER, Cell, Event, Layout, events_of, seats_in, whole
from edict.game.table.faults import log_too_long
from edict.game.table.game_steps import Step
from edict.game.table.log_entries import (
    CHANGE,
    CHOICE,
    GAIN,
    LOOK,
    LUCK,
    PHASE,
    ROLLED,
    SAID,
    SHOWN,
    SHUFFLE,
    Change,
    Entry,
    Look,
    PhaseTotals,
    Place,
    Term,
    Won,
    place_in,
)
from edict.game.table.options import Options, is_roll
from edict.game.table.wording import BARE, NO, NONE, Wording, agreed
from edict.runtime.program import Cause, Program, Type, Variable
from edict.runtime.program.cells import joined, parts_of, put
from edict.runtime.program.opcodes import (
    APART,
    ASK,
    BACK,
    CALLED,
    CHANCE,
    DECLINE,
    EV_CHOICE,
    EV_ENTER,
    EV_LEAVE,
    EV_SAY,
    EV_SET,
    EV_TERM,
    EVERYONE,
    HEARD,
    HUSHED,
    SCRATCH,
)
from edict.support.morphology import capitalize, join_words, run_on, with_the
from edict.support.translations import gettext

PLAYER_TYPE = Type("thing", PLAYER)
LONGEST_LOG = 2_000_000  # characters; the longest games of what ships have 50,000


@dataclass(frozen=True, slots=True)
class News:
    """The step that an entry is about: its place in the rules, and the cell that it changes or shows (None: neither).

    `public`: everyone may read the entry.
    """

    place: Place
    cell: Cell | None
    public: bool

    @property
    def name(self) -> str:
        """The name of the variable, as `Reasons.reports` has it."""
        return self.cell.variable.name if self.cell is not None else ""


class Teller:
    """Logs events in the order they happened; `cells` is the state of variables up to there."""

    def __init__(self, program: Program, layout: Layout, wording: Wording, options: Options, state: list[int]) -> None:
        self.program = program
        self.layout = layout
        self.wording = wording
        self.options = options
        self.cells = state.copy()
        self._whole = CellCombiner(program, layout)
        self.everyone = state[EVERYONE]
        self.phases: list[str] = []
        self._said: list[str] = []
        self._subject = CHANCE  # the player whose name begins what is being said
        self._number: int | None = None  # said last, if it was one
        self._terms: list[Term] = []
        self._news: News | None = None  # of the entry being told
        self._reports = reported_steps(program)
        self._totals = PhaseTotals()
        self._length = 0  # characters told so far
        self._things = {thing.name for kind in program.kinds for thing in kind.things}
        self._callers: list[Cause | None] = []  # the cards for which routines and effects are being carried out
        self._calls = 0  # how many effects have been carried out for no other card
        self._hushed: list[Cause] = []  # steps that a secret decides about, in which others are being carried out
        self._veiled = False  # whether those who do not see the change at hand are told of it
        self._bag_told = False  # whether what was shown last is told already, being in the same bag

    def tell(self, numbers: Sequence[int], step: int = 0) -> list[Entry]:
        """The entries for a sequence of events, five numbers each; `step` is the number of answers before them.

        Raises `RulesError` where the log of a game would become longer than anybody reads.
        """
        events = events_of(numbers)
        entries: list[Entry] = []
        news: list[News | None] = []  # of each entry
        first = 0
        there = self._whole(self.cells, events)
        marks = Marks(self.layout, there)
        for place, before, event, after in neighbours(there):
            self._veiled = place in marks.telling
            entry = self._counted(self._one(event, before, after))
            if entry is not None and before is not None and self._same_roll(before, event):
                last = entries[-1]
                entries[-1] = replace(last, text=f"{last.text} {entry.words}", words=f"{last.words} {entry.words}")
            elif entry is not None:
                while entries and self._takes_in(entry, event, entries[-1], news[-1]):
                    taken = entries.pop()
                    news.pop()
                    first = (taken.at or (step, first))[1]
                    entry = replace(entry, changes=taken.changes + entry.changes)
                entries.append(replace(entry, at=(step, first, place)))
                news.append(self._news)
                self._news = None
            if entry is not None:
                first = place + 1
        return entries

    def _takes_in(self, entry: Entry, event: Event, last: Entry, news: News | None) -> bool:
        """Return True if an entry tells all of the last one: what was put there is shown, or its step is reported."""
        if news is None:
            return False
        if entry.kind == SHOWN:
            return self._news is not None and news.cell is self._news.cell and last.kind != GAIN
        if entry.kind != SAID or not news.public:
            return False
        return (news.place, news.name) in self._reports.get(place_in(self.program.cause_at(event[1])), ())

    def _counted(self, entry: Entry | None) -> Entry | None:
        """The entry, if the log has room for it."""
        if entry is not None:
            kept = len(entry.look.cells) // 4 if entry.look is not None else 0  # a cell takes less than a line
            self._length += len(entry.text) + len(entry.cause.title) + len(entry.veiled) + kept
            if self._length > LONGEST_LOG:
                raise log_too_long(entry.cause, LONGEST_LOG)
        return entry

    def _same_roll(self, before: Event, event: Event) -> bool:
        """Whether two events are dice of one throw, to be told in one line."""
        alike = before[0] == event[0] == EV_CHOICE and before[2:4] == event[2:4] and event[3] == CHANCE
        return alike and is_roll(self.program.questions[event[2]])

    def _one(self, event: Event, before: Event | None, after: Event | None) -> Entry | None:
        kind, pc, x, y, z = event
        if kind == EV_SET:
            return self._set(pc, x, y, z, before, after)
        if kind == EV_CHOICE:
            return self._choice(pc, x, y, z)
        if kind == EV_SAY:
            return self._say(pc, x, y)
        if kind == EV_TERM:
            self._terms.append(Term(self._quantity(x), y, z, self.program.cause_at(pc)))
            self._totals.took_part(self._terms[-1])
        elif kind == EV_ENTER:
            return self._enter(pc, x)
        elif kind == EV_LEAVE and self.phases:  # a game may begin in the middle of phases
            self.phases.pop()
            self._totals.leave()
        return None

    # --- phases and announcements

    def _enter(self, pc: int, number: int) -> Entry | None:
        name, title = self.program.phases[number]
        self.phases.append(title or name)
        self._totals.enter()
        return self._entry(PHASE, title, pc) if title not in ("", name) else None

    def _say(self, pc: int, number: int, value: int) -> Entry | None:
        part = self.program.says[number]
        if part.panel >= 0:
            return self._look(pc, part.panel)
        if not self._said:
            self._subject = value if part.type == PLAYER_TYPE else CHANCE
        text = agreed(part.text, self._number)
        self._said.append(self.wording.value(part.type, value, self._number) if part.type else text)
        self._number = value if part.type and part.type.shape == "number" else None
        if not part.last:
            return None
        text, self._said, self._number = run_on(self._said), [], None
        reports = frozenset(place for place, _ in self._reports.get(place_in(self.program.cause_at(pc)), ()))
        return replace(self._entry(SAID, text, pc), subject=self._subject, reports=reports) if text else None

    def _look(self, pc: int, panel: int) -> Entry:
        """A moment to look; the state is kept as it is, for each seat to see what it may."""
        look = Look(panel, tuple(self.cells[: self.program.working]), *self._totals.since())
        return replace(self._entry(LOOK, self.program.panels[panel].title, pc), look=look)

    # --- choices

    def _choice(self, pc: int, number: int, seat: int, value: int) -> Entry | None:
        """What was chosen; nothing where there was no choice, and nothing of how a deck was shuffled.

        Who could do no more than decline was not asked; it is logged if the rules have words for it. What is chosen in
        secret is logged in any case: the others must not notice that there was no choice.
        """
        self._terms.clear()
        question = self.program.questions[number]
        declined = value == DECLINE
        forced = was_forced(self.program, pc, number, seat)
        shuffled = seat == CHANCE and question.name == SHUFFLE
        unsaid = question.decline in ("", *BARE) if forced else not question.decline
        unsaid = (unsaid if declined else forced) and not (question.secret and forced and seat != CHANCE)
        if shuffled or unsaid:
            return None
        words = self.options.text(number, value)
        seats = frozenset([seat] if seat != CHANCE else []) if question.secret else None
        cause = self._named(self.program.causes[question.cause])
        phase = self.phases[-1] if self.phases else ""
        if seat == CHANCE:
            self._news = None if is_roll(question) else News(place_in(cause), None, not question.secret)
            text = f"{self._luck(number)}: {words}"
            return Entry(
                LUCK,
                text,
                cause,
                phase,
                seat,
                seats,
                openly=self._openly(cause),
                words=words,
                rolled=is_roll(question),
                question=number,
            )
        name = self.wording.players[seat]
        openly = self._openly(cause)
        veil = "" if openly is not None else f"{name} chooses in secret"
        if words == gettext(NO) and declined:
            words = _declined(self.options.prompt(question))
        elif words in map(gettext, BARE) or (question.domain == "number" or question.kind == PLAYER) and not declined:
            words = f"{self.options.prompt(question)} {words}"
        text = f"{name} has no choice: {words}" if forced else f"{name}: {words}"
        return Entry(
            CHOICE, text, cause, phase, seat, seats, veil, openly=openly, words=words, forced=forced, question=number
        )

    def _luck(self, number: int) -> str:
        question = self.program.questions[number]
        if is_roll(question):
            return ROLLED
        return "Drawn" if question.domain == "thing" else "Chance"

    # --- changes

    def _set(self, pc: int, x: int, old: int, new: int, before: Event | None, after: Event | None) -> Entry | None:
        cell = self.layout.cells.get(x)
        if cell is None and (marked := marked_by(self.layout, (EV_SET, pc, x, old, new))) is not None:
            return self._as_it_was(marked, pc, after)
        if cell is None and x == SCRATCH:
            self._marked(pc, new)
            return None
        if cell is None:
            self.cells[x] = new
        else:
            put(cell.variable.type, self.cells, x, new)
            self._count(cell, pc, new - old, after)
            return self._changed(cell, pc, old, new, after)
        watched = self.layout.watched.get(x)
        if watched is None or marked_by(self.layout, before) is watched or sets(before, watched.address):
            return None  # not a variable, or part of setting its value
        if sets_too(self.program, pc, after, watched.address):
            return None
        follows = before is not None and before[0] == EV_SET and in_one_bag(watched, self.layout.watched.get(before[2]))
        if follows and self._bag_told:
            return None
        shown = self._shown(watched, pc, new & ~old & self.everyone)
        self._bag_told = shown is not None
        return shown

    def _count(self, cell: Cell, pc: int, amount: int, after: Event | None) -> None:
        """Remember what a player won or lost, for the next moment to look."""
        variable = cell.variable
        if variable.resource and cell.owner != CHANCE and self._at_table(cell):
            seats, cause = self._knowers(cell, after), self._cause(pc)
            self._totals.changed(Won(cell.of[0], variable.name, variable.title, amount, "", cause, seats))

    def _changed(self, cell: Cell, pc: int, old: int, new: int, after: Event | None) -> Entry | None:
        variable = cell.variable
        if variable.quiet or not self._at_table(cell) or self._put_away(variable, new) and not self._veiled:
            return None
        seats = self._knowers(cell, after)
        self._news = News(place_in(self.program.cause_at(pc)), cell, seats is None)
        owner = self.wording.owners(cell)
        if variable.resource:
            amount = self.wording.counted(variable, abs(new - old))
            verb = "gains" if new > old else "spends" if self._cause(pc).pays else "loses"
            veiled = f"{capitalize(self._label(cell))}: unseen" if self._veiled else ""
            entry = self._entry(GAIN, f"{owner or 'The table'} {verb} {amount}", pc, cell.owner, seats, veiled)
            change = Change(variable.name, cell.of, new - old, True)
            return replace(entry, amount=amount, verb=verb, owner=owner, changes=(change,))
        there = whole(cell)
        label = capitalize(self._label(there) if there.of else variable.title)
        now = changed(self.wording, cell, old, new)
        veiled = f"{label}: unseen" if self._veiled else ""
        entry = self._entry(CHANGE, f"{label}: {now}", pc, cell.owner, seats, veiled)
        return replace(entry, changes=(Change(variable.name, cell.of, new, False),))

    def _as_it_was(self, cell: Cell, pc: int, after: Event | None) -> Entry | None:
        """A secret that rules have dealt with without changing it; others read the same as if it had changed."""
        seats = self._knowers(cell, after)
        if seats is None or not self._at_table(cell):
            return None
        there = whole(cell)
        label = capitalize(self._label(there) if there.of else there.variable.title)
        return self._entry(CHANGE, f"{label}: as it was", pc, cell.owner, seats, f"{label}: unseen")

    @staticmethod
    def _put_away(variable: Variable, value: int) -> bool:
        """A secret that is no more, such as a card discarded, is not worth a line."""
        return variable.known >= 0 and variable.type.optional and value < 0

    def _shown(self, cell: Cell, pc: int, newly: int) -> Entry | None:
        if not newly or cell.variable.quiet or not self._at_table(cell):
            return None
        value = cell.value(self.cells)
        if self._put_away(cell.variable, value):
            return None
        label = self._label(whole(cell))
        words = contents(self.wording, self.layout, self.cells, cell)
        now = self._mask(self.cells[cell.known])
        self._news = News(place_in(self.program.cause_at(pc)), cell, now is None)
        if now is None:
            return self._entry(SHOWN, f"{capitalize(label)} is revealed: {words}", pc, cell.owner)
        to = [self.wording.players[i] for i in seats_in(newly)]
        sight = f"{join_words(to)} {'sees' if len(to) == 1 else 'see'} {label}"
        return self._entry(SHOWN, f"{sight}: {words}", pc, cell.owner, now, sight)

    def _label(self, cell: Cell) -> str:
        """A value in mid-sentence: `the turn order`, `Ann's card`, `dice on (Ann, Oak)`."""
        owners, title = self.wording.owners(cell), cell.variable.title
        if not owners:
            return title if title[:1].isupper() else with_the(title)
        return f"{owners}'s {title.removeprefix('the ')}" if cell.variable.kinds == (PLAYER,) else f"{title} ({owners})"

    def _at_table(self, cell: Cell) -> bool:
        """Whether the players a cell is about take part."""
        pairs = zip(cell.variable.kinds, cell.of, strict=True)
        return all(i < len(self.wording.players) for kind, i in pairs if kind == PLAYER)

    def _knowers(self, cell: Cell, after: Event | None) -> frozenset[int] | None:
        """Who knows a value that was just set; the rules say so right after, unless it stays as it was.

        A secret of the whole table that nothing is said about counts as known to nobody.
        """
        if cell.known < 0:
            return None
        if after is not None and sets(after, cell.known):
            return self._mask(after[4])
        return self._mask(self.cells[cell.known]) if cell.of else frozenset()

    def _mask(self, known: int) -> frozenset[int] | None:
        known &= self.everyone
        return None if known == self.everyone else frozenset(seats_in(known))

    def _quantity(self, number: int) -> str:
        name, title = self.program.quantities[number]
        return title or name

    def _entry(
        self, kind: str, text: str, pc: int, seat: int = -1, seats: frozenset[int] | None = None, veiled: str = ""
    ) -> Entry:
        terms = tuple(dict.fromkeys(self._terms))
        self._terms.clear()
        phase = self.phases[-1] if self.phases else ""
        cause = self._cause(pc)
        openly = self._openly(cause)
        veil = veiled if seats is not None and openly is None else ""
        return Entry(kind, text, cause, phase, seat, seats, veil, terms, len(self.phases), openly, call=self._calls)

    def _cause(self, pc: int) -> Cause:
        return self._named(self.program.cause_at(pc))

    def _named(self, cause: Cause) -> Cause:
        """What a step is put down to: in a routine or an effect that a card carries out, the card."""
        caller = self._callers[-1] if self._callers else None
        return replace(cause, name=caller.name, title=caller.title) if caller is not None and cause.called else cause

    def _marked(self, pc: int, what: int) -> None:
        """From here on, or no longer, something is carried out for a card, or because of a secret."""
        if what == CALLED:
            cause = self._cause(pc)
            self._callers.append(cause if cause.name in self._things else None)
            self._calls += self._callers[-1] is None
        elif what == BACK and self._callers:  # a game may begin in the middle of it
            self._calls += self._callers.pop() is None
        openly = self._openly(self.program.cause_at(pc))
        if what == HUSHED and openly is not None:
            self._hushed.append(openly)
        elif what == HEARD and self._hushed:  # a game may begin in the middle of it
            self._hushed.pop()

    def _openly(self, cause: Cause) -> Cause | None:
        """Where a secret decides what happens: the step that begins with it, for those who must not notice which way
        it went."""
        if self._hushed:
            return self._hushed[0]
        return self.program.causes[cause.unseen] if cause.unseen >= 0 else None


def was_forced(program: Program, pc: int, question: int, seat: int) -> bool:
    """Whether somebody was not asked, as there was but one option."""
    return seat != CHANCE and program.code[pc] == ASK and program.code[pc + 1] == question


def unasked(options: Options, steps: Sequence[Step], seat: int) -> Iterator[str]:
    """What a seat did without being asked, since but one thing was possible; not what followed from its own choice,
    and not what it declined, which the log tells."""
    chooser = CHANCE
    for step in steps:
        for kind, pc, what, who, value in events_of(step.events):
            if kind == EV_ENTER:
                chooser = CHANCE
            if kind != EV_CHOICE or who == CHANCE:
                continue
            if who == seat != chooser and value != DECLINE and was_forced(options.program, pc, what, who):
                prompt = options.prompt(options.program.questions[what])
                yield f"You were not asked “{prompt}”: nothing but {options.text(what, value)} was possible."
            chooser = who


_NONE = {"which": "None", "what": "Nothing", "who": "Nobody", "whom": "Nobody", "how": "None", "where": "Nowhere"}


def _declined(prompt: str) -> str:
    """A question with the answer of who declines: `Which die? None`, `Reroll it? No`."""
    asked = next((word for word in prompt.casefold().split()[:2] if word in _NONE), "")
    return f"{prompt.removesuffix('.').removesuffix('?')}? {_NONE.get(asked, gettext(NO))}"


def reported_steps(program: Program) -> dict[Place, frozenset[tuple[Place, str]]]:
    """Return what each announcement reports, by its place: the places of steps, and the variables that they change."""
    found: dict[Place, set[tuple[Place, str]]] = {}
    for announcement, step, name in program.reasons.reports:
        place = place_in(program.causes[announcement])
        found.setdefault(place, set()).add((place_in(program.causes[step]), name))
    return {place: frozenset(reported) for place, reported in found.items()}


# --- events of several cells, and marks of secrets ------------------------------------------------------


class CellCombiner:
    """Combines the events of values that take several cells, for one program."""

    def __init__(self, program: Program, layout: Layout) -> None:
        self._layout = layout
        self._said = {i: say.type for i, say in enumerate(program.says) if say.type is not None and say.type.cells > 1}
        self._needed = bool(self._said) or any(variable.type.cells > 1 for variable in program.variables)

    def __call__(self, cells: Sequence[int], events: Sequence[Event]) -> list[Event | None]:
        """The events, each change of a value where its last cell changed, and None for the others.

        Changes of values that take several cells end with one of the cell SCRATCH. `cells`: the state before.
        """
        found: list[Event | None] = list(events)
        if not self._needed:
            return found
        now: dict[int, list[int]] = {}  # by the first cell of a value, what stands in all of them
        before, said = 0, list[int]()
        for place, (kind, pc, at, _, new) in enumerate(events):
            cell = self._layout.cells.get(at) if kind == EV_SET else None
            if kind == EV_SET and at == SCRATCH:
                found[place] = found[place] if new > 1 else None
            elif cell is not None and cell.variable.type.cells > 1:
                of, first = cell.variable.type, cell.address
                parts = now.setdefault(first, parts_of(of, cell.value(cells)))
                before = before if self._goes_on(cell, events, place - 1) else joined(of, parts)
                parts[at - first] = new
                ends = not self._goes_on(cell, events, place + 1)
                found[place] = (kind, pc, first, before, joined(of, parts)) if ends else None
            elif kind == EV_SAY and at in self._said:
                said.append(events[place][3])
                found[place] = None
                if len(said) == self._said[at].cells:
                    found[place] = (kind, pc, at, joined(self._said[at], said), 0)
                    said = []
        return found

    def _goes_on(self, cell: Cell, events: Sequence[Event], place: int) -> bool:
        """Whether this event, before or after the one at hand, is of the same change."""
        there = 0 <= place < len(events) and events[place][0] == EV_SET
        return there and self._layout.cells.get(events[place][2]) is cell


class Marks:
    """Where secrets are written: who does not see what is there is told so once, whether or not it has changed."""

    def __init__(self, layout: Layout, events: list[Event | None]) -> None:
        self._layout = layout
        self.telling: set[int] = set()  # places of the first change after each mark
        for place, event in enumerate(events):
            marked = marked_by(layout, event)
            first = self._change(events, place + 1, marked) if marked is not None else -1
            if first >= 0:
                self.telling.add(first)
                events[place] = None

    def _change(self, events: Sequence[Event | None], place: int, marked: Cell) -> int:
        """Where the marked value changes; -1 if it stays as it was."""
        for at in range(place, len(events)):
            event = events[at]
            if event is None:
                continue
            cell = self._layout.cells.get(event[2]) if event[0] == EV_SET else None
            if cell is not None and (cell is marked or in_one_bag(cell, marked)):
                return at
            if event[0] != EV_SET or event[2] not in self._layout.watched:
                return -1
        return -1


def marked_by(layout: Layout, event: Event | None) -> Cell | None:
    """The secret that is written next, if an event is a mark."""
    if event is None or event[0] != EV_SET or event[2] != SCRATCH or event[4] <= APART:
        return None
    return layout.cells[event[4]]


def neighbours(events: Sequence[Event | None]) -> Iterator[tuple[int, Event | None, Event, Event | None]]:
    """Each event that there is, with its place and with those before and after it."""
    there = [(place, event) for place, event in enumerate(events) if event is not None]
    for i, (place, event) in enumerate(there):
        before = there[i - 1][1] if i else None
        after = there[i + 1][1] if i + 1 < len(there) else None
        yield place, before, event, after


def sets(event: Event | None, address: int) -> bool:
    return event is not None and event[0] == EV_SET and event[2] == address


def sets_too(program: Program, pc: int, after: Event | None, address: int) -> bool:
    """Whether the same step sets a cell right after; what another step sets does not say what was shown before."""
    return after is not None and sets(after, address) and program.cause_at(pc) == program.cause_at(after[1])


# --- sets and bags --------------------------------------------------------------------------------------


def so_many(wording: Wording, cell: Cell, many: int) -> str:
    """A thing in a bag, or several: `Acorn`, `3 Acorns`."""
    copies = wording.copies(cell.variable.kinds[-1], cell.of[-1], many)
    return copies.one if many == 1 else str(copies)


def contents(wording: Wording, layout: Layout, cells: Sequence[int], cell: Cell) -> str:
    """The value of a cell; all that is in a bag, whose cells stand side by side."""
    if not cell.variable.counts:
        return wording.value(cell.variable.type, cell.value(cells))
    first = cell.address - cell.of[-1]
    inside = (layout.cells[first + thing] for thing in range(cell.variable.sizes[-1]))
    return join_words(so_many(wording, one, many) for one in inside if (many := one.value(cells))) or gettext(NONE)


def in_one_bag(cell: Cell, other: Cell | None) -> bool:
    """Whether two cells are of one bag."""
    return (
        other is not None
        and cell.variable.counts
        and (cell.variable is other.variable and cell.of[:-1] == other.of[:-1])
    )


def changed(wording: Wording, cell: Cell, old: int, new: int) -> str:
    """What is new about a value; of a set or a bag, what joined and left."""
    type_ = cell.variable.type
    if cell.variable.counts:
        return f"now {'with' if new > old else 'without'} {so_many(wording, cell, abs(new - old))}"
    if type_.shape != "set" or not old:
        return wording.value(type_, new)
    joined_, left = (seats_in(part) for part in (new & ~old, old & ~new))
    parts = [f"now with {join_words(wording.title(type_.kind, i) for i in joined_)}" if joined_ else ""]
    parts.append(f"now without {join_words(wording.title(type_.kind, i) for i in left)}" if left else "")
    return ", ".join(part for part in parts if part)
