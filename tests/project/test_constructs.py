"""Teaching the language one more construct stays cheap: in how many files of the engine each is named."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import median

from edict.compiler.codegen import core
from edict.compiler.lowering.block_lowering import LOWERINGS
from edict.compiler.syntax import tree as t

ENGINE = Path(t.__file__).parent.parent.parent
FILES = [file for file in ENGINE.rglob("*.py") if file.parent.name != "tree"]
_NAMED = re.compile(r"\bt\.([A-Z]\w*)|def (visit_\w+)\(")
NAMED = {file: {word for found in _NAMED.findall(file.read_text(encoding="utf-8")) for word in found} for file in FILES}

# What everything is made of is named wherever anything is looked at.
COMMON = {"Number", "Name", "Apply", "Unary", "Binary"}


def naming(kind: type) -> list[Path]:
    """The files that name a class of nodes, or visit it by a method; the tree, where it stands, left out."""
    as_written = {kind.__name__, f"visit_{kind.__name__.lower()}"}
    return [file for file, names in NAMED.items() if not names.isdisjoint(as_written)]


def kinds_of(base: type) -> list[type]:
    """The classes of nodes below this one."""
    kinds = (kind for kind in vars(t).values() if isinstance(kind, type))
    return [kind for kind in kinds if issubclass(kind, base) and kind is not base]


def statements() -> list[type]:
    return kinds_of(t.Stmt)


def values() -> list[type]:
    return [kind for kind in kinds_of(t.Expr) if kind.__name__ not in COMMON]


def test_statements_are_named_in_few_files() -> None:
    counts = {kind.__name__: len(naming(kind)) for kind in statements()}
    assert median(counts.values()) <= 4 and max(counts.values()) <= 10, counts


def test_values_are_named_in_few_files() -> None:
    counts = {kind.__name__: len(naming(kind)) for kind in values()}
    assert median(counts.values()) <= 5 and max(counts.values()) <= 8, counts


def test_abilities_are_named_in_few_files() -> None:
    """Passes ask for the roles of their fields, and for what `link` has gathered."""
    counts = {kind.__name__: len(naming(kind)) for kind in kinds_of(t.Ability)}
    assert max(counts.values()) <= 17 and counts["Exception_"] <= 14, counts


def test_definitions_are_named_in_no_more_files_than_today() -> None:
    """Many more than steps: what is counted, moved and held is asked for all over, and most by the class of it."""
    counts = {kind.__name__: len(naming(kind)) for kind in kinds_of(t.Definition)}
    assert median(counts.values()) <= 19 and max(counts.values()) <= 61, counts


def test_what_a_statement_becomes_stands_in_one_file() -> None:
    """Beside it, and the small evaluator for what is known before play, conditions are only taken apart for `why`."""
    for kind in statements():
        assert len([file for file in naming(kind) if file.parent.name == "lowering"]) == (not _told(kind)), kind
    for kind in values():
        found = {file.name for file in naming(kind) if file.parent.name == "lowering"}
        assert {"expression_lowering.py"} <= found
        assert found <= {"expression_lowering.py", "constants.py", "program_reasons.py"}, kind


def _told(kind: type) -> bool:
    """Whether it stands for other statements, which stand below it."""
    return kind is t.Text or issubclass(kind, t.Short)


def test_all_that_a_statement_becomes_is_registered_once() -> None:
    """Its code, what must hold for it to be completed, and how it is offered: for each statement, and no other."""
    assert set(LOWERINGS) == {kind for kind in statements() if not _told(kind)}


def test_the_back_end_names_no_construct() -> None:
    """It knows the core, which is small, and nothing of the tree."""
    room = ENGINE / "backend"
    assert not [file for file in room.rglob("*.py") if re.search(r"\bt\.[A-Z]", file.read_text(encoding="utf-8"))]
    assert len([one for one in vars(core).values() if isinstance(one, type) and issubclass(one, core.CoreStmt)]) <= 16


def test_a_simple_statement_needs_its_node_its_code_and_its_words() -> None:
    assert {file.parent.name for file in naming(t.Swap)} == {"lowering", "english"}
