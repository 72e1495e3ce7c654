"""Games of a variant: begun, at a scene too, taken up at a moment, and continued when its rules have changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from edict.game.scenes.scene_facts import read_facts
from edict.game.scenes.scene_files import Scene, find_scene_files, read_page
from edict.game.scenes.scene_player import ScenePlayer
from edict.game.scenes.scene_setup import WHOLE_GAME, find_entry, iter_tally_cells, prepare_scene
from edict.game.table.addresses import VariableCell
from edict.game.table.game import Game
from edict.game.table.game_errors import JournalError
from edict.game.table.journal import Journal, Opening
from edict.game.table.rules import Migration, Rules, migrate_journal
from edict.runtime.program import Program
from edict.support.morphology import quote_words
from edict.support.report import RulesError
from edict.tools.studio.snapshots import Snapshot
from edict.tools.studio.studio_errors import StudioError

# --- games that begin at a scene -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OpeningScene:
    """A scene that a game may begin at: its file ("scenes/x.yaml"), its name, and the line it stands on."""

    file: str
    name: str
    line: int


def openings(seen: Snapshot) -> tuple[OpeningScene, ...]:
    """The scenes of the variant that can be read; whether a game comes to their places shows when one is begun."""
    with seen.laid():
        read = (read_page(seen.folder, file) for file in find_scene_files(seen.folder).value or ())
        scenes = [scene for page in read if page.value is not None for scene in page.value.iter_scenes()]
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
        reason = f"the scene `{name}` is played with {quote_words(others, 'and')} too"
        raise StudioError(reason, "start at another scene, or require these modules in the manifest")
    stage, wrong = prepare_scene(scene, rules.program, rules.layout)
    if stage is None:
        raise StudioError(f"the scene `{name}` cannot be played: {wrong[0].title}", wrong[0].help)
    program, players = rules.program, len(scene.players)
    at = str(scene.data.get("start", WHOLE_GAME))
    you = stage.words.find_seat(scene.data["for"], scene.place("for")) if "for" in scene.data else -1
    at = find_entry(program, at) if at != WHOLE_GAME else ""
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


def _given(stage: ScenePlayer, program: Program) -> Iterator[tuple[int, int]]:
    """Every cell that a scene gives a value, or knowledge of one, what follows from it, and what was used before."""
    facts = read_facts(stage.words, stage.scene, ("given",), stage.scene.data.get("given", {}), expected=False)
    spots = [*(fact.spot for fact in facts.values), *(known.spot for known in facts.knows)]
    spots += iter_tally_cells(facts, stage.words)
    addresses = [at for spot in spots for at in (*_cells(spot), spot.known) if at >= 0]
    used = [one.base + seat for one in program.periods for seat in range(len(stage.words.players))]
    yield from ((address, stage.initial_state[address]) for address in dict.fromkeys(addresses))
    yield from ((address, stage.initial_state[address]) for address in used if stage.initial_state[address])


def _cells(spot: VariableCell) -> range:
    return range(spot.address, spot.address + spot.variable.type.cells)


def _scene(seen: Snapshot, file: str, name: str) -> Scene:
    with seen.laid():
        page = read_page(seen.folder, seen.folder / file)
    if page.value is None:
        raise StudioError(f"`{file}` cannot be read: {page.diagnostics[0].title}", page.diagnostics[0].help)
    found = next((scene for scene in page.value.iter_scenes() if scene.name == name), None)
    if found is None:
        raise StudioError(f"there is no scene `{name}` in `{file}` any more", "start a new game")
    return found


def kept(journal: Journal) -> Journal:
    """The same game, to be played under the rules it contains, even if the variant changes."""
    return replace(journal, keeps_rules=bool(journal.bundle))


# --- games that continue ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ContinuedGame:
    """A game under other rules: its first `answers` of `of` answers hold there. `said`: what to tell who plays.

    changed: whether the rules are others at all; if not, the journal is the one that was given.
    """

    journal: Journal
    answers: int
    of: int
    changed: bool
    said: str


def begin(
    rules: Rules,
    players: Sequence[str],
    bots: Sequence[str] = (),
    seed: int | None = None,
    settings: Mapping[str, object] | None = None,
) -> Journal:
    """A new game, which keeps the rules it is played under.

    players: their names by seat. bots: for each seat the bot that answers for it, "" for a person; none named: all are
    people. Raises `GameError` for what cannot be played so, `RulesError` if the rules fail at once.
    """
    return kept(rules.new_game(players, seed, settings, bots=bots).journal)


def moment(journal: Journal, answers: int) -> Journal:
    """The game as it was after this many answers."""
    return replace(journal, answers=journal.answers[: max(answers, 0)])


def go_on(journal: Journal, rules: Rules, seen: Snapshot) -> ContinuedGame:
    """The game under the rules as they are now, up to the first answer that they do not allow.

    rules: those of the variant as it was `seen`; a game that began at a scene begins there again, as it is now.
    Raises `GameError` or `StudioError` if it cannot even begin under them, `RulesError` if they fail at once.
    """
    if journal.header.rules != rules.program.rules_hash and journal.header.opening is not None:
        return _gone_on(_reopened(journal, rules, seen), rules)
    return go_on_under(journal, rules)


def go_on_under(journal: Journal, rules: Rules) -> ContinuedGame:
    """The same for any rules, which the game keeps. Raises as `go_on` does."""
    if journal.header.rules == rules.program.rules_hash:
        whole = len(journal.answers)
        return ContinuedGame(journal, whole, whole, False, "The rules are the same.")
    return _gone_on(journal, rules)


def _gone_on(journal: Journal, rules: Rules) -> ContinuedGame:
    whole = len(journal.answers)
    migrated = migrate_journal(rules, replace(journal, keeps_rules=False))
    return ContinuedGame(kept(migrated.game.journal), migrated.answers, whole, True, _said(migrated, whole))


def _reopened(journal: Journal, rules: Rules, seen: Snapshot) -> Journal:
    """The same answers, in a game that begins at the same scene under other rules."""
    old = journal.header
    assert old.opening is not None
    begun = begin_at(seen, rules, *old.opening.about, bots=old.bots, seed=old.seed)
    return replace(begun, answers=journal.answers)


def _said(migrated: Migration, whole: int) -> str:
    stopped = migrated.rejected
    if stopped is None:
        return "The game continues under the new rules."
    left = whole - migrated.answers
    dropped = "it and the answers after it were dropped" if left > 1 else "it was dropped"
    return (
        f"Under the new rules, answer {migrated.answers + 1} of {whole} ({_who(migrated.game, stopped.seat)}: "
        f"{stopped.key}) is no longer possible: {migrated.reason}. The game continues from there; {dropped}."
    )


def _who(game: Game, seat: int) -> str:
    return game.players[seat] if seat >= 0 else "dice"


__all__ = ["ContinuedGame", "OpeningScene", "begin", "begin_at", "go_on", "go_on_under", "kept", "moment", "openings"]
