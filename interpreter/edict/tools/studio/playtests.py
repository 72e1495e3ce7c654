"""Games of a variant: new ones, also from a scene, and games continued after its rules have changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

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
from edict.support.records import dataclass
from edict.support.report import RulesError
from edict.tools.studio import StudioError
from edict.tools.studio.variant_files import Snapshot

# --- games that begin at a scene -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OpeningScene:
    """A scene that a game may begin at."""

    file: str  # such as `scenes/x.yaml`
    name: str
    line: int


def list_opening_scenes(snapshot: Snapshot) -> tuple[OpeningScene, ...]:
    """Return the readable scenes of a variant.

    Whether a game can reach the start of one is only known when it begins there.
    """
    with snapshot.with_unsaved_texts():
        page_outcomes = (read_page(snapshot.folder, file) for file in find_scene_files(snapshot.folder).value or ())
        scenes = [scene for page in page_outcomes if page.value is not None for scene in page.value.iter_scenes()]
    return tuple(
        OpeningScene(opening.span.file.partition("/")[2], opening.name, opening.span.line) for opening in scenes
    )


def begin_at_scene(
    snapshot: Snapshot, rules: Rules, file: str, name: str, bots: Sequence[str] = (), seed: int | None = None
) -> Journal:
    """Return a new game that begins where a scene begins, with its players, settings and given facts.

    Phases around the start are played at random.

    Args:
        snapshot: The variant.
        rules: Its rules.
        file: File of the scene, such as `scenes/x.yaml`.
        name: Name of the scene.
        bots: Bot of each seat; empty for a person.
        seed: Seed of the game.

    Raises:
        StudioError: The scene is missing or wrong, or no game can reach its start.
    """
    scene = _require_scene(snapshot, file, name)
    missing_modules = [module for module in scene.modules if module not in rules.modules]
    if missing_modules:
        reason = f"the scene `{name}` is played with {quote_words(missing_modules, 'and')} too"
        raise StudioError(reason, "start at another scene, or require these modules in the manifest")
    stage, errors = prepare_scene(scene, rules.program, rules.layout)
    if stage is None:
        raise StudioError(f"the scene `{name}` cannot be played: {errors[0].title}", errors[0].help)
    program, players = rules.program, len(scene.players)
    entry = str(scene.data.get("start", WHOLE_GAME))
    if "for" in scene.data:
        viewing_seat = stage.words.find_seat(scene.data["for"], scene.place("for"))
    else:
        viewing_seat = -1
    entry = find_entry(program, entry) if entry != WHOLE_GAME else ""
    opening = Opening(entry, tuple(_iter_given_cells(stage, program)), viewing_seat, (file, name))
    seats = (*bots, *("" for _ in range(players)))[:players]
    started = rules.new_game(scene.players, seed, scene.data.get("settings", {}), bots=seats).journal
    journal = keep_rules(replace(started, header=replace(started.header, opening=opening)))
    try:
        rules.replay(journal)
    except JournalError as error:
        raise StudioError(f"no game can begin at the scene `{name}`: {error.reason}", error.remedy) from None
    except RulesError as rules_error:
        reason = f"no game can begin at the scene `{name}`: {rules_error.diagnostics[0].title}"
        raise StudioError(reason, "add more to the starting position, or begin at a phase") from None
    return journal


def _iter_given_cells(stage: ScenePlayer, program: Program) -> Iterator[tuple[int, int]]:
    """Yield address and value of each cell that a scene sets or makes known, directly or not, and of used limits."""
    given_facts = read_facts(stage.words, stage.scene, ("given",), stage.scene.data.get("given", {}), expected=False)
    cells = [*(fact.spot for fact in given_facts.values), *(knowledge.spot for knowledge in given_facts.knows)]
    cells += iter_tally_cells(given_facts, stage.words)
    addresses = [
        address_in_cell
        for cell in cells
        for address_in_cell in (*_cell_range(cell), cell.known)
        if address_in_cell >= 0
    ]
    limit_cells = [period.base + seat for period in program.periods for seat in range(len(stage.words.players))]
    yield from ((address, stage.initial_state[address]) for address in dict.fromkeys(addresses))
    yield from ((address, stage.initial_state[address]) for address in limit_cells if stage.initial_state[address])


def _cell_range(cell: VariableCell) -> range:
    """Return the addresses of all cells that a variable takes from this cell on."""
    return range(cell.address, cell.address + cell.variable.type.cells)


def _require_scene(snapshot: Snapshot, file: str, name: str) -> Scene:
    """Return the scene of this name in a file. Raises `StudioError` if the file or the scene cannot be read."""
    with snapshot.with_unsaved_texts():
        page = read_page(snapshot.folder, snapshot.folder / file)
    if page.value is None:
        raise StudioError(f"`{file}` cannot be read: {page.diagnostics[0].title}", page.diagnostics[0].help)
    match = next((scene for scene in page.value.iter_scenes() if scene.name == name), None)
    if match is None:
        raise StudioError(f"there is no scene `{name}` in `{file}` any more", "start a new game")
    return match


def keep_rules(journal: Journal) -> Journal:
    """Return the journal of a game that goes on under the rules it contains, even if the variant changes."""
    return replace(journal, keeps_rules=bool(journal.bundle))


# --- games that continue ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ContinuedGame:
    """A game under other rules."""

    journal: Journal
    answers: int  # number of answers that hold under the new rules
    of: int  # number of answers before
    changed: bool  # the rules differ; if not, the journal is the given one
    said: str  # message to the players


def begin_game(
    rules: Rules,
    players: Sequence[str],
    bots: Sequence[str] = (),
    seed: int | None = None,
    settings: Mapping[str, object] | None = None,
) -> Journal:
    """Return the journal of a new game, which contains its rules.

    Args:
        rules: The rules.
        players: Names by seat.
        bots: Bot of each seat, empty for a person; by default all are people.
        seed: Seed of the game.
        settings: Values of the rules' settings.

    Raises:
        GameError: The arguments do not fit the rules.
        RulesError: The rules fail at once.
    """
    return keep_rules(rules.new_game(players, seed, settings, bots=bots).journal)


def truncate(journal: Journal, answers: int) -> Journal:
    """Return the game as it was after a number of answers."""
    return replace(journal, answers=journal.answers[: max(answers, 0)])


def continue_game(journal: Journal, rules: Rules, snapshot: Snapshot) -> ContinuedGame:
    """Return the game under the current rules of the variant, up to the first answer that they do not allow.

    A game that began at a scene begins there again, at the scene as it is now.

    Args:
        journal: The game.
        rules: The rules of the snapshot.
        snapshot: The variant.

    Raises:
        GameError: The game cannot even begin under these rules.
        StudioError: The game began at a scene that cannot be played any more.
        RulesError: The rules fail at once.
    """
    if journal.header.rules != rules.program.rules_hash and journal.header.opening is not None:
        return _migrate_game(_begin_again_at_scene(journal, rules, snapshot), rules)
    return continue_under_rules(journal, rules)


def continue_under_rules(journal: Journal, rules: Rules) -> ContinuedGame:
    """Return the game under any rules, which it keeps. Raises as `continue_game` does."""
    if journal.header.rules == rules.program.rules_hash:
        answer_count = len(journal.answers)
        return ContinuedGame(journal, answer_count, answer_count, False, "The rules are the same.")
    return _migrate_game(journal, rules)


def _migrate_game(journal: Journal, rules: Rules) -> ContinuedGame:
    """Replay a game under changed rules as far as its answers are possible, and describe the outcome."""
    answer_count = len(journal.answers)
    migrated = migrate_journal(rules, replace(journal, keeps_rules=False))
    return ContinuedGame(
        keep_rules(migrated.game.journal),
        migrated.answers,
        answer_count,
        True,
        _describe_migration(migrated, answer_count),
    )


def _begin_again_at_scene(journal: Journal, rules: Rules, snapshot: Snapshot) -> Journal:
    """Return the same answers in a game that begins at the same scene under other rules."""
    header = journal.header
    assert header.opening is not None
    new_journal = begin_at_scene(snapshot, rules, *header.opening.about, bots=header.bots, seed=header.seed)
    return replace(new_journal, answers=journal.answers)


def _describe_migration(migrated: Migration, answer_count: int) -> str:
    """Return the sentences that tell if all answers were kept, or which one is impossible, and why."""
    rejected = migrated.rejected
    if rejected is None:
        return "The game continues under the new rules."
    dropped_count = answer_count - migrated.answers
    dropped = "it and the answers after it were dropped" if dropped_count > 1 else "it was dropped"
    return (
        f"Under the new rules, answer {migrated.answers + 1} of {answer_count} "
        f"({_get_player_name(migrated.game, rejected.seat)}: {rejected.key}) is no longer possible: "
        f"{migrated.reason}. The game continues from there; {dropped}."
    )


def _get_player_name(game: Game, seat: int) -> str:
    """Return the name of the player at a seat; `dice` for chance, which has a negative seat."""
    return game.players[seat] if seat >= 0 else "dice"


__all__ = [
    "ContinuedGame",
    "OpeningScene",
    "begin_game",
    "begin_at_scene",
    "continue_game",
    "continue_under_rules",
    "keep_rules",
    "truncate",
    "list_opening_scenes",
]
