"""The lines of the log as values: who may read each, what the others read instead, and several lines told as one.

At a moment to look it is summed up what players won and lost since a phase began, rule by rule, and which adjustments
took part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, islice

from edict.program import Cause
from edict.table.wording import Amount, listed

# --- what was won and lost ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Term:
    """An adjustment that took part in what happened: of which quantity, how much, and because of what."""

    quantity: str
    amount: int
    seat: int
    cause: Cause


@dataclass(frozen=True, slots=True)
class Won:
    """How much a seat won (or lost, below 0) of a resource by one rule.

    `words` is `+2 chips`. `seats` are those who may know (None: everyone).
    """

    seat: int
    name: str
    title: str
    amount: int
    words: str
    cause: Cause
    seats: frozenset[int] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Look:
    """A moment to look, as stored in the log: the panel's number, the state at that time, what had happened."""

    panel: int
    cells: tuple[int, ...]
    changes: tuple[Won, ...]
    terms: tuple[Term, ...]


class PhaseTotals:
    """Remembers what happened, and where in it each phase that is on began."""

    def __init__(self) -> None:
        self._changes: list[Won] = []
        self._terms: dict[tuple[str, int, Cause], tuple[int, Term]] = {}  # each as it counted last, and when
        self._counted = 0
        self._began: list[tuple[int, int]] = []

    def enter(self) -> None:
        """A phase begins."""
        self._began.append((len(self._changes), self._counted))

    def leave(self) -> None:
        """The phase ends; what happened in it belongs to the one around it."""
        self._began.pop()

    def changed(self, change: Won) -> None:
        """Somebody won or lost something."""
        self._changes.append(change)

    def took_part(self, term: Term) -> None:
        """An adjustment counted."""
        self._counted += 1
        self._terms[term.quantity, term.seat, term.cause] = self._counted, term

    def since(self) -> tuple[tuple[Won, ...], tuple[Term, ...]]:
        """All since the innermost phase began (since the game began, if none is on), summed up.

        Of adjustments that counted more than once, how they counted last.
        """
        changes, began = self._began[-1] if self._began else (0, 0)
        summed: dict[tuple[int, str, str, frozenset[int] | None], Won] = {}
        for one in self._changes[changes:]:
            key = one.seat, one.name, one.cause.name or one.cause.title, one.seats
            before = summed[key].amount if key in summed else 0
            summed[key] = replace(one, amount=one.amount + before)
        terms = tuple(term for counted, term in self._terms.values() if counted > began)
        return tuple(one for one in summed.values() if one.amount), terms


# --- lines of the log -----------------------------------------------------------------------------------

PHASE, CHOICE, LUCK, GAIN, CHANGE, SHOWN, SAID = "phase", "choice", "luck", "gain", "change", "shown", "said"
LOOK, SHUFFLE, ROLLED = "look", "shuffle", "Rolled"


Place = tuple[str, int, int]
"""A place in the rules: file, line, column."""


def place_in(cause: Cause) -> Place:
    """Return where in the rules a cause stands."""
    return cause.file, cause.line, cause.column


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a value that an entry tells: of which variable, and whose.

    `number` is added to what was there (`added`), or is what is there now.
    """

    name: str
    of: tuple[int, ...]
    number: int
    added: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the log.

    `kind` is phase, choice, luck, gain, change, shown, said, or look: a moment of which `View.summary` tells. `seats`
    are those who may read the text (None: everyone); the others read `veiled`, or nothing where that is empty. `seat`
    is the player it is about, or -1. `level` counts the phases around it; of a phase's own entry, itself included.
    `words` is what was chosen or came up as the answer of `question`. `subject` is the player whose name begins an
    announcement, or -1, and `reports` are the places of the steps that it tells by reference. `changes` are the
    changes that the entry tells.
    """

    kind: str
    text: str
    cause: Cause
    phase: str
    seat: int = -1
    seats: frozenset[int] | None = None
    veiled: str = ""
    terms: tuple[Term, ...] = ()
    level: int = 0
    openly: Cause | None = field(default=None, compare=False)  # for whoever must not notice which way a secret went
    amount: Amount | None = field(default=None, compare=False)  # what is gained or lost
    verb: str = field(default="", compare=False)  # gains, loses or spends
    owner: str = field(default="", compare=False)  # who does, in words: `Ann`, `Ann, Merchant`
    question: int = field(default=-1, compare=False)
    words: str = field(default="", compare=False)
    forced: bool = field(default=False, compare=False)  # whoever chose had no choice
    rolled: bool = field(default=False, compare=False)  # it is about dice
    subject: int = field(default=-1, compare=False)
    reports: frozenset[Place] = field(default=frozenset(), compare=False)
    changes: tuple[Change, ...] = field(default=(), compare=False)
    at: tuple[int, int, int] | None = field(default=None, compare=False)  # of which step, from event to event
    look: Look | None = field(default=None, compare=False, repr=False)
    call: int = field(default=0, compare=False)  # of which effect it is a part, so that twice the same is two

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        rule = f"{self.cause.title or self.cause.name}, ".removeprefix(", ")
        return f"<{self.text} ({rule}{self.cause.file}:{self.cause.line})>"

    def seen_by(self, seat: int) -> Entry | None:
        """The entry as one seat may read it, or None."""
        if self.look is not None:
            return replace(self, look=None)  # it holds the whole state; a view tells what the seat may know of it
        if self.seats is not None and seat in self.seats:
            return self
        open_ = self if self.openly is None else replace(self, cause=self.openly, openly=None)
        if self.seats is None:
            return open_
        if not self.veiled:
            return None
        kind = CHANGE if self.kind == GAIN else self.kind  # whether it was more or less is hidden too
        return replace(
            open_, kind=kind, text=self.veiled, veiled="", seats=None, terms=(), amount=None, verb="", owner="",
            words="", forced=False, changes=(),
        )  # fmt: skip


# --- in brief -------------------------------------------------------------------------------------------

@dataclass(frozen=True, slots=True)
class Line:
    """A line to be shown; headings name the phase that begins."""

    text: str
    cause: str = ""
    heading: bool = False
    entries: tuple[Entry, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return f"{self.text} ({self.cause})" if self.cause else self.text


def news_lines(entries: Sequence[Entry], players: Sequence[str]) -> list[Line]:
    """The entries as lines."""
    kept, forced = [], dict[int, str]()
    for i, entry in enumerate(entries):
        announced = _find_announcement(entries, i) if _may_be_announced(entry) else None
        if announced is None and not _is_told_by_gain(entry, entries[i + 1 : i + 2]):
            kept.append(entry)
        elif announced is not None and entry.forced:
            forced[id(announced)] = players[entry.seat]
    lines = [line for _, run in groupby(kept, key=_alike) for line in _lines(list(run), players)]
    return [_having_no_choice(line, forced.get(id(line.entries[0]), "")) for line in lines]


def _having_no_choice(line: Line, name: str) -> Line:
    """`Ann has no choice and passes`, where Ann is who had none."""
    return replace(line, text=f"{name} has no choice and {line.text.removeprefix(f'{name} ')}") if name else line


def _may_be_announced(entry: Entry) -> bool:
    """Return True for dice, and for a player's choice that the reader may know."""
    return entry.kind == LUCK and entry.rolled or entry.kind == CHOICE and entry.seat >= 0 and bool(entry.words)


def _find_announcement(entries: Sequence[Entry], i: int) -> Entry | None:
    """Return the announcement that reports a choice or a roll, before anybody else chooses or it comes again.

    The announcement of a choice begins with the player who chose.
    """
    entry, place = entries[i], place_in(entries[i].cause)
    for later in islice(entries, i + 1, None):
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
    return any(place_in(e.cause) == place_in(entry.cause) for e in same)


def _alike(entry: Entry) -> tuple[str, int, str, str, int]:
    """What entries in one line have in common: phases, or what one player gains and loses by one rule."""
    if entry.kind == PHASE:
        return (PHASE, -1, "", "", 0)
    if entry.kind == GAIN and entry.seat >= 0:
        return (GAIN, entry.seat, entry.owner, entry.cause.title, entry.call)
    return ("", id(entry), "", "", 0)


def _lines(run: list[Entry], players: Sequence[str]) -> Iterator[Line]:
    first = run[0]
    if first.kind == PHASE:
        inner = [later.level for later in run[1:]] + [first.level + len(run)]
        kept = [entry.text for entry, level in zip(run, inner, strict=True) if level > entry.level]  # others are empty
        yield Line(" > ".join(kept or [run[-1].text]), heading=True, entries=(run[-1],))
        return
    owner = players[first.seat] if first.seat >= 0 else ""
    text = _together(run) if owner and first.kind == GAIN else first.text
    cause = first.cause.title
    needed = first.kind in (GAIN, SHOWN) and cause != first.phase and cause not in text and not _goes_without(run)
    yield Line(text, cause if needed else "", entries=tuple(run))


def _goes_without(run: list[Entry]) -> bool:
    """Whether what is paid needs no reason: a routine's, `pay the price of the building`, says no more than that."""
    return all(entry.verb == "spends" for entry in run) and run[0].cause.title[:1].islower()


def _together(run: Sequence[Entry]) -> str:
    """`Ann loses 1 x, and gains 2 y and 1 z`, whether she gained the 2 y at once or one by one."""
    told = [(verb, _added_up(entry.amount for entry in group)) for verb, group in groupby(run, key=lambda e: e.verb)]
    joint = ", and " if any(len(amounts) > 1 for _, amounts in told) else " and "
    return f"{run[0].owner} {joint.join(f'{verb} {listed(amounts)}' for verb, amounts in told)}"


def _added_up(amounts: Iterable[Amount | None]) -> list[str]:
    """What of the same is gained or lost step by step, as one amount each; in the order in which it first came."""
    sums: dict[str, Amount] = {}
    for amount in amounts:
        assert amount is not None, "whoever may read that something is gained may read how much"
        before = sums[amount.one].number if amount.one in sums else 0
        sums[amount.one] = replace(amount, number=before + amount.number)
    return [str(one) for one in sums.values()]
