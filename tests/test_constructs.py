"""Teaching the language one more statement or value stays cheap: in how many files of the front end each is named."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import median

from edict.front import tree as t

FRONT = Path(t.__file__).parent
SOURCES = {file: file.read_text(encoding="utf-8") for file in FRONT.rglob("*.py") if file.name != "tree.py"}
MEDIAN, MOST = 5, 13  # as they are now; they may fall, and must not rise

# What everything is made of is named wherever anything is looked at.
COMMON = {"Number", "Name", "Apply", "Unary", "Binary"}


def naming(kind: type) -> list[Path]:
    """The files that name a class of nodes, or hold a method for it; the tree, where it stands, left out."""
    name, method = kind.__name__, kind.__name__.lower()
    named = re.compile(rf"\bt\.{name}\b|def (_|_x_|visit_){method}\(")
    return [file for file, text in SOURCES.items() if named.search(text)]


def statements() -> list[type]:
    kinds = (kind for kind in vars(t).values() if isinstance(kind, type))
    return [kind for kind in kinds if issubclass(kind, t.Stmt) and kind is not t.Stmt]


def test_statements_are_named_in_few_files() -> None:
    counts = {kind.__name__: len(naming(kind)) for kind in statements()}
    assert median(counts.values()) <= MEDIAN and max(counts.values()) <= MOST, counts


def test_values_are_named_in_few_files() -> None:
    kinds = (kind for kind in vars(t).values() if isinstance(kind, type) and issubclass(kind, t.Expr))
    counts = {kind.__name__: len(naming(kind)) for kind in kinds if kind is not t.Expr and kind.__name__ not in COMMON}
    assert median(counts.values()) <= 6 and max(counts.values()) <= 8, counts


def test_a_simple_statement_needs_its_node_its_code_and_its_words() -> None:
    assert {file.relative_to(FRONT).parts[0] for file in naming(t.Swap)} == {"lower", "words"}
