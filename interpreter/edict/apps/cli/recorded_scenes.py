"""`test --record`: a scene written from a played game, and the list of answers to choose a stretch from."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edict.apps.cli.bounded_output import write_data
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.option_values import JSON, print_json
from edict.apps.cli.playing import saved_games
from edict.apps.cli.rules_by_name import manifest_of, rules_of
from edict.compiler.sources.folders import read_manifest
from edict.compiler.sources.module_lookup import find, shipped
from edict.game.table.journal import Header, read_journal
from edict.game.table.rules import load_rules_for
from edict.support.files import OutputTarget
from edict.support.rendering import escape_terminal
from edict.support.resources import command_name

if TYPE_CHECKING:
    from edict.game.scenes.game_timeline import Timeline
    from edict.game.scenes.scene_recorder import RecordedScene
    from edict.game.table.game import Game

SCENES = "scenes"
MANIFEST = "module.yaml"


@dataclass(frozen=True)
class Beside:
    """The rules a file of scenes stands beside, if any: their folder, their name, and whether they are a game."""

    folder: Path
    name: str
    is_game: bool


@dataclass(frozen=True, slots=True)
class RecordingRequest:
    """What is to be recorded, as typed: of which game, which answers, under which name, and where it is written.

    listed: only list the answers.
    """

    game: Path
    first: int | None = None
    last: int | None = None
    name: str = ""
    output: OutputTarget | None = None
    listed: bool = False


def record(wanted: RecordingRequest, form: str) -> int:
    """Write a scene of these answers (without numbers: of the last one), or list them; returns the exit code."""
    written = read_journal(saved_games.find_game(wanted.game))
    game = load_rules_for(written, rules_of).replay(written)
    output = wanted.output
    if wanted.listed:
        if form == JSON:
            print_json([asdict(one) for one in answers(game)])
        else:
            print(escape_terminal("\n".join(_answer_lines(list(answers(game))))))
        return 0
    if form == JSON:
        raise UsageError("a scene is written as YAML", "leave out --format json, or add --list")
    if output is not None and not output.is_standard_output:
        print(escape_terminal(to_file(game, output.path, wanted.first, wanted.last, wanted.name, output.force)))
        return 0
    told = recorded(game, wanted.first, wanted.last, wanted.name)
    print(told.to_page(top(game.table.header, None)), end="")
    print(escape_terminal(_advice(game.table.header)), file=sys.stderr)
    return 0


def to_file(
    game: Game, output: Path, first: int | None = None, last: int | None = None, name: str = "", force: bool = False
) -> str:
    """Write the scene to a file; returns what to say of it. Raises `UsageError` or `OSError`."""
    header = game.table.header
    beside = _beside(output, header)
    told = recorded(game, first, last, name)
    write_scenes(OutputTarget(output, force), told.to_page(top(header, beside)))
    return f"Answers {told.first} to {told.last} are recorded in {output}. {_advice(header, beside)}"


def recorded(game: Game, first: int | None, last: int | None, name: str) -> RecordedScene:
    """The scene of these answers; raises `UsageError` if there is none."""
    from edict.game.scenes.scene_recorder import RecordingError
    from edict.game.scenes.scene_recorder import record_scene as scene_of

    last = len(game.journal.answers) if last is None else last
    try:
        return scene_of(game, last if first is None else first, last, name)
    except RecordingError as problem:
        raise UsageError(problem.reason, problem.remedy) from None


# --- where it stands -----------------------------------------------------------------------------------


def _beside(output: Path, header: Header) -> Beside | None:
    """The rules whose folder of scenes this is; they must have been played."""
    folder = output.absolute().parent.parent
    manifest = read_manifest(folder).value if output.absolute().parent.name == SCENES else None
    if manifest is None or not (folder / MANIFEST).is_file():
        return None
    played = {_folder(name) for name in (header.game, *header.modules)}
    if folder.resolve() not in played:
        what = "is another game" if manifest.kind == "game" else "was not part of this game"
        raise UsageError(f"`{manifest.name}` {what}", "write the scene into the folder of rules that were played")
    return Beside(folder, manifest.name, manifest.kind == "game")


def _folder(name: str) -> Path | None:
    found = find(name).value
    return found.resolve() if found else None


def _name(name: str) -> str:
    """What a game or module is called in scenes."""
    manifest = manifest_of(name)
    return manifest.name if manifest else name


def _ships(name: str) -> bool:
    return _folder(name) in {folder.resolve() for folder in shipped()}


def top(header: Header, beside: Beside | None) -> dict[str, Any]:
    """The game and the modules, as far as they must be said where the scene stands."""
    top: dict[str, Any] = {} if beside and beside.is_game else {"game": _name(header.game)}
    others = [_name(name) for name in header.modules if _ships(name)]
    others = [name for name in others if beside is None or name != beside.name]
    return top | ({"modules": others} if others else {})


def _advice(header: Header, beside: Beside | None = None) -> str:
    """How the scene is played."""
    names = [name for name in header.modules if not _ships(name)]
    strangers = [name for name in names if beside is None or _folder(name) != beside.folder.resolve()]
    options = "".join(f" --with {name}" for name in strangers)
    if beside is None:
        where = f"To play it, put it into a folder `{SCENES}` beside the rules"
        return f"{where}: `{command_name()} test FOLDER{options}`."
    return f"`{command_name()} test {beside.folder}{options}` plays it."


def write_scenes(output: OutputTarget, text: str) -> None:
    """Write a file of scenes, in a new folder for them if need be."""
    if output.path.parent.name == SCENES:
        output.path.parent.mkdir(exist_ok=True)
    write_data(output, text)


# --- the list --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer by its number: in which phases it was given, by whom, and what it was."""

    number: int
    phases: str
    player: str
    text: str


def answers(game: Game) -> Iterator[GivenAnswer]:
    """Every answer of a game; secrets only of a game that is over."""
    from edict.game.scenes.game_timeline import Timeline

    timeline = Timeline.from_game(game)
    for place, asked in enumerate(timeline.asked):
        if asked.answer:
            ask = game.table.options.build_question(asked.question, asked.seat, asked.values)
            text = ask.taken(asked.values[asked.index]).text if game.over or not ask.secret else "(secret)"
            yield GivenAnswer(asked.answer, _phases(timeline, place), ask.player, text)


def _answer_lines(given: Sequence[GivenAnswer]) -> Iterator[str]:
    """Under the phases they were given in."""
    for phases, some in groupby(given, lambda one: one.phases):
        yield phases
        yield from (f"{one.number:>5}  {one.player}: {one.text}" for one in some)
    if not given:
        yield "Nothing has been answered yet."


def _phases(timeline: Timeline, place: int) -> str:
    titles = dict(timeline.game.program.phases)
    going = [phase for phase in timeline.phases if phase.first <= place and (phase.last is None or place < phase.last)]
    going.sort(key=lambda phase: phase.level)
    return " > ".join(titles[phase.name] for phase in going) or timeline.game.program.title
