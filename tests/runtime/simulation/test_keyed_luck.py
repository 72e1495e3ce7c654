"""Luck goes by what it is for: never twice the same, evenly spread, and the same again after something else differs."""

from __future__ import annotations

from collections import Counter

from edict.agents.bots.match import Match, laid
from edict.agents.bots.matches import course
from edict.agents.study.bot_games import Players
from edict.compiler.pipeline.compile import compile_rules
from edict.runtime.program import Program
from edict.runtime.program.opcodes import CHANCE, FIRST_OPTION, OPTIONS, QUESTION, SEAT, YOU
from edict.runtime.simulation.keyed_luck import key_of, keys_of, lot, room_for
from helpers import program

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


def drawn(rules: Program, seed: int, players: int = 3) -> tuple[list[tuple[str, int]], list[int]]:
    """What chance was asked in a game, with its answers; and the keys of all questions."""
    match, seats = Match(laid(rules, players), seed), Players(rules, ("random",) * players).seats(seed)
    found, keys = list[tuple[str, int]](), list[int]()
    for seat, index in course(match, seats):
        keys.append(match.key)
        if seat == CHANCE:
            found.append((rules.questions[match.cells[QUESTION]].name, match.options[index]))
        match.answer(index)
    return found, keys


def test_no_two_questions_of_a_game_have_the_same_key() -> None:
    for game in ("kingsburg", "pig", "kuhn-poker", "foxes-at-court"):
        rules = compile_rules(game).unwrap()
        keys = drawn(rules, 1, rules.most_players)[1]
        assert len(set(keys)) == len(keys) > 1, game


def test_what_is_rolled_besides_changes_nothing_that_is_rolled_for_another_or_later() -> None:
    """One more die for the first player every year: only that is new."""
    plain, more = program(RULES), program(MORE)
    for seed in range(20):
        before, after = (drawn(rules, seed)[0] for rules in (plain, more))
        assert len(before) == 21 and len(after) == 24
        for year in range(3):
            had, has = before[7 * year : 7 * year + 7], after[8 * year : 8 * year + 8]
            assert had == has[:2] + has[3:]


def test_years_and_players_have_luck_of_their_own() -> None:
    rules = program(RULES)
    games = [drawn(rules, seed)[0] for seed in range(60)]
    for first, second in ((0, 1), (0, 2), (0, 7), (6, 13)):
        same = sum(game[first][1] == game[second][1] for game in games)
        assert same < 30, "a sixth of dice, a quarter of gems show the same by chance"


def test_what_things_are_called_changes_no_luck() -> None:
    plain, called = program(RULES), program(RULES, 'call cube "white die/white dice"\ncall throwing "Roll!"\n')
    assert [drawn(plain, seed)[0] for seed in range(5)] == [drawn(called, seed)[0] for seed in range(5)]


def state(*values: int) -> list[int]:
    """One in which these values are offered."""
    cells = [0] * FIRST_OPTION + list(values)
    cells[OPTIONS] = len(values)
    return cells


def test_luck_is_of_whom_it_concerns_be_it_nobody_or_no_seat_of_the_game() -> None:
    """Whoever is asked; of chance, the player whose turn it is, if there is one."""
    keys = keys_of(program(RULES), 3)

    def key(seat: int, you: int) -> int:
        cells = state(1)
        cells[SEAT], cells[YOU] = seat, you
        return key_of(keys, cells, room_for(keys))

    assert key(-1, -1) == key(-1, -7) == key(-1, 3) == key(3, 0) and key(2, 0) == key(-1, 2) == key(2, 1)
    assert len({key(-1, you) for you in range(-1, 3)}) == 4


def test_every_option_is_drawn_equally_often() -> None:
    """Also where several have one value, as in a bag, together or not."""
    for values in ((1, 2, 3, 4, 5, 6), (0, 0, 0, 7, 7, 9), (3, 1, 3, 1, 1, 2), (5,)):
        often = Counter(lot(state(*values), 11, key) for key in range(3000))
        expected = 3000 / len(values)
        chi = sum((often[index] - expected) ** 2 / expected for index in range(len(values)))
        assert len(often) == len(values) and chi < 25, "with five degrees of freedom, more in one of 7,000"


def test_an_option_less_changes_a_draw_only_if_it_had_been_drawn() -> None:
    cards = tuple(range(20))
    for key in range(300):
        index = lot(state(*cards), 5, key)
        left = [card for card in cards if card != 7]
        assert index == 7 or left[lot(state(*left), 5, key)] == index
