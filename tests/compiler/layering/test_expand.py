"""The pass `expand`, whose tables and combinations equal things written by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from edict.compiler.pipeline.pipeline import analyze
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.parse import parse
from edict.compiler.syntax.printing.definition_printer import print_lines
from edict.support.text import Source
from findings import format_diagnostics, load_mistakes
from helpers import add_game, compile_texts, link_texts, list_errors, make_module, run_cases

KINDS = """
kind suit "suit"
suit heart "Heart/Hearts"
suit club
kind hut
  worth number
  price amounts
  near hut or none, optional
  note number, optional
  fall number from -1 to 1, optional
kind card
  suit suit
  rank number from 0 to 1
  worth number
"""


def print_things(text: str, kind: str) -> list[str]:
    """Return the things of a kind in rules that include a text, as they would be written by hand."""
    book = link_texts(KINDS + text).resolved.book
    found = [one for one in book.things if one.kind.word == kind]
    return ["\n".join("  " * line.depth + line.text for line in print_lines(one)) for one in found]


def test_row_becomes_a_thing_and_dash_leaves_field_unset() -> None:
    table = """
table of hut with worth, price, near, note
  mill "Mill" -3, 2 coin, -, 2
  barn 4, 1 coin, mill, -
"""
    by_hand = """
hut mill "Mill"
  worth -3
  price 2 coin
  note 2
hut barn
  worth 4
  price 1 coin
  near mill
"""
    assert print_things(table, "hut") == print_things(by_hand, "hut") != []


def test_combinations_equal_things_written_by_hand() -> None:
    made = print_things('card for each suit and rank "{rank} of {suit}"\n  worth 2\n', "card")
    assert made[1] == 'card heart-1 "1 of Heart"\n  suit heart\n  rank 1\n  worth 2'
    assert [text.splitlines()[0] for text in made] == [
        'card heart-0 "0 of Heart"',
        'card heart-1 "1 of Heart"',
        'card club-0 "0 of club"',
        'card club-1 "1 of club"',
    ]


def test_name_that_starts_with_a_number_gets_the_kind_in_front() -> None:
    assert [text.split()[1] for text in print_things("card for each rank and suit\n  worth 2\n", "card")][:2] == [
        "card-0-heart",
        "card-0-club",
    ]


def test_combination_can_be_removed_in_its_module() -> None:
    made = print_things("card for each suit and rank\n  worth 2\nremove card heart-1\n", "card")
    assert [text.split()[1] for text in made] == ["heart-0", "club-0", "club-1"]


def test_module_can_amend_remove_and_add_combinations() -> None:
    base = make_module(*add_game(KINDS + "card for each suit and rank\n  worth 1\n"))
    lines = "suit star\namend card heart-0\n  worth 9\nremove card club-1\ntable of card with suit, rank, worth\n"
    more = make_module(lines + "  joker star, 0, 3\n", name="more", kind="module")
    book = analyze((base, more)).unwrap().resolved.book
    worth = {
        name: one.fields[2].expr.value  # type: ignore[union-attr]
        for name, one in book.definitions.items()
        if isinstance(one, t.Thing) and one.kind.word == "card"
    }
    assert worth == {"heart-0": 9, "heart-1": 1, "club-0": 1, "joker": 3}


def test_each_fault_is_reported_once_at_its_place(subtests: pytest.Subtests) -> None:
    for one in load_mistakes(Path(__file__).with_name("table_mistakes.yaml")):
        with subtests.test(one=one):
            assert format_diagnostics(list_errors(KINDS + one["rules"])) == one["said"]


# --- what a thing of a table does -------------------------------------------------------------------

DEEDS = """
kind spell "spell/spells"
  deed effect
  price amounts
  toll number
keep deck as set of spell starting at spells
keep hand of player as set of spell
keep casts as number
"""


CELLS = {
    "gain 2 coin": 2,
    "gain 1 coin and 1 stick or 3 fame": 1,
    "lose all coin and 1 stick": 0,
    "do pay-out with 4": 4,
    "do deed of rich": 9,
    "draw 1 spell from deck into hand of you": 0,
    "move rich from deck to hand of you": 0,
    "add 1 to casts": 0,
    "set casts to 3": 0,
    "nothing": 0,
}


def test_cell_may_hold_a_step(subtests: pytest.Subtests) -> None:
    table = "table of spell with deed, price, toll\n  rich  gain 9 coin,  1 coin,  1\n"
    table += "".join(f"  spell-{i}  {cell},  1 coin and 1 stick,  2\n" for i, cell in enumerate(CELLS))
    rules = DEEDS + table + "routine pay-out with number called much\n  gain much coin\n"
    (written,) = parse(Source("page.edict", table)).unwrap().definitions
    shown = "\n".join(line.text for line in print_lines(written))
    cases = [(f"do deed of spell-{i}", cell, coin) for i, (cell, coin) in enumerate(CELLS.items())]
    for run, _, cell, coin in run_cases(cases, rules):
        with subtests.test(cell=cell):
            while not run.is_over:
                run.answer(run.options[0])
            assert run.get_value("coin", 0) == coin and cell in shown


def test_field_that_amendments_set_needs_no_column() -> None:
    table = "table of spell with price, toll\n  poor 1 coin, 1\n  rich 2 coin, 2\n"
    amended = "amend spell poor\n  deed gain 1 coin\n"
    assert [d.code for d in compile_texts(DEEDS + table + amended).diagnostics if d.is_error] == ["E0195"]
    assert not compile_texts(DEEDS + table + amended + amended.replace("poor", "rich")).diagnostics
