"""A league: every kind of bot against every other, at mixed tables, each in every seat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from random import Random

from edict.bots import BOTS, play_match
from edict.program import Program
from edict.study.rating import Meeting


def tables(kinds: Sequence[str], players: int, games: int, seed: int) -> Iterator[tuple[str, ...]]:
    """Who sits where in each game. Every group of kinds as large as the table comes equally often, in every order.

    Where there are fewer kinds than seats, the seats left are filled with any of them, by lot.
    """
    size = min(players, len(kinds))
    groups, orders = list(combinations(kinds, size)), list(permutations(range(size)))
    luck = Random(seed)
    luck.shuffle(orders)
    for number in range(games):
        group = groups[number % len(groups)]
        seated = [group[i] for i in orders[number // len(groups) % len(orders)]]
        while len(seated) < players:
            seated.insert(luck.randrange(len(seated) + 1), luck.choice(group))
        yield tuple(seated)


def play(program: Program, kinds: Sequence[str], seed: int) -> Meeting:
    """One game. Raises `RulesError` for a fault in the rules."""
    bots = [BOTS[kind](program, seed * len(kinds) + seat) for seat, kind in enumerate(kinds)]
    played = play_match(program, bots, Random(seed))
    part = 1 / max(1, len(played.winners))
    shares = tuple(part if seat in played.winners else 0.0 for seat in range(len(kinds)))
    return Meeting(tuple(kinds), shares, played.scores)
