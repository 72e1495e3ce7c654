"""Checks of abilities that act for each owner of a thing, and of prices.

Rules that come to more or less than was meant are reported; those that may be deliberate are not.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from edict.compiler.pipeline.pipeline import analyze
from edict.support.text import Source
from helpers import add_game, make_module, underlined_text
from huts import GAME, apply_fix, codes_and_texts, find_in

# --- abilities that act for each owner -----------------------------------------------------------

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


def test_event_of_a_player_without_a_test_of_the_player_is_reported(subtests: pytest.Subtests) -> None:
    for moment, mend in ASKED.items():
        with subtests.test(moment=moment):
            text = f"{CHARMS}{RING}{moment}\n    gain 1 coin\n"
            assert codes_and_texts(text) == [("E0572", moment.partition(" if ")[0].split()[-1])]
            assert apply_fix(text) == text.replace(f"when {moment}\n", f"when {mend}\n")


def test_event_of_several_players_is_reported_without_a_fix(subtests: pytest.Subtests) -> None:
    deal = (
        "moment dealt with player called giver and player called taker\n"
        "keep pact of player by player called other as set of charm, quiet\n"
    )
    done = "    trigger dealt with you and left of you\n    add ring to pact of you by left of you\n"
    for moment, labels in (("dealt", ["`giver` is declared"]), ("joining pact", [])):  # generated parameters
        with subtests.test(moment=moment):
            text = (
                f"{CHARMS.replace('    trigger won', done + '    trigger won')}{deal}{RING}{moment}\n    gain 1 coin\n"
            )
            (diagnostic,) = (one for one in find_in(text) if one.code != "E0554")  # nothing reads a pact
            assert (diagnostic.code, diagnostic.edits, [one.text for one in diagnostic.labels]) == (
                "E0572",
                (),
                labels,
            ), moment


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


def test_event_whose_player_is_known_is_not_reported(subtests: pytest.Subtests) -> None:
    notes = "keep lucky of player as truth\nkeep lately as player or none\n"
    sets = "when won\n  set lately to victor\n  set lucky of victor to yes\n"
    shown = 'display luck\n  line lately\n  each player\n  column "Lucky" lucky of player\n'
    for ability in KNOWN:
        with subtests.test(ability=ability):
            assert codes_and_texts(f"{CHARMS}{notes}{sets}{shown}{RING}{ability}") == []


def test_ability_run_for_a_single_thing_is_not_reported() -> None:
    each = "    each charm in worn of you\n      do won of charm with you\n"
    told = CHARMS.replace("    trigger won with you\n", each)
    assert codes_and_texts(f"{told}{RING}won\n    gain 1 coin\n") == []


def test_ability_of_the_table_is_not_reported() -> None:
    assert codes_and_texts(f"{CHARMS}\nwhen won\n  each player\n    gain 1 coin\n") == []
    weather = f"{CHARMS}\nkind weather\n  works if weather is rain\nweather rain\n  when won\n    each player\n"
    assert codes_and_texts(f"{weather}      gain 1 coin\n") == []


def test_gain_of_everybody_for_each_owner_is_reported() -> None:
    text = f"{CHARMS}{RING}end of trial-run{EACH}"
    assert codes_and_texts(text) == [("E0573", "each player")]
    assert apply_fix(text) == text.replace(EACH, "\n    gain 1 coin\n")


def test_gain_for_each_owner_is_reported_beside_shuffles_and_rerolls() -> None:
    rows = "die flat with 2 sides\nkeep row as order of player, quiet\nkeep hand of player as dice, quiet\n"
    mixed = f"{CHARMS}{rows}routine mix\n  shuffle row\n  reroll all within hand of you\n"
    only = mixed.replace("require what is not in worn of you", "require not (some player has what is in worn of it)")
    assert [code for code, _ in codes_and_texts(f"{only}{RING}end of trial-run{EACH}") if code == "E0573"] == []
    assert ("E0573", "each player") in codes_and_texts(f"{mixed}{RING}end of trial-run{EACH}")


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


def test_deliberate_effect_of_an_owner_on_others_is_not_reported(subtests: pytest.Subtests) -> None:
    for ability in MEANT:
        with subtests.test(ability=ability):
            assert codes_and_texts(f"{CHARMS}{RING}{ability}") == []


ONLY_ONE = (
    ("    add what to worn of you", "    add what to worn of you\n    add what to forged-once"),
    ("    add what to worn of you", "    move what from hoard to worn of you"),
    ("require what is not in worn of you", "require not (some player has what is in worn of it)"),
    ("choose a charm as what", "choose a charm from hoard as what where (every everyone has not worn-by of it)"),
)


def test_gain_of_everybody_for_a_thing_with_a_single_owner_is_not_reported(subtests: pytest.Subtests) -> None:
    more = "keep hoard as set of charm starting at charms\nkeep forged-once as set of charm\n"
    more += "value worn-by of player is worn of player is not empty\n"
    for line, only in ONLY_ONE:
        with subtests.test(only=only):
            text = f"{CHARMS.replace(line, only)}{more}{RING}end of trial-run{EACH}"
            assert "E0573" not in [code for code, _ in codes_and_texts(text)]


# --- amounts that no rule reads ------------------------------------------------------------------

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


def test_amount_of_a_resource_that_no_rule_reads_is_reported() -> None:
    assert codes_and_texts(GAME + PRICES) == [("E0570", "pearl")]  # in the yield; the whole cost is paid
    assert codes_and_texts(GAME + PRICES.replace("gain yield of villa in coin coin", "gain yield of villa")) == []
    assert codes_and_texts(GAME + PRICES.replace("  yield 1 coin, 1 pearl", "  yield 1 coin")) == []
    unasked = PRICES.replace("gain yield of villa in coin coin", "gain 1 coin")
    assert codes_and_texts(GAME + unasked) == []  # a field that no rule reads yet


def test_price_of_a_group_reads_only_its_resources() -> None:
    price = "quantity price of villa in stuff is cost of villa in stuff\n"
    text = PRICES.replace("spend cost of what", "spend price of what") + price
    assert [code for code, _ in codes_and_texts(GAME + text)] == ["E0570", "E0570"]  # a group without pearls
    both = text.replace("price of what", "price of what\n      lose cost of what in pearl pearl")
    assert [code for code, _ in codes_and_texts(GAME + both)] == ["E0570"]


def test_resource_of_a_module_is_read_by_prices_of_the_game() -> None:
    """Buyers of the mansion pay rubies, too; only the lack of a source of rubies is reported."""
    mansion = "resource ruby\n\nvilla mansion\n  cost 1 stick, 9 ruby\n  yield 1 coin\n"
    beneath = make_module(*add_game(GAME, PRICES.replace("  yield 1 coin, 1 pearl", "  yield 1 coin")))
    over = replace(make_module(name="more", kind="module"), sources=(Source("more.edict", mansion),))
    outcome = analyze((beneath, over))
    assert [
        (diagnostic.code, underlined_text(mansion, diagnostic))
        for diagnostic in outcome.diagnostics
        if diagnostic.span.file == "more.edict"
    ] == [
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
    ("adjust price by -1", "cottage is lodge"),  # costs sticks and bricks
    ("hut barn\n  height 2\n  adjust price by -1", "day > 3"),
)


def test_price_adjusted_per_resource_is_reported_with_two_remedies(subtests: pytest.Subtests) -> None:
    for adjust, condition in EACH_RESOURCE:
        with subtests.test(adjust=adjust, condition=condition):
            text = PRICED + adjust + (f" if {condition}" if condition else "")
            (diagnostic,) = find_in(text)
            assert (diagnostic.code, underlined_text(text, diagnostic)) == ("E0574", "price")
            both = [part for part in diagnostic.help.split("`") if part.startswith("if material is ")]
            assert len(both) == 2 and all(codes_and_texts(f"{PRICED}{adjust} {asked}") == [] for asked in both), (
                adjust,
                condition,
            )


def test_deliberate_adjustment_per_resource_is_not_reported(subtests: pytest.Subtests) -> None:
    for adjust in (
        "adjust price by -1 if material is brick",
        "adjust price by -1 if material is in stuffs and day > 3",
        "adjust price by 0 - material of you",
        "adjust price by -1 if cottage is cabin",  # costs a single resource
        "adjust room by 2",  # the same amount for each
        "adjust rent by 2",
    ):
        with subtests.test(adjust=adjust):
            assert codes_and_texts(PRICED + adjust) == []
