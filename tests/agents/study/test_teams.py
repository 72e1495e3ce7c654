"""Teams: partners win together, wherever winners are reported."""

from __future__ import annotations

from random import Random

import pytest

from edict.agents.spaces.game_encoding import compute_payoffs
from edict.agents.study.bot_games import GameSetup
from edict.agents.study.study_run import Study
from edict.agents.study.summary import summarize_study
from edict.agents.study.totals import compute_margin
from edict.apps.cli.playing.board import ending_lines
from edict.apps.cli.playing.screen import Screen
from edict.apps.web.table_pictures import RenderCache, build_picture
from edict.game.table.game import Game
from edict.game.table.rules import load_rules
from edict.support.processes.distribution import start_inline

NAMES = ["Ann", "Ben", "Cy", "Di"]


def test_margin_ignores_partners(subtests: pytest.Subtests) -> None:
    for scores, winners, margin in (
        ([9, 7, 9, 7], [0, 2], 2),
        ([5, 3], [0], 2),
        ([4, 4], [0], 0),
        ([4, 4], [0, 1], 0),
        ([1], [], 0),
        ([3, 8], [0], 0),
    ):
        with subtests.test(scores=scores, winners=winners):
            assert compute_margin(scores, winners) == margin


def test_study_counts_a_victory_for_both_partners() -> None:
    program = load_rules("four-winds").program
    what = GameSetup(program, ("random",) * 4, (), 3)
    study = Study(what, 30)
    study.run(start_inline, lambda _: None)
    found = summarize_study(what, study.totals, 30)
    wins = [seat["wins"] for seat in found["seats"]]
    assert wins[0] == wins[2] and wins[1] == wins[3]
    assert 30 <= wins[0] + wins[1] < 60  # a draw is won by all
    assert found["shared"] == 30
    assert sum(seat["win_share"]["value"] for seat in found["seats"]) == pytest.approx(1)
    assert found["margin"]["mean"]["value"] > 0


def played() -> Game:
    """A game that two partners have won."""
    rules = load_rules("four-winds")
    for seed in range(9):
        game, luck = rules.new_game(NAMES, seed), Random(seed)
        while not game.over:
            game.answer(luck.randrange(game.count))
        assert game.result is not None
        if len(game.result.winners) == 2:
            return game
    raise AssertionError("every game was a draw")


def test_partners_win_together_in_terminal_browser_and_environments() -> None:
    game = played()
    assert game.result is not None
    one, other = game.result.winners
    seats = [NAMES.index(one), NAMES.index(other)]
    assert seats[1] - seats[0] == 2
    lines = [line.plain for line in ending_lines(Screen(NAMES, simple=True), game, None)]
    assert lines[-1] == f"{one} and {other} win together."
    assert [line.split()[0] for line in lines if line.endswith("wins")] == ["1.", "1."]
    assert "tied" not in "".join(lines)
    assert build_picture(game, None, RenderCache())["winners"] == [one, other]
    got = compute_payoffs("victory", list(game.result.scores.values()), seats)
    assert [seat for seat in range(4) if got[seat] > 0] == seats and sum(got) == pytest.approx(0)
