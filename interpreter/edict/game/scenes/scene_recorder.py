"""A scene written from a played game: what was so, what was done, and what became of it.

A scene can begin where a phase begins, so it describes the innermost phase around the answers that are wanted. Before
it is given out it is played: asked and answered must be what was asked and answered in the game, with the same
events. If scenes have no words for what that phase began with, the phase around it is taken, and in the end the game.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edict.compiler.sources.yaml_reader import LineMap, read_yaml, write_yaml
from edict.game.scenes.game_timeline import AskedQuestion, PhaseSpan, Timeline
from edict.game.scenes.scene_facts import Data, NotExpressible, StateWriter
from edict.game.scenes.scene_files import SEATED, Scene, ScenePage
from edict.game.scenes.scene_player import ScenePlayer
from edict.game.scenes.scene_setup import limited, phase_cells, prepare
from edict.game.scenes.scene_steps import ALL, DICE, DRAWN, NOW, match
from edict.game.scenes.scene_vocabulary import SceneVocabulary, folded
from edict.game.table.addresses import Layout
from edict.game.table.game import Game
from edict.game.table.options import Option, Options, is_roll
from edict.game.table.setup import lay_table
from edict.runtime.program import Program, Question
from edict.runtime.program import opcodes as o
from edict.runtime.program.beginning import first_state
from edict.runtime.program.option_keys import slug
from edict.support.text import Source

PLAIN_NAME = re.compile(r"[^\W\d_][\w'-]*( [\w'-]+)*\Z")
RESERVED = {ALL, DICE, DRAWN, NOW, "nobody", "none", "nothing", "yes", "no", "on", "off"}


class NotRecorded(Exception):
    """There is no such stretch, or nothing can be told of it; `remedy` says what to do."""

    def __init__(self, reason: str, remedy: str = "") -> None:
        self.reason = reason
        self.remedy = remedy
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class RecordedScene:
    """A scene as data, and what it tells: the answers it holds, and the phase it plays ("": the whole game)."""

    scene: Data
    players: tuple[str, ...]
    first: int
    last: int
    phase: str

    def page(self, top: Data) -> str:
        """A file with this scene; `top` is what stands at its top."""
        return as_page({**top, "players": list(self.players)}, self.scene)


def record(game: Game, first: int, last: int, name: str = "") -> RecordedScene:
    """The scene that describes the answers from `first` to `last` of a game, counted from 1.

    Raises `NotRecorded` if there are none such.
    """
    timeline = Timeline.of(game)
    if not 1 <= first <= last <= timeline.answers:
        reason = f"there are no answers {first} to {last}"
        remedy = f"this game has {timeline.answers} answers, counted from 1" if timeline.answers else "play on"
        raise NotRecorded(reason, remedy)
    for phase in (*around(timeline, first, last), None):
        for detailed in (False, True):
            found = SceneWriter(timeline, phase, last, detailed).write(name)
            if found is not None:
                return found
    if game.table.header.opening is not None:
        remedy = "begin a game at the start, or choose answers of one phase that began in this game"
        raise NotRecorded("a game that began in the middle cannot be recorded beyond the phase it is in", remedy)
    raise NotRecorded("this game cannot be recorded as a scene", "the rules hold values for which scenes have no words")


def around(timeline: Timeline, first: int, last: int) -> list[PhaseSpan]:
    """The phases that were played all through these answers, the innermost first."""
    places = [i for i, asked in enumerate(timeline.asked) if first <= asked.answer <= last]
    begin, end = places[0], places[-1]
    held = [phase for phase in timeline.phases if phase.first <= begin and (phase.last is None or end < phase.last)]
    return sorted(held, key=lambda phase: -phase.level)


class SceneWriter:
    """One attempt: the game from a phase on (None: from its beginning), up to an answer and on to the next question.

    detailed: also which phases are under way, and what was used in them.
    """

    def __init__(self, timeline: Timeline, phase: PhaseSpan | None, last: int, detailed: bool) -> None:
        self.timeline = timeline
        self.phase = phase
        self.detailed = detailed
        self.program = timeline.game.program
        self.players = table_names(self.program, timeline.game.players)
        self.words = SceneVocabulary(self.program, self.players)
        self.state_writer = StateWriter(self.words, timeline.game.table.layout)
        start, end = (0, None) if phase is None else (phase.first, phase.last)
        self.asked = list(_stretch(timeline.asked[start:end], last))
        begin, until = (0, None) if phase is None else (phase.events, phase.until)
        waiting = timeline.waiting if end is None else None
        self.following = next(iter(timeline.asked[start + len(self.asked) : end]), waiting)
        self.events = timeline.events[begin : self.following.events if self.following else until]

    def write(self, name: str) -> RecordedScene | None:
        """The scene; None if it does not go as the game went."""
        try:
            scene = {"name": name or self.named(), **self.beginning(), **self.play()}
            staged = self.staged(scene)
            if staged is None or staged.differences or not self.same(staged):
                return None
            scene = {**scene, "then": self.outcome(staged)}
            staged = self.staged(scene)
        except NotExpressible:
            return None
        if staged is None or staged.differences:
            return None
        numbers = [asked.answer for asked in self.asked if asked.answer]
        first, last = (numbers[0], numbers[-1]) if numbers else (0, 0)
        return RecordedScene(scene, self.players, first, last, self.phase.name if self.phase else "")

    # --- what is so before

    def beginning(self) -> Data:
        """Settings, where it starts, and all that differs there from a new game."""
        table = self.timeline.game.table
        usual = {setting.name: setting.value for setting in self.program.settings}
        truths = {setting.name for setting in self.program.settings if setting.truth}
        settings = {
            name: ("on" if value else "off") if name in truths else value
            for name, value in table.header.settings.items()
            if value != usual[name]
        }
        told: Data = {"settings": settings} if settings else {}
        state = first_state(self.program, len(self.players), table.header.settings)
        lay_table(state, self.program)
        if self.phase is None:
            given = self.state_writer.given(state, table.first_state()) if table.begins_with_values else {}
            return told | ({"given": given} if given else {})
        given = self.state_writer.given(state, self.phase.state)
        told |= {"given": given} if given else {}
        told["start"] = f"phase {self.phase.name}"
        return told | (self.details(self.phase.state) if self.detailed else {})

    def details(self, state: Sequence[int]) -> Data:
        """Who `you` is, which phases are under way, what was used in them."""
        going = [name for name, cell in phase_cells(self.program).items() if state[cell] > 0]
        used = {
            player: labels
            for seat, player in enumerate(self.players)
            if (labels := [x.label for x in limited(self.program) if state[x.base + seat] >> x.bit & 1])
        }
        told: Data = {"for": self.players[state[o.YOU]]} if 0 < state[o.YOU] < len(self.players) else {}
        told |= {"during": going} if going else {}
        return told | ({"used": used} if used else {})

    # --- what is done

    def play(self) -> Data:
        """The steps: luck as it came, and answers under the names of those who gave them."""
        steps: list[Data] = []
        options = Options(self.program, self.words.wording)
        for asked in self.asked:
            key, text = self.step(options, asked)
            last = steps[-1] if steps else {}
            if key in last:
                last[key] = f"{last[key]} {text}" if key == DICE else [*_listed(last[key]), text]
            else:
                steps.append(LineMap({key: text}))
        return {"play": steps} if steps else {}

    def step(self, options: Options, asked: AskedQuestion) -> tuple[str, str]:
        ask = options.ask(asked.question, asked.seat, asked.values)
        option, question = ask.taken(asked.values[asked.index]), self.program.questions[asked.question]
        if not asked.by_player and is_roll(question):
            return DICE, str(option.value)
        fixed = not question.titles and self.by_rules(question, option) and match(ask, option.text) is option
        text = option.text if fixed else option.key
        if match(ask, text) is not option:
            raise NotExpressible(text)
        return (self.players[asked.seat] if asked.by_player else DRAWN), text

    def by_rules(self, question: Question, option: Option) -> bool:
        """Whether it is shown in words of the rules, and not in English that may become better."""
        if question.domain == "ways":
            return not option.value >> self.program.dice.bits
        return slug(option.text) == option.key or question.domain in ("thing", "die") and option.value != o.DECLINE

    # --- what is so then

    def outcome(self, staged: ScenePlayer) -> Data:
        """All that has become different, and how the game ended, if it did."""
        told = self.state_writer.changes(staged.before, staged.state)
        told |= self.state_writer.knowledge(staged.before, staged.state)
        if staged.state[o.STATUS] == o.GAME_OVER:
            winners = [name for seat, name in enumerate(self.players) if staged.state[o.WINNERS] >> seat & 1]
            told |= {"over": "yes", "winners": winners or "nobody"}
        return {**told, "rest": "unchanged"}

    # --- whether it is so

    def staged(self, scene: Data) -> ScenePlayer | None:
        """The scene, played; `stop` is added to it if it ends with a question."""
        stage = played(self.program, self.timeline.game.table.layout, self.players, scene)
        if stage is not None and stage.state[o.STATUS] == o.ASKING and "stop" not in scene:
            scene["stop"] = "here"
            return self.staged(scene)
        return stage

    def same(self, staged: ScenePlayer) -> bool:
        """Whether it went as the game went, and waits for the same answer."""
        ends_alike = staged.state[o.STATUS] != o.ASKING
        if self.following is not None:
            ends_alike = self.following.is_waiting(staged.state)
        return ends_alike and self.seen(staged.events) == self.seen(self.events)

    def seen(self, events: Sequence[int]) -> list[tuple[int, ...]]:
        """The events; of those who come to know a secret, only the players there are."""
        watched, seats = self.timeline.game.table.layout.watched, (1 << len(self.players)) - 1
        found: list[tuple[int, ...]] = []
        for at in range(0, len(events), o.EVENT_SIZE):
            sort, place, cell, old, new = events[at : at + o.EVENT_SIZE]
            if sort == o.EV_SET and cell in watched:
                old, new = old & seats, new & seats
            if sort != o.EV_SET or old != new:
                found.append((sort, place, cell, old, new))
        return found

    def named(self) -> str:
        """What it shows, until somebody says it better."""
        titles = dict(self.program.phases)
        numbers = [asked.answer for asked in self.asked if asked.answer]
        what = titles[self.phase.name] if self.phase else self.program.title
        if not numbers:
            return f"{what} as it was played, up to the first question"
        return f"{what} as it was played, answers {numbers[0]} to {numbers[-1]}"


def played(program: Program, layout: Layout, players: Sequence[str], scene: Data) -> ScenePlayer | None:
    """A scene that is not in a file, played and compared; None if it cannot be understood."""
    source = Source("recorded", as_page({"players": list(players)}, scene))
    written = read_yaml(source).value
    if written is None:
        return None
    stage, _ = prepare(Scene(ScenePage(Path(), source, written), 0), program, layout)
    if stage is not None:
        stage.play()
    return stage


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _stretch(asked: Sequence[AskedQuestion], last: int) -> Iterator[AskedQuestion]:
    """Up to that answer, and all the luck that follows."""
    for one in asked:
        if one.answer > last:
            return
        yield one


def table_names(program: Program, players: Sequence[str]) -> tuple[str, ...]:
    """The players' names, or others, if a scene could take one of them for something else."""
    words = SceneVocabulary(program, players)

    def is_plain(name: str) -> bool:
        plain = PLAIN_NAME.match(name) and folded(name) not in RESERVED and not words.variables(name)
        return bool(plain) and len(words.things("player", name)) == 1

    return tuple(players) if all(map(is_plain, players)) else SEATED[: len(players)]


def as_page(top: Data, scene: Data) -> str:
    """A file of scenes with one scene."""
    head = "".join(write_yaml(LineMap({key: value})) for key, value in top.items())
    return head + "\n" + write_yaml(LineMap(scenes=[_ordered(scene)]))


def as_item(scene: Data) -> str:
    """One scene, to be added at the end of a file of scenes."""
    return write_yaml(LineMap(scenes=[_ordered(scene)])).partition("\n")[2]


def _ordered(scene: Data) -> LineMap:
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
