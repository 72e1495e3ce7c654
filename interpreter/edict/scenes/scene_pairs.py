"""One situation under rules that are read in two ways, as two scenes of which each passes in one of them only.

Both games went the same way up to an answer. The scenes begin as late as they can, give no more than what is needed for
the difference, and expect nothing but that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from edict.program import opcodes as o
from edict.scenes.game_timeline import PhaseSpan, Timeline
from edict.scenes.scene_facts import Data, NotExpressible
from edict.scenes.scene_player import ScenePlayer
from edict.scenes.scene_recorder import SceneWriter, played
from edict.table.game import Game

MOST_TRIED = 60  # facts that are left out to see whether they matter
MOST_TOLD = 4  # differences that are told of each


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two: its scene, who plays in it, and what is so in it and not in the other, in words."""

    scene: Data
    players: tuple[str, ...]
    told: tuple[str, ...]


Sides = tuple[Side, Side]
Scenes = tuple[Data, Data]


def two_sides(one: Game, other: Game, last: int, names: tuple[str, str]) -> Sides | None:
    """The scenes of two games that were the same up to this answer (0: up to the first) and are not at the question
    behind it; None if scenes have no words for that. Each is called by one of the names."""
    first, second = Timeline.of(one), Timeline.of(other)
    also = {(phase.name, phase.events): phase for phase in second.phases}
    for phase, detailed in product(_begun(first, last), (False, True)):
        same = also.get((phase.name, phase.events)) if phase else None
        if (phase is None) == (same is None):
            writers = SceneWriter(first, phase, last, detailed), SceneWriter(second, same, last, detailed)
            found = _Pair(*writers).sides(names)
            if found is not None:
                return found
    return None


def _begun(timeline: Timeline, last: int) -> Iterator[PhaseSpan | None]:
    """Where a scene can begin that goes beyond this answer: the latest first, and the beginning of the game."""
    place = next((i for i, asked in enumerate(timeline.asked) if asked.answer == last > 0), -1)
    beyond = [one for one in timeline.phases if one.last is None or one.last > place or one.first > place]
    yield from sorted(beyond, key=lambda phase: -phase.events)
    yield None


class _Pair:
    """The same stretch of both games."""

    def __init__(self, one: SceneWriter, other: SceneWriter) -> None:
        self.writers = (one, other)

    def sides(self, names: tuple[str, str]) -> Sides | None:
        """Both scenes; None if they begin differently, do not go as the games went, or come to the same."""
        written = [writer.write(name) for writer, name in zip(self.writers, names, strict=True)]
        whole = [recorded.scene for recorded in written if recorded is not None]
        if len(whole) < 2 or _beginning(whole[0]) != _beginning(whole[1]):
            return None
        bare = [{part: value for part, value in scene.items() if part != "then"} for scene in whole]
        stages = [self.stage(side, scene) for side, scene in enumerate(bare)]
        if stages[0] is None or stages[1] is None:
            return None
        try:
            told = self.difference(stages[0], stages[1]), self.difference(stages[1], stages[0])
        except NotExpressible:
            return None
        scenes = tuple(_with(scene, *facts[:2]) for scene, facts in zip(bare, told, strict=True))
        if not self.apart((scenes[0], scenes[1])):
            return None
        lighter = self.lighter((scenes[0], scenes[1]))
        players = self.writers[0].players
        return Side(lighter[0], players, told[0][2]), Side(lighter[1], players, told[1][2])

    def stage(self, side: int, scene: Data) -> ScenePlayer | None:
        writer = self.writers[side]
        return played(writer.program, writer.timeline.game.table.layout, writer.players, scene)

    # --- what differs

    def difference(self, stage: ScenePlayer, other: ScenePlayer) -> tuple[Data, list[Data], tuple[str, ...]]:
        """What is so in one and not in the other: as facts, as steps about what is asked, and in words."""
        writer = self.writers[0].state_writer
        then = {**writer.changes(other.state, stage.state), **writer.knowledge(other.state, stage.state)}
        lines = [
            f"{stage.words.label(stage.words.spot(cell.variable, cell.of))}: "
            f"{stage.words.text(cell.variable.type, cell.value(stage.state))}"
            for cell in writer.cells
            if cell.value(stage.state) != cell.value(other.state)
        ]
        over, elsewhere = (one.state[o.STATUS] == o.GAME_OVER for one in (stage, other))
        if over != elsewhere or over and stage.state[o.WINNERS] != other.state[o.WINNERS]:
            told = _ending(stage)
            then, lines = {**then, **told}, [*lines, *(f"{key}: {_listed(value)}" for key, value in told.items())]
        steps = [] if then else _asked_otherwise(stage, other)
        lines += [f"{key}: {_listed(value)}" for step in steps for key, value in step.items()]
        if not then and not steps:
            said = _said_otherwise(stage, other)
            then, lines = ({"log": said} if said else {}), [f"log: {line}" for line in said]
        return then, steps, tuple(lines[:MOST_TOLD])

    def apart(self, scenes: Scenes) -> bool:
        """Whether each passes as it is read, and not as the other is."""
        return all(self.passes(side, scenes[side]) and not self.passes(1 - side, scenes[side]) for side in (0, 1))

    def passes(self, side: int, scene: Data) -> bool:
        stage = self.stage(side, scene)
        return stage is not None and not stage.differences

    # --- what must be given

    def lighter(self, scenes: Scenes) -> Scenes:
        """Without what is given and makes no difference."""
        for path in _facts(scenes[0].get("given", {}))[:MOST_TRIED]:
            fewer = _without(scenes[0], path), _without(scenes[1], path)
            if self.apart(fewer):
                scenes = fewer
        return scenes


def _beginning(scene: Data) -> Data:
    return {part: value for part, value in scene.items() if part not in ("name", "play", "stop", "then")}


def _with(scene: Data, then: Data, steps: Sequence[Data]) -> Data:
    played_too = {"play": [*scene.get("play", ()), *steps]} if steps else {}
    return {**scene, **played_too, **({"then": then} if then else {})}


def _ending(stage: ScenePlayer) -> Data:
    if stage.state[o.STATUS] != o.GAME_OVER:
        return {"over": "no"}
    names = [name for seat, name in enumerate(stage.words.players) if stage.state[o.WINNERS] >> seat & 1]
    return {"over": "yes", "winners": names or "nobody"}


def _asked_otherwise(stage: ScenePlayer, other: ScenePlayer) -> list[Data]:
    """Who is asked what, or what is offered, where that is what differs."""
    if stage.state[o.STATUS] != o.ASKING or stage.state[o.SEAT] == o.CHANCE:
        return []
    ask = stage.asked()
    if other.state[o.STATUS] != o.ASKING or other.state[o.SEAT] == o.CHANCE:
        return [{f"{ask.player} is asked": ask.prompt}]
    there = other.asked()
    if (ask.player, ask.prompt) != (there.player, there.prompt):
        return [{f"{ask.player} is asked": ask.prompt}]
    mine, theirs = [one.text for one in ask.options], [one.text for one in there.options]
    more, fewer = [one for one in mine if one not in theirs], [one for one in theirs if one not in mine]
    can: list[Data] = [{f"{ask.player} can": more}] if more else []
    return [*can, {f"{ask.player} cannot": fewer}] if fewer else can


def _said_otherwise(stage: ScenePlayer, other: ScenePlayer) -> list[str]:
    mine, theirs = ([entry.text for entry in one.log()] for one in (stage, other))
    return [line for line in mine if line not in theirs]


def _facts(given: Data) -> list[tuple[str, ...]]:
    """The ways to all that is given: what the table has whole, then what each player has, one by one."""
    inner = [(name, key) for name, facts in given.items() if isinstance(facts, dict) for key in facts]
    return [*((name,) for name in given), *inner]


def _without(scene: Data, path: Sequence[str]) -> Data:
    given = _left(scene.get("given", {}), path)
    kept = {part: value for part, value in scene.items() if part != "given"}
    return {**kept, **({"given": given} if given else {})}


def _left(given: Data, path: Sequence[str]) -> Data:
    name, *others = path
    if name not in given:
        return given
    inner = _left(given[name], others) if others else {}
    return {key: value for key, value in {**given, name: inner}.items() if key != name or value}


def _listed(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
