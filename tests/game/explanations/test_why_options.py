"""Reasons for offered and refused options: each rule with its place, the values, and what might help."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest

import edict
from asking_why import (
    HOUSE,
    START,
    ask_exactly,
    ask_why,
    find_line,
    list_failed_reasons,
    list_reasons,
    play_randomly,
    start_house,
)
from calling import run_kingsburg
from edict.apps.cli.playing import why
from edict.game.explanations import reasons_in_words
from edict.game.explanations.option_reasons import Finding, OptionExplainer, OptionReason
from edict.game.table.game import Game
from edict.game.table.rules import Rules
from edict.runtime.program import Cause
from examples import choose_examples
from helpers import compile_program, make_phase
from secrecy import open_session

ROOT = Path(__file__).resolve().parents[3]
SETS = [
    ("kingsburg",),
    ("kingsburg", "governors", "destiny", "advisor-tiles"),
    ("kingsburg", "more-buildings", "alternate-rows", "soldier-tokens", "settlements-and-deals"),
    ("kingsburg", "first-edition"),
    ("pig",),
    ("kuhn-poker",),
]


# --- an option that is there ------------------------------------------------------------------------


def test_offered_option_names_each_rule_with_its_place() -> None:
    game = start_house("may do plant")
    assert game.ask.keys == ("ash", "no")
    kept = {one.name: one for one in list_reasons(game, "ash") if one.sort == "rule"}
    fresh, at = kept["fresh"], find_line("rule fresh")
    assert fresh.holds and (fresh.cause.file, fresh.cause.line) == ("page1.edict", at)
    assert fresh.found.text == "Ash is not in owned of you"
    assert f"It satisfies the rule fresh: Ash is not in owned of you [page1.edict:{at}]" in ask_exactly(game, "ash")


def test_exception_that_allows_an_option_is_named() -> None:
    game = start_house("may do plant")
    passed = next(one for one in list_reasons(game, "ash") if one.name == "tall-enough")
    assert passed.holds and passed.found.holds is False and passed.deciding_exception is not None
    assert (passed.deciding_exception.cause.title, passed.deciding_exception.cause.line) == (
        "Oak",
        find_line("exception to plant.tall"),
    )
    text = ask_exactly(game, "ash")
    assert "It wants more stuff (rule tall-enough), but an exception allows it" in text
    assert f"Oak [page1.edict:{find_line('exception to plant.tall')}]" in text


# --- in the words of players ----------------------------------------------------------------------------

FORMULA = re.compile(r"\b\w+-\w+ of \b|\bis not in\b| = |<=|>=|\bof you\b|\.edict|\(rule ")


def test_players_read_meanings_of_rules() -> None:
    game = start_house("may do plant")
    assert ask_why(game, "ash").splitlines()[:2] == [
        "Ash: you can choose this for “Plant a tree”.",
        "This is not the case: you have that tree.",
    ]
    assert "It wants more stuff, but an exception allows it:\nOak" in ask_why(game, "ash")
    assert ask_why(game, "not oak").splitlines()[1] == "You have that tree."
    game = start_house(
        "lose 1 coin", "lose 2 stick", "gain 3 brick", "set hidden of left of you to ash", "may do plant"
    )
    assert "It wants more stuff.\nstick: the need of the tree: 4" in ask_why(game, "not ash")
    dice = 'keep pool "dice" of player as dice\n'
    lines = (f"add cube showing {face} to pool of you" for face in (3, 4))
    laid = Rules(compile_program(dice + make_phase(*lines, "choose a die from pool of you as thrown")), "trial")
    assert "It is not one of your dice." in ask_why(laid.new_game(["Ann", "Ben"], seed=1), "not 5")


# --- one that is not ----------------------------------------------------------------------------------


def test_refusing_rule_is_shown_with_words_place_and_values() -> None:
    game = start_house("may do plant")
    one = list_failed_reasons(game, "oak")[0]
    assert (one.name, one.because, one.cause.line) == ("fresh", "you have that tree", find_line("rule fresh"))
    assert one.found.text == "Oak is not in owned of you" and one.found.values == ("owned of you is Oak",)
    assert [x.cause.name for x in one.unless] == ["late"] and one.unless[0].holds is False


def test_where_conditions_are_split_into_parts() -> None:
    game = start_house("may do plant")
    one = list_failed_reasons(game, "sapling")[0]
    assert one.sort == "where" and one.found.shape == "any"
    first, second = one.found.parts
    assert (first.text, second.text) == ("height of Sapling > 1 and height of Sapling < 9", "Sapling is oak")
    assert all(part.holds is False for part in one.found.parts)


def test_exception_with_another_requirement_replaces_the_rule() -> None:
    game = start_house("gain 91 fame", "may do plant")
    assert game.ask.keys == ("oak", "no")
    ash = next(one for one in list_reasons(game, "ash") if one.name == "fresh")
    assert ash.found.holds is True and ash.holds is False and ash.deciding_exception is not None
    said = ask_exactly(game, "not ash")
    assert (
        f"Late requires something else (in place of the rule fresh) [page1.edict:{find_line('exception late')}]" in said
    )
    assert "needed: height of Ash = 9" in said and "height of Ash is 5" in said


def test_satisfied_rule_stays_satisfied_beside_a_hidden_exception() -> None:
    hidden = "exception late to plant.fresh if hidden of left of you = oak\n  allow\n"
    text = HOUSE.partition("exception late")[0] + hidden
    game = Rules(compile_program(text + make_phase(START, "may do plant")), "trial").new_game(["Ann", "Ben"], seed=1)
    kept, broken = (next(one for one in list_reasons(game, name) if one.name == "fresh") for name in ("ash", "oak"))
    assert (kept.found.holds, kept.unless[0].holds, kept.holds) == (True, None, True)
    assert (broken.found.holds, broken.holds) == (False, None)
    assert "It satisfies the rule fresh" in ask_exactly(game, "ash")


def test_first_applicable_exception_decides() -> None:
    second = 'exception second "a gift" to plant.fresh if coin of you = 3\n  allow\n'
    game = Rules(compile_program(HOUSE + second + make_phase(START, "may do plant")), "trial").new_game(
        ["Ann", "Ben"], seed=1
    )
    fresh = next(one for one in list_reasons(game, "oak") if one.name == "fresh")
    assert "oak" in game.ask.keys and fresh.holds and fresh.found.holds is False
    assert fresh.deciding_exception is not None and fresh.deciding_exception.cause.title == "a gift"


def test_rules_of_the_action_in_a_branch_are_shown() -> None:
    """Regression: the explanation only said that there would be nothing to choose."""
    rules = """
action rest "Rest a while"
  rule tired
    require coin of you > 9
    because "you are not rich enough"
  then
    gain 1 fame
"""
    lines = ("choose one", "  do rest", '  option "Doze"', "    do rest", '  option "Go on"', "    gain 1 coin")
    game = Rules(compile_program(rules + make_phase(*lines)), "trial").new_game(["Ann", "Ben"], seed=1)
    for option in range(2):
        said = [
            one.words
            for one in reasons_in_words.describe_refused_option(
                OptionExplainer(game, 0), OptionExplainer(game, 0).candidates().options[option]
            )
        ]
        assert "You are not rich enough." in said and not any("nothing to choose" in words for words in said)


def test_deciding_members_are_named_with_values() -> None:
    game = start_house(
        "lose 1 coin", "lose 2 stick", "gain 3 brick", "set hidden of left of you to ash", "may do plant"
    )
    one = list_failed_reasons(game, "ash")[0]
    assert one.name == "tall-enough" and one.found.shape == "every"
    (part,) = one.found.parts
    assert (part.of, part.values) == ("stick", ("need of Ash is 4", "stick of you + 3 is 3"))
    every, enough = "every stuff has need of what <= it of you + 3", "some stuff has it of you > height of what - 5"
    some = HOUSE.replace(every, enough)
    laid = Rules(compile_program(some + make_phase(START, "gain 1 brick", "may do plant")), "trial")
    one = next(one for one in list_reasons(laid.new_game(["Ann", "Ben"], seed=1), "ash") if one.name == "tall-enough")
    assert one.holds and [part.of for part in one.found.parts] == ["stick"], "where some are needed, one is enough"


def test_prices_branches_numbers_and_later_questions_are_explained() -> None:
    lines = ('  option "Walk"', "    gain 1 fame", '  option "Fly" if fame of you > 5', "    gain 9 fame")
    game = start_house("choose one", *lines, '  option "Swim"', "    gain 1 fame")
    one = list_failed_reasons(game, "Fly")[0]
    assert one.sort == "if" and one.found.values == ("you have no fame",)
    game = start_house("may spend 2 coin or 1 brick", "  gain 1 fame")
    one = next(x for x in list_failed_reasons(game, "1 brick") if x.sort == "price")
    assert one.found.values == ("you have no bricks",)
    game = start_house("choose a number from 1 to coin of you as bid", "gain bid fame")
    assert list_failed_reasons(game, "4")[0].found.text == "1 to coin of you"
    assert list_failed_reasons(game, "4")[0].found.values == ("you have 3 coins",)
    assert "Oak is never a choice" in ask_exactly(game, "not oak")
    game = start_house('may "Go on?"', "  gain 1 coin", "may do plant")
    assert "Oak is not a choice for “Go on?”" in ask_exactly(game, "not oak")
    assert f"“Which tree?” comes from “Plant a tree”. [page1.edict:{find_line('action plant')}]" in ask_exactly(
        game, "not oak"
    )


def test_resource_that_may_be_negative_can_always_be_paid() -> None:
    declared = "resource renown may go below 0\n"
    made = Rules(compile_program(declared + make_phase("may spend 1 renown", "  gain 1 coin")), "trial")
    game = made.new_game(["Ann", "Ben"], seed=1)
    assert [one.sort for one in list_reasons(game, "1 renown")] == ["price"]
    assert list_failed_reasons(game, "1 renown") == []


def test_insufficient_dice_name_the_shift_that_might_help() -> None:
    text = """
kind door
  rank number
door low "Low"
  rank 3
door high "High"
  rank 8
keep pool of player as dice
action enter "Enter"
  choose a door as which
  choose dice from pool of you as paid making rank of which including 1 cube
  then
    remove paid from pool of you
    gain 1 fame
shift enter by +2 spending 1 brick, once per trial-run
"""
    lines = (f"add {die} to pool of you" for die in ("cube showing 3", "cube showing 3", "gem showing 1"))
    made = Rules(compile_program(text + make_phase(*lines, "may do enter")), "trial")
    game = made.new_game(["Ann", "Ben"], seed=1)
    one = list_failed_reasons(game, "high")[0]
    assert one.sort == "dice" and one.found.text == "1 cube"
    assert one.found.values == ("rank of High is 8", "pool of you is 3 3 and gem 1")
    assert one.unless[0].holds is False
    said = ask_exactly(game, "not high")
    assert "only if you can pay 1 brick" in said and "you have no bricks" in said
    game.answer("low")
    if not game.over:
        assert "They make 4" in ask_exactly(game, "not 3 1")


def test_unusable_effects_of_a_moment_are_explained() -> None:
    text = """
moment pause "at the pause"
kind charm "charm/charms"
  works if charm is in worn of you
keep worn of player as set of charm
charm ring "Ring"
  when pause
    may lose 1 coin
      gain 1 fame
charm crown "Crown"
  when pause if fame of you > 5
    may lose 1 coin
      gain 2 fame
charm belt "Belt"
  when pause
    may spend 1 brick
      gain 2 fame
charm cloak "Cloak"
  when pause, once per trial-run
    may lose 1 coin
      gain 3 fame
charm amulet "Amulet"
  when pause
    may lose 1 coin
      gain 1 fame
charm boots "Boots"
  when pause
    may lose 1 coin
      gain 3 fame
"""
    worn = [f"add {one} to worn of you" for one in ("ring", "crown", "belt", "cloak", "amulet")]
    lines = ("gain 3 coin", *worn, "trigger pause", "trigger pause")
    game = Rules(compile_program(text + make_phase(*lines)), "trial").new_game(["Ann", "Ben"], seed=1)
    assert [x.text.partition(":")[0] for x in game.ask.options] == ["Ring", "Cloak", "Amulet", "No more"]
    said = {name: ask_exactly(game, f"not {name}") for name in ("crown", "belt", "boots")}
    assert "It works only if" in said["crown"] and "you have no fame" in said["crown"]
    assert "You cannot pay 1 brick" in said["belt"]
    assert "worn of you is Ring, Crown, Belt, Cloak and Amulet" in said["boots"]
    game.answer(1)
    assert "You have just used it" in ask_exactly(game, "not cloak")
    assert "You have used it: once per" in ask_exactly(game, "not cloak")
    game.answer(2)
    assert "You have used it: once per" in ask_exactly(game, "not cloak") and "just now" not in ask_exactly(
        game, "not cloak"
    )


def test_long_member_lists_are_cut_and_counted() -> None:
    beads = [f"bead-{letter}" for letter in "abcdefghij"]
    text = "kind bead\nkeep string of player as set of bead\n" + "".join(f"bead {one}\n" for one in beads)
    text += "action thread\n  choose a bead as which\n  rule twice\n    require which is not in string of you\n"
    text += '    because "it is on it"\n  then\n    nothing\n'
    text += make_phase(*(f"add {one} to string of you" for one in beads), "may do thread")
    game = Rules(compile_program(text), "trial").new_game(["Ann", "Ben"], seed=1)
    (found,) = list_failed_reasons(game, "bead-b")
    named = ", ".join(one.replace("-", " ") for one in beads[:8])
    assert found.found.values == (f"string of you is {named} and 2 more",)


# --- what cannot be paid -------------------------------------------------------------------------------

MARKET = """
kind house
  cost amounts
house hut "Hut"
  cost 1 stick
house fort "Fort"
  cost 2 stick, 3 brick
quantity price of house for player in stuff is cost of house in stuff
action build "Build"
  choose a house as what "Which house?"
  rule rich
    require can spend price of what for you{joker}
    because "it is too expensive"
  then
    nothing
"""


def load_market(joker: str, about: str) -> str:
    rules = Rules(
        compile_program(MARKET.format(joker=joker) + make_phase("gain 2 stick and 1 brick", "may do build")), "trial"
    )
    game = rules.new_game(["Ann", "Ben"], seed=1)
    return "\n".join(one.words for one in why.answer_why(open_session(game, game.seat), f"--exactly {about}"))


def test_missing_payment_lists_only_actual_costs() -> None:
    lacking = load_market("", "not fort")
    assert "needed: can spend price of Fort for you\n" in lacking
    assert "price of Fort for you in brick is 3, you have 1 brick" in lacking and "stick is" not in lacking
    paid = load_market("", "hut")
    assert "price of Hut for you in stick is 1, you have 2 stick" in paid and "brick" not in paid
    jokers = load_market(" with coin for what is missing", "not fort")
    assert "what is missing is 2, you have no coins" in jokers


# --- properties over games --------------------------------------------------------------------------------


def iter_causes(names: tuple[str, ...], found: OptionReason) -> Iterator[Cause]:
    yield found.cause
    yield found.found.cause
    yield from (one.cause for one in found.unless)


@cache
def read_source(file: str) -> list[str]:
    folders = (ROOT, ROOT / "modules", ROOT / "examples")
    path = next(folder / file for folder in folders if (folder / file).is_file())
    return path.read_text(encoding="utf-8").splitlines()


def has_failed_parts(found: Finding) -> bool:
    """Return True if the parts of a failed condition confirm that it fails."""
    if not found.parts:
        return found.holds is False
    if found.shape == "all":
        return found.parts[-1].holds is False
    if found.shape == "every":
        return any(part.holds is False for part in found.parts)
    return all(part.holds is False for part in found.parts)


@pytest.mark.parametrize("names", SETS, ids="-".join)
@pytest.mark.sample(3)
def test_every_option_offered_or_not_has_reasons(names: tuple[str, ...]) -> None:
    """Check that reasons of options in a random game are complete.

    Offered options satisfy all requirements, others fail at least one, places exist, and players read neither a formula
    nor a place.
    """
    whole = names[0] == "kingsburg"
    asked, often = 0, 0.12 if whole else 0.3
    for seed in range(choose_examples(1, 8) if whole else 4):
        game, luck = play_randomly(names, seed, 0), Random(seed)
        while not game.over:
            if luck.random() < often and game.ask.domain != "ways":
                _check(names, game)
                asked += 1
            game.answer(luck.randrange(game.count))
    assert asked > 1


def _check(names: tuple[str, ...], game: Game) -> None:
    before, log = game.state, len(game.log)
    why, offered = OptionExplainer(game, game.seat), {option.value for option in game.ask.options}
    for option in why.candidates().options:
        found = why.reasons_for(option.value) if option.value >= 0 else ()
        for place in (place for one in found for place in iter_causes(names, one)):
            assert 0 < place.line <= len(read_source(place.file)), place
        said = (
            reasons_in_words.describe_offered_option
            if option.value in offered
            else reasons_in_words.describe_refused_option
        )(why, option)
        if option.value in offered:
            assert all(one.holds is not False for one in found), (option.text, found)
            assert said[0].place
        elif option.value >= 0:
            bad = [one for one in found if one.holds is False]
            assert bad or any(one.holds is None for one in found), (game.ask.prompt, option.text)
            for one in bad:
                assert has_failed_parts(one.found) or one.deciding_exception is not None
            assert len(said) > 1
        read = [one.words for one in reasons_in_words.select_voice(said, exactly=False)]
        assert not [words for words in read if FORMULA.search(words)]
    assert game.state == before and len(game.log) == log


# --- at the keyboard ------------------------------------------------------------------------------------------


def test_unknown_option_has_a_clear_message() -> None:
    game = start_house("may do plant")
    assert "99 isn't available now" in ask_exactly(game, "99")
    assert "I don't know anything called `xyz`" in ask_exactly(game, "not xyz")
    assert "Add a name: `why not NAME`." in ask_exactly(game, "not")
    assert "comes from" in ask_exactly(game, "") and "why score" in ask_exactly(game, "")
    assert "there is no line" in ask_exactly(game, "#900").casefold()
    assert "not the number of a line" in ask_exactly(game, "line abc")


def test_why_not_accepts_the_number_on_the_board() -> None:
    """Regression: `why not 1` answered that `1 VP` is no answer to this question."""
    from edict.apps.cli.rules_by_name import default_game

    game = edict.load(default_game()).new_game(["Ann", "Ben", "Clara"], seed=5)
    while not game.ask.options[0].caption.isdecimal() or game.ask.options[0].caption == "1":
        game.answer(0)
    shown = {option.caption for option in game.ask.options}
    offered = next(number for number in shown if number)
    assert why.answer_why(open_session(game, game.seat), f"not {offered}")[0].words.endswith("is one of your choices.")
    missing = next(str(number) for number in range(1, 19) if str(number) not in shown)
    assert missing == "1" and "Jester" in ask_exactly(game, f"not {missing}"), ask_exactly(game, f"not {missing}")
    assert "99 isn't available now" in ask_exactly(game, "not 99")


def test_number_on_the_board_means_one_thing(subtests: pytest.Subtests) -> None:
    """`? 1` listed enemies, `why 1` said that there is no such option, and after `log` it meant a line."""
    from edict.apps.cli.playing import help
    from edict.apps.cli.rules_by_name import default_game

    game = edict.load(default_game()).new_game(["Ann", "Ben", "Clara"], seed=5)
    while not game.ask.options[0].caption.isdecimal() or game.ask.options[0].caption == "1":
        game.answer(0)
    session = open_session(game, game.seat)
    for numbered in (False, True):
        with subtests.test(numbered=numbered):
            session.numbered = numbered
            assert [why.answer_why(session, query)[0].words.partition(":")[0] for query in ("1", "not 1")] == [
                "Jester"
            ] * 2
            assert [line.words for line in help.explain(session, "1")][:2] == ["Jester (advisor)", "Gain 1 VP."]
    assert [line.words for line in help.explain(session, "jester")] == ["Jester (advisor)", "Gain 1 VP.", "Rank 1."]


VISITS = """
kind guest "guest/guests"
  rank number from 1 to 18
guest jester "Jester"
  rank 5
guest king "King"
  rank 9
kind house "house/houses"
  works if house is in owned of you
house market "Market"
  shift visit by +1 or -1
house inn "Inn"
  shift visit by +7 if coin of you > 2
keep owned of player as set of house
keep pool "dice" of player as dice
action visit "Visit"
  choose a guest as whom "Whom do you visit?"
  choose dice from pool of you as paid making rank of whom "With which dice?"
  then
    remove paid from pool of you
"""
DICE_LAID = [
    f"add {one} to pool of you" for one in ("cube showing 2", "cube showing 3", "cube showing 5", "gem showing 4")
]
HELP = [
    "They must fit. [page1.edict:18]",
    "This could help: Market [page1.edict:11]",
    "Does not help now: Inn [page1.edict:13]",
    "only if coin of you > 2 []",
    "you have 1 coin []",
]
NO_WAY = {
    "not 3 5": ["3 5: these don't pay 5. []", "They add up to 8. []", *HELP],
    "not 5 5": ["5 5: these don't pay 5. []", "You don't have all of these dice. You have 2 3 5 and gem 4. []", *HELP],
    "not 9": ["9: these don't pay 5. []", "You don't have all of these dice. You have 2 3 5 and gem 4. []", *HELP],
    "not king": ["Name dice by their numbers, as in `why not 3 5`. []"],
    "not 2 3": [
        "2 3 is one of your choices. []",
        "2 3: you can choose this for “Visit”. [page1.edict:16]",
        "The dice add up to the total. [page1.edict:18]",
        "rank of whom is 5, pool of you is 2 3 5 and gem 4 []",
    ],
}


def test_why_not_explains_named_dice(subtests: pytest.Subtests) -> None:
    lines = ("gain 1 coin", "add market to owned of you", "add inn to owned of you", *DICE_LAID, "may do visit")
    game = Rules(compile_program(VISITS + make_phase(*lines)), "trial").new_game(["Ann", "Ben"], seed=1)
    game.answer("jester")
    for about, said in NO_WAY.items():
        with subtests.test(about=about):
            assert ask_exactly(game, about).splitlines() == said
    assert ask_why(game, "not 3 5").splitlines() == [
        "3 5: these don't pay 5.",
        "They add up to 8.",
        "They must fit.",
        "This could help: Market",
        "Inn would help, but you have only 1 coin.",
    ]


def test_titles_have_an_article_if_the_authors_announce_them_with_one() -> None:
    """Regression: `why not king` said "Market would help", and the log "Ben uses Bazaar"."""
    lines = ("gain 1 coin", "add inn to owned of you", 'announce you, "owns the", inn', *DICE_LAID, "may do visit")
    game = Rules(compile_program(VISITS + make_phase(*lines)), "trial").new_game(["Ann", "Ben"], seed=1)
    game.answer("jester")
    assert ask_why(game, "not 3 5").splitlines()[-1] == "The Inn would help, but you have only 1 coin."


def test_why_works_in_play_and_in_a_replay(tmp_path: Path) -> None:
    typed = "why\nwhy --exactly 1\nwhy not xyz\nwhy 99\nlog\nwhy last\nwhy #1\nwhy score\nwhy strength\nhelp\nquit\n"
    args = ("play", "--human", "Ann", "--bot", "random:Ben", "--seed", "3", "--save", "game.jsonl")
    done = run_kingsburg(tmp_path, *args, typed=typed)
    assert done.returncode == 0, done.stderr
    assert (
        "you can choose this for" in done.stdout
        and "rules/" in done.stdout
        and "I don't know anything called `xyz`" in done.stdout
    )
    assert "battle strength of Ann 0" in done.stdout and "Ann: 0" in done.stdout
    replayed = run_kingsburg(tmp_path, "games", "replay", "game.jsonl")
    assert any(line.lstrip().startswith("1 ") for line in replayed.stdout.splitlines())
    asked = run_kingsburg(tmp_path, "games", "replay", "game.jsonl", "--why", "1 --exactly")
    assert asked.returncode == 0 and "rules/year.edict" in asked.stdout
    assert ".edict" not in run_kingsburg(tmp_path, "games", "replay", "game.jsonl", "--why", "1").stdout
    assert "There is no line 9999" in run_kingsburg(tmp_path, "games", "replay", "game.jsonl", "--why", "9999").stdout
    assert "in “" in run_kingsburg(tmp_path, "games", "replay", "game.jsonl", "--why", "last").stdout
