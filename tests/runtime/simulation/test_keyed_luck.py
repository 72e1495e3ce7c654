"""Keyed random numbers, distinct for each purpose, uniform, and stable when something else changes."""

from __future__ import annotations

from collections import Counter

import pytest

from edict.agents.bots.match import Match, create_bot_table
from edict.agents.bots.match_play import iter_answers
from edict.agents.study.bot_games import BotSeats
from edict.compiler.pipeline.compile import compile_rules
from edict.runtime.program import Program
from edict.runtime.program.opcodes import (
    CHANCE,
    EV_ENTER,
    EV_LEAVE,
    EVENT_SIZE,
    FIRST_OPTION,
    OPTIONS,
    QUESTION,
    SEAT,
    YOU,
)
from edict.runtime.simulation.keyed_randomness import (
    LEVELS,
    begin_game,
    build_keys,
    create_tracker,
    draw_option,
    question_key,
    track_events,
)
from helpers import compile_program

RULES = """
keep rolled of player as dice, quiet

phase trial-run
  each number as round from 1 to 3
    play year

phase year
  each player
    play throwing
  play ending

phase throwing
  roll 2 cube into rolled of you

phase ending
  roll 1 gem as shown
  announce shown
"""
MORE = RULES.replace(
    "into rolled of you", "into rolled of you\n  if you = first of everyone\n    roll 1 gem into rolled of you"
)


def record_draws(rules: Program, seed: int, players: int = 3) -> tuple[list[tuple[str, int]], list[int]]:
    """Return the questions of chance in a game with their answers, and the keys of all questions."""
    match, seats = (
        Match(create_bot_table(rules, players), seed),
        BotSeats(rules, ("random",) * players).create_seats(seed),
    )
    found, keys = list[tuple[str, int]](), list[int]()
    for seat, index in iter_answers(match, seats):
        keys.append(match.key)
        if seat == CHANCE:
            found.append((rules.questions[match.cells[QUESTION]].name, match.options[index]))
        match.answer(index)
    return found, keys


def test_keys_of_a_game_are_distinct(subtests: pytest.Subtests) -> None:
    for game in ("kingsburg", "pig", "kuhn-poker", "foxes-at-court"):
        with subtests.test(game=game):
            rules = compile_rules(game).unwrap()
            keys = record_draws(rules, 1, rules.most_players)[1]
            assert len(set(keys)) == len(keys) > 1


def test_additional_draw_changes_no_other_draw() -> None:
    """Give the first player one more die every year; only that die is new."""
    plain, more = compile_program(RULES), compile_program(MORE)
    for seed in range(20):
        before, after = (record_draws(rules, seed)[0] for rules in (plain, more))
        assert len(before) == 21 and len(after) == 24
        for year in range(3):
            had, has = before[7 * year : 7 * year + 7], after[8 * year : 8 * year + 8]
            assert had == has[:2] + has[3:]


def test_draws_differ_by_year_and_player(subtests: pytest.Subtests) -> None:
    rules = compile_program(RULES)
    games = [record_draws(rules, seed)[0] for seed in range(60)]
    for first, second in ((0, 1), (0, 2), (0, 7), (6, 13)):
        with subtests.test(first=first):
            same = sum(game[first][1] == game[second][1] for game in games)
            assert same < 30, "a sixth of dice, a quarter of gems show the same by chance"


def test_titles_do_not_change_draws() -> None:
    plain, called = (
        compile_program(RULES),
        compile_program(RULES, 'call cube "white die/white dice"\ncall throwing "Roll!"\n'),
    )
    assert [record_draws(plain, seed)[0] for seed in range(5)] == [record_draws(called, seed)[0] for seed in range(5)]


def create_state(*values: int) -> list[int]:
    """Return a state in which these values are offered."""
    cells = [0] * FIRST_OPTION + list(values)
    cells[OPTIONS] = len(values)
    return cells


def test_key_depends_on_the_seat_concerned() -> None:
    """It is the asked seat, or for chance the player whose turn it is, if there is one."""
    keys = build_keys(compile_program(RULES), 3)

    def key(seat: int, you: int) -> int:
        cells = create_state(1)
        cells[SEAT], cells[YOU] = seat, you
        return question_key(keys, cells, create_tracker(keys))

    assert key(-1, -1) == key(-1, -7) == key(-1, 3) == key(3, 0) and key(2, 0) == key(-1, 2) == key(2, 1)
    assert len({key(-1, you) for you in range(-1, 3)}) == 4


def test_keys_differ_by_nested_phase_down_to_the_last_level() -> None:
    """Phases nested deeper count as one with the last level; a game may begin within a phase that ends."""
    keys = (2, 1, 1, 11, 12)  # one player and nobody, one question and one phase with their keys

    def key(*events: int) -> int:
        tracker = create_tracker(keys)
        begin_game(tracker)
        log = [EVENT_SIZE * len(events), *(cell for event in events for cell in (event, *[0] * (EVENT_SIZE - 1)))]
        track_events(keys, log, tracker)
        return question_key(keys, create_state(1), tracker)

    nested = [key(*[EV_ENTER] * depth) for depth in range(LEVELS + 2)]
    assert len(set(nested)) == LEVELS and nested[LEVELS - 1] == nested[LEVELS] == nested[LEVELS + 1]
    assert key(EV_LEAVE) == key() and key(EV_LEAVE, EV_ENTER) == key(EV_ENTER)


def test_every_option_is_drawn_equally_often(subtests: pytest.Subtests) -> None:
    """Also if several options have one value, as in a bag, adjacent or not."""
    for values in ((1, 2, 3, 4, 5, 6), (0, 0, 0, 7, 7, 9), (3, 1, 3, 1, 1, 2), (5,)):
        with subtests.test(values=values):
            often = Counter(draw_option(create_state(*values), 11, key) for key in range(3000))
            expected = 3000 / len(values)
            chi = sum((often[index] - expected) ** 2 / expected for index in range(len(values)))
            assert len(often) == len(values) and chi < 25, "with five degrees of freedom, more in one of 7,000"


def test_removed_option_changes_a_draw_only_if_it_was_drawn() -> None:
    cards = tuple(range(20))
    for key in range(300):
        index = draw_option(create_state(*cards), 5, key)
        left = [card for card in cards if card != 7]
        assert index == 7 or left[draw_option(create_state(*left), 5, key)] == index
