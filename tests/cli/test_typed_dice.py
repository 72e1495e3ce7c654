"""Whole games with dice typed from a real table: to the end, and gone on with in the middle and at the end."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

import pytest
from helpers import program, steps

from edict.bots import BOTS
from edict.cli.errors import Leave
from edict.cli.loading import rules_of
from edict.cli.playing.dice import typed_in, waiting
from edict.cli.playing.screen import Screen
from edict.cli.playing.course import Course
from edict.cli.playing.session import Session
from edict.table.game import Game
from edict.table.rules import Rules

LAID = (
    (), ("governors",), ("first-edition",), ("long-winter",), ("destiny",),
    ("governors", "destiny", "advisor-tiles", "alternate-rows", "soldier-tokens", "more-buildings"),
)  # fmt: skip


@cache
def rules(game: str, modules: tuple[str, ...]) -> Rules:
    return rules_of(game, modules)


class Hands(Screen):
    """A screen at which dice are rolled and typed, one or several at a time; after `lines` of them somebody leaves."""

    def __init__(self, seed: int, lines: int) -> None:
        super().__init__((), colour=False, simple=True)
        self.luck, self.lines = Random(seed), lines
        self.game: Game | None = None

    def ask(self, prompt: str) -> str:
        assert self.game is not None and prompt == "dice> "
        if self.lines == 0:
            raise Leave
        self.lines -= 1
        faces = [option.text for option in self.game.ask.options]
        return " ".join(self.luck.choices(faces, k=self.luck.randint(1, waiting(self.game))))


def played_on(game: Game, seed: int, lines: int = -1) -> Game:
    """Bots and typed dice, to the end or until so many lines were typed."""
    screen = Hands(seed, lines)
    screen.game = game
    bots = {seat: BOTS["random"](game.program, seed + seat) for seat in range(len(game.players))}
    try:
        Course(Session(game, screen, bots)).run()
    except Leave:
        assert not game.over
    return game


@pytest.mark.parametrize("modules", LAID, ids=lambda names: "+".join(names) or "base")
def test_a_game_is_played_to_its_end_and_can_be_gone_on_with(tmp_path: Path, modules: tuple[str, ...]) -> None:
    laid = rules("kingsburg", modules)
    for seed in range(2):
        file = tmp_path / f"{seed}.jsonl"
        game = laid.new_game(["Ann", "Ben", "Cy"][: 2 + seed % 2], seed, dice="typed", journal=file)
        played_on(game, seed, lines=20)
        ended = played_on(laid.resume(file), seed)
        assert ended.over and ended.result is not None
        again = played_on(laid.resume(file), seed)
        assert again.over and again.result == ended.result


THROWS = """
keep seen as number from 0 to 6
""" + steps("repeat until seen = 3", "  roll 1 cube as thrown", "  set seen to total of thrown")


def test_what_is_not_rolled_any_more_is_not_taken_in(capsys: pytest.CaptureFixture[str]) -> None:
    game = Rules(program(THROWS), "trial").new_game(["Ann", "Ben"], 1, dice="typed")
    session = Session(game, Hands(1, -1), {0: BOTS["random"](game.program, 0), 1: BOTS["random"](game.program, 1)})
    assert not typed_in(session, ["1", "3", "5"], 3) and game.answers == []
    assert "After 1 3 no more of these dice are rolled" in capsys.readouterr().out
    assert typed_in(session, ["1", "3"], 3) and game.over
