"""The entries of the log as values: their readers, the veiled text for others, and lines that combine several.

A moment to look sums up gains and losses since its phase began, rule by rule, with the adjustments that took part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, islice

from edict.game.table.wording import Amount
from edict.runtime.program import Cause
from edict.support.morphology import conjugate_for_you
from edict.support.translations import ENGLISH, N_, current_language
from edict.support.translations.texts import join_texts, translate

# --- what was won and lost ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AdjustmentTerm:
    """An adjustment that took part in an event."""

    quantity: str
    amount: int
    seat: int
    cause: Cause


@dataclass(frozen=True, slots=True)
class ResourceGain:
    """A gain (or loss, below 0) of a resource by one rule."""

    seat: int
    name: str
    title: str
    amount: int
    words: str  # such as `+2 chips`
    cause: Cause
    seats: frozenset[int] | None = field(default=None, compare=False)  # seats that may know, None for all


@dataclass(frozen=True, slots=True)
class LookSnapshot:
    """A moment to look as stored in the log."""

    panel: int  # number of the panel
    cells: tuple[int, ...]  # state at that time
    changes: tuple[ResourceGain, ...]
    terms: tuple[AdjustmentTerm, ...]


class PhaseTotals:
    """Gains and adjustments since each phase in progress began."""

    def __init__(self) -> None:
        self._changes: list[ResourceGain] = []
        self._terms: dict[tuple[str, int, Cause], tuple[int, AdjustmentTerm]] = {}  # last value of each, with its order
        self._term_count = 0
        self._starts: list[tuple[int, int]] = []

    def enter(self) -> None:
        """Begin a phase, inside the one that has not ended yet."""
        self._starts.append((len(self._changes), self._term_count))

    def leave(self) -> None:
        """End a phase; its events belong to the one around it."""
        self._starts.pop()

    def add_gain(self, change: ResourceGain) -> None:
        """Add a gain or loss."""
        self._changes.append(change)

    def add_term(self, term: AdjustmentTerm) -> None:
        """Record an adjustment, in place of an earlier one of the same quantity, seat and rule."""
        self._term_count += 1
        self._terms[term.quantity, term.seat, term.cause] = self._term_count, term

    def sum_since_phase(self) -> tuple[tuple[ResourceGain, ...], tuple[AdjustmentTerm, ...]]:
        """Return the summed gains and the adjustments since the innermost phase, or the game, began.

        An adjustment that occurred more than once has its last value.
        """
        first_gain, first_term = self._starts[-1] if self._starts else (0, 0)
        sums: dict[tuple[int, str, str, frozenset[int] | None], ResourceGain] = {}
        for gain in self._changes[first_gain:]:
            key = gain.seat, gain.name, gain.cause.name or gain.cause.title, gain.seats
            before = sums[key].amount if key in sums else 0
            sums[key] = replace(gain, amount=gain.amount + before)
        terms = tuple(term for order, term in self._terms.values() if order > first_term)
        return tuple(gain for gain in sums.values() if gain.amount), terms


# --- lines of the log -----------------------------------------------------------------------------------

PHASE, CHOICE, LUCK, GAIN, CHANGE, SHOWN, SAID = "phase", "choice", "luck", "gain", "change", "shown", "said"
LOOK, SHUFFLE = "look", "shuffle"
ROLLED = N_("Rolled: {values}")


# a place in the rules: file, line, column
Place = tuple[str, int, int]


def place_of(cause: Cause) -> Place:
    """Return the place of a cause in the rules."""
    return cause.file, cause.line, cause.column


@dataclass(frozen=True, slots=True)
class LoggedChange:
    """A change of a value that an entry covers."""

    name: str
    of: tuple[int, ...]
    number: int  # the new value, or the difference if `is_difference`
    is_difference: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the log.

    `kind` is phase, choice, luck, gain, change, shown, said, or look, a moment that `View.summary` describes.
    """

    kind: str
    text: str
    cause: Cause
    phase: str
    seat: int = -1  # the player it is about, or -1
    seats: frozenset[int] | None = None  # seats that may read the text, None for all
    veiled: str = ""  # text for the others, who read nothing if it is empty
    terms: tuple[AdjustmentTerm, ...] = ()
    level: int = 0  # number of phases around it, including a phase's own entry
    # cause for readers who must not notice a secret's outcome
    openly: Cause | None = field(default=None, compare=False)
    amount: Amount | None = field(default=None, compare=False)  # what is gained or lost
    verb: str = field(default="", compare=False)  # gains, loses or spends
    owner: str = field(default="", compare=False)  # the owner in words: `Ann`, `Ann, Merchant`
    question: int = field(default=-1, compare=False)
    words: str = field(default="", compare=False)  # the answer to `question`
    forced: bool = field(default=False, compare=False)  # the player had no choice
    rolled: bool = field(default=False, compare=False)  # it is about dice
    subject: int = field(default=-1, compare=False)  # the player whose name begins an announcement, or -1
    # places of the steps that an announcement reports
    reports: frozenset[Place] = field(default=frozenset(), compare=False)
    changes: tuple[LoggedChange, ...] = field(default=(), compare=False)  # changes that the entry covers
    at: tuple[int, int, int] | None = field(default=None, compare=False)  # step, first and last event
    look: LookSnapshot | None = field(default=None, compare=False, repr=False)
    call: int = field(default=0, compare=False)  # number of its effect; tells repeated effects apart

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        rule = f"{self.cause.title or self.cause.name}, ".removeprefix(", ")
        return f"<{self.text} ({rule}{self.cause.file}:{self.cause.line})>"

    def seen_by(self, seat: int) -> Entry | None:
        """Return the entry as a seat may read it, or None."""
        if self.look is not None:
            return replace(self, look=None)  # it holds the whole state; `View.summary` shows what the seat may know
        if self.seats is not None and seat in self.seats:
            return self
        public = self if self.openly is None else replace(self, cause=self.openly, openly=None)
        if self.seats is None:
            return public
        if not self.veiled:
            return None
        kind = CHANGE if self.kind == GAIN else self.kind  # the direction of the change is hidden too
        return replace(
            public,
            kind=kind,
            text=self.veiled,
            veiled="",
            seats=None,
            terms=(),
            amount=None,
            verb="",
            owner="",
            words="",
            forced=False,
            changes=(),
        )


# --- in brief -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DisplayLine:
    """A line to show; a heading names the phase that begins."""

    text: str
    cause: str = ""
    heading: bool = False
    entries: tuple[Entry, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return f"{self.text} ({self.cause})" if self.cause else self.text


def build_lines(entries: Sequence[Entry], players: Sequence[str]) -> list[DisplayLine]:
    """Return the entries as lines, combined and without those that others cover."""
    shown, forced_names = [], dict[int, str]()
    for i, entry in enumerate(entries):
        announcement = _find_announcement(entries, i) if _may_be_announced(entry) else None
        if announcement is None and not _is_told_by_gain(entry, entries[i + 1 : i + 2]):
            shown.append(entry)
        elif announcement is not None and entry.forced:
            forced_names[id(announcement)] = players[entry.seat]
    lines = [line for _, run in groupby(shown, key=_group_key) for line in _iter_run_lines(list(run), players)]
    return [_mention_no_choice(line, forced_names.get(id(line.entries[0]), "")) for line in lines]


def _mention_no_choice(line: DisplayLine, name: str) -> DisplayLine:
    """Return a line that says `Ann must pass` if a name is given and the line begins with it and a verb."""
    if not name:
        return line
    begins = line.text.startswith(f"{name} ") and not line.text.startswith(f"{name} is ")
    if not begins or current_language() != ENGLISH:
        return replace(line, text=translate(NO_CHOICE, player=name, choice=line.text))
    return replace(line, text=f"{name} must{conjugate_for_you(line.text.replace(name, '_', 1))[1:]}")


def _may_be_announced(entry: Entry) -> bool:
    """Return True for dice, and for a player's choice that the reader may know."""
    return entry.kind == LUCK and entry.rolled or entry.kind == CHOICE and entry.seat >= 0 and bool(entry.words)


def _find_announcement(entries: Sequence[Entry], index: int) -> Entry | None:
    """Return the announcement that reports a choice or a roll, before anybody else chooses or it comes again.

    The announcement of a choice begins with the player who chose.
    """
    entry, place = entries[index], place_of(entries[index].cause)
    for later in islice(entries, index + 1, None):
        if later.kind == PHASE or later.kind == CHOICE and later.seat != entry.seat:
            return None
        if later.kind == entry.kind and later.question == entry.question:
            return None
        if later.kind == SAID and place in later.reports and (entry.kind == LUCK or later.subject == entry.seat):
            return later
    return None


def _is_told_by_gain(entry: Entry, following: Sequence[Entry]) -> bool:
    """Return True for the choice of what one gains or loses, if that comes right behind it, by the same step."""
    if entry.kind != CHOICE or entry.seat < 0 or not entry.words:
        return False
    same = (e for e in following if e.kind == GAIN and e.seat == entry.seat)
    return any(place_of(e.cause) == place_of(entry.cause) for e in same)


def _group_key(entry: Entry) -> tuple[str, int, str, str, int]:
    """Return a key that is equal for entries to be joined in one line; other entries have a key of their own."""
    if entry.kind == PHASE:
        return (PHASE, -1, "", "", 0)
    if entry.kind == GAIN and entry.seat >= 0:
        return (GAIN, entry.seat, entry.owner, entry.cause.title, entry.call)
    return ("", id(entry), "", "", 0)


def _iter_run_lines(run: list[Entry], players: Sequence[str]) -> Iterator[DisplayLine]:
    """Yield one line for a run of entries of the same group, such as nested phases or gains by one rule."""
    first = run[0]
    if first.kind == PHASE:
        inner = [later.level for later in run[1:]] + [first.level + len(run)]
        # others have no lines of their own
        titles = [entry.text for entry, level in zip(run, inner, strict=True) if level > entry.level]
        yield DisplayLine(" > ".join(titles or [run[-1].text]), heading=True, entries=(run[-1],))
        return
    owner = players[first.seat] if first.seat >= 0 else ""
    text = _format_gains(run) if owner and first.kind == GAIN else first.text
    cause = first.cause.title
    shows_cause = first.kind in (GAIN, SHOWN) and cause != first.phase and cause not in text and not _omits_cause(run)
    yield DisplayLine(text, cause if shows_cause else "", entries=tuple(run))


def _omits_cause(run: list[Entry]) -> bool:
    """Return True if a line of `spends` needs no cause, since a routine with an uncapitalized title did it."""
    return all(entry.verb == "spends" for entry in run) and run[0].cause.title[:1].islower()


GAINED = {
    "gains": (N_("{player} gains {amounts}"), N_("gains {amounts}")),
    "spends": (N_("{player} spends {amounts}"), N_("spends {amounts}")),
    "loses": (N_("{player} loses {amounts}"), N_("loses {amounts}")),
}
GAINED_BY_ALL = {
    "gains": N_("The table gains {amounts}"),
    "spends": N_("The table spends {amounts}"),
    "loses": N_("The table loses {amounts}"),
}
NO_CHOICE = N_("{player} has no choice: {choice}")


def _format_gains(run: Sequence[Entry]) -> str:
    """Format the gains and losses of a player: `Ann loses 1 x, and gains 2 y and 1 z`."""
    groups = [
        (verb, _sum_amounts(entry.amount for entry in group)) for verb, group in groupby(run, key=lambda e: e.verb)
    ]
    (verb, amounts), *others = groups
    first = translate(GAINED[verb][0], player=run[0].owner, amounts=join_texts(amounts))
    rest = [translate(GAINED[verb_][1], amounts=join_texts(amounts_)) for verb_, amounts_ in others]
    message = LONG_AND if any(len(amounts_) > 1 for _, amounts_ in groups) else SHORT_AND
    line = first
    for part in rest:
        line = translate(message, first=line, last=part)
    return line


LONG_AND, SHORT_AND = N_("{first}, and {last}"), N_("{first} and {last}")


def _sum_amounts(amounts: Iterable[Amount | None]) -> list[str]:
    """Return the sum of each resource, in the order of its first occurrence."""
    sums: dict[str, Amount] = {}
    for amount in amounts:
        assert amount is not None, "whoever may read that something is gained may read how much"
        before = sums[amount.one].number if amount.one in sums else 0
        sums[amount.one] = replace(amount, number=before + amount.number)
    return [str(amount_) for amount_ in sums.values()]
