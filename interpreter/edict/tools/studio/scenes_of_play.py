"""A scene made of what was just done at a table, which passes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from edict.game.scenes.scene_files import FOLDER, ScenePage, read_page
from edict.game.scenes.scene_recorder import RecordedScene, RecordingError, format_item, record_scene
from edict.game.scenes.scene_reports import PlayedScene
from edict.game.scenes.scene_runner import run_module
from edict.game.table.journal import Journal
from edict.game.table.rules import Rules
from edict.tools.studio.snapshots import Snapshot
from edict.tools.studio.studio_errors import StudioError

FILE = f"{FOLDER}/played.yaml"  # where they are added
MOST_FILES = 100


@dataclass(frozen=True, slots=True)
class NewScene:
    """A scene that was made: its name, the file it is to stand in, and all the text that file has with it."""

    file: str
    name: str
    text: str


def scene_of(journal: Journal, rules: Rules, seen: Snapshot, since: int | None = None, name: str = "") -> NewScene:
    """The scene that describes the answers of a game `since` so many of them had been given (None: the last one).

    rules: those the game is played under, which must be the variant's. It was played before it is given. Raises
    `StudioError` where none can be made, or the variant's rules have changed since so that it does not pass.
    """
    last = len(journal.answers)
    try:
        recorded = record_scene(rules.replay(journal), last if since is None else since + 1, last, name)
    except RecordingError as problem:
        raise StudioError(problem.reason, problem.remedy) from None
    made = _placed(recorded, rules, seen)
    _require_pass(made, seen)
    return made


def _placed(recorded: RecordedScene, rules: Rules, seen: Snapshot) -> NewScene:
    """At the end of a file of scenes from tables, or in a new one."""
    for number in range(1, MOST_FILES):
        file = FILE if number == 1 else FILE.replace(".", f"-{number}.")
        text = _text(seen, file)
        if text is None:
            return _alone(recorded, rules, seen, file)
        added = _added(recorded, seen, file, text)
        if added is not None:
            return added
    raise StudioError(f"there are too many files like `{FILE}`", "remove those you do not need")


def _alone(recorded: RecordedScene, rules: Rules, seen: Snapshot, file: str) -> NewScene:
    """The first scene of a file."""
    folder = seen.folder.resolve()
    is_game = any(one.folder.resolve() == folder and one.manifest.kind == "game" for one in rules.sources)
    return NewScene(file, recorded.scene["name"], recorded.to_page({} if is_game else {"game": rules.name}))


def _added(recorded: RecordedScene, seen: Snapshot, file: str, text: str) -> NewScene | None:
    """One more scene in a file; None if something else stands at its end, or it cannot be read."""
    page = _page(seen, file)
    if page is None:
        return None
    names = {scene.name for scene in page.iter_scenes()}
    name = next(one for one in _numbered(recorded.scene["name"]) if one not in names)
    seated = {"players": list(recorded.players)} if recorded.players != _players(page.data) else {}
    whole = text.rstrip() + "\n\n" + format_item({**recorded.scene, **seated, "name": name})
    again = _page(_with(seen, file, whole), file)
    fits = again is not None and [scene.name for scene in again.iter_scenes()][-1] == name
    return NewScene(file, name, whole) if fits else None


def _players(data: Mapping[str, object]) -> tuple[str, ...]:
    """The names at the top of a file of scenes."""
    players = data.get("players")
    return tuple(map(str, players)) if isinstance(players, list) else ()


def _numbered(name: str) -> list[str]:
    return [name, *(f"{name} ({number})" for number in range(2, 10_000))]


# --- as the texts stand -----------------------------------------------------------------------------


def _text(seen: Snapshot, file: str) -> str | None:
    place = seen.folder.resolve() / file
    if place in seen.unsaved:
        return seen.unsaved[place]
    return place.read_text(encoding="utf-8") if place.is_file() else None


def _page(seen: Snapshot, file: str) -> ScenePage | None:
    with seen.laid():
        return read_page(seen.folder, seen.folder / file).value


def _with(seen: Snapshot, file: str, text: str) -> Snapshot:
    return replace(seen, unsaved={**seen.unsaved, seen.folder.resolve() / file: text})


def _require_pass(made: NewScene, seen: Snapshot) -> None:
    with _with(seen, made.file, made.text).laid():
        report = run_module(
            seen.folder, only=lambda scene: scene.name == made.name and scene.span.file.endswith(f"/{made.file}")
        )
    played = next(iter(report.scenes), None)
    if played is None or not played.ok:
        reason = f"the scene would not pass: {_reason(played)}"
        raise StudioError(reason, "continue the game under the rules as they are now, and try again")


def _reason(played: PlayedScene | None) -> str:
    if played is None:
        return "the rules cannot be played as they stand"
    first = next(iter(played.differences), None)
    return f"{first.what} is {first.found}, not {first.expected}" if first else played.diagnostics[0].title
