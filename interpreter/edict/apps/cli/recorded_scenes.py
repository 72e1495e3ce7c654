"""Scenes recorded from played games, for `test --record`, and the numbered list of a game's answers."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.command_output import write_data
from edict.apps.cli.playing import saved_games
from edict.apps.cli.rules_by_name import find_manifest, replay_journal
from edict.apps.cli.shared_options import JSON, print_document
from edict.compiler.sources.folders import read_manifest
from edict.compiler.sources.module_lookup import find_module, list_shipped_modules
from edict.game.table.journal import Header, read_journal
from edict.support.files import OutputTarget
from edict.support.records import dataclass
from edict.support.rendering import escape_terminal
from edict.support.resources import command_name

if TYPE_CHECKING:
    from edict.game.scenes.game_timeline import Timeline
    from edict.game.scenes.scene_recorder import RecordedScene
    from edict.game.table.game import Game

SCENES = "scenes"
MANIFEST = "module.yaml"


@dataclass(frozen=True)
class AdjacentRules:
    """The rules beside whose scenes a file is written."""

    folder: Path
    name: str
    is_game: bool


@dataclass(frozen=True, slots=True)
class RecordingRequest:
    """A request to record answers of a game as a scene, as typed."""

    game: Path
    first: int | None = None  # number of the first answer, counted from 1
    last: int | None = None
    name: str = ""  # name of the scene
    output: OutputTarget | None = None
    list_only: bool = False  # list the answers instead of recording them


def record_scene(request: RecordingRequest, output_format: str) -> int:
    """Write a scene of the requested answers, or list the answers of the game; return the exit code.

    Without numbers, the scene has the last answer only.
    """
    journal = read_journal(saved_games.find_game(request.game))
    game = replay_journal(journal)
    output = request.output
    if request.list_only:
        if output_format == JSON:
            print_document("answers", answers=[asdict(answer) for answer in iter_answers(game)])
        else:
            print(escape_terminal("\n".join(_answer_lines(list(iter_answers(game))))))
        return 0
    if output_format == JSON:
        raise UsageError("scenes are recorded as YAML", "drop --format json, or add --list")
    if output is not None and not output.is_standard_output:
        print(
            escape_terminal(record_to_file(game, output.path, request.first, request.last, request.name, output.force))
        )
        return 0
    scene = build_scene(game, request.first, request.last, request.name)
    print(scene.to_page(scene_file_header(game.table.header, None)), end="")
    print(escape_terminal(_describe_test_command(game.table.header)), file=sys.stderr)
    return 0


def record_to_file(
    game: Game, output: Path, first: int | None = None, last: int | None = None, name: str = "", force: bool = False
) -> str:
    """Write a scene of these answers to a file, and return a message about it. Raises `RequestError` or `OSError`."""
    header = game.table.header
    adjacent = find_adjacent_rules(output, header)
    scene = build_scene(game, first, last, name)
    write_scenes(OutputTarget(output, force), scene.to_page(scene_file_header(header, adjacent)))
    return f"Moves {scene.first} to {scene.last} are saved in {output}. {_describe_test_command(header, adjacent)}"


def build_scene(game: Game, first: int | None, last: int | None, name: str) -> RecordedScene:
    """Build the scene of these answers; raises `GameError` if they cannot be recorded."""
    from edict.game.scenes.scene_recorder import record_scene as record_answers

    last = len(game.journal.answers) if last is None else last
    return record_answers(game, last if first is None else first, last, name)


# --- where it stands -----------------------------------------------------------------------------------


def find_adjacent_rules(output: Path, header: Header) -> AdjacentRules | None:
    """Return the rules whose `scenes` folder a file lies in; None if it lies in no such folder."""
    folder = output.absolute().parent.parent
    manifest = read_manifest(folder).value if output.absolute().parent.name == SCENES else None
    if manifest is None or not (folder / MANIFEST).is_file():
        return None
    played = {_find_rules_folder(name) for name in (header.game, *header.modules)}
    if folder.resolve() not in played:
        reason = "is another game" if manifest.kind == "game" else "was not part of this game"
        raise UsageError(f"`{manifest.name}` {reason}", "save the scene in the folder of the rules that were played")
    return AdjacentRules(folder, manifest.name, manifest.kind == "game")


def _find_rules_folder(name: str) -> Path | None:
    """Return the absolute folder of a game or module by name or path; None if there is none."""
    folder = find_module(name).value
    return folder.resolve() if folder else None


def _manifest_name(name: str) -> str:
    """Return the name in the manifest of rules given by name or path; the argument itself without a manifest."""
    manifest = find_manifest(name)
    return manifest.name if manifest else name


def _is_shipped(name: str) -> bool:
    """Return True if the name or path stands for rules that ship with the package."""
    return _find_rules_folder(name) in {folder.resolve() for folder in list_shipped_modules()}


def scene_file_header(header: Header, beside: AdjacentRules | None) -> dict[str, Any]:
    """Return `game` and `modules` for the head of a scene file, without those its own folder implies."""
    game = _manifest_name(header.game)
    top: dict[str, Any] = {} if beside and (beside.is_game or beside.name == game) else {"game": game}
    module_names = [_manifest_name(name) for name in header.modules if _is_shipped(name)]
    module_names = [name for name in module_names if beside is None or name != beside.name]
    return top | ({"modules": module_names} if module_names else {})


def _describe_test_command(header: Header, adjacent: AdjacentRules | None = None) -> str:
    """Return a sentence with the command that plays the scene."""
    module_names = [name for name in header.modules if not _is_shipped(name)]
    unlisted = [
        name for name in module_names if adjacent is None or _find_rules_folder(name) != adjacent.folder.resolve()
    ]
    options = "".join(f" --with {name}" for name in unlisted)
    if adjacent is None:
        instruction = f"To run it, move it into the `{SCENES}` folder beside the rules"
        return f"{instruction}: `{command_name()} test FOLDER{options}`."
    return f"`{command_name()} test {adjacent.folder}{options}` runs it."


def write_scenes(output: OutputTarget, text: str) -> None:
    """Write a file of scenes, creating its folder `scenes` if needed."""
    if output.path.parent.name == SCENES:
        output.path.parent.mkdir(exist_ok=True)
    write_data(output, text)


# --- the list --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer of a game in the list of answers."""

    number: int  # counted from 1
    phases: str  # titles of the phases around it
    player: str
    text: str


def iter_answers(game: Game) -> Iterator[GivenAnswer]:
    """Yield the answers of a game in order. Secret ones are hidden unless the game is over."""
    from edict.game.scenes.game_timeline import Timeline

    timeline = Timeline.from_game(game)
    for position, question in enumerate(timeline.asked):
        if question.answer:
            ask = game.table.options.build_question(question.question, question.seat, question.values)
            if game.over or not ask.secret:
                text = ask.taken(question.values[question.index]).text
            else:
                text = "(secret)"
            yield GivenAnswer(question.answer, _phase_path(timeline, position), ask.player, text)


def _answer_lines(answers: Sequence[GivenAnswer]) -> Iterator[str]:
    """Yield the listed answers as lines, under the phases they were given in."""
    for phases, group in groupby(answers, lambda answer: answer.phases):
        yield phases
        yield from (f"{answer.number:>5}  {answer.player}: {answer.text}" for answer in group)
    if not answers:
        yield "Nothing has been played yet."


def _phase_path(timeline: Timeline, position: int) -> str:
    """Return the phases active at a position of the game, outermost first, as `Year > Spring`; else the game."""
    titles = dict(timeline.game.program.phases)
    active = [
        phase for phase in timeline.phases if phase.first <= position and (phase.last is None or position < phase.last)
    ]
    active.sort(key=lambda phase: phase.level)
    return " > ".join(titles[phase.name] for phase in active) or timeline.game.program.title
