"""The engine knows no word of any game: what rules and modules declare does not occur in the Python code.

Every name declared in `rules/` and `modules/` is looked for in the identifiers and string literals of
`interpreter/` (docstrings and comments may tell of games), and so are the titles. `-`, `_`, capitals and the
plural make no difference: `own-die` is found in `own_die`, `OwnDie` and "own dies". Words of the language itself
(they stand in the grammar) are the engine's own, unless rules call a thing, a kind, a good or a die so. Single
letters and numbers are no words.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from edict.front import tree as t
from edict.front.parse import parse
from edict.text import Source

ALLOWED = {
    "ahead": "of time or place",
    "another one": "one more of anything",
    "block": "indented statements",
    "choice": "what a player is asked",
    "cost": "what a player gives to change a total",
    "dice rolled": "what a scene foresees",
    "down": "what is pressed or rounded",
    "extra": "what a module adds to a definition",
    "hand": "by people, not by machine",
    "home": "where something is kept",
    "joined": "texts or rules put together",
    "lay": "the rules of modules over each other, and the state out in cells",
    "lists": "what the screen shows beside each other",
    "outcome": "what a pass gives",
    "owned": "what belongs to something: dice to the kind that must be among them, abilities to things",
    "pay": "for an action, with dice",
    "people": "those who play",
    "place": "where something stands, in a text or in the code",
    "point": "what Unicode calls a character, and SARIF after it",
    "present": "what is there",
    "price": "what it takes to be allowed what a rule forbids",
    "queue": "what is still to be done",
    "rank": "`most` and `fewest`, as the grammar calls them",
    "reached": "code that can be come to",
    "rerolled": "what is done to dice",
    "reserve": "cells for values",
    "revealed": "what everyone then knows",
    "rolled": "what the log says of any dice",
    "row": "of a panel on the screen",
    "settled": "what is known before play",
    "setup": "what comes before a scene",
    "stage": "where a scene is played",
    "standing": "what lies there already",
    "status": "how the machine returned",
    "strip": "blanks off a text",
    "token": "a word of rule text, as Lark calls it",
    "value": "of an expression, a cell, an option",
    "wins": "of whoever has won any game",
}
"""Plain English that a game and an engine may both use: the words, and what the engine means by them."""

NUMERALS = set("one two three four five six seven eight nine ten eleven twelve".split())

Phrase = tuple[str, ...]
NOUNS = (t.Thing, t.Kind, t.Resource, t.Group, t.Die)
NAMED = (*NOUNS, t.Keep, t.Quantity, t.Moment, t.Phase, t.Routine, t.Action, t.Setting, t.Display)


@dataclass(frozen=True)
class Trace:
    """A word of a game met in the engine."""

    place: str
    phrase: str
    declared: str


def told(found: list[Trace], most: int = 5) -> str:
    """Each word once, where it is declared and the first places it was met at."""
    met: dict[tuple[str, str], list[str]] = {}
    for trace in found:
        met.setdefault((trace.phrase, trace.declared), []).append(trace.place)
    return "\n".join(
        f"`{phrase}` is a word of the game ({declared}), met {len(places)} times: {', '.join(places[:most])}"
        for (phrase, declared), places in met.items()
    )


# --- what rules declare -------------------------------------------------------------------


def words(text: str) -> Phrase:
    """`ownDie`, `own-die`, `own_die`: own, die."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text.replace("'s", ""))
    return tuple(word.lower() for word in re.findall(r"[^\W_]+", apart))


def phrases_of(definition: t.Definition) -> set[Phrase]:
    """The name and the titles; of two words for a noun also the second: a stone wall is a wall."""
    whole = {words(definition.name.word), *(words(form) for form in definition.title.split("/"))}
    if isinstance(definition, t.Kind):
        whole |= {words(field.name.word) for field in definition.fields}
    if isinstance(definition, t.Action):
        whole |= {words(rule.name.word) for rule in definition.rules}
    if isinstance(definition, NOUNS):
        whole |= {phrase[1:] for phrase in whole if len(phrase) == 2 and len(phrase[1]) > 3}
    return {phrase for phrase in whole if not all(map(_is_no_word, phrase))}


def _is_no_word(word: str) -> bool:
    return len(word) < 2 or word.isdigit() or word in NUMERALS


def definitions(folder: Path) -> Iterator[t.Definition]:
    for file in sorted(folder.rglob("*.edict")):
        page = parse(Source(str(file.relative_to(folder)), file.read_text(encoding="utf-8"))).unwrap()
        for definition in page.definitions:
            found = definition.definition if isinstance(definition, t.Amend) else definition
            if isinstance(found, NAMED):
                yield found


def own_words(grammar: Path) -> set[str]:
    """The words of the language, as they stand in its grammar."""
    return set(re.findall(r'"([a-z]+)"', grammar.read_text(encoding="utf-8")))


def declared(folders: list[Path], grammar: Path) -> dict[Phrase, str]:
    """Each phrase of the games and where it is declared."""
    language = own_words(grammar)
    found: dict[Phrase, str] = {}
    for folder in folders:
        for definition in definitions(folder):
            noun = words(definition.name.word) if isinstance(definition, NOUNS) else ()
            for phrase in phrases_of(definition):
                if phrase == noun or not language.issuperset(phrase):
                    found.setdefault(phrase, f"{folder.name}/{definition.span.file}:{definition.span.line}")
    return found


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


def traces(folders: list[Path], package: Path, grammar: Path, allowed: set[Phrase]) -> list[Trace]:
    """Every place where the engine uses a word that one of the games declares."""
    wanted = {phrase: place for phrase, place in declared(folders, grammar).items() if phrase not in allowed}
    longest = max(map(len, wanted), default=0)
    found = {
        Trace(place, " ".join(run), wanted[run])
        for place, text in spoken(package)
        for run in _runs(words(text), longest)
        if run in wanted
    }
    return sorted(found, key=lambda trace: (trace.phrase, trace.place))


# --- the tests ----------------------------------------------------------------------------


def test_the_engine_knows_no_word_of_the_games(root: Path) -> None:
    folders = [root / "rules", root / "modules"]
    allowed = {words(phrase) for phrase in ALLOWED}
    found = traces(folders, root / "interpreter", root / "grammar" / "edict.lark", allowed)
    if found:
        pytest.fail(told(found), pytrace=False)


def test_nothing_is_allowed_that_no_game_says(root: Path) -> None:
    """An exception for a word that left the rules goes too."""
    said = declared([root / "rules", root / "modules"], root / "grammar" / "edict.lark")
    assert not {words(phrase) for phrase in ALLOWED} - set(said), "no rules declare this any more"
    assert all(ALLOWED.values()), "each with its reason"


RULES = """\
resource silver "silver"
die own-die "die" with 6 sides
kind minister
  rank number from 1 to 18
minister vizier "Grand Vizier"
  rank 4
quantity price of minister is 1
keep turn-order as order of player
setting long-nights "Nights are long" is off
"""


@pytest.fixture
def house(tmp_path: Path, root: Path) -> Path:
    """A game of three words, and an empty engine."""
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "court.edict").write_text(RULES, encoding="utf-8")
    (tmp_path / "engine").mkdir()
    (tmp_path / "edict.lark").write_bytes((root / "grammar" / "edict.lark").read_bytes())
    return tmp_path


def _met(house: Path, code: str, *allowed: Phrase) -> list[str]:
    (house / "engine" / "code.py").write_text(code, encoding="utf-8")
    found = traces([house / "rules"], house / "engine", house / "edict.lark", set(allowed))
    return [f"{trace.place} {trace.phrase}" for trace in found]


@pytest.mark.parametrize(
    ("code", "phrase"),
    [
        ("silver = 1", "silver"),
        ("x = 'Pay 3 Silver!'", "silver"),
        ("x = '\\nsilver'", "silver"),
        ("x = b'silver'", "silver"),
        ("x = f'{1} silver coins'", "silver"),
        ("def count_silver(): pass", "silver"),
        ("import silver.mine", "silver"),
        ("class OwnDie: pass", "own die"),
        ("own_dies = 2", "own die"),
        ("x.own_die = 2", "own die"),
        ("f(own_die=2)", "own die"),
        ("ministers = []", "minister"),
        ("x = 'the vizier'", "vizier"),
        ("x = 'long-nights'", "long nights"),
        ("x = 'nights are long'", "nights are long"),
    ],
)
def test_a_word_of_the_game_is_found(house: Path, code: str, phrase: str) -> None:
    assert f"engine/code.py:1 {phrase}" in _met(house, code)


@pytest.mark.parametrize(
    "code",
    [
        "def f():\n    'Pays silver to a minister.'",
        "x = 1  # the vizier's silver",
        "silversmith = 'quicksilver'",
        "own = die = 1",
        "night = long",
    "x = 'a grand total'",
    ],
)
def test_other_words_are_not(house: Path, code: str) -> None:
    assert _met(house, code) == []


def test_what_is_found_is_told_with_its_places(house: Path) -> None:
    (house / "engine" / "code.py").write_text("x = 1\nsilver = 2\nx = 'silver'\n", encoding="utf-8")
    found = traces([house / "rules"], house / "engine", house / "edict.lark", set())
    assert told(found) == (
        "`silver` is a word of the game (rules/court.edict:1), met 2 times: engine/code.py:2, engine/code.py:3"
    )


def test_what_is_allowed_is_not_reported(house: Path) -> None:
    assert _met(house, "turn_order = price = 1", ("turn", "order")) == ["engine/code.py:1 price"]
