"""The log, which turns the machine's events into readable lines with the rule that caused each.

A line may be read by those who knew the value at that moment, so the narrator follows the state along the events: a
value that was hidden when it was set stays hidden in the log even if it is shown later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from edict.game.table.addresses import PLAYER, Event, StateLayout, VariableCell, bits_of, enclosing_bag, unpack_events
from edict.game.table.faults import log_length_error
from edict.game.table.game_steps import GameStep
from edict.game.table.log_entries import (
    CHANGE,
    CHOICE,
    GAIN,
    GAINED,
    GAINED_BY_ALL,
    LOOK,
    LUCK,
    NO_CHOICE,
    PHASE,
    ROLLED,
    SAID,
    SHOWN,
    SHUFFLE,
    AdjustmentTerm,
    Entry,
    LoggedChange,
    LookSnapshot,
    PhaseTotals,
    Place,
    ResourceGain,
    place_of,
)
from edict.game.table.options import Options, is_roll
from edict.game.table.wording import BARE, NO, NONE, Wording, inflect_after_number
from edict.runtime.program import AnnouncementPart, Cause, Program, StateVariable, ValueType
from edict.runtime.program.cell_values import join_cells, split_value, write_value
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
from edict.runtime.program.program_translation import name_announcement
from edict.support.morphology import add_definite_article, join_line
from edict.support.records import dataclass
from edict.support.translations import ENGLISH, N_, current_language, gettext
from edict.support.translations.texts import (
    Text,
    capitalize_text,
    english_of,
    fill_slots,
    join_parts,
    join_texts,
    map_text,
    translate,
)

PLAYER_TYPE = ValueType("thing", PLAYER)
MADE_CHOICE = N_("{player}: {choice}")
DRAWN, CHANCE_DECIDED = N_("Drawn: {values}"), N_("Chance: {values}")
NOW_WITH, NOW_WITHOUT = N_("now with {things}"), N_("now without {things}")
VEILED = N_("{label}: hidden from you")
SEES, SEE = N_("{players} sees {label}"), N_("{players} see {label}")
MOST_LOG_CHARACTERS = 2_000_000  # the longest games of what ships have 50,000


@dataclass(frozen=True, slots=True)
class EntrySource:
    """The step that an entry is about."""

    place: Place  # its place in the rules
    cell: VariableCell | None  # the cell that it changes or shows, if any
    public: bool  # everyone may read the entry

    @property
    def name(self) -> str:
        """Return the name of the variable as in `Reasons.reports`, or an empty text."""
        return self.cell.variable.name if self.cell is not None else ""


class LogNarrator:
    """Turns events into log entries in order; `cells` is the state of the variables up to there."""

    def __init__(
        self, program: Program, layout: StateLayout, wording: Wording, options: Options, state: list[int]
    ) -> None:
        self.program = program
        self.layout = layout
        self.wording = wording
        self.options = options
        self.cells = state.copy()
        self._combine_cells = CellCombiner(program, layout)
        self.everyone = state[EVERYONE]
        self.phases: list[str] = []
        self._announced: list[tuple[AnnouncementPart, str]] = []  # parts of the announcement so far, with their words
        self._subject = CHANCE  # the player whose name begins the announcement
        self._number: int | None = None  # the number announced last
        self._terms: list[AdjustmentTerm] = []
        self._source: EntrySource | None = None  # source of the current entry
        self._reports = index_reported_steps(program)
        self._totals = PhaseTotals()
        self._length = 0  # characters logged so far
        self._things = {thing.name for kind in program.kinds for thing in kind.things}
        self._callers: list[Cause | None] = []  # cards that run the current routines and effects
        self._calls = 0  # number of effects that no other card runs
        self._secret_steps: list[Cause] = []  # open steps that a secret decides
        self._is_veiled = False  # those who cannot see the current change still get a line
        self._bag_logged = False  # the last reveal is logged already, in the same bag

    def narrate(self, numbers: Sequence[int], step: int = 0) -> list[Entry]:
        """Return the entries for a sequence of events, five numbers each; `step` is the number of answers before them.

        Raises `RulesError` if the log becomes longer than its limit.
        """
        events = unpack_events(numbers)
        entries: list[Entry] = []
        sources: list[EntrySource | None] = []  # source of each entry
        first = 0
        combined = self._combine_cells(self.cells, events)
        marks = SecretMarks(self.layout, combined)
        for place, before, event, after in iter_with_neighbours(combined):
            self._is_veiled = place in marks.first_changes
            entry = self._check_length(self._narrate_event(event, before, after))
            if entry is not None and before is not None and self._is_same_roll(before, event):
                last = entries[-1]
                entries[-1] = replace(last, text=f"{last.text} {entry.words}", words=f"{last.words} {entry.words}")
            elif entry is not None:
                while entries and self._absorbs(entry, event, entries[-1], sources[-1]):
                    absorbed = entries.pop()
                    sources.pop()
                    first = (absorbed.at or (step, first))[1]
                    entry = replace(entry, changes=absorbed.changes + entry.changes)
                entries.append(replace(entry, at=(step, first, place)))
                sources.append(self._source)
                self._source = None
            if entry is not None:
                first = place + 1
        return entries

    def _absorbs(self, entry: Entry, event: Event, last: Entry, source: EntrySource | None) -> bool:
        """Return True if an entry makes the previous one superfluous: it shows that value or reports that step."""
        if source is None:
            return False
        if entry.kind == SHOWN:
            return self._source is not None and source.cell is self._source.cell and last.kind != GAIN
        if entry.kind != SAID or not source.public:
            return False
        return (source.place, source.name) in self._reports.get(place_of(self.program.cause_at(event[1])), ())

    def _check_length(self, entry: Entry | None) -> Entry | None:
        """Return the entry. Raises `RulesError` if the log has no room for it."""
        if entry is not None:
            # a cell takes less space than a line
            snapshot_size = len(entry.look.cells) // 4 if entry.look is not None else 0
            self._length += len(entry.text) + len(entry.cause.title) + len(entry.veiled) + snapshot_size
            if self._length > MOST_LOG_CHARACTERS:
                raise log_length_error(entry.cause, MOST_LOG_CHARACTERS)
        return entry

    def _is_same_roll(self, before: Event, event: Event) -> bool:
        """Return True if two events are dice of one roll, which share a line."""
        is_same_question = before[0] == event[0] == EV_CHOICE and before[2:4] == event[2:4] and event[3] == CHANCE
        return is_same_question and is_roll(self.program.questions[event[2]])

    def _narrate_event(self, event: Event, before: Event | None, after: Event | None) -> Entry | None:
        """Return the entry for an event between its neighbours; None if it gets no line, such as a phase's end."""
        kind, pc, x, y, z = event
        if kind == EV_SET:
            return self._narrate_change(pc, x, y, z, before, after)
        if kind == EV_CHOICE:
            return self._narrate_choice(pc, x, y, z)
        if kind == EV_SAY:
            return self._narrate_announcement(pc, x, y)
        if kind == EV_TERM:
            self._terms.append(AdjustmentTerm(self._quantity_title(x), y, z, self.program.cause_at(pc)))
            self._totals.add_term(self._terms[-1])
        elif kind == EV_ENTER:
            return self._narrate_phase(pc, x)
        elif kind == EV_LEAVE and self.phases:  # a game may begin in the middle of phases
            self.phases.pop()
            self._totals.leave()
        return None

    # --- phases and announcements

    def _narrate_phase(self, pc: int, number: int) -> Entry | None:
        """Enter the phase with this number and return its heading; None if it has no title of its own."""
        name, title = self.program.phases[number]
        self.phases.append(title or name)
        self._totals.enter()
        return self._make_entry(PHASE, title, pc) if title not in ("", name) else None

    def _narrate_announcement(self, pc: int, number: int, value: int) -> Entry | None:
        """Collect a part of an announcement; return its entry at the last part, else None."""
        part = self.program.says[number]
        if part.panel >= 0:
            return self._make_look(pc, part.panel)
        if not self._announced:
            self._subject = value if part.type == PLAYER_TYPE else CHANCE
        if part.type is None:
            words = inflect_after_number(part.text, self._number)
        elif part.type.shape == "dice":
            words = self.wording.list_dice(value)
        else:
            words = self.wording.value(part.type, value, self._number)
        self._announced.append((part, words))
        self._number = value if part.type and part.type.shape == "number" else None
        if not part.last:
            return None
        text, self._announced, self._number = self._join_announcement(), [], None
        reports = frozenset(place for place, _ in self._reports.get(place_of(self.program.cause_at(pc)), ()))
        if text:
            return replace(self._make_entry(SAID, text, pc), subject=self._subject, reports=reports)
        return None

    def _join_announcement(self) -> str:
        """Return the announcement: its translation as a whole, or else its English."""
        if current_language() == ENGLISH:
            return join_line(words for _, words in self._announced)
        english = join_line(english_of(words) for _, words in self._announced)
        names, pattern = name_announcement([part for part, _ in self._announced])
        template = self.program.announcements.get(pattern)
        if template is None:
            return Text(english, english, False)
        slots = {name: words for name, (_, words) in zip(names, self._announced, strict=True) if name}
        return fill_slots(template, pattern, slots)

    def _make_look(self, pc: int, panel: int) -> Entry:
        """Return the entry of a `look at`, with a snapshot of the cells and the gains since the phase began."""
        look = LookSnapshot(panel, tuple(self.cells[: self.program.working]), *self._totals.sum_since_phase())
        return replace(self._make_entry(LOOK, self.program.panels[panel].title, pc), look=look)

    # --- choices

    def _narrate_choice(self, pc: int, number: int, seat: int, value: int) -> Entry | None:
        """Return the entry of a choice; None if there was no choice and for shuffles.

        A player who could only decline was not asked; that is logged if the rules have words for it. A secret choice is
        always logged, because the others must not notice that there was none.
        """
        self._terms.clear()
        question = self.program.questions[number]
        is_declined = value == DECLINE
        is_forced = is_forced_choice(self.program, pc, number, seat)
        is_shuffle = seat == CHANCE and question.name == SHUFFLE
        is_omitted = question.decline in ("", *BARE) if is_forced else not question.decline
        is_omitted = (is_omitted if is_declined else is_forced) and not (
            question.secret and is_forced and seat != CHANCE
        )
        if is_shuffle or is_omitted:
            return None
        words = self.options.text(number, value)
        if question.secret:
            seats = frozenset([seat] if seat != CHANCE else [])
        else:
            seats = None
        cause = self._attribute(self.program.causes[question.cause])
        phase = self.phases[-1] if self.phases else ""
        if seat == CHANCE:
            if is_roll(question):
                self._source = None
            else:
                self._source = EntrySource(place_of(cause), None, not question.secret)
            text = translate(self._luck_message(number), values=words)
            return Entry(
                LUCK,
                text,
                cause,
                phase,
                seat,
                seats,
                openly=self._public_cause(cause),
                words=words,
                rolled=is_roll(question),
                question=number,
            )
        name = self.wording.players[seat]
        openly = self._public_cause(cause)
        veil = "" if openly is not None else translate("{player} chooses in secret", player=name)
        if words == gettext(NO) and is_declined:
            words = _format_declined_question(self.options.prompt(question))
        elif (
            words in map(gettext, BARE) or (question.domain == "number" or question.kind == PLAYER) and not is_declined
        ):
            words = join_parts(" ", (self.options.prompt(question), words))
        message = NO_CHOICE if is_forced else MADE_CHOICE
        text = translate(message, player=name, choice=words)
        return Entry(
            CHOICE, text, cause, phase, seat, seats, veil, openly=openly, words=words, forced=is_forced, question=number
        )

    def _luck_message(self, number: int) -> str:
        """Return the message for a chance question: rolled, drawn for things, else chance."""
        question = self.program.questions[number]
        if is_roll(question):
            return ROLLED
        return DRAWN if question.domain == "thing" else CHANCE_DECIDED

    # --- changes

    def _narrate_change(
        self, pc: int, x: int, old: int, new: int, before: Event | None, after: Event | None
    ) -> Entry | None:
        """Write a cell's new value and return the entry for the change or the reveal; None if it gets no line."""
        cell = self.layout.cells.get(x)
        if cell is None and (marked := find_marked_cell(self.layout, (EV_SET, pc, x, old, new))) is not None:
            return self._make_unchanged_entry(marked, pc, after)
        if cell is None and x == SCRATCH:
            self._handle_mark(pc, new)
            return None
        if cell is None:
            self.cells[x] = new
        else:
            write_value(cell.variable.type, self.cells, x, new)
            self._record_gain(cell, pc, new - old, after)
            return self._make_change(cell, pc, old, new, after)
        watched = self.layout.watched.get(x)
        if watched is None or find_marked_cell(self.layout, before) is watched or sets_cell(before, watched.address):
            return None  # not a variable, or part of setting its value
        if sets_cell_in_same_step(self.program, pc, after, watched.address):
            return None
        follows = (
            before is not None and before[0] == EV_SET and are_in_one_bag(watched, self.layout.watched.get(before[2]))
        )
        if follows and self._bag_logged:
            return None
        shown = self._make_reveal(watched, pc, new & ~old & self.everyone)
        self._bag_logged = shown is not None
        return shown

    def _record_gain(self, cell: VariableCell, pc: int, amount: int, after: Event | None) -> None:
        """Record a player's gain or loss for the next moment to look."""
        variable = cell.variable
        if variable.resource and cell.owner != CHANCE and self._is_at_table(cell):
            seats, cause = self._knowers(cell, after), self._cause_at(pc)
            self._totals.add_gain(ResourceGain(cell.of[0], variable.name, variable.title, amount, "", cause, seats))

    def _make_change(self, cell: VariableCell, pc: int, old: int, new: int, after: Event | None) -> Entry | None:
        """Return the entry `Ann gains 2 gold` or `Title: value` for a variable's change; None if it is quiet."""
        variable = cell.variable
        if variable.quiet or not self._is_at_table(cell) or self._is_discarded(variable, new) and not self._is_veiled:
            return None
        seats = self._knowers(cell, after)
        self._source = EntrySource(place_of(self.program.cause_at(pc)), cell, seats is None)
        owner = self.wording.owners(cell)
        if variable.resource:
            amount = self.wording.resource_amount(variable, abs(new - old))
            if new > old:
                verb = "gains"
            elif self._cause_at(pc).pays:
                verb = "spends"
            else:
                verb = "loses"
            veiled = translate(VEILED, label=capitalize_text(self._label(cell))) if self._is_veiled else ""
            message = GAINED[verb][0] if owner else GAINED_BY_ALL[verb]
            text = translate(message, player=owner, amounts=str(amount))
            entry = self._make_entry(GAIN, text, pc, cell.owner, seats, veiled)
            change = LoggedChange(variable.name, cell.of, new - old, True)
            return replace(entry, amount=amount, verb=verb, owner=owner, changes=(change,))
        whole_cell = enclosing_bag(cell)
        label = capitalize_text(self._label(whole_cell) if whole_cell.of else variable.title)
        value = format_change(self.wording, cell, old, new)
        veiled = translate(VEILED, label=label) if self._is_veiled else ""
        text = translate("{label}: {value}", label=label, value=value)
        entry = self._make_entry(CHANGE, text, pc, cell.owner, seats, veiled)
        return replace(entry, changes=(LoggedChange(variable.name, cell.of, new, False),))

    def _make_unchanged_entry(self, cell: VariableCell, pc: int, after: Event | None) -> Entry | None:
        """Return the entry of a secret that a rule handled without changing it.

        Others read the same as for a change.
        """
        seats = self._knowers(cell, after)
        if seats is None or not self._is_at_table(cell):
            return None
        whole_cell = enclosing_bag(cell)
        label = capitalize_text(self._label(whole_cell) if whole_cell.of else whole_cell.variable.title)
        text, veiled = translate("{label}: as it was", label=label), translate(VEILED, label=label)
        return self._make_entry(CHANGE, text, pc, cell.owner, seats, veiled)

    @staticmethod
    def _is_discarded(variable: StateVariable, value: int) -> bool:
        """Return True for a secret that is gone, such as a discarded card, which gets no line."""
        return variable.known >= 0 and variable.type.optional and value < 0

    def _make_reveal(self, cell: VariableCell, pc: int, new_knowers: int) -> Entry | None:
        """Return the entry that all or some seats now see a cell; None if there is no new knower or no value."""
        if not new_knowers or cell.variable.quiet or not self._is_at_table(cell):
            return None
        value = cell.value(self.cells)
        if self._is_discarded(cell.variable, value):
            return None
        label = self._label(enclosing_bag(cell))
        words = format_contents(self.wording, self.layout, self.cells, cell)
        knowers = self._to_seats(self.cells[cell.known])
        self._source = EntrySource(place_of(self.program.cause_at(pc)), cell, knowers is None)
        if knowers is None:
            text = translate("{label} is revealed: {value}", label=capitalize_text(label), value=words)
            return self._make_entry(SHOWN, text, pc, cell.owner)
        names = [self.wording.players[i] for i in bits_of(new_knowers)]
        message = SEES if len(names) == 1 else SEE
        sight = translate(message, players=join_texts(names), label=label)
        text = translate("{label}: {value}", label=sight, value=words)
        return self._make_entry(SHOWN, text, pc, cell.owner, knowers, sight)

    def _label(self, cell: VariableCell) -> str:
        """Return a value's label in mid-sentence: `the turn order`, `Ann's card`, `dice on (Ann, Oak)`."""
        owners, title = self.wording.owners(cell), cell.variable.title
        if not owners:
            english = english_of(title)
            label = english if english[:1].isupper() else add_definite_article(english)
            return Text(title, label, title.is_translated) if isinstance(title, Text) else label
        if cell.variable.kinds == (PLAYER,):
            return translate("{player}'s {title}", player=owners, title=_drop_article(title))
        return translate("{title} ({owner})", title=title, owner=owners)

    def _is_at_table(self, cell: VariableCell) -> bool:
        """Return True if the players that a cell belongs to take part."""
        pairs = zip(cell.variable.kinds, cell.of, strict=True)
        return all(i < len(self.wording.players) for kind, i in pairs if kind == PLAYER)

    def _knowers(self, cell: VariableCell, after: Event | None) -> frozenset[int] | None:
        """Return the seats that know a value that was just set (None: all).

        The rules say so right after the change, unless it stays as before. A secret of the whole table without such an
        event counts as known to nobody.
        """
        if cell.known < 0:
            return None
        if after is not None and sets_cell(after, cell.known):
            return self._to_seats(after[4])
        return self._to_seats(self.cells[cell.known]) if cell.of else frozenset()

    def _to_seats(self, known: int) -> frozenset[int] | None:
        """Return the seats in a mask of knowers; None if everybody at the table is in it."""
        known &= self.everyone
        return None if known == self.everyone else frozenset(bits_of(known))

    def _quantity_title(self, number: int) -> str:
        """Return the title of the quantity with this number, or its name without one."""
        name, title = self.program.quantities[number]
        return title or name

    def _make_entry(
        self, kind: str, text: str, pc: int, seat: int = -1, seats: frozenset[int] | None = None, veiled: str = ""
    ) -> Entry:
        """Return an entry in the current phase with the adjustments collected since the last entry."""
        terms = tuple(dict.fromkeys(self._terms))
        self._terms.clear()
        phase = self.phases[-1] if self.phases else ""
        cause = self._cause_at(pc)
        public_cause = self._public_cause(cause)
        veil = veiled if seats is not None and public_cause is None else ""
        return Entry(
            kind, text, cause, phase, seat, seats, veil, terms, len(self.phases), public_cause, call=self._calls
        )

    def _cause_at(self, pc: int) -> Cause:
        return self._attribute(self.program.cause_at(pc))

    def _attribute(self, cause: Cause) -> Cause:
        """Return the cause of a step, under name and title of the card that runs it, if one does."""
        caller = self._callers[-1] if self._callers else None
        if caller is not None and cause.called:
            return replace(cause, name=caller.name, title=caller.title)
        return cause

    def _handle_mark(self, pc: int, mark: int) -> None:
        """Push or pop the card that runs a step, or the public step that hides a secret one."""
        if mark == CALLED:
            cause = self._cause_at(pc)
            self._callers.append(cause if cause.name in self._things else None)
            self._calls += self._callers[-1] is None
        elif mark == BACK and self._callers:  # a game may begin in the middle of it
            self._calls += self._callers.pop() is None
        public_cause = self._public_cause(self.program.cause_at(pc))
        if mark == HUSHED and public_cause is not None:
            self._secret_steps.append(public_cause)
        elif mark == HEARD and self._secret_steps:  # a game may begin in the middle of it
            self._secret_steps.pop()

    def _public_cause(self, cause: Cause) -> Cause | None:
        """Return the public step within which a secret one runs, shown to those who must not notice it.

        None if there is none.
        """
        if self._secret_steps:
            return self._secret_steps[0]
        return self.program.causes[cause.unseen] if cause.unseen >= 0 else None


def _drop_article(title: str) -> str:
    """Return a title without the English article that a possessive replaces."""
    if isinstance(title, Text):
        return Text(title, title.english.removeprefix("the "), title.is_translated, title.label, title.declined)
    return title.removeprefix("the ")


def is_forced_choice(program: Program, pc: int, question: int, seat: int) -> bool:
    """Return True if a player was not asked because there was only one option."""
    return seat != CHANCE and program.code[pc] == ASK and program.code[pc + 1] == question


def iter_forced_moves(options: Options, steps: Sequence[GameStep], seat: int) -> Iterator[str]:
    """Iterate over sentences on the forced choices of a seat.

    Omits those that followed from its own choice and those that it declined, which the log has.
    """
    chooser = CHANCE
    for step in steps:
        for kind, pc, question, chooser_, value in unpack_events(step.events):
            if kind == EV_ENTER:
                chooser = CHANCE
            if kind != EV_CHOICE or chooser_ == CHANCE:
                continue
            if (
                chooser_ == seat != chooser
                and value != DECLINE
                and is_forced_choice(options.program, pc, question, chooser_)
            ):
                prompt = options.prompt(options.program.questions[question])
                choice = options.text(question, value)
                yield translate("You had only one choice for “{question}”: {choice}.", question=prompt, choice=choice)
            chooser = chooser_


# the answer of a player who declines, by question word
_NONE_WORDS = {
    "which": N_("None"),
    "what": N_("Nothing"),
    "who": N_("Nobody"),
    "whom": N_("Nobody"),
    "how": N_("None"),
    "where": N_("Nowhere"),
}


def _format_declined_question(prompt: str) -> str:
    """Format a question with a declining answer: `Which die? None`, `Reroll it? No`."""
    asked = next((word for word in english_of(prompt).casefold().split()[:2] if word in _NONE_WORDS), "")
    question = map_text(prompt, lambda text: f"{text.removesuffix('.').removesuffix('?')}?")
    return join_parts(" ", (question, translate(_NONE_WORDS.get(asked, NO))))


def index_reported_steps(program: Program) -> dict[Place, frozenset[tuple[Place, str]]]:
    """Return by the place of each announcement the steps it reports, each with the name of the variable it changes."""
    reports: dict[Place, set[tuple[Place, str]]] = {}
    for announcement, step, name in program.reasons.reports:
        place = place_of(program.causes[announcement])
        reports.setdefault(place, set()).add((place_of(program.causes[step]), name))
    return {place: frozenset(reported) for place, reported in reports.items()}


# --- events of several cells, and marks of secrets ------------------------------------------------------


class CellCombiner:
    """Combines the events of values that take several cells."""

    def __init__(self, program: Program, layout: StateLayout) -> None:
        self._layout = layout
        self._wide_says = {
            i: say.type for i, say in enumerate(program.says) if say.type is not None and say.type.cells > 1
        }
        self._is_needed = bool(self._wide_says) or any(variable.type.cells > 1 for variable in program.variables)

    def __call__(self, cells: Sequence[int], events: Sequence[Event]) -> list[Event | None]:
        """Return the events with one change per value, at its last cell, and None for the others.

        Changes of values that take several cells end with one of the cell SCRATCH. `cells` is the state before.
        """
        combined: list[Event | None] = list(events)
        if not self._is_needed:
            return combined
        parts_by_cell: dict[int, list[int]] = {}  # values of all cells, by the first cell
        before, values = 0, list[int]()
        for place, (kind, pc, address, _, new) in enumerate(events):
            cell = self._layout.cells.get(address) if kind == EV_SET else None
            if kind == EV_SET and address == SCRATCH:
                combined[place] = combined[place] if new > 1 else None
            elif cell is not None and cell.variable.type.cells > 1:
                of, first = cell.variable.type, cell.address
                parts = parts_by_cell.setdefault(first, split_value(of, cell.value(cells)))
                if self._is_same_change(cell, events, place - 1):
                    before = before
                else:
                    before = join_cells(of, parts)
                parts[address - first] = new
                ends = not self._is_same_change(cell, events, place + 1)
                combined[place] = (kind, pc, first, before, join_cells(of, parts)) if ends else None
            elif kind == EV_SAY and address in self._wide_says:
                values.append(events[place][3])
                combined[place] = None
                if len(values) == self._wide_says[address].cells:
                    combined[place] = (kind, pc, address, join_cells(self._wide_says[address], values), 0)
                    values = []
        return combined

    def _is_same_change(self, cell: VariableCell, events: Sequence[Event], place: int) -> bool:
        """Return True if the event at an index belongs to the change of the same value."""
        is_change = 0 <= place < len(events) and events[place][0] == EV_SET
        return is_change and self._layout.cells.get(events[place][2]) is cell


class SecretMarks:
    """Marks of secrets that are written.

    Players who cannot see the value read one line whether or not it has changed.
    """

    def __init__(self, layout: StateLayout, events: list[Event | None]) -> None:
        self._layout = layout
        self.first_changes: set[int] = set()  # indexes of the first change after each mark
        for place, event in enumerate(events):
            marked = find_marked_cell(layout, event)
            first = self._find_change(events, place + 1, marked) if marked is not None else -1
            if first >= 0:
                self.first_changes.add(first)
                events[place] = None

    def _find_change(self, events: Sequence[Event | None], place: int, marked: VariableCell) -> int:
        """Return the index at which the marked value changes, or -1."""
        for index in range(place, len(events)):
            event = events[index]
            if event is None:
                continue
            cell = self._layout.cells.get(event[2]) if event[0] == EV_SET else None
            if cell is not None and (cell is marked or are_in_one_bag(cell, marked)):
                return index
            if event[0] != EV_SET or event[2] not in self._layout.watched:
                return -1
        return -1


def find_marked_cell(layout: StateLayout, event: Event | None) -> VariableCell | None:
    """Return the secret that is written next if an event is a mark, else None."""
    if event is None or event[0] != EV_SET or event[2] != SCRATCH or event[4] <= APART:
        return None
    return layout.cells[event[4]]


def iter_with_neighbours(events: Sequence[Event | None]) -> Iterator[tuple[int, Event | None, Event, Event | None]]:
    """Iterate over index, previous event, event and next event, without the gaps."""
    present = [(place, event) for place, event in enumerate(events) if event is not None]
    for i, (place, event) in enumerate(present):
        before = present[i - 1][1] if i else None
        after = present[i + 1][1] if i + 1 < len(present) else None
        yield place, before, event, after


def sets_cell(event: Event | None, address: int) -> bool:
    """Return True if an event sets a cell."""
    return event is not None and event[0] == EV_SET and event[2] == address


def sets_cell_in_same_step(program: Program, pc: int, after: Event | None, address: int) -> bool:
    """Return True if the same step sets a cell right after; another step says nothing about what was shown before."""
    return after is not None and sets_cell(after, address) and program.cause_at(pc) == program.cause_at(after[1])


# --- sets and bags --------------------------------------------------------------------------------------


def format_copies(wording: Wording, cell: VariableCell, many: int) -> str:
    """Format a thing in a bag with its number: `Acorn`, `3 Acorns`."""
    copies = wording.copies(cell.variable.kinds[-1], cell.of[-1], many)
    return copies.one if many == 1 else str(copies)


def format_contents(wording: Wording, layout: StateLayout, cells: Sequence[int], cell: VariableCell) -> str:
    """Format the value of a cell, or everything in its bag, whose cells are adjacent."""
    if not cell.variable.counts:
        return wording.value(cell.variable.type, cell.value(cells))
    first = cell.address - cell.of[-1]
    inside = (layout.cells[first + thing] for thing in range(cell.variable.sizes[-1]))
    return join_texts(
        format_copies(wording, member, count) for member in inside if (count := member.value(cells))
    ) or translate(NONE)


def are_in_one_bag(cell: VariableCell, other: VariableCell | None) -> bool:
    """Return True if two cells belong to one bag."""
    return (
        other is not None
        and cell.variable.counts
        and (cell.variable is other.variable and cell.of[:-1] == other.of[:-1])
    )


def format_change(wording: Wording, cell: VariableCell, old: int, new: int) -> str:
    """Format the new value, or what joined and left a set or bag."""
    type_ = cell.variable.type
    if cell.variable.counts:
        message = NOW_WITH if new > old else NOW_WITHOUT
        return translate(message, things=format_copies(wording, cell, abs(new - old)))
    if type_.shape != "set" or not old:
        return wording.value(type_, new)
    changes = ((NOW_WITH, new & ~old), (NOW_WITHOUT, old & ~new))
    return join_parts(
        ", ",
        (
            translate(message, things=join_texts(wording.title(type_.kind, i) for i in bits_of(members)))
            for message, members in changes
            if members
        ),
    )
