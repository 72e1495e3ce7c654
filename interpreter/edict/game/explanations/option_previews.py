"""Previews of options, computed by trying each on what its player may know.

The following answers of the same player (such as which dice to pay with) give a continuation each; the option itself
reports what all of them have in common. Changes are in numbers and words: resources, kept values, dice in hand, and
quantities on the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from edict.game.explanations.option_reasons import Alternative, OptionExplainer
from edict.game.explanations.option_trials import CHOICES, HIDDEN, LUCK, OTHERS, UNKNOWN, OptionTrial, TrialOutcome
from edict.game.table.addresses import PLAYER, VariableCell, bits_of, iter_changes, iter_choices
from edict.game.table.game import Game
from edict.game.table.game_steps import GameTable
from edict.game.table.knowledge import HiddenReadError, compute_masked_query
from edict.game.table.options import Option
from edict.runtime.program import Cause, StateVariable
from edict.runtime.program import opcodes as o
from edict.support.translations import N_
from edict.support.translations.texts import (
    Text,
    english_of,
    join_parts,
    join_texts,
    map_text,
    translate,
    uncapitalize_text,
)

# --- what a try changes ---------------------------------------------------------------------------------

RESOURCE, KEPT, DICE, QUANTITY = "resource", "kept", "dice", "quantity"


@dataclass(frozen=True, slots=True)
class PreviewedChange:
    """A difference after a trial, compared by subject and value, not by its causes."""

    name: str
    title: str
    sort: str  # resource, kept, dice or quantity
    seat: int  # its owner, -1 for the table
    owner: str  # name of the owner, "" for the asked player and the table
    of: tuple[str, ...]  # titles of the things it belongs to
    before: int  # the machine's number
    after: int  # the machine's number
    amount: int | None  # difference of numbers
    text: str
    loss: bool = False  # the asked player has less
    causes: tuple[Cause, ...] = field(default=(), compare=False)


class ChangeFinder:
    """Finds the changes between the state in which a seat is asked and that after a trial."""

    def __init__(self, table: GameTable, seat: int, start: list[int]) -> None:
        self.table = table
        self.seat = seat
        self.start = start
        self.shown = list(self._iter_quantities())
        self.before = [self._query_value(start, query) for _, query in self.shown]

    def find_changes(self, outcome: TrialOutcome) -> tuple[PreviewedChange, ...]:
        """Return a `PreviewedChange` for each cell that ends up different: losses first, then the others."""
        cells: dict[int, tuple[int, int, list[Cause]]] = {}
        for pc, cell, old, new in iter_changes(outcome.events):
            cell_ = self.table.layout.cells.get(cell)
            if cell_ is not None and cell_.variable.type.cells > 1:
                cell, old, new = cell_.address, cell_.value(self.start), cell_.value(outcome.state)
            first, _, causes = cells.get(cell, (old, new, []))
            cells[cell] = first, new, [*causes, self.table.program.cause_at(pc)]
        changes = [
            change
            for address, (old, new, causes) in sorted(cells.items())
            if old != new
            and (change := self._describe_cell(address, old, new, tuple(dict.fromkeys(causes)))) is not None
        ]
        return (
            *sorted(changes, key=lambda change_: not change_.loss),
            *(self._iter_quantity_changes(outcome.state) if cells else ()),
        )

    # --- cells

    def _describe_cell(self, at: int, old: int, new: int, causes: tuple[Cause, ...]) -> PreviewedChange | None:
        """Describe the change of a cell; None if it is no variable, is quiet or belongs to an absent player."""
        cell = self.table.layout.cells.get(at)
        if cell is None or not self._is_at_table(cell):
            return None
        variable = cell.variable
        if variable.resource:
            return self._describe_resource(cell, old, new, causes)
        if variable.type.shape == "dice" and variable.kinds == (PLAYER,):
            return self._describe_dice(cell, old, new, causes)
        if variable.quiet:
            return None
        return self._describe_kept_value(cell, old, new, causes)

    def _is_at_table(self, cell: VariableCell) -> bool:
        """Return True if all players that a cell belongs to take part in the game."""
        pairs = zip(cell.variable.kinds, cell.of, strict=True)
        return all(i < len(self.table.players) for kind, i in pairs if kind == PLAYER)

    def _describe_resource(self, cell: VariableCell, old: int, new: int, causes: tuple[Cause, ...]) -> PreviewedChange:
        """Describe a gain such as `+2 gold`, or a loss such as `-1 gold`."""
        amount = new - old
        words = self.table.wording.amount(cell.variable, abs(amount))
        text = join_parts("", ("-" if amount < 0 else "+", words))
        return self._make_change(cell, RESOURCE, (old, new), text, amount < 0, causes)

    def _describe_dice(
        self, cell: VariableCell, old: int, new: int, causes: tuple[Cause, ...]
    ) -> PreviewedChange | None:
        """Describe dice that were put away or gained; changed faces are no cost."""
        lost, gained = self._subtract_dice(old, new), self._subtract_dice(new, old)
        if lost and gained or not lost and not gained:
            return None
        words = self.table.wording.name_dice(lost or gained)
        text = join_parts("", ("-" if lost else "+", words))
        return self._make_change(cell, DICE, (old, new), text, bool(lost), causes)

    def _subtract_dice(self, dice: int, others: int) -> int:
        """Return the dice that are not among others."""
        layout, remaining = self.table.program.dice, 0
        for shift in map(layout.offset_of, layout.fields):
            mask = (1 << layout.width) - 1
            remaining |= max((dice >> shift & mask) - (others >> shift & mask), 0) << shift
        return remaining

    def _describe_kept_value(
        self, cell: VariableCell, old: int, new: int, causes: tuple[Cause, ...]
    ) -> PreviewedChange:
        """Describe a variable's new value; a loss if it was this seat's and now is nobody's, another's or empty."""
        variable, wording = cell.variable, self.table.wording
        if variable.type.shape == "thing" and variable.type.kind == PLAYER and self.seat in (old, new):
            return self._make_change(cell, KEPT, (old, new), variable.title, old == self.seat, causes)
        if variable.type.shape == "set":
            parts = [("-", old & ~new), ("+", new & ~old)]
            signed = (
                join_parts("", (sign, join_texts(wording.title(variable.type.kind, i) for i in bits_of(members))))
                for sign, members in parts
                if members
            )
            text = join_parts(": ", (variable.title, join_parts(", ", signed)))
        else:
            values = join_parts(" → ", (wording.value(variable.type, old), wording.value(variable.type, new)))
            text = join_parts(": ", (variable.title, values))
        is_own = variable.kinds[:1] == (PLAYER,) and cell.of[:1] == (self.seat,)
        is_empty = variable.type.optional and new < 0 or variable.type.shape == "set" and not new & ~old
        return self._make_change(cell, KEPT, (old, new), text, is_own and is_empty, causes)

    def _make_change(
        self, cell: VariableCell, sort: str, values: tuple[int, int], text: str, loss: bool, causes: tuple[Cause, ...]
    ) -> PreviewedChange:
        """Build a change with its owner and things; a loss only counts for the asked seat or the whole table."""
        variable, wording = cell.variable, self.table.wording
        seat, things = _split_owner(variable, cell.of)
        titles = tuple(wording.title(kind, i) for kind, i in things)
        owner = self.table.players[seat] if seat not in (self.seat, -1) else ""
        titles_text = join_parts(", ", titles)
        old, new = values
        amount = new - old if variable.type.shape == "number" else None
        return PreviewedChange(
            variable.name,
            variable.title or variable.name,
            sort,
            seat,
            owner,
            titles,
            old,
            new,
            amount,
            join_parts(": ", (titles_text, text)) if titles_text else text,
            loss and seat in (self.seat, -1),
            causes,
        )

    # --- quantities on the table

    def _iter_quantities(self) -> Iterator[tuple[str, int]]:
        """Iterate over titles and queries of the numbers shown of each player except plain variables."""
        program = self.table.program
        for panel in program.panels:
            if panel.shape == "rows" and panel.kind == PLAYER and not panel.looked:
                for line in panel.lines:
                    (query, *others) = (part.query for part in line.parts) if line.parts else (-1,)
                    if not others and query >= 0 and program.queries[query].type.shape == "number":
                        if not self._reads_variable(query):
                            yield line.title, query

    def _reads_variable(self, query: int) -> bool:
        """Return True if a query only reads a variable, whose changes are reported anyway."""
        code = self.table.program.code
        address = self.table.program.queries[query].entry
        address += o.SIZE[o.MOV] if code[address] == o.MOV else 0  # the player it is asked for
        return code[address] == o.LDX and code[address + o.SIZE[o.LDX]] == o.RET

    def _query_value(self, state: list[int], query: int) -> int | None:
        """Return a query's value for the asked seat in a state; None if it is hidden or fails."""
        return compute_masked_query(self.table.program, state.copy(), query, self.seat)[0]

    def _iter_quantity_changes(self, state: list[int]) -> Iterator[PreviewedChange]:
        """Yield a change `strength 4 → 6` for each shown quantity whose value differs from before."""
        for (title, query), old in zip(self.shown, self.before, strict=True):
            new = self._query_value(state, query)
            if old is not None and new is not None and old != new:
                text = join_parts(" ", (uncapitalize_text(title), f"{old} → {new}"))
                yield PreviewedChange(title, title, QUANTITY, self.seat, "", (), old, new, new - old, text, new < old)


def _split_owner(variable: StateVariable, of: Sequence[int]) -> tuple[int, list[tuple[str, int]]]:
    """Return the seat among a cell's keys (-1: none), and its other keys as pairs of kind and index."""
    pairs = list(zip(variable.kinds, of, strict=True))
    seat = next((i for kind, i in pairs if kind == PLAYER), -1)
    return seat, [(kind, i) for kind, i in pairs if kind != PLAYER]


def iter_used_abilities(table: GameTable, before: Sequence[int], after: Sequence[int]) -> Iterator[tuple[str, Cause]]:
    """Yield (title of the phase that restores it, its rule) for each limited ability used since `before`."""
    program = table.program
    for period in program.periods:
        phase = next((title for name, title in program.phases if name == period.phase), period.phase)
        for seat in range(len(table.players)):
            try:
                used = after[period.base + seat] & ~before[period.base + seat]
            except HiddenReadError:
                continue  # whether it was used depends on something hidden
            yield from ((phase, program.causes[period.abilities[bit]]) for bit in bits_of(used))


# --- what an option leads to ----------------------------------------------------------------------------

MOST_DEPTH = 6  # answers that are tried after the option itself
MOST_CONTINUATIONS = 24  # of one option
MOST_TRIALS = 240  # for one question
MOST_LISTED = 3  # payments listed in one line

EXCEPTION, SHIFT, ONCE = "exception", "shift", "once"
ENDINGS = {
    LUCK: N_("then chance decides"),
    OTHERS: N_("then others decide"),
    CHOICES: N_("then you choose"),
    HIDDEN: N_("the rest is hidden"),
    UNKNOWN: N_("the rest takes too long to try out"),
}


@dataclass(frozen=True, slots=True)
class RuleUse:
    """A rule that is needed or used up: an exception, a shift, or an ability that works once in a period."""

    sort: str
    title: str
    text: str  # a short description
    cause: Cause = field(compare=False)


@dataclass(frozen=True, slots=True)
class OptionOutcome:
    """The certain consequences of an answer."""

    changes: tuple[PreviewedChange, ...]  # net changes, losses first
    uses: tuple[RuleUse, ...]
    ends: str  # why the outcome is incomplete: luck, others, hidden, choices or unknown; "" if it is complete

    @property
    def costs(self) -> tuple[str, ...]:
        """Return what is spent, given up or used up, in words.

        Examples: `a +2 token (once per season)`, `King's Envoy`.
        """
        losses = [_drop_sign(change.text) for change in self.changes if change.loss and change.sort != QUANTITY]
        once = {use.title: use.text for use in self.uses if use.sort == ONCE}
        spent = [once.pop(text, text) for text in losses]
        shifts = [use.text for use in self.uses if use.sort == SHIFT and use.text not in losses]
        used = [
            next((_replace_title(once.pop(title), title, text) for title in [*once] if text.startswith(title)), text)
            for text in shifts
        ]
        return tuple(dict.fromkeys((*spent, *used, *once.values())))

    @property
    def exceptions(self) -> tuple[str, ...]:
        """Return the exceptions that allow it unless they are named like its costs."""
        losses = {_drop_article(_drop_sign(change.text)) for change in self.changes if change.loss}
        return tuple(use.text for use in self.uses if use.sort == EXCEPTION and _drop_article(use.text) not in losses)

    @property
    def gains(self) -> tuple[str, ...]:
        """Return the other changes, one text for each other player: `+2 gold`, `Ben: -1 wood, -1 stone`."""
        texts_by_owner: dict[str, list[str]] = {}
        for change in self.changes:
            if not change.loss and change.sort != QUANTITY:
                texts_by_owner.setdefault(change.owner, []).append(change.text)
        own = texts_by_owner.pop("", [])
        others = (join_parts(": ", (owner, join_parts(", ", texts))) for owner, texts in texts_by_owner.items())
        return (*own, *others)

    @property
    def quantity_changes(self) -> tuple[str, ...]:
        """Return the changes of quantities on the table, such as `strength 4 → 6`."""
        return tuple(change.text for change in self.changes if change.sort == QUANTITY)

    @property
    def text(self) -> str:
        """Return the outcome in one line, empty if there is none."""
        return self._format_line(join_parts(", ", self.costs))

    def _format_line(self, costs: str) -> str:
        """Join costs, exceptions, gains, quantities and the kind of ending with `; `; empty if there are none."""
        thanks = translate("thanks to {rules}", rules=join_texts(self.exceptions)) if self.exceptions else ""
        price = translate("costs {costs}", costs=costs) if costs else ""
        parts = (price, thanks, *_group_gains(self.gains), join_parts(", ", self.quantity_changes))
        texts = [part for part in parts if part]
        return join_parts("; ", [*texts, translate(ENDINGS[self.ends])] if texts and self.ends else texts)


@dataclass(frozen=True, slots=True)
class Continuation(OptionOutcome):
    """One way to continue after an option with the further answers and the total outcome."""

    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EffectPreview(OptionOutcome):
    """The outcome of an effect written on a thing if it happened now to the asked player."""

    name: str = ""  # name of the field


@dataclass(frozen=True, slots=True)
class OptionPreview(OptionOutcome):
    """An option with the consequences that are certain for each of its continuations."""

    option: Option = field(kw_only=True)
    continuations: tuple[Continuation, ...] = ()  # a single one is not listed
    effects: tuple[EffectPreview, ...] = ()  # effects of the chosen thing, each in case it happens

    @property
    def alternative_costs(self) -> tuple[str, ...]:
        """Return the costs of each continuation beyond the common ones, such as `dice 2 and 3`."""
        common = self.costs
        costs = (
            join_texts(cost for cost in continuation.costs if cost not in common) or translate("nothing more")
            for continuation in self.continuations
        )
        distinct = tuple(dict.fromkeys(costs))
        return distinct if len(distinct) > 1 else ()

    @property
    def text(self) -> str:
        """Return the outcome in one line with the first few differing payments."""
        alternatives = self.alternative_costs
        if not alternatives:
            return self._format_line(join_parts(", ", self.costs))
        others = len(alternatives) - MOST_LISTED
        if others > 0:
            ways = translate("one of {number} other ways", number=others)
            rest = [ways if others > 1 else alternatives[MOST_LISTED]]
        else:
            rest = []
        first, *more = [*alternatives[:MOST_LISTED], *rest]
        either = translate("either {way}", way=first)
        for way in more:
            either = translate("{first}, or {last}", first=either, last=way)
        return self._format_line(join_parts(", ", (*self.costs, either)))


def preview_options(game: Game) -> tuple[OptionPreview, ...]:
    """Return a preview of each option of the current question; none for chance.

    A preview reveals nothing that the seat does not know, and ends where hidden values decide.
    """
    if game.over or game.seat < 0:
        return ()
    previewer = _OptionPreviewer(game)
    return tuple(previewer.preview(option) for option in game.ask.options)


AppliedExceptions = tuple[tuple[Alternative, ...], ...]


class _OptionPreviewer:
    """Previews the options of one question."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.trial = OptionTrial(game.table, game.last_step, game.state)
        self.changes = ChangeFinder(game.table, game.seat, self.trial.start)
        self.why = OptionExplainer(game, game.seat)
        self.trials = 0
        self.visited = set[tuple[int, ...]]()

    def preview(self, option: Option) -> OptionPreview:
        """Return an option's preview: what all its continuations share, and each of them unless they are too many."""
        if not self.trial.is_known:
            return OptionPreview((), (), HIDDEN, option=option)
        outcome = self._try(self.trial.start, option.index)
        exceptions, effects = tuple(self._iter_applied_exceptions(option)), tuple(self._iter_effects(option))
        self.visited = set()
        if outcome.ends == CHOICES:
            continuations = list(self._iter_continuations(option, outcome, exceptions, ()))
        else:
            continuations = []
        if (
            not continuations
            or len(continuations) > MOST_CONTINUATIONS
            or any(continuation.ends == CHOICES for continuation in continuations)
        ):
            continuation_ = self._make_continuation(option, outcome, exceptions, ())
            return OptionPreview(
                continuation_.changes, continuation_.uses, continuation_.ends, option=option, effects=effects
            )
        changes, uses = (
            _common_items([continuation.changes for continuation in continuations]),
            _common_items([continuation.uses for continuation in continuations]),
        )
        ends = {continuation.ends for continuation in continuations}
        listed = tuple(continuations) if len(continuations) > 1 else ()
        ending = ends.pop() if len(ends) == 1 else CHOICES
        return OptionPreview(changes, uses, ending, option=option, continuations=listed, effects=effects)

    def _try(self, state: list[int], index: int) -> TrialOutcome:
        """Try the option with this index in a state, which stays unchanged, and count the trial."""
        self.trials += 1
        return self.trial.try_answer(state, index)

    def _iter_continuations(
        self, option: Option, outcome: TrialOutcome, exceptions: AppliedExceptions, answers: tuple[str, ...]
    ) -> Iterator[Continuation]:
        """Yield each course of follow-up answers after an option, up to a depth and a number of trials."""
        values = outcome.options() if outcome.ends == CHOICES else []
        if not values or len(answers) == MOST_DEPTH or self.trials + len(values) > MOST_TRIALS:
            yield self._make_continuation(option, outcome, exceptions, answers)
            return
        for index, value in enumerate(values):
            following = self._try(outcome.state, index)
            if self._is_visited(following.state):
                continue
            total = TrialOutcome(outcome.events + following.events, following.state, following.ends, following.asked)
            yield from self._iter_continuations(
                option, total, exceptions, (*answers, self.game.table.options.text(outcome.asked, value))
            )

    def _is_visited(self, state: list[int]) -> bool:
        """Return True if this state was reached before by any continuation."""
        key = tuple(list(state)[: o.SPENT] + list(state)[o.TOTAL + 1 :])
        visited = key in self.visited
        self.visited.add(key)
        return visited

    def _make_continuation(
        self, option: Option, outcome: TrialOutcome, applied: AppliedExceptions, answers: tuple[str, ...]
    ) -> Continuation:
        """Build a continuation from a trial: changes beyond the option itself, and the rules it needs or uses up."""
        shifts = tuple(self._iter_shifts(outcome.events))
        exceptions = tuple(self._iter_exception_uses(applied, outcome.events))
        changes = tuple(
            change for change in self.changes.find_changes(outcome) if not self._repeats_option(change, option)
        )
        return Continuation(changes, (*exceptions, *shifts, *self._iter_once(outcome, shifts)), outcome.ends, answers)

    def _repeats_option(self, change: PreviewedChange, option: Option) -> bool:
        """Return True if a change merely stores the chosen thing, which the option says already."""
        if change.sort != KEPT or option.value < 0 or change.after != option.value:
            return False
        return self.game.program.variable_by_name[change.name].type.kind == self.why.question.kind

    def _iter_effects(self, option: Option) -> Iterator[EffectPreview]:
        """Iterate over the current effects of a thing with additions and replacements by other rules."""
        program, question = self.game.program, self.why.question
        if question.domain != "thing" or option.value < 0:
            return
        carriers = {carrier.field: carrier for carrier in program.carriers if carrier.kind == question.kind}
        for name, entry in program.effects_by_thing.get(option.key, {}).items():
            carrier = carriers.get(name)
            if carrier:
                outcome = self.trial.try_routine(carrier.entry, carrier.param, option.value)
            else:
                outcome = self.trial.try_routine(entry)
            changes, uses = self.changes.find_changes(outcome), tuple(self._iter_once(outcome, ()))
            yield EffectPreview(changes, uses, outcome.ends, name)

    # --- rules that are needed or used up

    def _iter_applied_exceptions(self, option: Option) -> Iterator[tuple[Alternative, ...]]:
        """Iterate over the exceptions that hold for an option, for each rule that it would break without them."""
        for reason in self.why.reasons_with_exceptions(option.value) if option.value >= 0 else ():
            if reason.found.holds is False and reason.deciding_exception is not None:
                yield tuple(alternative for alternative in reason.unless if alternative.holds)

    def _iter_exception_uses(
        self, applied: Sequence[tuple[Alternative, ...]], events: Sequence[int]
    ) -> Iterator[RuleUse]:
        """Yield the exception used for each broken rule, preferring one that caused an event."""
        acting = {(cause.name, cause.title) for cause in self._iter_causes(events)}
        for holding in applied:
            used = [
                alternative for alternative in holding if (alternative.cause.name, alternative.cause.title) in acting
            ] or holding
            title = used[0].cause.title or used[0].because or used[0].cause.name
            yield RuleUse(EXCEPTION, title, title, used[0].cause)

    def _iter_causes(self, events: Sequence[int]) -> Iterator[Cause]:
        """Yield the cause of each change of a cell among the events."""
        for pc, *_ in iter_changes(events):
            yield self.game.program.cause_at(pc)

    def _iter_shifts(self, events: Sequence[int]) -> Iterator[RuleUse]:
        """Yield a `RuleUse` for each shift (such as a +2 token) that a payment among the events uses."""
        for number, _, value in iter_choices(events):
            question = self.game.program.questions[number]
            if question.domain == "ways" and value >= 0:
                cause = self.game.program.causes[question.cause]
                for text in self.game.table.wording.split_payment(question, value)[1]:
                    yield RuleUse(SHIFT, text, text, cause)

    def _iter_once(self, outcome: TrialOutcome, shifts: Sequence[RuleUse]) -> Iterator[RuleUse]:
        """Yield a rule use for each ability that the trial used up, such as `Inn (once per year)`."""
        for phase, cause in iter_used_abilities(self.game.table, self.trial.start, outcome.state):
            title = cause.title or join_texts(use.text for use in shifts) or cause.name
            period = uncapitalize_text(phase)
            yield RuleUse(ONCE, title, translate("{rule} (once per {phase})", rule=title, phase=period), cause)


def _drop_sign(text: str) -> str:
    """Return a loss such as `-1 gold` without its sign."""
    return map_text(text, lambda words: words.removeprefix("-"))


def _replace_title(text: str, title: str, words: str) -> str:
    """Return a text in which other words stand for a title."""
    if isinstance(text, Text):
        return Text(text.replace(title, words, 1), text.english.replace(english_of(title), english_of(words), 1))
    return text.replace(title, words, 1)


def _drop_article(text: str) -> str:
    """Return a text without its article, so that an exception named like its cost is not listed twice."""
    return text.removeprefix("the ")


def _group_gains(gains: Sequence[str]) -> Iterator[str]:
    """Iterate over one's own gains together, then those of each other player."""
    yield join_parts(", ", (gain for gain in gains if ": " not in gain))
    yield from (gain for gain in gains if ": " in gain)


PreviewItem = TypeVar("PreviewItem", PreviewedChange, RuleUse)


def _common_items(several: Sequence[tuple[PreviewItem, ...]]) -> tuple[PreviewItem, ...]:
    """Return the items of the first tuple that every other tuple has, too, in the first one's order."""
    first, *others = several
    return tuple(item for item in first if all(item in other for other in others))
