"""What led to a line of the log: the rules behind it, and the terms of the numbers in it, told in words.

Also the terms of a quantity as it is, and what somebody gained and lost of a resource so far.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from edict.game.explanations.reasons_in_words import ReasonLine, met, named, place
from edict.game.explanations.why_options import Reason, Why
from edict.game.table.addresses import Cell, changes_in, choices_in, events_of
from edict.game.table.game import Game
from edict.game.table.game_steps import Step, chain_of, rebuilt
from edict.game.table.log_entries import CHOICE, SAID, Entry, Line
from edict.game.table.tracing import OPEN, Masks, Noted, StepTaint, TracedValue, may_know, measured, taints, traced
from edict.runtime.program import Cause, Program
from edict.runtime.program.opcodes import EV_SAY, EV_SET, EVENT_SIZE
from edict.runtime.program.reasons import Measure
from edict.support.morphology import inflect_title, join_words

# --- what an explanation is made of ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NumberTerm:
    """One of the terms of a number: how much, of what, and the rule that brought it in (None: simply what there is).

    `when` is the condition under which the rule counts, in words.
    """

    amount: int
    label: str
    cause: Cause | None
    module: str = ""
    when: str = ""


@dataclass(frozen=True, slots=True)
class ExplainedNumber:
    """A number and its terms; `hidden` if those hang on something one may not know, and so are not told.

    `value` is None if the number itself does.
    """

    name: str
    value: int | None
    terms: tuple[NumberTerm, ...]
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class CauseLink:
    """A rule in a chain of causes, and its module if it has one."""

    cause: Cause
    module: str


@dataclass(frozen=True, slots=True)
class Explained:
    """Why a line is in the log. `chain` runs from the course of the game inward; the last link is the rule itself.

    `answer` is what a player had just answered; `met` is what an answer had to meet to be possible.
    """

    entry: Entry
    chain: tuple[CauseLink, ...]
    numbers: tuple[ExplainedNumber, ...]
    answer: str = ""
    met: tuple[Reason, ...] = ()


# --- explaining -----------------------------------------------------------------------------------------

DEPTH = 3  # how far back values are followed that were put aside and used again


class Explainer:
    """Explains a game to one seat; None sees everything."""

    def __init__(self, game: Game, seat: int | None) -> None:
        self.game = game
        self.seat = seat
        self.program: Program = game.program
        self._homes = dict(self.program.reasons.homes)
        self._when = {self.program.causes[number]: words for number, words in self.program.reasons.when}
        self._parts = {self.program.causes[number]: text for number, text in self.program.reasons.parts}
        self._totals = dict(self.program.reasons.totals)
        self._traced: dict[int, tuple[Noted, ...]] = {}

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The answers given so far, the beginning of the game first."""
        return chain_of(self.game.last_step)

    @cached_property
    def taints(self) -> tuple[StepTaint, ...]:
        """What the steps left to each other of what not everybody may know."""
        return taints(self.game.table, self.game.last_step)

    def events(self, step: int) -> tuple[Noted, ...]:
        if step not in self._traced:
            self._traced[step] = traced(self.game.table, self.steps[step], self.taints[step].begun).events
        return self._traced[step]

    # --- lines of the log

    def entry(self, entry: Entry) -> Explained:
        """What led to a line, as far as the seat may know; the line must be one of the game's log, or veiled."""
        if entry.at is None:
            return Explained(entry, (self._link(entry.cause),), ())
        number, first, last = entry.at
        noted = self.events(number)
        chain = self._chain(noted[last], entry.cause) if self._may_know(noted[last].decided) else ()
        chain = chain or (self._link(entry.cause),)
        if not self._may_read(entry):
            return Explained(entry, chain, ())
        names = {link.cause.name for link in chain}
        numbers = list(self._numbers(number, noted[first : last + 1], entry.text))
        numbers += self._paid(number, last, chain[-1].cause.name) if entry.kind in (CHOICE, SAID) else ()
        return Explained(entry, chain, tuple(numbers), self._answer(number, names), self._met(number, entry))

    def _may_read(self, entry: Entry) -> bool:
        """Whether the seat reads the line as it is, and not veiled."""
        whole = next((one for one in self.game.log if one.at == entry.at), entry)
        return self.seat is None or whole.seats is None or self.seat in whole.seats

    def _may_know(self, masks: Iterable[int]) -> bool:
        return self.seat is None or may_know(masks, self.seat)

    def _chain(self, noted: Noted, cause: Cause) -> tuple[CauseLink, ...]:
        """The rules on the way; of the same rule only the innermost place."""
        causes = [*(self.program.cause_at(at) for at in noted.calls), self.program.cause_at(noted.pc), cause]
        chain: list[Cause] = []
        for one in causes:
            if chain and chain[-1].name == one.name and chain[-1].file == one.file:
                chain.pop()
            chain.append(one)
        return tuple(self._link(one) for one in chain)

    def _link(self, cause: Cause) -> CauseLink:
        return CauseLink(cause, self._homes.get(cause.file, ""))

    def _answer(self, number: int, names: Collection[str]) -> str:
        """What was answered just before, if one of the rules on the way had asked."""
        step = self.steps[number]
        if step.before is None or step.seat < 0:
            return ""
        question = self.program.questions[step.question]
        if question.secret and self.seat not in (None, step.seat) or self._asker(step.question) not in names:
            return ""
        said = self.game.table.options.text(step.question, step.value)
        return f"{self.game.players[step.seat]}: {said} ({self.game.table.options.prompt(question)})"

    def _asker(self, question: int) -> str:
        """The name of the rule that asks a question."""
        return self.program.causes[self.program.questions[question].cause].name

    def _met(self, number: int, entry: Entry) -> tuple[Reason, ...]:
        """Of a line that describes an answer, all that the answer had to meet."""
        step = self.steps[number]
        if step.before is None or entry.kind != CHOICE or entry.at is None or entry.at[2] > 0:
            return ()
        table = self.game.table
        before = Game(table, list(rebuilt(table, step.before)), step.before.draws, step.before)
        return Why(before, self.seat).reasons(step.value)

    # --- numbers

    def _numbers(self, step: int, noted: Sequence[Noted], text: str) -> Iterator[ExplainedNumber]:
        """The numbers in a line that were made of terms; whose they are need not be said again."""
        last = noted[-1]
        if last.kind == EV_SAY:
            said = [one for one in noted if one.kind == EV_SAY and one.made is not None]
            whole = [self._number(one, one.made, step, text) for one in said if one.made is not None]
        else:
            made = _changed_by(last)
            whole = [self._number(last, made, step, text)] if made is not None else []
        yield from (number for number in whole if number is not None)

    def _number(self, noted: Noted, made: TracedValue, step: int, text: str) -> ExplainedNumber | None:
        if made.sort == "plain":  # there is nothing to be told of how it is made up, whoever may know what
            return None
        found, known = self._terms(made, step, DEPTH)
        name = self.game.table.layout.cells[made.cell].variable.title if made.sort == "cell" else ""
        if not self._may_know((*known, *noted.decided)):
            return ExplainedNumber("", made.value, (), True)
        terms = tuple(replace(t, label=_unowned(t.label, text, self.game.players)) for t in _merged(found))
        told = len(terms) > 1 or len(terms) == 1 and made.sort == "cell" and terms[0].cause is not None
        return ExplainedNumber(name, made.value, terms) if told else None

    def _paid(self, step: int, last: int, rule: str) -> Iterator[ExplainedNumber]:
        """The dice a line's action was paid with: their total, and what changed it."""
        before = self.steps[step].events[: (last + 1) * EVENT_SIZE]
        for number, seat, value in reversed([*choices_in(before)]):
            question = self.program.questions[number]
            if question.domain == "ways":
                if question.secret and self.seat not in (None, seat):
                    return
                way = self._way(number, value)
                if self._asker(number) == rule and len(way.terms) > 1:
                    yield way
                return

    def _way(self, number: int, value: int) -> ExplainedNumber:
        question, wording = self.program.questions[number], self.game.table.wording
        cause = self.program.causes[question.cause]
        dice, shifts = wording.split(question, value)
        plain = self.program.dice.kinds[0][0]
        terms = [
            NumberTerm(face, "" if name == plain else inflect_title(1, title), None)
            for name, title, shown in wording.faces(dice)
            for face in shown
        ]
        by = self._totals.get(question.name, ())
        combination = value >> self.program.dice.bits
        if combination < len(by) and by[combination]:
            terms.append(NumberTerm(by[combination], join_words(shifts), cause, self._homes.get(cause.file, "")))
        return ExplainedNumber("the dice make", sum(term.amount for term in terms), tuple(terms))

    def _terms(self, made: TracedValue, step: int, depth: int) -> tuple[list[NumberTerm], Masks]:
        """The terms of a value, and who may know all of it."""
        if made.sort == "sum":
            terms: list[NumberTerm] = []
            known = OPEN
            for i, part in enumerate(made.parts):
                found, seats = self._terms(part, step, depth)
                terms += [replace(t, amount=-t.amount) for t in found] if i and made.minus else found
                known |= seats
            return terms, known
        if made.sort == "cell":
            inner = self._put_there(made, step) if depth else None
            if inner is not None:
                terms, seats = self._terms(inner[0], inner[1], depth - 1)
                if not self._may_know(seats):
                    return [self._of_cell(made)], self._seen(made)
                if not any(self._is_cell(t, made.cell) for t in terms) and len(_merged(terms)) > 1:
                    return terms, self._seen(made)
            return [self._of_cell(made)], self._seen(made)
        return [self._plain(made)], made.known

    def _seen(self, made: TracedValue) -> Masks:
        """Who may know what was read from a variable: everybody, if all see each change of it, whatever it hung on."""
        cell = self.game.table.layout.cells[made.cell]
        return made.known if cell.known >= 0 or cell.variable.quiet else OPEN

    def _put_there(self, made: TracedValue, step: int) -> tuple[TracedValue, int] | None:
        """What was last put into a variable that is only kept for later, and in which step.

        For a quiet one, whose changes are not logged, nothing that was put there where something hidden had a part.
        """
        variable = self.game.table.layout.cells[made.cell].variable
        if variable.resource or variable.type.shape != "number":
            return None
        if made.parts:
            return made.parts[0], step
        for number in range(step - 1, -1, -1):
            if self.seat is not None and variable.quiet and not self.taints[number].clean:
                return None
            for at, (kind, _, cell, _, _) in reversed([*enumerate(events_of(self.steps[number].events))]):
                if kind == EV_SET and cell == made.cell:
                    found = self.events(number)[at].made
                    return (found, number) if found is not None else None
        return None

    def _is_cell(self, term: NumberTerm, cell: int) -> bool:
        return term.cause is None and term.label == self._label(self.game.table.layout.cells[cell], term.amount)

    def _of_cell(self, made: TracedValue) -> NumberTerm:
        return NumberTerm(made.value, self._label(self.game.table.layout.cells[made.cell], made.value), None)

    def _label(self, cell: Cell, amount: int) -> str:
        """`soldiers`, or the name of what is kept, and of whom."""
        wording = self.game.table.wording
        one = wording.amount(cell.variable, amount).partition(" ")[2]
        others = [wording.title(kind, i) for kind, i in zip(cell.variable.kinds, cell.of, strict=True)]
        return f"{one} of {', '.join(others)}" if others else one

    def _plain(self, made: TracedValue) -> NumberTerm:
        """A value that came out of a rule: its title, and the condition under which it counts."""
        cause = self.program.cause_at(max(made.pc, 0))
        home = self._homes.get(cause.file, "")
        part = self._parts.get(cause, "")
        label = ("" if part.isdecimal() else f"({part})") if part else cause.title or cause.name or "a rule"
        return NumberTerm(made.value, label, cause, home, self._when.get(cause, ""))

    # --- as it is now

    def measures(self) -> tuple[Measure, ...]:
        return self.program.reasons.measures

    def measure(self, measure: Measure, args: Sequence[int]) -> ExplainedNumber | None:
        """A quantity now, with its terms; None if it cannot be worked out.

        `hidden`, and without its value, if anything was read for it that the seat may not see.
        """
        if measure.query < 0:
            return ExplainedNumber(measure.title, measure.value, ())
        return self._now(measure.title, measure.query, args)

    def score(self, seat: int) -> ExplainedNumber | None:
        """A player's score now, likewise."""
        return self._now("score", self.program.score, (seat,))

    def _now(self, name: str, query: int, args: Sequence[int]) -> ExplainedNumber | None:
        made, looked = measured(self.program, self.game.table.layout, self.game.state, query, args)
        if not self._may_know(looked):
            return ExplainedNumber(name, None, (), True)
        if made is None:
            return None
        return ExplainedNumber(name, made.value, _merged(self._terms(made, len(self.steps), 1)[0]))

    def scored(self, seat: int) -> tuple[NumberTerm, ...]:
        """Where a score comes from that is nothing but a resource one has; nothing of any other score."""
        return _merged([term for _, term in self.course(seat)])

    def course(self, seat: int) -> tuple[tuple[int, NumberTerm], ...]:
        """How such a score came about: by which answer (counted from 1; 0 is the beginning), and the term, in order."""
        made, looked = measured(self.program, self.game.table.layout, self.game.state, self.program.score, (seat,))
        if made is None or not self._may_know(looked) or made.sort != "cell":
            return ()
        cell = self.game.table.layout.cells[made.cell]
        if not cell.variable.resource:
            return ()
        if self.seat is not None and cell.variable.quiet and not all(passed.clean for passed in self.taints):
            return ()
        return tuple(self._gained(cell))

    def home(self, cause: Cause) -> str:
        """The module a rule comes from; nothing for the game itself."""
        return self._homes.get(cause.file, "")

    def _gained(self, cell: Cell) -> Iterator[tuple[int, NumberTerm]]:
        """What was gained and lost of a resource so far, by which answer and which rule."""
        for number, step in enumerate(self.steps):
            for pc, address, old, new in changes_in(step.events):
                if address == cell.address:
                    cause = self.program.cause_at(pc)
                    title, home = cause.title or cause.name or "a rule", self._homes.get(cause.file, "")
                    yield number, NumberTerm(new - old, title, cause, home)


def _changed_by(noted: Noted) -> TracedValue | None:
    """Of a change the amount by which it changed: what was there before is not one of its terms."""
    made = noted.made
    if noted.kind != EV_SET or made is None:
        return None
    if made.sort != "sum" or len(made.parts) != 2:
        return made
    return made.parts[1] if made.parts[0].cell == noted.cell else made if noted.cell < 0 else None


def _unowned(label: str, text: str, players: Sequence[str]) -> str:
    """`soldiers` for `soldiers of Ann` where the line speaks of Ann anyway."""
    owner = next((name for name in players if label.endswith(f" of {name}")), "")
    return label.removesuffix(f" of {owner}") if owner and text.startswith(f"{owner} ") else label


def _merged(terms: Sequence[NumberTerm]) -> tuple[NumberTerm, ...]:
    """Terms of the same rule together; what comes to nothing is left out."""
    sums: dict[tuple[str, Cause | None], NumberTerm] = {}
    for term in terms:
        key = (term.label, term.cause)
        before = sums.get(key)
        sums[key] = replace(term, amount=term.amount + before.amount) if before else term
    return tuple(term for term in sums.values() if term.amount)


# --- explanations in words ------------------------------------------------------------------------------

HIDDEN = "you may not see how it is made up"
SECRET = "it depends on something you may not see"


# --- lines of the log ------------------------------------------------------------------------------


def line(explainer: Explainer, shown: Line) -> list[ReasonLine]:
    """What led to a line: first the rule itself, then those around it, then the numbers in it."""
    told = [explainer.entry(entry) for entry in shown.entries]
    said = [ReasonLine(shown.text)]
    for one in told:
        said += [part for part in _explained(one, len(told) > 1) if part not in said]
    return said


def _explained(one: Explained, several: bool) -> Iterator[ReasonLine]:
    level = 1
    if several:
        yield ReasonLine(f"{one.entry.text}:", level=1)
        level = 2
    *around, rule = one.chain
    yield ReasonLine(f"by {named(rule.cause)}", place(rule.cause, rule.module), level)
    for link in reversed(around):
        yield ReasonLine(f"in {named(link.cause)}", place(link.cause, link.module), level)
    if one.answer:
        yield ReasonLine(f"after the answer {one.answer}", level=level)
    for number in one.numbers:
        yield from numbered(number, level)
    if one.met:
        yield ReasonLine("It could be chosen, because:", level=level)
        for reason in one.met:
            yield from (ReasonLine(said.words, said.place, said.level + level) for said in met(reason))


# --- numbers ---------------------------------------------------------------------------------------


def numbered(number: ExplainedNumber, level: int = 1) -> Iterator[ReasonLine]:
    """`battle strength 5 = 2 soldiers + 1 Guard Tower`, then each term with its rule."""
    if number.hidden:
        known = number.value is not None
        head = f"{number.name} {number.value}".strip() if known else number.name
        yield ReasonLine(f"{head}: {HIDDEN if known else SECRET}", level=level)
        return
    head = f"{number.name} {number.value}".strip()
    yield ReasonLine(f"{head} = {summed(number.terms)}" if number.terms else head, level=level)
    for term in number.terms:
        if term.cause is not None:
            when = f", if {term.when}" if term.when else ""
            yield ReasonLine(f"{_counted(term.amount, term)}{when}", place(term.cause, term.module), level + 1)


def summed(terms: Sequence[NumberTerm]) -> str:
    """`2 soldiers + 1 Guard Tower - 1 Crane`."""
    first, *rest = terms
    return " ".join(
        [_counted(first.amount, first), *(f"{'-' if t.amount < 0 else '+'} {_counted(abs(t.amount), t)}" for t in rest)]
    )


def _counted(amount: int, term: NumberTerm) -> str:
    label = f"({term.label})" if term.label[:1].isdigit() else term.label
    return f"{amount} {label}".strip()
