"""`--at FILE:LINE`: a game that begins where a scene begins, with its players and what it gives them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from edict.cli.errors import UsageError, WrongRules
from edict.cli.loading import rules_of
from edict.cli.paths import a_path
from edict.cli.playing import players
from edict.report import did_you_mean
from edict.scenes.reading import FOLDER, Scene, read_page
from edict.rendering import by_name
from edict.sources.folders import MANIFEST
from edict.studio.playtests import begin_at
from edict.studio.snapshots import Snapshot
from edict.table.journal import Journal
from edict.table.rules import Rules
from edict.text import Source


MOST_LINES = 12  # of scenes that are named


@dataclass(frozen=True)
class Start:
    """A scene, and the folder of the module or game it stands beside."""

    folder: Path
    scene: Scene

    @property
    def file(self) -> str:
        """As the folder's readers call it: "scenes/x.yaml"."""
        return self.scene.page.source.name.partition("/")[2]


def start_of(written: str) -> Start:
    """The scene at a place, "FILE:LINE" or "FILE" for its first one. Raises `UsageError` or `WrongRules`."""
    name, _, number = written.rpartition(":")
    if not name or not number.isdecimal():
        name, number = written, "1"
    file = a_path(name).absolute()
    if not file.is_file():
        raise UsageError(f"there is no file `{name}`", "name a file of scenes and a line: --at scenes/first.yaml:12")
    folder = next((one for one in file.parents if (one / MANIFEST).is_file()), None)
    if folder is None or file.parent.name != FOLDER:
        raise UsageError(f"`{name}` is no file of scenes", f"scenes are in the folder `{FOLDER}` beside {MANIFEST}")
    page = read_page(folder, file)
    if page.value is None:
        raise WrongRules(page.diagnostics, by_name([Source(f"{folder.name}/{FOLDER}/{file.name}", _text(file))]))
    scenes = sorted(page.value.scenes(), key=lambda scene: scene.span.line)
    last = len(page.value.source.lines)
    if not 1 <= int(number) <= last:
        begin = [*(str(scene.span.line) for scene in scenes[:MOST_LINES]), *(["..."] if scenes[MOST_LINES:] else [])]
        told = f"`{name}` has no line {number}: it has {last} lines"
        raise UsageError(told, f"name a line in which a scene begins: {', '.join(begin)}")
    return Start(folder, next((s for s in reversed(scenes) if s.span.line <= int(number)), scenes[0]))


def rules_for(start: Start, game: str, modules: Sequence[str]) -> Rules:
    """The rules a scene is about, with the modules it names, and more that are wanted."""
    own, more = str(start.folder), (*start.scene.modules, *modules)
    over = game or start.scene.page.game
    return rules_of(over, (own, *more)) if over else rules_of(own, more)


def begun(
    start: Start, rules: Rules, humans: Sequence[str] = (), bots: Sequence[str] = (), seed: int | None = None
) -> Journal:
    """The game at its beginning. Raises `UsageError`, and what `begin_at` raises."""
    kinds = _kinds(start.scene, humans, bots)
    return begin_at(Snapshot(start.folder), rules, start.file, start.scene.name, kinds, seed)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return ""


def _kinds(scene: Scene, humans: Sequence[str], bots: Sequence[str]) -> tuple[str, ...]:
    """The kind of bot in each seat of a scene; nothing for a person, who takes the first turn unless named."""
    strange = next((name for name in humans if name not in scene.players), None)
    if strange is not None:
        named = did_you_mean(strange, scene.players) or f"they are {', '.join(scene.players)}"
        raise UsageError(f"nobody in this scene is called `{strange}`", named)
    people = humans or ((_first(scene),) if sys.stdin.isatty() else ())  # without a terminal there is nobody
    kinds = iter([*(players.checked_kind(one) for one in bots), *[players.default_kind()] * len(scene.players)])
    return tuple("" if name in people else next(kinds) for name in scene.players)


def _first(scene: Scene) -> str:
    """Who is meant by `for`, or answers first, or else sits in the first seat."""
    steps = scene.data.get("play") or ()
    said = (str(word) for step in steps if isinstance(step, dict) for word in step)
    candidates = (str(scene.data.get("for", "")), *said)
    return next((name for name in candidates if name in scene.players), scene.players[0])
