"""Scenes of things, recorded from random games: for each thing, what follows where somebody chooses it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from random import Random

from edict.game.scenes.game_timeline import Timeline
from edict.game.scenes.scene_files import DEFAULT_PLAYERS
from edict.game.scenes.scene_recorder import RecordedScene, format_item, record_answers
from edict.game.table.game import Game
from edict.game.table.game_errors import GameError
from edict.game.table.journal import Header
from edict.game.table.rules import Rules
from edict.runtime.program import LinkedThing
from edict.runtime.program import opcodes as o
from edict.support.records import dataclass
from edict.support.report import RulesError

GAMES = 60
MOST_ANSWERS = 2_000  # of a game that does not end by itself


@dataclass
class SceneSearch:
    """A search for a scene of each thing of a kind: games in which these things are chosen wherever they can be."""

    rules: Rules
    kind: str
    names: Collection[str]
    scenes: dict[str, RecordedScene] = field(default_factory=dict)  # by name of the thing
    header: Header | None = None  # of the last game

    def __post_init__(self) -> None:
        things = self.rules.program.kind_by_name[self.kind].things
        self.things: Mapping[int, LinkedThing] = {
            value: thing for value, thing in enumerate(things) if thing.name in self.names
        }

    @property
    def missing(self) -> list[str]:
        """The titles of the things without a scene."""
        return [thing.title or thing.name for thing in self.things.values() if thing.name not in self.scenes]

    def run(self) -> None:
        """Play games until every thing has a scene; first only choices count, in the end effects as well."""
        for seed in range(GAMES):
            if not self.missing:
                return
            timeline = Timeline.from_game(self._play_game(seed))
            found = {name: number for number, name in self._iter_effects(timeline)} if seed >= GAMES // 2 else {}
            self._record(timeline, found | {name: number for number, name in self._iter_choices(timeline)})

    def _record(self, timeline: Timeline, answers: Mapping[str, int]) -> None:
        """Record the answers at which things without a scene came up, if scenes can express them."""
        for thing in self.things.values():
            if thing.name in answers and thing.name not in self.scenes:
                number = answers[thing.name]
                try:
                    scene = record_answers(timeline, number, number, f"{thing.title or thing.name} as it was imported")
                except GameError:
                    continue  # another game may show it
                self.scenes[thing.name] = scene

    def _play_game(self, seed: int) -> Game:
        """Play a game at random up to its end or its first fault, but choose the things where they are offered."""
        game = self.rules.new_game(DEFAULT_PLAYERS[: self.rules.program.least_players], seed)
        self.header = game.table.header
        rng = Random(seed)
        try:
            while not game.over and game.count < MOST_ANSWERS:
                state = game.state
                values = state[o.FIRST_OPTION : o.FIRST_OPTION + state[o.OPTIONS]]
                game.answer(self._choose(state[o.QUESTION], values, rng))
        except RulesError:
            pass  # `check` and `study` report it; the answers before it count
        return game

    def _choose(self, question: int, values: Sequence[int], rng: Random) -> int:
        """Return the index of a thing without a scene, else of another thing of the table, else of any option."""
        offered = [index for index, value in enumerate(values) if self._is_thing(question, value)]
        new = [index for index in offered if self.things[values[index]].name not in self.scenes]
        return rng.choice(new or offered or range(len(values)))

    def _is_thing(self, question: int, value: int) -> bool:
        asked = self.rules.program.questions[question]
        return asked.domain == "thing" and asked.kind == self.kind and value in self.things

    def _iter_choices(self, timeline: Timeline) -> Iterator[tuple[int, str]]:
        """Yield number of the answer and name for each thing that a player chose."""
        for asked in timeline.asked:
            value = asked.values[asked.index]
            if asked.answer and self._is_thing(asked.question, value):
                yield asked.answer, self.things[value].name

    def _iter_effects(self, timeline: Timeline) -> Iterator[tuple[int, str]]:
        """Yield number of the last answer and name for each change that the rules of a thing made."""
        answers = [(asked.events, asked.answer) for asked in timeline.asked if asked.answer]
        position = 0
        for offset in range(0, len(timeline.events), o.EVENT_SIZE):
            while position + 1 < len(answers) and answers[position + 1][0] <= offset:
                position += 1
            cause = self.rules.program.cause_at(timeline.events[offset + 1])
            if cause.name in self.names and answers and answers[position][0] <= offset:
                yield answers[position][1], cause.name


def format_scenes(top: Mapping[str, object], scenes: Sequence[RecordedScene]) -> str:
    """Return the text of a file with recorded scenes, at least one; `top` are the entries at its top."""
    first, *others = scenes
    return "\n".join([first.to_page(dict(top)), *(format_item(scene.scene) for scene in others)])
