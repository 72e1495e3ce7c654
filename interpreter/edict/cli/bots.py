"""The bots one can play against. For now only one that answers at random; the room `bots` brings the others."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Protocol

from edict.table.options import Ask, Option
from edict.table.view import View


class Bot(Protocol):
    """Answers for a seat, knowing what the seat may know."""

    def choose(self, view: View, ask: Ask) -> Option: ...


class RandomBot:
    """Any option, each as likely as the others."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def choose(self, view: View, ask: Ask) -> Option:
        return self.random.choice(ask.options)


KINDS: dict[str, Callable[[int], Bot]] = {"random": RandomBot}


def make(kind: str, seed: int, seat: int) -> Bot:
    """A bot for a seat; the same seed gives the same bot."""
    return KINDS[kind](seed * 31 + seat)
