"""What players won and lost since a phase began, rule by rule, and which adjustments took part."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from edict.program import Cause


@dataclass(frozen=True, slots=True)
class Term:
    """An adjustment that took part in what happened: of which quantity, how much, and because of what."""

    quantity: str
    amount: int
    seat: int
    cause: Cause


@dataclass(frozen=True, slots=True)
class Change:
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
    changes: tuple[Change, ...]
    terms: tuple[Term, ...]


class Turnover:
    """Remembers what happened, and where in it each phase that is on began."""

    def __init__(self) -> None:
        self._changes: list[Change] = []
        self._terms: dict[tuple[str, int, Cause], tuple[int, Term]] = {}  # each as it counted last, and when
        self._counted = 0
        self._began: list[tuple[int, int]] = []

    def enter(self) -> None:
        """A phase begins."""
        self._began.append((len(self._changes), self._counted))

    def leave(self) -> None:
        """The phase ends; what happened in it belongs to the one around it."""
        self._began.pop()

    def changed(self, change: Change) -> None:
        """Somebody won or lost something."""
        self._changes.append(change)

    def took_part(self, term: Term) -> None:
        """An adjustment counted."""
        self._counted += 1
        self._terms[term.quantity, term.seat, term.cause] = self._counted, term

    def since(self) -> tuple[tuple[Change, ...], tuple[Term, ...]]:
        """All since the innermost phase began (since the game began, if none is on), summed up.

        Of adjustments that counted more than once, how they counted last.
        """
        changes, began = self._began[-1] if self._began else (0, 0)
        summed: dict[tuple[int, str, str, frozenset[int] | None], Change] = {}
        for one in self._changes[changes:]:
            key = one.seat, one.name, one.cause.name or one.cause.title, one.seats
            before = summed[key].amount if key in summed else 0
            summed[key] = replace(one, amount=one.amount + before)
        terms = tuple(term for counted, term in self._terms.values() if counted > began)
        return tuple(one for one in summed.values() if one.amount), terms
