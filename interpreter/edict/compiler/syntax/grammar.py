"""The parser of the language, made from `edict.lark`.

Building its tables takes a second, so they are shipped as JSON and used if they belong to the present grammar. Loading
them takes a tenth of that, so the finished parser is also cached as a pickle. Positions of trees are computed here in
half the time that Lark takes, which was half of all parsing.
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
from importlib import import_module
from types import ModuleType
from typing import Any

import lark
from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedToken
from lark.grammar import Rule
from lark.indenter import Indenter
from lark.lexer import Lexer, LexerState, LexerThread, LineCounter, TerminalDef
from lark.parse_tree_builder import PropagatePositions
from lark.parsers.lalr_analysis import Shift
from lark.tree import Meta
from lark.utils import TextSlice

from edict.compiler.sources.compiler_fingerprint import fingerprint
from edict.compiler.syntax.patterns import complete_grammar
from edict.runtime.program import digest
from edict.support import resources, signed_cache
from edict.support.files import write_atomically


class Indentation(Indenter, threading.local):
    """A lexer post-processor that turns indentation into blocks; its state is per thread, the parser shared."""

    NL_type = "_NL"
    OPEN_PAREN_types = ["LPAR"]
    CLOSE_PAREN_types = ["RPAR"]
    INDENT_type = "_INDENT"
    DEDENT_type = "_DEDENT"
    tab_len = 4
    names: Collection[tuple[int, int]] = ()  # places (line, column) where words of the language are names

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """Yield the tokens with those of blocks added and names marked."""
        return super().process(self._mark_names(_reject_glued_words(stream)))  # type: ignore[no-untyped-call, no-any-return]

    def _mark_names(self, stream: Iterator[Token]) -> Iterator[Token]:
        """Yield the tokens, with those at the places in `names` turned into NAME tokens."""
        for token in stream:
            if self.names and (token.line, token.column) in self.names:
                token.type = "NAME"
            yield token


@contextmanager
def treat_as_names(places: Collection[tuple[int, int]]) -> Iterator[None]:
    """Make the parser take the words of the language at these places (line, column) for names."""
    layout: Any = get_parser().options.postlex
    layout.names = places
    try:
        yield
    finally:
        layout.names = ()


def _reject_glued_words(stream: Iterator[Token]) -> Iterator[Token]:
    """Yield the tokens, and raise for words without space between; `lett` would else be read as `let t`."""
    previous: Token | None = None
    for token in stream:
        if (
            previous is not None
            and previous.end_pos == token.start_pos
            and previous[-1:].isalnum()
            and token[:1].isalnum()
        ):
            glued = Token.new_borrow_pos("NAME", previous + token, previous)
            raise UnexpectedToken(glued, set())  # type: ignore[no-untyped-call]
        yield token
        previous = token


@cache
def get_parser() -> Lark:
    """Return the parser, from the cache, the shipped tables, or newly built."""
    name = f"parser-{lark.__version__}-{fingerprint()}"
    cached = signed_cache.read(name)
    if cached is not None:
        return speed_up_positions(_unpickle_parser(cached))
    grammar = _grammar_text()
    ready = _load_tables(_read_shipped_tables(_tables_name(grammar)) or _serialize_tables(_build_parser(grammar)))
    if signed_cache.is_usable():
        signed_cache.write(name, _pickle_parser(ready))
    return speed_up_positions(ready)


def write_tables() -> None:
    """Write the tables that ship, with a first line that identifies their grammar."""
    grammar = _grammar_text()
    write_atomically(
        resources.parser_tables_path(),
        _tables_name(grammar).encode() + b"\n" + _serialize_tables(_build_parser(grammar)),
    )


def renew_tables() -> None:
    """Write the shipped tables anew if the grammar or the release of Lark has changed."""
    if _read_shipped_tables(_tables_name(_grammar_text())) is None:
        write_tables()


def _read_shipped_tables(name: str) -> bytes | None:
    """Return the shipped tables if they belong to this grammar, else None."""
    try:
        with resources.parser_tables_path().open("rb") as file:
            return file.read() if file.readline().strip() == name.encode() else None
    except FileNotFoundError:
        return None


def _grammar_text() -> str:
    """Return the text of `edict.lark`, completed by the rules derived from node patterns."""
    return complete_grammar(_written_grammar())


def _written_grammar() -> str:
    """Return the text of `edict.lark`."""
    return (resources.grammar_folder() / "edict.lark").read_text(encoding="utf-8")


def _tables_name(text: str) -> str:
    """Return the file name of cached parser tables, which depends on the grammar text and Lark's release."""
    return f"grammar-{digest(text)}-{lark.__version__}.json"


def _build_parser(text: str) -> Lark:
    return Lark(text, parser="lalr", maybe_placeholders=True, **_runtime_options())


def _runtime_options() -> dict[str, Any]:
    """Return the options that are not part of the tables, because they hold code or do not change them."""
    return {"postlex": Indentation(), "propagate_positions": True, "_plugins": {"LexerThread": _PieceLexer}}


def _serialize_tables(lark_parser: Lark) -> bytes:
    """Return the tables of a parser as JSON, in the form of Lark's stand-alone parsers."""
    data, memo = lark_parser.memo_serialize([TerminalDef, Rule])
    data["options"] = {name: value for name, value in data["options"].items() if name not in _runtime_options()}
    data["parser"]["parser"] = _renumber_states(data["parser"]["parser"])
    return json.dumps({"data": data, "memo": memo}, separators=(",", ":")).encode("utf-8")


_SHIFT = 0  # Lark's code of a shift in serialized tables; any other action is a reduction


def _renumber_states(table: dict[str, Any]) -> dict[str, Any]:
    """Return the table with its states numbered in the order of a walk from the start.

    Lark numbers them in the order of sets, which differs from run to run; renumbered tables are reproducible.
    """
    names = sorted(table["tokens"].values())
    token = {old_id: names.index(name) for old_id, name in table["tokens"].items()}
    actions_by_state = {
        state: sorted((token[old_id], action) for old_id, action in token_id.items())
        for state, token_id in table["states"].items()
    }
    numbers = {start: number for number, start in enumerate(table["start_states"].values())}
    for state in (reached := list(numbers)):
        for code, target in (action for _, action in actions_by_state[state]):
            if code == _SHIFT and target not in numbers:
                numbers[target] = len(numbers)
                reached.append(target)
    states = {
        numbers[state]: {
            token_id: (code, numbers[target] if code == _SHIFT else target)
            for token_id, (code, target) in actions_by_state[state]
        }
        for state in reached
    }
    bound_keys = ("start_states", "end_states")
    bounds = {kind: {name: numbers[state] for name, state in table[kind].items()} for kind in bound_keys}
    return {"tokens": dict(enumerate(names)), "states": states, **bounds}


def _load_tables(serialized: bytes) -> Lark:
    """Return the parser for tables serialized as JSON (see `_serialize_tables`)."""
    tables = json.loads(serialized, object_hook=_restore_int_keys)
    tables["data"]["options"] |= _runtime_options()
    return Lark.load(tables)


def _restore_int_keys(entries: dict[str, Any]) -> dict[Any, Any]:
    """Return a map with the integer keys that JSON turned into strings."""
    has_numbers = next(iter(entries), "").isdigit()
    if has_numbers:
        return {int(number): entry for number, entry in entries.items()}
    return entries


def _pickle_parser(ready: Lark) -> bytes:
    """Return a parser as bytes; it must not have parsed anything yet."""
    file = io.BytesIO()
    pickler = pickle.Pickler(file, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = {
        ModuleType: lambda module: (import_module, (module.__name__,)),
        Indentation: lambda _: (Indentation, ()),
        type(Shift): lambda action: action.name,  # a name, as actions are compared by identity
    }
    callbacks = ready._callbacks.copy()
    ready._callbacks.clear()  # functions, which cannot be pickled
    try:
        pickler.dump(ready)
    finally:
        ready._callbacks.update(callbacks)
    return file.getvalue()


def _unpickle_parser(pickled: bytes) -> Lark:
    """Return the parser from the bytes of `_pickle_parser`, with its tree-building callbacks made anew."""
    ready: Lark = pickle.loads(pickled)
    callbacks = ready._callbacks  # all parts of the parser have this dict
    ready._prepare_callbacks()
    callbacks.update(ready._callbacks)
    ready._callbacks = callbacks
    return ready


@dataclass(frozen=True)
class FilePiece(TextSlice[str]):
    """A piece of a file that begins at the start of a line."""

    above: int  # number of lines above it

    @property
    def own_text(self) -> str:
        """The text of the piece alone."""
        return self.text[self.start : self.end]


class _PieceLexer(LexerThread):
    """A lexer thread that knows the first line of a piece; Lark would count the lines above it for each piece."""

    @classmethod
    def from_text(cls, lexer: Lexer, text: TextSlice[str] | str) -> LexerThread:
        """Return a lexer thread for a text; for a `FilePiece`, its lines are counted from the start of the file."""
        if not isinstance(text, FilePiece):
            return super().from_text(lexer, text)
        lines = LineCounter("\n")  # type: ignore[no-untyped-call]
        lines.line, lines.char_pos, lines.line_start_pos = text.above + 1, text.start, text.start
        return cls(lexer, LexerState(text, lines))


@cache
def name_pattern() -> str:
    """Return the regular expression of names."""
    (pattern,) = re.findall(r"^NAME: /(.*)/$", _written_grammar(), re.MULTILINE)
    return str(pattern)


@cache
def keywords() -> frozenset[str]:
    """Return every word of the grammar."""
    return frozenset(re.findall(r'"([a-z]+)"', _grammar_text()))


@cache
def definition_words() -> frozenset[str]:
    """Return the words that begin a definition."""
    return frozenset(name.lower() for name in get_parser().parse_interactive("").accepts())  # type: ignore[no-untyped-call]


# --- positions of trees --------------------------------------------------------------------------------

NodeBuilderFunction = Callable[[list[Any]], Any]  # builds a tree from its children


def speed_up_positions(parser: Lark) -> Lark:
    """Replace Lark's computation of positions in a parser by a faster one, and return the parser."""
    callbacks: dict[Any, Any] = parser._callbacks
    for rule, callback in callbacks.items():
        if isinstance(callback, PropagatePositions):
            callbacks[rule] = _with_position(callback.node_builder)
    return parser


def _with_position(build: NodeBuilderFunction) -> NodeBuilderFunction:
    """Wrap a builder so that its tree gets a position; a tree built before, in brackets, keeps its own within them."""

    def build_with_position(children: list[Any]) -> Any:
        """Build a tree and give it the position from its first child to its last."""
        tree = build(children)
        if not isinstance(tree, Tree):
            return tree
        start = _find_position(children)
        if start is not None:
            meta = tree._meta
            if meta is None:
                meta = tree._meta = Meta()  # type: ignore[no-untyped-call]
            _set_position(meta.__dict__, start, _find_position(reversed(children)))
        return tree

    return build_with_position


def _find_position(children: Iterable[Any]) -> Any:
    """Return the first child with a position, as a token or as a tree's meta data."""
    for child in children:
        if isinstance(child, Token):
            return child
        if isinstance(child, Tree) and child._meta is not None and not child._meta.empty:
            return child._meta
    return None


def _set_position(meta: dict[str, Any], first: Any, last: Any) -> None:
    """Write the position from `first` to `last` into a tree's meta data; keep an existing inner position."""
    if isinstance(first, Token):
        line, column, start = first.line, first.column, first.start_pos
    else:
        line, column, start = first.container_line, first.container_column, first.container_start_pos
    if isinstance(last, Token):
        end_line, end_column, end = last.end_line, last.end_column, last.end_pos
    else:
        end_line, end_column, end = last.container_end_line, last.container_end_column, last.container_end_pos
    if meta["empty"]:
        meta["line"], meta["column"], meta["start_pos"] = line, column, start
        meta["end_line"], meta["end_column"], meta["end_pos"] = end_line, end_column, end
        meta["empty"] = False
    meta["container_line"], meta["container_column"], meta["container_start_pos"] = line, column, start
    meta["container_end_line"], meta["container_end_column"], meta["container_end_pos"] = end_line, end_column, end
