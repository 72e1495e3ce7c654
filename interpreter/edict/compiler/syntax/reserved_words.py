"""Words of the language that serve as names, and those that cannot, by sorts of names.

A line is read with keywords as such; only if that fails, keywords that are known as names are taken for names
(`resolve_soft_words`). So a word is unsuitable as a name if some line that refers to it could be read both ways to its
end. These words follow from the parser's table, which is walked with the keyword and with a name side by side.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.automaton import (
    LAYOUT,
    ParserStack,
    build_stacks,
    built_in_keywords,
    initial_stack,
    kinds_by_word,
    rule_parts_at,
    value_words,
    words_by_kind,
)
from edict.compiler.syntax.constructs import find_form
from edict.compiler.syntax.grammar import FilePiece
from edict.compiler.syntax.grammar_tables import load_grammar_table
from edict.compiler.syntax.nouns import SORTS
from edict.compiler.syntax.roles import Role, carries_role, iter_role_values
from edict.compiler.syntax.traversal import walk
from edict.support.morphology import add_indefinite_article
from edict.support.records import dataclass
from edict.support.report import Diagnostic

if TYPE_CHECKING:
    from edict.compiler.syntax.syntax_errors.word_stream import StreamWord

_MOST_WORDS = 6  # words for which two readings are followed; what tells them apart is close to the word
_ALIKE = 4  # states on top of the parser stack that identify a reading
_VALUES = ("thing", "kind", "group", "resource", "die", "keep", "quantity", "value", "setting")
_NUMBERS = ("keep", "quantity", "value", "setting", "local")
_KINDS = ("kind", "group")
_FIELDS = ("field",)
_APPLIED = ("field", "keep", "quantity", "value", "resource", "group", "die", "local")
_EVERYTHING = (*_VALUES, "field", "local", "phase", "moment", "routine", "action", "rule", "display", "game")
# sorts of names that can stand at a position of a grammar rule; positions not listed allow every sort
_SORTS_BY_PART: Mapping[tuple[str, int], tuple[str, ...]] = {
    ("thing", 0): ("kind",),
    ("combinations", 0): ("kind",),
    ("thing_type", 0): _KINDS,
    ("optional_type", 0): _KINDS,
    ("choose", 2): _KINDS,
    ("choose_some", 2): _KINDS,
    ("choose_up_to", 4): _KINDS,
    ("field_stmt", 0): _FIELDS,
    ("field_block", 0): _FIELDS,
    ("field_text", 0): _FIELDS,
    ("field_expr", 0): _FIELDS,
    ("field_amounts", 0): _FIELDS,
    ("field_listed", 0): _FIELDS,
    ("field_def", 0): _FIELDS,
    ("derived_def", 0): _FIELDS,
    ("of_each_field", 0): _FIELDS,
    ("do_field", 1): _FIELDS,
    ("do", 1): ("routine", "action"),
    ("apply_one", 0): _APPLIED,
    ("apply_many", 0): _APPLIED,
    ("part", 1): ("group", "resource", "die", "local"),
    ("part", 0): _NUMBERS,
    ("choose_some", 1): _NUMBERS,
    ("draw_some", 1): _NUMBERS,
    ("draw_into", 1): _NUMBERS,
    ("reroll", 1): ("keep", "local"),
    ("copies_of", 2): ("thing", "local"),
    ("binary", 0): (*_VALUES, "local"),
    ("is_", 2): (*_VALUES, "local"),
    ("is_not", 3): (*_VALUES, "local"),
    ("field_expr", 1): _VALUES,
    ("field_listed", 1): _VALUES,
    ("row", 1): _VALUES,
    ("row", 2): _VALUES,
    ("field_def", 1): _KINDS,
    **{("keep", place): _KINDS for place in range(3, 8)},
}
_REPEATED = re.compile(r"^__|_(star|plus)_\d+$")  # Lark's suffix of rules for repetitions


@dataclass(frozen=True, slots=True)
class _Readings:
    """A line read both ways."""

    word: ParserStack  # the parser after the keyword
    name: ParserStack  # the parser after a name
    part: tuple[str, int] | None  # the rule of which the name is a part, once known
    since: tuple[str, ...]  # kinds of the words that follow

    @property
    def search_key(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[str, int] | None]:
        """Return the key by which equal readings are recognized."""
        return self.word.top_states(_ALIKE), self.name.top_states(_ALIKE), self.part


@cache
def find_reserved_sorts(word: str) -> Mapping[str, str]:
    """Return the sorts of names that this word cannot be, each with the beginning of a line that would be misread."""
    result: dict[str, str] = {}
    for part, line in _find_ambiguities(word).items():
        for sort in _SORTS_BY_PART.get((_REPEATED.sub("", part[0]), part[1]), _EVERYTHING):
            result.setdefault(sort, line)
    return result


def _find_ambiguities(word: str) -> dict[tuple[str, int], str]:
    """Return the parts of grammar rules where the word as a name can be read another way, each with such a line."""
    kind = None if word in built_in_keywords() else kinds_by_word().get(word)
    result: dict[tuple[str, int], str] = {}
    seen: set[object] = set()
    for stack in build_stacks() if kind is not None else ():
        as_word, as_name = stack.advance(kind or ""), stack.advance("NAME")
        if as_word is None or as_name is None or as_name.below is None:
            continue
        base = as_name.below
        pending = deque([_Readings(as_word, as_name, None, ())])
        while pending:
            pair = pending.popleft()
            if pair.part in result or pair.search_key in seen:
                continue
            seen.add(pair.search_key)
            for extended in _extend_readings(pair, base):
                if extended.since[-1] != "_NL":
                    pending.append(extended)
                    continue
                for part in _find_parts_at_end(extended, base):
                    result.setdefault(part, " ".join((word, *_render_kinds(extended.since))))
    return result


def _extend_readings(pair: _Readings, base: ParserStack) -> Iterator[_Readings]:
    """Yield both readings extended by a word that either accepts."""
    for kind in pair.word.next_kinds() if len(pair.since) < _MOST_WORDS else ():
        if kind in _list_skipped_kinds():
            continue
        word = pair.word.advance(kind)
        name, part = pair.name.trace_part(kind, base)
        if word is not None and name is not None:
            yield _Readings(word, name, pair.part or part, (*pair.since, kind))


def _find_parts_at_end(pair: _Readings, base: ParserStack) -> Iterator[tuple[str, int]]:
    """Yield the parts of rules that the name may be, if both readings end their line and can continue alike."""
    if not any(pair.name.advance(kind) for kind in pair.word.next_kinds()):
        return
    if pair.part is not None:
        yield pair.part
        return
    top = pair.name
    while top.below is not base:
        assert top.below is not None
        top = top.below
    yield from rule_parts_at(top.state)


@cache
def _list_skipped_kinds() -> frozenset[str]:
    """Return kinds of words that are not tried, because others stand in the same places."""
    interchangeable = {"(", "+", "*", "/", "mod", "."} | (value_words() - {"first", "left", "not"})
    return frozenset(kinds_by_word()[word] for word in interchangeable) | {
        "COMPARE",
        "_POSITION_OF",
        "$END",
        *LAYOUT[1:],
    }


def _render_kinds(kinds: Sequence[str]) -> Iterator[str]:
    """Yield a sample word for each token kind but the last (the line's end), such as `...` for a name."""
    return ({"NAME": "...", "NUMBER": "2", "STRING": '"..."'}.get(kind) or words_by_kind()[kind] for kind in kinds[:-1])


# --- declared names --------------------------------------------------------------------------------


def iter_declared_names(definition: t.Definition) -> Iterator[tuple[t.Name, str]]:
    """Yield the names that a definition gives to itself and its parts, each with its sort."""
    if isinstance(definition, t.Amend | t.Remove_ | t.Retitle):
        definition = definition.definition if isinstance(definition, t.Amend) else definition
    elif type(definition) in SORTS:
        yield definition.name, SORTS[type(definition)]
    for node in walk(definition):
        if isinstance(node, t.FieldDef):
            yield node.name, "field"
        elif isinstance(node, t.Row):
            yield node.name, "thing"
        node_type: Any = type(node)
        for role in _binding_roles(node_type):
            yield from ((name, "local") for name in iter_role_values(node, role))


@cache
def _binding_roles(node_type: Any) -> tuple[Role, ...]:
    """Return the roles by which nodes of a class bind names: for later steps, for the block below, both or none."""
    return tuple(role for role in (Role.BINDS, Role.BINDS_BELOW) if carries_role(node_type, role))


def find_keyword_names(definitions: Iterable[t.Definition]) -> frozenset[str]:
    """Return the keywords that definitions use as names which can be referred to from outside."""
    return frozenset(word for definition in definitions for word in _find_keyword_names_of(definition))


@lru_cache(maxsize=8192)
def _find_keyword_names_of(definition: t.Definition) -> tuple[str, ...]:
    """Return the keywords that one definition uses as names (cached, since an edit changes one definition)."""
    names = iter_declared_names(definition)
    return tuple(name.word for name, sort in names if sort != "local" and name.word in kinds_by_word())


def check_names(definitions: Iterable[t.Definition]) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each declared name that would be read as a keyword."""
    for definition in definitions:
        for name, sort in iter_declared_names(definition):
            if sort in find_reserved_sorts(name.word):
                yield reserved_word_diagnostic(name, sort)


def reserved_word_diagnostic(name: t.Name, sort: str) -> Diagnostic:
    """Return the diagnostic for a name that is a keyword where this sort of name is referred to."""
    word, line = name.word, find_reserved_sorts(name.word).get(sort, name.word)
    if sort == "local":
        fault = "cannot be a name here"
    else:
        fault = f"cannot be the name of {add_indefinite_article(sort)}"
    form = load_grammar_table("meanings", "constructs.yaml").get(word, "") or f"It is written `{find_form(word)}`."
    return Diagnostic(
        "E0112",
        f"`{word}` is a word of the language and {fault}",
        name.span,
        note=f"{form} `{line}` would always mean that.",
        help=f"choose another name, such as `my-{word}`",
    )


_MOST_STEPS = 4_000  # words that are tried before a line is given up


def resolve_soft_words(words: Sequence[StreamWord], names: Collection[str]) -> list[StreamWord]:
    """Return words with their kinds decided; keywords are names in lines that can only be read so.

    Args:
        words: The words of a piece of a file.
        names: Keywords that are used as names. A keyword in a place where only a name can stand is added to them for
            the following lines.
    """
    known_names, stack = set(names), initial_stack()
    result: list[StreamWord] = []
    for start, stop in _iter_lines(words):
        line = _read_line(stack, words[start:stop], words[stop] if stop < len(words) else None, known_names)
        if line is None:
            return [*result, *words[start:]]
        for word, kind, after in line:
            certain = kind == "NAME" and len(word.kinds) > 1 and stack.advance(word.kinds[0]) is None
            known_names |= {word.text} if certain else set()
            result.append(replace(word, kinds=(kind, *(other for other in word.kinds if other != kind))))
            stack = after
    return result


def find_soft_names(piece: FilePiece, names: Collection[str]) -> frozenset[tuple[int, int]]:
    """Return the places (line, column) in a piece of a file where keywords must be names."""
    # imported late, because most files have no such lines
    from edict.compiler.syntax.syntax_errors.word_stream import split_into_words

    words = resolve_soft_words(split_into_words(piece), names)
    return frozenset((word.line, word.column) for word in words if word.kinds[:1] == ("NAME",) and len(word.kinds) > 1)


def _iter_lines(words: Sequence[StreamWord]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each line, including the layout words behind it."""
    start = 0
    for i, word in enumerate(words):
        if word.is_layout and not (i + 1 < len(words) and words[i + 1].is_layout):
            yield start, i + 1
            start = i + 1
    if start < len(words):
        yield start, len(words)


def _read_line(
    stack: ParserStack, line: Sequence[StreamWord], behind: StreamWord | None, known: Collection[str]
) -> list[tuple[StreamWord, str, ParserStack]] | None:
    """Return the words of a line with the kind of each and the parser after it, or None.

    As few keywords as possible are names, and rather late ones.
    """
    chosen: list[tuple[StreamWord, str, ParserStack]] = []
    open_choices = [_iter_kinds(stack, line[0], known)]
    for _ in range(_MOST_STEPS):
        if not open_choices:
            return None
        choice = next(open_choices[-1], None)
        if choice is None:
            open_choices.pop()
            if chosen:
                chosen.pop()
            continue
        chosen.append((line[len(chosen)], *choice))
        if len(chosen) < len(line):
            open_choices.append(_iter_kinds(choice[1], line[len(chosen)], known))
        elif behind is None or next(_iter_kinds(choice[1], behind, known | {behind.text}), None) is not None:  # type: ignore[operator]
            return chosen
        else:
            chosen.pop()
    return None


def _iter_kinds(stack: ParserStack, word: StreamWord, known: Collection[str]) -> Iterator[tuple[str, ParserStack]]:
    """Yield the kinds that a word may have here with the parser after it; names come last."""
    has_kind = False
    for kind in word.kinds:
        after = stack.advance(kind)
        if after is not None and (not has_kind or kind != "NAME" or word.text in known):
            has_kind = True
            yield kind, after
