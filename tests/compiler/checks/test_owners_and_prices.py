"""What things do for each player who owns them, and what is paid for them: rules that come to more, or less, than was
meant are told, those that may well be meant are not."""

from __future__ import annotations

from dataclasses import replace

from edict.compiler.pipeline.pipeline import understand
from edict.support.text import Source
from helpers import module, under, with_game
from huts import GAME, found_in, mended, said

# --- what things do for each player who owns them ------------------------------------------------

CHARMS = f"""{GAME}    may do forge
    trigger won with you

moment won with player called victor

kind charm
  works if charm is in worn of you

keep worn of player as set of charm

action forge
  choose a charm as what
  rule new
    require what is not in worn of you
  then
    add what to worn of you
    trigger forged with you and what

moment forged with player called smith and charm
"""
RING = "\ncharm ring\n  when "
EACH = "\n    each player\n      gain 1 coin\n"


ASKED = {
    "won": "won if victor is you",
    "won if day > 3": "won if victor is you and day > 3",
    "won if day > 3 or day = 0": "won if victor is you and (day > 3 or day = 0)",
    "won if (day + 1) * 2 > 9": "won if victor is you and (day + 1) * 2 > 9",
    "won if (day > 3 or day = 0)": "won if victor is you and (day > 3 or day = 0)",
    "won if (some hut has height of it > day), once per tick": "won if victor is you "
    "and (some hut has height of it > day), once per tick",
    "forged if charm is not ring": "forged if smith is you and charm is not ring",
    "gaining brick": "gaining brick if player is you",
    "joining worn if charm is ring": "joining worn if player is you and charm is ring",
}


def test_a_moment_of_one_player_and_it_is_not_asked_who_that_is() -> None:
    for moment, mend in ASKED.items():
        text = f"{CHARMS}{RING}{moment}\n    gain 1 coin\n"
        assert said(text) == [("E0572", moment.partition(" if ")[0].split()[-1])], moment
        assert mended(text) == text.replace(f"when {moment}\n", f"when {mend}\n")


def test_of_a_moment_of_several_players_it_is_not_proposed_which_is_meant() -> None:
    deal = (
        "moment dealt with player called giver and player called taker\n"
        "keep pact of player by player called other as set of charm, quiet\n"
    )
    done = "    trigger dealt with you and left of you\n    add ring to pact of you by left of you\n"
    for moment, labels in (("dealt", ["`giver` comes with it"]), ("joining pact", [])):  # which nobody has written
        text = f"{CHARMS.replace('    trigger won', done + '    trigger won')}{deal}{RING}{moment}\n    gain 1 coin\n"
        (found,) = (one for one in found_in(text) if one.code != "E0554")  # of a pact nobody asks
        assert (found.code, found.edits, [one.text for one in found.labels]) == ("E0572", (), labels), moment


KNOWN = (
    "won if victor is you\n    gain 1 coin\n",
    "won if victor is not you\n    gain 1 coin\n",
    "won if victor is in everyone\n    gain 1 coin\n",  # whoever that is
    "won\n    if coin of victor > 3\n      gain 1 coin\n",
    "won\n    give 1 coin to victor\n",
    "won if lucky of you\n    gain 1 coin\n",  # which may have been noted of the winner
    "won if lately is you\n    gain 1 coin\n",
    "end of trial-run\n    gain 1 coin\n",
)


def test_a_moment_of_which_it_is_known_whose_it_is_is_not_told() -> None:
    notes = "keep lucky of player as truth\nkeep lately as player or none\n"
    sets = "when won\n  set lately to victor\n  set lucky of victor to yes\n"
    shown = 'display luck\n  line lately\n  each player\n  column "Lucky" lucky of player\n'
    for ability in KNOWN:
        assert said(f"{CHARMS}{notes}{sets}{shown}{RING}{ability}") == [], ability


def test_a_thing_that_is_told_to_do_it_does_it_for_you_alone() -> None:
    each = "    each charm in worn of you\n      do won of charm with you\n"
    told = CHARMS.replace("    trigger won with you\n", each)
    assert said(f"{told}{RING}won\n    gain 1 coin\n") == []


def test_what_belongs_to_the_table_happens_once_whoever_it_was() -> None:
    assert said(f"{CHARMS}\nwhen won\n  each player\n    gain 1 coin\n") == []
    weather = f"{CHARMS}\nkind weather\n  works if weather is rain\nweather rain\n  when won\n    each player\n"
    assert said(f"{weather}      gain 1 coin\n") == []


def test_what_everybody_gains_once_for_each_owner_is_told() -> None:
    text = f"{CHARMS}{RING}end of trial-run{EACH}"
    assert said(text) == [("E0573", "each player")]
    assert mended(text) == text.replace(EACH, "\n    gain 1 coin\n")


def test_it_is_told_also_where_something_is_shuffled_or_rolled_again() -> None:
    rows = "die flat with 2 sides\nkeep row as order of player, quiet\nkeep hand of player as dice, quiet\n"
    mixed = f"{CHARMS}{rows}routine mix\n  shuffle row\n  reroll all within hand of you\n"
    only = mixed.replace("require what is not in worn of you", "require not (some player has what is in worn of it)")
    assert [code for code, _ in said(f"{only}{RING}end of trial-run{EACH}") if code == "E0573"] == []
    assert ("E0573", "each player") in said(f"{mixed}{RING}end of trial-run{EACH}")


MEANT = (
    "end of trial-run\n    gain 1 coin\n",
    "end of trial-run\n    gain 1 brick\n    each player\n      gain 1 coin\n",  # the owner most of all
    "end of trial-run\n    each player where it is not you\n      lose 1 coin\n",
    "end of trial-run\n    each player with most coin of it\n      lose 1 coin\n",
    "end of trial-run\n    each player as other\n      if coin of other > 1\n        gain 1 coin\n",
    "end of trial-run\n    may\n      each player\n        gain 1 coin\n",  # the owner decides
    f"end of trial-run if coin of you > 3{EACH}",
    "end of trial-run\n    each player\n      lose all coin\n",  # twice is no more than once
)


def test_what_an_owner_may_well_do_to_others_is_not_told() -> None:
    for ability in MEANT:
        assert said(f"{CHARMS}{RING}{ability}") == [], ability


ONLY_ONE = (
    ("    add what to worn of you", "    add what to worn of you\n    add what to forged-once"),
    ("    add what to worn of you", "    move what from hoard to worn of you"),
    ("require what is not in worn of you", "require not (some player has what is in worn of it)"),
    ("choose a charm as what", "choose a charm from hoard as what where (every everyone has not worn-by of it)"),
)


def test_a_thing_that_only_one_can_own_does_it_once() -> None:
    more = "keep hoard as set of charm starting at charms\nkeep forged-once as set of charm\n"
    more += "value worn-by of player is worn of player is not empty\n"
    for line, only in ONLY_ONE:
        text = f"{CHARMS.replace(line, only)}{more}{RING}end of trial-run{EACH}"
        assert "E0573" not in [code for code, _ in said(text)], only


# --- amounts for which nobody asks ---------------------------------------------------------------

PRICES = """
kind villa
  cost amounts
  yield amounts

villa palace
  cost 1 stick, 2 pearl
  yield 1 coin, 1 pearl

resource pearl

keep lived-in of player as set of villa

action buy
  choose a villa as what
  then
    spend cost of what
      add what to lived-in of you

when end of trial-run
  each player
    gain 1 pearl and 1 stick
    may do buy
    each villa in lived-in of you
      gain yield of villa in coin coin
"""


def test_an_amount_for_which_no_rule_asks_where_rules_ask_for_others() -> None:
    assert said(GAME + PRICES) == [("E0570", "pearl")]  # of what it yields; all that it costs is paid
    assert said(GAME + PRICES.replace("gain yield of villa in coin coin", "gain yield of villa")) == []
    assert said(GAME + PRICES.replace("  yield 1 coin, 1 pearl", "  yield 1 coin")) == []
    unasked = PRICES.replace("gain yield of villa in coin coin", "gain 1 coin")
    assert said(GAME + unasked) == []  # a field for which nobody asks yet


def test_a_price_of_a_group_asks_for_nothing_else() -> None:
    price = "quantity price of villa in stuff is cost of villa in stuff\n"
    text = PRICES.replace("spend cost of what", "spend price of what") + price
    assert [code for code, _ in said(GAME + text)] == ["E0570", "E0570"]  # a group without pearls
    both = text.replace("price of what", "price of what\n      lose cost of what in pearl pearl")
    assert [code for code, _ in said(GAME + both)] == ["E0570"]


def test_what_a_module_declares_is_in_the_prices_beneath_it() -> None:
    """Of what the mansion costs, its buyers are asked for the rubies too; only that nobody has any."""
    mansion = "resource ruby\n\nvilla mansion\n  cost 1 stick, 9 ruby\n  yield 1 coin\n"
    beneath = module(*with_game(GAME, PRICES.replace("  yield 1 coin, 1 pearl", "  yield 1 coin")))
    over = replace(module(name="more", kind="module"), sources=(Source("more.edict", mansion),))
    outcome = understand((beneath, over))
    assert [(one.code, under(mansion, one)) for one in outcome.diagnostics if one.span.file == "more.edict"] == [
        ("E0554", "ruby"),
    ]


# --- adjustments of every price at once ----------------------------------------------------------

PRICED = f"""{GAME}    gain 1 brick

quantity price of player by cottage in stuff called material is cost of cottage in material, at least 0
quantity room of stuff is 3
quantity rent of cottage is height of cottage

kind cottage
  height number from 1 to 9
  cost amounts

cottage lodge
  height 2
  cost 1 stick, 2 brick

cottage cabin
  height 1
  cost 1 stick

when end of trial-run
  each player
    gain price of you by lodge and room of stick stick
    gain rent of lodge coin
"""


EACH_RESOURCE = (
    ("adjust price by -1", ""),
    ("adjust price by 1", ""),
    ("adjust price by 0 - day", ""),
    ("adjust price by -1", "height of cottage > 1"),
    ("adjust price by -1", "height of cottage > 1 or day > 3"),
    ("adjust price by 1", "cottage is lodge"),
    ("adjust price by -1", "cottage is lodge"),  # which costs sticks and bricks
    ("hut barn\n  height 2\n  adjust price by -1", "day > 3"),
)


def test_a_price_adjusted_for_each_resource_is_told_with_two_remedies() -> None:
    for adjust, condition in EACH_RESOURCE:
        text = PRICED + adjust + (f" if {condition}" if condition else "")
        (found,) = found_in(text)
        assert (found.code, under(text, found)) == ("E0574", "price")
        both = [part for part in found.help.split("`") if part.startswith("if material is ")]
        assert len(both) == 2 and all(said(f"{PRICED}{adjust} {asked}") == [] for asked in both), (adjust, condition)


def test_an_adjustment_for_each_that_may_well_be_meant_is_not_told() -> None:
    for adjust in (
        "adjust price by -1 if material is brick",
        "adjust price by -1 if material is in stuffs and day > 3",
        "adjust price by 0 - material of you",
        "adjust price by -1 if cottage is cabin",  # which costs one thing alone
        "adjust room by 2",  # for each as much
        "adjust rent by 2",
    ):
        assert said(PRICED + adjust) == [], adjust
