"""What is done with games of a variant in a process for strangers' rules, with values that can be sent there."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass

from edict.agents.bots import BOTS
from edict.apps.web.live_tables import PlayableGame
from edict.game.table.journal import Journal, parse_journal
from edict.game.table.rules import Rules
from edict.support.report import RulesError
from edict.tools.language_service.answer_types import Refused
from edict.tools.studio import playtests
from edict.tools.studio.scenes_of_play import NewScene, scene_of
from edict.tools.studio.snapshots import Snapshot, rules_of

YOU = "You"
MOST_RULES = 4


@dataclass(frozen=True)
class SeenVariant:
    """A variant as it is; `mark` is another for every other text of it."""

    snapshot: Snapshot
    mark: str

    def rules(self) -> Rules:
        """The rules as they can be played. Raises `RulesError`."""
        key = (str(self.snapshot.folder), self.mark)
        found = _rules.pop(key, None) or rules_of(self.snapshot)
        _rules[key] = found
        while len(_rules) > MOST_RULES:
            _rules.popitem(last=False)
        return found


@dataclass(frozen=True)
class Continued:
    """A game under the rules as they are now; None if they are still the same. `said`: what to tell who plays."""

    game: PlayableGame | None
    said: str


_rules: OrderedDict[tuple[str, str], Rules] = OrderedDict()


def players(seen: SeenVariant) -> range | None:
    """How many can play; None for rules that nobody can play."""
    with suppress(RulesError):
        program = seen.rules().program
        return range(program.least_players, program.most_players + 1)
    return None


def begin(seen: SeenVariant, scene: str, count: int | None, bot: str) -> PlayableGame:
    """A game from the start, or from a scene; bots have the other seats."""
    rules = seen.rules()
    if scene:
        file, _, name = scene.partition("\n")
        seats = ("", *[bot] * rules.program.most_players)
        return _kept(playtests.begin_at(seen.snapshot, rules, file, name, seats), rules)
    count = rules.program.least_players if count is None else count
    if not rules.program.least_players <= count <= rules.program.most_players:
        raise Refused(f"{count} players cannot play this")
    names = (YOU, *(f"{BOTS.title(bot)} {seat}" for seat in range(1, count)))
    return _kept(playtests.begin(rules, names, ("", *[bot] * (count - 1))), rules)


def gather(seen: SeenVariant, count: int) -> PlayableGame:
    """A game from the start for so many people."""
    rules = seen.rules()
    if not rules.program.least_players <= count <= rules.program.most_players:
        raise Refused(f"{count} players cannot play this")
    return _kept(playtests.begin(rules, [f"Player {seat + 1}" for seat in range(count)], [""] * count), rules)


def moment(seen: SeenVariant, raw: bytes, answers: int) -> Continued:
    """The game in a journal as it was after this many answers, under the rules as they are now."""
    gone_on = playtests.go_on(playtests.moment(parse_journal(raw), answers), seen.rules(), seen.snapshot)
    return Continued(_kept(gone_on.journal, seen.rules()), gone_on.said)


def renew(seen: SeenVariant, raw: bytes) -> Continued:
    """The game in a journal under the rules as they are now."""
    gone_on = playtests.go_on(parse_journal(raw), seen.rules(), seen.snapshot)
    return Continued(_kept(gone_on.journal, seen.rules()) if gone_on.changed else None, gone_on.said)


def scene(seen: SeenVariant, raw: bytes, done: int, name: str) -> NewScene:
    """A scene of the answer after so many."""
    return scene_of(playtests.moment(parse_journal(raw), done + 1), seen.rules(), seen.snapshot, done, name)


def _kept(journal: Journal, rules: Rules) -> PlayableGame:
    return PlayableGame.of(journal, rules, tuple(journal.header.bots))
