"""What is done at a table and what is asked of it: functions of a table in memory, and of values that can be sent.

They are called wherever the table's rules are played: in the server, or in a process for strangers' rules. What they
give (pages as HTML, and data), and what they raise, can be sent too. Nothing here knows a server.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from edict.agents.bots import BOTS
from edict.agents.bots.seen import Seen, seen_from
from edict.apps.web import table_insights
from edict.apps.web.live_tables import NOBODY, AnsweredAlready, Link, LiveTable, NoSuchMoment, NotAsked, PlayableGame
from edict.apps.web.page_elements import KEY, Shown
from edict.apps.web.page_templates import pages
from edict.apps.web.table_insights import primer_of, view_of
from edict.apps.web.table_pictures import Recent, picture
from edict.game.explanations.glossary import load_glossary
from edict.game.table import branched_games
from edict.game.table.branched_games import has_hidden_values
from edict.game.table.game import Game
from edict.game.table.game_errors import GameError
from edict.game.table.journal import Answer
from edict.game.table.undo import check_unrevealed, find_last_typed
from edict.runtime.program.opcodes import CHANCE
from edict.support.graphemes import truncate_graphemes
from edict.support.translations import N_, gettext

LONGEST_NOTICE = 100  # characters of a title, and of a name
UNASKED = N_("There is nothing to decide: you are not being asked anything.")

# --- answering ---------------------------------------------------------------------------------------


def answer(playing: LiveTable, seat: int, version: int, key: str, people: Sequence[int]) -> int:
    """Answer for a seat the question that stood at this version; gives the new version.

    Where others are asked at the same time, the answer is held until all people have answered. Dice of a real table
    anybody at it may type. people: the seats that bots do not answer for. Raises `AnsweredAlready` if the question
    stands no longer or is asked of another, `GameError` if that is no answer to it, or time is up.
    """
    _may(playing, seat, version)
    at_once, game = playing.at_once, playing.game
    if not _others(playing, seat, people) and game.seat == seat or seat not in at_once.seats:
        return answer_in_turn(playing, seat, version, key, people)
    asked = at_once.game_at_question(seat)
    if asked is None:
        raise AnsweredAlready
    given = Answer(seat, asked.ask.question, asked.ask.named(key).key)
    playing.hold(seat, (*playing.held(seat), given))
    return settle(playing, people)


def answer_in_turn(playing: LiveTable, seat: int, version: int, key: str, people: Sequence[int]) -> int:
    """The same for bots, who answer when it is their turn, also for people whose time is up."""
    _stands(playing, seat, version)
    if playing.game.over or playing.game.seat not in (seat, CHANCE):
        raise AnsweredAlready
    playing.answer(key)
    return settle(playing, people)


def settle(playing: LiveTable, people: Sequence[int]) -> int:
    """Play on with what was answered before its turn, once nobody is waited for but bots; gives the version then."""
    if not any(seat in people and not playing.out_of_time(seat) for seat in playing.at_once.pending_seats):
        while held := playing.held(playing.game.seat):
            playing.answer(held[0].key)
    return playing.version


def undo(playing: LiveTable, seat: int, version: int, people: Sequence[int]) -> int:
    """Take back this seat's last answer, and what bots answered since, unless anything was revealed by it.

    people: as in `answer`. Gives the new version. Raises `AnsweredAlready`, or `GameError` with the reason.
    """
    _may(playing, seat, version)
    held = playing.held(seat)
    if held:
        playing.hold(seat, held[:-1])
        return playing.version
    _nobody_holds(playing)
    playing.take_back(seat, people)
    return playing.version


def can_undo(playing: LiveTable, seat: int, people: Sequence[int]) -> bool:
    """Whether this seat's last answer can be taken back. That tells nothing: see `edict.game.table.undo`."""
    game = playing.game
    if seat < 0:
        return False

    def found() -> str:
        try:
            _nobody_holds(playing)
            check_unrevealed(game.table, find_last_typed(game.table, game.last_step, seat, people)[0], seat, "")
        except GameError as problem:
            return problem.reason
        return ""

    key = "undo", playing.version, seat, tuple(people)
    kept: str = playing.recent.at(playing.version).get(key, found)
    return bool(playing.held(seat)) or not kept


def next_deadline(playing: LiveTable, people: Sequence[int]) -> float | None:
    """In how many seconds the time of somebody who is asked is up; None if nobody's will be."""
    clocks, now = playing.clocks, time.time()
    if clocks is None:
        return None
    asked = [seat for seat in playing.waiting if seat in people]
    return min((left for seat in asked if (left := clocks.seconds_left(seat, now)) > 0), default=None)


def _others(playing: LiveTable, seat: int, people: Sequence[int]) -> bool:
    """Whether other people are asked at the same time."""
    return any(one in people and one != seat for one in playing.at_once.seats)


def _nobody_holds(playing: LiveTable) -> None:
    """Raises `GameError` if somebody has answered before their turn."""
    for seat in playing.at_once.seats:
        if playing.held(seat):
            raise GameError(f"{playing.game.players[seat]} has answered since")


def _may(playing: LiveTable, seat: int, version: int) -> None:
    if seat < 0:
        raise GameError("only those who have a seat can do that", "ask the host for the link of a seat")
    if playing.out_of_time(seat):
        raise GameError("your time is up, so a bot answers for you", "watch how it plays")
    _stands(playing, seat, version)


def _stands(playing: LiveTable, seat: int, version: int) -> None:
    if not playing.stands_since(seat) <= version <= playing.version:
        raise AnsweredAlready


# --- looking -----------------------------------------------------------------------------------------


def page(playing: LiveTable, link: Link, said: str, people: Sequence[int], alone: bool = False) -> str:
    """The page of a seat. said: a message over the board. people: as in `undo`. alone: nobody else is served."""
    shown = _shown(playing, link.looks_as, people, said)
    text, view = shown.text().replace(KEY, link.key), playing.picture(link.looks_as)
    hands_on = alone and link.seat >= 0 and len(people) > 1 and not view["over"]
    known = {"link": link, "view": view, "mark": shown.mark, "hands_on": hands_on}
    return pages().around("seat.html", text, drawing=playing.drawing, **known)


def part_of_page(playing: LiveTable, link: Link, said: str, people: Sequence[int], since: str) -> str:
    """What changes on that page, for a browser that shows what has the mark `since` (empty: nothing yet)."""
    shown = _shown(playing, link.looks_as, people, said)
    return shown.text(playing.shown(since)).replace(KEY, link.key)


Look = tuple[int | None, str]
"""The seat whose view somebody has (None: what everybody may see), and the mark of what their browser shows."""


def looks(playing: LiveTable, wanted: Sequence[Look], people: Sequence[int]) -> list[tuple[str, list[str]]]:
    """For each look the new mark, and what changes on the page, in pieces between which stands the link's key."""
    found = list[tuple[str, list[str]]]()
    for seat, since in wanted:
        shown = _shown(playing, seat, people)
        found.append((shown.mark, [] if shown.mark == since else shown.text(playing.shown(since)).split(KEY)))
    return found


def _shown(playing: LiveTable, seat: int | None, people: Sequence[int], said: str = "") -> Shown:
    """The table for all who see the same. What stands there is made anew for a message, and else once a version."""
    undo, clock = can_undo(playing, -1 if seat is None else seat, people), clock_of(playing, people)
    at_once, ticks = playing.at_once, tuple(clock["left"].items()) if clock else ()

    def drawn() -> Shown:
        game = playing.game
        over = game.over
        whole = pages().table(
            playing.drawing,
            playing.recent,
            link=replace(NOBODY, key=KEY),
            view=playing.picture(seat),
            version=playing.version,
            answers=table_insights.answers(game),
            said=said,
            luck=table_insights.sealed_luck(game),
            undo=undo,
            clock=clock,
            given=at_once.early_answers(seat) if seat is not None else (),
            together=at_once.seats,
            course=table_insights.scores(game, seat) if over else None,
            lessons=table_insights.lessons(game, playing.rules.book) if seat is not None and not over else [],
        )
        return playing.remember(Shown(playing.version, whole))

    kept: Shown = playing.recent.at(playing.version).get(("shown", playing.version, seat, undo, said, ticks), drawn)
    return kept


def clock_of(playing: LiveTable, people: Sequence[int]) -> dict[str, Any] | None:
    """What a table's clocks show: how they are set, and of each person how many seconds are left, and if it runs."""
    clocks, now = playing.clocks, time.time()
    if clocks is None:
        return None
    left = {
        playing.game.players[seat]: (max(0, round(clocks.seconds_left(seat, now))), seat in clocks.running)
        for seat in people
        if not clocks.clock.each_turn or seat in clocks.running
    }
    return {"set": clocks.clock, "left": {} if playing.game.over else left}


def replay(playing: LiveTable, link: Link, number: int, template: str = "replay.html", **shown: Any) -> str:
    """The table as it was after this many answers, with what was asked then and answered."""
    count, game = table_insights.answers(playing.game), moment(playing, number)
    recent = Recent()
    view = picture(game, link.looks_as, recent) | {"question": None}
    whole = pages().table(
        playing.drawing, recent, link=link, view=view, version=-1, answers=count, at=number, course=None
    )
    taken = table_insights.taken(playing.game, game, link.looks_as)
    known = {"answers": count, "at": number, "taken": taken, "places": f"/seat/{link.key}/at/", **shown}
    return pages().around(template, Shown(-1, whole).text(), drawing=playing.drawing, link=link, view=view, **known)


def moment(playing: LiveTable, number: int) -> Game:
    """The game as it was after this many answers. Raises `NoSuchMoment` if it has not come so far."""
    found = table_insights.earlier(playing.game, number)
    if found is None:
        count = table_insights.answers(playing.game)
        raise NoSuchMoment(gettext("The game has %(count)s answers so far.") % {"count": count})
    return found


def host(playing: LiveTable, shown: Mapping[str, Any]) -> str:
    """The links of the table."""
    return pages().page("host.html", game=playing.game, **shown)


def free_seat(playing: LiveTable, link: Link) -> str:
    """A seat that is there to be taken."""
    game = playing.game
    return pages().page(
        "free_seat.html",
        title=game.program.title,
        player=game.players[link.seat],
        link=link,
        clock=game.table.header.clock,
    )


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


@dataclass(frozen=True)
class Notice:
    """What somebody is told whose turn it is: nothing that not everybody at the table may know.

    since: the version at which the turn began.
    """

    seat: int
    since: int
    title: str
    text: str


def notices(playing: LiveTable, people: Sequence[int]) -> list[Notice]:
    """What those of the people are told whose answers are waited for."""
    game = playing.game
    title, said = truncate_graphemes(game.program.title, LONGEST_NOTICE), gettext("It is your turn, %(player)s.")
    return [
        Notice(
            seat,
            playing.turn_since(seat),
            title,
            said % {"player": truncate_graphemes(game.players[seat], LONGEST_NOTICE)},
        )
        for seat in playing.waiting
        if seat in people and not playing.out_of_time(seat)
    ]


def rematch(playing: LiveTable, bots: tuple[str, ...]) -> PlayableGame:
    """A new game of the same people under the same rules and settings. Raises `GameError` while this one goes on."""
    if not playing.game.over:
        raise GameError("the game is not over yet", "play it to its end")
    rules, header = playing.rules.rules, playing.game.table.header
    journal = rules.new_game(header.players, settings=header.settings, bots=bots).journal
    journal = replace(journal, header=replace(journal.header, clock=header.clock))
    return PlayableGame.of(replace(journal, keeps_rules=True) if playing.rules.strange else journal, rules, bots)


def branch(playing: LiveTable, seat: int, alone: str, bots: tuple[str, ...]) -> bytes:
    """The journal of a game that goes on from here at another table, with nothing in it that the seat may not know.

    alone: the bot that answers for everybody else; empty if all play on, whose `bots` these are. Raises `GameError`.
    """
    game = playing.game
    if not alone and has_hidden_values(game):
        remedy = gettext("try it on your own, or when nothing is face down")
        raise GameError(gettext("something is hidden from somebody at this table"), remedy)
    found = branched_games.branch_game(game, seat)
    seats = enumerate(bots)
    kinds = tuple(bot or ("" if number == seat else alone) for number, bot in seats) if alone else bots
    return replace(found, header=replace(found.header, bots=kinds)).to_bytes()


def rules_named(playing: LiveTable) -> tuple[str, tuple[str, ...]]:
    """The names of the game and of the modules laid over it."""
    header = playing.game.table.header
    return header.game, header.modules


# --- asking ------------------------------------------------------------------------------------------


def _asked_of(playing: LiveTable, seat: int | None, at: int | None) -> Game:
    """The game that somebody asks about: as it stands, or as it was after `at` answers. Raises `NoSuchMoment`."""
    return playing.seen_by(seat) if at is None else moment(playing, at)


def ask_about(playing: LiveTable, seat: int | None, at: int | None, about: str) -> str:
    """What something that stands on the board is, and why it can be chosen now or not."""
    game = _asked_of(playing, seat, at)
    glossary = load_glossary(game.table)
    found = glossary.look_up(about, view_of(game, seat)) if glossary else None
    reasons = [table_insights.why(game, seat, one.name) for one in found.entries if one.name] if found else []
    return pages().page("found.html", about=about, found=found, reasons=[one for one in reasons if one])


def why(playing: LiveTable, seat: int | None, at: int | None, key: str) -> str:
    """Why an answer is offered, or is not."""
    found = table_insights.why(_asked_of(playing, seat, at), seat, key)
    nothing = gettext("There is nothing to explain here.")
    return pages().page("why.html", found=[found] if found else [], nothing=nothing)


def why_not(playing: LiveTable, seat: int | None, at: int | None) -> str:
    """What could be chosen at other times, and what stands in its way now."""
    found = table_insights.refused(_asked_of(playing, seat, at), seat)
    return pages().page("why.html", found=found, nothing=gettext("Everything that can be chosen here is offered."))


def line(playing: LiveTable, seat: int | None, at: int | None, number: int) -> str:
    """What led to a line of the log."""
    found = table_insights.line(_asked_of(playing, seat, at), seat, number)
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


def turn(playing: LiveTable, kinds: Mapping[int, str], instead: str) -> Turn | None:
    """What is asked of a bot, by the bots of the seats; None if a person is asked or the game is over.

    instead: the bot that answers for people whose time is up.
    """
    game = playing.game
    kind = kinds.get(game.seat, "") if game.seat >= 0 else ""
    kind = kind or (instead if playing.out_of_time(game.seat) else "")
    if not kind or game.over:
        return None
    own = BOTS.is_code(kind)
    return Turn(
        game.seat,
        playing.version,
        game.table.seed,
        playing.rules.strange,
        kind,
        tuple(option.key for option in game.ask.options) if own else (),
        b"" if own else game.journal.to_bytes(),
        seen_from(game.view(game.seat)) if own else None,
    )


@dataclass(frozen=True)
class Next:
    """How a table goes on: its version, what a bot is asked (None: nothing), in how many seconds a person's time is up
    (None: nobody's is), and whether the game is over."""

    version: int
    asked: Turn | None
    deadline: float | None
    over: bool


def go_on(playing: LiveTable, kinds: Mapping[int, str], instead: str) -> Next:
    """Settle what was answered before its turn, and say what comes next. kinds, instead: as in `turn`."""
    people = [seat for seat, bot in kinds.items() if not bot]
    version, asked = settle(playing, people), turn(playing, kinds, instead)
    return Next(version, asked, next_deadline(playing, people) if asked is None else None, playing.game.over)


def asked(playing: LiveTable, seat: int) -> Turn:
    """The question put to a seat, for a bot that gives advice."""
    game = playing.seen_by(seat)
    if game.over or seat < 0 or game.seat != seat or playing.done(seat):
        raise NotAsked(gettext(UNASKED))
    return Turn(seat, playing.version, game.table.seed, playing.rules.strange, raw=game.journal.to_bytes())


def option_texts(playing: LiveTable, seat: int) -> dict[str, str]:
    """What the options of a seat's question are called, by their keys."""
    game = playing.seen_by(seat)
    return {} if game.over else {option.key: option.text for option in game.ask.options}
