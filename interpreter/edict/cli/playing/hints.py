"""`hint`: what the search bot expects of each option of the current question."""

from __future__ import annotations

from edict.bots.budget import Budget
from edict.bots.search import SearchBot
from edict.bots.tree_search import Tried
from edict.cli.playing import answers
from edict.cli.playing.session import Session
from edict.cli.warming import notice
from edict.simulation import native
from edict.table.chance import bot_seed
from edict.table.options import Ask

SECONDS = 1.0
SLOWER = 3.0  # without native code
SHOWN = 8  # options told about


def hint(session: Session, typed: str) -> bool:
    """Think about the question, and report the outcome of each option; nothing the seat may not know is used."""
    game, screen = session.game, session.screen
    if game.over or game.seat < 0:
        screen.say("There is nothing to decide here: roll the dice and type what they show. `?` explains how.")
        return False
    try:
        budget = Budget.read(typed) if typed else Budget(seconds=SECONDS if native.available() else SLOWER)
    except ValueError as wrong:
        screen.say(f"`hint {typed}`: {wrong}.")
        return False
    screen.say(*filter(None, (notice(), "Thinking ...")))
    seed = bot_seed(game.table.seed, len(game.players) + len(game.answers))
    bot = SearchBot(game.program, seed, budget)
    screen.say(*hint_lines(game.ask, bot.advice(game.view(game.seat))))
    return False


def hint_lines(ask: Ask, found: list[Tried]) -> list[str]:
    """A small table, the best option first: the share of the victory expected, the lead in score, the tries."""
    ranked = sorted(found, key=lambda tried: (-tried.tries, -tried.share, -tried.lead))
    width = max(len(ask.options[tried.index].text) for tried in ranked)
    labels = answers.labels(ask)
    lines = [f"{'':{width + 4}} {'win':>7} {'lead':>7} {'tries':>7}"]
    for tried in ranked[:SHOWN]:
        name = f"{labels[tried.index]:>3} {ask.options[tried.index].text:{width}}"
        lines.append(f"{name} {_numbers(tried)} {tried.tries:>7}")
    if len(ranked) > SHOWN:
        lines.append(f"    and {len(ranked) - SHOWN} more, tried less")
    return lines


def _numbers(tried: Tried) -> str:
    return f"{100 * tried.share:>5.0f} % {tried.lead:>+7.1f}" if tried.tries else f"{'-':>7} {'-':>7}"
