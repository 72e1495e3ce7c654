"""The pass `resolve`: what names are bound to, how far they reach, and what is said of those that mean nothing."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import yaml

from edict.compiler.pipeline.pipeline import understand
from edict.compiler.semantics.symbols import Local, Meaning, Symbol
from edict.compiler.sources.folders import Manifest, Module
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.walking import walk
from edict.support.text import Source
from helpers import compiled, errors, module, resolved, said, steps, under, whole, with_game

CARDS = """
kind card "card/cards"
  rank number from 1 to 9
card ace
  rank 1
card king
  rank 9
"""


def meanings(text: str, word: str) -> list[Meaning]:
    """What each use of a word in the first page means, in the order of the text."""
    outcome = resolved(text)
    assert outcome.value is not None and outcome.ok, outcome.diagnostics
    book = outcome.value.book
    nodes = (n for owner in (*book.definitions.values(), *book.standalone) for n in walk(owner))
    names = [n for n in nodes if isinstance(n, t.Name) and n.word == word and n.span.file == "page1.edict"]
    mine = sorted(names, key=lambda n: n.span)
    return [outcome.value.meaning[n] for n in mine if n in outcome.value.meaning]


# --- binding ---------------------------------------------------------------------------------------


BOUND = [
    ("gain 1 coin", "coin", "resource"),
    ("gain 1 stuff", "stuff", "group"),
    ("gain coin of you stick", "coin", "resource"),
    ("let x = ace", "ace", "thing"),
    ("let x = cards", "cards", "kind"),
    ("let x = card", "card", "kind"),
    ("let x = rank of ace", "rank", "field"),
    ("let x = line", "line", "keep"),
    ("roll 1 cube as x", "cube", "die"),
    ("let x = players", "players", "player"),
    ("gain 1 coin", "you", ""),
    ("let x = left of you", "you", "builtin"),
]


def test_a_name_is_bound_to_what_is_declared() -> None:
    for line, word, sort in BOUND:
        found = [meaning.sort for meaning in meanings(CARDS + steps(line), word)]
        assert found[-1:] == ([sort] if sort else []), line


def test_plurals_mean_the_same() -> None:
    text = "kind enemy\nkind box\nenemy orc\nbox chest\n" + steps("let x = enemies", "let y = boxes", "gain 2 coins")
    for word, name in (("enemies", "enemy"), ("boxes", "box"), ("coins", "coin")):
        (meaning,) = meanings(text, word)
        assert isinstance(meaning, Symbol) and meaning.name == name


HOLDS = [
    "let x = 2\ngain x coin",
    "choose a card as x\ngain rank of x coin",
    "choose a number from 0 to 3 as x\ngain x coin",
    "roll 2 cube as x\ngain total of x coin",
    "draw a card from cards as x\ngain rank of x coin",
    "choose a card as x where rank of it > 1\ngain rank of x coin",
    "each card as x\n  gain rank of x coin",
    "each card\n  gain rank of card coin",
    "each stuff as x\n  gain 1 x",
    "spend 1 stuff as x\n  gain 1 x",
    "may spend 1 stuff as x\n  gain 1 x",
    "may choose a card as x\n  gain rank of x coin",
    "let x = cards where rank of it > 1\ngain count of x coin",
    "let x = cards with most rank of it then fewest rank of it\ngain count of x coin",
    "let x = sum of rank of it over cards\ngain x coin",
    "if every card has rank of it > 0\n  gain 1 coin",
]


def test_a_name_bound_above_holds_below() -> None:
    blocks = (f"if yes\n{indent(lines, '  ')}" for lines in HOLDS)
    assert not resolved(CARDS + steps(*blocks)).diagnostics


ENDS = [
    ("if yes\n  let x = 2\ngain x coin", "x"),
    ("each card as x\n  nothing\ngain rank of x coin", "x"),
    ("spend 1 stuff as x\n  nothing\ngain 1 x", "x"),
    ("may choose a card as x\n  nothing\ngain rank of x coin", "x"),
    ("may choose a card as x\n  nothing\nelse\n  gain rank of x coin", "x"),
    ("gain x coin\nlet x = 2", "x"),
    ("gain it coin", "it"),
    ("let x = cards where rank of it > 1\ngain rank of it coin", "it"),
]


def test_a_name_does_not_hold_outside() -> None:
    text = CARDS + steps(*(f"if yes\n{indent(lines, '  ')}" for lines, _ in ENDS))
    found = [(d.code, under(text, d)) for d in resolved(text).diagnostics]
    assert found == [("E0201", word) for _, word in ENDS]


def test_the_inner_name_hides_the_outer_one() -> None:
    text = CARDS + steps("let x = 1", "each card as x", "  gain rank of x coin", "gain x coin")
    first, loop, inner, outer = meanings(text, "x")
    assert inner is loop and outer is first and inner is not outer


def test_a_local_name_does_not_hide_what_only_a_kind_can_be() -> None:
    """Inside `each card`, `card` is the one card; where a kind must stand, it is still the kind."""
    text = CARDS + steps("each card", "  each card as other", "    gain rank of card + rank of other coin")
    kind, inner, used = meanings(text, "card")[-3:]
    assert kind.sort == inner.sort == "kind" and isinstance(used, Local)
    assert not resolved("kind pet\n  likes set of pet\npet dog\n  likes dog\n").diagnostics


def test_an_ability_sees_the_parameters_of_what_it_touches() -> None:
    text = (
        CARDS
        + """
moment found with player called finder and card
quantity price of card by player called buyer is rank of card
routine sell with card called what
  nothing
action buy
  choose a card as which
  rule r
    require yes
adjust price by coin of buyer if rank of card > 1
when found
  gain rank of card coin
exception e to sell
  instead
    gain rank of what coin
exception f to buy.r if rank of which > 2
  allow
"""
    )
    assert not resolved(text).diagnostics


def test_file_order_does_not_matter() -> None:
    later = "routine early\n  do late\nroutine late\n  gain 1 coin\n"
    assert not resolved(steps("do early"), later).diagnostics


# --- diagnostics -----------------------------------------------------------------------------------


UNBOUND = yaml.safe_load((Path(__file__).parent / "unbound.yaml").read_text(encoding="utf-8"))


def test_what_cannot_be_bound_is_told_once_and_in_full() -> None:
    for row in UNBOUND:
        (found,) = compiled(row["rules"]).diagnostics
        assert {"rules": row["rules"], **whole(row["rules"], found)} == row
    text = steps("gain 1 aaa", "gain 1 bbb", "do ccc with ddd")
    assert said(text) == [("E0201", word) for word in ("aaa", "bbb", "ccc", "ddd")], "each time"


def test_a_wrong_sort_shows_where_it_is_declared() -> None:
    (found,) = compiled(steps("let x = 1", "play x")).diagnostics
    assert found.labels[0].text == "bound here" and found.labels[0].span.line == 3
    assert "a name of this rule" in found.title


def test_a_field_of_a_module_gives_way_to_what_the_game_has() -> None:
    game = module(*with_game("quantity price of player is 1\n"))
    source = Source("more.edict", "kind charm\n  price number\ncharm bell\n  price 2\n")
    more = Module(Manifest("more", "More", "1.0.0", "module"), Path("more"), (source,))
    (found,) = [d for d in understand((game, more)).diagnostics if d.code == "E0204"]
    assert (found.span.file, found.span.line) == ("more.edict", 2) and "`charm-price`" in found.help


# --- `it` in the lines below a loop: what is gone through has another name there -----------------------

HUTS = "kind hut\n  size number\nhut mill\n  size 1\n"
IT = {
    "each hut\n  gain size of it coin": "hut",
    "each hut as one\n  gain size of it coin": "one",
    "each player\n  gain coin of it coin": "you",
    "each hut\n  each player\n    nothing\n  gain size of it coin": "hut",
}


def test_it_is_told_by_the_name_it_has_and_outside_loops_nothing_is_guessed() -> None:
    for loop, meant in IT.items():
        (found,) = errors(steps(loop), HUTS)
        assert (found.code, found.help, [edit.text for edit in found.edits]) == ("E0201", f"write `{meant}`", [meant])
    outside = {steps("gain coin of it coin"): "you", "quantity wealth of player is coin of it": "player"}
    for rules, meant in outside.items():
        found = errors(rules)[0]
        assert found.code == "E0201" and found.help.endswith(f"such as `{meant}`") and not found.edits, rules
