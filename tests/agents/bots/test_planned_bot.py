"""Bots that follow plans at tables: what they answer, and what is saved, taken back, replayed and resumed."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

import edict
from edict.agents.bots.bot_registry import BOTS
from edict.agents.bots.match import Bot
from edict.agents.bots.planned_bot import PlannedBot, create_table_bot
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.plan_options import read_table_plans
from edict.game.table.game import Game
from edict.game.table.journal import parse_journal
from edict.game.table.rules import load_bundled_rules
from edict.support.report import RulesError
from edict.support.request_errors import RequestError

HOLD_AT_TEN = 'prefer "Hold" when turn-points >= 10; prefer "Roll"'
NAMES = ("Ann", "Ben")


def start_pig(plans: tuple[str, ...], seed: int = 3) -> Game:
    """Start Pig with these plans in the header."""
    return edict.load("pig").new_game(NAMES, seed=seed, bots=("random", "random"), plans=plans)


def seat_bots(game: Game, kind: str = "random") -> dict[int, Bot]:
    """Return the bot of each seat."""
    return {seat: create_table_bot(game.table, seat, kind, seat) for seat in range(len(game.players))}


def play_on(game: Game, bots: dict[int, Bot], answers: int = 10**6) -> None:
    """Play with bots to the end, or for so many answers."""
    for _ in range(answers):
        if game.over:
            return
        game.answer(bots[game.seat].choose(game.view(game.seat), game.ask))


def find_held_points(game: Game, seat: int) -> list[int]:
    """Return the points at which a seat held in a game of Pig, and the greatest at which it rolled."""
    replayed, held, rolled = edict.load("pig").new_game(NAMES, seed=game.table.seed), list[int](), 0
    for index in game.answers:
        points = int(replayed.view(0).value("turn-points") or 0)
        if replayed.seat == seat and replayed.ask.options[index].text == "Hold":
            held.append(points)
        elif replayed.seat == seat:
            rolled = max(rolled, points)
        replayed.answer(index)
    return [*held, rolled]


def test_planned_bot_answers_by_its_plan_and_others_do_not() -> None:
    game = start_pig((HOLD_AT_TEN, ""))
    bots = seat_bots(game)
    play_on(game, bots)
    *held, rolled = find_held_points(game, 0)
    assert held and min(held) >= 10 > rolled
    assert isinstance(bots[0], PlannedBot) and not isinstance(bots[1], PlannedBot)
    *_, free = find_held_points(game, 1)
    assert free >= 10


def test_game_with_a_plan_is_replayed_by_the_rules_alone() -> None:
    game = start_pig((HOLD_AT_TEN, ""))
    play_on(game, seat_bots(game))
    journal = parse_journal(game.journal.to_bytes())
    assert journal.header.plans == (HOLD_AT_TEN, "")
    assert journal.header.rules == edict.load("pig").program.rules_hash
    for rules in (edict.load("pig"), load_bundled_rules(journal)):
        again = rules.replay(journal)
        assert again.state == game.state and [e.text for e in again.log] == [e.text for e in game.log]
    plain = replace(journal, header=replace(journal.header, plans=()))
    assert edict.load("pig").replay(plain).state == game.state


def test_header_names_no_plans_where_nobody_has_one() -> None:
    assert b"plans" not in start_pig(()).journal.to_bytes()
    assert b"plans" not in start_pig(("", "")).journal.to_bytes()


def test_planned_bot_follows_answers_that_were_taken_back() -> None:
    game = start_pig((HOLD_AT_TEN, HOLD_AT_TEN))
    bots = seat_bots(game, "greedy")
    play_on(game, bots, 30)
    before = game.answers
    for steps in (1, 7):
        game.back_by(steps)
        play_on(game, bots, steps)
        assert game.answers == before
    game.back_by(12)
    while game.seat != 0:
        game.back_by(1)
    other = next(o for o in game.ask.options if o.index != before[len(game.answers)])
    game.answer(other)  # another way than the bots went
    play_on(game, bots)
    assert game.over and edict.load("pig").replay(game.journal).state == game.state


def test_resumed_game_continues_with_the_plan(tmp_path: Path) -> None:
    rules = edict.load("pig")
    file = tmp_path / "saved.journal"
    whole = start_pig((HOLD_AT_TEN, ""))
    play_on(whole, seat_bots(whole))
    game = rules.new_game(NAMES, seed=3, bots=("random",) * 2, plans=(HOLD_AT_TEN, ""), journal=file)
    for index in whole.answers[:8]:
        game.answer(index)
    game.close()
    resumed = rules.resume(file)
    play_on(resumed, seat_bots(resumed))
    resumed.close()
    *held, rolled = find_held_points(resumed, 0)
    assert held and min(held) >= 10 > rolled


@pytest.mark.parametrize("kind", ["search@8", "judge", "learned"])
def test_bots_of_every_kind_follow_a_plan_at_a_table(kind: str) -> None:
    game = edict.load("kuhn-poker").new_game(NAMES, seed=1, bots=(kind,) * 2, plans=('never "Bet"; never "Call"', ""))
    bots = seat_bots(game, kind)
    while not game.over:
        index = bots[game.seat].choose(game.view(game.seat), game.ask)
        if game.seat == 0 and len(game.ask.options) > 1:
            assert game.ask.options[index].text not in ("Bet", "Call")
        game.answer(index)


def test_plan_is_followed_in_a_game_that_begins_with_settings_and_modules() -> None:
    rules = edict.load("kingsburg", ["more-buildings"])
    game = rules.new_game(
        NAMES, seed=5, settings={"years": 1}, bots=("greedy",) * 2, plans=("prefer wood", "never inn")
    )
    bots = seat_bots(game, "greedy")
    play_on(game, bots, 60)
    assert all(isinstance(bot, PlannedBot) for bot in bots.values())
    assert all(earlier is not later for earlier, later in pairwise(bots.values()))


def test_plan_that_the_rules_do_not_know_is_refused() -> None:
    with pytest.raises(RulesError):
        create_table_bot(start_pig(("first nowhere", "")).table, 0, "random", 0)
    with pytest.raises(RequestError):
        create_table_bot(start_pig(('prefer "Hould"', "")).table, 0, "random", 0)
    with pytest.raises(RequestError, match="does not contain its rules"):
        create_table_bot(replace(start_pig((HOLD_AT_TEN, "")).table, bundle=""), 0, "random", 0)


def test_plan_option_names_a_seat_by_its_player(subtests: pytest.Subtests) -> None:
    rules, names, bots = edict.load("pig"), ("Me", "Ann", "Ben Ox"), ("", "greedy", "random")
    for typed, plans in (
        (['prefer "Roll"'], ("", 'prefer "Roll"', "")),  # the first bot
        (['ann=prefer "Roll"'], ("", 'prefer "Roll"', "")),
        (['Ben Ox=prefer "Roll"', '2=prefer "Hold"'], ("", 'prefer "Hold"', 'prefer "Roll"')),
        (['random=prefer "Roll"'], ("", "", 'prefer "Roll"')),
        ([], ()),
    ):
        with subtests.test(typed=typed):
            assert read_table_plans(rules, typed, names, bots) == plans
    for typed, problem in (
        (['Me=prefer "Roll"'], "Me is not a bot, so no plan can be followed there"),
        (['Anna=prefer "Roll"'], "there is no seat `Anna`"),
        (['Ann=prefer "Roll"', '2=prefer "Hold"'], "two plans for one seat"),
        (["perfer x"], "the plan perfer x cannot be read: No such file or directory"),
    ):
        with subtests.test(typed=typed), pytest.raises(UsageError) as error:
            read_table_plans(rules, typed, names, bots)
        assert error.value.reason == problem


def test_bot_without_a_plan_is_the_plain_bot() -> None:
    game = start_pig(("", HOLD_AT_TEN))
    assert type(create_table_bot(game.table, 0, "greedy", 0)) is type(BOTS["greedy"](game.program, 0))
