"""What is done at a table and what is asked of it: functions of a table in memory, and of values that can be sent.

They are called wherever the table's rules are played: in the server, or in a process for strangers' rules. What they
give (pages as HTML, and data), and what they raise, can be sent too. Nothing here knows a server.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from edict.bots import BOTS
from edict.bots.seen import Seen, seen_from
from edict.program.opcodes import CHANCE
from edict.table.errors import GameError
from edict.table.glossary import glossary_of
from edict.table.undo import check_unrevealed, last_typed
from edict.translations import N_, gettext
from edict.web import table_insights
from edict.web.live_tables import Begun, Late, Link, LiveTable, NoSuchMoment, NotAsked
from edict.web.page_templates import pages
from edict.web.table_insights import primer_of, view_of
from edict.web.table_pictures import Recent, picture

UNASKED = N_("There is nothing to decide: you are not being asked anything.")

# --- answering ---------------------------------------------------------------------------------------


def answer(playing: LiveTable, seat: int, version: int, key: str) -> int:
    """Answer for a seat the question that stood at this version; gives the new version.

    Dice of a real table anybody at it may type. Raises `Late` if the question stands no longer or is asked of another,
    `GameError` if that is no answer to it.
    """
    _may(playing, seat, version)
    if playing.game.over or playing.game.seat not in (seat, CHANCE):
        raise Late
    playing.game.answer(key)
    return playing.version


def undo(playing: LiveTable, seat: int, version: int, people: list[int]) -> int:
    """Take back this seat's last answer, and what bots answered since, unless anything was revealed by it.

    people: the seats that bots do not answer for. Gives the new version. Raises `Late`, or `GameError` with the reason.
    """
    _may(playing, seat, version)
    playing.game.take_back(seat, people)
    return playing.version


def can_undo(playing: LiveTable, seat: int, people: Sequence[int]) -> bool:
    """Whether this seat's last answer can be taken back. That tells nothing: see `edict.table.undo`."""
    game = playing.game
    if seat < 0:
        return False

    def found() -> str:
        try:
            check_unrevealed(game.table, last_typed(game.table, game.last_step, seat, people)[0], seat, "")
        except GameError as problem:
            return problem.reason
        return ""

    key = "undo", playing.version, seat, tuple(people)
    kept: str = playing.recent.at(playing.version).get(key, found)
    return not kept


def _may(playing: LiveTable, seat: int, version: int) -> None:
    if seat < 0:
        raise GameError("only those who have a seat can do that", "ask the host for the link of a seat")
    if playing.version != version:
        raise Late


# --- looking -----------------------------------------------------------------------------------------


def page(playing: LiveTable, link: Link, template: str, said: str, people: Sequence[int] = ()) -> str:
    """The table as the seat of a link may see it. said: a message over the board. people: as in `undo`."""
    game = playing.game
    return pages().table(
        template, playing.drawing, playing.recent, link=link, view=playing.picture(link.looks_as),
        version=playing.version, answers=table_insights.answers(game), said=said, luck=table_insights.sealed_luck(game),
        undo=can_undo(playing, link.seat, people),
        course=table_insights.scores(game, link.looks_as) if game.over else None,
        lessons=table_insights.lessons(game, playing.rules.book) if link.seat >= 0 and not game.over else [],
    )  # fmt: skip


def replay(playing: LiveTable, link: Link, number: int) -> str:
    """The table as it was after this many answers."""
    count, game = table_insights.answers(playing.game), table_insights.earlier(playing.game, number)
    if game is None:
        raise NoSuchMoment(gettext("The game has %(count)s answers so far.") % {"count": count})
    recent = Recent()
    view = picture(game, link.looks_as, recent) | {"question": None}
    return pages().table(
        "replay.html", playing.drawing, recent, link=link, view=view, version=-1, answers=count, at=number, course=None
    )  # fmt: skip


def host(playing: LiveTable, shown: Mapping[str, Any]) -> str:
    """The links of the table."""
    return pages().page("host.html", game=playing.game, **shown)


def free_seat(playing: LiveTable, link: Link) -> str:
    """A seat that is there to be taken."""
    game = playing.game
    return pages().page("free_seat.html", title=game.program.title, player=game.players[link.seat], link=link)


def look(playing: LiveTable) -> str:
    """The colours of the game, as its rules want them."""
    return playing.drawing.css()


def view(playing: LiveTable, seat: int | None) -> dict[str, Any]:
    """What a seat may see, as data."""
    return playing.view(seat)


def over(playing: LiveTable) -> bool:
    """Whether the game is over."""
    return playing.game.over


def players(playing: LiveTable) -> list[str]:
    """The names of those who play, by seat."""
    return list(playing.game.players)


def rematch(playing: LiveTable, bots: tuple[str, ...]) -> Begun:
    """A new game of the same people under the same rules and settings. Raises `GameError` while this one goes on."""
    if not playing.game.over:
        raise GameError("the game is not over yet", "play it to its end")
    rules, header = playing.rules.rules, playing.game.table.header
    journal = rules.new_game(header.players, settings=header.settings, bots=bots).journal
    return Begun.of(replace(journal, keeps_rules=True) if playing.rules.strange else journal, rules, bots)


# --- asking ------------------------------------------------------------------------------------------


def ask_about(playing: LiveTable, seat: int | None, about: str) -> str:
    """What something that stands on the board is, and why it can be chosen now or not."""
    game = playing.game
    glossary = glossary_of(game.table)
    found = glossary.look(about, view_of(game, seat)) if glossary else None
    reasons = [table_insights.why(game, seat, one.name) for one in found.entries if one.name] if found else []
    return pages().page("found.html", about=about, found=found, reasons=[one for one in reasons if one])


def why(playing: LiveTable, seat: int | None, key: str) -> str:
    """Why an answer is offered, or is not."""
    found = table_insights.why(playing.game, seat, key)
    nothing = gettext("There is nothing to explain here.")
    return pages().page("why.html", found=[found] if found else [], nothing=nothing)


def why_not(playing: LiveTable, seat: int | None) -> str:
    """What could be chosen at other times, and what stands in its way now."""
    found = table_insights.refused(playing.game, seat)
    return pages().page("why.html", found=found, nothing=gettext("Everything that can be chosen here is offered."))


def line(playing: LiveTable, seat: int | None, number: int) -> str:
    """What led to a line of the log."""
    found = table_insights.line(playing.game, seat, number)
    return pages().page("why.html", found=[found] if found else [], nothing=gettext("The log has no such line."))


def missed(playing: LiveTable, seat: int | None) -> str:
    """What happened since the seat's last move."""
    return pages().page("missed.html", lines=table_insights.missed(playing.game, seat))


def rules(playing: LiveTable) -> str:
    """The rules of the table in short."""
    return pages().page("primer.html", primer=primer_of(playing.rules.rules))


def scores(playing: LiveTable, seat: int | None) -> dict[str, Any]:
    """Where everybody's points come from, in the order in which they came, as data."""
    return table_insights.scores(playing.game, seat)


# --- bots --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Turn:
    """A question for a bot: what one that ships thinks about (`raw`, a journal), or what a user's may see (`seen`).

    keys: of the options. strange: whether the rules are. seed: of the game.
    """

    seat: int
    version: int
    seed: int
    strange: bool
    kind: str = ""
    keys: tuple[str, ...] = ()
    raw: bytes = b""
    seen: Seen | None = None


def turn(playing: LiveTable, kinds: Mapping[int, str]) -> Turn | None:
    """What is asked of a bot, by the bots of the seats; None if a person is asked or the game is over."""
    game = playing.game
    kind = kinds.get(game.seat, "") if game.seat >= 0 else ""
    if not kind or game.over:
        return None
    own = BOTS.is_code(kind)
    return Turn(
        game.seat, playing.version, game.table.seed, playing.rules.strange, kind,
        tuple(option.key for option in game.ask.options) if own else (),
        b"" if own else game.journal.to_bytes(), seen_from(game.view(game.seat)) if own else None,
    )  # fmt: skip


def asked(playing: LiveTable, seat: int) -> Turn:
    """The question put to a seat, for a bot that gives advice."""
    game = playing.game
    if game.over or seat < 0 or game.seat != seat:
        raise NotAsked(gettext(UNASKED))
    return Turn(seat, playing.version, game.table.seed, playing.rules.strange, raw=game.journal.to_bytes())


def option_texts(playing: LiveTable) -> dict[str, str]:
    """What the options of the question are called, by their keys."""
    game = playing.game
    return {} if game.over else {option.key: option.text for option in game.ask.options}
