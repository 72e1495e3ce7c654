"""The reasons behind a line of the log in words: the rules that led to it, and the terms of its numbers.

Also the terms of a current quantity, and the gains and losses of a resource so far.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial

from edict.game.explanations.option_reasons import OptionExplainer, OptionReason
from edict.game.explanations.reasons_in_words import (
    BOTH,
    ReasonLine,
    describe_kept_rules,
    describe_satisfied_requirement,
    format_place,
    quote_rule,
)
from edict.game.table.addresses import VariableCell, iter_changes, iter_choices, unpack_events
from edict.game.table.game import Game
from edict.game.table.game_steps import GameStep, list_steps, rebuild_state
from edict.game.table.log_entries import CHOICE, SAID, DisplayLine, Entry
from edict.game.table.tracing import (
    OPEN,
    Masks,
    StepTaint,
    TracedEvent,
    TracedValue,
    may_know,
    trace_query,
    trace_step,
    trace_taint,
)
from edict.runtime.program import Cause, Program
from edict.runtime.program.opcodes import EV_SAY, EV_SET, EVENT_SIZE
from edict.runtime.program.reasons import ComputedQuantity
from edict.support.records import dataclass
from edict.support.translations import N_
from edict.support.translations.texts import (
    english_of,
    inflect_text_title,
    join_parts,
    join_texts,
    map_text,
    translate,
)

# --- what an explanation is made of ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NumberTerm:
    """One term of a number."""

    amount: int
    label: str
    cause: Cause | None  # the rule that brought it in, None for a plain amount
    module: str = ""
    when: str = ""  # condition under which the rule counts, in words


@dataclass(frozen=True, slots=True)
class ExplainedNumber:
    """A number with its terms."""

    name: str
    value: int | None  # None if the number itself is hidden
    terms: tuple[NumberTerm, ...]
    hidden: bool = False  # the terms depend on something hidden and are left out


@dataclass(frozen=True, slots=True)
class CauseLink:
    """A rule in a chain of causes."""

    cause: Cause
    module: str  # "" for the game itself


@dataclass(frozen=True, slots=True)
class EntryExplanation:
    """The reasons for a line of the log."""

    entry: Entry
    chain: tuple[CauseLink, ...]  # rules from the course of the game inward, the last is the rule itself
    numbers: tuple[ExplainedNumber, ...]
    answer: str = ""  # the answer just before
    requirements: tuple[OptionReason, ...] = ()  # requirements that an answer satisfied


# --- explaining -----------------------------------------------------------------------------------------

NAME = re.compile(r"[^\W\d_][\w -]*")  # of a part, such as `power of foe`
MOST_STORES = 3  # stored values that are followed back


class LogExplainer:
    """Explains a game to one seat; None sees everything."""

    def __init__(self, game: Game, seat: int | None) -> None:
        self.game = game
        self.seat = seat
        self.program: Program = game.program
        self._modules = dict(self.program.reasons.homes)
        self._when = {self.program.causes[number]: words for number, words in self.program.reasons.when}
        self._parts = {self.program.causes[number]: text for number, text in self.program.reasons.parts}
        self._totals = dict(self.program.reasons.totals)
        self._events: dict[int, tuple[TracedEvent, ...]] = {}

    @cached_property
    def steps(self) -> tuple[GameStep, ...]:
        """Return the answers so far, the start of the game first."""
        return list_steps(self.game.last_step)

    @cached_property
    def taints(self) -> tuple[StepTaint, ...]:
        """Return the hidden information that each step passed on to the next."""
        return tuple(trace_taint(self.game.table, step) for step in self.steps)

    def get_traced_events(self, step: int) -> tuple[TracedEvent, ...]:
        """Return the events of step `step`, replayed with where each value came from; cached."""
        if step not in self._events:
            self._events[step] = trace_step(self.game.table, self.steps[step], self.taints[step].before).events
        return self._events[step]

    # --- lines of the log

    def explain_entry(self, entry: Entry) -> EntryExplanation:
        """Explain an entry of the game's log as far as the seat may know."""
        if entry.at is None:
            return EntryExplanation(entry, (self._make_link(entry.cause),), ())
        number, first, last = entry.at
        events = self.get_traced_events(number)
        if self._may_know(events[last].decision_knowers):
            chain = self._build_chain(events[last], entry.cause)
        else:
            chain = ()
        chain = chain or (self._make_link(entry.cause),)
        if not self._may_read(entry):
            return EntryExplanation(entry, chain, ())
        rule_names = {link.cause.name for link in chain}
        numbers = list(self._iter_numbers(number, events[first : last + 1], entry.text))
        if entry.kind in (CHOICE, SAID):
            numbers += self._iter_payments(number, last, chain[-1].cause.name)
        else:
            numbers += ()
        return EntryExplanation(
            entry,
            chain,
            tuple(numbers),
            self._preceding_answer(number, rule_names),
            self._requirements_of(number, entry),
        )

    def _may_read(self, entry: Entry) -> bool:
        """Return True if the seat reads the entry itself, not its veiled text."""
        full_entry = next((logged for logged in self.game.log if logged.at == entry.at), entry)
        return self.seat is None or full_entry.seats is None or self.seat in full_entry.seats

    def _may_know(self, masks: Iterable[int]) -> bool:
        """Return True if the seat is in every mask, or if the explainer sees everything."""
        return self.seat is None or may_know(masks, self.seat)

    def _build_chain(self, event: TracedEvent, cause: Cause) -> tuple[CauseLink, ...]:
        """Return a link for each call that led to an event, outermost first; a rule's own calls count once."""
        causes = [*(self.program.cause_at(address) for address in event.calls), self.program.cause_at(event.pc), cause]
        chain: list[Cause] = []
        for step_cause in causes:
            if chain and chain[-1].name == step_cause.name and chain[-1].file == step_cause.file:
                chain.pop()
            chain.append(step_cause)
        return tuple(self._make_link(step_cause) for step_cause in chain)

    def _make_link(self, cause: Cause) -> CauseLink:
        """Return a cause with the module of its file; an empty module for the game itself."""
        return CauseLink(cause, self._modules.get(cause.file, ""))

    def _preceding_answer(self, number: int, names: Collection[str]) -> str:
        """Return `Ann: option (prompt)` for the answer of a step if a rule in `names` asked it; else empty."""
        step = self.steps[number]
        if step.before is None or step.seat < 0:
            return ""
        question = self.program.questions[step.question]
        if question.secret and self.seat not in (None, step.seat) or self._asking_rule(step.question) not in names:
            return ""
        text = self.game.table.options.text(step.question, step.value)
        player, prompt = self.game.players[step.seat], self.game.table.options.prompt(question)
        return translate("{player}: {choice} ({question})", player=player, choice=text, question=prompt)

    def _asking_rule(self, question: int) -> str:
        """Return the name of the rule that asks a question."""
        return self.program.causes[self.program.questions[question].cause].name

    def _requirements_of(self, number: int, entry: Entry) -> tuple[OptionReason, ...]:
        """Return the requirements that the answer in this log line satisfied."""
        step = self.steps[number]
        if step.before is None or entry.kind != CHOICE or entry.at is None or entry.at[2] > 0:
            return ()
        table = self.game.table
        before = Game(table, list(rebuild_state(table, step.before)), step.before.draws, step.before)
        return OptionExplainer(before, self.seat).reasons_for(step.value)

    # --- numbers

    def _iter_numbers(self, step: int, events: Sequence[TracedEvent], text: str) -> Iterator[ExplainedNumber]:
        """Iterate over the numbers of a line that have terms."""
        last = events[-1]
        if last.kind == EV_SAY:
            announced = [event for event in events if event.kind == EV_SAY and event.value is not None]
            numbers = [
                self._explain_number(event, event.value, step, text) for event in announced if event.value is not None
            ]
        else:
            value = _delta_of(last)
            numbers = [self._explain_number(last, value, step, text)] if value is not None else []
        yield from (number for number in numbers if number is not None)

    def _explain_number(self, event: TracedEvent, value: TracedValue, step: int, text: str) -> ExplainedNumber | None:
        """Explain a traced value, or return None if its terms add nothing."""
        if value.sort == "plain":  # it has no terms to explain
            return None
        terms_, knowers = self._expand_terms(value, step, MOST_STORES)
        if value.sort == "cell":
            name = self.game.table.layout.cells[value.cell].variable.title
        else:
            name = ""
        if not self._may_know((*knowers, *event.decision_knowers)):
            return ExplainedNumber("", value.value, (), True)
        terms = tuple(
            replace(term, label=_drop_owner(term.label, text, self.game.players)) for term in _merge_terms(terms_)
        )
        has_terms = len(terms) > 1 or len(terms) == 1 and value.sort == "cell" and terms[0].cause is not None
        return ExplainedNumber(name, value.value, terms) if has_terms else None

    def _iter_payments(self, step: int, last: int, rule: str) -> Iterator[ExplainedNumber]:
        """Yield the last dice payment before a line, if `rule` asked for it and something changed its total."""
        before = self.steps[step].events[: (last + 1) * EVENT_SIZE]
        for number, seat, value in reversed([*iter_choices(before)]):
            question = self.program.questions[number]
            if question.domain == "ways":
                if question.secret and self.seat not in (None, seat):
                    return
                payment = self._explain_payment(number, value)
                if self._asking_rule(number) == rule and len(payment.terms) > 1:
                    yield payment
                return

    def _explain_payment(self, number: int, value: int) -> ExplainedNumber:
        """Explain a dice total: one term for each die, and one for the shifts that change it."""
        question, wording = self.program.questions[number], self.game.table.wording
        cause = self.program.causes[question.cause]
        dice, shifts = wording.split_payment(question, value)
        default_die = self.program.dice.kinds[0][0]
        terms = [
            NumberTerm(face, "" if name == default_die else inflect_text_title(1, title), None)
            for name, title, faces in wording.faces(dice)
            for face in faces
        ]
        totals = self._totals.get(question.name, ())
        combination = value >> self.program.dice.bits
        if combination < len(totals) and totals[combination]:
            terms.append(NumberTerm(totals[combination], join_texts(shifts), cause, self._modules.get(cause.file, "")))
        return ExplainedNumber(translate("the dice add up to"), sum(term.amount for term in terms), tuple(terms))

    def _expand_terms(self, value: TracedValue, step: int, depth: int) -> tuple[list[NumberTerm], Masks]:
        """Return a value as terms of a sum (a stored one down to `depth`), and which seats know all of it."""
        if value.sort == "sum":
            terms: list[NumberTerm] = []
            known = OPEN
            for i, part in enumerate(value.parts):
                part_terms, seats = self._expand_terms(part, step, depth)
                if i and value.minus:
                    terms += [replace(term, amount=-term.amount) for term in part_terms]
                else:
                    terms += part_terms
                known |= seats
            return terms, known
        if value.sort == "cell":
            stored = self._find_stored_value(value, step) if depth else None
            if stored is not None:
                terms, seats = self._expand_terms(stored[0], stored[1], depth - 1)
                if not self._may_know(seats):
                    return [self._cell_term(value)], self._knowers_of(value)
                if not any(self._is_cell_term(term, value.cell) for term in terms) and len(_merge_terms(terms)) > 1:
                    return terms, self._knowers_of(value)
            return [self._cell_term(value)], self._knowers_of(value)
        return [self._rule_term(value)], value.knowers

    def _knowers_of(self, value: TracedValue) -> Masks:
        """Return who knows a variable's value as masks of seats; OPEN if it is no secret and its changes are logged."""
        cell = self.game.table.layout.cells[value.cell]
        return value.knowers if cell.known >= 0 or cell.variable.quiet else OPEN

    def _find_stored_value(self, value: TracedValue, step: int) -> tuple[TracedValue, int] | None:
        """Return the traced value that was last stored in a number variable, with the number of that step.

        For a quiet variable, whose changes are not logged, returns None if something hidden took part.
        """
        variable = self.game.table.layout.cells[value.cell].variable
        if variable.resource or variable.type.shape != "number":
            return None
        if value.parts:
            return value.parts[0], step
        for number in range(step - 1, -1, -1):
            if self.seat is not None and variable.quiet and not self.taints[number].is_clean:
                return None
            for index, (kind, _, cell, _, _) in reversed([*enumerate(unpack_events(self.steps[number].events))]):
                if kind == EV_SET and cell == value.cell:
                    stored = self.get_traced_events(number)[index].value
                    return (stored, number) if stored is not None else None
        return None

    def _is_cell_term(self, term: NumberTerm, cell: int) -> bool:
        """Return True if a term is only the content of this cell, without a rule behind it."""
        return term.cause is None and term.label == self._cell_label(self.game.table.layout.cells[cell], term.amount)

    def _cell_term(self, value: TracedValue) -> NumberTerm:
        """Return the term for a traced value that was read from a cell, labelled by the cell."""
        return NumberTerm(value.value, self._cell_label(self.game.table.layout.cells[value.cell], value.value), None)

    def _cell_label(self, cell: VariableCell, amount: int) -> str:
        """Return the label of a cell, such as `soldiers` or `soldiers of Ann`."""
        wording = self.game.table.wording
        label = wording.resource_amount(cell.variable, amount).noun
        owners = [wording.title(kind, i) for kind, i in zip(cell.variable.kinds, cell.of, strict=True)]
        return translate(OF_OWNER, title=label, owner=join_parts(", ", owners)) if owners else label

    def _rule_term(self, value: TracedValue) -> NumberTerm:
        """Return a `NumberTerm` with the amount, the title of the rule it came from, its module and condition."""
        cause = self.program.cause_at(max(value.pc, 0))
        module = self._modules.get(cause.file, "")
        part = self._parts.get(cause, "")
        if part.isdecimal():
            label = ""
        elif part:
            label = part if NAME.fullmatch(part) else f"({part})"
        else:
            label = cause.title or cause.name or translate("a rule")
        return NumberTerm(value.value, label, cause, module, self._when.get(cause, ""))

    # --- as it is now

    def measures(self) -> tuple[ComputedQuantity, ...]:
        """Return the quantities that can be explained."""
        return self.program.reasons.measures

    def explain_measure(self, measure: ComputedQuantity, args: Sequence[int]) -> ExplainedNumber | None:
        """Explain a current quantity, or return None if it cannot be computed.

        The result is hidden and lacks its value if the query read anything that the seat may not see.
        """
        if measure.query < 0:
            return ExplainedNumber(measure.title, measure.value, ())
        return self._explain_query(measure.title, measure.query, args)

    def explain_score(self, seat: int) -> ExplainedNumber | None:
        """Explain a player's current score, like `explain_measure`."""
        return self._explain_query(translate("score"), self.program.score, (seat,))

    def _explain_query(self, name: str, query: int, args: Sequence[int]) -> ExplainedNumber | None:
        """Explain a query's current value; hidden if the seat may not know all it reads, None if it fails."""
        value, read_masks = trace_query(self.program, self.game.table.layout, self.game.state, query, args)
        if not self._may_know(read_masks):
            return ExplainedNumber(name, None, (), True)
        if value is None:
            return None
        return ExplainedNumber(name, value.value, _merge_terms(self._expand_terms(value, len(self.steps), 1)[0]))

    def score_sources(self, seat: int) -> tuple[NumberTerm, ...]:
        """Return the sources of a score that is the amount of a resource, else an empty tuple."""
        return _merge_terms([term for _, term in self.score_history(seat)])

    def score_history(self, seat: int) -> tuple[tuple[int, NumberTerm], ...]:
        """Return the terms of a score that is a resource, in order, each with its answer's number (0: the start)."""
        value, read_masks = trace_query(
            self.program, self.game.table.layout, self.game.state, self.program.score, (seat,)
        )
        if value is None or not self._may_know(read_masks) or value.sort != "cell":
            return ()
        cell = self.game.table.layout.cells[value.cell]
        if not cell.variable.resource:
            return ()
        if self.seat is not None and cell.variable.quiet and not all(taint.is_clean for taint in self.taints):
            return ()
        return tuple(self._iter_gains(cell))

    def module_of(self, cause: Cause) -> str:
        """Return the module that a rule comes from, or an empty text for the game itself."""
        return self._modules.get(cause.file, "")

    def _iter_gains(self, cell: VariableCell) -> Iterator[tuple[int, NumberTerm]]:
        """Yield (number of the answer, term) for each change of a resource's cell, the term labelled by its rule."""
        for number, step in enumerate(self.steps):
            for pc, address, old, new in iter_changes(step.events):
                if address == cell.address:
                    cause = self.program.cause_at(pc)
                    title, module = cause.title or cause.name or translate("a rule"), self._modules.get(cause.file, "")
                    yield number, NumberTerm(new - old, title, cause, module)


def _delta_of(event: TracedEvent) -> TracedValue | None:
    """Return what a change added (of `old + x` only x); the whole value if no sum was stored; None if unknown."""
    value = event.value
    if event.kind != EV_SET or value is None:
        return None
    if value.sort != "sum" or len(value.parts) != 2:
        return value
    if value.parts[0].cell == event.cell:
        return value.parts[1]
    if event.cell < 0:
        return value
    return None


def _drop_owner(label: str, text: str, players: Sequence[str]) -> str:
    """Shorten `soldiers of Ann` to `soldiers` in a line about Ann."""
    for name in players:
        suffix = translate(OF_OWNER, title="", owner=name)
        if label.endswith(suffix) and text.startswith(f"{name} "):
            return map_text(label, partial(_drop_suffix, suffixes=(suffix, english_of(suffix))))
    return label


def _drop_suffix(text: str, suffixes: Sequence[str]) -> str:
    """Return a text without the first of the suffixes that it has."""
    suffix = next((suffix for suffix in suffixes if text.endswith(suffix)), "")
    return text.removesuffix(suffix)


def _merge_terms(terms: Sequence[NumberTerm]) -> tuple[NumberTerm, ...]:
    """Return terms with those of one rule summed and zeros left out."""
    sums: dict[tuple[str, Cause | None], NumberTerm] = {}
    for term in terms:
        key = (term.label, term.cause)
        before = sums.get(key)
        sums[key] = replace(term, amount=term.amount + before.amount) if before else term
    return tuple(term for term in sums.values() if term.amount)


# --- explanations in words ------------------------------------------------------------------------------

HIDDEN_TERMS = N_("you may not see the parts")
HIDDEN_VALUE = N_("it depends on something you may not see")
OF_OWNER = N_("{title} of {owner}")


# --- lines of the log ------------------------------------------------------------------------------


def describe_line(explainer: LogExplainer, shown: DisplayLine) -> list[ReasonLine]:
    """Describe the reasons for a line: the rule itself, those around it, then its numbers."""
    explanations = [explainer.explain_entry(entry) for entry in shown.entries]
    lines = [ReasonLine(shown.text)]
    for explanation in explanations:
        lines += [part for part in _describe_entry(explanation, len(explanations) > 1) if part not in lines]
    return lines


def _describe_entry(explanation: EntryExplanation, several: bool) -> Iterator[ReasonLine]:
    """Yield lines on an entry: its rule, those around it, the answer, numbers and satisfied requirements."""
    level = 1
    if several:
        yield ReasonLine(translate("{line}:", line=explanation.entry.text), level=1)
        level = 2
    *outer, rule = explanation.chain
    yield ReasonLine(translate("by {rule}", rule=quote_rule(rule.cause)), format_place(rule.cause, rule.module), level)
    for link in reversed(outer):
        yield ReasonLine(
            translate("in {rule}", rule=quote_rule(link.cause)), format_place(link.cause, link.module), level
        )
    if explanation.answer:
        yield ReasonLine(translate("after this choice: {choice}", choice=explanation.answer), level=level)
    for number in explanation.numbers:
        yield from describe_number(number, level)
    requirements = explanation.requirements
    lines = [
        *describe_kept_rules(requirements),
        *(line for reason in requirements for line in describe_satisfied_requirement(reason)),
    ]
    if lines:
        voices = {line.voice for line in lines}
        voice = voices.pop() if len(voices) == 1 else BOTH
        yield ReasonLine(translate("This choice was available because:"), level=level, voice=voice)
    yield from (replace(line, level=line.level + level) for line in lines)


# --- numbers ---------------------------------------------------------------------------------------


def describe_number(number: ExplainedNumber, level: int = 1) -> Iterator[ReasonLine]:
    """Describe a number, as in `battle strength 5 = 2 soldiers + 1 Guard Tower`, then each term with its rule."""
    if number.hidden:
        is_known = number.value is not None
        head = _join_filled(number.name, str(number.value)) if is_known else number.name
        yield ReasonLine(join_parts(": ", (head, translate(HIDDEN_TERMS if is_known else HIDDEN_VALUE))), level=level)
        return
    head = _join_filled(number.name, str(number.value))
    yield ReasonLine(join_parts(" = ", (head, format_sum(number.terms))) if number.terms else head, level=level)
    for term in number.terms:
        if term.cause is not None:
            text = _format_term(term.amount, term)
            if term.when:
                text = translate("{amount}, if {condition}", amount=text, condition=term.when)
            yield ReasonLine(text, format_place(term.cause, term.module), level + 1)


def format_sum(terms: Sequence[NumberTerm]) -> str:
    """Format terms as a sum: `2 soldiers + 1 Guard Tower - 1 Crane`."""
    first, *rest = terms
    signed = (join_parts(" ", ("-" if term.amount < 0 else "+", _format_term(abs(term.amount), term))) for term in rest)
    return join_parts(" ", (_format_term(first.amount, first), *signed))


def _format_term(amount: int, term: NumberTerm) -> str:
    """Format an amount with the term's label, as in `2 soldiers`; a label with a leading digit gets parentheses."""
    label = map_text(term.label, lambda words: f"({words})" if words[:1].isdigit() else words)
    return _join_filled(str(amount), label)


def _join_filled(*texts: str) -> str:
    """Join texts that are not empty by spaces."""
    return join_parts(" ", filter(None, texts))
