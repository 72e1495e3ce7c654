"""docs/language.md and docs/reference.md: every example in them can be read and compiled; every construct has its row.

The word after ```edict says what a block is: `game` stands alone, nothing or `over kingsburg` is laid over a game,
`steps` stand in a player's turn, `values` are one a line, and a `fragment` is only read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edict.compiler.pipeline.pipeline import build
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.construct_rows import row_at, rows, rows_for
from edict.compiler.syntax.parse import parse
from edict.compiler.syntax.patterns import lines_under, patterns
from edict.prose.rulebook.language_reference import example_modules
from edict.support.report import Diagnostic
from edict.support.text import Source

ROOT = Path(__file__).resolve().parents[3]
PAGES = ("language.md", "reference.md")
UNUSED = ("E0510", "E0554")  # that nothing plays its phases or asks for what it keeps does not matter


def blocks(page: str) -> Iterator[tuple[str, str, str, int]]:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    for match in re.finditer(r"^```edict([^\n]*)\n(.*?)^```$", text, re.M | re.S):
        yield page, match[1].strip() or "rules", match[2], text[: match.start()].count("\n") + 1


BLOCKS = [block for page in PAGES for block in blocks(page)]


def found(kind: str, text: str) -> list[Diagnostic]:
    """What is wrong with a block."""
    if kind == "fragment":
        return list(parse(Source("example.edict", text)).diagnostics)
    built = build(example_modules(kind, text), optimized=False)  # nobody plays it
    return [d for d in built.diagnostics if d.code not in UNUSED]


@pytest.mark.sample(50)
@pytest.mark.parametrize(
    ("page", "kind", "text", "line"), BLOCKS, ids=[f"{page}-{line}" for page, _, _, line in BLOCKS]
)
def test_an_example_on_the_pages_of_the_language(page: str, kind: str, text: str, line: int) -> None:
    diagnostics = found(kind, text)
    assert not diagnostics, [f"{page}:{line + d.span.line}: {d.span} {d.title} ({d.help})" for d in diagnostics]


def test_there_are_examples() -> None:
    kinds = {kind for _, kind, _, _ in BLOCKS}
    assert len(BLOCKS) > 100 and kinds == {"rules", "steps", "values", "game", "over kingsburg", "fragment"}


def test_what_is_written_by_hand_is_read_in_half_an_hour() -> None:
    """What a word does stands in its row; the page has the tour and the ideas."""
    assert len((ROOT / "docs" / "language.md").read_text(encoding="utf-8").split()) <= 4000


# --- the rows --------------------------------------------------------------------------------------


def kinds() -> list[Any]:
    """The classes of nodes of which there are nodes."""
    found: list[Any] = [kind for kind in vars(t).values() if isinstance(kind, type) and issubclass(kind, t.Node)]
    return [kind for kind in found if patterns(kind) or not kind.__subclasses__()]


def written(kind: Any) -> set[str]:
    """The ways in which a class is written, and the lines below it; the name of the class, if it says none."""
    own = set(patterns(kind)) or {re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower().rstrip("_")}
    return own | set(lines_under(kind))


def test_every_construct_has_its_row_and_rows_tell_of_what_there_is() -> None:
    """Whoever adds one writes its row in `grammar/reference`: what it does, and an example."""
    told = {rule for row in rows() for rule in row.of}
    missing = {f"{kind.__name__}: {rule}" for kind in kinds() for rule in written(kind) - told}
    assert not missing
    assert told <= {rule for kind in kinds() for rule in written(kind)} | {"binary"}
    names = [row.name for row in rows()]
    assert len(names) == len(set(names))
    assert not {(row.name, other) for row in rows() for other in row.see if other not in names or other == row.name}


def test_every_word_of_the_language_is_found() -> None:
    grammar = (ROOT / "grammar" / "edict.lark").read_text(encoding="utf-8")
    words = set(re.findall(r'"([a-z]+)"', "\n".join(line.split("//")[0] for line in grammar.splitlines())))
    assert not {word for word in words if not rows_for(word)}


def test_what_a_construct_does_is_told_in_two_or_three_sentences() -> None:
    for row in rows():
        assert row.does.endswith(".") and len(row.does.split()) <= 75 and row.example, row.name


def test_a_word_in_a_line_has_its_row_and_a_name_has_none() -> None:
    for line, word, name in (
        ('choose one "What now?"', "one", "choose one"),
        ("choose a tree from deck as seen", "from", "choose"),
        ("choose up to 3 trees as wanted", "choose", "choose several"),
        ("choose a die from hand of you as worst", "choose", "choose dice"),
        ("gain count of owned of you coin", "count", "count of"),
        ("for left of you", "left", "left of"),
        ("keep bid of player as number, secret", "secret", "secret"),
        ("each player at once", "once", "at once"),
        ("if coin of you > 3 and plum of you = 0", "and", "conditions"),
        ("adjust price divided by 2 rounded up", "rounded", "adjust"),
    ):
        row = row_at(line, line.index(word) + 1)
        assert row is not None and row.name == name, line
    assert row_at("gain 1 marble", 9) is None
