"""The number of engine files that name a construct, which keeps the cost of a new one low."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import median

import pytest

import edict
from edict.compiler.codegen import core
from edict.compiler.lowering.block_lowering import LOWERINGS
from edict.compiler.syntax import tree as t

ENGINE = Path(edict.__file__).parent
FILES = [file for file in ENGINE.rglob("*.py") if file.parent.name != "tree"]
_NAMED = re.compile(r"\bt\.([A-Z]\w*)|def (visit_\w+)\(")
NAMED = {file: {word for found in _NAMED.findall(file.read_text(encoding="utf-8")) for word in found} for file in FILES}

# These are part of most constructs, so most files name them.
COMMON = {"Number", "Name", "Apply", "Unary", "Binary"}


def find_files_naming(kind: type) -> list[Path]:
    """Return the files outside the tree that name a class of nodes or visit it by a method."""
    as_written = {kind.__name__, f"visit_{kind.__name__.lower()}"}
    return [file for file, names in NAMED.items() if not names.isdisjoint(as_written)]


def list_subclasses(base: type) -> list[type]:
    """Return the classes of nodes below a base."""
    kinds = (kind for kind in vars(t).values() if isinstance(kind, type))
    return [kind for kind in kinds if issubclass(kind, base) and kind is not base]


def list_statements() -> list[type]:
    return list_subclasses(t.Stmt)


def list_values() -> list[type]:
    return [kind for kind in list_subclasses(t.Expr) if kind.__name__ not in COMMON]


def test_statements_are_named_in_few_files() -> None:
    counts = {kind.__name__: len(find_files_naming(kind)) for kind in list_statements()}
    assert median(counts.values()) <= 4 and max(counts.values()) <= 10, counts


def test_values_are_named_in_few_files() -> None:
    counts = {kind.__name__: len(find_files_naming(kind)) for kind in list_values()}
    assert median(counts.values()) <= 5 and max(counts.values()) <= 8, counts


def test_abilities_are_named_in_few_files() -> None:
    """Passes ask for the roles of their fields, and for what `link` has gathered."""
    counts = {kind.__name__: len(find_files_naming(kind)) for kind in list_subclasses(t.Ability)}
    assert max(counts.values()) <= 17 and counts["Exception_"] <= 14, counts


def test_definitions_are_named_in_no_more_files_than_today() -> None:
    """More files than for steps: quantities and state are used all over, mostly by their class."""
    counts = {kind.__name__: len(find_files_naming(kind)) for kind in list_subclasses(t.Definition)}
    assert median(counts.values()) <= 19 and max(counts.values()) <= 61, counts


def test_each_statement_is_lowered_in_one_file(subtests: pytest.Subtests) -> None:
    """Values can also be named by the evaluator of constants and by the reasons for `why`."""
    for kind in list_statements():
        with subtests.test(kind=kind):
            assert len([file for file in find_files_naming(kind) if file.parent.name == "lowering"]) == (
                not _is_shorthand(kind)
            ), kind
    for kind in list_values():
        with subtests.test(kind=kind):
            found = {file.name for file in find_files_naming(kind) if file.parent.name == "lowering"}
            assert {"expression_lowering.py"} <= found
            assert found <= {"expression_lowering.py", "constants.py", "program_reasons.py"}


def _is_shorthand(kind: type) -> bool:
    """Return True for a statement that other statements below it replace."""
    return kind is t.Text or issubclass(kind, t.Short)


def test_every_statement_has_one_registered_lowering() -> None:
    assert set(LOWERINGS) == {kind for kind in list_statements() if not _is_shorthand(kind)}


def test_code_generation_names_no_construct() -> None:
    """`codegen` knows the small core and nothing of the tree."""
    files = [file for file in FILES if file.is_relative_to(ENGINE / "compiler" / "codegen")]
    assert files and not [file for file in files if re.search(r"\bt\.[A-Z]", file.read_text(encoding="utf-8"))]
    kinds = [kind for kind in vars(core).values() if isinstance(kind, type) and issubclass(kind, core.CoreStmt)]
    assert len(kinds) <= 16


def test_simple_statement_needs_only_node_lowering_and_wording() -> None:
    assert {file.parent.name for file in find_files_naming(t.Swap)} == {"lowering", "english"}
