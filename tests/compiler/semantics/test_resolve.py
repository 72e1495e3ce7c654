"""The pass `resolve`: meanings and scopes of names, and diagnostics for names without meaning."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest
import yaml

from edict.compiler.pipeline.pipeline import analyze
from edict.compiler.semantics.symbols import Local, Meaning, Symbol
from edict.compiler.sources.folders import Manifest, Module
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.traversal import walk
from edict.support.text import Source
from helpers import (
    add_game,
    codes_and_texts,
    compile_texts,
    describe_diagnostic,
    list_errors,
    make_module,
    make_phase,
    resolve_texts,
    underlined_text,
)

CARDS = """
kind card "card/cards"
  rank number from 1 to 9
card ace
  rank 1
card king
  rank 9
"""


def find_meanings(text: str, word: str) -> list[Meaning]:
    """Return the meaning of each use of a word in the first page, in the order of the text."""
    outcome = resolve_texts(text)
    assert outcome.value is not None and outcome.ok, outcome.diagnostics
    book = outcome.value.book
    nodes = (node for owner in book.roots for node in walk(owner))
    names = [
        node for node in nodes if isinstance(node, t.Name) and node.word == word and node.span.file == "page1.edict"
    ]
    mine = sorted(names, key=lambda node: node.span)
    return [outcome.value.meaning[node] for node in mine if node in outcome.value.meaning]


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


def test_name_is_bound_to_its_declaration(subtests: pytest.Subtests) -> None:
    for line, word, sort in BOUND:
        with subtests.test(line=line):
            actual = [meaning.sort for meaning in find_meanings(CARDS + make_phase(line), word)]
            assert actual[-1:] == ([sort] if sort else [])


def test_plural_has_the_meaning_of_the_singular(subtests: pytest.Subtests) -> None:
    text = "kind enemy\nkind box\nenemy orc\nbox chest\n" + make_phase(
        "let x = enemies", "let y = boxes", "gain 2 coins"
    )
    for word, name in (("enemies", "enemy"), ("boxes", "box"), ("coins", "coin")):
        with subtests.test(word=word):
            (meaning,) = find_meanings(text, word)
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


def test_local_name_is_visible_in_the_rest_of_its_block() -> None:
    blocks = (f"if yes\n{indent(lines, '  ')}" for lines in HOLDS)
    assert not resolve_texts(CARDS + make_phase(*blocks)).diagnostics


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


def test_local_name_is_not_visible_outside_its_block() -> None:
    text = CARDS + make_phase(*(f"if yes\n{indent(lines, '  ')}" for lines, _ in ENDS))
    actual = [(d.code, underlined_text(text, d)) for d in resolve_texts(text).diagnostics]
    assert actual == [("E0201", word) for _, word in ENDS]


def test_inner_name_shadows_the_outer_one() -> None:
    text = CARDS + make_phase("let x = 1", "each card as x", "  gain rank of x coin", "gain x coin")
    first, loop, inner, outer = find_meanings(text, "x")
    assert inner is loop and outer is first and inner is not outer


def test_local_name_does_not_shadow_a_kind_where_a_kind_must_stand() -> None:
    """Inside `each card`, `card` is the one card; where a kind must stand, it is still the kind."""
    text = CARDS + make_phase("each card", "  each card as other", "    gain rank of card + rank of other coin")
    kind, inner, used = find_meanings(text, "card")[-3:]
    assert kind.sort == inner.sort == "kind" and isinstance(used, Local)
    assert not resolve_texts("kind pet\n  likes set of pet\npet dog\n  likes dog\n").diagnostics


def test_ability_sees_the_parameters_of_its_target() -> None:
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
    assert not resolve_texts(text).diagnostics


def test_file_order_does_not_matter() -> None:
    later = "routine early\n  do late\nroutine late\n  gain 1 coin\n"
    assert not resolve_texts(make_phase("do early"), later).diagnostics


# --- diagnostics -----------------------------------------------------------------------------------


UNBOUND = yaml.safe_load((Path(__file__).parent / "unbound.yaml").read_text(encoding="utf-8"))


def test_unbound_name_is_reported_once_with_advice(subtests: pytest.Subtests) -> None:
    for row in UNBOUND:
        with subtests.test(row=row):
            (diagnostic,) = compile_texts(row["rules"]).diagnostics
            assert {"rules": row["rules"], **describe_diagnostic(row["rules"], diagnostic)} == row
    text = make_phase("gain 1 aaa", "gain 1 bbb", "do ccc with ddd")
    assert codes_and_texts(text) == [("E0201", word) for word in ("aaa", "bbb", "ccc", "ddd")], "each time"


def test_name_of_the_wrong_sort_points_to_its_declaration() -> None:
    (diagnostic,) = compile_texts(make_phase("let x = 1", "play x")).diagnostics
    assert diagnostic.labels[0].text == "defined" and diagnostic.labels[0].span.line == 3
    assert "a name of this rule" in diagnostic.title


def test_field_clash_is_reported_at_the_field_of_the_module() -> None:
    game = make_module(*add_game("quantity price of player is 1\n"))
    source = Source("more.edict", "kind charm\n  price number\ncharm bell\n  price 2\n")
    more = Module(Manifest("more", "More", "1.0.0", "module"), Path("more"), (source,))
    (diagnostic,) = [d for d in analyze((game, more)).diagnostics if d.code == "E0204"]
    assert (diagnostic.span.file, diagnostic.span.line) == ("more.edict", 2) and "`charm-price`" in diagnostic.help


# --- `it` in the block of a loop, where the member has another name ------------------------------------

HUTS = "kind hut\n  size number\nhut mill\n  size 1\n"
IT = {
    "each hut\n  gain size of it coin": "hut",
    "each hut as one\n  gain size of it coin": "one",
    "each player\n  gain coin of it coin": "you",
    "each hut\n  each player\n    nothing\n  gain size of it coin": "hut",
}


def test_it_in_a_loop_suggests_the_member_name_and_elsewhere_only_an_example(subtests: pytest.Subtests) -> None:
    for loop, meant in IT.items():
        with subtests.test(loop=loop):
            (diagnostic,) = list_errors(make_phase(loop), HUTS)
            assert (diagnostic.code, diagnostic.help, [edit.text for edit in diagnostic.edits]) == (
                "E0201",
                f"write `{meant}`",
                [meant],
            )
    outside = {make_phase("gain coin of it coin"): "you", "quantity wealth of player is coin of it": "player"}
    for rules, meant in outside.items():
        with subtests.test(rules=rules):
            diagnostic = list_errors(rules)[0]
            assert (
                diagnostic.code == "E0201" and diagnostic.help.endswith(f"such as `{meant}`") and not diagnostic.edits
            ), rules
