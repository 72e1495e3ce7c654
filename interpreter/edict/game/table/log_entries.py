"""The lines of the log as values: who may read each, what the others read instead, and several lines told as one.

At a moment to look it is summed up what players won and lost since a phase began, rule by rule, and which adjustments
took part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, takewhile

from edict.game.table.wording import Amount, listed
from edict.runtime.program import Cause

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


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the log.

    `kind` is phase, choice, luck, gain, change, shown, said, or look: a moment of which `View.summary` tells. `seats`
    are those who may read the text (None: everyone); the others read `veiled`, or nothing where that is empty. `seat`
    is the player it is about, or -1. `level` counts the phases around it; of a phase's own entry, itself included.
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
    at: tuple[int, int, int] | None = field(default=None, compare=False)  # of which step, from event to event
    look: Look | None = field(default=None, compare=False, repr=False)
    call: int = field(default=0, compare=False)  # of which effect it is a part, so that twice the same is two

    @property
    def rolled(self) -> bool:
        """Whether it is about dice."""
        return self.kind == LUCK and self.text.startswith(f"{ROLLED}: ")

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
        return replace(open_, kind=kind, text=self.veiled, veiled="", seats=None, terms=(), amount=None)


# --- in brief -------------------------------------------------------------------------------------------

AHEAD = 5  # entries in which a choice may be said again
NO_CHOICE = " has no choice"


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
        following = entries[i + 1 : i + 1 + AHEAD]
        if not _repeated(entry, following):
            kept.append(entry)
        elif _forced(entry):
            forced |= {id(said): _chooser(entry) for said in _announcing(entry, following)[:1]}
    lines = [line for _, run in groupby(kept, key=_alike) for line in _lines(list(run), players)]
    return [_having_no_choice(line, forced.get(id(line.entries[0]), "")) for line in lines]


def _having_no_choice(line: Line, name: str) -> Line:
    """`Ann has no choice and passes`, where Ann is who had none."""
    return replace(line, text=f"{name}{NO_CHOICE} and {line.text.removeprefix(f'{name} ')}") if name else line


def _forced(entry: Entry) -> bool:
    return entry.kind == CHOICE and NO_CHOICE in entry.text.partition(": ")[0]


def _chooser(entry: Entry) -> str:
    return entry.text.partition(": ")[0].removesuffix(NO_CHOICE)


def _announcing(entry: Entry, following: Sequence[Entry]) -> list[Entry]:
    """What is announced of who has chosen, before anybody else chooses."""
    after = takewhile(lambda e: e.kind != PHASE and (e.kind != CHOICE or e.seat == entry.seat), following)
    return [e for e in after if e.kind == SAID and e.text.startswith(f"{_chooser(entry)} ")]


def _repeated(entry: Entry, following: Sequence[Entry]) -> bool:
    """Whether what comes next says it again: a choice that is announced, dice that are named with their owner."""
    words = entry.text.partition(": ")[2]
    if entry.kind == LUCK:
        return entry.rolled and any(e.kind == SAID and words.split(" ")[0] in e.text.split() for e in following)
    if entry.kind != CHOICE or entry.seat < 0:
        return False
    first = words.split(" and ")[0]
    gained = any(e.kind == GAIN and e.seat == entry.seat and first in e.text for e in following[:1])
    return gained or bool(_announcing(entry, following))


def _alike(entry: Entry) -> tuple[str, int, str, int]:
    """What entries in one line have in common: phases, or what one player gains and loses by one rule."""
    if entry.kind == PHASE:
        return (PHASE, -1, "", 0)
    if entry.kind == GAIN and entry.seat >= 0:
        return (GAIN, entry.seat, entry.cause.title, entry.call)
    return ("", id(entry), "", 0)


def _lines(run: list[Entry], players: Sequence[str]) -> Iterator[Line]:
    first = run[0]
    if first.kind == PHASE:
        inner = [later.level for later in run[1:]] + [first.level + len(run)]
        kept = [entry.text for entry, level in zip(run, inner, strict=True) if level > entry.level]  # others are empty
        yield Line(" > ".join(kept or [run[-1].text]), heading=True, entries=(run[-1],))
        return
    owner = players[first.seat] if first.seat >= 0 else ""
    text = _together(run, f"{owner} ") if owner and first.kind == GAIN else first.text
    cause = first.cause.title
    needed = first.kind in (GAIN, SHOWN) and cause != first.phase and cause not in text and not _goes_without(run)
    yield Line(text, cause if needed else "", entries=tuple(run))


def _goes_without(run: list[Entry]) -> bool:
    """Whether what is paid needs no reason: a routine's, `pay the price of the building`, says no more than that."""
    return all(" spends " in entry.text for entry in run) and run[0].cause.title[:1].islower()


def _together(run: Sequence[Entry], owner: str) -> str:
    """`Ann loses 1 x, and gains 2 y and 1 z`, whether she gained the 2 y at once or one by one."""
    deeds = [(*entry.text.removeprefix(owner).partition(" ")[::2], entry.amount) for entry in run]
    told = [(verb, _added_up(group)) for verb, group in groupby(deeds, key=lambda d: d[0])]
    joint = ", and " if any(len(amounts) > 1 for _, amounts in told) else " and "
    return owner + joint.join(f"{verb} {listed(amounts)}" for verb, amounts in told)


def _added_up(deeds: Iterable[tuple[str, str, Amount | None]]) -> list[str]:
    """What of the same is gained or lost step by step, as one amount each; in the order in which it first came."""
    sums: dict[str, Amount | str] = {}
    for _, words, amount in deeds:
        key = amount.one if amount is not None else words
        so_far = sums.get(key)
        if amount is not None and isinstance(so_far, Amount):
            amount = replace(amount, number=so_far.number + amount.number)
        sums[key] = amount or words
    return [str(one) for one in sums.values()]
