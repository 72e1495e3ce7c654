"""The player of a scene, which takes dice and answers from the scene and collects the differences."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial

from edict.game.explanations.option_reasons import OptionExplainer
from edict.game.explanations.reasons_in_words import describe_refused_option, select_voice
from edict.game.scenes.scene_facts import SceneFacts
from edict.game.scenes.scene_files import Scene
from edict.game.scenes.scene_steps import (
    ALL,
    ANSWER,
    ASKED,
    CAN,
    CANNOT,
    DICE,
    DRAWN,
    NOW,
    SceneStep,
    describe_question,
    match_option,
)
from edict.game.scenes.scene_vocabulary import SceneVocabulary, list_names
from edict.game.table.addresses import PLAYER, StateLayout
from edict.game.table.carry_over import iter_readings
from edict.game.table.faults import fault_error
from edict.game.table.game import Game
from edict.game.table.game_steps import GameStep as GameStep
from edict.game.table.game_steps import GameTable
from edict.game.table.journal import Header
from edict.game.table.knowledge import compute_query
from edict.game.table.log import LogNarrator
from edict.game.table.log_entries import Entry
from edict.game.table.options import Ask, Options, is_roll
from edict.game.table.panels import fill_titles
from edict.game.table.seeded_draws import draw
from edict.runtime.machine.events import make_event_buffer, run_and_collect_events
from edict.runtime.program import Program, ValueType
from edict.runtime.program import opcodes as o
from edict.support.morphology import join_words, uncapitalize
from edict.support.report import RulesError, suggest_word
from edict.support.text import Span

_PLAYER_SET = ValueType("set", PLAYER)
_SMALL_WORDS = ("the", "a", "an", "and")


@dataclass(frozen=True, slots=True)
class SceneDifference:
    """A fact that is not as the scene expects."""

    what: str
    expected: str
    found: str
    span: Span
    help: str = ""  # what the scene lacks, or what comes nearest
    is_wording: bool = False  # a prompt, or a line of the log that another resembles: the game may be the same


class SceneHalt(Exception):
    """An error for a scene that cannot continue."""

    def __init__(self, difference: SceneDifference) -> None:
        self.difference = difference
        super().__init__(difference.what)


@dataclass
class ScenePlayer:
    """A prepared scene with the state and events of its game and the differences found."""

    scene: Scene
    program: Program
    layout: StateLayout
    words: SceneVocabulary
    state: list[int]
    steps: list[SceneStep]
    expected: SceneFacts
    code: Sequence[int] = ()
    initial_state: list[int] = field(init=False)
    options: Options = field(init=False)
    events: list[int] = field(init=False, default_factory=list)
    differences: list[SceneDifference] = field(init=False, default_factory=list)
    # faces to come, each with the seat that rolls it (None: any)
    dice: list[tuple[int | None, int]] = field(init=False, default_factory=list)
    draws: list[str] = field(init=False, default_factory=list)  # texts of the draws to come
    next_step: int = field(init=False, default=0)  # index of the next step
    rolls: int = field(init=False, default=0)  # draws taken from the scene's seed
    dice_span: Span | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.initial_state = self.state.copy()
        self.options = Options(self.program, self.words.wording)
        self.code = self.code or self.program.code
        for kind in (DICE, DRAWN):
            if kind in self.scene.data:  # dice and draws of the whole scene are available from the start
                self.take_chance_step(kind)

    # --- playing

    def play(self) -> None:
        """Play the scene and store every difference in `differences`."""
        try:
            self.compare_at_end(self.run_to_end())
        except SceneHalt as stopped:
            self.differences.append(stopped.difference)

    def run_to_end(self) -> int:
        """Play to the end of the scene and return the machine's status. Raises `SceneHalt` if it cannot continue."""
        buffer = make_event_buffer()
        while True:
            status = run_and_collect_events(self.code, self.state, buffer, self.events)
            if status == o.ASKING:
                if self.state[o.SEAT] == o.CHANCE:
                    answer = self.answer_chance()
                else:
                    answer = self.answer_player()
                if answer is None:
                    return status
                self.state[o.ANSWER] = answer
            else:
                return self.check_status(status)

    def check_status(self, status: int) -> int:
        """Return the machine's status. Raises `SceneHalt` if the rules failed."""
        if status >= 0:
            return status
        problem = fault_error(self.program, self.state).diagnostics[0]
        raise SceneHalt(
            SceneDifference("the rules", "no fault", f"{problem.title}, at {problem.span}", self.scene.span)
        )

    def current_question(self) -> Ask:
        """Return the question that the machine waits for."""
        state = self.state
        values = state[o.FIRST_OPTION : o.FIRST_OPTION + state[o.OPTIONS]]
        return fill_titles(self.options, state, self.options.build_question(state[o.QUESTION], state[o.SEAT], values))

    def current_step(self) -> SceneStep | None:
        """Return the next step of the scene, or None after the last."""
        return self.steps[self.next_step] if self.next_step < len(self.steps) else None

    # --- chance

    def answer_chance(self) -> int | None:
        """Return the option index of the scene's next die or draw, else from its seed; None to stop here."""
        ask = self.current_question()
        is_roll_question = is_roll(self.program.questions[self.state[o.QUESTION]])
        if not (self.dice if is_roll_question else self.draws):
            self.take_chance_step(DICE if is_roll_question else DRAWN)
        if is_roll_question and self.dice:
            return self.take_face(ask)
        if not is_roll_question and self.draws:
            return self.take_draw(ask)
        return self.answer_unscripted_chance(ask, is_roll_question)

    def take_chance_step(self, kind: str) -> None:
        """Move the next step's faces (DICE) or things (DRAWN) into the queue, after checks due now."""
        following = self.steps[self.next_step + 1 : self.next_step + 2]
        if (
            (step := self.current_step()) is not None
            and step.kind == ALL
            and following
            and following[0].kind in (NOW, kind)
        ):
            self.next_step += 1
        while (step := self.current_step()) is not None and step.kind == NOW:
            self.compare_now(step)
        if step is not None and step.kind == kind:
            self.next_step += 1
            self.dice += step.dice
            self.draws += step.texts
            self.dice_span = step.span

    def take_face(self, ask: Ask) -> int:
        """Return the index of the option for the next die. Raises `SceneHalt` if there is none."""
        seat = self.state[o.YOU]
        place = next((i for i, (roller, _) in enumerate(self.dice) if roller in (None, seat)), None)
        if place is None:
            name = self.words.players[seat] if 0 <= seat < len(self.words.players) else "nobody"
            raise SceneHalt(SceneDifference("dice", "a die for " + name, "none left for them", self.chance_span()))
        face = self.dice.pop(place)[1]
        index = next((option.index for option in ask.options if option.value == face), None)
        if index is None:
            faces = join_words(x.text for x in ask.options)
            raise SceneHalt(SceneDifference("dice", f"one of the faces {faces}", str(face), self.chance_span()))
        return index

    def take_draw(self, ask: Ask) -> int:
        """Return the index of the option for the next draw. Raises `SceneHalt` if it cannot be drawn."""
        text = self.draws.pop(0)
        option = match_option(ask, text, self.words.renamed)
        if option is None:
            near = suggest_word(text, ask.keys) or f"the options are {list_names(ask.keys)}"
            raise SceneHalt(SceneDifference("drawn", text, f"cannot be drawn; {near}", self.chance_span()))
        return option.index

    def answer_unscripted_chance(self, ask: Ask, is_roll_question: bool) -> int | None:
        """Return an option index by the scene's `seed`; without one, None if it has `stop`, else halt.

        It comes from the scene's seed; None means to stop here.
        """
        seed = self.scene.data.get("seed")
        if isinstance(seed, int):
            self.rolls += 1
            return draw(seed, self.rolls, self.state[o.OPTIONS])
        if "stop" in self.scene.data:
            return None
        kind = DICE if is_roll_question else DRAWN
        hint = f"add the next one to `{kind}`, as in `{kind}: [{ask.keys[0]}]`; write `stop: here` to end before it"
        raise SceneHalt(
            SceneDifference("chance", f"`{kind}` for `{ask.prompt}`", "none left", self.chance_span(), hint)
        )

    def chance_span(self) -> Span:
        """Return the place of the current dice or draws, or of the scene."""
        return self.dice_span or self.scene.span

    # --- answers

    def answer_player(self) -> int | None:
        """Return the index of the option that the next step takes, or None to stop here."""
        ask = self.current_question()
        while (step := self.current_step()) is not None:
            if step.kind == ALL:
                option = match_option(ask, step.texts[0], self.words.renamed)
                if option is not None:
                    return option.index
                self.next_step += 1
            elif step.kind == NOW:
                self.compare_now(step)
            elif step.kind in (DICE, DRAWN):
                raise SceneHalt(SceneDifference(step.kind, "chance to be asked", describe_question(ask), step.span))
            else:
                self.check_seat(ask, step)
                self.next_step += 1
                if step.kind == ANSWER:
                    return self.find_answer(ask, step)
                self.compare_offer(ask, step)
        if "stop" in self.scene.data:
            return None
        raise SceneHalt(SceneDifference("a question", "no further question", describe_question(ask), self.scene.span))

    def check_seat(self, ask: Ask, step: SceneStep) -> None:
        """Raise `SceneHalt` unless the step belongs to the player who is asked."""
        if ask.seat != step.seat:
            raise SceneHalt(
                SceneDifference("who is asked", self.words.players[step.seat], describe_question(ask), step.span)
            )

    def find_answer(self, ask: Ask, step: SceneStep) -> int:
        """Return the index of the option that a step names. Raises `SceneHalt` if it is not offered."""
        option = match_option(ask, step.texts[0], self.words.renamed)
        if option is None:
            hint = explain_missing_option(self, step.texts[0]) or _answer_example(ask)
            raise SceneHalt(
                SceneDifference("an answer", f"{ask.player}: {step.texts[0]}", describe_question(ask), step.span, hint)
            )
        return option.index

    def compare_offer(self, ask: Ask, step: SceneStep) -> None:
        """Compare the question and its options with those that a step expects."""
        if step.kind == ASKED:
            if not ask.prompt.casefold().startswith(step.texts[0].casefold()):
                reader = f"the question to {ask.player}"
                self.differences.append(SceneDifference(reader, step.texts[0], ask.prompt, step.span, is_wording=True))
            return
        options = [match_option(ask, text, self.words.renamed) for text in step.texts]
        if step.kind == CANNOT:
            for text, option in zip(step.texts, options, strict=True):
                if option is not None:
                    self.add_difference(f"{ask.player} cannot", f"no `{text}`", describe_question(ask), step.span)
            return
        for text, option in zip(step.texts, options, strict=True):
            if option is None:
                self.add_difference(f"{ask.player} {step.kind}", text, describe_question(ask), step.span)
        extra = [option.text for option in ask.options if option not in options]
        if step.kind != CAN and extra:
            self.add_difference(
                f"{ask.player} {step.kind}", join_words(step.texts), f"also {join_words(extra)}", step.span
            )

    # --- what is so then

    def compare_now(self, step: SceneStep) -> None:
        """Compare the facts of a `now` step with the state."""
        self.next_step += 1
        assert step.facts is not None
        self.compare_facts(step.facts)

    def compare_at_end(self, status: int) -> None:
        """Report the steps, dice and draws that are left over, and compare the facts expected at the end."""
        while (step := self.current_step()) is not None and step.kind in (NOW, ALL):
            if step.kind == NOW:
                self.compare_now(step)
            else:
                self.next_step += 1
        if step is not None:
            what = f"{self.words.players[step.seat]} {step.kind}" if step.seat >= 0 else step.kind
            content = join_words(step.texts) or " ".join(str(face) for _, face in step.dice)
            self.add_difference("a step", f"{what}: {content}", "it was never reached", step.span)
        if self.dice:
            left = " ".join(str(face) for _, face in self.dice)
            self.add_difference("dice", "all dice rolled", f"left over: {left}", self.chance_span())
        if self.draws:
            self.add_difference("drawn", "all drawn", f"left over: {join_words(self.draws)}", self.chance_span())
        if "stop" in self.scene.data and status != o.ASKING:
            self.add_difference("the end", "a question to stop at", "nothing is asked", self.scene.key_place("stop"))
        self.compare_facts(self.expected)

    # --- facts and the state

    def add_difference(self, what: str, expected: str, found: str, span: Span) -> None:
        """Record a difference."""
        self.differences.append(SceneDifference(what, expected, found, span))

    def compare_facts(self, facts: SceneFacts) -> None:
        """Compare facts with the current state."""
        state, words = self.state, self.words
        for fact in facts.values:
            value = fact.spot.value(state)
            if value != fact.value:
                type_ = fact.spot.variable.type
                self.add_difference(
                    words.cell_label(fact.spot),
                    words.format_value(type_, fact.value),
                    words.format_value(type_, value),
                    fact.span,
                )
        self.compare_quantities(facts)
        for knowledge in facts.knows:
            does = knowledge.spot.is_known(state, knowledge.seat)
            if does != knowledge.does:
                texts = [
                    f"{words.players[knowledge.seat]} {'knows' if knows else 'does not know'}"
                    for knows in (knowledge.does, does)
                ]
                self.add_difference(words.cell_label(knowledge.spot), texts[0], texts[1], knowledge.span)
        self.compare_end(facts)
        self.compare_lines(facts)
        if facts.unchanged is not None:
            self.report_unexpected_changes(facts, facts.unchanged)

    def compare_quantities(self, facts: SceneFacts) -> None:
        """Compare quantities and values with the results of their queries."""
        for expected in facts.measured:
            query, label = expected.measure.query, self.words.measure_label(expected.measure, expected.of)
            to_text = partial(self.words.format_value, self.words.type_of(expected.measure))
            try:
                if query >= 0:
                    value = compute_query(self.program, self.state, query, *expected.of)
                else:
                    value = expected.measure.value
            except RulesError as error:
                self.add_difference(label, to_text(expected.value), error.diagnostics[0].title, expected.span)
                continue
            if value != expected.value:
                self.add_difference(label, to_text(expected.value), to_text(value), expected.span)

    def compare_end(self, facts: SceneFacts) -> None:
        """Compare the end of the game and its winners."""
        state, words = self.state, self.words
        over = state[o.STATUS] == o.GAME_OVER
        if facts.over is not None and facts.over[0] != over:
            texts = ["the game is over" if is_over else "the game continues" for is_over in (facts.over[0], over)]
            self.add_difference("the end", texts[0], texts[1], facts.over[1])
        if facts.winners is not None:
            mask = sum(1 << seat for seat in facts.winners[0])
            if over:
                found = words.format_value(_PLAYER_SET, state[o.WINNERS])
            else:
                found = "the game is not over"
            if not over or state[o.WINNERS] != mask:
                self.add_difference("winners", words.format_value(_PLAYER_SET, mask), found, facts.winners[1])

    def compare_lines(self, facts: SceneFacts) -> None:
        """Compare lines of the log; lines expected of one reader must come in this order."""
        next_starts: dict[int | None, int] = {}
        for line in facts.lines:
            texts = [entry.text for entry in self.visible_log(line.seat)]
            start = next_starts.get(line.seat, 0) if line.is_expected else 0
            readings_ = {reading.casefold() for reading in iter_readings(line.text, self.words.renamed)}
            place = find_line(texts, start, readings_)
            if line.is_expected and place is None:
                place = find_line([*map(strip_small_words, texts)], start, set(map(strip_small_words, readings_)))
            if line.seat is None:
                reader = "the log"
            else:
                reader = f"the log {self.words.players[line.seat]} reads"
            if line.is_expected and place is None:
                near = next(iter(get_close_matches(line.text, texts[start:], 1)), "")
                hint = f"the nearest line is `{near}`" if near else ""
                expected = f"`{line.text}`"
                self.differences.append(
                    SceneDifference(reader, expected, "no such line", line.span, hint, is_wording=bool(near))
                )
            elif not line.is_expected and place is not None:
                self.add_difference(reader, f"no `{line.text}`", f"`{texts[place]}`", line.span)
            elif place is not None:
                next_starts[line.seat] = place + 1

    def visible_log(self, seat: int | None) -> list[Entry]:
        """Return the log as a seat may read it; the whole log if `seat` is None."""
        if seat is None:
            return self.log()
        return [visible for entry in self.log() if (visible := entry.seen_by(seat)) is not None]

    def log(self) -> list[Entry]:
        """Return the log of the game so far."""
        narrator = LogNarrator(self.program, self.layout, self.words.wording, self.options, self.initial_state)
        return narrator.narrate(self.events)

    def report_unexpected_changes(self, facts: SceneFacts, span: Span) -> None:
        """Report every other visible cell that has changed."""
        mentioned = {fact.spot.address for fact in facts.values}
        for cell in self.layout.unique_cells:
            old, new = cell.value(self.initial_state), cell.value(self.state)
            if old != new and not cell.variable.quiet and cell.address not in mentioned:
                type_ = cell.variable.type
                self.add_difference(
                    self.words.cell_label(cell),
                    self.words.format_value(type_, old),
                    self.words.format_value(type_, new),
                    span,
                )


def find_line(lines: Sequence[str], start: int, readings: Set[str]) -> int | None:
    """Return the first line, from `start` on, that has one of the texts in lower case in it; None if none has."""
    matches = (i for i in range(start, len(lines)) if any(text in lines[i].casefold() for text in readings))
    return next(matches, None)


def strip_small_words(text: str) -> str:
    """Return a text in lower case without articles, commas and `and`, which lists and titles may have or lack."""
    words = text.casefold().replace(",", " ").split()
    return " ".join(word for word in words if word not in _SMALL_WORDS) or text.casefold()


def _answer_example(ask: Ask) -> str:
    """Return a hint that shows how an answer is written."""
    first = next(iter(ask.options), None)
    if first is not None:
        return f"an answer is the text of an option, as in `{ask.player}: {first.text}`"
    return ""


def explain_missing_option(player: ScenePlayer, text: str) -> str:
    """Return a sentence that says why an answer is not offered now; an empty text if it never answers this question."""
    why = OptionExplainer(_to_game(player), None)
    if why.question.domain in ("ways", "number", "die"):
        return ""
    option = match_option(why.candidates(), text, player.words.renamed)
    if option is not None:
        reasons = select_voice(describe_refused_option(why, option), True)[1:]
    else:
        reasons = []
    explanation = "; ".join(reason.words for reason in reasons if reason.level == 1)
    if option is not None and explanation:
        return f"{option.text} is not offered: {uncapitalize(explanation)}"
    return ""


def _to_game(player: ScenePlayer) -> Game:
    """Return a game in the scene's current state, for queries about it."""
    program, players = player.program, player.words.players
    header = Header(program.name, (), "", "", tuple(players), {}, 0, "seeded")
    table = GameTable(program, player.layout, player.words.wording, player.options, tuple(players), header, 0, False)
    state = player.state.copy()
    return Game(table, state, 0, GameStep.create_first(state))
