"""The parser of the language, made of `edict.lark`.

Making it takes a second. So its tables come with the package, as JSON; those of another grammar count for nothing.
Reading them still takes a tenth, so the parser is kept as it is in memory.

Where trees begin and end in the file is worked out here as Lark does it, in half the time: that was half of all
reading.
"""

from __future__ import annotations

import io
import json
import pickle
import re
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import lark
from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedToken
from lark.grammar import Rule
from lark.indenter import Indenter
from lark.lexer import Lexer, LexerState, LexerThread, LineCounter, TerminalDef
from lark.parse_tree_builder import PropagatePositions
from lark.parsers.lalr_analysis import Reduce, Shift
from lark.tree import Meta
from lark.utils import TextSlice

from edict.compiler.sources.compiler_fingerprint import fingerprint
from edict.compiler.syntax.derived_rules import complete_grammar
from edict.runtime.program import digest
from edict.support import resources, signed_cache
from edict.support.files import write_atomically


class Indentation(Indenter, threading.local):
    """Blocks by their indents; how deep a text is indented each thread counts for itself, as all share the parser."""

    NL_type = "_NL"
    OPEN_PAREN_types = ["LPAR"]
    CLOSE_PAREN_types = ["RPAR"]
    INDENT_type = "_INDENT"
    DEDENT_type = "_DEDENT"
    tab_len = 4
    names: Collection[tuple[int, int]] = ()  # where words of the language are names: line and column

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        return super().process(self._named(_apart(stream)))  # type: ignore[no-untyped-call, no-any-return]

    def _named(self, stream: Iterator[Token]) -> Iterator[Token]:
        for token in stream:
            if self.names and (token.line, token.column) in self.names:
                token.type = "NAME"
            yield token


@contextmanager
def names_at(places: Collection[tuple[int, int]]) -> Iterator[None]:
    """The parser takes the words of the language at these places for names."""
    layout: Any = parser().options.postlex
    layout.names = places
    try:
        yield
    finally:
        layout.names = ()


def _apart(stream: Iterator[Token]) -> Iterator[Token]:
    """The tokens, refusing words glued together: where only `let` could stand, `lett` would be read as `let t`."""
    last: Token | None = None
    for token in stream:
        if last is not None and last.end_pos == token.start_pos and last[-1:].isalnum() and token[:1].isalnum():
            glued = Token.new_borrow_pos("NAME", last + token, last)
            raise UnexpectedToken(glued, set())  # type: ignore[no-untyped-call]
        yield token
        last = token


@cache
def parser() -> Lark:
    """The parser: as it was kept, or from the tables that ship or are made anew."""
    name = f"parser-{lark.__version__}-{fingerprint()}"
    kept = signed_cache.read(name)
    if kept is not None:
        return quicken(_from_memory(kept))
    text = _text()
    ready = _loaded(_shipped(_name(text)) or _tables(_made(text)))
    if signed_cache.is_usable():
        signed_cache.write(name, _memory(ready))
    return quicken(ready)


def write_tables() -> None:
    """Write the tables that ship: a line with the name of their grammar, and the tables."""
    text = _text()
    write_atomically(resources.parser_tables_path(), _name(text).encode() + b"\n" + _tables(_made(text)))


def renew_tables() -> None:
    """Write the tables that ship anew if the grammar has changed since they were made, or Lark is another release."""
    if _shipped(_name(_text())) is None:
        write_tables()


def _shipped(name: str) -> bytes | None:
    """The tables beside the grammar, if they are its."""
    try:
        with resources.parser_tables_path().open("rb") as file:
            return file.read() if file.readline().strip() == name.encode() else None
    except FileNotFoundError:
        return None


def _text() -> str:
    return complete_grammar((resources.grammar_folder() / "edict.lark").read_text(encoding="utf-8"))


def _name(text: str) -> str:
    return f"grammar-{digest(text)}-{lark.__version__}.json"


def _made(text: str) -> Lark:
    return Lark(text, parser="lalr", maybe_placeholders=True, **_with_each())


def _with_each() -> dict[str, Any]:
    """The options that are no part of the tables: they hold code, or do not change them."""
    return {"postlex": Indentation(), "propagate_positions": True, "_plugins": {"LexerThread": _Thread}}


def _tables(made: Lark) -> bytes:
    """What Lark writes into a stand-alone parser: lists, maps, texts and numbers."""
    data, memo = made.memo_serialize([TerminalDef, Rule])
    data["options"] = {name: value for name, value in data["options"].items() if name not in _with_each()}
    data["parser"]["parser"] = _in_order(data["parser"]["parser"])
    return json.dumps({"data": data, "memo": memo}, separators=(",", ":")).encode("utf-8")


_SHIFT = 0  # how Lark writes an action that leads to a state; any other is a rule that is complete


def _in_order(table: dict[str, Any]) -> dict[str, Any]:
    """The same table, numbered as it is walked from its start, not as sets came: built twice, it is the same."""
    names = sorted(table["tokens"].values())
    token = {old: names.index(name) for old, name in table["tokens"].items()}
    ways = {state: sorted((token[old], action) for old, action in by.items()) for state, by in table["states"].items()}
    numbers = {start: number for number, start in enumerate(table["start_states"].values())}
    for state in (reached := list(numbers)):
        for leads, to in (action for _, action in ways[state]):
            if leads == _SHIFT and to not in numbers:
                numbers[to] = len(numbers)
                reached.append(to)
    states = {
        numbers[state]: {by: (leads, numbers[to] if leads == _SHIFT else to) for by, (leads, to) in ways[state]}
        for state in reached
    }
    ends = ("start_states", "end_states")
    bounds = {kind: {name: numbers[state] for name, state in table[kind].items()} for kind in ends}
    return {"tokens": dict(enumerate(names)), "states": states, **bounds}


def _loaded(kept: bytes) -> Lark:
    tables = json.loads(kept, object_hook=_numbered)
    tables["data"]["options"] |= _with_each()
    return Lark.load(tables)


def _numbered(entries: dict[str, Any]) -> dict[Any, Any]:
    """Numbers as keys again, of which JSON made texts; Lark's other keys are words."""
    by_number = next(iter(entries), "").isdigit()
    return {int(number): entry for number, entry in entries.items()} if by_number else entries


class _Pickler(pickle.Pickler):
    """Writes names in place of what cannot be kept."""

    def __init__(self, file: io.BytesIO, names: dict[str, Any]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._names = {id(rule): name for name, rule in names.items()}

    def persistent_id(self, obj: Any) -> str | None:
        return self._names.get(id(obj))


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, names: dict[str, Any]) -> None:
        super().__init__(file)
        self._names = names

    def persistent_load(self, pid: Any) -> Any:
        return self._names[pid]


def _names(callbacks: Any, indentation: Any) -> dict[str, Any]:
    """What is no part of a parser's memory: what holds code, or is told apart from all else by what it is."""
    return {"callbacks": callbacks, "indentation": indentation, "re": re, "shift": Shift, "reduce": Reduce}


def _memory(ready: Lark) -> bytes:
    """A parser, before it has read anything."""
    file = io.BytesIO()
    _Pickler(file, _names(ready._callbacks, ready.options.postlex)).dump(ready)
    return file.getvalue()


def _from_memory(kept: bytes) -> Lark:
    callbacks: dict[Any, Any] = {}
    ready: Lark = _Unpickler(io.BytesIO(kept), _names(callbacks, Indentation())).load()
    ready._prepare_callbacks()
    callbacks.update(ready._callbacks)
    ready._callbacks = callbacks
    return ready


@dataclass(frozen=True)
class FilePiece(TextSlice[str]):
    """A stretch of a file that begins a line, after so many lines `above`."""

    above: int

    @property
    def own(self) -> str:
        """Its text alone."""
        return self.text[self.start : self.end]


class _Thread(LexerThread):
    """Knows in which line a piece begins; Lark would count the lines above it anew for each piece of a file."""

    @classmethod
    def from_text(cls, lexer: Lexer, text: TextSlice[str] | str) -> LexerThread:
        if not isinstance(text, FilePiece):
            return super().from_text(lexer, text)
        lines = LineCounter("\n")  # type: ignore[no-untyped-call]
        lines.line, lines.char_pos, lines.line_start_pos = text.above + 1, text.start, text.start
        return cls(lexer, LexerState(text, lines))


@cache
def name_pattern() -> str:
    """What a name looks like, as a regular expression."""
    (pattern,) = re.findall(r"^NAME: /(.*)/$", _text(), re.MULTILINE)
    return str(pattern)


@cache
def keywords() -> frozenset[str]:
    """Every word the grammar itself knows."""
    return frozenset(re.findall(r'"([a-z]+)"', _text()))


@cache
def openings() -> frozenset[str]:
    """The words of the language that begin a definition."""
    return frozenset(name.lower() for name in parser().parse_interactive("").accepts())  # type: ignore[no-untyped-call]


# --- where trees begin and end -------------------------------------------------------------------------

Built = Callable[[list[Any]], Any]


def quicken(parser: Lark) -> Lark:
    """The same parser; where trees stand is worked out here from now on."""
    callbacks: dict[Any, Any] = parser._callbacks
    for rule, built in callbacks.items():
        if isinstance(built, PropagatePositions):
            callbacks[rule] = _placed(built.node_builder)
    return parser


def _placed(build: Built) -> Built:
    """Builds a tree and notes where it stands; what was built before, in brackets, keeps its place within them."""

    def placed(children: list[Any]) -> Any:
        tree = build(children)
        if not isinstance(tree, Tree):
            return tree
        first = _place(children)
        if first is not None:
            meta = tree._meta
            if meta is None:
                meta = tree._meta = Meta()  # type: ignore[no-untyped-call]
            _note(meta.__dict__, first, _place(reversed(children)))
        return tree

    return placed


def _place(children: Iterable[Any]) -> Any:
    """The first of these that takes room in the file: a token, or where a tree stands."""
    for child in children:
        if isinstance(child, Token):
            return child
        if isinstance(child, Tree) and child._meta is not None and not child._meta.empty:
            return child._meta
    return None


def _note(place: dict[str, Any], first: Any, last: Any) -> None:
    if isinstance(first, Token):
        line, column, start = first.line, first.column, first.start_pos
    else:
        line, column, start = first.container_line, first.container_column, first.container_start_pos
    if isinstance(last, Token):
        end_line, end_column, end = last.end_line, last.end_column, last.end_pos
    else:
        end_line, end_column, end = last.container_end_line, last.container_end_column, last.container_end_pos
    if place["empty"]:
        place["line"], place["column"], place["start_pos"] = line, column, start
        place["end_line"], place["end_column"], place["end_pos"] = end_line, end_column, end
        place["empty"] = False
    place["container_line"], place["container_column"], place["container_start_pos"] = line, column, start
    place["container_end_line"], place["container_end_column"], place["container_end_pos"] = end_line, end_column, end
