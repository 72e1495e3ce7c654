"""What can be played at a new table, and what somebody has chosen of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from edict.bots import BOTS
from edict.front.finding import catalogue
from edict.front.folders import Manifest
from edict.report import RulesError
from edict.table.rules import Rules, load_rules

MOST_NAME = 40


class WrongSetup(Exception):
    """What was chosen cannot be played; the text says why."""


@lru_cache(maxsize=64)
def rules_named(game: str, modules: tuple[str, ...]) -> Rules:
    try:
        return load_rules(game, modules)
    except RulesError as problem:
        raise WrongSetup(str(problem.first)) from None


@dataclass(frozen=True)
class Setup:
    """A table to be opened."""

    rules: Rules
    players: tuple[str, ...]
    bots: tuple[str, ...]
    settings: Mapping[str, object]


@dataclass(frozen=True)
class Choices:
    """What is chosen so far: names of a game, its modules, a scenario."""

    game: str
    modules: tuple[str, ...]
    problem: str = ""
    rules: Rules | None = None

    @staticmethod
    def read(form: Any, offer: Offer) -> Choices:
        game = str(form.get("game", "")) or next(iter(offer.games))
        picked = [str(name) for name in form.getlist("with") if name]
        known = [name for name in picked if name in offer.modules_for(game)]
        if game not in offer.games:
            return Choices(next(iter(offer.games)), ())
        try:
            return Choices(game, tuple(known), "", rules_named(game, tuple(known)))
        except WrongSetup as problem:
            return Choices(game, tuple(known), str(problem))


class Offer:
    """Games and modules that ship, and the bots."""

    bots = ("greedy", "search", "random")

    @cached_property
    def manifests(self) -> dict[str, Manifest]:
        return {name: manifest for name, (_, manifest) in catalogue().items()}

    @cached_property
    def games(self) -> dict[str, Manifest]:
        games = {name: one for name, one in self.manifests.items() if one.kind == "game"}
        return dict(sorted(games.items(), key=lambda item: -len(self.modules_for(item[0]))))  # those with most to choose from

    def modules_for(self, game: str) -> dict[str, Manifest]:
        """What can be laid over a game."""
        return {name: one for name, one in self.manifests.items() if one.kind != "game" and game in one.requires}

    def setup(self, form: Any) -> Setup:
        """What a form says. Raises `WrongSetup`."""
        choices = Choices.read(form, self)
        if choices.rules is None:
            raise WrongSetup(choices.problem)
        seats = [self._seat(form, seat) for seat in range(choices.rules.program.most_players)]
        taken = [seat for seat in seats if seat is not None]
        settings = {one.name: self._setting(form, one) for one in choices.rules.program.settings}
        names = tuple(name for name, _ in taken)
        given = {name: value for name, value in settings.items() if value is not None}
        return Setup(choices.rules, names, tuple(bot for _, bot in taken), given)

    def _seat(self, form: Any, seat: int) -> tuple[str, str] | None:
        """The name and the bot (none: a person) of a seat that is taken."""
        kind = str(form.get(f"seat-{seat}", ""))
        name = str(form.get(f"name-{seat}", "")).strip()[:MOST_NAME]
        if kind == "person":
            return name or f"Player {seat + 1}", ""
        if kind in self.bots and not BOTS.problem(kind):
            return name or f"{kind.capitalize()} {seat + 1}", kind
        return None

    def _setting(self, form: Any, setting: Any) -> object:
        text = str(form.get(f"set-{setting.name}", ""))
        if setting.truth:
            return bool(text) if f"has-{setting.name}" in form else None
        return int(text) if text.lstrip("-").isdigit() else None
