"""The parser's LALR table as an automaton of stacks, which tells what kinds of words may follow without building nodes.

Stacks of states share their tails. Each stack caches the stacks that follow it for every kind of word.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from lark.parsers.lalr_analysis import Shift

from edict.compiler.syntax.grammar import definition_words, get_parser

_LONGEST_RULE = 14  # parts of a grammar rule
LAYOUT = ("_NL", "_INDENT", "_DEDENT")  # token kinds of line breaks and indentation


class ParserStack:
    """An immutable stack of parser states after some words, with the newest state on top."""

    __slots__ = ("_next_kinds", "_pushed", "_successors", "below", "state")

    def __init__(self, state: int, below: ParserStack | None) -> None:
        self.state, self.below = state, below
        self._successors: dict[str, ParserStack | None] = {}
        self._pushed: dict[int, ParserStack] = {}
        self._next_kinds: list[str] | None = None

    def advance(self, kind: str) -> ParserStack | None:
        """Return the stack after a word of this kind, or None if such a word cannot stand here."""
        if kind not in self._successors:
            self._successors[kind] = self._step(kind)
        return self._successors[kind]

    def next_kinds(self) -> list[str]:
        """Return the kinds of words that can come next."""
        if self._next_kinds is None:
            kinds = (kind for kind in _states()[self.state] if kind.lstrip("_").isupper())
            self._next_kinds = [kind for kind in kinds if self.advance(kind) is not None]
        return self._next_kinds

    def advance_all(self, kinds: Iterable[str]) -> ParserStack | None:
        """Return the stack after words of these kinds in turn, or None if they cannot be read."""
        stack: ParserStack | None = self
        for kind in kinds:
            stack = stack.advance(kind) if stack is not None else None
        return stack

    def _step(self, kind: str) -> ParserStack | None:
        """Return the stack after one token kind, or None if the parser rejects it; uncached."""
        return self.trace_part(kind, None)[0]

    def trace_part(self, kind: str, base: ParserStack | None) -> tuple[ParserStack | None, tuple[str, int] | None]:
        """Return the stack after a word, and the part of a rule that the content right above `base` becomes by it.

        The part is the name of the first rule of several parts that reduces the content, and its position there; None
        if
        the content is not reduced yet.
        """
        stack, part = self, None
        while True:
            entry = _states()[stack.state].get(kind)
            if entry is None:
                return None, part
            action, target = entry
            if action is Shift:
                return stack._push(target), part
            for place in reversed(range(len(target.expansion))):
                assert stack.below is not None
                stack = stack.below
                if stack is base and part is None and len(target.expansion) > 1:
                    part = (str(target.alias or target.origin.name), place)
            stack = stack._push(_states()[stack.state][target.origin.name][1])
            if kind == "$END" and stack.state == _parse_table().end_states["start"]:
                return stack, part

    def top_states(self, most: int) -> tuple[int, ...]:
        """Return up to `most` states from the top downwards."""
        states, stack = list[int](), self
        while len(states) < most:
            states.append(stack.state)
            if stack.below is None:
                break
            stack = stack.below
        return tuple(states)

    def _push(self, state: int) -> ParserStack:
        """Return the stack with a state on top; the same state always gives the same object."""
        if state not in self._pushed:
            self._pushed[state] = ParserStack(state, self)
        return self._pushed[state]


def initial_stack() -> ParserStack:
    """Return the stack before the first word of a file."""
    return ParserStack(_parse_table().start_states["start"], None)


@cache
def build_stacks() -> tuple[ParserStack, ...]:
    """Return a lowest possible stack for every reachable state of the parser."""
    by_state = {(first := initial_stack()).state: first}
    pending = [first]
    for stack in pending:
        for action, target in _states()[stack.state].values():
            if action is Shift and target not in by_state:
                by_state[target] = stack._push(target)
                pending.append(by_state[target])
    return tuple(by_state.values())


@cache
def rule_parts_at(state: int) -> frozenset[tuple[str, int]]:
    """Return the rules that may continue from a state, each with the position in it of what was read last."""
    result, seen = set[tuple[str, int]](), {(state, 0)}
    pending = [(state, 0)]
    for current, shifted in pending:
        for action, target in _states()[current].values():
            if action is not Shift and len(target.expansion) > shifted:
                result.add((str(target.alias or target.origin.name), len(target.expansion) - 1 - shifted))
            elif action is Shift and shifted < _LONGEST_RULE and (target, shifted + 1) not in seen:
                seen.add((target, shifted + 1))
                pending.append((target, shifted + 1))
    return frozenset(result)


@cache
def kinds_by_word() -> dict[str, str]:
    """Return the words and signs of the language with the kind of their tokens."""
    literal_terminals = (terminal for terminal in get_parser().terminals if terminal.pattern.type == "str")
    return {str(terminal.pattern.value): terminal.name for terminal in literal_terminals}


@cache
def words_by_kind() -> dict[str, str]:
    """Return the kinds of tokens that are always written the same, with that word or sign."""
    return {kind: word for word, kind in kinds_by_word().items()}


@cache
def built_in_keywords() -> frozenset[str]:
    """Return the keywords that are also values by themselves, such as `no`; they can be no names anyway."""
    kinds = {str(rule.expansion[0].name) for rule in get_parser().rules if str(rule.origin.name) == "var"}
    return frozenset(words_by_kind()[kind] for kind in kinds if kind in words_by_kind())


@cache
def statement_words() -> frozenset[str]:
    """Return the words that begin a step or an ability."""
    words: set[str] = set()
    for prefix in (["PHASE", "NAME", "_NL", "_INDENT"], ["NAME", "NAME", "_NL", "_INDENT"]):
        stack = initial_stack().advance_all(prefix)
        assert stack is not None
        words |= {words_by_kind()[kind] for kind in stack.next_kinds() if kind in words_by_kind()}
    return frozenset(words)


@cache
def step_words() -> frozenset[str]:
    """Return the words that begin a step."""
    return frozenset(words_by_kind()[kind] for kind in _block_stack().next_kinds() if kind in words_by_kind())


def _block_stack() -> ParserStack:
    """Return the stack where a step begins."""
    block = initial_stack().advance_all(["PHASE", "NAME", "_NL", "_INDENT"])
    assert block is not None
    return block


@cache
def inner_words() -> frozenset[str]:
    """Return the words that begin a step or continue one on a line of its own, such as `else`."""
    table, steps = _states(), set(_block_stack().next_kinds())
    line_starts = {
        entry[1] for row in table.values() for kind, entry in row.items() if kind in LAYOUT and entry[0] is Shift
    }
    candidates = (table[state] for state in line_starts if steps <= set(table[state]))
    kinds = {kind for row in candidates for kind, (action, _) in row.items() if action is Shift}
    return frozenset(words_by_kind()[kind] for kind in kinds if kind in words_by_kind()) - definition_words()


@cache
def value_words() -> frozenset[str]:
    """Return the words that begin a value or a condition, and so cannot be names there."""
    inner = initial_stack().advance_all(["PHASE", "NAME", "_NL", "_INDENT", kinds_by_word()["if"]])
    assert inner is not None
    return frozenset(words_by_kind()[kind] for kind in inner.next_kinds() if words_by_kind().get(kind, "(").isalpha())


@cache
def _parse_table() -> Any:
    return get_parser().parser.parser._parse_table


@cache
def _states() -> dict[int, dict[str, Any]]:
    """Return the parser's LALR table as `{state: {token kind or rule: (action, target)}}`."""
    states: dict[int, dict[str, Any]] = _parse_table().states
    return states
