"""Verdicts of studies and comparisons: the sentences for clear effects, for none, and for too few games."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from edict.agents.study.bot_games import GameRange, GameSetup, play_range
from edict.agents.study.comparison import (
    CHOICES,
    LENGTH,
    LESS,
    MORE,
    OFTEN,
    OPEN,
    RARE,
    SAME,
    SCORE_PER_PLAYER,
    SCORES,
    WINNING_SCORE,
    WINS,
    ComparedQuestion,
    Comparison,
    ComparisonQuestion,
)
from edict.agents.study.comparison_summary import comparison_data
from edict.agents.study.option_groups import label_announcement
from edict.agents.study.reports import describe_ties, is_telling, render_comparison, render_study, untaken_rows
from edict.agents.study.summary import summarize_study
from edict.agents.study.totals import sum_games
from edict.agents.study.verdict import ComparedGames, describe_comparison, describe_study
from edict.apps.cli.commands.study import print_study
from edict.compiler.pipeline.compile import compile_rules
from edict.compiler.pipeline.pipeline import build_program
from edict.compiler.sources.file_schemas import load_schema
from edict.support.processes.distribution import start_inline
from edict.support.translations import use_language
from examples import choose_examples
from helpers import make_module
from planted import PLANTED

# --- a comparison


def answer(name: str, value: float, margin: float, verdict: str, needed: int = 0, **about: Any) -> ComparedQuestion:
    """Return an answer; what its question is about follows from its name."""
    kind = {WINNING_SCORE: SCORES, SCORE_PER_PLAYER: SCORES, CHOICES: LENGTH}.get(name, WINS)
    question = ComparisonQuestion(kind, name, 0, 1.0, main=True, **about)
    return ComparedQuestion(question, 10, 10 + value, value, value - margin, value + margin, 0.01, verdict, needed)


GAMES = ComparedGames(1200, "The Bakery", "VP")
SAME_WINS = [answer("first", 0.002, 0.006, SAME, place=1), answer("second", -0.002, 0.006, SAME, place=2)]


def test_clear_effect_is_stated_with_what_does_not_change() -> None:
    winning, score = answer(WINNING_SCORE, 2.5, 0.5, MORE), answer(SCORE_PER_PLAYER, 2.0, 0.4, MORE)
    detail = ComparisonQuestion(OFTEN, "inn", 0, 1.0)
    details = [ComparedQuestion(detail, 1, 2, 1, 0.5, 1.5, 0.01, verdict) for verdict in (MORE, RARE)]
    assert describe_comparison([winning, score, answer(CHOICES, 0, 0.6, SAME), *SAME_WINS, *details], GAMES) == [
        "With “The Bakery”, scores are 2 VP higher (±0.4).",
        "It does not change the length of games (at most ±0.6 choices) or who wins (at most ±0.8 percentage points).",
    ]


def test_several_effects_are_joined_and_the_largest_of_wins_is_named(subtests: pytest.Subtests) -> None:
    score, length = answer(WINNING_SCORE, -1.25, 0.5, LESS), answer(CHOICES, 3, 1, MORE)
    unclear = answer(SCORE_PER_PLAYER, 0.1, 0.4, OPEN, 4321)
    first, last = answer("first", -0.03, 0.02, LESS, place=1), answer("last", 0.04, 0.02, MORE, place=4)
    assert describe_comparison([score, unclear, length, first, last], GAMES) == [
        "With “The Bakery”, winning scores are 1.2 VP lower (±0.5), games are 3 choices longer (±1) and place 4 in the "
        "turn order wins 4 percentage points more often (±2).",
        "No difference was found in the mean score (at most ±0.5 VP); 1,200 pairs of games are too few to tell "
        "(about 4,400 would do).",
    ]
    for bot, said in (("judge", "judge wins"), ("", "somebody wins")):
        with subtests.test(bot=bot):
            verdict = describe_comparison([answer("wins", -0.04, 0.02, LESS, bot=bot)], GAMES)
            assert verdict == [f"With “The Bakery”, {said} 4 percentage points less often (±2)."]


def test_no_effect_is_claimed_only_within_what_does_not_matter() -> None:
    scores = [answer(name, 0.0, 0.1, SAME) for name in (WINNING_SCORE, SCORE_PER_PLAYER)]
    assert describe_comparison([*scores, *SAME_WINS], GAMES) == [
        "“The Bakery” does not change scores (at most ±0.1 VP) or who wins (at most ±0.8 percentage points)."
    ]


def test_too_few_games_are_said_to_be_too_few() -> None:
    unclear = [answer(SCORE_PER_PLAYER, 0.5, 1.5, OPEN, 900), answer("first", 0.02, 0.08, OPEN, 12_345, place=1)]
    few = ComparedGames(40, "goal: 60")
    assert describe_comparison(unclear, few) == [
        "With “goal: 60”, no difference was found in scores (at most ±2 points) or who wins (at most ±10 percentage "
        "points); 40 pairs of games are too few to tell (about 13,000 would do)."
    ]
    assert describe_comparison(unclear[:0], few) == ["No pair of games was completed, so nothing can be said."]
    unknown = answer(SCORE_PER_PLAYER, 0.5, 1.5, OPEN)
    assert describe_comparison([unknown], few)[0].endswith("40 pairs of games are too few to tell.")


def test_verdict_of_a_real_comparison_heads_its_page() -> None:
    program = compile_rules("pig").unwrap()
    setups = [GameSetup(program, ("random",) * 2, (("goal", goal),), 1) for goal in (100, 60)]
    comparison = Comparison(setups[0], setups[1], 200)
    comparison.run(start_inline, lambda done: None)
    data = comparison_data(comparison, ("base", "goal=60"), "Points to win: 60")
    assert data["said"][0].startswith("With “Points to win: 60”, scores are ")
    assert " points lower (±" in data["said"][0] and " choices shorter (±" in data["said"][0]
    page = render_comparison(data)
    assert " ".join(data["said"]) in page and page.count(data["said"][0]) == 1


# --- a study


def study(games: int, bots: tuple[str, ...] = ("random",) * 2, name: str = "pig") -> dict[str, Any]:
    setup = GameSetup(compile_rules(name).unwrap(), bots, (), 1)
    return summarize_study(setup, sum_games(setup, play_range(setup, GameRange(0, games))), games)


@pytest.fixture(scope="module")
def pig() -> dict[str, Any]:
    return study(3000)


def test_clear_advantage_of_going_first_is_stated(pig: dict[str, Any]) -> None:
    """It is a known truth about Pig."""
    verdict = describe_study(pig)
    assert len(verdict) == 1, "Pig has no options to tell apart"
    assert "; going first helps: the first player wins 5" in verdict[0]
    assert verdict[0].endswith("where 50 % would be even.")
    turned = {**pig, "places": pig["places"][::-1], "seats": pig["seats"][::-1]}
    assert "; going first hurts: the first player wins 4" in describe_study(turned)[0]


def test_missing_effect_of_the_turn_order_is_bounded_by_the_number_of_games(pig: dict[str, Any]) -> None:
    even = [{"value": 0.5, "low": 0.4, "high": 0.6}] * 2
    few, many = ({**pig, "places": even, "games": games} for games in (100, 1_000_000))
    assert describe_study(few)[0].endswith(
        "no effect of the turn order was found, but 100 games are too few to rule out one of 10.9 percentage points "
        "(about 12,000 would show one of 1)."
    )
    assert describe_study(many)[0].endswith("the turn order does not matter (at most ±0.11 percentage points).")


def test_different_bots_are_not_mistaken_for_seats() -> None:
    verdict = describe_study(study(200, ("greedy", "random")))[0]
    assert "the bots differ: greedy in seat 1 wins " in verdict and "going first" not in verdict


def test_games_won_together_have_no_turn_order_and_no_ties() -> None:
    """A quarter of a shared win is not a win rate: all players won in some games, nobody in the others."""
    games = choose_examples(16, 40)
    data = study(games, ("greedy",) * 2, "high-water")
    wins = data["seats"][0]["wins"]
    assert 0 < wins < games and wins == data["shared"]
    assert describe_study(data)[0].endswith(f" choices); {100 * wins / games:.0f} % of them are won.")
    assert describe_ties(data) == "" and not any("goes with winning" in sentence for sentence in describe_study(data))


def test_golden_study_of_kuhn_poker(capsys: pytest.CaptureFixture[str]) -> None:
    """The verdict is the same on the page and in the terminal, and the tables do not repeat it."""
    data = study(2000, ("greedy",) * 2, "kuhn-poker")
    assert data["said"] == [
        "Games last 2 choices; the winner is 3.3 chips ahead on average; "
        "going first helps: the first player wins 52.5 % of games (50.0 to 55.0), where 50 % would be even.",
        "King goes with winning most (100 % of those with it win, 25 % of those without); never taken: Check.",
    ]
    print_study(data)
    said = capsys.readouterr().out
    assert " ".join(data["said"]) in " ".join(said.split())
    assert " ".join(data["said"]) in render_study(data)
    assert "Held at the end: card" in said and "Drawn" not in said
    assert untaken_rows(data) == [["Check", "Check or bet?", "2,000 times", ""]]


def test_option_goes_with_winning_only_beyond_chance() -> None:
    data = study(40, name="kuhn-poker")
    option = data["held"][0]["options"][0]
    sides = {"with": (11, 20), "without": (9, 20)}
    even = {side: {"of": of, "win_share": {"value": won / of}} for side, (won, of) in sides.items()}
    lift = {"value": 0.1, "low": -0.2, "high": 0.4}
    data["held"] = [{**data["held"][0], "options": [{**option, **even, "lift": lift}]}]
    assert describe_study(data)[1].startswith("No option was found to go with winning more than chance would explain")


def test_things_never_offered_are_found_by_playing() -> None:
    """The tower and the palace of these rules can never be built; what nobody is asked about is no finding."""
    program = build_program((make_module(PLANTED),)).unwrap()
    setup = GameSetup(program, ("random",) * 2, (), 1)
    data = summarize_study(setup, sum_games(setup, play_range(setup, GameRange(0, 40))), 40)
    Draft202012Validator(load_schema("study")).validate(data)
    assert [(row["option"], row["of"], row["offered"]) for row in data["untaken"]] == [
        ("Tower", "house", 0),
        ("Palace", "house", 0),
    ]
    assert describe_study(data)[-1].endswith("ever offered: Tower, Palace.")


def test_options_never_taken_and_never_offered_are_named() -> None:
    data = study(60, name="kuhn-poker")
    rows = [("Market", 0), ("Farms", 0), ("Inn", 0), ("Mill", 0), ("Smuggler", 80), ("Spy", 20)]
    data["untaken"] = [{"option": option, "question": "Which?", "of": "hut", "offered": n} for option, n in rows]
    assert describe_study(data)[1].endswith("; never taken: Smuggler; never offered: Market, Farms and 2 more.")


# --- labels and languages


@pytest.mark.parametrize(
    ("words", "by_round", "telling"),
    [
        ("passes", [2.0, 2.0], False),
        ("passes", [2.0, 1.0], True),
        ("passes", [0.5, 0.5], True),
        ("[destiny]", [0.5, 0.4], False),
        ("draws [destiny]", [0.5, 0.4], True),
    ],
)
def test_announcement_that_tells_nothing_has_no_row(words: str, by_round: list[float], telling: bool) -> None:
    assert is_telling({"words": words, "by_round": by_round}) is telling


@pytest.mark.parametrize(
    ("words", "label"),
    [
        ("constructs [building]", "Constructs a building"),
        ("influences [advisor] with [dice]", "Influences an advisor"),
        ("is victorious with strength [number]", "Is victorious"),
        ("rerolls, and now has [dice]", "Rerolls"),
        ("Reinforcements for everybody: [number]", "Reinforcements for everybody"),
        ("The enemy is [enemy]", "The enemy"),
        ("[number] soldiers go home", "Soldiers go home"),
        ("bids [number] dice of [number]", "Bids dice"),
        ("moves dice from [advisor] to [advisor]", "Moves dice from an advisor to another advisor"),
        ("stakes out row [row]", "Stakes out a row"),
        ("plays the [governor]", "Plays the governor"),
        ("[destiny]", "A destiny"),
        ("[number]", "Number"),
        ("passes", "Passes"),
    ],
)
def test_announcement_label_has_no_placeholders(words: str, label: str) -> None:
    assert label_announcement(words) == label


def test_verdict_is_in_the_current_language(pig: dict[str, Any]) -> None:
    with use_language("de"):
        assert describe_study(pig)[0].startswith("Partien dauern ")
        assert 'lang="de">Partien dauern' in render_study({**pig, "said": describe_study(pig)})
    with use_language("it"):
        assert "iniziare aiuta: " in describe_study(pig)[0]
        assert describe_comparison(SAME_WINS, GAMES)[0].startswith("«The Bakery» non cambia: chi vince (al massimo ")
