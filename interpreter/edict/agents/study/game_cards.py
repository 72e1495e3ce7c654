"""A card for a game: its size and sort in numbers, from its rules and from games that are drawn by lot.

Needs NumPy and llvmlite; import it only where `native.available()`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

from edict.agents.spaces.game_coding import Nature, coding
from edict.game.table.faults import fault_error
from edict.game.table.rules import Rules
from edict.runtime.simulation.random_playouts import play_random_games
from edict.runtime.simulation.state_tree import StateTree, measure_extent
from edict.support.morphology import count_noun, format_range


@dataclass(frozen=True)
class GameCard:
    """players: with which it was measured. actions, observation, bounded: how many actions, numbers that are observed,
    and those of them between bounds. positions: questions of the whole game, where they are few. hidden, chance,
    at_once, scores: see `Nature`. somebody_wins: whatever happens.

    Of `games` drawn by lot: offered, branching, length, draws and shared, see `simulation.drawn_games`.
    """

    name: str
    title: str
    modules: tuple[str, ...]
    version: str
    players: int
    least_players: int
    most_players: int
    actions: int
    observation: int
    bounded: int
    positions: int | None
    hidden: bool
    chance: bool
    at_once: bool
    somebody_wins: bool
    scores: tuple[int | None, int | None]
    games: int
    seed: int
    offered: int
    branching: tuple[float, int]
    length: tuple[float, int]
    draws: float
    shared: float


def card(rules: Rules, players: int, games: int, seed: int, settings: Mapping[str, object] | None = None) -> GameCard:
    """Play so many games by lot and look. Raises `GameError` for players or settings the rules do not have, and
    `RulesError` if a game runs into a fault."""
    coded = coding(rules, (), players, settings, "victory")
    program, nature, actions = coded.program, Nature.of(coded.program), coded.actions
    found = play_random_games(program, players, coded.settings, (actions.coded, actions.count), games, seed)
    if found.fault_state is not None:
        raise fault_error(program, found.fault_state, "in a game that was drawn by lot")
    walked = measure_extent(StateTree(program, players, coded.settings, actions.coded))
    return GameCard(
        name=program.name,
        title=program.title,
        modules=program.modules[1:],
        version=program.version,
        players=players,
        least_players=program.least_players,
        most_players=program.most_players,
        actions=actions.count,
        observation=coded.observer.size,
        bounded=sum(all(map(isfinite, ends)) for ends in coded.observer.ranges),
        positions=walked.questions if walked is not None else None,
        hidden=nature.hidden,
        chance=nature.chance,
        at_once=nature.at_once,
        somebody_wins=program.certain,
        scores=program.scores,
        games=games,
        seed=seed,
        offered=found.distinct_actions,
        branching=found.branching,
        length=found.length,
        draws=found.draws,
        shared=found.shared_wins,
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


def row(one: GameCard) -> tuple[str, ...]:
    """What stands under each of the headings."""
    return (
        " + ".join([one.name, *one.modules]),
        f"{one.players} of {_for(one)}",
        f"{one.actions:,}",
        f"{one.offered:,}",
        f"{one.observation:,}",
        f"{one.bounded:,}",
        f"{one.branching[0]:.1f}",
        f"{one.branching[1]:,}",
        f"{one.length[0]:,.1f}",
        f"{one.length[1]:,}",
        f"{one.draws:,.1f}",
        _yes(one.hidden),
        _yes(one.at_once),
    )


def _for(one: GameCard) -> str:
    return format_range(one.least_players, one.most_players)


def _yes(so: bool) -> str:
    return "yes" if so else "no"


def lines(one: GameCard) -> Iterator[str]:
    """A card of its own, line by line: what it is about, and what there is to say."""
    yield f"{one.title}, {count_noun(one.players, 'player')} (of {_for(one)})"
    walked = "too many to walk through" if one.positions is None else f"{one.positions:,}, all walked through"
    told = {
        "actions": f"{one.actions:,}, of which {one.offered:,} were offered",
        "observation": f"{count_noun(one.observation, 'number')}, {one.bounded:,} of them between bounds",
        "branching": f"{one.branching[0]:.1f} actions at a time, {one.branching[1]:,} at most",
        "length": f"{one.length[0]:,.1f} actions of players, {one.length[1]:,} at most",
        "chance": f"{one.draws:,.1f} draws in a game" if one.chance else "none",
        "information": "some is hidden" if one.hidden else "everybody sees everything",
        "moves": "some at the same time" if one.at_once else "one after the other",
        "victory": _victory(one),
        "score": _scores(one),
        "positions": walked,
        "measured": f"in {count_noun(one.games, 'game')} played at random, seed {one.seed}",
    }
    width = max(map(len, told))
    yield from (f"  {what:{width}}  {said}" for what, said in told.items())


def _victory(one: GameCard) -> str:
    if one.most_players == 1:
        return "alone, won or lost"
    return "somebody always wins" if one.somebody_wins else "possibly nobody wins, or everybody together"


def _scores(one: GameCard) -> str:
    least, greatest = one.scores
    if least is None and greatest is None:
        return "no bounds in the rules"
    if greatest is None:
        return f"{least:,} or more"
    return f"{greatest:,} or less" if least is None else f"{least:,} to {greatest:,}"


def table(cards: Sequence[GameCard]) -> Iterator[str]:
    """All in one table, its columns under each other."""
    rows = [HEADINGS, *map(row, cards)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for cells in rows:
        sized = zip(cells, widths, strict=True)
        padded = [cell.ljust(width) if i < 2 else cell.rjust(width) for i, (cell, width) in enumerate(sized)]
        yield "  ".join(padded).rstrip()


def as_data(one: GameCard) -> dict[str, Any]:
    """A card as plain values."""
    pairs = {"branching": ("mean", "most"), "length": ("mean", "most"), "scores": ("least", "greatest")}
    data = asdict(one)
    return data | {name: dict(zip(keys, data[name], strict=True)) for name, keys in pairs.items()}
