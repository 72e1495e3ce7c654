"""Games against bots, played in processes for strangers' rules: begun, looked at, answered.

A game is its journal, which has the rules it is played under; a process remembers the last games it has played.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from edict.agents.bots import BOTS, Bot
from edict.agents.bots.seen import as_text
from edict.game.explanations.view_data import to_json_data
from edict.game.explanations.view_model import build_view_data
from edict.game.table.game import Game
from edict.game.table.journal import Journal
from edict.game.table.rules import load_bundled_rules, load_rules
from edict.game.table.seeded_draws import bot_seed
from edict.game.table.view import View
from edict.support.morphology import quote_words
from edict.support.rendering import escape_terminal
from edict.tools.mcp.results import ToolFailure, ToolResult
from edict.tools.mcp.rule_tools import named

USUAL = 4  # players
MOST_GAMES = 8  # that a process remembers
MOST_LINES = 80  # of the log that are told as text
USUAL_PARTS = ("seat", "phases", "over", "winners", "waiting_for", "question", "scores", "log")


@dataclass(frozen=True, slots=True)
class Playing:
    """A game as it stands.

    name: what it is called here. seat: yours, counted from 0; -1 if you only look on. told: how many lines of the log
    you know.
    """

    name: str
    journal: Journal
    seat: int
    told: int = 0


Told = tuple[Playing, ToolResult]
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
) -> Told:
    """A new game up to your first question, or its end."""
    loaded = load_rules(named(rules), tuple(named(one) for one in modules))
    program = loaded.program
    if players is None:
        players = max(program.least_players, min(USUAL, program.most_players))
    if seat > players:
        raise ToolFailure(f"there is no seat {seat} at a table for {players}", "seats count from 1; 0 is none")
    kinds = ["" if number == seat else bots for number in range(1, players + 1)]
    names = [f"{BOTS.title(kind)} {number}" if kind else f"Player {number}" for number, kind in enumerate(kinds, 1)]
    begun = loaded.new_game(names, seed, settings, bots=kinds)
    journal = replace(begun.journal, keeps_rules=True)
    playing = Playing(game, journal, seat - 1)
    _remember(game, (begun, _bots(begun, kinds)))
    return _played_on(playing, parts)


def view_game(playing: Playing, parts: Sequence[str] = ()) -> Told:
    """A game as it stands, with all of the log if that is wanted."""
    return _seen(replace(playing, told=0) if "log" in parts else playing, _game(playing)[0], parts)


def answer(
    playing: Playing, answers: Sequence[str | int] = (), bot_answers: int = 0, parts: Sequence[str] = ()
) -> Told:
    """The game after your answers, up to your next question or its end. Nothing is answered if one cannot be given."""
    if bool(answers) == bool(bot_answers):
        raise ToolFailure(
            "there is nothing to answer with", "give `answers`, or how often a bot answers: `bot_answers`"
        )
    game, bots = _game(playing)
    if playing.seat < 0:
        raise ToolFailure("you have no seat in this game", "begin one with a `seat`")
    tried = game.copy()
    for number, one in enumerate(answers, 1):
        _play_bots(tried, bots)
        if tried.over:
            raise ToolFailure(f"the game is over before answer {number}", "give fewer answers")
        tried.answer(one)
    for _ in range(bot_answers):
        _play_bots(tried, bots)
        if not tried.over:
            tried.answer(_bot(tried, playing.seat, bots).choose(tried.view(playing.seat), tried.ask))
    _remember(playing.name, (tried, bots))
    return _played_on(playing, parts)


def _bot(game: Game, seat: int, bots: Mapping[int, Bot]) -> Bot:
    """A bot for your seat, of the kind that sits in the others."""
    kind = next((kind for kind in game.journal.header.bots if kind), "random")
    return BOTS[kind](game.program, bot_seed(game.table.seed, seat))


def _bots(game: Game, kinds: Sequence[str]) -> dict[int, Bot]:
    seed = game.table.seed
    return {seat: BOTS[kind](game.program, bot_seed(seed, seat)) for seat, kind in enumerate(kinds) if kind}


def _game(playing: Playing) -> tuple[Game, dict[int, Bot]]:
    """The game as far as its journal goes, played again if this process does not know it."""
    known = _games.pop(playing.name, None)
    if known is None or known[0].journal.answers != playing.journal.answers:
        game = load_bundled_rules(playing.journal).replay(playing.journal)
        known = game, _bots(game, playing.journal.header.bots)
    _remember(playing.name, known)
    return known


def _remember(name: str, known: tuple[Game, dict[int, Bot]]) -> None:
    _games[name] = known
    _games.move_to_end(name)
    while len(_games) > MOST_GAMES:
        _games.popitem(last=False)


def _play_bots(game: Game, bots: Mapping[int, Bot]) -> None:
    while not game.over and game.seat in bots:
        game.answer(bots[game.seat].choose(game.view(game.seat), game.ask))


def _played_on(playing: Playing, parts: Sequence[str]) -> Told:
    game, bots = _games[playing.name]
    _play_bots(game, bots)
    return _seen(replace(playing, journal=replace(game.journal, keeps_rules=True)), game, parts)


# --- what is told of it ----------------------------------------------------------------------------


def _seen(playing: Playing, game: Game, parts: Sequence[str]) -> Told:
    seat = playing.seat if playing.seat >= 0 else None
    whole = to_json_data(build_view_data(game, seat, playing.told))
    view = game.view(seat) if seat is not None else View(game, len(game.players))
    new = min(len(whole["log"]), MOST_LINES)
    words = [as_text(view, new), *_ending(whole)]
    data = {"game": playing.name, "view": {part: whole[part] for part in parts or USUAL_PARTS}}
    return replace(playing, told=playing.told + len(whole["log"])), ToolResult(data, escape_terminal("\n".join(words)))


def _ending(view: Mapping[str, Any]) -> list[str]:
    if not view["over"]:
        return []
    scores = ", ".join(f"{one['player']} {one['score']}" for one in view["scores"])
    won = quote_words(view["winners"], "and").replace("`", "")
    return [f"The game is over. Winners: {won}. Scores: {scores}."]


__all__ = ["Playing", "Told", "answer", "begin_game", "view_game"]
