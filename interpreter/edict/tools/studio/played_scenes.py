"""Scenes recorded from play at a table, which pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from edict.game.scenes.scene_files import FOLDER, ScenePage, read_page
from edict.game.scenes.scene_recorder import RecordedScene, format_item, record_scene
from edict.game.scenes.scene_reports import PlayedScene
from edict.game.scenes.scene_runner import run_module
from edict.game.table.journal import Journal
from edict.game.table.rules import Rules
from edict.support.records import dataclass
from edict.tools.studio import StudioError
from edict.tools.studio.variant_files import Snapshot

SCENES_FILE = f"{FOLDER}/played.yaml"  # file for recorded scenes
MAX_FILES = 100


@dataclass(frozen=True, slots=True)
class NewScene:
    """A recorded scene and the file to add it to."""

    file: str
    name: str
    text: str  # the whole file with the scene in it


def describe_played_game(
    journal: Journal, rules: Rules, snapshot: Snapshot, since: int | None = None, name: str = ""
) -> NewScene:
    """Return a scene that describes the last answers of a game. It was played and passes.

    Args:
        journal: The game.
        rules: The rules of the game, which must be the variant's.
        snapshot: The variant.
        since: Number of answers before the scene; None to describe the last answer.
        name: Name of the scene.

    Raises:
        GameError: No scene can be recorded.
        StudioError: The scene fails because the variant's rules have changed.
    """
    last = len(journal.answers)
    recorded = record_scene(rules.replay(journal), last if since is None else since + 1, last, name)
    scene = _add_to_file(recorded, rules, snapshot)
    _require_pass(scene, snapshot)
    return scene


def _add_to_file(recorded: RecordedScene, rules: Rules, snapshot: Snapshot) -> NewScene:
    """Return the scene at the end of a file of recorded scenes, or in a new one."""
    for number in range(1, MAX_FILES):
        file = SCENES_FILE if number == 1 else SCENES_FILE.replace(".", f"-{number}.")
        text = _read_text(snapshot, file)
        if text is None:
            return _start_file(recorded, rules, snapshot, file)
        scene = _append_to_file(recorded, snapshot, file, text)
        if scene is not None:
            return scene
    raise StudioError(f"there are too many files like `{SCENES_FILE}`", "delete the ones you do not need")


def _start_file(recorded: RecordedScene, rules: Rules, snapshot: Snapshot, file: str) -> NewScene:
    """Return the scene as the first of a file."""
    folder = snapshot.folder.resolve()
    is_game = any(module.folder.resolve() == folder and module.manifest.kind == "game" for module in rules.sources)
    return NewScene(file, recorded.scene["name"], recorded.to_page({} if is_game else {"game": rules.name}))


def _append_to_file(recorded: RecordedScene, snapshot: Snapshot, file: str, text: str) -> NewScene | None:
    """Return the scene at the end of a file; None if the file cannot be read or ends with something else."""
    page = _parse_page(snapshot, file)
    if page is None:
        return None
    names = {scene.name for scene in page.iter_scenes()}
    name = next(candidate for candidate in _list_numbered_names(recorded.scene["name"]) if candidate not in names)
    if recorded.players != _get_players(page.data):
        own_players = {"players": list(recorded.players)}
    else:
        own_players = {}
    new_text = text.rstrip() + "\n\n" + format_item({**recorded.scene, **own_players, "name": name})
    new_page = _parse_page(_replace_text(snapshot, file, new_text), file)
    fits = new_page is not None and [scene.name for scene in new_page.iter_scenes()][-1] == name
    return NewScene(file, name, new_text) if fits else None


def _get_players(data: Mapping[str, object]) -> tuple[str, ...]:
    """Return the players named at the top of a scene file."""
    players = data.get("players")
    return tuple(map(str, players)) if isinstance(players, list) else ()


def _list_numbered_names(name: str) -> list[str]:
    """Return a name, then `name (2)`, `name (3)` and so on."""
    return [name, *(f"{name} ({number})" for number in range(2, 10_000))]


# --- unsaved texts ----------------------------------------------------------------------------------


def _read_text(snapshot: Snapshot, file: str) -> str | None:
    """Return the text of a file of the variant, unsaved if there is one, else on disk; None for no file."""
    path = snapshot.folder.resolve() / file
    if path in snapshot.unsaved:
        return snapshot.unsaved[path]
    return path.read_text(encoding="utf-8") if path.is_file() else None


def _parse_page(snapshot: Snapshot, file: str) -> ScenePage | None:
    """Return a scene file of the variant, parsed with unsaved texts; None if it cannot be read."""
    with snapshot.with_unsaved_texts():
        return read_page(snapshot.folder, snapshot.folder / file).value


def _replace_text(snapshot: Snapshot, file: str, text: str) -> Snapshot:
    """Return a snapshot in which a file has another unsaved text."""
    return replace(snapshot, unsaved={**snapshot.unsaved, snapshot.folder.resolve() / file: text})


def _require_pass(new_scene: NewScene, snapshot: Snapshot) -> None:
    """Play a new scene in the variant as if it were written. Raises `StudioError` unless it passes."""
    with _replace_text(snapshot, new_scene.file, new_scene.text).with_unsaved_texts():
        report = run_module(
            snapshot.folder,
            only=lambda scene: scene.name == new_scene.name and scene.span.file.endswith(f"/{new_scene.file}"),
        )
    result = next(iter(report.scenes), None)
    if result is None or not result.ok:
        reason = f"the scene would not pass: {_explain_failure(result)}"
        raise StudioError(reason, "continue the game under the rules as they are now, and try again")


def _explain_failure(result: PlayedScene | None) -> str:
    """Return the first failed expectation of a scene, else its first error; None stands for rules with errors."""
    if result is None:
        return "the rules cannot be played yet"
    difference = next(iter(result.differences), None)
    if difference:
        return f"{difference.what} is {difference.found}, not {difference.expected}"
    return result.diagnostics[0].title
