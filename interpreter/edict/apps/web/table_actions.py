"""Actions and queries of tables: functions of a table in memory and of values that can be pickled.

They run where the table's rules are played: in the server, or in a process for strangers' rules. Results (HTML pages
and data) and exceptions can be pickled, too. Nothing here knows a server.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from edict.agents.bots import BOTS
from edict.agents.bots.bot_views import BotSnapshot, create_snapshot
from edict.agents.bots.planned_bot import has_plan
from edict.apps.web import table_insights
from edict.apps.web.live_tables import (
    PLACEHOLDER_LINK,
    AnsweredAlready,
    Link,
    LiveTable,
    NoSuchMoment,
    NotAsked,
    PlayableGame,
)
from edict.apps.web.page_elements import KEY_PLACEHOLDER, RenderedTable
from edict.apps.web.page_templates import get_pages
from edict.apps.web.table_insights import get_primer, get_view
from edict.apps.web.table_pictures import RenderCache, build_picture
from edict.game.explanations.glossary import load_glossary
from edict.game.table.game import Game, build_branch, has_hidden_values
from edict.game.table.game_errors import GameError
from edict.game.table.journal import Answer
from edict.game.table.undo import find_last_typed_steps, require_no_revelation
from edict.runtime.program.opcodes import CHANCE
from edict.support.graphemes import truncate_graphemes
from edict.support.records import dataclass
from edict.support.translations import N_, gettext

LONGEST_NOTICE = 100  # characters of a title or a name in a notice
UNASKED = N_("There is nothing to decide: you are not being asked anything.")

# --- answering ---------------------------------------------------------------------------------------


def answer(playing: LiveTable, seat: int, version: int, key: str, people: Sequence[int]) -> int:
    """Answer a question for a seat, and return the new version.

    If other people are asked at the same time, the answer is held until all of them have answered. The result of
    typed dice may come from any seat.

    Args:
        playing: The table.
        seat: The seat that answers.
        version: The version of the table at which the question was shown.
        key: The key of the option.
        people: The seats that bots do not answer for.

    Raises:
        AnsweredAlready: The question is no longer asked, or another seat is asked.
        GameError: The seat is none that plays, its time is up, or there is no such option.
    """
    _check_may_act(playing, seat, version)
    at_once, game = playing.simultaneous_questions, playing.game
    if not _asks_other_people(playing, seat, people) and game.seat == seat or seat not in at_once.seats:
        return answer_in_turn(playing, seat, version, key, people)
    game_at_question = at_once.game_at_question(seat)
    if game_at_question is None:
        raise AnsweredAlready
    early_answer = Answer(seat, game_at_question.ask.question, game_at_question.ask.named(key).key)
    playing.hold_answers(seat, (*playing.list_early_answers(seat), early_answer))
    return apply_early_answers(playing, people)


def answer_in_turn(playing: LiveTable, seat: int, version: int, key: str, people: Sequence[int]) -> int:
    """Answer the current question for a seat whose turn it is, and return the new version.

    Bots answer with it, also for people whose time is up. See `answer` for the arguments.

    Raises:
        AnsweredAlready: The question is no longer asked, or another seat is asked.
        GameError: There is no such option.
    """
    _check_version(playing, seat, version)
    if playing.game.over or playing.game.seat not in (seat, CHANCE):
        raise AnsweredAlready
    playing.answer(key)
    return apply_early_answers(playing, people)


def apply_early_answers(playing: LiveTable, people: Sequence[int]) -> int:
    """Apply the answers that were held before their turn, if no person still has to answer; return the version.

    People whose time is up are not waited for.

    Args:
        playing: The table.
        people: The seats that bots do not answer for.
    """
    if not any(
        seat in people and not playing.is_out_of_time(seat) for seat in playing.simultaneous_questions.pending_seats
    ):
        while early_answers := playing.list_early_answers(playing.game.seat):
            playing.answer(early_answers[0].key)
    return playing.version


def undo(playing: LiveTable, seat: int, version: int, people: Sequence[int]) -> int:
    """Take back a seat's last answer and what bots answered since, and return the new version.

    See `answer` for the arguments.

    Raises:
        AnsweredAlready: The table has changed since that version.
        GameError: Something was revealed since, or another person has answered; the message says which.
    """
    _check_may_act(playing, seat, version)
    early_answers = playing.list_early_answers(seat)
    if early_answers:
        playing.hold_answers(seat, early_answers[:-1])
        return playing.version
    _check_no_early_answers(playing)
    playing.take_back(seat, people)
    return playing.version


def can_undo(playing: LiveTable, seat: int, people: Sequence[int]) -> bool:
    """Return True if the last answer of a seat can be taken back.

    The result reveals nothing that is hidden: see `edict.game.table.undo`.
    """
    game = playing.game
    if seat < 0:
        return False

    def find_obstacle() -> str:
        """Return the reason why the seat cannot take back its last answer; empty if it can."""
        try:
            _check_no_early_answers(playing)
            require_no_revelation(
                game.table, find_last_typed_steps(game.table, game.last_step, seat, people)[0], seat, ""
            )
        except GameError as problem:
            return problem.reason
        return ""

    key = "undo", playing.version, seat, tuple(people)
    obstacle: str = playing.recent.switch_version(playing.version).get_or_make(key, find_obstacle)
    return bool(playing.list_early_answers(seat)) or not obstacle


def compute_time_left(playing: LiveTable, people: Sequence[int]) -> float | None:
    """Return the seconds until the first of the people who are asked runs out of time; None if nobody will.

    Args:
        playing: The table.
        people: The seats that bots do not answer for.
    """
    clocks, now = playing.clocks, time.time()
    if clocks is None:
        return None
    asked = [seat for seat in playing.waiting if seat in people]
    return min((seconds for seat in asked if (seconds := clocks.seconds_left(seat, now)) > 0), default=None)


def _asks_other_people(playing: LiveTable, seat: int, people: Sequence[int]) -> bool:
    """Return True if other people are asked at the same time."""
    return any(other in people and other != seat for other in playing.simultaneous_questions.seats)


def _check_no_early_answers(playing: LiveTable) -> None:
    """Raise `GameError` if a player has answered before their turn."""
    for seat in playing.simultaneous_questions.seats:
        if playing.list_early_answers(seat):
            raise GameError(f"{playing.game.players[seat]} has answered since")


def _check_may_act(playing: LiveTable, seat: int, version: int) -> None:
    """Raise `GameError` or `AnsweredAlready` unless the seat can answer or undo at this version."""
    if seat < 0:
        raise GameError("only those who have a seat can do that", "ask the host for the link of a seat")
    if playing.is_out_of_time(seat):
        raise GameError("your time is up, so a bot answers for you", "watch how it plays")
    _check_version(playing, seat, version)


def _check_version(playing: LiveTable, seat: int, version: int) -> None:
    """Raise `AnsweredAlready` if the seat's question has changed since this version."""
    if not playing.find_last_change_version(seat) <= version <= playing.version:
        raise AnsweredAlready


# --- looking -----------------------------------------------------------------------------------------


def render_page(playing: LiveTable, link: Link, message: str, people: Sequence[int], alone: bool = False) -> str:
    """Return the page of a seat.

    Args:
        playing: The table.
        link: The link of the seat, or of onlookers.
        message: A message over the board; empty for none.
        people: The seats that bots do not answer for.
        alone: The server has a single user, so people at one screen pass the device on.
    """
    shown = _render_table(playing, link.viewing_seat, people, message)
    html, view = shown.to_html().replace(KEY_PLACEHOLDER, link.key), playing.get_page_data(link.viewing_seat)
    hands_on = alone and link.seat >= 0 and len(people) > 1 and not view["over"]
    context = {"link": link, "view": view, "mark": shown.mark, "hands_on": hands_on}
    return get_pages().render_around("seat.html", html, drawing=playing.theme, **context)


def render_update(playing: LiveTable, link: Link, message: str, people: Sequence[int], since: str) -> str:
    """Return the HTML that turns the page with mark `since` into the current one of a seat.

    Args:
        playing: The table.
        link: The link of the seat, or of onlookers.
        message: A message over the board; empty for none.
        people: The seats that bots do not answer for.
        since: The mark of the state that the browser shows; empty if it shows none.
    """
    shown = _render_table(playing, link.viewing_seat, people, message)
    return shown.to_html(playing.find_rendering(since)).replace(KEY_PLACEHOLDER, link.key)


# the seat whose view a browser shows (None for the public view), and the mark of what it shows
BrowserState = tuple[int | None, str]


def render_updates(
    playing: LiveTable, browsers: Sequence[BrowserState], people: Sequence[int]
) -> list[tuple[str, list[str]]]:
    """Render the updates for browsers that show the table.

    Args:
        playing: The table.
        browsers: The state of each browser.
        people: The seats that bots do not answer for.

    Returns:
        For each browser the new mark, and the HTML of the parts that it lacks; no HTML if nothing changed. The HTML
        is split where the key of the link belongs.
    """
    updates = list[tuple[str, list[str]]]()
    for seat, since in browsers:
        shown = _render_table(playing, seat, people)
        updates.append(
            (
                shown.mark,
                [] if shown.mark == since else shown.to_html(playing.find_rendering(since)).split(KEY_PLACEHOLDER),
            )
        )
    return updates


def _render_table(playing: LiveTable, seat: int | None, people: Sequence[int], message: str = "") -> RenderedTable:
    """Return the table as rendered for everybody with the view of a seat.

    The result is cached for the version, the message, the state of undo and the clocks.
    """
    undo, clock = can_undo(playing, -1 if seat is None else seat, people), build_clock_data(playing, people)
    at_once, ticks = playing.simultaneous_questions, tuple(clock["left"].items()) if clock else ()

    def render() -> RenderedTable:
        """Render the table for the seat, with a placeholder for its link's key, and remember the rendering."""
        game = playing.game
        over = game.over
        element = get_pages().render_table(
            playing.theme,
            playing.recent,
            link=replace(PLACEHOLDER_LINK, key=KEY_PLACEHOLDER),
            view=playing.get_page_data(seat),
            version=playing.version,
            answers=table_insights.count_answers(game),
            said=message,
            luck=table_insights.get_seed_commitment(game),
            undo=undo,
            clock=clock,
            given=[(answer.prompt, answer.text) for answer in at_once.early_answers(seat)] if seat is not None else [],
            together=at_once.seats,
            course=table_insights.build_score_history(game, seat) if over else None,
            lessons=table_insights.list_lessons(game, playing.rules.rulebook_passages)
            if seat is not None and not over
            else [],
            teaches=seat is not None,
        )
        return playing.remember_rendering(RenderedTable(playing.version, element))

    entry: RenderedTable = playing.recent.switch_version(playing.version).get_or_make(
        ("shown", playing.version, seat, undo, message, ticks), render
    )
    return entry


def build_clock_data(playing: LiveTable, people: Sequence[int]) -> dict[str, Any] | None:
    """Return the data of a table's clocks for templates; None for a table without clocks.

    Returns:
        `set`, the settings of the clock; `left`, by player the seconds that are left and whether the clock runs.
    """
    clocks, now = playing.clocks, time.time()
    if clocks is None:
        return None
    time_left = {
        playing.game.players[seat]: (max(0, round(clocks.seconds_left(seat, now))), seat in clocks.running)
        for seat in people
        if not clocks.clock.each_turn or seat in clocks.running
    }
    return {"set": clocks.clock, "left": {} if playing.game.over else time_left}


def render_replay(playing: LiveTable, link: Link, number: int, template: str = "replay.html", **context: Any) -> str:
    """Return the page of the table after a number of answers, with the question that was asked and its answer.

    Args:
        playing: The table.
        link: The link of the seat, or of onlookers.
        number: The number of answers.
        template: The template of the page.
        **context: Further values for the template, which override its own.

    Raises:
        NoSuchMoment: The game has not come so far.
    """
    count, game = table_insights.count_answers(playing.game), restore_game(playing, number)
    recent = RenderCache()
    view = build_picture(game, link.viewing_seat, recent) | {"question": None}
    element = get_pages().render_table(
        playing.theme, recent, link=link, view=view, version=-1, answers=count, at=number, course=None
    )
    taken = table_insights.find_taken_option(playing.game, game, link.viewing_seat)
    values = {"answers": count, "at": number, "taken": taken, "places": f"/seat/{link.key}/at/", **context}
    return get_pages().render_around(
        template, RenderedTable(-1, element).to_html(), drawing=playing.theme, link=link, view=view, **values
    )


def restore_game(playing: LiveTable, number: int) -> Game:
    """Return the game as it was after a number of answers.

    Raises:
        NoSuchMoment: The game has not come so far.
    """
    game = table_insights.restore_earlier_game(playing.game, number)
    if game is None:
        count = table_insights.count_answers(playing.game)
        raise NoSuchMoment(gettext("The game has %(count)s answers so far.") % {"count": count})
    return game


def render_host_page(playing: LiveTable, context: Mapping[str, Any]) -> str:
    """Return the host's page with the links of the table.

    Args:
        playing: The table.
        context: The values for the template.
    """
    return get_pages().render("host.html", game=playing.game, **context)


def render_free_seat(playing: LiveTable, link: Link) -> str:
    """Return the page on which a free seat can be claimed."""
    game = playing.game
    return get_pages().render(
        "free_seat.html",
        title=game.program.title,
        player=game.players[link.seat],
        link=link,
        clock=game.table.header.clock,
        players=game.players,
        primer=get_primer(playing.rules.rules),
    )


def render_stylesheet(playing: LiveTable) -> str:
    """Return the stylesheet with the colours that the rules define for the game."""
    return playing.theme.render_css()


def get_view_data(playing: LiveTable, seat: int | None) -> dict[str, Any]:
    """Return the view of a seat as JSON data; the public view for None."""
    return playing.build_view(seat)


def is_over(playing: LiveTable) -> bool:
    """Return True if the game is over."""
    return playing.game.over


def list_players(playing: LiveTable) -> list[str]:
    """Return the names of the players, by seat."""
    return list(playing.game.players)


@dataclass(frozen=True)
class TurnNotice:
    """A message to a player whose turn it is. It holds nothing that is hidden from anybody at the table."""

    seat: int
    since: int  # the version at which the turn began
    title: str
    text: str


def list_turn_notices(playing: LiveTable, people: Sequence[int]) -> list[TurnNotice]:
    """Return a notice for each person whose answer the game waits for.

    Args:
        playing: The table.
        people: The seats that bots do not answer for.
    """
    game = playing.game
    title, text = truncate_graphemes(game.program.title, LONGEST_NOTICE), gettext("It is your turn, %(player)s.")
    return [
        TurnNotice(
            seat,
            playing.turn_start_version(seat),
            title,
            text % {"player": truncate_graphemes(game.players[seat], LONGEST_NOTICE)},
        )
        for seat in playing.waiting
        if seat in people and not playing.is_out_of_time(seat)
    ]


def create_rematch(playing: LiveTable, bots: tuple[str, ...]) -> PlayableGame:
    """Return a new game with the same players, rules, settings and clock.

    Args:
        playing: The table.
        bots: The bot of each seat; empty for a person.

    Raises:
        GameError: The game is not over yet.
    """
    if not playing.game.over:
        raise GameError("the game is not over yet", "play it to its end")
    rules, header = playing.rules.rules, playing.game.table.header
    journal = rules.new_game(header.players, settings=header.settings, bots=bots).journal
    journal = replace(journal, header=replace(journal.header, clock=header.clock))
    return PlayableGame.from_journal(
        replace(journal, keeps_rules=True) if playing.rules.untrusted else journal, rules, bots
    )


def branch_game(playing: LiveTable, seat: int, alone: str, bots: tuple[str, ...]) -> bytes:
    """Return the journal of a game that continues from here at another table.

    It reveals nothing to the seat that is hidden from it: hidden cells are drawn anew.

    Args:
        playing: The table.
        seat: The seat that starts the other table.
        alone: The kind of bot that answers for all other people; empty if they play on.
        bots: The bot of each seat; empty for a person.

    Raises:
        GameError: The game is over, or all play on and something is hidden from one of them.
    """
    game = playing.game
    if not alone and has_hidden_values(game):
        remedy = gettext("try it on your own, or when nothing is face down")
        raise GameError(gettext("something is hidden from somebody at this table"), remedy)
    journal = build_branch(game, seat)
    seats = enumerate(bots)
    if alone:
        kinds = tuple(bot or ("" if number == seat else alone) for number, bot in seats)
    else:
        kinds = bots
    return replace(journal, header=replace(journal.header, bots=kinds)).to_bytes()


def get_rules_names(playing: LiveTable) -> tuple[str, tuple[str, ...]]:
    """Return the name of the game, and the names of its rules modules."""
    header = playing.game.table.header
    return header.game, header.modules


# --- asking ------------------------------------------------------------------------------------------


def _select_game(playing: LiveTable, seat: int | None, at: int | None) -> Game:
    """Return the game as the seat plays it now, or the game after `at` answers. Raises `NoSuchMoment`."""
    return playing.get_game_for(seat) if at is None else restore_game(playing, at)


def render_subject(playing: LiveTable, seat: int | None, at: int | None, subject: str) -> str:
    """Return an explanation of something on the board, with the reasons why it can or cannot be chosen now.

    Args:
        playing: The table.
        seat: The seat that asks; None for onlookers.
        at: The number of answers at the position in question; None for the current one.
        subject: The text of the thing to look up.

    Raises:
        NoSuchMoment: The game has not come so far.
    """
    game = _select_game(playing, seat, at)
    glossary = load_glossary(game.table)
    lookup = glossary.look_up(subject, get_view(game, seat)) if glossary else None
    if lookup:
        reasons = [table_insights.explain_answer(game, seat, item.name) for item in lookup.entries if item.name]
    else:
        reasons = []
    return get_pages().render("found.html", about=subject, found=lookup, reasons=[item for item in reasons if item])


def render_option_reasons(playing: LiveTable, seat: int | None, at: int | None, key: str) -> str:
    """Return an explanation why an answer is or is not offered. See `render_subject` for the arguments.

    Args:
        playing: The table.
        seat: The seat that asks; None for onlookers.
        at: The number of answers at the position in question; None for the current one.
        key: The key of the answer.
    """
    reasons = table_insights.explain_answer(_select_game(playing, seat, at), seat, key)
    nothing = gettext("There is nothing to explain here.")
    return get_pages().render("why.html", found=[reasons] if reasons else [], nothing=nothing)


def render_missing_options(playing: LiveTable, seat: int | None, at: int | None) -> str:
    """Return the answers that are possible at other times, with the reasons why they are not offered now.

    See `render_subject` for the arguments.
    """
    missing = table_insights.explain_unavailable_answers(_select_game(playing, seat, at), seat)
    return get_pages().render(
        "why.html", found=missing, nothing=gettext("Everything that can be chosen here is offered.")
    )


def render_log_line_causes(playing: LiveTable, seat: int | None, at: int | None, number: int) -> str:
    """Return an explanation of the causes of a line of the log.

    Args:
        playing: The table.
        seat: The seat that asks; None for onlookers.
        at: The number of answers at the position in question; None for the current one.
        number: The number of the line's first entry in the log of the seat.
    """
    causes = table_insights.explain_log_line(_select_game(playing, seat, at), seat, number)
    return get_pages().render(
        "why.html", found=[causes] if causes else [], nothing=gettext("The log has no such line.")
    )


def render_missed_events(playing: LiveTable, seat: int | None) -> str:
    """Return the log since the seat's last move."""
    return get_pages().render("missed.html", lines=table_insights.list_missed_lines(playing.game, seat))


def render_primer(playing: LiveTable) -> str:
    """Return a summary of the table's rules."""
    return get_pages().render("primer.html", primer=get_primer(playing.rules.rules))


def get_score_history(playing: LiveTable, seat: int | None) -> dict[str, Any]:
    """Return the sources of all players' points as JSON data, in the order in which they were scored."""
    return table_insights.build_score_history(playing.game, seat)


# --- bots --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BotTurn:
    """A question for a bot.

    A bot that ships gets the whole journal (`raw`); a user's bot gets only its own view (`seen`).
    """

    seat: int
    version: int
    seed: int  # of the game
    untrusted: bool  # the rules are not only rules that ship
    kind: str = ""  # of the bot; empty for a hint
    keys: tuple[str, ...] = ()  # of the options, for a user's bot
    raw: bytes = b""
    seen: BotSnapshot | None = None


def find_bot_turn(playing: LiveTable, kinds: Mapping[int, str], stand_in: str) -> BotTurn | None:
    """Return the question for a bot to answer now, also for a person out of time; None for other people or the end.

    Args:
        playing: The table.
        kinds: The bot of each seat; empty for a person.
        stand_in: The bot that answers for people whose time is up.
    """
    game = playing.game
    kind = kinds.get(game.seat, "") if game.seat >= 0 else ""
    kind = kind or (stand_in if playing.is_out_of_time(game.seat) else "")
    if not kind or game.over:
        return None
    is_user_bot = BOTS.is_user_code(kind)
    return BotTurn(
        game.seat,
        playing.version,
        game.table.seed,
        playing.rules.untrusted or has_plan(game.table, game.seat),
        kind,
        tuple(option.key for option in game.ask.options) if is_user_bot else (),
        b"" if is_user_bot else game.journal.to_bytes(),
        create_snapshot(game.view(game.seat)) if is_user_bot else None,
    )


@dataclass(frozen=True)
class TableProgress:
    """The state of a table after early answers were applied."""

    version: int
    bot_turn: BotTurn | None  # the question for a bot; None if no bot is asked
    time_left: float | None  # seconds until a person runs out of time; None if nobody will
    over: bool  # the game is over


def advance_table(playing: LiveTable, kinds: Mapping[int, str], stand_in: str) -> TableProgress:
    """Apply early answers whose turn has come, and return the next question for a bot.

    See `find_bot_turn` for the arguments.
    """
    people = [seat for seat, bot in kinds.items() if not bot]
    version, bot_turn = apply_early_answers(playing, people), find_bot_turn(playing, kinds, stand_in)
    return TableProgress(
        version, bot_turn, compute_time_left(playing, people) if bot_turn is None else None, playing.game.over
    )


def require_turn(playing: LiveTable, seat: int) -> BotTurn:
    """Return the question that a seat is asked, for a bot that gives a hint.

    Raises:
        NotAsked: The seat is not asked anything.
    """
    game = playing.get_game_for(seat)
    if game.over or seat < 0 or game.seat != seat or playing.is_waiting_for_others(seat):
        raise NotAsked(gettext(UNASKED))
    return BotTurn(seat, playing.version, game.table.seed, playing.rules.untrusted, raw=game.journal.to_bytes())


def get_option_texts(playing: LiveTable, seat: int) -> dict[str, tuple[str, str]]:
    """Return (text, what it does) of the options that a seat is offered, by their keys; empty if the game is over."""
    game = playing.get_game_for(seat)
    return {} if game.over else {option.key: (option.text, option.words) for option in game.ask.options}
