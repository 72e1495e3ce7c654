"""Completion at a place in a file, with the words that can follow and the role of a name written there.

The parser is fed with the text before the place and reports the words that it accepts. To find the role of a name, a
placeholder is fed, the definition is completed by the shortest way, and the placeholder is located in the tree.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from copy import copy
from functools import cache
from heapq import heappop, heappush
from typing import Any

from lark import Token
from lark.exceptions import UnexpectedInput, VisitError
from lark.indenter import DedentError

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.grammar import FilePiece, get_parser, treat_as_names
from edict.compiler.syntax.making import TreeBuilder
from edict.compiler.syntax.reserved_words import find_soft_names
from edict.compiler.syntax.traversal import iter_fields
from edict.support.records import dataclass

PLACEHOLDER = "a-name-yet-to-be-written"  # fed to the parser as a name
# tokens that lead to the end soonest
_PREFERRED_ENDING = ("$END", "_DEDENT", "_NL", "_INDENT", "NOTHING", "NAME", "NUMBER", "STRING")
_MOST_STATES = 80  # parser states that are tried from a name to the end of its definition


@dataclass(frozen=True, eq=False)
class NamePlace:
    """The place of a name in the tree."""

    name: t.Name
    around: tuple[t.Node, ...]  # nodes from the definition inwards
    field: str  # field of the innermost node that holds the name

    @property
    def parent(self) -> t.Node:
        """The innermost node around the name."""
        return self.around[-1]


@dataclass(frozen=True)
class Expectation:
    """The words and signs that can come next."""

    words: frozenset[str]
    text: bool = False  # true if a text in quotes can stand here
    place: NamePlace | None = None  # place of a name, if one can stand here


NOTHING_EXPECTED = Expectation(frozenset())


def compute_expectation(before: str, file: str = "", names: Collection[str] = ()) -> Expectation:
    """Return what can be written after a text; nothing if the text has a mistake.

    Args:
        before: The text, from the beginning of the definition.
        file: The name of the file, for spans.
        names: Words of the language that these rules use as names.
    """
    parser_state = _feed_text(before, names)
    if parser_state is None:
        return NOTHING_EXPECTED
    accepted = parser_state.accepts()
    words = frozenset(_words_by_terminal()[terminal] for terminal in accepted if terminal in _words_by_terminal())
    place = _locate_name(parser_state, file) if "NAME" in accepted else None
    return Expectation(words, "STRING" in accepted, place)


def takes_block(before: str) -> bool:
    """Return True if the last line of a text may have indented lines below it.

    Args:
        before: The text, from the beginning of the definition.
    """
    parser_state = _feed_text(before, ())
    if parser_state is None or "_NL" not in parser_state.accepts():
        return False
    trial = _copy_without_callbacks(parser_state)
    trial.feed_token(_token("_NL", "\n"))
    return "_INDENT" in trial.accepts()


def _feed_text(before: str, names: Collection[str]) -> Any:
    """Return the parser after a text, or None if it cannot be read."""
    parser_state = _feed_with_names(before, ())
    if parser_state is None:
        places = find_soft_names(FilePiece(before, 0, len(before), 0), names)
        parser_state = _feed_with_names(before, places) if places else None
    return parser_state


def _feed_with_names(before: str, places: Collection[tuple[int, int]]) -> Any:
    """Return the parser after a text in which the words at these places are names, or None."""
    parser_state: Any = get_parser().parse_interactive(before)
    try:
        with treat_as_names(places):
            for token in parser_state.lexer_thread.lex(parser_state.parser_state):
                if token.type == "_DEDENT" and not token:
                    break  # the text ends within its blocks
                parser_state.feed_token(token)
    except (UnexpectedInput, DedentError, AssertionError):
        return None
    return parser_state


@cache
def _words_by_terminal() -> dict[str, str]:
    """Return the fixed word or sign of each terminal that has one, such as `{'COLON': ':'}`."""
    literal_terminals = (terminal for terminal in get_parser().terminals if terminal.pattern.type == "str")
    return {terminal.name: str(terminal.pattern.value) for terminal in literal_terminals}


def _locate_name(parser_state: Any, file: str) -> NamePlace | None:
    """Return the tree place of a name written at the parser's position; None if no name can stand there."""
    ending = _find_completion(_copy_without_callbacks(parser_state), ("NAME",))
    if ending is None:
        return None
    result: Any = None
    try:
        for name in ("NAME", *ending):
            result = parser_state.feed_token(_token(name, PLACEHOLDER if result is None and name == "NAME" else ""))
            result = result or ()
        definitions = TreeBuilder(file).transform(result)
    except (UnexpectedInput, VisitError):
        return None
    return next((place for definition in definitions for place in _iter_places(definition, ())), None)


def _copy_without_callbacks(parser_state: Any) -> Any:
    """Return a copy of the parser that builds no tree."""
    trial = parser_state.copy(deepcopy_values=False)
    trial.parser_state.parse_conf = copy(trial.parser_state.parse_conf)
    trial.parser_state.parse_conf.callbacks = {}
    return trial


def _find_completion(parser_state: Any, fed: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the shortest tokens found that complete the text after those fed, or None."""
    pending = [(0, 0, parser_state, fed)]
    for count in range(1, _MOST_STATES):
        if not pending:
            return None
        _, _, current, tokens = heappop(pending)
        try:
            current.feed_token(_token(tokens[-1]))
        except UnexpectedInput:
            continue
        if tokens[-1] == "$END":
            return tokens[1:]
        accepted = current.accepts()
        for rank, name in enumerate((*_PREFERRED_ENDING, *sorted(accepted - set(_PREFERRED_ENDING)))):
            if name in accepted:
                after = current.copy(deepcopy_values=False)
                heappush(pending, (len(tokens) + rank, count * 100 + rank, after, (*tokens, name)))
    return None


def _token(name: str, text: str = "") -> Token:
    """Return a token of a kind for completing a text, with a made-up text (`x`, 1, or its keyword) unless given."""
    texts = {"NAME": "x", "NUMBER": "1", "STRING": '""'}
    return Token(name, text or texts.get(name) or _words_by_terminal().get(name, ""), 0, 1, 1, 1, 1, 0)


def _iter_places(node: t.Node, around: tuple[t.Node, ...]) -> Iterator[NamePlace]:
    """Yield the places of the placeholder name below a node, each with the nodes around it, outermost first."""
    for field, value in iter_fields(node):
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, t.Name) and part.word == PLACEHOLDER:
                yield NamePlace(part, (*around, node), field)
            elif isinstance(part, t.Node):
                yield from _iter_places(part, (*around, node))
