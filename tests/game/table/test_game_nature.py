"""Traits of a game known without playing it: its sort, and the actions that are possible in it.

Actions have names that mean the same throughout a game; impossible answers are none of them.
"""

from __future__ import annotations

from math import inf
from random import Random

import pytest

from edict.agents.spaces.action_space import NUMBER_STEP, ActionSpace
from edict.agents.spaces.game_encoding import GameTraits, compute_payoffs
from edict.game.table.rules import load_rules
from edict.runtime.machine.encoding import narrow_options
from edict.runtime.program import Program
from edict.runtime.program.opcodes import ASKING, FIRST_OPTION, MOST, OPTIONS, QUESTION, RESULT, SEAT, STATUS
from helpers import compile_program, make_phase

LEAVES = """
kind leaf "leaf/leaves"
  size number from 1 to 5
leaf lime "Lime"
  size 2
leaf fern "Fern"
  size 4
leaf moss "Moss"
  size 1
"""


def action_names(*lines: str) -> list[str]:
    return [*ActionSpace.from_program(compile_program(LEAVES, make_phase(*lines))).names]


@pytest.mark.parametrize(
    ("game", "modules", "count"),
    [
        ("kuhn-poker", (), 4),
        ("pig", (), 2),
        ("causeway", (), 25),
        ("sixty-four", (), 101),
        ("kingsburg", (), 108),
        ("kingsburg", ("governors", "destiny", "alternate-rows"), 278),
    ],
)
def test_games_have_only_actions_that_can_be_answered(game: str, modules: tuple[str, ...], count: int) -> None:
    names = {*ActionSpace.from_program(load_rules(game, modules).program).names}
    assert ActionSpace.from_program(load_rules(game, modules).program).count == len(names) == count
    if game == "kuhn-poker":
        assert names == {"answer: call", "answer: fold", "answer: check", "answer: bet"}
    if game == "kingsburg":
        some = {"decline", "advisor: queen", "use: inn", "pay: own-die 3", "help: a +2 token", "building: inn"}
        assert some < names or modules


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        ("choose a leaf as kept", ["leaf: lime", "leaf: fern", "leaf: moss"]),
        ("choose a leaf as kept where size of it > 1", ["leaf: lime", "leaf: fern"]),
        ("choose a leaf as kept where size of it > 1 and it is not fern\ngain 1 coin", []),
        ('may "Go on?"\n  gain 1 coin', ["decline", "answer: yes"]),
        ("choose a number from 2 to 4 as many", ["number: 2", "number: 3", "number: 4"]),
        (
            "choose a number from 0 to coin of you as many",
            [*(f"number: {i}" for i in range(NUMBER_STEP)), f"number: {NUMBER_STEP} more"],
        ),
        ("roll 2 gem as thrown\nchoose a number from faces of thrown as face", [f"number: {i}" for i in range(1, 7)]),
        (
            "roll 2 gem as thrown\nchoose a die from thrown as one",
            [
                *(f"die: cube {i}" for i in range(1, 7)),
                *(f"die: gem {i}" for i in range(1, 5)),
            ],
        ),
        ("gain 1 stuff", ["resource: stick", "resource: brick"]),
        ("choose a player as whom", ["player: own", "player: seat +1", "player: seat +2", "player: seat +3"]),
        ("draw a leaf from leaves as found", []),
    ],
)
def test_actions_follow_from_the_rules(lines: str, names: list[str]) -> None:
    assert action_names(lines) == names


def make_question_state(of: Program, options: list[int]) -> list[int]:
    """Return a state in which the first seat is asked the first question."""
    state = [*of.initial]
    state[STATUS], state[QUESTION], state[SEAT], state[RESULT] = ASKING, 0, 0, 0
    state[FIRST_OPTION : FIRST_OPTION + len(options)], state[OPTIONS] = options, len(options)
    return state


def test_unbounded_number_is_encoded_in_base_sixteen() -> None:
    """A few action names express any number; the common part of all options is not encoded."""
    of = compile_program(make_phase("choose a number from 0 to coin of you as many"))
    actions, luck = ActionSpace.from_program(of), Random(3)
    for _ in range(40):
        most = luck.choice((20, 60, 3_000))
        options = (
            sorted(luck.sample(range(luck.choice((0, 40, 1_000_000)), 1_003_000), 20))
            if most == 3_000
            else [*range(most)]
        )
        wanted, state, said = luck.choice(options), make_question_state(of, options), list[str]()
        while True:
            offered = actions.list_option_actions(state)
            option = state[FIRST_OPTION:][: state[OPTIONS]].index(wanted)
            said.append(actions.names[offered[option]])
            if not narrow_options(state, option, offered):
                break
        assert state[FIRST_OPTION + option] == wanted and offered.count(offered[option]) == 1
        if most == 20:
            assert said == (
                [f"number: {wanted}"]
                if wanted < NUMBER_STEP
                else [f"number: {NUMBER_STEP} more", f"number: {wanted - NUMBER_STEP}"]
            )


def test_payment_is_encoded_die_by_die() -> None:
    """The lowest die comes first; the common part of all payments is not encoded."""
    of = load_rules("kingsburg").program
    actions = ActionSpace.from_program(of)
    question = next(i for i, one in enumerate(of.questions) if one.domain == "ways")

    def way(*faces: int, help: int = 0) -> int:
        bits = of.dice.width
        return sum(1 << bits * (face - 1) for face in faces) | help << of.dice.bits

    state = make_question_state(of, [way(1, 2, 3), way(1, 5), way(1, 2, 4, help=2), way(1, 1, 4), way(1)])
    state[QUESTION] = question
    first = [actions.names[action] for action in actions.list_option_actions(state)]
    assert first == ["pay: own-die 2", "pay: own-die 5", "pay: own-die 2", "pay: own-die 1", "pay: no more"]
    assert narrow_options(state, 0, actions.list_option_actions(state))
    assert [actions.names[action] for action in actions.list_option_actions(state)] == [
        "pay: own-die 3",
        "pay: own-die 4",
    ]
    state = make_question_state(of, [way(3), way(3, help=1), way(3, help=3)])
    state[QUESTION] = question
    helped = [actions.names[action] for action in actions.list_option_actions(state)]
    assert helped == ["pay: no more", "help: Market +1", "help: a +2 token"]


# --- which sort of game --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "chance", "hidden", "at_once", "draws", "scores", "certain"),
    [
        ("kuhn-poker", True, True, False, 3, (-inf, inf), True),
        ("causeway", False, False, False, 0, (0, 25), False),
        ("pig", True, False, False, 6, (0, inf), True),
        ("harbour-lots", True, True, True, 20, (0, inf), True),
        ("high-water", True, True, False, 4, (0, 12), False),
        ("under-the-cups", True, True, False, 6, (0, 5), False),
    ],
)
def test_game_traits(
    game: str, chance: bool, hidden: bool, at_once: bool, draws: int, scores: tuple[float, float], certain: bool
) -> None:
    of = load_rules(game).program
    nature = GameTraits.from_program(of)
    assert (nature.chance, nature.hidden, nature.simultaneous, nature.max_chance_options) == (
        chance,
        hidden,
        at_once,
        draws,
    )
    assert (nature.score_bounds, of.certain) == (scores, certain)


@pytest.mark.parametrize(
    ("line", "hidden"),
    [
        ("choose a player as whom", False),
        ("choose a player as whom secretly", True),
        ("draw a number from 1 to 3 as lot", False),
        ("draw a number from 1 to 3 as lot secretly", True),
    ],
)
def test_secret_choices_and_draws_make_a_game_hidden(line: str, hidden: bool) -> None:
    assert GameTraits.from_program(compile_program(make_phase(line))).hidden == hidden


def test_payoffs_lie_within_bounds_of_scores() -> None:
    nature, free = (
        GameTraits.from_program(load_rules("causeway").program),
        GameTraits.from_program(load_rules("pig").program),
    )
    assert nature.payoff_bounds("victory", 2) == (-1, 1) and nature.payoff_bounds("victory", 5) == (-0.25, 1)
    assert nature.payoff_bounds("victory", 1) == (0, 1) and nature.payoff_bounds("score", 1) == (0, 25)
    assert nature.payoff_bounds("score", 2) == (-12.5, 12.5) and nature.payoff_bounds("score", 5) == (-20, 20)
    assert free.payoff_bounds("score", 2) == (-MOST / 2, MOST / 2), "no number of the machine is greater"
    assert compute_payoffs("victory", [3, 5, 5, 4], [1, 2]) == pytest.approx([-1 / 3, 1 / 3, 1 / 3, -1 / 3])
    assert compute_payoffs("victory", [3], [0]) == [1] and compute_payoffs("victory", [3], []) == [0]
    assert compute_payoffs("score", [3, 5, 5, 7], [3]) == [-2, 0, 0, 2] and compute_payoffs("score", [3], [0]) == [3]
