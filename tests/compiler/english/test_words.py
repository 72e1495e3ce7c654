"""Words generated from rules: what a step, a card or an option means."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from edict.compiler.english import describe, describe_thing
from edict.compiler.english.block_phrases import describe_block
from edict.compiler.english.phrases import describable_classes
from edict.compiler.syntax import tree as t
from edict.support.morphology import to_sentence
from helpers import compile_program, link_texts, make_phase

SILENT = (t.Trigger, t.Let, t.Announce)  # these need no words
RULES = """
kind hut "hut/huts"
  size number
  cost amounts
  gift effect "Gift"
  harm effect "Damage"
hut mill "Mill"
  size 2
  cost 1 stick
  gift gain 1 coin
  harm lose 2 coin
  adjust strength by 1 if coin of you > 3
  adjust strength by -1
quantity strength "battle strength" of player is 1
keep hand "dice" of player as dice
routine scout "look around"
  nothing
moment won "after a victory"
"""


def describe_each(lines: Iterable[str], more: str = "") -> dict[str, str]:
    """Return the words of each step; they are read together, each in a phase of its own."""
    all_lines = [*lines]
    phases = "".join(make_phase(line).replace("phase trial-run", f"phase line-{i}") for i, line in enumerate(all_lines))
    resolved = link_texts(RULES + more + phases).resolved
    return {
        line: describe(resolved, resolved.require_definition(f"line-{i}").block[0]) for i, line in enumerate(all_lines)
    }


SAID = {
    "gain 1 coin": "gain 1 coin",
    "gain 2 coin and 1 stick": "gain 2 coins and 1 stick",
    "gain 1 coin or 2 stick": "gain 1 coin or 2 sticks",
    "gain 2 stuff": "gain 2 stuff of your choice",
    "gain 1 from stuff": "gain 1 of your choice from stuff",
    "gain coin of you from stuff": "gain as many of your choice from stuff as your coins",
    "if some stuff has it of you > coin of you\n  gain 1 coin": "if you have more of some piece of stuff than your coins, gain 1 coin",
    "gain 1 of each stuff": "gain 1 of each piece of stuff",
    "lose 2 coin": "lose 2 coins",
    "spend 2 coin\n  gain 1 stick\nelse\n  lose 1 fame": "spend 2 coins to gain 1 stick; if you cannot, lose 1 fame",
    'each player at once\n  may "Hide?"\n    nothing': "everybody at the same time: you may say yes to “Hide?”",
    "gain best of coin of you and 2 stick": "gain sticks equal to the larger of your coins and 2",
    "if count of everyone = 1\n  gain 1 coin": "if there is exactly 1 player, gain 1 coin",
    "draw a number from 1 to 20 as n": "draw a number from 1 to 20",
    "gain least of coin of you + 1 and 5 stick": "gain sticks equal to the smaller of your coins plus 1 and 5",
    "gain best of 1, coin of you and fame of you stick": "gain sticks equal to the largest of 1, your coins and your fame",
    "roll 1 cube and 2 gem as thrown": "roll 1 cube and 2 gems (“thrown”)",
    "choose a die from hand of you as one where it > 3": "choose one of your dice that show more than 3",
    "may choose a die from hand of you as one where it is not 2": "you may choose one of your dice that do not show 2",
    "choose up to 2 dice from hand of you as some where it = 1": "choose up to 2 of your dice that show 1 (“some”)",
    "reroll (hand of you where it < 3) within hand of you": "reroll those of your dice that show less than 3",
    "if some hand of you has it = 6\n  gain 1 coin": "if some of your dice show 6, gain 1 coin",
    "if not (every hand of you has it > 2)\n  nothing": "if not all of your dice show more than 2, nothing",
    "reroll (hand of you with fewest it) within hand of you": "reroll your dice with the lowest number",
    "gain cost of mill and 1 coin": "gain the cost of Mill and 1 coin",
    "lose cost of mill": "lose the cost of Mill",
    "each player in (players with most best of size of it over huts)\n  gain 1 coin": "for each player with the highest size of huts: gain 1 coin",
    "for first of (players with most coin of it)\n  lose 1 coin": "for the first of the players with the most coins: lose 1 coin",
    "each player with most coin of it then fewest fame of it\n  lose 1 coin": "for each player with the most coins, then the fewest fame: lose 1 coin",
    "do scout": "look around",
    "play trial-run": "trial run",
    "nothing": "nothing",
    "end game": "the game ends",
    "lose coin of you coin": "lose all your coins",
    "gain coin of you coin and 1 stick": "gain as many coins as you have and 1 stick",
    "lose coin of left of you coin": "lose coins equal to the coins of the player to your left",
    "give 1 coin to left of left of you": "give 1 coin to the player to the left of the player to your left",
    "gain coin of you / 2 fame": "gain 1 fame for every 2 of your coins",
    "gain 2 * coin of you fame": "gain 2 fame for each of your coins",
    "gain coin of you + 1 fame": "gain fame equal to your coins plus 1",
    "gain (coin of you + 1) / 2 fame": "gain fame equal to half of your coins, rounded up",
    "gain coin of left of you / 2 fame": "gain fame equal to half of the coins of the player to your left, rounded down",
    "if count of faces of hand of you = 1\n  gain 1 coin": "if all of your dice show the same number, gain 1 coin",
    "if 6 is in faces of hand of you\n  gain 1 coin": "if some of your dice show 6, gain 1 coin",
    "if count of faces of hand of you >= 3\n  gain 1 coin": "if your dice show at least 3 different numbers, gain 1 coin",
    "let few = players with fewest coin of it": "“few” are the players with the fewest coins",
    "let spare = coin of you - 3": "“spare” is your coins minus 3",
    "let rival = left of you": "“rival” is the player to your left",
    "if coin of you > 3 or fame of you > 1 and stick of you = 0\n  gain 1 coin": "if you have more than 3 coins, or you have more than 1 fame and you have no sticks, gain 1 coin",
    "if not (coin of you > 3 or stick of you = 0)\n  gain 1 coin": "if you have at most 3 coins and you have sticks, gain 1 coin",
    "if not (every player has coin of it > 3)\n  gain 1 coin": "if some player has at most 3 coins, gain 1 coin",
    "if not (some player has coin of it > 3)\n  gain 1 coin": "if no player has more than 3 coins, gain 1 coin",
    "if every hut has size of it > 2\n  gain 1 coin": "if every hut's size is more than 2, gain 1 coin",
    "if not (some hut has size of it > 2)\n  gain 1 coin": "if no hut's size is more than 2, gain 1 coin",
    "if count of everyone = 2\n  gain 1 coin": "if there are exactly 2 players, gain 1 coin",
    "each player in (players with most coin of it)\n  gain 1 coin": "for each player with the most coins: gain 1 coin",
    "each player in everyone - you\n  gain 1 coin": "for each other player: gain 1 coin",
    "roll 1 cube as thrown\nif total of thrown >= 4\n  gain 1 coin": "roll 1 cube",
    'choose one\n  option "Hold"\n    nothing\n  option "Take"\n    gain 1 coin': "choose one: “Hold”, or “Take”: gain 1 coin",
    'choose one\n  option "Gain 1 VP"\n    gain 1 fame\n  option "Take it" if coin of you > 1\n    gain 1 coin': "choose one: “Gain 1 VP”: gain 1 fame, or “Take it”, if you have more than 1 coin: gain 1 coin",
}


def test_each_step_is_described() -> None:
    assert describe_each(SAID) == SAID
    (longer,) = describe_each(["if coin of you > 3\n  gain 1 fame"]).values()
    assert all(part in longer for part in ("coin", "3", "if", "fame"))


PLACES = """
keep deck "deck" as order of hut, quiet
keep pile "discard pile" as order of hut
keep owned "huts" of player as set of hut
keep shown "hut on show" as hut or none
keep sack "sack" as bag of hut
"""
IN_SHORT = {
    "choose 2 huts from huts as some-huts": "choose 2 huts (“some huts”)",
    "choose 2 huts from owned of you as some-huts secretly": "choose in secret 2 huts from your huts (“some huts”)",
    "choose up to 3 huts from owned of you as some-huts where size of it > 1": "choose up to 3 huts from your huts whose size is more than 1 (“some huts”)",
    "choose coin of you huts from huts as some-huts": "choose as many huts as your coins (“some huts”)",
    "draw 2 huts from sack as some-huts": "draw 2 huts from the sack (“some huts”)",
    "draw 1 huts from sack as some-huts secretly": "draw 1 hut in secret from the sack (“some huts”)",
    "draw a hut from deck into owned of you": "draw a hut from the deck and put it into your huts",
    "draw 2 huts from deck into owned of you": "draw 2 huts from the deck and put them into your huts",
    "draw a hut from deck into shown": "draw a hut from the deck as the hut on show",
    "move mill from owned of you to pile": "move Mill from your huts to the discard pile",
    "move mill from owned of you to pile first": "move Mill from your huts to the top of the discard pile",
    "move owned of you from owned of you to owned of left of you": "move all of your huts to the huts of the player to your left",
    "move shown from shown to owned of you": "move the hut on show to your huts",
    "swap owned of you with owned of left of you": "swap your huts with the huts of the player to your left",
    "set (cubes showing 1 among hand of you) to 2 within hand of you": "turn the cubes that show 1 among your dice to 2",
    "add mill to pile first": "put Mill first in the discard pile",
    "add mill to pile": "put Mill last in the discard pile",
    "add 2 of mill to sack": "add 2 Mill to the sack",
    "add 1 of each hut to sack": "add 1 of each hut to the sack",
    "do scout 3 times": "3 times: look around",
    "each number from 1 to 3\n  gain 1 coin": "for each number from 1 to 3: gain 1 coin",
    "each number as n from 1 to coin of you\n  gain n coin": "for each number (“n”) from 1 to your coins: gain “n” coins",
    "each hut where size of it > 1\n  gain 1 coin": "for each hut whose size is more than 1: gain 1 coin",
    "each hut as one where size of it > 1\n  gain size of one coin": "for each hut (“one”) whose size is more than 1: gain coins equal to the size of that hut",
    "each hut in owned of you\n  gain 1 coin": "for each of your huts: gain 1 coin",
    "each player from left of you\n  gain 1 coin": "for each player, beginning with the player to your left and going round to the left: gain 1 coin",
    "each player from first of line where coin of it > 1\n  gain 1 coin": "for each player who has more than 1 coin, beginning with the first of the line and going round to the left: "
    "gain 1 coin",
    "repeat coin of you times\n  gain 1 coin": "as many times as your coins: gain 1 coin",
    "roll coin of you cube as thrown": "roll as many cubes as your coins",
    "gain 1 of each stuff except brick": "gain 1 of each piece of stuff except brick",
    "gain (size of mill) of each stuff": "gain as many of each piece of stuff as the size of Mill",
    "gain fame of first after you in everyone coin": "gain coins equal to the fame of the next player to your left among everyone",
    "gain fame of first after (left of you) in everyone coin": "gain coins equal to the fame of the next player to the left of the player to your left among everyone",
    "gain sum of size of it over huts coin": "gain coins equal to the total size of huts",
    "if can spend 2 coin\n  gain 1 stick": "if you can pay 2 coins, gain 1 stick",
    "if can spend 2 coin and 1 stick or 1 fame\n  gain 1 stick": "if you can pay 2 coins and 1 stick, or 1 fame, gain 1 stick",
    "if count of deck < 2\n  gain 1 coin": "if fewer than 2 are left in the deck, gain 1 coin",
    "if count of deck = 1\n  gain 1 coin": "if exactly 1 is left in the deck, gain 1 coin",
    "if count of owned of you < 2\n  gain 1 coin": "if you have fewer than 2 huts, gain 1 coin",
    "if deck is not empty\n  gain 1 coin": "if the deck is not empty, gain 1 coin",
}


def test_shorthand_steps_are_described() -> None:
    assert describe_each(IN_SHORT, PLACES) == IN_SHORT


REMEMBERED = {
    # a truth that nothing changes is left out
    'keep frost "the pass is frozen" as truth\nkeep thaw "it thaws" as truth starting at yes': {
        "if not frost and coin of you > 3\n  gain 1 coin": "if you have more than 3 coins, gain 1 coin",
        "if frost or coin of you > 3\n  gain 1 coin": "if you have more than 3 coins, gain 1 coin",
        "if frost and coin of you > 3\n  gain 1 coin": "if the pass is frozen and you have more than 3 coins, gain 1 coin",
        "if thaw and coin of you > 3\n  gain 1 coin": "if you have more than 3 coins, gain 1 coin",
        "if not thaw or coin of you > 3\n  gain 1 coin": "if you have more than 3 coins, gain 1 coin",
    },
    'keep crown "the Crown" as player or none': {
        "set crown to you": "take the Crown",
        "set crown to none": "nobody has the Crown",
        "if crown is you\n  gain 1 coin": "if you have the Crown, gain 1 coin",
        "if crown is not left of you\n  gain 1 coin": "if the player to your left does not have the Crown, gain 1 coin",
    },
    'keep crown "chief" as player or none': {
        "set crown to you": "you become the chief",
        "if crown is you\n  gain 1 coin": "if you are the chief, gain 1 coin",
        "if crown is none\n  gain 1 coin": "if nobody is the chief, gain 1 coin",
    },
    'keep leaders "leader/leaders" as set of player': {
        "set leaders to everyone": "the leaders become everyone",
        "if leaders != everyone\n  gain 1 coin": "if the leaders are not everyone, gain 1 coin",
    },
    'keep loser "lost the last battle" of player as truth': {
        "if loser of you\n  gain 1 coin": "if you lost the last battle, gain 1 coin",
        "set loser of you to no": "forget that you lost the last battle",
    },
    'keep stance "stance" of player as truth': {
        "if stance of you\n  gain 1 coin": "if “stance” holds for you, gain 1 coin",
        "each player in (players where stance of it)\n  gain 1 coin": "for each player where “stance” holds for them: gain 1 coin",
    },
    'keep victories "battles won" of player as number': {
        "each player with most victories of it\n  gain 1 coin": "for each player with the most battles won: gain 1 coin",
    },
    'keep over "busted" as truth': {
        "if not over\n  gain 1 coin": "if “busted” does not hold, gain 1 coin",
        "set over to yes": "from now on “busted” holds",
    },
    'keep over "the turn is over" as truth': {
        "if over\n  gain 1 coin": "if the turn is over, gain 1 coin",
    },
    'keep tired "tired" of player as truth': {
        "if tired of you\n  gain 1 coin": "if you are tired, gain 1 coin",
    },
    'keep crown "the crown" of player as truth': {
        "if not crown of you\n  gain 1 coin": "if you do not have the crown, gain 1 coin",
    },
    "keep loser of player as truth": {
        "if not loser of you\n  gain 1 coin": "if “loser” does not hold for you, gain 1 coin",
    },
    'keep pile "pile" as hut or none': {
        "set pile to none": "there is no pile any more",
        "each hut\n  set pile to hut": "for each hut: that hut is now the pile",
        "if pile is not none\n  gain 1 coin": "if there is a pile, gain 1 coin",
    },
    'keep seen "huts seen" as set of hut': {
        "if mill is in seen\n  gain 1 coin": "if the huts seen include Mill, gain 1 coin",
        "set seen to nobody": "clear the huts seen",
        "set seen to nobody + mill": "the huts seen become Mill",
        "set seen to seen + mill": "add Mill to the huts seen",
    },
    'keep dusk "hour of dusk" as number': {
        "if dusk + 1 > 3\n  gain 1 coin": "if the hour of dusk plus 1 is more than 3, gain 1 coin",
    },
}


def test_changes_of_stored_values_are_described(subtests: pytest.Subtests) -> None:
    for keep, said in REMEMBERED.items():
        with subtests.test(keep=keep):
            assert describe_each(said, f"{keep}\n") == said


def test_every_statement_and_expression_has_words(subtests: pytest.Subtests) -> None:
    """Options are made of these words, so nothing may lack them."""
    lines = """
may spend 1 stuff as paid
  gain 1 of each stuff except paid
may choose a hut as x where size of it > 1
  gain sum of size of it over huts coin
choose one
  gain 1 coin
  lose 1 coin
choose a number from 1 to 3 as n
roll 1 cube into hand of you
choose a die from hand of you as d
reroll d within hand of you
reroll all within hand of you
let s = huts with most size of it then fewest size of it
each hut in s
  do gift of hut
repeat 2 times
  gain best of size of it over huts coin
repeat until coin of you > 3 or not (size of mill is in faces of hand of you)
  gain - 1 + 2 * 3 / 1 mod 2 coin
set hand of you to cube showing 3
add cubes among hand of you to hand of you
remove no-dice from hand of you
draw a hut from huts as h
announce you, "sees", h
arrange line lowest coin of it first
shuffle line
trigger won
if (every hut has size of it is in faces of hand of you) and (some player has coin of it != 1)
  gain 1 coin
else
  lose 1 coin
if hand of you is empty or huts is within huts or during trial-run
  gain count of huts coin
"""
    resolved = link_texts(RULES + make_phase(lines, "do scout")).resolved
    for statement in resolved.require_definition("trial-run").block:
        with subtests.test(statement=statement):
            words = describe(resolved, statement)
            assert isinstance(words, str) and "  " not in words
            assert words or isinstance(statement, SILENT)


def test_thing_is_described_by_its_effects_and_abilities() -> None:
    resolved = link_texts(RULES + make_phase("do scout", "trigger won")).resolved
    mill = resolved.require_definition("mill")
    first, second = (describe(resolved, one) for one in mill.abilities)
    assert first.startswith("+1 to battle strength") and "coin" in first and second == "-1 to battle strength"
    words = describe_thing(resolved, mill)
    assert words.startswith("Gift: gain 1 coin. Damage: lose 2 coins. +1 to battle strength")


def test_thing_without_effects_refers_to_rules_about_it() -> None:
    """Otherwise players who may choose it could not read what it is good for."""
    rules = """
kind badge "badge/badges"
  gift effect, optional
badge star "Star"
badge moon "Moon"
badge sun "Sun"
  gift
    if star is in owned of you
      gain 1 coin
badge sky "Sky"
  adjust shine by 1 if sun is in owned of you or star is in owned of you
kind colour "colour"
colour red "Red"
keep owned "badges" of player as set of badge
quantity shine "shine" of player is 0
phase dawn "Dawn"
  each player
    if moon is in owned of you and red is in colours
      gain 1 coin
"""
    resolved = link_texts(rules + make_phase("play dawn")).resolved
    said = {
        name: describe_thing(resolved, resolved.require_definition(name)) for name in ("star", "moon", "sun", "red")
    }
    assert (said["star"], said["moon"]) == ("See Sun and Sky.", "See Dawn.")
    assert not said["sun"].startswith("See"), "it says itself what it does"
    assert not said["red"], "colours never do anything"


def test_names_are_titles_and_hyphens_are_spaces() -> None:
    resolved = link_texts(
        "kind hut\nhut old-mill\n"
        + make_phase("let x = old-mill", "let y = trial-total of you")
        + "keep trial-total of player as number\n"
    ).resolved
    first, second = (s.value for s in resolved.require_definition("trial-run").block if isinstance(s, t.Let))
    assert describe(resolved, first) == "old mill"
    assert describe(resolved, second) == "your trial total"


def test_sentences_start_with_a_capital_and_end_with_a_mark(subtests: pytest.Subtests) -> None:
    for text, expected in (
        ("gain 1 coin", "Gain 1 coin."),
        ("Really?", "Really?"),
        ("", ""),
        ("  two  ", "Two."),
        ("list:", "List:"),
    ):
        with subtests.test(text=text):
            assert to_sentence(text) == expected


def test_titles_have_a_singular_and_a_plural() -> None:
    made = compile_program('resource egg "egg/eggs"\nkind hut "hut/houses"\n' + make_phase("nothing"))
    assert made.variable_by_name["egg"].plural == "eggs" and made.kind_by_name["hut"].plural == "houses"
    assert made.variable_by_name["coin"].title == "coin"


def test_reveal_of_an_emptied_place_is_not_described(subtests: pytest.Subtests) -> None:
    keeps = "".join(f'keep {name} "{name}" of player as hut or none, secret\n' for name in ("pledge", "oath"))
    for step, words in (
        ("set pledge of you to none", "you have no pledge any more"),
        ("set pledge of you to mill", "your pledge becomes Mill; reveal your pledge"),
        ("set oath of you to none", "you have no oath any more; reveal your pledge"),
    ):
        with subtests.test(step=step):
            resolved = link_texts(RULES + keeps + make_phase(step, "show pledge of you to everyone")).resolved
            assert describe_block(resolved, resolved.require_definition("trial-run").block) == words


def test_number_known_before_play_is_written_as_a_number() -> None:
    settled = {
        "2 - 1": "1 coin",
        "2 + 3": "5 coins",
        "2 * 3": "6 coins",
        "-2": "-2 coins",
        "size of mill * 2": "4 coins",
    }
    lines = {f'text "Each brings", {number}, "coin/coins"': f"Each brings {words}" for number, words in settled.items()}
    assert describe_each(lines) == lines


def test_every_class_of_describable_nodes_has_a_describer(subtests: pytest.Subtests) -> None:
    """A new statement, ability or expression cannot be forgotten."""
    for above in (t.Expr, t.Stmt, t.Short, t.Ability):
        with subtests.test(above=above):
            assert {*above.__subclasses__()} - {t.Short} <= describable_classes()


def test_title_with_an_article_loses_it_after_a_possessive() -> None:
    net = 'keep net "the network" of player as set of player\n'
    rules = link_texts(net + make_phase("let many = count of net of you", "gain many coin"))
    (first, _) = rules.resolved.require_definition("trial-run").block
    assert describe(rules.resolved, first.value).endswith("in your network")


def test_title_of_a_cause_has_no_amount() -> None:
    for title, alone in (
        ("recruit _ soldiers", "recruit soldiers"),
        ("take tickets and give back up to _", "take tickets and give back"),
        ("pay _", "pay"),
    ):
        routine = f'routine errand "{title}" with number called often\n  gain often coin\n'
        found = compile_program(routine + make_phase("do errand with 2"))
        assert alone in {cause.title for cause in found.causes if cause.name == "errand"}
    resolved = link_texts(routine + make_phase("do errand with 2")).resolved
    assert describe(resolved, resolved.require_definition("errand").block[0]) == "gain X coins"
