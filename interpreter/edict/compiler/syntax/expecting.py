"""Part of the pass `parse`: what could be written at a place of a file, and what a name written there would be.

The parser is fed what stands before the place. Which words it takes next it says itself. What a name would be there is
seen by writing one, bringing the definition to an end in the shortest way, and finding the name in the tree.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from copy import copy
from dataclasses import dataclass
from functools import cache
from heapq import heappop, heappush
from typing import Any

from lark import Token
from lark.exceptions import UnexpectedInput, VisitError
from lark.indenter import DedentError

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.grammar import FilePiece, names_at, parser
from edict.compiler.syntax.making import Build
from edict.compiler.syntax.soft_words import meant_as_names
from edict.compiler.syntax.walking import parts

PLACEHOLDER = "a-name-yet-to-be-written"
_ENDING = ("$END", "_DEDENT", "_NL", "_INDENT", "NOTHING", "NAME", "NUMBER", "STRING")  # the shortest way to an end
_MOST = 80  # tokens that are tried from a name to the end of its definition


@dataclass(frozen=True, eq=False)
class Place:
    """Where a name would stand: in `field` of the last of `around`, the nodes from the definition inwards."""

    name: t.Name
    around: tuple[t.Node, ...]
    field: str

    @property
    def parent(self) -> t.Node:
        return self.around[-1]


@dataclass(frozen=True)
class Expected:
    """The words and signs of the language that can come next, and where a name would stand, if one can."""

    words: frozenset[str]
    text: bool = False
    place: Place | None = None


NOTHING = Expected(frozenset())


def expected(before: str, file: str = "", names: Collection[str] = ()) -> Expected:
    """What can be written after a text, which begins with the definition it stands in; nothing after a mistake.

    names: words of the language that something is called in these rules.
    """
    at = _fed(before, names)
    if at is None:
        return NOTHING
    accepted = at.accepts()
    words = frozenset(_words()[terminal] for terminal in accepted if terminal in _words())
    place = _placed(at, file) if "NAME" in accepted else None
    return Expected(words, "STRING" in accepted, place)


def takes_block(before: str) -> bool:
    """Whether what belongs to the last line of a text may stand below it, indented; the text begins as above."""
    at = _fed(before, ())
    if at is None or "_NL" not in at.accepts():
        return False
    trying = _dry(at)
    trying.feed_token(_token("_NL", "\n"))
    return "_INDENT" in trying.accepts()


def _fed(before: str, names: Collection[str]) -> Any:
    """The parser after a text; None, where it cannot be read so far."""
    at = _fed_with(before, ())
    if at is None:
        places = meant_as_names(FilePiece(before, 0, len(before), 0), names)
        at = _fed_with(before, places) if places else None
    return at


def _fed_with(before: str, places: Collection[tuple[int, int]]) -> Any:
    """The same, where words of the language are names at these places."""
    at: Any = parser().parse_interactive(before)
    try:
        with names_at(places):
            for token in at.lexer_thread.lex(at.parser_state):
                if token.type == "_DEDENT" and not token:
                    break  # the end of the text is not the end of its blocks
                at.feed_token(token)
    except (UnexpectedInput, DedentError, AssertionError):
        return None
    return at


@cache
def _words() -> dict[str, str]:
    """The words and signs of the language by the names of their tokens."""
    plain = (terminal for terminal in parser().terminals if terminal.pattern.type == "str")
    return {terminal.name: str(terminal.pattern.value) for terminal in plain}


def _placed(at: Any, file: str) -> Place | None:
    ending = _to_the_end(_dry(at), ("NAME",))
    if ending is None:
        return None
    result: Any = None
    try:
        for name in ("NAME", *ending):
            result = at.feed_token(_token(name, PLACEHOLDER if result is None and name == "NAME" else ""))
            result = result or ()
        definitions = Build(file).transform(result)
    except (UnexpectedInput, VisitError):
        return None
    return next((place for definition in definitions for place in _found(definition, ())), None)


def _dry(at: Any) -> Any:
    """The parser to try with: nothing is built."""
    trying = at.copy(deepcopy_values=False)
    trying.parser_state.parse_conf = copy(trying.parser_state.parse_conf)
    trying.parser_state.parse_conf.callbacks = {}
    return trying


def _to_the_end(at: Any, fed: tuple[str, ...]) -> tuple[str, ...] | None:
    """Tokens with which the text comes to an end after these, shorter ways first; None if none is found soon."""
    waiting = [(0, 0, at, fed)]
    for count in range(1, _MOST):
        if not waiting:
            return None
        _, _, state, way = heappop(waiting)
        try:
            state.feed_token(_token(way[-1]))
        except UnexpectedInput:
            continue
        if way[-1] == "$END":
            return way[1:]
        accepted = state.accepts()
        for rank, name in enumerate((*_ENDING, *sorted(accepted - set(_ENDING)))):
            if name in accepted:
                after = state.copy(deepcopy_values=False)
                heappush(waiting, (len(way) + rank, count * 100 + rank, after, (*way, name)))
    return None


def _token(name: str, text: str = "") -> Token:
    texts = {"NAME": "x", "NUMBER": "1", "STRING": '""'}
    return Token(name, text or texts.get(name) or _words().get(name, ""), 0, 1, 1, 1, 1, 0)


def _found(node: t.Node, around: tuple[t.Node, ...]) -> Iterator[Place]:
    for field, value in parts(node):
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, t.Name) and part.word == PLACEHOLDER:
                yield Place(part, (*around, node), field)
            elif isinstance(part, t.Node):
                yield from _found(part, (*around, node))


__all__ = ["Expected", "NOTHING", "PLACEHOLDER", "Place", "expected", "takes_block"]
