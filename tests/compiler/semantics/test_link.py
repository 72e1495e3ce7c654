"""The pass `link`: numbers of things and attached abilities, independent of files."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from edict.compiler.lowering.constants import count_initial_bag_things
from edict.compiler.pipeline.pipeline import build_program
from edict.compiler.semantics.link import LinkedBook
from edict.compiler.sources.folders import Module
from edict.compiler.sources.module_set import hash_rules
from edict.runtime.program import Program
from edict.support.text import Source
from findings import format_diagnostics, load_mistakes
from helpers import Run, add_game, compile_program, compile_texts, layer_book, link_texts, make_module, make_phase

PARTS = (
    'kind hut "hut/huts"\n  row number\n  works if hut is in owned of you\n  in order of row\n',
    "keep owned of player as set of hut\n",
    'quantity strength "strength" of player is 1\n',
    "moment won with player called winner\n",
    "hut b\n  row 2\n  adjust strength by 2\n  when won if winner is you\n    gain 1 coin\n",
    "hut a\n  row 3\n  adjust strength by 3 if coin of you > 0\n"
    "  when end of trial-run, once per trial-run\n    gain 1 fame\n",
    "hut c\n  row 1\n  adjust strength by 5\n  exception to rest\n    instead\n      gain 9 coin\n",
    "adjust strength by 10\n",
    "when won\n  gain 1 brick\n",
    "routine rest\n  gain 1 stick\n",
    make_phase("add huts to owned of you", "gain strength of you fame", "trigger won with you", "do rest"),
)


def attached_names(link: LinkedBook, table: str, key: object) -> list[str]:
    return [held.name for held in getattr(link, table)[key]]


def test_abilities_are_attached_to_their_targets() -> None:
    link = link_texts(*PARTS)
    assert sorted(attached_names(link, "adjusts", "strength")) == ["", "a", "b", "c"]
    assert sorted(attached_names(link, "whens", ("won", ""))) == ["", "b"]
    assert attached_names(link, "whens", ("trial-run", "end")) == ["a"]
    assert attached_names(link, "exceptions", ("rest", "")) == ["c"]
    assert [type(a).__name__ for a in link.periods["trial-run"]] == ["When"]
    assert not link.shifts


def test_things_are_numbered_by_the_field_their_kind_names() -> None:
    assert [thing.name.word for thing in link_texts(*PARTS).things["hut"]] == ["c", "b", "a"]
    unordered = "kind hut\nhut b\nhut a\nhut c\n"
    assert [thing.name.word for thing in link_texts(unordered).things["hut"]] == ["b", "a", "c"]
    below = "kind hut\n  row number from -5 to 5\n  in order of row\nhut b\n  row 2\nhut a\n  row -3\n"
    assert [thing.name.word for thing in link_texts(below).things["hut"]] == ["a", "b"]


def test_resources_and_dice_are_numbered_together() -> None:
    link = link_texts("")
    assert [d.name.word for d in link.resources] == ["coin", "stick", "brick", "fame", "cube", "gem"]
    assert link.resource_indexes("stuff") == (1, 2) and link.resource_indexes("coin") == (0,)
    assert [d.name.word for d in link.dice] == ["cube", "gem"]


def test_exception_over_another_comes_first(subtests: pytest.Subtests) -> None:
    def exception(name: str, over: str = "") -> str:
        return f"exception {name} to rest{' over ' + over if over else ''}\n  instead\n    nothing\n"

    rest = "routine rest\n  nothing\n" + make_phase("do rest")
    for text in (exception("x") + exception("y", "x"), exception("y", "x") + exception("x")):
        with subtests.test(text=text):
            assert attached_names(link_texts(text + rest), "exceptions", ("rest", "")) == ["y", "x"]


# --- the order of files --------------------------------------------------------------------------------


def shuffle_sources(modules: Module, seed: int) -> Module:
    sources = list(modules.sources)
    random.Random(seed).shuffle(sources)
    return Module(modules.manifest, modules.folder, tuple(sources))


def get_fingerprint(made: Program) -> tuple[object, ...]:
    return (made.code, made.initial, made.variables, made.questions, made.kinds, made.rules_hash)


def test_order_of_files_and_of_definitions_does_not_change_the_program() -> None:
    base_module = make_module(*add_game(*PARTS))
    one, parts = build_program((base_module,)).unwrap(), list(PARTS)
    for seed in range(3):
        again = shuffle_sources(base_module, seed)
        assert get_fingerprint(one) == get_fingerprint(build_program((again,)).unwrap())
        assert hash_rules((base_module,)) == hash_rules((again,))
        random.Random(seed).shuffle(parts)
        other = Run(compile_program(*parts))
        for name, count in (("coin", 10), ("fame", 19), ("brick", 1), ("stick", 0)):
            assert Run(one).get_value(name, 0) == other.get_value(name, 0) == count, name


# --- errors --------------------------------------------------------------------------------------------


def test_kind_with_too_many_things_is_refused() -> None:
    text = "kind card\n" + "".join(f"card c{i}\n" for i in range(1_010))
    (diagnostic,) = compile_texts(text).diagnostics
    assert (diagnostic.code, diagnostic.span.line) == ("E0501", 1_002)
    assert diagnostic.title == "there are 1,010 things of kind `card`, and 1,000 are possible"
    assert diagnostic.help == "split the kind in two, or leave a module out"


COUNTED = """
kind card
  many number
  few number from 0 to 3
card ace
  many 20
  few 1
card king
  many 30
  few 2
"""


@pytest.mark.parametrize(
    ("start", "things"),
    [
        ("many of each card", 50),  # what is written
        ("few of each card", 6),  # the most that may be written
        ("3 of each card", 6),
        ("2 of each card + 1 of each card", 6),
        ("5 of ace + 3 of king", 8),
    ],
)
def test_initial_bag_contents_are_counted(start: str, things: int) -> None:
    bag, other = f"keep pile as bag of card starting at {start}, quiet\n", "keep heap as bag of card, quiet\n"
    assert count_initial_bag_things(link_texts(COUNTED + bag + other)) == things
    assert (
        count_initial_bag_things(link_texts(COUNTED + bag + other.replace(", quiet", " starting at 4 of ace, quiet")))
        == things + 4
    )


def test_linking_leaves_the_book_unchanged() -> None:
    """`link` reads the tree and writes tables beside it."""
    before = layer_book(*add_game(*PARTS))
    assert link_texts(*PARTS).resolved.book.definitions.keys() == before.definitions.keys()


# --- unique fields ------------------------------------------------------------------------------

SQUARES = """
kind square "square"
kind house "house"
  place square or none, optional
  column number from 0 to 4
  raised truth, optional
  sum-of is column of house * 2
  unique place, column
square north
square south
house inn
  place north
  column 1
house forge
  place south
  column 1
"""


def test_things_with_equal_unique_fields_are_reported(subtests: pytest.Subtests) -> None:
    for one in load_mistakes(Path(__file__).with_name("alike_mistakes.yaml")):
        with subtests.test(one=one):
            base = make_module(*add_game(SQUARES + one.get("below", "")))
            over = replace(
                make_module("", name="more", kind="module"), sources=(Source("more.edict", one.get("over", "")),)
            )
            assert format_diagnostics(d for d in build_program((base, over)).diagnostics if d.is_error) == one["said"]


# --- removed definitions ------------------------------------------------------------------------

PARISH = """
resource wax "wax"
kind parish "parish/parishes"
  tithe amounts
  patron saint or none, optional
kind saint "saint/saints"
  feast number
saint anne
  feast 1
parish hill
  tithe 1 wax
  patron anne
routine pray
  gain feast of anne coin
when end of trial-run
  each player
    do pray
"""


@pytest.mark.parametrize(
    ("removal", "uses"),
    [
        ("resource wax", ["  tithe 1 wax"]),
        ("saint anne", ["  patron anne", "  gain feast of anne coin"]),
        ("routine pray", ["    do pray"]),
        ("kind parish", ["parish hill"]),
        ("kind saint", ["saint anne"]),
        ("die cube", []),
        ("saint anne\nsaint anne\n  feast 2", []),
    ],
)
def test_removal_of_a_used_definition_is_reported_at_the_removal(
    removal: str, uses: list[str], subtests: pytest.Subtests
) -> None:
    base = make_module(*add_game(PARISH))
    over = replace(base, sources=(replace(base.sources[0], name="over.edict", text=f"remove {removal}\n"),))
    over = replace(over, manifest=replace(base.manifest, name="over", kind="module"))
    diagnostics = [d for d in build_program((base, over)).diagnostics if d.is_error]
    assert [d.code for d in diagnostics] == (["E0211"] if uses else [])
    for diagnostic in diagnostics:
        with subtests.test(diagnostic=diagnostic):
            assert (diagnostic.span.file, diagnostic.span.line) == ("over.edict", 1)
            *used, declared = diagnostic.labels
            assert [PARISH.splitlines()[label.span.line - 1] for label in used] == uses
            assert {label.text for label in used} == {"it is used"} and declared.text == "it was declared"
            name = removal.split("\n")[0]
            sort, called = name.split()
            assert diagnostic.title == f"the {sort} `{called}` is removed here, but other rules still need it"
            assert diagnostic.help == f"remove or amend those rules too, or `amend {name}` instead of removing it"
