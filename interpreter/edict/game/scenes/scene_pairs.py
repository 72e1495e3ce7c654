"""One situation under rules that are read in two ways, as two scenes of which each passes in one of them only.

Both games went the same way up to an answer. The scenes begin as late as they can, give no more than what is needed for
the difference, and expect nothing but that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from edict.game.scenes.game_timeline import PhaseSpan, Timeline
from edict.game.scenes.scene_facts import Data, NotExpressible
from edict.game.scenes.scene_player import ScenePlayer
from edict.game.scenes.scene_recorder import SceneWriter, played
from edict.game.table.game import Game
from edict.runtime.program import Program
from edict.runtime.program import opcodes as o

MOST_TRIED = 100  # facts that are left out to see whether they matter
MOST_TOLD = 4  # differences that are told of each
MOST_LINES = 2  # of the log


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two: its scene, who plays in it, and what is so in it and not in the other, in words."""

    scene: Data
    players: tuple[str, ...]
    told: tuple[str, ...]


Path = tuple[str, ...]
Sides = tuple[Side, Side]
Scenes = tuple[Data, Data]


def two_sides(one: Game, other: Game, last: int, names: tuple[str, str]) -> Sides | None:
    """The scenes of two games that were the same up to this answer (0: up to the first) and are not at the question
    behind it; None if scenes have no words for that. Each is called by one of the names."""
    if _places(one.program) != _places(other.program):
        return None
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


def _places(program: Program) -> list[tuple[Any, ...]]:
    """What is kept where: only where that is the same can states be compared."""
    return [(one.name, one.type, one.sizes, one.base) for one in program.variables]


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
        return self.lightest((bare[0], bare[1]))

    def lightest(self, bare: Scenes) -> Sides | None:
        """Both without what is given and makes no difference: what cannot be left out whole is tried part by part."""
        best = self.told_apart(bare)
        waiting: list[Path] = [(part,) for part in _parts(bare[0].get("given"))] if best else []
        for path in islice(_taken(waiting), MOST_TRIED):
            fewer = _without(bare[0], path), _without(bare[1], path)
            found = self.told_apart(fewer)
            if found is not None:
                best, bare = found, fewer
            else:
                waiting += [(*path, part) for part in _parts(_at(bare[0]["given"], path))]
        return best

    def told_apart(self, bare: Scenes) -> Sides | None:
        """Both with what is so in the one and not in the other; None if that does not tell them apart."""
        one, other = (self.stage(side, scene) for side, scene in enumerate(bare))
        if one is None or other is None or one.differences or other.differences:
            return None
        try:
            sides = self.side(bare[0], one, other), self.side(bare[1], other, one)
        except NotExpressible:
            return None
        scenes = [side.scene for side in sides]
        each = (self.passes(at, scenes[at]) and not self.passes(1 - at, scenes[at]) for at in (0, 1))
        return sides if all(each) else None

    def passes(self, side: int, scene: Data) -> bool:
        """Whether it passes as one of the two has the rules."""
        stage = self.stage(side, scene)
        return stage is not None and not stage.differences

    def stage(self, side: int, scene: Data) -> ScenePlayer | None:
        writer = self.writers[side]
        return played(writer.program, writer.timeline.game.table.layout, writer.players, scene)

    # --- what differs

    def side(self, scene: Data, stage: ScenePlayer, other: ScenePlayer) -> Side:
        """A scene with all that is so at its end and not at that of the other, as facts and in words."""
        writer = self.writers[0].state_writer
        then = {**writer.changes(other.state, stage.state), **writer.knowledge(other.state, stage.state)}
        differing = [cell for cell in writer.cells if cell.value(stage.state) != cell.value(other.state)]
        told = [
            f"{stage.words.label(cell)}: {stage.words.text(cell.variable.type, cell.value(stage.state))}"
            for cell in differing
        ]
        ended = _ended_otherwise(stage, other)
        steps = [] if then or ended else _asked_otherwise(stage, other)
        said = _said_otherwise(stage, other) if not (then or ended or steps) else {}
        then |= ended | said
        told += [f"{key}: {_listed(value)}" for some in (ended, *steps, said) for key, value in some.items()]
        more = {"play": [*scene.get("play", ()), *steps]} if steps else {}
        scene = {**scene, **more, **({"then": then} if then else {})}
        return Side(scene, self.writers[0].players, tuple(told[:MOST_TOLD]))


def _beginning(scene: Data) -> Data:
    return {part: value for part, value in scene.items() if part not in ("name", "play", "stop", "then")}


def _ended_otherwise(stage: ScenePlayer, other: ScenePlayer) -> Data:
    """Whether the game is over, and who has won, where that differs."""
    over, there = (one.state[o.STATUS] == o.GAME_OVER for one in (stage, other))
    if over == there and (not over or stage.state[o.WINNERS] == other.state[o.WINNERS]):
        return {}
    if not over:
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


def _said_otherwise(stage: ScenePlayer, other: ScenePlayer) -> Data:
    """What is in the log, where nothing else differs."""
    mine, theirs = ([entry.text for entry in one.log()] for one in (stage, other))
    lines = [line for line in mine if line not in theirs][:MOST_LINES]
    return {"log": lines} if lines else {}


def _taken(waiting: list[Path]) -> Iterator[Path]:
    """From the front, until nothing is left, though more may be added meanwhile."""
    while waiting:
        yield waiting.pop(0)


def _parts(facts: Any) -> list[str]:
    """What facts consist of: the keys of a map, the members of a list."""
    return [*facts] if isinstance(facts, dict | list) else []


def _at(facts: Any, path: Path) -> Any:
    """What is said at the end of a path; of a member of a list nothing more is."""
    for part in path:
        facts = facts[part] if isinstance(facts, dict) else None
    return facts


def _without(scene: Data, path: Path) -> Data:
    given = _left(scene["given"], path)
    kept = {part: value for part, value in scene.items() if part != "given"}
    return {**kept, **({"given": given} if given else {})}


def _left(facts: Any, path: Path) -> Any:
    """The facts without what is at the end of a path, nor what is empty then."""
    part, *others = path
    if isinstance(facts, list):
        return [one for one in facts if one != part]
    inner = _left(facts[part], tuple(others)) if others else None
    return {key: inner if key == part else value for key, value in facts.items() if key != part or inner}


def _listed(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
