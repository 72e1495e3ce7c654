"""Actions on games in links at a table: functions of a table in memory, like those of `table_actions`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from edict.apps.web import table_actions, table_insights
from edict.apps.web.live_tables import HOST, ONLOOKER, Link, LiveTable
from edict.game.table.game import Game, build_branch
from edict.game.table.game_errors import GameError
from edict.game.table.game_links import PLACE, EarlyAnswers, GameLink, JournalComparison, compare_answers
from edict.game.table.journal import Answer
from edict.game.table.rules import replay_answers
from edict.support.records import dataclass
from edict.support.translations import gettext

ASKED, ALL = "asked", "all"  # viewpoints of a replay besides seats: whoever is asked; public information only

# --- making links ------------------------------------------------------------------------------------


def encode_share_link(playing: LiveTable, link: Link) -> str:
    """Return the letters of a link with which others can go through the game.

    While the game goes on, a player shares only what they know: hidden cells are drawn anew, with another seed.

    Raises:
        GameError: The link's owner may not share the game yet, or the game does not fit in a link.
    """
    game = playing.game
    if game.over or may_share_all(link):
        journal = game.journal
    elif link.seat >= 0:
        journal = build_branch(game, link.seat)
    else:
        remedy = gettext("wait until then, or ask somebody who plays")
        raise GameError(gettext("onlookers can share the game once it is over"), remedy)
    return GameLink(replace(journal, keeps_rules=playing.rules.untrusted)).encode()


def may_share_all(link: Link) -> bool:
    """Return True if a link's owner may also download the game's file, so that no secret is kept from them."""
    return link.seat == HOST and not link.sealed


@dataclass(frozen=True)
class AwaitedPlayer:
    """A player whose answer the game waits for."""

    seat: int
    player: str
    letters: str = ""  # of a link to them with the whole game; empty if they play at this table


def list_awaited_players(playing: LiveTable, elsewhere: Sequence[int]) -> list[AwaitedPlayer]:
    """Return the players whose answers the game waits for.

    Args:
        playing: The table.
        elsewhere: The seats that nobody has taken at this table.

    Raises:
        GameError: The game does not fit in a link.
    """
    game = playing.game
    held: EarlyAnswers = tuple(
        (seat, playing.list_early_answers(seat))
        for seat in playing.simultaneous_questions.seats
        if playing.list_early_answers(seat)
    )
    journal = replace(game.journal, keeps_rules=playing.rules.untrusted)
    remote_seats = {seat for seat in elsewhere if game.table.header.clock is None}  # no clock runs in two places
    return [
        AwaitedPlayer(seat, game.players[seat], GameLink(journal, seat, held).encode() if seat in remote_seats else "")
        for seat in playing.waiting
    ]


# --- what arrives ------------------------------------------------------------------------------------


def compare_arrived_answers(
    playing: LiveTable, arrived: Sequence[Answer], own: Sequence[int]
) -> tuple[JournalComparison, bool]:
    """Compare the answers of a game from a link with this table's, also with answers held here.

    Returns:
        The comparison, and True if the arriving game answers for one of the `own` seats (taken at this table)
        otherwise than that seat did here.
    """
    comparison = compare_answers(playing.game.journal.answers, arrived)
    given = {seat: [(answer.question, answer.key) for answer in playing.list_early_answers(seat)] for seat in own}
    new = {seat: [(answer.question, answer.key) for answer in comparison.new if answer.seat == seat] for seat in own}
    return comparison, any(new[seat] != given[seat][: len(new[seat])] for seat in own)


def apply_arrived_answers(playing: LiveTable, new: Sequence[Answer], held: EarlyAnswers, people: Sequence[int]) -> int:
    """Apply answers that were given elsewhere, and answers held before their turn; return the new version.

    Args:
        playing: The table.
        new: The answers that follow those of this table.
        held: Answers given before their turn, by seat.
        people: As in `table_actions.answer`.

    Raises:
        JournalError: An answer is not possible; then none is applied.
    """
    replay_answers(playing.game.copy(), new, PLACE)
    for answer in new:
        playing.answer(answer.key)
    for seat, answers in held:
        if seat in playing.simultaneous_questions.seats and playing.list_early_answers(seat) != answers:
            playing.hold_answers(seat, answers)
    return table_actions.apply_early_answers(playing, people)


def describe_divergence(playing: LiveTable, common: int, arrived: Sequence[Answer]) -> str:
    """Return a sentence about the first answers that differ, after `common` equal ones; empty if there is none."""
    game = playing.game
    before = table_insights.restore_earlier_game(game, common)
    here = [*game.journal.answers, None][common]
    if before is None or before.over or here is None or common >= len(arrived):
        return ""
    texts = [_answer_text(before, answer) for answer in (here, arrived[common])]
    template = gettext("%(player)s answered “%(here)s” here, and “%(there)s” there.")
    return template % {"player": before.ask.player, "here": texts[0], "there": texts[1]}


def _answer_text(game: Game, answer: Answer) -> str:
    """Return the text of the option that an answer chooses; its key if the question does not offer it."""
    option = game.ask.find(answer.key)
    return option.text if option is not None else answer.key


# --- going through a game ----------------------------------------------------------------------------


@dataclass(frozen=True)
class ReplayedPosition:
    """A position in a game that somebody goes through, and the viewpoint."""

    key: str  # of the host's link
    seen: str  # the viewpoint: ASKED, ALL or a seat
    at: int  # after how many answers

    def to(self, at: int | str, seen: str = "") -> str:
        """Return the address of another position, from the same viewpoint or from `seen`."""
        return f"/shared/{self.key}/{seen or self.seen}/at/{at}"

    def looks(self, players: Sequence[str]) -> list[tuple[str, str]]:
        """Return (value, label) of each viewpoint to choose: whoever is asked, each player, everybody."""
        seats = [(str(seat), player) for seat, player in enumerate(players)]
        return [(ASKED, gettext("whoever is asked")), *seats, (ALL, gettext("everybody"))]


def render_replay_page(playing: LiveTable, links: Mapping[int, Link], way: ReplayedPosition) -> str:
    """Return the page of a position in a game that hides nothing from the person who goes through it.

    Args:
        playing: The table.
        links: The table's links, by seat.
        way: The position and the viewpoint.

    Raises:
        NoSuchMoment: The game has not come so far.
    """
    if way.seen == ASKED:
        seat = table_actions.restore_game(playing, way.at).seat
    else:
        seat = ONLOOKER if way.seen == ALL else int(way.seen)
    link = links.get(seat if seat >= 0 else ONLOOKER, links[ONLOOKER])
    context = {"way": way, "players": playing.game.players, "places": way.to("")}
    return table_actions.render_replay(playing, link, way.at, "walk.html", **context)


def fork_game(playing: LiveTable, at: int, seat: int, alone: str) -> bytes:
    """Return the journal of a game that continues from a position of this one, for a person who takes `seat`.

    It reveals nothing to the seat that the seat did not know then.

    Args:
        playing: The table.
        at: The number of answers before the position.
        seat: The seat that the person takes.
        alone: The kind of bot that answers for all other seats; empty if people do.

    Raises:
        GameError: There is no such seat.
        NoSuchMoment: The game has not come so far.
    """
    game = table_actions.restore_game(playing, at)
    if not 0 <= seat < len(game.players):
        raise GameError(gettext("there is no such seat"))
    journal = build_branch(game, seat)
    bots = tuple("" if other == seat else alone for other in range(len(game.players)))
    return replace(journal, header=replace(journal.header, bots=bots)).to_bytes()
