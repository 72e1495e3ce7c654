"""The parser's own table, walked by hand: which words may follow which, without building anything.

Stacks of states are shared: what stands below is the same object for all that was pushed on it, and each remembers
what comes after every kind of word.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from lark.parsers.lalr_analysis import Shift

from edict.compiler.syntax.grammar import openings, parser

_LONGEST = 14  # parts of a rule of the grammar
LAYOUT = ("_NL", "_INDENT", "_DEDENT")


class Stack:
    """The states of the parser after some words, the newest on top."""

    __slots__ = ("_after", "_pushed", "_wanted", "below", "state")

    def __init__(self, state: int, below: Stack | None) -> None:
        self.state, self.below = state, below
        self._after: dict[str, Stack | None] = {}
        self._pushed: dict[int, Stack] = {}
        self._wanted: list[str] | None = None

    def after(self, kind: str) -> Stack | None:
        """The stack after a word of this kind; None where none can stand."""
        if kind not in self._after:
            self._after[kind] = self._step(kind)
        return self._after[kind]

    def wanted(self) -> list[str]:
        """The kinds of words that can come next."""
        if self._wanted is None:
            kinds = (kind for kind in _states()[self.state] if kind.lstrip("_").isupper())
            self._wanted = [kind for kind in kinds if self.after(kind) is not None]
        return self._wanted

    def reads(self, kinds: Iterable[str]) -> Stack | None:
        """The stack after words of these kinds, one after the other."""
        stack: Stack | None = self
        for kind in kinds:
            stack = stack.after(kind) if stack is not None else None
        return stack

    def _step(self, kind: str) -> Stack | None:
        return self.after_as_part(kind, None)[0]

    def after_as_part(self, kind: str, base: Stack | None) -> tuple[Stack | None, tuple[str, int] | None]:
        """The stack after a word of this kind, and the first rule that makes what stands right above `base` a part of
        something larger, with its place there."""
        stack, part = self, None
        while True:
            entry = _states()[stack.state].get(kind)
            if entry is None:
                return None, part
            action, arg = entry
            if action is Shift:
                return stack._push(arg), part
            for place in reversed(range(len(arg.expansion))):
                assert stack.below is not None
                stack = stack.below
                if stack is base and part is None and len(arg.expansion) > 1:
                    part = (str(arg.alias or arg.origin.name), place)
            stack = stack._push(_states()[stack.state][arg.origin.name][1])
            if kind == "$END" and stack.state == _table().end_states["start"]:
                return stack, part

    def top(self, most: int) -> tuple[int, ...]:
        """So many states from the top downwards."""
        found, stack = list[int](), self
        while len(found) < most:
            found.append(stack.state)
            if stack.below is None:
                break
            stack = stack.below
        return tuple(found)

    def _push(self, state: int) -> Stack:
        if state not in self._pushed:
            self._pushed[state] = Stack(state, self)
        return self._pushed[state]


def beginning() -> Stack:
    """The stack before the first word of a file."""
    return Stack(_table().start_states["start"], None)


@cache
def stacks() -> tuple[Stack, ...]:
    """A stack for every state of the parser, the lowest there is."""
    found = {(first := beginning()).state: first}
    waiting = [first]
    for stack in waiting:
        for action, to in _states()[stack.state].values():
            if action is Shift and to not in found:
                found[to] = stack._push(to)
                waiting.append(found[to])
    return tuple(found.values())


@cache
def parts_at(state: int) -> frozenset[tuple[str, int]]:
    """The rules that go on from a state, each with the place in it of what has been read last."""
    found, seen = set[tuple[str, int]](), {(state, 0)}
    waiting = [(state, 0)]
    for at, more in waiting:
        for action, to in _states()[at].values():
            if action is not Shift and len(to.expansion) > more:
                found.add((str(to.alias or to.origin.name), len(to.expansion) - 1 - more))
            elif action is Shift and more < _LONGEST and (to, more + 1) not in seen:
                seen.add((to, more + 1))
                waiting.append((to, more + 1))
    return frozenset(found)


@cache
def terminals() -> dict[str, str]:
    """The words and signs of the language, each with the kind of its tokens."""
    plain = (terminal for terminal in parser().terminals if terminal.pattern.type == "str")
    return {str(terminal.pattern.value): terminal.name for terminal in plain}


@cache
def written() -> dict[str, str]:
    """The other way round: how a kind of token is written, if there is only one way."""
    return {kind: word for word, kind in terminals().items()}


@cache
def statements() -> frozenset[str]:
    """Words that begin a step or an ability."""
    found: set[str] = set()
    for before in (["PHASE", "NAME", "_NL", "_INDENT"], ["NAME", "NAME", "_NL", "_INDENT"]):
        stack = beginning().reads(before)
        assert stack is not None
        found |= {written()[kind] for kind in stack.wanted() if kind in written()}
    return frozenset(found)


@cache
def step_words() -> frozenset[str]:
    """Words that begin a step."""
    return frozenset(written()[kind] for kind in _block().wanted() if kind in written())


def _block() -> Stack:
    """The stack where a step begins."""
    block = beginning().reads(["PHASE", "NAME", "_NL", "_INDENT"])
    assert block is not None
    return block


@cache
def inner_words() -> frozenset[str]:
    """Words that begin a step, or go on with one on a line of its own."""
    rows, steps = _states(), set(_block().wanted())
    begun = {entry[1] for row in rows.values() for kind, entry in row.items() if kind in LAYOUT and entry[0] is Shift}
    lines = (rows[state] for state in begun if steps <= set(rows[state]))
    kinds = {kind for row in lines for kind, (action, _) in row.items() if action is Shift}
    return frozenset(written()[kind] for kind in kinds if kind in written()) - openings()


@cache
def value_words() -> frozenset[str]:
    """Words that begin a value or a condition, and so can be no name there."""
    inner = beginning().reads(["PHASE", "NAME", "_NL", "_INDENT", terminals()["if"]])
    assert inner is not None
    return frozenset(written()[kind] for kind in inner.wanted() if written().get(kind, "(").isalpha())


@cache
def _table() -> Any:
    return parser().parser.parser._parse_table


@cache
def _states() -> dict[int, dict[str, Any]]:
    states: dict[int, dict[str, Any]] = _table().states
    return states
