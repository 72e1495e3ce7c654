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

from calling import write
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.parse import parse
from edict.support.text import Source

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


def spoken(package: Path) -> Iterator[tuple[str, str]]:
    """Place and text of every identifier and literal of the engine; strings that stand for themselves document it."""
    for file in sorted(package.rglob("*.py")):
        place = file.relative_to(package.parent)
        yield from ((f"{place}:{line}", text) for line, text in _texts(ast.parse(file.read_text(encoding="utf-8"))))


def _texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every string in a node of Python's tree, which is an identifier or (part of) a literal, and its line."""
    todo = [(tree, 1)]
    while todo:
        node, line = todo.pop()
        line = getattr(node, "lineno", line)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        for name in node._fields:
            value = getattr(node, name, None)
            for item in value if isinstance(value, list) else (value,):
                if isinstance(item, ast.AST):
                    todo.append((item, line))
                elif isinstance(item, str):
                    yield line, item
                elif isinstance(item, bytes):
                    yield line, item.decode("latin-1")


def _forms(word: str) -> set[str]:
    """A word, also as a singular."""
    return {word, word.removesuffix("s"), word.removesuffix("es")}


def _known_runs(said: Phrase, known: dict[Phrase, str], begins: set[str], longest: int) -> Iterator[Phrase]:
    """Every stretch of words that is known, its last one also as a singular."""
    for start, first in enumerate(said):
        if not begins.isdisjoint(_forms(first)):
            for end in range(start, min(start + longest, len(said))):
                yield from (run for last in _forms(said[end]) if (run := (*said[start:end], last)) in known)


def listed(grammar: Path) -> Iterator[tuple[str, str]]:
    """Place and text of every line of the grammar and its lists, without remarks."""
    for file in sorted((*grammar.glob("*.yaml"), *grammar.glob("*.lark"))):
        for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), 1):
            yield f"{file.relative_to(grammar.parent)}:{number}", re.sub(r"(^|\s)(#|//).*", "", line)


def met(said: Iterable[tuple[str, str]], known: dict[Phrase, str]) -> list[str]:
    """Every place where one of the nouns is used."""
    begins, longest = {phrase[0] for phrase in known}, max(map(len, known), default=0)
    places = defaultdict[str, list[str]](list)
    for place, text in said:
        places[text].append(place)
    found = {
        f"{place}: `{' '.join(run)}`, a noun of {known[run]}"
        for text, where in places.items()
        for run in _known_runs(words(text), known, begins, longest)
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


FOUND = {
    "silver = 1": "`silver`, a noun of rules/court.edict:1",
    "x = 'Pay 3 Silver!'": "`silver`, a noun of rules/court.edict:1",
    "x = '\\nsilver'": "`silver`, a noun of rules/court.edict:1",
    "x = b'silver'": "`silver`, a noun of rules/court.edict:1",
    "x = f'{1} silver coins'": "`silver`, a noun of rules/court.edict:1",
    "def count_silver(): pass": "`silver`, a noun of rules/court.edict:1",
    "import silver.mine": "`silver`, a noun of rules/court.edict:1",
    "class OwnDie: pass": "`own die`, a noun of rules/court.edict:2",
    "own_dies = 2": "`own die`, a noun of rules/court.edict:2",
    "x.own_die = 2": "`own die`, a noun of rules/court.edict:2",
    "f(own_die=2)": "`own die`, a noun of rules/court.edict:2",
    "ministers = []": "`minister`, a noun of rules/court.edict:3",
    "x = 'the vizier'": "`vizier`, a noun of rules/court.edict:5",
    "x = 'a grand vizier'": "`grand vizier`, a noun of rules/court.edict:5",
}
NOT_FOUND = (
    "def f():\n    'Pays silver to a minister.'",
    "x = 1  # the vizier's silver",
    "silversmith = 'quicksilver'",
    "own = 1",
    "price = turn_order = rank = 'a grand total'",
)


def test_a_noun_is_found_and_other_words_are_not(tmp_path: Path) -> None:
    write(tmp_path, {"rules/court.edict": RULES})
    known = nouns(tmp_path / "rules")
    for code in (*FOUND, *NOT_FOUND):
        write(tmp_path, {"engine/code.py": code})
        found = met(spoken(tmp_path / "engine"), known)
        assert f"engine/code.py:1: {FOUND[code]}" in found if code in FOUND else found == [], code
