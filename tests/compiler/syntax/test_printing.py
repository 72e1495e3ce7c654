"""What is printed is read again as the same tree: of every file that ships, and of any tree there could be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.parse import parse
from edict.compiler.syntax.printing import WIDTH, expression, page_text, printed, text_of
from edict.compiler.syntax.printing.canonical import formatted, same
from edict.compiler.syntax.walking import walk
from edict.support.text import NOWHERE, Source
from examples import examples
from trees import everything, pages

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted(path for room in ("rules", "modules", "examples", "grammar") for path in (ROOT / room).rglob("*.edict"))
PHASES = (Phase.generate,)  # to make a tree smaller takes longer than to read it


def read(text: str) -> t.Page:
    return parse(Source("page.edict", text)).unwrap()


def value(text: str) -> str:
    """A value as it is printed."""
    definition = read(f"quantity q is {text}\n").definitions[0]
    assert isinstance(definition, t.Quantity)
    return expression(definition.value)


@pytest.mark.sample(40)
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_ships_is_laid_out_and_read_again_as_it_was_with_every_node_at_its_place(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert formatted(Source("page.edict", text)).unwrap() == text, f"kingsburg fmt {path.relative_to(ROOT)}"
    page = read(text)
    assert same(page.definitions, read(page_text(page)).definitions)
    lines = text.split("\n")
    for node in walk(page.definitions):
        line = lines[node.span.line - 1]
        assert node.span.column <= len(line)
        if isinstance(node, t.Name) and node.word and node.span.line == node.span.end_line:
            written = line[node.span.column - 1 : node.span.end_column - 1]
            assert node.word in (written, "everyone", "nobody", "you")


def _concrete(cls: Any = t.Node) -> Iterator[type]:
    for below in cls.__subclasses__():
        yield from _concrete(below)
    if not cls.__subclasses__():
        yield cls


def _read_again(page: t.Page) -> None:
    text = page_text(page)
    assert same(page.definitions, read(text).definitions), text
    assert page_text(read(text)) == text


@settings(max_examples=examples(25, 600), suppress_health_check=list(HealthCheck), phases=PHASES)
@given(pages)
def test_any_tree_is_read_again_as_it_was(page: t.Page) -> None:
    _read_again(page)


@pytest.mark.slow
@settings(max_examples=examples(2, 50), suppress_health_check=list(HealthCheck), phases=PHASES)
@given(everything)
def test_every_class_of_node_is_read_again_as_it_was(page: t.Page) -> None:
    assert not {*_concrete()} - {type(node) for node in walk(page.definitions)}, "forgotten in trees.py"
    _read_again(page)


@settings(max_examples=examples(15, 300), suppress_health_check=list(HealthCheck), phases=PHASES)
@given(pages)
def test_what_is_printed_is_laid_out_already(page: t.Page) -> None:
    """Printing and laying out are one layout."""
    text = page_text(page)
    assert formatted(Source("page.edict", text)).unwrap() == text


VALUES = (
    ("((a+b)) * -c", "(a + b) * -c"),
    ("a - (b - c) - d", None),
    ("price  of (oak)in plum", "price of (oak) in plum"),
    ("x of a by b for c", None),
    ("(trees where a is not b) with most h of it then fewest 2", None),
    ("every tree has h of it != 3 and not (x or y)", None),
    ("sum of (h of it) over owned of you mod 2", None),
    ("cube showing 6 + cubes among (hand of you) - no-dice", None),
    ("a is in b or a is not in b or a is within b or b is not empty", None),
)


def test_values_keep_their_words_and_parentheses() -> None:
    for written, as_printed in VALUES:
        assert value(written) == (as_printed or written)


def test_parentheses_that_a_tree_needs_are_added() -> None:
    def name(word: str) -> t.Name:
        return t.Name(NOWHERE, word)

    added = t.Binary(NOWHERE, "+", name("a"), name("b"))
    assert expression(t.Binary(NOWHERE, "*", added, t.Unary(NOWHERE, "not", name("c")))) == "(a + b) * (not c)"
    assert expression(t.Apply(NOWHERE, name("h"), (added, name("c")))) == "h of (a + b) by c"


LONG = "quantity hopes of player is best of (h of it) over (trees where " + " and ".join(["a of it = b"] * 9) + ")\n"


def test_a_long_line_is_broken_inside_its_widest_parentheses() -> None:
    (line,) = printed(read(LONG).definitions[0])
    assert line.written[0] == "quantity hopes of player is best of (h of it) over ("
    assert line.written[1:4] == ["  trees", "  where a of it = b", "  and a of it = b"]
    assert line.written[-1] == ")"
    assert max(map(len, line.written)) <= WIDTH
    assert same(read(LONG).definitions, read(text_of([line])).definitions)


def test_every_line_knows_what_stands_on_it() -> None:
    text = "phase day\n  if a\n    play b\n  else\n    play c\n"
    lines = printed(read(text).definitions[0])
    assert [type(line.node).__name__ for line in lines] == ["Phase", "If", "Play", "If", "Play"]
    assert [line.depth for line in lines] == [0, 1, 2, 1, 2]


def test_parts_of_several_files_stand_fields_first() -> None:
    """What modules brought together has no order of its own."""
    one = read("oak oak-1\n  adjust a by 1\n  h 2\n").definitions[0]
    other = parse(Source("other.edict", "oak oak-1\n  b 3\n")).unwrap().definitions[0]
    assert isinstance(one, t.Thing) and isinstance(other, t.Thing)
    assert [line.text for line in printed(one)] == ["oak oak-1", "adjust a by 1", "h 2"]
    joined = t.Thing(one.span, one.name, "", one.kind, one.fields + other.fields, one.abilities)
    assert [line.text for line in printed(joined)] == ["oak oak-1", "h 2", "b 3", "adjust a by 1"]


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
    assert expression(t.Apply(NOWHERE, head, (arg, _name("c")))) == first
    assert expression(t.Apply(NOWHERE, head, (_name("c"), arg))) == last
