"""What is done with games in links at a table: functions of a table in memory, as those of `table_actions` are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from edict.apps.web import table_actions, table_insights
from edict.apps.web.live_tables import HOST, ONLOOKER, Link, LiveTable
from edict.game.table import branched_games
from edict.game.table.game import Game
from edict.game.table.game_errors import GameError
from edict.game.table.game_links import PLACE, EarlyAnswers, GameLink, JournalComparison, compare_answers
from edict.game.table.journal import Answer
from edict.game.table.rules import replay_answers
from edict.support.translations import gettext

ASKED, ALL = "asked", "all"
"""Who looks at a game that is gone through, besides players by seat: whoever is asked, and what everybody may see."""

# --- making links ------------------------------------------------------------------------------------


def shared(playing: LiveTable, link: Link) -> str:
    """The letters of a link by which others go through the game.

    Of a game that goes on, a player shares what they know of it: what is hidden from them is drawn anew, and the seed
    is another. Raises `GameError` for who may share nothing of it yet, and for what no link can hold.
    """
    game = playing.game
    if game.over or may_share_all(link):
        found = game.journal
    elif link.seat >= 0:
        found = branched_games.branch_game(game, link.seat)
    else:
        remedy = gettext("wait until then, or ask somebody who plays")
        raise GameError(gettext("onlookers can share the game once it is over"), remedy)
    return GameLink(replace(found, keeps_rules=playing.rules.strange)).encode()


def may_share_all(link: Link) -> bool:
    """Whether who has a link has the game's file, too: then no secret is kept from them."""
    return link.seat == HOST and not link.sealed


@dataclass(frozen=True)
class AwaitedPlayer:
    """Somebody whose answer is waited for. letters: of a link to them, with the whole game; empty if they are here."""

    seat: int
    player: str
    letters: str = ""


def awaited(playing: LiveTable, elsewhere: Sequence[int]) -> list[AwaitedPlayer]:
    """Whose answers are waited for. elsewhere: the seats that nobody has taken here.

    Raises `GameError` for what no link can hold.
    """
    game = playing.game
    held: EarlyAnswers = tuple((seat, playing.held(seat)) for seat in playing.at_once.seats if playing.held(seat))
    journal = replace(game.journal, keeps_rules=playing.rules.strange)
    far = {seat for seat in elsewhere if game.table.header.clock is None}  # no clock runs in two places
    return [
        AwaitedPlayer(seat, game.players[seat], GameLink(journal, seat, held).encode() if seat in far else "")
        for seat in playing.waiting
    ]


# --- what arrives ------------------------------------------------------------------------------------


def beside(playing: LiveTable, arrived: Sequence[Answer], own: Sequence[int]) -> tuple[JournalComparison, bool]:
    """How a game that arrives stands to the one at this table, and whether it has answers for seats that are taken
    here which were not given here."""
    found = compare_answers(playing.game.journal.answers, arrived)
    given = {seat: [(one.question, one.key) for one in playing.held(seat)] for seat in own}
    new = {seat: [(one.question, one.key) for one in found.new if one.seat == seat] for seat in own}
    return found, any(new[seat] != given[seat][: len(new[seat])] for seat in own)


def take_in(playing: LiveTable, new: Sequence[Answer], held: EarlyAnswers, people: Sequence[int]) -> int:
    """Answers that others have given elsewhere, and those before their turn; gives the new version.

    people: as in `table_actions.answer`. Raises `JournalError`, and takes nothing in, if one is not possible.
    """
    replay_answers(playing.game.copy(), new, PLACE)
    for answer in new:
        playing.answer(answer.key)
    for seat, answers in held:
        if seat in playing.at_once.seats and playing.held(seat) != answers:
            playing.hold(seat, answers)
    return table_actions.settle(playing, people)


def where_they_part(playing: LiveTable, common: int, arrived: Sequence[Answer]) -> str:
    """In words, what was answered here and what there, after so many answers that are the same."""
    game = playing.game
    before = table_insights.earlier(game, common)
    here = [*game.journal.answers, None][common]
    if before is None or before.over or here is None or common >= len(arrived):
        return ""
    texts = [_text(before, answer) for answer in (here, arrived[common])]
    said = gettext("%(player)s answered “%(here)s” here, and “%(there)s” there.")
    return said % {"player": before.ask.player, "here": texts[0], "there": texts[1]}


def _text(game: Game, answer: Answer) -> str:
    found = game.ask.find(answer.key)
    return found.text if found is not None else answer.key


# --- going through a game ----------------------------------------------------------------------------


@dataclass(frozen=True)
class ReplayedPosition:
    """Where somebody is in a game: after how many answers, and as who. key: of the host's link."""

    key: str
    seen: str
    at: int

    def to(self, at: int | str, seen: str = "") -> str:
        """The address of another place in it."""
        return f"/shared/{self.key}/{seen or self.seen}/at/{at}"

    def looks(self, players: Sequence[str]) -> list[tuple[str, str]]:
        """As who one may look, and what that is called."""
        seats = [(str(seat), player) for seat, player in enumerate(players)]
        return [(ASKED, gettext("whoever is asked")), *seats, (ALL, gettext("everybody"))]


def walk(playing: LiveTable, links: Mapping[int, Link], way: ReplayedPosition) -> str:
    """The page of a place in a game that hides nothing from whoever goes through it. Raises `NoSuchMoment`.

    links: of the table, by seat.
    """
    if way.seen == ASKED:
        seat = table_actions.moment(playing, way.at).seat
    else:
        seat = ONLOOKER if way.seen == ALL else int(way.seen)
    link = links.get(seat if seat >= 0 else ONLOOKER, links[ONLOOKER])
    shown = {"way": way, "players": playing.game.players, "places": way.to("")}
    return table_actions.replay(playing, link, way.at, "walk.html", **shown)


def gone_on(playing: LiveTable, at: int, seat: int, alone: str) -> bytes:
    """The journal of a game that goes on from a place in this one, for whoever takes a seat.

    Nothing in it is known to the seat that it did not know then. alone: the bot that answers for everybody else; empty
    if people do. Raises `GameError`, `NoSuchMoment`.
    """
    game = table_actions.moment(playing, at)
    if not 0 <= seat < len(game.players):
        raise GameError(gettext("there is no such seat"))
    found = branched_games.branch_game(game, seat)
    bots = tuple("" if one == seat else alone for one in range(len(game.players)))
    return replace(found, header=replace(found.header, bots=bots)).to_bytes()
