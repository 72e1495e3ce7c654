"""`scene record`: a scene written from a played game, and the list of answers to choose a stretch from."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from edict.cli import options as o
from edict.cli.errors import UsageError
from edict.cli.playing import saved_games
from edict.cli.rules_by_name import rules_of
from edict.files import Target
from edict.rendering import plain
from edict.resources import command
from edict.table.rules import rules_for
from edict.sources.module_lookup import find, shipped
from edict.sources.folders import read_manifest
from edict.table.journal import Header, read_journal

if TYPE_CHECKING:
    from edict.scenes.scene_recorder import Recorded
    from edict.scenes.game_timeline import Timeline
    from edict.table.game import Game

SCENES = "scenes"
MANIFEST = "module.yaml"


@dataclass(frozen=True)
class Beside:
    """The rules a file of scenes stands beside, if any: their folder, their name, and whether they are a game."""

    folder: Path
    name: str
    is_game: bool

FromAnswer = Annotated[
    int | None, typer.Option("--from", metavar="N", help="First answer to record [default: the same as --to].")
]
ToAnswer = Annotated[
    int | None, typer.Option("--to", metavar="N", help="Last answer to record [default: the last of the game].")
]
SceneName = Annotated[str, typer.Option("--name", metavar="WORDS", help="Name of the scene.")]
SceneFile = Annotated[
    Path | None, o.path("--output", "-o", metavar="FILE", help="Write the scene here [default: print it].")
]
ListAnswers = Annotated[bool, typer.Option("--list", help="List the answers of the game with their numbers, and exit.")]


def record(
    journal: o.Journal,
    first: FromAnswer = None,
    last: ToAnswer = None,
    name: SceneName = "",
    file: SceneFile = None,
    force: o.Force = False,
    listed: ListAnswers = False,
) -> int:
    """Write a scene of these answers (without numbers: of the last one), or list them; returns the exit code."""
    output = Target.of(file, force)
    written = read_journal(saved_games.find_game(journal))
    game = rules_for(written, rules_of).replay(written)
    if listed:
        print(plain("\n".join(answers(game))))
        return 0
    if output is not None and not output.is_output:
        print(plain(to_file(game, output.path, first, last, name, output.force)))
        return 0
    recorded = _recorded(game, first, last, name)
    print(recorded.page(_top(game.table.header, None)), end="")
    print(plain(_advice(game.table.header)), file=sys.stderr)
    return 0


def to_file(
    game: Game, output: Path, first: int | None = None, last: int | None = None, name: str = "", force: bool = False
) -> str:
    """Write the scene to a file; returns what to say of it. Raises `UsageError` or `OSError`."""
    header = game.table.header
    beside = _beside(output, header)
    recorded = _recorded(game, first, last, name)
    _write(Target(output, force), recorded.page(_top(header, beside)))
    return f"Answers {recorded.first} to {recorded.last} are recorded in {output}. {_advice(header, beside)}"


def _recorded(game: Game, first: int | None, last: int | None, name: str) -> Recorded:
    from edict.scenes.scene_recorder import NotRecorded
    from edict.scenes.scene_recorder import record as told

    last = len(game.journal.answers) if last is None else last
    try:
        return told(game, last if first is None else first, last, name)
    except NotRecorded as problem:
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
    folder = find(name).value
    manifest = read_manifest(folder).value if folder else None
    return manifest.name if manifest else name


def _ships(name: str) -> bool:
    return _folder(name) in {folder.resolve() for folder in shipped()}


def _top(header: Header, beside: Beside | None) -> dict[str, Any]:
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
        return f"{where}: `{command()} test FOLDER{options}`."
    return f"`{command()} test {beside.folder}{options}` plays it."


def _write(output: Target, text: str) -> None:
    if output.path.parent.name == SCENES:
        output.path.parent.mkdir(exist_ok=True)
    output.write(text)


# --- the list --------------------------------------------------------------------------------------------


def answers(game: Game) -> Iterator[str]:
    """Every answer with its number, under the phases it was given in; secrets only of a game that is over."""
    from edict.scenes.game_timeline import Timeline

    timeline, heading = Timeline.of(game), ""
    for place, asked in enumerate(timeline.asked):
        if not asked.answer:
            continue
        phases = _phases(timeline, place)
        if phases != heading:
            yield phases
            heading = phases
        ask = game.table.options.ask(asked.question, asked.seat, asked.values)
        text = ask.taken(asked.values[asked.index]).text if game.over or not ask.secret else "(secret)"
        yield f"{asked.answer:>5}  {ask.player}: {text}"
    if not timeline.answers:
        yield "Nothing has been answered yet."


def _phases(timeline: Timeline, place: int) -> str:
    titles = dict(timeline.game.program.phases)
    going = [phase for phase in timeline.phases if phase.first <= place and (phase.last is None or place < phase.last)]
    going.sort(key=lambda phase: phase.level)
    return " > ".join(titles[phase.name] for phase in going) or timeline.game.program.title
