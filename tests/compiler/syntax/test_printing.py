"""Printing and reparsing, which yields the same tree for every shipped file and any other tree."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.parse import parse
from edict.compiler.syntax.printing import WIDTH, join_lines, print_expression, print_lines, print_page
from edict.compiler.syntax.printing.canonical import format_source, is_same_tree
from edict.compiler.syntax.traversal import walk
from edict.support.text import NOWHERE, Source
from examples import choose_examples
from trees import everything, pages

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted(path for room in ("rules", "modules", "examples", "grammar") for path in (ROOT / room).rglob("*.edict"))
PHASES = (Phase.generate,)  # to make a tree smaller takes longer than to read it


def parse_text(text: str) -> t.Page:
    return parse(Source("page.edict", text)).unwrap()


def print_value(text: str) -> str:
    """Return a value as it is printed."""
    definition = parse_text(f"quantity q is {text}\n").definitions[0]
    assert isinstance(definition, t.Quantity)
    return print_expression(definition.value)


@pytest.mark.sample(40)
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_shipped_rules_are_canonical_and_reparse_to_the_same_tree(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert format_source(Source("page.edict", text)).unwrap() == text, f"kingsburg fmt {path.relative_to(ROOT)}"
    page = parse_text(text)
    assert is_same_tree(page.definitions, parse_text(print_page(page)).definitions)
    lines = text.split("\n")
    for node in walk(page.definitions):
        line = lines[node.span.line - 1]
        assert node.span.column <= len(line)
        if isinstance(node, t.Name) and node.word and node.span.line == node.span.end_line:
            written = line[node.span.column - 1 : node.span.end_column - 1]
            assert node.word in (written, "everyone", "nobody", "you")


def _iter_concrete_types(cls: Any = t.Node) -> Iterator[type]:
    for below in cls.__subclasses__():
        yield from _iter_concrete_types(below)
    if not cls.__subclasses__():
        yield cls


def _assert_reparses(page: t.Page) -> None:
    text = print_page(page)
    assert is_same_tree(page.definitions, parse_text(text).definitions), text
    assert print_page(parse_text(text)) == text


@settings(max_examples=choose_examples(25, 600), suppress_health_check=list(HealthCheck), phases=PHASES)
@given(pages)
def test_any_tree_reparses_to_itself(page: t.Page) -> None:
    _assert_reparses(page)


@pytest.mark.slow
@settings(max_examples=choose_examples(2, 50), suppress_health_check=list(HealthCheck), phases=PHASES)
@given(everything)
def test_every_node_type_reparses_to_itself(page: t.Page) -> None:
    assert not {*_iter_concrete_types()} - {type(node) for node in walk(page.definitions)}, "forgotten in trees.py"
    _assert_reparses(page)


@settings(max_examples=choose_examples(15, 300), suppress_health_check=list(HealthCheck), phases=PHASES)
@given(pages)
def test_printed_text_is_canonical(page: t.Page) -> None:
    """Printing and formatting give the same layout."""
    text = print_page(page)
    assert format_source(Source("page.edict", text)).unwrap() == text


VALUES = (
    ("((a+b)) * -c", "(a + b) * -c"),
    ("a - (b - c) - d", None),
    ("price  of (oak)in plum", "price of (oak) in plum"),
    ("x of a by b for c", None),
    ("(trees where a is not b) with most h of it then fewest 2", None),
    ("every tree has h of it != 3 and not (x or y)", None),
    ("a or b and no tree as one has h of one != 3 or x", None),
    ("a and  not some number from -1 to b + 2 has it = c", "a and not some number from -1 to b + 2 has it = c"),
    ("a and (some tree has x) and y", None),
    ("sum of h of it over trees as x where g of x > 3", None),
    ("no (numbers from 1 to 3) - x has it = c", None),
    ("sum of (h of it) over owned of you mod 2", None),
    ("cube showing 6 + cubes among (hand of you) - no-dice", None),
    ("a is in b or a is not in b or a is within b or b is not empty", None),
)


def test_printed_values_keep_words_and_parentheses(subtests: pytest.Subtests) -> None:
    for written, as_printed in VALUES:
        with subtests.test(written=written):
            assert print_value(written) == (as_printed or written)


def test_required_parentheses_are_added() -> None:
    def build_name(word: str) -> t.Name:
        return t.Name(NOWHERE, word)

    added = t.Binary(NOWHERE, "+", build_name("a"), build_name("b"))
    assert (
        print_expression(t.Binary(NOWHERE, "*", added, t.Unary(NOWHERE, "not", build_name("c")))) == "(a + b) * (not c)"
    )
    assert print_expression(t.Apply(NOWHERE, build_name("h"), (added, build_name("c")))) == "h of (a + b) by c"


LONG = "quantity hopes of player is best of (h of it) over (trees where " + " and ".join(["a of it = b"] * 9) + ")\n"


def test_long_line_is_broken_in_its_widest_parentheses() -> None:
    (line,) = print_lines(parse_text(LONG).definitions[0])
    assert line.physical_lines[0] == "quantity hopes of player is best of (h of it) over ("
    assert line.physical_lines[1:4] == ["  trees", "  where a of it = b", "  and a of it = b"]
    assert line.physical_lines[-1] == ")"
    assert max(map(len, line.physical_lines)) <= WIDTH
    assert is_same_tree(parse_text(LONG).definitions, parse_text(join_lines([line])).definitions)


def test_every_line_has_its_node() -> None:
    text = "phase day\n  if a\n    play b\n  else\n    play c\n"
    lines = print_lines(parse_text(text).definitions[0])
    assert [type(line.node).__name__ for line in lines] == ["Phase", "If", "Play", "If", "Play"]
    assert [line.depth for line in lines] == [0, 1, 2, 1, 2]


def test_parts_of_several_files_are_printed_fields_first() -> None:
    """Parts that modules brought together have no order of their own."""
    one = parse_text("oak oak-1\n  adjust a by 1\n  h 2\n").definitions[0]
    other = parse(Source("other.edict", "oak oak-1\n  b 3\n")).unwrap().definitions[0]
    assert isinstance(one, t.Thing) and isinstance(other, t.Thing)
    assert [line.text for line in print_lines(one)] == ["oak oak-1", "adjust a by 1", "h 2"]
    joined = t.Thing(one.span, one.name, "", one.kind, one.fields + other.fields, one.abilities)
    assert [line.text for line in print_lines(joined)] == ["oak oak-1", "h 2", "b 3", "adjust a by 1"]


def _name(word: str) -> t.Name:
    return t.Name(NOWHERE, word)


def _unary(op: str, arg: t.Expr) -> t.Unary:
    return t.Unary(NOWHERE, op, arg)


@pytest.mark.parametrize(
    ("arg", "first", "last"),
    [
        (_name("a"), "h of a by c", "h of c by a"),
        (t.Number(NOWHERE, 1), "h of 1 by c", "h of c by 1"),
        (t.Number(NOWHERE, -1), "h of (-1) by c", "h of c by (-1)"),
        (_unary("minus", _name("a")), "h of (-a) by c", "h of c by (-a)"),
        (_unary("left", _name("you")), "h of left of you by c", "h of c by left of you"),
        (_unary("count", _name("a")), "h of (count of a) by c", "h of c by (count of a)"),
        (
            _unary("left", _unary("left", _name("you"))),
            "h of (left of left of you) by c",
            "h of c by (left of left of you)",
        ),
        (
            _unary("left", t.Binary(NOWHERE, "+", _name("a"), _name("b"))),
            "h of left of (a + b) by c",
            "h of c by left of (a + b)",
        ),
        (t.Apply(NOWHERE, _name("g"), (_name("a"),)), "h of (g of a) by c", "h of c by g of a"),
        (
            _unary("left", t.Apply(NOWHERE, _name("g"), (_name("a"),))),
            "h of (left of g of a) by c",
            "h of c by (left of g of a)",
        ),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_argument_stands_in_parentheses_only_where_it_needs_them(arg: t.Expr, first: str, last: str) -> None:
    head = _name("h")
    assert print_expression(t.Apply(NOWHERE, head, (arg, _name("c")))) == first
    assert print_expression(t.Apply(NOWHERE, head, (_name("c"), arg))) == last
