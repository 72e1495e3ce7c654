"""Names and docstrings in the words of the field: no bare participles, prepositions or pronouns, no clauses."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGES = ("support", "runtime", "compiler", "prose", "game", "agents", "tools", "apps")
PARTICIPLES = set(
    "told said given kept known made written drawn held shown sent met taken begun done gone had seen asked lost won "
    "paid hid hidden found built meant brought chosen laid stood bound come".split()
)
PREPOSITIONS = set("of at in on by within without beside besides behind before after above below around about".split())
PRONOUNS = set("one ones other others it they who whom whose which what that those these this such same".split())
VERBS_LIKE_PARTICIPLES = {"embed", "need", "feed", "seed", "speed", "exceed"}
PROMISED = {  # names that docs/reference/stability.md promises, and those that a protocol of a library asks for
    "judged",
    "checked",
    "taken",
    "named",
    "told",
}
CLAUSE = re.compile(
    r"(What|Whether|Who|Whom|Whose|Where|When|How|Which|That|Those|All that|So many|Whatever|Whoever)\b"
)

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def is_named_by_the_language(path: Path, node: Definition) -> bool:
    """Return True for a node of the syntax tree, and for a method that bears the name of a rule of the grammar."""
    is_node = path.parent.name == "tree" and isinstance(node, ast.ClassDef)
    return is_node or path.parent.name == "making" and not isinstance(node, ast.ClassDef)


def iter_definitions(folder: Path) -> Iterator[tuple[Path, Definition]]:
    """Iterate over functions and classes with their files, without properties, which are like fields."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, Definition) and not is_named_by_the_language(path, node):
                decorators = {ast.unparse(decorator) for decorator in node.decorator_list}
                if not decorators & {"property", "cached_property"}:
                    yield path, node


def is_riddle(name: str) -> bool:
    """Return True if a name is nothing but a past participle, a preposition or a pronoun."""
    word = name.strip("_").lower()
    is_single = re.fullmatch(r"[A-Z]?[a-z]+", name.strip("_")) is not None
    is_regular = is_single and word.endswith("ed") and len(word) > 3 and word not in VERBS_LIKE_PARTICIPLES
    return word in PARTICIPLES | PREPOSITIONS | PRONOUNS or is_regular


@pytest.mark.parametrize("name", ["told", "_kept", "within", "_of", "those", "counted", "Beside"])
def test_participles_prepositions_and_pronouns_are_riddles(name: str) -> None:
    assert is_riddle(name)


@pytest.mark.parametrize("name", ["seed", "parsed_file", "find_kept", "read", "is_held"])
def test_verbs_and_phrases_are_no_riddles(name: str) -> None:
    assert not is_riddle(name)


@pytest.mark.parametrize("package", PACKAGES)
def test_no_function_or_class_has_a_riddle_for_a_name(package: str, root: Path) -> None:
    engine = root / "interpreter" / "edict"
    riddles = [
        f"{path.relative_to(engine)}:{node.lineno} {node.name}"
        for path, node in iter_definitions(engine / package)
        if is_riddle(node.name) and node.name not in PROMISED
    ]
    assert not riddles


@pytest.mark.parametrize("package", PACKAGES)
def test_no_docstring_opens_with_a_clause(package: str, root: Path) -> None:
    engine = root / "interpreter" / "edict"
    clauses = [
        f"{path.relative_to(engine)}:{node.lineno} {node.name}"
        for path, node in iter_definitions(engine / package)
        if CLAUSE.match(ast.get_docstring(node) or "")
    ]
    assert not clauses


def test_public_classes_of_the_packages_have_names_of_their_own(root: Path) -> None:
    engine, places = root / "interpreter" / "edict", defaultdict[str, set[str]](set)
    for package in PACKAGES:
        for path, node in iter_definitions(engine / package):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].add(str(path.relative_to(engine)))
    shared = {name: sorted(paths) for name, paths in places.items() if len(paths) > 1}
    assert not shared


@pytest.mark.parametrize("package", PACKAGES)
def test_no_statement_is_only_a_text(package: str, root: Path) -> None:
    """A text on a line of its own is the lost end of the one above, which lacks the parentheses around both."""
    engine = root / "interpreter" / "edict"
    lost = [
        f"{path.relative_to(engine)}:{statement.lineno}"
        for path in sorted((engine / package).rglob("*.py"))
        for statement in iter_lone_texts(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not lost


def iter_lone_texts(tree: ast.Module) -> Iterator[ast.Expr]:
    """Iterate over the statements that are only a text, without docstrings."""
    for node in ast.walk(tree):
        for statement in getattr(node, "body", ())[1:] if not isinstance(node, ast.Lambda | ast.IfExp) else ():
            is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.JoinedStr | ast.Constant)
            if is_text and getattr(statement.value, "value", "") is not ...:
                yield statement


def test_text_on_a_line_of_its_own_is_found() -> None:
    module = ast.parse('"""A module."""\nremedy = "write `a`, or "\n"`b`"\n')
    assert [statement.lineno for statement in iter_lone_texts(module)] == [3]
