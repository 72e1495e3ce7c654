"""The documentation of the language (the guide to writing rules, language and words), whose examples must compile.

Every construct must have a row. The word after ```edict tells the kind of a block: `game` stands alone, no word or
`over kingsburg` is laid over a game, `steps` stand in a player's turn, `values` are one per line, and a `fragment` is
only parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edict.compiler.pipeline.pipeline import build_program
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.construct_rows import find_row_at, find_rows, list_rows
from edict.compiler.syntax.parse import parse
from edict.compiler.syntax.patterns import lines_under, patterns
from edict.prose.rulebook.language_reference import example_modules
from edict.support.report import Diagnostic
from edict.support.text import Source

ROOT = Path(__file__).resolve().parents[3]
PAGES = ("guides/write-rules.md", "reference/language.md", "reference/words.md")
UNUSED = ("E0510", "E0554")  # that nothing plays its phases or asks for what it keeps does not matter


def iter_code_blocks(page: str) -> Iterator[tuple[str, str, str, int]]:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    for match in re.finditer(r"^```edict([^\n]*)\n(.*?)^```$", text, re.M | re.S):
        yield page, match[1].strip() or "rules", match[2], text[: match.start()].count("\n") + 1


BLOCKS = [block for page in PAGES for block in iter_code_blocks(page)]


def find_faults(kind: str, text: str) -> list[Diagnostic]:
    """Return the diagnostics of a code block."""
    if kind == "fragment":
        return list(parse(Source("example.edict", text)).diagnostics)
    built = build_program(example_modules(kind, text), optimized=False)  # nobody plays it
    return [d for d in built.diagnostics if d.code not in UNUSED]


@pytest.mark.sample(50)
@pytest.mark.parametrize(
    ("page", "kind", "text", "line"), BLOCKS, ids=[f"{page}-{line}" for page, _, _, line in BLOCKS]
)
def test_documented_example_has_no_faults(page: str, kind: str, text: str, line: int) -> None:
    diagnostics = find_faults(kind, text)
    assert not diagnostics, [f"{page}:{line + d.span.line}: {d.span} {d.title} ({d.help})" for d in diagnostics]


def test_documentation_has_examples() -> None:
    kinds = {kind for _, kind, _, _ in BLOCKS}
    assert len(BLOCKS) > 100 and kinds == {"rules", "steps", "values", "game", "over kingsburg", "fragment"}


def test_language_page_is_short() -> None:
    """The page has the ideas; the effects of words are in the rows."""
    assert len((ROOT / "docs" / "reference" / "language.md").read_text(encoding="utf-8").split()) <= 2000


# --- the rows --------------------------------------------------------------------------------------


def list_node_types() -> list[Any]:
    """Return the node classes that have instances."""
    found: list[Any] = [kind for kind in vars(t).values() if isinstance(kind, type) and issubclass(kind, t.Node)]
    return [kind for kind in found if patterns(kind) or not kind.__subclasses__()]


def list_rules(kind: Any) -> set[str]:
    """Return the rules of a class's patterns and lines, or of its name if it has no pattern."""
    own = set(patterns(kind)) or {re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower().rstrip("_")}
    return own | set(lines_under(kind))


def test_every_construct_has_a_row_and_every_row_a_construct() -> None:
    """A new construct needs a row in `grammar/reference`, with its effect and an example."""
    told = {rule for row in list_rows() for rule in row.of}
    missing = {f"{kind.__name__}: {rule}" for kind in list_node_types() for rule in list_rules(kind) - told}
    assert not missing
    assert told <= {rule for kind in list_node_types() for rule in list_rules(kind)} | {"binary"}
    names = [row.name for row in list_rows()]
    assert len(names) == len(set(names))
    assert not {
        (row.name, other) for row in list_rows() for other in row.see if other not in names or other == row.name
    }


def test_every_keyword_is_found_in_the_reference() -> None:
    grammar = (ROOT / "grammar" / "edict.lark").read_text(encoding="utf-8")
    words = set(re.findall(r'"([a-z]+)"', "\n".join(line.split("//")[0] for line in grammar.splitlines())))
    assert not {word for word in words if not find_rows(word)}


def test_effect_of_every_construct_is_short(subtests: pytest.Subtests) -> None:
    for row in list_rows():
        with subtests.test(row=row):
            assert row.does.endswith(".") and len(row.does.split()) <= 75 and row.example, row.name


def test_find_row_at_finds_keywords_but_not_names(subtests: pytest.Subtests) -> None:
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
        with subtests.test(line=line):
            row = find_row_at(line, line.index(word) + 1)
            assert row is not None and row.name == name
    assert find_row_at("gain 1 marble", 9) is None
