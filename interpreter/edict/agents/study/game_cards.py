"""Cards of games: their size and traits in numbers, from the rules and from random games.

Needs NumPy and llvmlite; import it only where `native.is_available()`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from math import isfinite
from typing import Any

import numpy as np

from edict.agents.spaces.game_encoding import GameTraits, encode_game
from edict.game.table.faults import fault_error
from edict.game.table.rules import Rules
from edict.runtime.program import Program
from edict.runtime.program.opcodes import ASKING, CHANCE, STATUS
from edict.runtime.simulation.game_batch import BatchSettings, GameBatch
from edict.runtime.simulation.state_tree import StateTree, measure_extent
from edict.runtime.simulation.stepping import DISABLED
from edict.support.morphology import count_noun, format_range
from edict.support.records import dataclass


@dataclass(frozen=True)
class PlayoutStats:
    """Statistics of random games."""

    distinct_actions: int  # different actions that were offered
    branching: tuple[float, int]  # actions offered at a time: mean, maximum
    length: tuple[float, int]  # actions of players in a game: mean, maximum
    draws: float  # mean answers of chance in a game
    shared_wins: float  # share of games with several winners
    fault_state: list[int] | None  # state of a game that ran into a fault, if one did


def play_random_games(
    program: Program,
    players: int,
    settings: Mapping[str, int],
    actions: tuple[Sequence[int], int],
    games: int,
    seed: int,
) -> PlayoutStats:
    """Play random games and summarize them; game number i has the seed `seed` + i.

    Args:
        program: The program.
        players: The number of players.
        settings: Checked values of settings.
        actions: The action table and the number of actions, as `GameBatch` takes them.
        games: The number of games.
        seed: The first seed.
    """
    batch_settings = BatchSettings([None] * players, settings, chance=True, autoreset=DISABLED)
    batch = GameBatch(program, batch_settings, games, actions, ((), 0, np.int8))
    batch.begin([seed + number for number in range(games)])
    seen_actions, lengths, draws = (
        np.zeros(actions[1], dtype=bool),
        np.zeros(games, np.int64),
        np.zeros(games, np.int64),
    )
    offered, asked, max_branching, turn = 0, 0, 0, 0
    while (waiting := batch.states[:, STATUS] == ASKING).any():
        batch.look()
        by_players = waiting & (batch.seats != CHANCE)
        masks = batch.masks[by_players]
        counts = masks.sum(axis=1, dtype=np.int64)
        seen_actions |= masks.any(axis=0)
        offered += int(counts.sum())
        asked += len(counts)
        max_branching = max(max_branching, int(counts.max(initial=0)))
        lengths += by_players
        draws += waiting & ~by_players
        turn += 1
        batch.actions[:] = batch.draw_actions((seed + turn) * games)
        batch.step()
    stopped = np.flatnonzero(batch.states[:, STATUS] < 0)
    return PlayoutStats(
        int(seen_actions.sum()),
        (offered / max(1, asked), max_branching),
        (float(lengths.mean()), int(lengths.max())),
        float(draws.mean()),
        sum(int(winners).bit_count() > 1 for winners in batch.winners) / games,
        batch.states[stopped[0]].tolist() if len(stopped) else None,
    )


@dataclass(frozen=True)
class GameCard:
    """The numbers of a game.

    See `PlayoutStats` for the measures of random games, and `GameTraits` for the traits.
    """

    name: str
    title: str
    modules: tuple[str, ...]
    version: str
    players: int  # in the measured games
    least_players: int
    most_players: int
    actions: int  # size of the action space
    observation: int  # numbers in an observation
    bounded: int  # those of them that have bounds
    positions: int | None  # questions of the whole game, None if there are too many
    hidden: bool
    chance: bool
    at_once: bool
    somebody_wins: bool  # in every game
    scores: tuple[int | None, int | None]
    games: int  # random games that were measured
    seed: int
    offered: int  # different actions that were offered
    branching: tuple[float, int]  # actions at a time, mean and most
    length: tuple[float, int]  # actions of players, mean and most
    draws: float
    shared: float


def measure_game(
    rules: Rules, players: int, games: int, seed: int, settings: Mapping[str, object] | None = None
) -> GameCard:
    """Play random games and measure them.

    Raises:
        GameError: If the rules do not allow these players or settings.
        RulesError: If a game runs into a fault.
    """
    encoding = encode_game(rules, (), players, settings, "victory")
    program, traits, actions = encoding.program, GameTraits.from_program(encoding.program), encoding.actions
    stats = play_random_games(program, players, encoding.settings, (actions.table, actions.count), games, seed)
    if stats.fault_state is not None:
        raise fault_error(program, stats.fault_state, "in a game that was drawn by lot")
    tree = measure_extent(StateTree(program, players, encoding.settings, actions.table))
    return GameCard(
        name=program.name,
        title=program.title,
        modules=program.modules[1:],
        version=program.version,
        players=players,
        least_players=program.least_players,
        most_players=program.most_players,
        actions=actions.count,
        observation=encoding.observer.size,
        bounded=sum(all(map(isfinite, ends)) for ends in encoding.observer.ranges),
        positions=tree.questions if tree is not None else None,
        hidden=traits.hidden,
        chance=traits.chance,
        at_once=traits.simultaneous,
        somebody_wins=program.certain,
        scores=program.scores,
        games=games,
        seed=seed,
        offered=stats.distinct_actions,
        branching=stats.branching,
        length=stats.length,
        draws=stats.draws,
        shared=stats.shared_wins,
    )


# --- as a table -----------------------------------------------------------------------------------------

HEADINGS = (
    "game",
    "players",
    "actions",
    "met",
    "observed",
    "bounded",
    "branching",
    "most",
    "length",
    "longest",
    "draws",
    "hidden",
    "at once",
)


def format_row(card: GameCard) -> tuple[str, ...]:
    """Return the cells of a card under each of the headings."""
    return (
        " + ".join([card.name, *card.modules]),
        f"{card.players} of {_format_player_range(card)}",
        f"{card.actions:,}",
        f"{card.offered:,}",
        f"{card.observation:,}",
        f"{card.bounded:,}",
        f"{card.branching[0]:.1f}",
        f"{card.branching[1]:,}",
        f"{card.length[0]:,.1f}",
        f"{card.length[1]:,}",
        f"{card.draws:,.1f}",
        _format_bool(card.hidden),
        _format_bool(card.at_once),
    )


def _format_player_range(card: GameCard) -> str:
    return format_range(card.least_players, card.most_players)


def _format_bool(value: bool) -> str:
    return "yes" if value else "no"


def iter_card_lines(card: GameCard) -> Iterator[str]:
    """Yield the lines of a card as text."""
    yield f"{card.title}, {count_noun(card.players, 'player')} (of {_format_player_range(card)})"
    if card.positions is None:
        positions = "too many to walk through"
    else:
        positions = f"{card.positions:,}, all walked through"
    entries = {
        "actions": f"{card.actions:,}, of which {card.offered:,} were offered",
        "observation": f"{count_noun(card.observation, 'number')}, {card.bounded:,} of them between bounds",
        "branching": f"{card.branching[0]:.1f} actions at a time, {card.branching[1]:,} at most",
        "length": f"{card.length[0]:,.1f} actions of players, {card.length[1]:,} at most",
        "chance": f"{card.draws:,.1f} draws in a game" if card.chance else "none",
        "information": "some is hidden" if card.hidden else "everybody sees everything",
        "moves": "some at the same time" if card.at_once else "one after the other",
        "victory": _describe_victory(card),
        "score": _describe_scores(card),
        "positions": positions,
        "measured": f"in {count_noun(card.games, 'game')} played at random, seed {card.seed}",
    }
    width = max(map(len, entries))
    yield from (f"  {label:{width}}  {text}" for label, text in entries.items())


def _describe_victory(card: GameCard) -> str:
    if card.most_players == 1:
        return "alone, won or lost"
    if card.somebody_wins:
        return "somebody always wins"
    return "possibly nobody wins, or everybody together"


def _describe_scores(card: GameCard) -> str:
    """Return the range of possible scores as `0 to 100`, `0 or more`, `100 or less` or `no bounds in the rules`."""
    least, greatest = card.scores
    if least is None and greatest is None:
        return "no bounds in the rules"
    if greatest is None:
        return f"{least:,} or more"
    return f"{greatest:,} or less" if least is None else f"{least:,} to {greatest:,}"


def iter_table_lines(cards: Sequence[GameCard]) -> Iterator[str]:
    """Yield the lines of a table of cards with aligned columns."""
    rows = [HEADINGS, *map(format_row, cards)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for cells in rows:
        sized = zip(cells, widths, strict=True)
        padded = [cell.ljust(width) if i < 2 else cell.rjust(width) for i, (cell, width) in enumerate(sized)]
        yield "  ".join(padded).rstrip()


def as_data(card: GameCard) -> dict[str, Any]:
    """Return a card as plain values."""
    pairs = {"branching": ("mean", "most"), "length": ("mean", "most"), "scores": ("least", "greatest")}
    data = asdict(card)
    return data | {name: dict(zip(keys, data[name], strict=True)) for name, keys in pairs.items()}
