"""No noun of the games occurs in the engine: nothing that rules count, move, own or choose is known to it by name.

The nouns are the names and titles of things, kinds, resources, groups and dice in `rules/` and `modules/`. They are
looked for in the identifiers and strings of `interpreter/` (docstrings and comments may tell of games), and in what
`grammar/` lists of the language and of people's habits. `-`, `_`,
capitals and the plural make no difference: `own-die` is found in `own_die`, `OwnDie` and "own dies". That no other
name matters either is proved in `test_names`, by playing without them.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import pytest

from edict.language import tree as t
from edict.language.parse import parse
from edict.text import Source

PLAIN = {"another one", "general", "good", "people", "point", "present", "reward", "rewards", "row", "strip", "token"}
"""What a game calls its things by, and Python or plain English something else."""

NUMERALS = set("one two three four five six seven eight nine ten eleven twelve".split())

Phrase = tuple[str, ...]
NOUNS = (t.Thing, t.Kind, t.Resource, t.Group, t.Die)

# --- what rules declare -------------------------------------------------------------------


def words(text: str) -> Phrase:
    """`ownDie`, `own-die`, `own_die`: own, die."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text.replace("'s", ""))
    return tuple(word.lower() for word in re.findall(r"[^\W_]+", apart))


def _is_no_word(word: str) -> bool:
    return len(word) < 2 or word.isdigit() or word in NUMERALS


def nouns(*folders: Path) -> dict[Phrase, str]:
    """Each noun and where it is declared; single letters and numbers are no words."""
    found: dict[Phrase, str] = {}
    for folder in folders:
        for file in sorted(folder.rglob("*.edict")):
            place = file.relative_to(folder.parent).as_posix()
            for definition in parse(Source(place, file.read_text(encoding="utf-8"))).unwrap().definitions:
                if isinstance(definition, NOUNS):
                    forms = (definition.name.word, *definition.title.split("/"))
                    found |= {words(form): f"{place}:{definition.span.line}" for form in forms}
    return {phrase: place for phrase, place in found.items() if not all(map(_is_no_word, phrase))}


# --- what the engine says -----------------------------------------------------------------


def _docstrings(tree: ast.AST) -> set[ast.AST]:
    """Strings that stand for themselves: documentation."""
    alone = (node.value for node in ast.walk(tree) if isinstance(node, ast.Expr))
    return {value for value in alone if isinstance(value, ast.Constant)}


def _texts(node: ast.AST) -> Iterator[str]:
    """Every string in a node of Python's tree is an identifier or (part of) a literal."""
    for _, value in ast.iter_fields(node):
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str):
                yield item
            elif isinstance(item, bytes):
                yield item.decode("latin-1")


def spoken(package: Path) -> Iterator[tuple[str, str]]:
    """Place and text of every identifier and literal of the engine."""
    for file in sorted(package.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        silent = _docstrings(tree)
        line = 1
        for node in ast.walk(tree):
            line = getattr(node, "lineno", line)
            if node not in silent:
                for text in _texts(node):
                    yield f"{file.relative_to(package.parent)}:{line}", text


def _runs(said: Phrase, longest: int) -> Iterator[Phrase]:
    """Every stretch of words, its last one also as a singular."""
    for start in range(len(said)):
        for end in range(start + 1, min(start + longest, len(said)) + 1):
            run = said[start:end]
            yield run
            for plural in ("s", "es"):
                if run[-1].endswith(plural):
                    yield (*run[:-1], run[-1].removesuffix(plural))


def listed(grammar: Path) -> Iterator[tuple[str, str]]:
    """Place and text of every line of the grammar and its lists, without remarks."""
    for file in sorted((*grammar.glob("*.yaml"), *grammar.glob("*.lark"))):
        for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), 1):
            yield f"{file.relative_to(grammar.parent)}:{number}", re.sub(r"(^|\s)(#|//).*", "", line)


def met(said: Iterable[tuple[str, str]], known: dict[Phrase, str]) -> list[str]:
    """Every place where one of the nouns is used."""
    longest = max(map(len, known), default=0)
    places = defaultdict[str, list[str]](list)
    for place, text in said:
        places[text].append(place)
    found = {
        f"{place}: `{' '.join(run)}`, a noun of {known[run]}"
        for text, where in places.items()
        for run in _runs(words(text), longest)
        if run in known
        for place in where
    }
    return sorted(found)


# --- the tests ----------------------------------------------------------------------------


def test_the_engine_knows_no_noun_of_the_games(root: Path) -> None:
    known = nouns(root / "rules", root / "modules")
    assert len(known) > 200
    found = met(chain(spoken(root / "interpreter"), listed(root / "grammar")), known)
    if wrong := [line for line in found if _noun(line) not in PLAIN]:
        pytest.fail("\n".join(wrong), pytrace=False)
    unneeded = PLAIN - set(map(_noun, found))
    assert not unneeded, "what left the rules or the engine leaves the list too"


def _noun(line: str) -> str:
    return line.split("`")[1]


RULES = """\
resource silver "silver"
die own-die "die" with 6 sides
kind minister
  rank number from 1 to 18
minister vizier "Grand Vizier"
  rank 4
quantity price of minister is 1
keep turn-order as order of player
"""


def _met(tmp_path: Path, code: str) -> list[str]:
    """The nouns met in an engine of one line."""
    for room in ("rules", "engine"):
        (tmp_path / room).mkdir()
    (tmp_path / "rules" / "court.edict").write_text(RULES, encoding="utf-8")
    (tmp_path / "engine" / "code.py").write_text(code, encoding="utf-8")
    return met(spoken(tmp_path / "engine"), nouns(tmp_path / "rules"))


@pytest.mark.parametrize(
    ("code", "place"),
    [
        ("silver = 1", "`silver`, a noun of rules/court.edict:1"),
        ("x = 'Pay 3 Silver!'", "`silver`, a noun of rules/court.edict:1"),
        ("x = '\\nsilver'", "`silver`, a noun of rules/court.edict:1"),
        ("x = b'silver'", "`silver`, a noun of rules/court.edict:1"),
        ("x = f'{1} silver coins'", "`silver`, a noun of rules/court.edict:1"),
        ("def count_silver(): pass", "`silver`, a noun of rules/court.edict:1"),
        ("import silver.mine", "`silver`, a noun of rules/court.edict:1"),
        ("class OwnDie: pass", "`own die`, a noun of rules/court.edict:2"),
        ("own_dies = 2", "`own die`, a noun of rules/court.edict:2"),
        ("x.own_die = 2", "`own die`, a noun of rules/court.edict:2"),
        ("f(own_die=2)", "`own die`, a noun of rules/court.edict:2"),
        ("ministers = []", "`minister`, a noun of rules/court.edict:3"),
        ("x = 'the vizier'", "`vizier`, a noun of rules/court.edict:5"),
        ("x = 'a grand vizier'", "`grand vizier`, a noun of rules/court.edict:5"),
    ],
)
def test_a_noun_is_found(tmp_path: Path, code: str, place: str) -> None:
    assert f"engine/code.py:1: {place}" in _met(tmp_path, code)


@pytest.mark.parametrize(
    "code",
    [
        "def f():\n    'Pays silver to a minister.'",
        "x = 1  # the vizier's silver",
        "silversmith = 'quicksilver'",
        "own = 1",
        "price = turn_order = rank = 'a grand total'",
    ],
)
def test_other_words_are_not(tmp_path: Path, code: str) -> None:
    assert _met(tmp_path, code) == []
