"""Tools to play games against bots, run in processes for strangers' rules.

A game is its journal, which contains the rules it is played under; a process caches the games it played last.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from edict.agents.bots import BOTS, Bot
from edict.agents.bots.bot_views import as_text
from edict.game.explanations.view_data import to_json_data
from edict.game.explanations.view_model import build_view_data
from edict.game.table.game import Game
from edict.game.table.journal import Journal
from edict.game.table.rules import load_bundled_rules, load_rules
from edict.game.table.seeded_draws import bot_seed
from edict.game.table.view import View
from edict.support.morphology import quote_words
from edict.support.records import dataclass
from edict.support.rendering import escape_terminal
from edict.tools.mcp.results import ToolFailure, ToolResult
from edict.tools.mcp.rule_tools import resolve_module_name

DEFAULT_PLAYERS = 4  # players
MAX_CACHED_GAMES = 8  # in a process
MAX_LOG_LINES = 80  # in the text of a result
DEFAULT_PARTS = ("seat", "phases", "over", "winners", "waiting_for", "question", "scores", "log")


@dataclass(frozen=True, slots=True)
class AssistantGame:
    """A game that an assistant plays."""

    name: str
    journal: Journal
    seat: int  # the assistant's seat; -1 for a spectator
    seen_log_lines: int = 0  # number of log lines that the assistant has seen


GameResult = tuple[AssistantGame, ToolResult]
_games: OrderedDict[str, tuple[Game, dict[int, Bot]]] = OrderedDict()


def begin_game(
    game: str,
    rules: str,
    modules: Sequence[str] = (),
    players: int | None = None,
    seat: int = 1,
    bots: str = "greedy",
    seed: int | None = None,
    settings: Mapping[str, object] | None = None,
    parts: Sequence[str] = (),
) -> GameResult:
    """Start a game and play up to the assistant's first question or the end."""
    loaded = load_rules(resolve_module_name(rules), tuple(resolve_module_name(module) for module in modules))
    program = loaded.program
    if players is None:
        players = max(program.least_players, min(DEFAULT_PLAYERS, program.most_players))
    if seat > players:
        raise ToolFailure(f"there is no seat {seat} at a table for {players}", "seats count from 1; 0 is none")
    kinds = ["" if number == seat else bots for number in range(1, players + 1)]
    names = [f"{BOTS.title(kind)} {number}" if kind else f"Player {number}" for number, kind in enumerate(kinds, 1)]
    started_game = loaded.new_game(names, seed, settings, bots=kinds)
    journal = replace(started_game.journal, keeps_rules=True)
    playing = AssistantGame(game, journal, seat - 1)
    _cache_game(game, (started_game, _create_bots(started_game, kinds)))
    return _play_on(playing, parts)


def view_game(playing: AssistantGame, parts: Sequence[str] = ()) -> GameResult:
    """Return a game as it stands, with the whole log if `parts` has `log`."""
    return _to_result(replace(playing, seen_log_lines=0) if "log" in parts else playing, _load_game(playing)[0], parts)


def answer(
    playing: AssistantGame, answers: Sequence[str | int] = (), bot_answers: int = 0, parts: Sequence[str] = ()
) -> GameResult:
    """Give all of these answers or none, or let a bot give `bot_answers`, then play up to the next question.

    All answers are given or none. Raises `ToolFailure` or `GameError` for one that cannot be given.
    """
    if bool(answers) == bool(bot_answers):
        raise ToolFailure("no answers given", "give `answers` or `bot_answers`")
    game, bots = _load_game(playing)
    if playing.seat < 0:
        raise ToolFailure("you have no seat in this game", "begin one with a `seat`")
    trial = game.copy()
    for number, given_answer in enumerate(answers, 1):
        _play_bots(trial, bots)
        if trial.over:
            raise ToolFailure(f"the game is over before answer {number}", "give fewer answers")
        trial.answer(given_answer)
    for _ in range(bot_answers):
        _play_bots(trial, bots)
        if not trial.over:
            trial.answer(_create_own_bot(trial, playing.seat, bots).choose(trial.view(playing.seat), trial.ask))
    _cache_game(playing.name, (trial, bots))
    return _play_on(playing, parts)


def _create_own_bot(game: Game, seat: int, bots: Mapping[int, Bot]) -> Bot:
    """Return a bot to answer for the assistant: of the first kind in the game, or `random` without bots."""
    kind = next((kind for kind in game.journal.header.bots if kind), "random")
    return BOTS[kind](game.program, bot_seed(game.table.seed, seat))


def _create_bots(game: Game, kinds: Sequence[str]) -> dict[int, Bot]:
    """Return a bot by seat for each seat with a kind of bot; an empty kind is the assistant's seat."""
    seed = game.table.seed
    return {seat: BOTS[kind](game.program, bot_seed(seed, seat)) for seat, kind in enumerate(kinds) if kind}


def _load_game(playing: AssistantGame) -> tuple[Game, dict[int, Bot]]:
    """Return the game and its bots by seat: the cached one if its answers are the same, else replayed."""
    cached = _games.pop(playing.name, None)
    if cached is None or cached[0].journal.answers != playing.journal.answers:
        game = load_bundled_rules(playing.journal).replay(playing.journal)
        cached = game, _create_bots(game, playing.journal.header.bots)
    _cache_game(playing.name, cached)
    return cached


def _cache_game(name: str, entry: tuple[Game, dict[int, Bot]]) -> None:
    """Keep a game with its bots in this process, and drop the longest unused beyond `MAX_CACHED_GAMES`."""
    _games[name] = entry
    _games.move_to_end(name)
    while len(_games) > MAX_CACHED_GAMES:
        _games.popitem(last=False)


def _play_bots(game: Game, bots: Mapping[int, Bot]) -> None:
    """Let bots answer until somebody without a bot is asked or the game is over."""
    while not game.over and game.seat in bots:
        game.answer(bots[game.seat].choose(game.view(game.seat), game.ask))


def _play_on(playing: AssistantGame, parts: Sequence[str]) -> GameResult:
    """Let bots play a cached game up to the assistant's next question or the end, and return its result."""
    game, bots = _games[playing.name]
    _play_bots(game, bots)
    return _to_result(replace(playing, journal=replace(game.journal, keeps_rules=True)), game, parts)


# --- results ---------------------------------------------------------------------------------------


def _to_result(playing: AssistantGame, game: Game, parts: Sequence[str]) -> GameResult:
    """Return the game with its log marked as seen, and the parts of its view as data and as text."""
    seat = playing.seat if playing.seat >= 0 else None
    all_data = to_json_data(build_view_data(game, seat, playing.seen_log_lines))
    view = game.view(seat) if seat is not None else View(game, len(game.players))
    shown_lines = min(len(all_data["log"]), MAX_LOG_LINES)
    text_lines = [as_text(view, shown_lines), *_format_ending(all_data)]
    data = {"game": playing.name, "view": {part: all_data[part] for part in parts or DEFAULT_PARTS}}
    return replace(playing, seen_log_lines=playing.seen_log_lines + len(all_data["log"])), ToolResult(
        data, escape_terminal("\n".join(text_lines))
    )


def _format_ending(view: Mapping[str, Any]) -> list[str]:
    """Return one line with the winners and scores of a finished game; empty while it goes on."""
    if not view["over"]:
        return []
    scores = ", ".join(f"{score['player']} {score['score']}" for score in view["scores"])
    winners = quote_words(view["winners"], "and").replace("`", "")
    return [f"The game is over. Winners: {winners}. Scores: {scores}."]


__all__ = ["AssistantGame", "GameResult", "answer", "begin_game", "view_game"]
