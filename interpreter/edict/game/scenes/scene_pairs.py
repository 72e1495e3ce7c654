"""Pairs of scenes that show one situation under two readings of the rules; each passes under one reading only.

Both games went the same way up to an answer. The scenes begin as late as possible, give no more than the difference
needs, and expect nothing but the difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from typing import Any

from edict.game.scenes.game_timeline import PhaseSpan, Timeline
from edict.game.scenes.scene_facts import Data, NotExpressible
from edict.game.scenes.scene_player import ScenePlayer
from edict.game.scenes.scene_recorder import SceneWriter, play_data
from edict.game.table.game import Game
from edict.runtime.program import Program
from edict.runtime.program import opcodes as o
from edict.support.records import dataclass

MOST_TRIED = 100  # facts that are left out on trial to see whether they matter
MOST_TOLD = 4  # differences described for each scene
MOST_LINES = 2  # lines of the log that are compared


@dataclass(frozen=True, slots=True)
class PairedScene:
    """One scene of a pair."""

    scene: Data
    players: tuple[str, ...]
    differences: tuple[str, ...]  # facts of this scene that the other lacks


FactPath = tuple[str, ...]
ScenePair = tuple[PairedScene, PairedScene]
SceneDataPair = tuple[Data, Data]


def find_scene_pair(one: Game, other: Game, last: int, names: tuple[str, str]) -> ScenePair | None:
    """Return scenes of two games that agree up to an answer and differ at the next question.

    Args:
        one: The first game.
        other: The same game under other rules.
        last: The number of the last common answer; 0 compares up to the first question.
        names: A name for each scene.

    Returns:
        The pair, or None if scenes cannot express the difference.
    """
    if _variable_layout(one.program) != _variable_layout(other.program):
        return None
    first, second = Timeline.from_game(one), Timeline.from_game(other)
    other_phases = {(phase.name, phase.events): phase for phase in second.phases}
    for phase, detailed in product(_iter_starts(first, last), (False, True)):
        other_phase = other_phases.get((phase.name, phase.events)) if phase else None
        if (phase is None) == (other_phase is None):
            writers = SceneWriter(first, phase, last, detailed), SceneWriter(second, other_phase, last, detailed)
            pair = _PairWriter(*writers).write_pair(names)
            if pair is not None:
                return pair
    return None


def _variable_layout(program: Program) -> list[tuple[Any, ...]]:
    """Return name, type, sizes and first cell of each variable, to compare the layouts of two programs."""
    return [(variable.name, variable.type, variable.sizes, variable.base) for variable in program.variables]


def _iter_starts(timeline: Timeline, last: int) -> Iterator[PhaseSpan | None]:
    """Iterate over the phases in which a scene beyond this answer can begin, the latest first.

    Last comes None, for the start of the game.
    """
    place = next((i for i, asked in enumerate(timeline.asked) if asked.answer == last > 0), -1)
    candidates = [span for span in timeline.phases if span.last is None or span.last > place or span.first > place]
    yield from sorted(candidates, key=lambda phase: -phase.events)
    yield None


class _PairWriter:
    """Writes the same stretch of both games."""

    def __init__(self, first: SceneWriter, second: SceneWriter) -> None:
        self.writers = (first, second)

    def write_pair(self, names: tuple[str, str]) -> ScenePair | None:
        """Return both scenes, or None if their starts differ, they play unlike their games, or do not differ."""
        written = [writer.write(name) for writer, name in zip(self.writers, names, strict=True)]
        complete = [recorded.scene for recorded in written if recorded is not None]
        if len(complete) < 2 or _start_of(complete[0]) != _start_of(complete[1]):
            return None
        bare = [{part: value for part, value in scene.items() if part != "then"} for scene in complete]
        return self.minimize((bare[0], bare[1]))

    def minimize(self, bare: SceneDataPair) -> ScenePair | None:
        """Drop given facts, whole or part by part, as long as both scenes still end differently.

        Facts that must stay are tried part by part.
        """
        pair = self.with_differences(bare)
        pending: list[FactPath] = [(part,) for part in _keys_of(bare[0].get("given"))] if pair else []
        for path in islice(_pop_all(pending), MOST_TRIED):
            reduced = _remove_given_fact(bare[0], path), _remove_given_fact(bare[1], path)
            reduced_pair = self.with_differences(reduced)
            if reduced_pair is not None:
                pair, bare = reduced_pair, reduced
            else:
                pending += [(*path, part) for part in _keys_of(_facts_at(bare[0]["given"], path))]
        return pair

    def with_differences(self, bare: SceneDataPair) -> ScenePair | None:
        """Return both scenes with the differing facts, or None if these do not distinguish them."""
        first, second = (self.play(side, scene) for side, scene in enumerate(bare))
        if first is None or second is None or first.differences or second.differences:
            return None
        try:
            pair = self.build_side(bare[0], first, second), self.build_side(bare[1], second, first)
        except NotExpressible:
            return None
        scenes = [side.scene for side in pair]
        passes_alone = (
            self.passes(index, scenes[index]) and not self.passes(1 - index, scenes[index]) for index in (0, 1)
        )
        return pair if all(passes_alone) else None

    def passes(self, side: int, scene: Data) -> bool:
        """Return True if a scene passes under the rules of one side."""
        player = self.play(side, scene)
        return player is not None and not player.differences

    def play(self, side: int, scene: Data) -> ScenePlayer | None:
        """Play a scene under the rules of one side."""
        writer = self.writers[side]
        return play_data(writer.program, writer.timeline.game.table.layout, writer.players, scene)

    # --- what differs

    def build_side(self, scene: Data, player: ScenePlayer, other: ScenePlayer) -> PairedScene:
        """Return a scene with what only its side has at the end: facts, else question, else log lines."""
        writer = self.writers[0].state_writer
        then = {**writer.write_changes(other.state, player.state), **writer.write_knowledge(other.state, player.state)}
        differing = [cell for cell in writer.cells if cell.value(player.state) != cell.value(other.state)]
        texts = [
            f"{player.words.cell_label(cell)}: "
            f"{player.words.format_value(cell.variable.type, cell.value(player.state))}"
            for cell in differing
        ]
        end_facts = _compare_ends(player, other)
        steps = [] if then or end_facts else _compare_questions(player, other)
        log_facts = _compare_logs(player, other) if not (then or end_facts or steps) else {}
        then |= end_facts | log_facts
        texts += [
            f"{key}: {_join_values(value)}" for facts in (end_facts, *steps, log_facts) for key, value in facts.items()
        ]
        play_part = {"play": [*scene.get("play", ()), *steps]} if steps else {}
        scene = {**scene, **play_part, **({"then": then} if then else {})}
        return PairedScene(scene, self.writers[0].players, tuple(texts[:MOST_TOLD]))


def _start_of(scene: Data) -> Data:
    """Return a scene's data without its name, steps, `stop` and expected facts: only where it starts."""
    return {part: value for part, value in scene.items() if part not in ("name", "play", "stop", "then")}


def _compare_ends(player: ScenePlayer, other: ScenePlayer) -> Data:
    """Return `over` and `winners` as expected facts if the game's end differs from the other's; else {}."""
    over, other_over = (side.state[o.STATUS] == o.GAME_OVER for side in (player, other))
    if over == other_over and (not over or player.state[o.WINNERS] == other.state[o.WINNERS]):
        return {}
    if not over:
        return {"over": "no"}
    names = [name for seat, name in enumerate(player.words.players) if player.state[o.WINNERS] >> seat & 1]
    return {"over": "yes", "winners": names or "nobody"}


def _compare_questions(player: ScenePlayer, other: ScenePlayer) -> list[Data]:
    """Return steps that expect the question or its options, if these differ."""
    if player.state[o.STATUS] != o.ASKING or player.state[o.SEAT] == o.CHANCE:
        return []
    ask = player.current_question()
    if other.state[o.STATUS] != o.ASKING or other.state[o.SEAT] == o.CHANCE:
        return [{f"{ask.player} is asked": ask.prompt}]
    other_ask = other.current_question()
    if (ask.player, ask.prompt) != (other_ask.player, other_ask.prompt):
        return [{f"{ask.player} is asked": ask.prompt}]
    mine, theirs = [option.text for option in ask.options], [option.text for option in other_ask.options]
    more, fewer = (
        [option for option in mine if option not in theirs],
        [option for option in theirs if option not in mine],
    )
    steps: list[Data] = [{f"{ask.player} can": more}] if more else []
    return [*steps, {f"{ask.player} cannot": fewer}] if fewer else steps


def _compare_logs(player: ScenePlayer, other: ScenePlayer) -> Data:
    """Return log lines that the other lacks."""
    mine, theirs = ([entry.text for entry in side.log()] for side in (player, other))
    lines = [line for line in mine if line not in theirs][:MOST_LINES]
    return {"log": lines} if lines else {}


def _pop_all(pending: list[FactPath]) -> Iterator[FactPath]:
    """Take paths from the front until the list is empty; the caller may add more meanwhile."""
    while pending:
        yield pending.pop(0)


def _keys_of(facts: Any) -> list[str]:
    """Return the keys of a map or the members of a list."""
    return [*facts] if isinstance(facts, dict | list) else []


def _facts_at(facts: Any, path: FactPath) -> Any:
    """Return the facts at the end of a path; None below a member of a list."""
    for part in path:
        facts = facts[part] if isinstance(facts, dict) else None
    return facts


def _remove_given_fact(scene: Data, path: FactPath) -> Data:
    """Return a scene without the given fact at a path; drop `given` if it is then empty."""
    given = _remove_at(scene["given"], path)
    others = {part: value for part, value in scene.items() if part != "given"}
    return {**others, **({"given": given} if given else {})}


def _remove_at(facts: Any, path: FactPath) -> Any:
    """Return facts without those at the end of a path and without maps that are then empty."""
    part, *others = path
    if isinstance(facts, list):
        return [member for member in facts if member != part]
    inner = _remove_at(facts[part], tuple(others)) if others else None
    return {key: inner if key == part else value for key, value in facts.items() if key != part or inner}


def _join_values(value: object) -> str:
    """Return a list's members joined by commas, any other value as text."""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
