"""Nouns of the games in the engine: it knows nothing by name that rules count, move, own or choose.

The nouns are the names and titles of things, kinds, resources, groups and dice in `rules/` and `modules/`. They are
searched in the identifiers and strings of `interpreter/` (docstrings and comments may mention games), and in the lists
of `grammar/` on the language and habits of authors. `-`, `_`, capitals and the plural make no difference: `own-die` is
found in `own_die`, `OwnDie` and "own dies". `test_names` proves that no other name matters either, by playing without
them.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import pytest

from calling import write_files
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.parse import parse
from edict.support.text import Source

# nouns of games that have another meaning in Python or plain English
PLAIN = {"another one", "general", "good", "people", "point", "present", "reward", "rewards", "row", "strip", "token"}

NUMERALS = set("one two three four five six seven eight nine ten eleven twelve".split())

Phrase = tuple[str, ...]
NOUNS = (t.Thing, t.Kind, t.Resource, t.Group, t.Die)

# --- what rules declare -------------------------------------------------------------------


def split_words(text: str) -> Phrase:
    """Return the words of a name; `ownDie`, `own-die` and `own_die` are own, die."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text.replace("'s", ""))
    return tuple(word.lower() for word in re.findall(r"[^\W_]+", apart))


def _is_trivial(word: str) -> bool:
    return len(word) < 2 or word.isdigit() or word in NUMERALS


def find_nouns(*folders: Path) -> dict[Phrase, str]:
    """Return each noun with the place of its declaration, without single letters and numbers."""
    found: dict[Phrase, str] = {}
    for folder in folders:
        for file in sorted(folder.rglob("*.edict")):
            place = file.relative_to(folder.parent).as_posix()
            for definition in parse(Source(place, file.read_text(encoding="utf-8"))).unwrap().definitions:
                if isinstance(definition, NOUNS):
                    forms = (definition.name.word, *definition.title.split("/"))
                    found |= {split_words(form): f"{place}:{definition.span.line}" for form in forms}
    return {phrase: place for phrase, place in found.items() if not all(map(_is_trivial, phrase))}


# --- what the engine says -----------------------------------------------------------------


def iter_code_texts(package: Path) -> Iterator[tuple[str, str]]:
    """Yield place and text of every identifier and literal of the engine, except docstrings."""
    for file in sorted(package.rglob("*.py")):
        place = file.relative_to(package.parent)
        yield from (
            (f"{place}:{line}", text) for line, text in _iter_texts(ast.parse(file.read_text(encoding="utf-8")))
        )


def _iter_texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and text of every identifier and literal in a tree."""
    stack = [(tree, 1)]
    while stack:
        node, line = stack.pop()
        line = getattr(node, "lineno", line)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        for name in node._fields:
            value = getattr(node, name, None)
            for item in value if isinstance(value, list) else (value,):
                if isinstance(item, ast.AST):
                    stack.append((item, line))
                elif isinstance(item, str):
                    yield line, item
                elif isinstance(item, bytes):
                    yield line, item.decode("latin-1")


def _singular_forms(word: str) -> set[str]:
    """Return a word and its possible singulars."""
    return {word, word.removesuffix("s"), word.removesuffix("es")}


def _find_nouns_in(
    text_words: Phrase, known: dict[Phrase, str], first_words: set[str], longest: int
) -> Iterator[Phrase]:
    """Yield every run of words that is a noun, also with its last word as a singular."""
    for start, first in enumerate(text_words):
        if not first_words.isdisjoint(_singular_forms(first)):
            for end in range(start, min(start + longest, len(text_words))):
                yield from (
                    run for last in _singular_forms(text_words[end]) if (run := (*text_words[start:end], last)) in known
                )


def iter_grammar_lines(grammar: Path) -> Iterator[tuple[str, str]]:
    """Yield place and text of every line of the grammar and its lists, without comments."""
    for file in sorted((*grammar.glob("*.yaml"), *grammar.glob("*.lark"))):
        for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), 1):
            yield f"{file.relative_to(grammar.parent)}:{number}", re.sub(r"(^|\s)(#|//).*", "", line)


def find_uses(texts: Iterable[tuple[str, str]], known: dict[Phrase, str]) -> list[str]:
    """Return every place where a noun is used."""
    first_words, longest = {phrase[0] for phrase in known}, max(map(len, known), default=0)
    places = defaultdict[str, list[str]](list)
    for place, text in texts:
        places[text].append(place)
    found = {
        f"{place}: `{' '.join(run)}`, a noun of {known[run]}"
        for text, where in places.items()
        for run in _find_nouns_in(split_words(text), known, first_words, longest)
        for place in where
    }
    return sorted(found)


# --- the tests ----------------------------------------------------------------------------


def test_engine_uses_no_noun_of_the_games(root: Path) -> None:
    known = find_nouns(root / "rules", root / "modules")
    assert len(known) > 200
    found = find_uses(chain(iter_code_texts(root / "interpreter"), iter_grammar_lines(root / "grammar")), known)
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


def test_nouns_are_found_and_other_words_are_not(tmp_path: Path, subtests: pytest.Subtests) -> None:
    write_files(tmp_path, {"rules/court.edict": RULES})
    known = find_nouns(tmp_path / "rules")
    for code in (*FOUND, *NOT_FOUND):
        with subtests.test(code=code):
            write_files(tmp_path, {"engine/code.py": code})
            found = find_uses(iter_code_texts(tmp_path / "engine"), known)
            assert f"engine/code.py:1: {FOUND[code]}" in found if code in FOUND else found == []
