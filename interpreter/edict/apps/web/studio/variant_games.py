"""Games of a variant: functions that the sandbox process for strangers' rules runs. All values can be pickled."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress

from edict.agents.bots import BOTS
from edict.apps.web.live_tables import PlayableGame
from edict.game.table.journal import Journal, parse_journal
from edict.game.table.rules import Rules
from edict.support.records import dataclass
from edict.support.report import RulesError
from edict.tools.language_service.answer_types import EditRefused
from edict.tools.studio import playtests
from edict.tools.studio.played_scenes import NewScene, describe_played_game
from edict.tools.studio.variant_files import Snapshot, compile_variant

PERSON_NAME = "You"
MAX_CACHED_RULES = 4


@dataclass(frozen=True)
class VariantSnapshot:
    """The texts of a variant at one moment."""

    snapshot: Snapshot
    mark: str  # differs for every other text of the variant

    def load_rules(self) -> Rules:
        """Return the compiled rules of the variant. Raises `RulesError`."""
        key = (str(self.snapshot.folder), self.mark)
        rules = _rules_cache.pop(key, None) or compile_variant(self.snapshot)
        _rules_cache[key] = rules
        while len(_rules_cache) > MAX_CACHED_RULES:
            _rules_cache.popitem(last=False)
        return rules


@dataclass(frozen=True)
class VariantContinuation:
    """A game continued under the current rules of a variant."""

    game: PlayableGame | None  # None if the rules have not changed
    message: str  # for the person who plays


_rules_cache: OrderedDict[tuple[str, str], Rules] = OrderedDict()


def get_player_counts(snapshot: VariantSnapshot) -> range | None:
    """Return the possible numbers of players; None for rules with errors."""
    with suppress(RulesError):
        program = snapshot.load_rules().program
        return range(program.least_players, program.most_players + 1)
    return None


def begin_game(snapshot: VariantSnapshot, scene: str, count: int | None, bot: str) -> PlayableGame:
    """Return a game of one person against bots, from the start or from a scene.

    Args:
        snapshot: The variant.
        scene: The file and the name of the scene with a line break between them; empty for the start.
        count: The number of players; None for the least.
        bot: The kind of bot in the other seats.

    Raises:
        EditRefused: The rules cannot be played by so many.
    """
    rules = snapshot.load_rules()
    if scene:
        file, _, name = scene.partition("\n")
        seats = ("", *[bot] * rules.program.most_players)
        return _to_playable(playtests.begin_at_scene(snapshot.snapshot, rules, file, name, seats), rules)
    count = rules.program.least_players if count is None else count
    if not rules.program.least_players <= count <= rules.program.most_players:
        raise EditRefused(f"{count} players cannot play this")
    names = (PERSON_NAME, *(f"{BOTS.title(bot)} {seat}" for seat in range(1, count)))
    return _to_playable(playtests.begin_game(rules, names, ("", *[bot] * (count - 1))), rules)


def begin_friends_game(snapshot: VariantSnapshot, count: int) -> PlayableGame:
    """Return a game from the start for so many people. Raises `EditRefused` if the rules do not allow this number."""
    rules = snapshot.load_rules()
    if not rules.program.least_players <= count <= rules.program.most_players:
        raise EditRefused(f"{count} players cannot play this")
    return _to_playable(
        playtests.begin_game(rules, [f"Player {seat + 1}" for seat in range(count)], [""] * count), rules
    )


def branch_game(snapshot: VariantSnapshot, raw: bytes, answers: int) -> VariantContinuation:
    """Return the game in a journal as it was after a number of answers, under the current rules."""
    continued = playtests.continue_game(
        playtests.truncate(parse_journal(raw), answers), snapshot.load_rules(), snapshot.snapshot
    )
    return VariantContinuation(_to_playable(continued.journal, snapshot.load_rules()), continued.said)


def apply_new_rules(snapshot: VariantSnapshot, raw: bytes) -> VariantContinuation:
    """Return the game in a journal under the current rules."""
    continued = playtests.continue_game(parse_journal(raw), snapshot.load_rules(), snapshot.snapshot)
    return VariantContinuation(
        _to_playable(continued.journal, snapshot.load_rules()) if continued.changed else None, continued.said
    )


def make_scene(snapshot: VariantSnapshot, raw: bytes, done: int, name: str) -> NewScene:
    """Return a scene of one answer of the game in a journal.

    Args:
        snapshot: The variant.
        raw: The journal file.
        done: The number of answers before that one.
        name: The scene's name.
    """
    return describe_played_game(
        playtests.truncate(parse_journal(raw), done + 1), snapshot.load_rules(), snapshot.snapshot, done, name
    )


def _to_playable(journal: Journal, rules: Rules) -> PlayableGame:
    """Return the game of a journal for a new table, with the bots that its header names."""
    return PlayableGame.from_journal(journal, rules, tuple(journal.header.bots))
