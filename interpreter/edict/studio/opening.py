"""Games that begin where a scene of the variant begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from edict.program import Program
from edict.report import RulesError, listed
from edict.scenes.facts import read_facts
from edict.scenes.opening import WHOLE, entry_of, prepare
from edict.scenes.reading import Scene, read_page, scene_files
from edict.scenes.stage import Stage
from edict.studio.errors import StudioError
from edict.studio.snapshot import Snapshot
from edict.table.errors import JournalError
from edict.table.journal import Journal, Opening
from edict.table.rules import Rules


@dataclass(frozen=True, slots=True)
class OpeningScene:
    """A scene that a game may begin at: its file ("scenes/x.yaml"), its name, and the line it stands on."""

    file: str
    name: str
    line: int


def openings(seen: Snapshot) -> tuple[OpeningScene, ...]:
    """The scenes of the variant that can be read; whether a game comes to their places shows when one is begun."""
    with seen.laid():
        read = (read_page(seen.folder, file) for file in scene_files(seen.folder).value or ())
        scenes = [scene for page in read if page.value is not None for scene in page.value.scenes()]
    return tuple(OpeningScene(one.span.file.partition("/")[2], one.name, one.span.line) for one in scenes)


def begin_at(
    seen: Snapshot, rules: Rules, file: str, name: str, bots: Sequence[str] = (), seed: int | None = None
) -> Journal:
    """A new game of the variant as it was `seen` that begins where a scene begins: `name` in `file` ("scenes/x.yaml").

    It has the scene's players and settings, and all that is given in it; what goes on around the place was played at
    random. Raises `StudioError` for a scene that is not there, cannot be understood, or to whose place no game comes.
    """
    scene = _scene(seen, file, name)
    others = [one for one in scene.modules if one not in rules.modules]
    if others:
        reason = f"the scene `{name}` is played with {listed(others, 'and')} too"
        raise StudioError(reason, "start at another scene, or require these modules in the manifest")
    stage, wrong = prepare(scene, rules.program, rules.layout)
    if stage is None:
        raise StudioError(f"the scene `{name}` cannot be played: {wrong[0].title}", wrong[0].help)
    program, players = rules.program, len(scene.players)
    at = str(scene.data.get("start", WHOLE))
    you = stage.words.seat(scene.data["for"], scene.place("for")) if "for" in scene.data else -1
    at = entry_of(program, at) if at != WHOLE else ""
    opening = Opening(at, tuple(_given(stage, program)), you, (file, name))
    seats = (*bots, *("" for _ in range(players)))[:players]
    begun = rules.new_game(scene.players, seed, scene.data.get("settings", {}), bots=seats).journal
    journal = kept(replace(begun, header=replace(begun.header, opening=opening)))
    try:
        rules.replay(journal)
    except JournalError as problem:
        raise StudioError(f"no game can begin at the scene `{name}`: {problem.reason}", problem.remedy) from None
    except RulesError as fault:
        reason = f"no game can begin at the scene `{name}`: {fault.diagnostics[0].title}"
        raise StudioError(reason, "give more of what is there at that moment, or begin at a phase") from None
    return journal


def _given(stage: Stage, program: Program) -> Iterator[tuple[int, int]]:
    """Every cell that a scene gives a value, or knowledge of one, and what was used before."""
    facts = read_facts(stage.words, stage.scene, ("given",), stage.scene.data.get("given", {}), expected=False)
    spots = [*(fact.spot for fact in facts.values), *(known.spot for known in facts.knows)]
    addresses = [address for spot in spots for address in (spot.address, spot.known) if address >= 0]
    used = [one.base + seat for one in program.periods for seat in range(len(stage.words.players))]
    yield from ((address, stage.before[address]) for address in dict.fromkeys(addresses))
    yield from ((address, stage.before[address]) for address in used if stage.before[address])


def _scene(seen: Snapshot, file: str, name: str) -> Scene:
    with seen.laid():
        page = read_page(seen.folder, seen.folder / file)
    if page.value is None:
        raise StudioError(f"`{file}` cannot be read: {page.diagnostics[0].title}", page.diagnostics[0].help)
    found = next((scene for scene in page.value.scenes() if scene.name == name), None)
    if found is None:
        raise StudioError(f"there is no scene `{name}` in `{file}` any more", "start a new game")
    return found


def kept(journal: Journal) -> Journal:
    """The same game, to be played under the rules it contains, even if the variant changes."""
    return replace(journal, keeps_rules=bool(journal.bundle))
