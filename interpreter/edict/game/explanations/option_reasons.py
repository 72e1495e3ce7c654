"""The reasons why an option is offered or not: the conditions of a question, evaluated one by one for one option.

They run on a copy of the state at the question, in code compiled from the rules; the game never changes. A condition
that reads a cell hidden from the seat has no answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from edict.game.table.addresses import bits_of
from edict.game.table.game import Game
from edict.game.table.knowledge import compute_masked_query, make_blind
from edict.game.table.options import Ask
from edict.game.table.tracing import find_hidden_cells
from edict.game.table.wording import Wording
from edict.runtime.program import Cause, Program
from edict.runtime.program.opcodes import DECLINE, QUESTION, YOU
from edict.runtime.program.reasons import ConditionCheck, OptionRequirement, ReasonAlternative, ReasonValue
from edict.support.records import dataclass
from edict.support.translations import N_
from edict.support.translations.texts import english_of, inflect_text_title, join_parts, join_some, translate

# --- reasons --------------------------------------------------------------------------------------------

MARK = re.compile(r"\{(\d)\}")
AIDED_SORTS = ("dice", "total")  # sorts of requirements that have shifts, not exceptions
MOST_MEMBERS = 8  # members of a set that are named
YOU_HAVE, YOU_HAVE_NONE = N_("you have {number} {title}"), N_("you have no {title}")
PLAYER_HAS, PLAYER_HAS_NONE = N_("{player} has {number} {title}"), N_("{player} has no {title}")


@dataclass(frozen=True, slots=True)
class Finding:
    """A condition and its result."""

    holds: bool | None  # None if it depends on something hidden or cannot be evaluated
    text: str  # in terms of the rules
    cause: Cause
    values: tuple[str, ...] = ()  # values that it reads in terms of the rules
    parts: tuple[Finding, ...] = ()  # parts that were evaluated
    of: str = ""  # the member that it is about, in `every` and `some`
    shape: str = "is"
    secret: bool = False
    words: str = ""  # text for players
    amounts: tuple[str, ...] = ()  # values for players
    numbers: tuple[tuple[str, int], ...] = ()  # numbers that it reads, by their names in terms of the rules


@dataclass(frozen=True, slots=True)
class Alternative:
    """An exception or a shift with the results of its conditions."""

    cause: Cause
    module: str
    holds: bool | None  # its condition holds
    when: Finding | None
    require: Finding | None  # what it requires in place of the rule
    because: str
    title: str  # of its rule or thing, as in a sentence


@dataclass(frozen=True, slots=True)
class OptionReason:
    """One requirement of an option with its result."""

    sort: str
    name: str
    because: str
    cause: Cause
    module: str  # module of its rule, "" for the game itself
    holds: bool | None
    found: Finding
    unless: tuple[Alternative, ...] = ()

    @property
    def deciding_exception(self) -> Alternative | None:
        """Return the exception that decides in place of the rule, or None."""
        holding = (alternative for alternative in self.unless if alternative.holds)
        return None if self.sort in AIDED_SORTS else next(holding, None)

    @property
    def uncertain_exception(self) -> Alternative | None:
        """Return an exception that may refuse in place of a rule that holds, if it is hidden whether it applies."""
        if self.sort in AIDED_SORTS or self.holds is not None or self.found.holds is not True:
            return None
        return next(
            (
                alternative
                for alternative in self.unless
                if alternative.holds is None and alternative.require is not None
            ),
            None,
        )


class OptionExplainer:
    """Explains the options of the current question as seen by one seat; None sees everything.

    The game must wait for the answer of a player.
    """

    def __init__(self, game: Game, seat: int | None) -> None:
        self.game = game
        self.seat = seat
        self.program: Program = game.program
        self.wording: Wording = game.table.wording
        self.state = game.state
        self.number = self.state[QUESTION]
        self.question = self.program.questions[self.number]
        self.hidden = frozenset[int]()
        if seat is not None:
            self.hidden = find_hidden_cells(game.table, game.last_step, self.state, seat)
        self._modules = dict(self.program.reasons.homes)
        self._results: dict[tuple[int, tuple[int, ...]], tuple[int | None, bool]] = {}  # of queries, by arguments

    # --- what can be asked about

    def candidates(self, number: int | None = None) -> Ask:
        """Return the question (default: the current one) with every value of its domain as an option."""
        number = self.number if number is None else number
        question = self.program.questions[number]
        if question.domain == "thing":
            values = list(range(len(self.wording.things(question.kind))))
        elif question.domain == "number":
            values = list(range(self.program.max_options))
        elif question.domain == "die":
            values = list(self.program.dice.fields)
        else:
            values = list(range(len(question.labels)))
        decline = [DECLINE] if question.decline else []
        return self.game.table.options.build_question(number, max(self.game.seat, 0), [*values, *decline])

    def reasons_for(self, value: int) -> tuple[OptionReason, ...]:
        """Return every requirement of the question for this option in the order of the rules."""
        demands = (demand for demand in self.program.reasons.demands if demand.question == self.number)
        return tuple(self._evaluate_demand(demand, value) for demand in demands if demand.option in (None, value))

    def reasons_with_exceptions(self, value: int) -> tuple[OptionReason, ...]:
        """Return the requirements for this option that have exceptions."""
        demands = (
            demand for demand in self.program.reasons.demands if demand.question == self.number and demand.unless
        )
        return tuple(
            self._evaluate_demand(demand, value)
            for demand in demands
            if demand.sort not in AIDED_SORTS and demand.option in (None, value)
        )

    def payment(self) -> tuple[int, int] | None:
        """Return (total to pay, dice at hand as packed number) of a payment question; None if hidden or no such."""
        demand = next(
            (
                candidate
                for candidate in self.program.reasons.demands
                if (candidate.question, candidate.sort) == (self.number, "total")
            ),
            None,
        )
        if demand is None:
            return None
        values = self.program.reasons.checks[demand.check].values
        results = [self._query_value(value.query, ()) for value in values]
        if results[0] is not None and results[1] is not None:
            return (results[0], results[1])
        return None

    def module_of(self, cause: Cause) -> str:
        """Return the module that a rule comes from, or an empty text for the game itself."""
        return self._modules.get(cause.file, "")

    # --- demands

    def _evaluate_demand(self, demand: OptionRequirement, value: int) -> OptionReason:
        """Evaluate a requirement and its exceptions for an option's value, and decide if it holds."""
        args = (value,) if demand.option is None and demand.sort != "total" else ()
        finding = self._evaluate(demand.check, args, (self.question.kind,))
        unless = tuple(self._evaluate_exception(exception, args) for exception in demand.unless)
        holds = finding.holds if demand.sort in AIDED_SORTS else _decide(finding.holds, unless)
        cause = self.program.causes[demand.cause]
        return OptionReason(
            demand.sort, demand.name, demand.because, cause, self.module_of(cause), holds, finding, unless
        )

    def _evaluate_exception(self, exception: ReasonAlternative, args: tuple[int, ...]) -> Alternative:
        """Evaluate when an exception applies and what it requires; a missing condition (-1) holds."""
        kinds = (self.question.kind,)
        when = self._evaluate(exception.check, args, kinds) if exception.check >= 0 else None
        require = self._evaluate(exception.require, args, kinds) if exception.require >= 0 else None
        cause = self.program.causes[exception.cause]
        holds, words = when is None or when.holds, (exception.because, exception.title)
        return Alternative(cause, self.module_of(cause), holds, when, require, *words)

    # --- checks

    def _evaluate(self, number: int, args: tuple[int, ...], kinds: tuple[str, ...]) -> Finding:
        """Evaluate condition `number`: by its parts, by its members, or by its query with the values it reads."""
        check = self.program.reasons.checks[number]
        if check.parts and check.shape in ("all", "any"):
            return self._evaluate_parts(check, args, kinds)
        if check.parts:
            return self._evaluate_members(check, args, kinds)
        if check.secret or check.query < 0:
            result, is_secret = (None, check.secret)
        else:
            result, is_secret = self._run_query(check.query, args)
        finding = self._make_finding(check, None if result is None else bool(result), args, kinds)
        if is_secret:
            return replace(finding, secret=True)
        values, amounts = (self._format_values(check, args, kinds, for_players) for for_players in (False, True))
        return replace(finding, values=values, amounts=amounts, numbers=self._read_numbers(check, args, kinds))

    def _evaluate_parts(self, check: ConditionCheck, args: tuple[int, ...], kinds: tuple[str, ...]) -> Finding:
        """Evaluate the parts of `and` or `or` in order up to the one that decides, as the rules do."""
        decisive = check.shape == "any"
        findings: list[Finding] = []
        for part in check.parts:
            findings.append(self._evaluate(part, args, kinds))
            if findings[-1].holds is decisive:
                break
        outcomes = [finding.holds for finding in findings]
        if outcomes[-1] is decisive:
            holds = decisive
        elif None in outcomes:
            holds = None
        else:
            holds = not decisive
        return replace(self._make_finding(check, holds, args, kinds), parts=tuple(findings))

    def _evaluate_members(self, check: ConditionCheck, args: tuple[int, ...], kinds: tuple[str, ...]) -> Finding:
        """Evaluate `every` or `some` by member; the finding shows the deciding members, else all."""
        members, is_secret = self._run_query(check.query, args)
        if members is None:
            return replace(self._make_finding(check, None, args, kinds), secret=is_secret)
        findings = [
            (index, self._evaluate(check.parts[0], (*args, index), (*_select_argument_kinds(kinds, args), check.kind)))
            for index in bits_of(members)
        ]
        decisive = check.shape == "some"
        deciding = [(index, finding) for index, finding in findings if finding.holds is decisive]
        unknown = any(finding.holds is None for _, finding in findings)
        if deciding:
            holds = decisive
        elif unknown:
            holds = None
        else:
            holds = not decisive
        shown = deciding[:1] if decisive and deciding else deciding or findings
        parts = tuple(
            replace(finding, of=self.wording.title(check.kind, index), secret=False)
            for index, finding in shown[:MOST_MEMBERS]
        )
        return replace(self._make_finding(check, holds, args, kinds), parts=parts)

    def _make_finding(
        self, check: ConditionCheck, holds: bool | None, args: tuple[int, ...], kinds: tuple[str, ...]
    ) -> Finding:
        """Return a finding with the condition's text, in which names of arguments are filled in; None is unknown."""
        text, cause = self._fill_names(check.text, args, kinds), self.program.causes[check.cause]
        return Finding(holds, text, cause, shape=check.shape, words=check.words or text)

    # --- values

    def _format_values(
        self, check: ConditionCheck, args: tuple[int, ...], kinds: tuple[str, ...], for_players: bool
    ) -> tuple[str, ...]:
        """Return the values that a condition reads as texts, each once, without hidden ones."""
        texts = (self._format_value(value, args, kinds, for_players) for value in check.values)
        return tuple(dict.fromkeys(words for words in texts if words))

    def _read_numbers(
        self, check: ConditionCheck, args: tuple[int, ...], kinds: tuple[str, ...]
    ) -> tuple[tuple[str, int], ...]:
        """Return the numbers that a condition reads, without hidden ones, each with its name."""
        values = [value for value in check.values if self.program.queries[value.query].type.shape == "number"]
        numbers = (
            (self._fill_names(value.text, args, kinds), self._query_value(value.query, args)) for value in values
        )
        return tuple((name, number) for name, number in numbers if number is not None)

    def _format_value(
        self, value: ReasonValue, args: tuple[int, ...], kinds: tuple[str, ...], for_players: bool
    ) -> str:
        """Format a value that a condition reads, or return an empty text if it is hidden.

        For authors `price of Statue in wood is 3`, `you have 1 wood`; for players only numbers and dice, as in `the
        price of the building in the good: 3`.
        """
        number = self._query_value(value.query, args)
        if number is None:
            return ""
        name = self._fill_names(value.text, args, kinds)
        if value.have:
            you = self.state[YOU]
            words = value.words if not MARK.search(value.words) else ""
            title = self._inflect_resource(words or name, number)
            if you == self.seat:
                return translate(YOU_HAVE if number else YOU_HAVE_NONE, number=number, title=title)
            message = PLAYER_HAS if number else PLAYER_HAS_NONE
            return translate(message, player=self.game.players[you], number=number, title=title)
        if not for_players:
            return f"{name} is {self._value_in_words(value.query, number)}"
        countable = self.program.queries[value.query].type.shape in ("number", "dice")
        if countable:
            return join_parts(": ", (value.words or name, self._value_in_words(value.query, number)))
        return ""

    def _inflect_resource(self, title: str, number: int) -> str:
        """Return a resource's title in singular or plural, found by its title."""
        resources = (variable for variable in self.program.variables if variable.resource)
        english = english_of(title)
        variable = next((candidate for candidate in resources if english_of(candidate.title) == english), None)
        if variable:
            return self.wording.resource_amount(variable, number).noun
        return inflect_text_title(number, title)

    def _value_in_words(self, query: int, number: int) -> str:
        """Return a query's number in the words of its type; a set of many things is cut."""
        type_ = self.program.queries[query].type
        if type_.shape == "set" and number.bit_count() > MOST_MEMBERS:
            names = [self.wording.title(type_.kind, i) for i in bits_of(number)]
            return join_some(names, MOST_MEMBERS)
        return self.wording.value(type_, number)

    def _query_value(self, query: int, args: tuple[int, ...]) -> int | None:
        """Return the result of a query, or None if it reads something hidden or fails."""
        return self._run_query(query, args)[0]

    def _run_query(self, query: int, args: tuple[int, ...]) -> tuple[int | None, bool]:
        """Return the result of a query, and True if it reads something hidden."""
        result = self._results.get((query, args))
        if result is None:
            result = compute_masked_query(self.program, make_blind(self.state, self.hidden), query, *args)
            self._results[query, args] = result
        return result

    def _fill_names(self, text: str, args: tuple[int, ...], kinds: tuple[str, ...]) -> str:
        """Replace each numbered mark in a text by the title of that argument, or by `it` if there is none."""
        names = [self._argument_title(kind, value) for kind, value in zip(kinds, args, strict=False)]
        mark = MARK.fullmatch(text)
        if mark is not None and int(mark[1]) < len(names):
            return names[int(mark[1])]
        return MARK.sub(lambda match: names[int(match[1])] if int(match[1]) < len(names) else "it", text)

    def _argument_title(self, kind: str, value: int) -> str:
        """Return the title of an argument: a face for the asked die, a thing's title, or the number itself."""
        if self.question.domain == "die" and kind == self.question.kind:
            return self.game.table.options.text(self.number, value)
        if kind and kind != "number":
            return self.wording.title(kind, value)
        return str(value)


def _select_argument_kinds(kinds: tuple[str, ...], args: tuple[int, ...]) -> tuple[str, ...]:
    """Return the first kinds, as many as there are arguments."""
    return kinds[: len(args)]


def _decide(rule_holds: bool | None, unless: Sequence[Alternative]) -> bool | None:
    """Return the requirement's truth, replaced by that of the first exception in `unless` that holds.

    If it is hidden whether one holds, returns the result that is the same either way, or None.
    """
    if not unless:
        return rule_holds
    exception, *others = unless
    replacement = True if exception.require is None else exception.require.holds
    if exception.holds:
        return replacement
    rest = _decide(rule_holds, others)
    return rest if exception.holds is False or replacement is rest else None
