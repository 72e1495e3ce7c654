"""The recorder of scenes, which writes a stretch of a played game as a scene.

A scene can begin where a phase begins, so it describes the innermost phase around the wanted answers. Before it is
returned it is played: questions, answers and events must be those of the game. If scenes cannot express what that
phase began with, the recorder takes the phase around it, and in the end the whole game.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from edict.compiler.sources.yaml_reader import LineMap, read_yaml, write_yaml
from edict.game.scenes.game_timeline import AskedQuestion, PhaseSpan, Timeline
from edict.game.scenes.scene_facts import Data, NotExpressible, StateWriter
from edict.game.scenes.scene_files import DEFAULT_PLAYERS, Scene, ScenePage
from edict.game.scenes.scene_player import ScenePlayer
from edict.game.scenes.scene_setup import list_limited_abilities, phase_cells, prepare_scene
from edict.game.scenes.scene_steps import ALL, DICE, DRAWN, NOW, match_option
from edict.game.scenes.scene_vocabulary import SceneVocabulary, normalize_text
from edict.game.table.addresses import StateLayout
from edict.game.table.game import Game
from edict.game.table.game_errors import GameError
from edict.game.table.options import Option, Options, is_roll
from edict.game.table.setup import lay_table
from edict.runtime.program import Program, Question, create_state
from edict.runtime.program import opcodes as o
from edict.runtime.program.option_keys import to_stable_slug
from edict.support.records import dataclass
from edict.support.text import Source

PLAIN_NAME = re.compile(r"[^\W\d_][\w'-]*( [\w'-]+)*\Z")
RESERVED = {ALL, DICE, DRAWN, NOW, "nobody", "none", "nothing", "yes", "no", "on", "off"}


@dataclass(frozen=True, slots=True)
class RecordedScene:
    """A scene as data with the stretch of the game that it covers."""

    scene: Data
    players: tuple[str, ...]
    first: int  # number of the first answer
    last: int  # number of the last answer
    phase: str  # the phase it plays, or "" for the whole game

    def to_page(self, top: Data) -> str:
        """Return the text of a file with this scene; `top` are the entries at its top."""
        return format_page({**top, "players": list(self.players)}, self.scene)


def record_scene(game: Game, first: int, last: int, name: str = "") -> RecordedScene:
    """Return a scene of the answers from `first` to `last` of a game, counted from 1.

    Raises `GameError` if there is none.
    """
    return record_answers(Timeline.from_game(game), first, last, name)


def record_answers(timeline: Timeline, first: int, last: int, name: str = "") -> RecordedScene:
    """Return a scene of the answers from `first` to `last` of a timeline, likewise."""
    if not 1 <= first <= last <= timeline.answer_count:
        reason = f"there are no answers {first} to {last}"
        if timeline.answer_count:
            remedy = f"this game has {timeline.answer_count} answers, counted from 1"
        else:
            remedy = "play on"
        raise GameError(reason, remedy)
    for phase in (*enclosing_phases(timeline, first, last), None):
        for detailed in (False, True):
            scene = SceneWriter(timeline, phase, last, detailed).write(name)
            if scene is not None:
                return scene
    if timeline.game.table.header.opening is not None:
        remedy = "begin a game at the start, or choose answers of one phase that began in this game"
        raise GameError("a game that began in the middle cannot be recorded beyond the phase it is in", remedy)
    raise GameError("this game cannot be recorded as a scene", "the rules have values that scenes cannot express")


def enclosing_phases(timeline: Timeline, first: int, last: int) -> list[PhaseSpan]:
    """Return the phases that lasted through all of these answers, the innermost first."""
    indexes = [i for i, asked in enumerate(timeline.asked) if first <= asked.answer <= last]
    first_index, last_index = indexes[0], indexes[-1]
    enclosing = [
        phase
        for phase in timeline.phases
        if phase.first <= first_index and (phase.last is None or last_index < phase.last)
    ]
    return sorted(enclosing, key=lambda phase: -phase.level)


class SceneWriter:
    """One attempt to write a scene from a phase, or the start of the game, to the question after an answer."""

    def __init__(self, timeline: Timeline, phase: PhaseSpan | None, last: int, detailed: bool) -> None:
        self.timeline = timeline
        self.phase = phase
        self.detailed = detailed
        self.program = timeline.game.program
        self.players = safe_player_names(self.program, timeline.game.players)
        self.words = SceneVocabulary(self.program, self.players)
        self.state_writer = StateWriter(self.words, timeline.game.table.layout)
        start, stop = (0, None) if phase is None else (phase.first, phase.last)
        self.asked = list(_iter_questions_until(timeline.asked[start:stop], last))
        first_event, last_event = (0, None) if phase is None else (phase.events, phase.until)
        waiting = timeline.waiting if stop is None else None
        self.following = next(iter(timeline.asked[start + len(self.asked) : stop]), waiting)
        self.events = timeline.events[first_event : self.following.events if self.following else last_event]

    def write(self, name: str) -> RecordedScene | None:
        """Return the scene, or None if it does not play as the game did."""
        try:
            scene = {"name": name or self.default_name(), **self.write_start(), **self.write_steps()}
            player = self.play_scene(scene)
            if player is None or player.differences or not self.plays_as_game(player):
                return None
            scene = {**scene, "then": self.write_outcome(player)}
            player = self.play_scene(scene)
        except NotExpressible:
            return None
        if player is None or player.differences:
            return None
        numbers = [asked.answer for asked in self.asked if asked.answer]
        first, last = (numbers[0], numbers[-1]) if numbers else (0, 0)
        return RecordedScene(scene, self.players, first, last, self.phase.name if self.phase else "")

    # --- what is so before

    def write_start(self) -> Data:
        """Return the settings, the start and every value that differs there from a new game."""
        table = self.timeline.game.table
        defaults = {setting.name: setting.value for setting in self.program.settings}
        truth_names = {setting.name for setting in self.program.settings if setting.truth}
        settings = {
            name: ("on" if value else "off") if name in truth_names else value
            for name, value in table.header.settings.items()
            if value != defaults[name]
        }
        data: Data = {"settings": settings} if settings else {}
        state = create_state(self.program, len(self.players), table.header.settings)
        lay_table(state, self.program)
        if self.phase is None:
            if table.begins_with_values:
                given = self.state_writer.write_given_facts(state, table.first_state())
            else:
                given = {}
            return data | ({"given": given} if given else {})
        given = self.state_writer.write_given_facts(state, self.phase.state)
        data |= {"given": given} if given else {}
        data["start"] = f"phase {self.phase.name}"
        return data | (self.write_details(self.phase.state) if self.detailed else {})

    def write_details(self, state: Sequence[int]) -> Data:
        """Return who `you` is, the phases in progress and the abilities used in them."""
        phases = [name for name, cell in phase_cells(self.program).items() if state[cell] > 0]
        used = {
            player: labels
            for seat, player in enumerate(self.players)
            if (
                labels := [
                    ability.label
                    for ability in list_limited_abilities(self.program)
                    if state[ability.base + seat] >> ability.bit & 1
                ]
            )
        }
        data: Data = {"for": self.players[state[o.YOU]]} if 0 < state[o.YOU] < len(self.players) else {}
        data |= {"during": phases} if phases else {}
        return data | ({"used": used} if used else {})

    # --- what is done

    def write_steps(self) -> Data:
        """Return the steps with dice and draws in order and answers under the names of their players."""
        steps: list[Data] = []
        options = Options(self.program, self.words.wording)
        for asked in self.asked:
            key, text = self.write_step(options, asked)
            last = steps[-1] if steps else {}
            if key in last:
                last[key] = f"{last[key]} {text}" if key == DICE else [*_to_list(last[key]), text]
            else:
                steps.append(LineMap({key: text}))
        return {"play": steps} if steps else {}

    def write_step(self, options: Options, asked: AskedQuestion) -> tuple[str, str]:
        """Return key and text of one step. Raises `NotExpressible` if the text would mean another option."""
        ask = options.build_question(asked.question, asked.seat, asked.values)
        option, question = ask.taken(asked.values[asked.index]), self.program.questions[asked.question]
        if not asked.is_for_player and is_roll(question):
            return DICE, str(option.value)
        is_stable = (
            not question.titles
            and self.is_in_words_of_rules(question, option)
            and match_option(ask, option.text) is option
        )
        text = option.text if is_stable else option.key
        if match_option(ask, text) is not option:
            raise NotExpressible(text)
        return (self.players[asked.seat] if asked.is_for_player else DRAWN), text

    def is_in_words_of_rules(self, question: Question, option: Option) -> bool:
        """Return True if the option's text comes from the rules, not from generated English that may change."""
        if question.domain == "ways":
            return not option.value >> self.program.dice.bits
        return (
            to_stable_slug(option.text) == option.key
            or question.domain in ("thing", "die")
            and option.value != o.DECLINE
        )

    # --- what is so then

    def write_outcome(self, player: ScenePlayer) -> Data:
        """Return every change and, if the game is over, how it ended."""
        data = self.state_writer.write_changes(player.initial_state, player.state)
        data |= self.state_writer.write_knowledge(player.initial_state, player.state)
        if player.state[o.STATUS] == o.GAME_OVER:
            winners = [name for seat, name in enumerate(self.players) if player.state[o.WINNERS] >> seat & 1]
            data |= {"over": "yes", "winners": winners or "nobody"}
        return {**data, "rest": "unchanged"}

    # --- whether it is so

    def play_scene(self, scene: Data) -> ScenePlayer | None:
        """Play a scene; add `stop` to it if it ends with a question."""
        player = play_data(self.program, self.timeline.game.table.layout, self.players, scene)
        if player is not None and player.state[o.STATUS] == o.ASKING and "stop" not in scene:
            scene["stop"] = "here"
            return self.play_scene(scene)
        return player

    def plays_as_game(self, player: ScenePlayer) -> bool:
        """Return True if the scene has the events of the game and waits for the same answer."""
        has_same_end = player.state[o.STATUS] != o.ASKING
        if self.following is not None:
            has_same_end = self.following.is_pending_in(player.state)
        return has_same_end and self.comparable_events(player.events) == self.comparable_events(self.events)

    def comparable_events(self, events: Sequence[int]) -> list[tuple[int, ...]]:
        """Return the events with sets of knowers limited to the players at the table."""
        watched_cells, seats = self.timeline.game.table.layout.watched, (1 << len(self.players)) - 1
        comparable: list[tuple[int, ...]] = []
        for offset in range(0, len(events), o.EVENT_SIZE):
            kind, pc, cell, old, new = events[offset : offset + o.EVENT_SIZE]
            if kind == o.EV_SET and cell in watched_cells:
                old, new = old & seats, new & seats
            if kind != o.EV_SET or old != new:
                comparable.append((kind, pc, cell, old, new))
        return comparable

    def default_name(self) -> str:
        """Return a name for the scene that its author may improve."""
        titles = dict(self.program.phases)
        numbers = [asked.answer for asked in self.asked if asked.answer]
        subject = titles[self.phase.name] if self.phase else self.program.title
        if not numbers:
            return f"{subject} as it was played, up to the first question"
        return f"{subject} as it was played, answers {numbers[0]} to {numbers[-1]}"


def play_data(program: Program, layout: StateLayout, players: Sequence[str], scene: Data) -> ScenePlayer | None:
    """Play a scene that is not in a file; None if it cannot be understood."""
    source = Source("recorded", format_page({"players": list(players)}, scene))
    written = read_yaml(source).value
    if written is None:
        return None
    player, _ = prepare_scene(Scene(ScenePage(Path(), source, written), 0), program, layout)
    if player is not None:
        player.play()
    return player


def _to_list(value: Any) -> list[Any]:
    """Return a list itself, any other value as a list of one."""
    return value if isinstance(value, list) else [value]


def _iter_questions_until(asked: Sequence[AskedQuestion], last: int) -> Iterator[AskedQuestion]:
    """Iterate over the questions up to that answer and the chance questions after it."""
    for question in asked:
        if question.answer > last:
            return
        yield question


def safe_player_names(program: Program, players: Sequence[str]) -> tuple[str, ...]:
    """Return the players' names, or other names if a scene could take one of them for something else."""
    words = SceneVocabulary(program, players)

    def is_plain(name: str) -> bool:
        """Return True if a scene can only take the name for this one player."""
        plain = PLAIN_NAME.match(name) and normalize_text(name) not in RESERVED and not words.matching_variables(name)
        return bool(plain) and len(words.matching_things("player", name)) == 1

    if all(map(is_plain, players)):
        return tuple(players)
    return DEFAULT_PLAYERS[: len(players)]


def format_page(top: Data, scene: Data) -> str:
    """Return the text of a file with one scene."""
    head = "".join(write_yaml(LineMap({key: value})) for key, value in top.items())
    return head + "\n" + write_yaml(LineMap(scenes=[_order_parts(scene)]))


def format_item(scene: Data) -> str:
    """Return the text of one scene to append to a file of scenes."""
    return write_yaml(LineMap(scenes=[_order_parts(scene)])).partition("\n")[2]


def _order_parts(scene: Data) -> LineMap:
    """Return a scene's parts in the order in which files have them, from `name` to `then`."""
    order = (
        "name",
        "note",
        "players",
        "settings",
        "given",
        "start",
        "for",
        "with",
        "during",
        "used",
        "play",
        "stop",
        "then",
    )
    return LineMap({part: scene[part] for part in order if part in scene})
