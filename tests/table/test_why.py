"""Why: reasons for what is offered and what is not, what led to a line of the log, how a number is made up."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest
from rich.text import Text

import edict
from calling import kingsburg
from examples import examples
from edict.cli.playing import why_lines as screened
from edict.cli.playing import why_lookup
from edict.cli.playing.keyboard import HELP
from edict.cli.playing.screen import Screen
from edict.cli.playing.session import Session
from edict.program import Cause
from edict.program import opcodes as o
from edict.table import why_options
from edict.table.why_options import Finding, Reason, Why
from edict.table.game import Game
from edict.table.why_log import Explainer
from edict.table.rules import Rules
from edict.table.tracing import traced
from helpers import program, steps

ROOT = Path(__file__).resolve().parent.parent.parent
NAMES = ["Ann", "Ben", "Cindy", "Dov"]
SETS = [
    ("kingsburg",),
    ("kingsburg", "governors", "destiny", "advisor-tiles"),
    ("kingsburg", "more-buildings", "alternate-rows", "soldier-tokens", "settlements-and-deals"),
    ("kingsburg", "first-edition"),
    ("pig",),
    ("kuhn-poker",),
]

# --- a house variant ------------------------------------------------------------------------------

HOUSE = """
kind tree "tree/trees"
  height number from 1 to 9
  works if tree is in owned of you
tree sapling "Sapling"
  height 1
tree oak "Oak"
  height 9
  adjust vigour by 2 if coin of you > 1
  except plant.tall-enough if coin of you = 3
    allow
tree yew "Yew"
  height 4
tree ash "Ash"
  height 5

keep owned of player as set of tree
keep hidden "hidden tree" of player as tree or none, secret
keep kept as number
quantity vigour "vigour" of player is coin of you + stick of you + 1
quantity height-hidden of player is height of hidden of player
quantity need "need" of tree is height of tree - 1, at least 1

action plant "Plant a tree"
  choose a tree as what where height of it > 1 and height of it < 9 or it is oak "Which tree?"
  rule fresh
    require what is not in owned of you
    because "you have that tree"
  rule tall-enough
    require every stuff has need of what <= it of you + 3
    because "it wants more stuff"
  rule unseen
    require what is not hidden of left of you
    because "somebody hides it"
  then
    add what to owned of you
    announce you, "plants", what
    gain vigour of you fame

exception late to plant.fresh if fame of you > 90
  require height of what = 9
"""
START = "gain 3 coin\ngain 2 stick\nset hidden of left of you to yew\nadd oak to owned of you"


@cache
def rules(*names: str) -> Rules:
    return edict.load(names[0], names[1:])


def line(words: str) -> int:
    """The line of the variant that begins so."""
    return next(i for i, one in enumerate(HOUSE.splitlines(), 1) if one.strip().startswith(words))


def house(*lines: str) -> Game:
    """The variant, standing where its lines ask."""
    made = Rules(program(HOUSE + steps(START, *lines)), "trial")
    return made.new_game(["Ann", "Ben"], seed=1)


def reasons_of(game: Game, name: str, seat: int | None = None) -> tuple[Reason, ...]:
    why = Why(game, game.seat if seat is None else seat)
    option = next(x for x in why.candidates().options if name in (x.key, x.text))
    return why.reasons(option.value)


def failed(game: Game, name: str) -> list[Reason]:
    return [one for one in reasons_of(game, name) if one.holds is False]


def told(game: Game, about: str) -> str:
    """What `why` says at the keyboard, as plain lines."""
    return "\n".join(f"{one.words} [{one.place}]" for one in why_lookup.answer(session(game), about))


def session(game: Game, holder: int | None = None) -> Session:
    made = Session(game, Screen(game.players, colour=False, simple=True), {})
    made.holder = game.seat if holder is None else holder
    return made


def played(names: tuple[str, ...], seed: int, answers: int) -> Game:
    """A game at random, so many answers on (or at its end)."""
    made = rules(*names)
    count = min(made.program.most_players, max(made.program.least_players, 2 + seed % 3))
    game, luck = made.new_game(NAMES[:count], seed=seed), Random(seed)
    for _ in range(answers):
        if game.over:
            break
        game.answer(luck.randrange(game.count))
    return game


# --- an option that is there ------------------------------------------------------------------------


def test_an_option_names_each_rule_it_keeps_with_its_place() -> None:
    game = house("may do plant")
    assert game.ask.keys == ("ash", "no")
    kept = {one.name: one for one in reasons_of(game, "ash") if one.sort == "rule"}
    fresh, at = kept["fresh"], line("rule fresh")
    assert fresh.holds and (fresh.cause.file, fresh.cause.line) == ("page1.edict", at)
    assert fresh.found.text == "Ash is not in owned of you"
    assert f"It follows the rule fresh: Ash is not in owned of you [page1.edict:{at}]" in told(game, "ash")


def test_an_exception_that_lets_something_pass_is_named() -> None:
    game = house("may do plant")
    passed = next(one for one in reasons_of(game, "ash") if one.name == "tall-enough")
    assert passed.holds and passed.found.holds is False and passed.excepted is not None
    assert (passed.excepted.cause.title, passed.excepted.cause.line) == ("Oak", line("except plant.tall"))
    text = told(game, "ash")
    assert "It wants more stuff (rule tall-enough), but an exception allows it" in text
    assert f"Oak [page1.edict:{line('except plant.tall')}]" in text


# --- one that is not ----------------------------------------------------------------------------------


def test_a_rule_that_refuses_is_told_with_its_words_its_place_and_the_values() -> None:
    game = house("may do plant")
    one = failed(game, "oak")[0]
    assert (one.name, one.because, one.cause.line) == ("fresh", "you have that tree", line("rule fresh"))
    assert one.found.text == "Oak is not in owned of you" and one.found.values == ("owned of you is Oak",)
    assert [x.cause.name for x in one.unless] == ["late"] and one.unless[0].holds is False


def test_conditions_of_where_are_taken_apart() -> None:
    game = house("may do plant")
    one = failed(game, "sapling")[0]
    assert one.sort == "where" and one.found.shape == "any"
    first, second = one.found.parts
    assert (first.text, second.text) == ("height of Sapling > 1 and height of Sapling < 9", "Sapling is oak")
    assert all(part.holds is False for part in one.found.parts)


def test_an_exception_that_asks_something_else_takes_the_place_of_the_rule() -> None:
    game = house("gain 91 fame", "may do plant")
    assert game.ask.keys == ("oak", "no")
    ash = next(one for one in reasons_of(game, "ash") if one.name == "fresh")
    assert ash.found.holds is True and ash.holds is False and ash.excepted is not None
    said = told(game, "not ash")
    assert f"Late requires something else (in place of the rule fresh) [page1.edict:{line('exception late')}]" in said
    assert "needed: height of Ash = 9" in said and "height of Ash is 5" in said


def test_a_rule_that_is_kept_stays_kept_though_it_is_hidden_whether_an_exception_would_allow_more() -> None:
    hidden = "exception late to plant.fresh if hidden of left of you = oak\n  allow\n"
    text = HOUSE.partition("exception late")[0] + hidden
    game = Rules(program(text + steps(START, "may do plant")), "trial").new_game(["Ann", "Ben"], seed=1)
    kept, broken = (next(one for one in reasons_of(game, name) if one.name == "fresh") for name in ("ash", "oak"))
    assert (kept.found.holds, kept.unless[0].holds, kept.holds) == (True, None, True)
    assert (broken.found.holds, broken.holds) == (False, None)
    assert "It follows the rule fresh" in told(game, "ash")


def test_members_that_decide_are_named_with_their_values() -> None:
    game = house("lose 1 coin", "lose 2 stick", "gain 3 brick", "set hidden of left of you to ash", "may do plant")
    one = failed(game, "ash")[0]
    assert one.name == "tall-enough" and one.found.shape == "every"
    (part,) = one.found.parts
    assert (part.of, part.values) == ("stick", ("need of Ash is 4", "stick of you + 3 is 3"))


def test_prices_branches_numbers_and_what_is_asked_elsewhere() -> None:
    lines = ('  option "Walk"', "    gain 1 fame", '  option "Fly" if fame of you > 5', "    gain 9 fame")
    game = house("choose one", *lines, '  option "Swim"', "    gain 1 fame")
    one = failed(game, "Fly")[0]
    assert one.sort == "if" and one.found.values == ("you have no fame",)
    game = house("may spend 2 coin or 1 brick", "  gain 1 fame")
    one = next(x for x in failed(game, "1 brick") if x.sort == "price")
    assert one.found.values == ("you have no bricks",)
    game = house("choose a number from 1 to coin of you as bid", "gain bid fame")
    assert failed(game, "4")[0].found.text == "1 to coin of you"
    assert failed(game, "4")[0].found.values == ("you have 3 coins",)
    assert "Oak cannot be chosen" in told(game, "not oak")
    game = house('may "Go on?"', "  gain 1 coin", "may do plant")
    assert "Oak is not an answer to “Go on?”" in told(game, "not oak")
    assert f"“Which tree?” is asked by “Plant a tree”. [page1.edict:{line('action plant')}]" in told(game, "not oak")


def test_dice_that_do_not_reach_and_the_shift_that_might_help() -> None:
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
    made = Rules(program(text + steps(*lines, "may do enter")), "trial")
    game = made.new_game(["Ann", "Ben"], seed=1)
    one = failed(game, "high")[0]
    assert one.sort == "dice" and one.found.text == "1 cube"
    assert one.found.values == ("rank of High is 8", "pool of you is 3 3 and gem 1")
    assert one.unless[0].holds is False
    said = told(game, "not high")
    assert "only if you can pay 1 brick" in said and "you have no bricks" in said
    game.answer("low")
    if not game.over:
        assert "They make 4" in told(game, "not 3 1")


def test_effects_at_one_moment_say_why_they_cannot_be_used() -> None:
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
    game = Rules(program(text + steps(*lines)), "trial").new_game(["Ann", "Ben"], seed=1)
    assert [x.text.partition(":")[0] for x in game.ask.options] == ["Ring", "Cloak", "Amulet", "No more"]
    said = {name: told(game, f"not {name}") for name in ("crown", "belt", "boots")}
    assert "It works only if" in said["crown"] and "you have no fame" in said["crown"]
    assert "You cannot pay 1 brick" in said["belt"]
    assert "worn of you is Ring, Crown, Belt, Cloak and Amulet" in said["boots"]
    game.answer(1)
    assert "It has been used just now" in told(game, "not cloak")
    assert "It has been used: once per" in told(game, "not cloak")
    game.answer(2)
    assert "It has been used: once per" in told(game, "not cloak") and "just now" not in told(game, "not cloak")


def test_a_quantity_is_told_by_its_own_formula_and_what_adjusts_it() -> None:
    game = house("may do plant", 'may "Go on?"', "  lose 1 fame")
    number = Explainer(game, 0).measure(next(x for x in Explainer(game, 0).measures() if x.name == "vigour"), (0,))
    assert number is not None and number.value == 8
    assert [(t.amount, t.label.removesuffix(" of Ann")) for t in number.terms] == [
        (3, "coins"), (2, "sticks"), (1, ""), (2, "Oak"),
    ]  # fmt: skip
    assert number.terms[-1].when and number.terms[-1].cause is not None
    assert number.terms[-1].cause.line == line("adjust vigour")
    assert "vigour of Ann 8 = 3 coins" in told(game, "vigour") and "it cannot" not in told(game, "need oak")
    game.answer("ash")
    entry = next(x for x in reversed(game.log) if x.kind == "gain")
    (gained,) = Explainer(game, 0).entry(entry).numbers
    assert gained.value == 8 and [t.label for t in gained.terms] == ["coins", "sticks", "", "Oak"]


# --- secrets --------------------------------------------------------------------------------------------


def test_what_one_may_not_see_is_not_told() -> None:
    game = house("may do plant")
    assert "yew" not in game.ask.keys
    one = next(x for x in reasons_of(game, "yew") if x.name == "unseen")
    assert one.holds is None and one.found.secret and not one.found.values
    said = told(game, "not yew")
    shown = said.replace("what is not hidden of left of you", "").replace("Yew is not hidden of left of you", "")
    assert why_options.SECRET in said and "hidden of" not in shown
    assert next(x for x in reasons_of(game, "yew", seat=1) if x.name == "unseen").holds is False


def test_names_of_what_was_drawn_in_secret_are_not_asked_about() -> None:
    lines = ("draw a tree from trees as drawn secretly", "choose a tree as guess where it is not drawn", "gain 1 fame")
    game = house(*lines)
    missing = next(x for x in ("sapling", "oak", "yew", "ash") if x not in game.ask.keys)
    one = next(x for x in reasons_of(game, missing) if x.sort == "where")
    assert one.holds is None and one.found.secret


@pytest.mark.parametrize(
    "steps_before",
    [
        ("let n = height of hidden of left of you",),
        ("let n = 0", "set n to height of hidden of left of you"),
        ("let n = 0", "add height of hidden of left of you to n"),
        ("let n = 0", "if hidden of left of you is yew", "  set n to 4"),
        ("let n = height-hidden of left of you",),
    ],
)
def test_names_made_of_secrets_are_not_asked_about_however_they_were_made(steps_before: tuple[str, ...]) -> None:
    game = house(*steps_before, "choose a tree as guess where height of it > n", "gain 1 fame")
    missing = next(x for x in ("sapling", "oak", "yew", "ash") if x not in game.ask.keys)
    one = next(x for x in reasons_of(game, missing) if x.sort == "where")
    assert one.holds is None and one.found.secret and not one.found.values
    assert " 4" not in told(game, f"not {missing}")


def test_terms_that_hang_on_a_secret_are_not_told_to_others() -> None:
    text = """
keep card of player as number, secret
quantity sum-up "sum" of player is card of you + coin of you
"""
    said = ('announce you, "says", sum-up of you', 'may "Go on?"', "  lose 1 fame")
    lines = ("gain 2 coin", "set card of you to 5", *said)
    game = Rules(program(text + steps(*lines)), "trial").new_game(["Ann", "Ben"], seed=1)
    entry = next(x for x in game.log if "says" in x.text)
    mine, other = (Explainer(game, seat).entry(entry).numbers for seat in (0, 1))
    assert [(term.amount, term.label) for term in mine[0].terms] == [(5, "card"), (2, "coins")]
    assert other[0].hidden and not other[0].terms


def test_a_veiled_line_is_explained_no_further_than_it_is_read() -> None:
    game = played(("kuhn-poker",), 3, 1)
    for entry in game.view(0).log:
        if entry.text.endswith(": unseen"):
            assert Explainer(game, 0).entry(entry).numbers == ()


def test_no_explanation_of_a_game_with_hidden_hands_shows_another_hand() -> None:
    for seed in range(6):
        game, luck = played(("kuhn-poker",), seed, 0), Random(seed)
        while not game.over:
            mine = game.view(game.seat).words("hand", game.seat)
            shown = [*(f"#{n}" for n in range(1, 30)), "", "1", "last", "score", f"score {game.players[1 - game.seat]}"]
            said = "\n".join(told(game, about) for about in shown)
            assert not [card for card in ("Jack", "Queen", "King") if card != mine and card in said], said
            game.answer(luck.randrange(game.count))


# --- properties over games --------------------------------------------------------------------------------


def places(names: tuple[str, ...], found: Reason) -> Iterator[Cause]:
    yield found.cause
    yield found.found.cause
    yield from (one.cause for one in found.unless)


@cache
def source(file: str) -> list[str]:
    folders = (ROOT, ROOT / "modules", ROOT / "examples")
    path = next(folder / file for folder in folders if (folder / file).is_file())
    return path.read_text(encoding="utf-8").splitlines()


def certainly_false(found: Finding) -> bool:
    """Whether a condition that is said not to hold is borne out by its parts."""
    if not found.parts:
        return found.holds is False
    if found.shape == "all":
        return found.parts[-1].holds is False
    if found.shape == "every":
        return any(part.holds is False for part in found.parts)
    return all(part.holds is False for part in found.parts)


@pytest.mark.parametrize("names", SETS, ids="-".join)
def test_whatever_is_offered_or_not_has_its_reasons(names: tuple[str, ...]) -> None:
    """Over a random game: what is offered meets all demands, what is not fails at least one, and places exist."""
    asked = 0
    for seed in range(examples(1, 8) if len(names) > 1 else 4):
        game, luck = played(names, seed, 0), Random(seed)
        while not game.over:
            if luck.random() < 0.3 and game.ask.domain != "ways":
                _check(names, game)
                asked += 1
            game.answer(luck.randrange(game.count))
    assert asked > 1


def _check(names: tuple[str, ...], game: Game) -> None:
    before, log = game.state, len(game.log)
    why, offered = Why(game, game.seat), {option.value for option in game.ask.options}
    for option in why.candidates().options:
        found = why.reasons(option.value) if option.value >= 0 else ()
        for place in (place for one in found for place in places(names, one)):
            assert 0 < place.line <= len(source(place.file)), place
        if option.value in offered:
            assert all(one.holds is not False for one in found), (option.text, found)
            assert why_options.offered(why, option)[0].place
        elif option.value >= 0:
            bad = [one for one in found if one.holds is False]
            assert bad or any(one.holds is None for one in found), (game.ask.prompt, option.text)
            for one in bad:
                assert certainly_false(one.found) or one.excepted is not None
            assert len(why_options.refused(why, option)) > 1
    assert game.state == before and len(game.log) == log


@pytest.mark.parametrize("names", [SETS[0], SETS[1], SETS[4], SETS[5]], ids="-".join)
def test_playing_a_step_again_gives_the_same_events(names: tuple[str, ...]) -> None:
    game = played(names, 7, 60)
    explainer = Explainer(game, None)
    for step in explainer.steps[-25:]:
        seen = [(one.kind, one.pc) for one in traced(game.table, step).events]
        assert seen == [(step.events[i], step.events[i + 1]) for i in range(0, len(step.events), o.EVENT_SIZE)]


# --- lines of the log -------------------------------------------------------------------------------------


@cache
def bots_game(*names: str) -> Game:
    from edict.bots import BOTS

    game = rules(*names).new_game(["Ann", "Ben", "Cindy"], seed=5)
    bots = [BOTS["judge"](game.program, seat) for seat in range(3)]
    while not game.over:
        game.answer(bots[game.seat].choose(game.view(game.seat), game.ask))
    return game


def test_a_battle_is_told_term_by_term() -> None:
    game = bots_game("kingsburg")
    explainer, found = Explainer(game, None), 0
    for entry in (x for x in game.log if " with strength " in x.text):
        one = explainer.entry(entry)
        strength = int(entry.text.rsplit(" ", 1)[1])
        for number in one.numbers:
            found += 1
            assert number.value == strength == sum(term.amount for term in number.terms)
            assert number.terms[0].label in ("soldier", "soldiers") or number.terms[0].cause is not None
        titles = [link.cause.title for link in one.chain]
        assert titles[0] == "Kingsburg" and titles[-2:] == ["Winter", "The Battle"]
    assert found > 5


def test_conditions_of_adjustments_are_named_in_their_terms() -> None:
    game = bots_game("kingsburg")
    explainer = Explainer(game, None)
    terms = [t for x in game.log if " with strength " in x.text for n in explainer.entry(x).numbers for t in n.terms]
    conditional = [term for term in terms if term.when]
    assert any(term.label == "Barricade" and "Goblins" in term.when for term in conditional)
    assert all(term.cause is not None and term.cause.file == "rules/buildings.edict" for term in conditional)


def test_a_price_and_a_reward_are_told_term_by_term() -> None:
    game = bots_game("kingsburg")
    explainer = Explainer(game, None)
    numbers = [(x, n) for x in game.log if x.kind == "gain" for n in explainer.entry(x).numbers]
    assert all(sum(t.amount for t in n.terms) == n.value for _, n in numbers)
    crane = [n for x, n in numbers if any(t.label == "Crane" for t in n.terms)]
    assert crane and crane[0].terms[1].amount == -1
    assert any({t.label for t in n.terms} == {"Sergeant", "Stables"} for _, n in numbers)


def test_dice_with_a_token_make_their_total_in_terms() -> None:
    for seed in range(12):
        game = played(("kingsburg",), seed, 500)
        lines = [x for x in game.log if "with" in x.text and "+2 token" in x.text and x.kind == "choice"]
        for entry in lines[:1]:
            number = Explainer(game, None).entry(entry).numbers[-1]
            assert number.terms[-1].amount == 2 and number.value == sum(term.amount for term in number.terms)
            return
    pytest.fail("no token was used in any of these games")


def test_an_answer_is_told_with_all_it_had_to_meet() -> None:
    game = played(("kingsburg",), 2, 30)
    answers = (x for x in reversed(game.log) if x.kind == "choice" and "Pass" not in x.text)
    entry = next(x for x in answers if x.cause.name == "influence")
    one = Explainer(game, None).entry(entry)
    assert {"one-guest", "at-court", "received"} <= {reason.name for reason in one.met}
    assert all(reason.holds for reason in one.met)


def test_scores_and_quantities_as_they_stand() -> None:
    game = bots_game("kingsburg")
    explainer, scores = Explainer(game, None), game.scores()
    for seat, name in enumerate(game.players):
        score = explainer.score(seat)
        assert score is not None and score.value == scores[name]
        assert sum(term.amount for term in explainer.scored(seat)) == scores[name]
    strength = next(one for one in explainer.measures() if one.name == "strength")
    number = explainer.measure(strength, (1,))
    assert number is not None and number.value == sum(term.amount for term in number.terms)


def test_a_rule_of_a_module_is_named_with_its_module() -> None:
    game = bots_game("kingsburg", "governors", "destiny", "advisor-tiles")
    explainer = Explainer(game, None)
    for module in ("governors", "destiny", "advisor-tiles"):
        entry = next(entry for entry in game.log if entry.cause.file.startswith(f"{module}/"))
        assert explainer.entry(entry).chain[-1].module == module
        assert explainer.entry(entry).chain[0].module == ""


# --- at the keyboard ------------------------------------------------------------------------------------------


def test_nonsense_is_answered_clearly() -> None:
    game = house("may do plant")
    assert "There is no option 99 now" in told(game, "99")
    assert "Nothing here is called `xyz`" in told(game, "not xyz")
    assert "Why not what?" in told(game, "not")
    assert "is asked by" in told(game, "") and "why score" in told(game, "")
    assert "there is no line" in told(game, "#900").casefold()
    assert "not the number of a line" in told(game, "line abc")


def test_help_names_the_commands() -> None:
    assert {"why not NAME", "why score NAME", "why QUANTITY"} <= {command for command, _ in HELP}


def test_answers_are_wrapped_under_themselves() -> None:
    screen = Screen((), colour=False)
    screen.simple = False
    long = why_options.Said("word " * 60, "rules/some.edict:12", 2)
    made = screened.lines(screen, [long])
    assert len(made) > 2 and all(isinstance(x, Text) and x.cell_len <= screen.width for x in made)
    assert all(line.plain.startswith("      w") or "[" in line.plain for line in made)


def test_asking_in_play_and_in_a_replay(tmp_path: Path) -> None:
    typed = "why\nwhy 1\nwhy not xyz\nwhy 99\nlog\nwhy last\nwhy #1\nwhy score\nwhy strength\nhelp\nquit\n"
    args = ("play", "--human", "Ann", "--bot", "random:Ben", "--seed", "3", "--save", "game.jsonl")
    done = kingsburg(tmp_path, *args, typed=typed)
    assert done.returncode == 0, done.stderr
    assert "offered by" in done.stdout and "rules/" in done.stdout and "Nothing here is called `xyz`" in done.stdout
    assert "battle strength of Ann 0" in done.stdout and "Ann: 0" in done.stdout
    replayed = kingsburg(tmp_path, "replay", "game.jsonl")
    assert any(line.lstrip().startswith("1 ") for line in replayed.stdout.splitlines())
    why = kingsburg(tmp_path, "replay", "game.jsonl", "--why", "1")
    assert why.returncode == 0 and "rules/year.edict" in why.stdout
    assert "There is no line 9999" in kingsburg(tmp_path, "replay", "game.jsonl", "--why", "9999").stdout
    assert "in “" in kingsburg(tmp_path, "replay", "game.jsonl", "--why", "last").stdout
